"""What children see of the environment: an allow-list, and the variable that marks them.

Owns which variables pass on by themselves. Knows no driver; takes the environment as an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.digests import sha256

MARKER = "ORCH_RUN_ID"
"""Set in every process that orch starts, and so in everything that such a process starts."""

_NAMES = frozenset(
    # who, where, which terminal
    "PATH HOME USER LOGNAME SHELL PWD HOSTNAME LANG LANGUAGE TZ TERM COLORTERM NO_COLOR TMPDIR TMP TEMP CI"
    # certificates and the way out
    " SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NIX_SSL_CERT_FILE"
    " HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy ftp_proxy all_proxy no_proxy"
    # where interpreters, compilers and their caches lie
    " VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONUTF8 PYTHONIOENCODING"
    " PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX PYTHONHASHSEED PYTHONUNBUFFERED PYTHONNOUSERSITE PYTHONWARNINGS"
    " LD_LIBRARY_PATH DYLD_LIBRARY_PATH PKG_CONFIG_PATH JAVA_HOME GOPATH GOROOT GOCACHE GOMODCACHE GOFLAGS"
    " CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN NVM_DIR NODE_PATH PNPM_HOME DENO_DIR GEM_HOME GEM_PATH DOTNET_ROOT"
    " PIP_CACHE_DIR UV_CACHE_DIR npm_config_cache".split()
)
_PREFIXES = ("LC_", "XDG_")

# These would turn a child's git to another repository or index than the one it stands in.
_REDIRECTING = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
)


def worker_environment(environ: Mapping[str, str], allow: Iterable[str] = ()) -> dict[str, str]:
    """The part of `environ` that a child may see: the allow-list, and the names in `allow`.

    Tokens, keys, GIT_* and everything unknown stay behind unless named. Orch's own variables and those that
    redirect git never pass: what a child needs of the former is set on purpose by who starts it.
    """
    named = set(allow)
    return {name: value for name, value in environ.items() if _passes(name, named)}


def _passes(name: str, named: set[str]) -> bool:
    if name.startswith(("ORCH_", *_REDIRECTING)):
        return False
    return name in named or name in _NAMES or name.startswith(_PREFIXES)


def own_names(repository: str, key: str) -> dict[str, str]:
    """A name and a port for what a task starts besides, so that tasks at work at once don't meet: `ORCH_NAME`, fit for
    containers and databases, and `ORCH_PORT`, the first of ten between 20000 and 32000. The same each time."""
    number = int(sha256(f"{repository}\0{key}".encode()).hexdigest()[:8], 16)
    name = "".join(char if char.isalnum() else "-" for char in key.lower())
    return {"ORCH_NAME": f"orch-{number:08x}-{name}", "ORCH_PORT": str(20000 + 10 * (number % 1200))}
