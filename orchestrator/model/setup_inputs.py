"""What the outcome of a setup command depends on: only on lock files and manifests, or on the whole tree.

Only well-known commands that fetch and install are taken to depend on nothing else, and only where no script or build
of the project's own is part of them. Whatever isn't understood depends on everything. Texts come in, names go out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from orchestrator.patterns import regex

NAMES = frozenset(
    "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb"
    " .npmrc .yarnrc .yarnrc.yml .nvmrc .node-version pyproject.toml setup.py setup.cfg poetry.lock uv.lock pdm.lock"
    " Pipfile Pipfile.lock .python-version .tool-versions go.mod go.sum go.work go.work.sum Cargo.toml Cargo.lock"
    " rust-toolchain rust-toolchain.toml Gemfile Gemfile.lock composer.json composer.lock mix.exs mix.lock".split()
)
"""Names of lock files and manifests, in whichever folder."""
_REQUIREMENTS = regex(r"(?:.*[-_.])?(?:requirements|constraints)(?:[-_.].*)?\.(?:txt|in)", re.IGNORECASE)

# Whatever else a shell would make something of.
_SHELL = regex(r"[|&<>$`(){}*?\[\]~#\\!]")
_SCRIPTS = regex(r'"(?:pre|post)?(?:install|prepare|prepublish)"\s*:')
_BUILDS = regex(
    r"ext_modules|cffi_modules|cython|maturin|setuptools[-_]rust|scikit[-_]build|mesonpy|meson-python|build[-_.]hook"
    r"|cmake|build_ext|cmdclass",
    re.IGNORECASE,
)
_VERBS = {
    "npm": ("ci", "install", "i", "clean-install"),
    "pnpm": ("install", "i"),
    "yarn": ("install", ""),
    "bun": ("install",),
    "uv": ("sync", "venv"),
    "poetry": ("install", "sync"),
    "pdm": ("install", "sync"),
    "pipenv": ("install", "sync"),
    "bundle": ("install",),
    "go": ("mod download",),
    "cargo": ("fetch",),
    "virtualenv": None,
    "pip": ("install",),
    "pip3": ("install",),
}
_NODE = ("npm", "pnpm", "yarn", "bun")
_PYTHON = regex(r"python(?:3(?:\.\d+)?)?")


def is_input(path: str) -> bool:
    """Whether a file is a lock file or a manifest by its name."""
    name = path.rsplit("/", 1)[-1]
    return name in NAMES or _REQUIREMENTS.fullmatch(name) is not None


def named_files(command: str) -> frozenset[str]:
    """The words of a command line that may be paths of files, as they stand there, without `./` before them."""
    try:
        words = shlex.split(command)
    except ValueError:
        return frozenset()
    return frozenset(part.removeprefix("./") for word in words for part in (word, word.partition("=")[2]) if part)


def only_installs(command: str, text_of: Callable[[str], str | None]) -> bool:
    """Whether a setup depends on nothing but lock files, manifests and the files that its command names.

    text_of: the text of a file at the top of the tree; None where there is none.
    """
    parts = [part.strip() for part in re.split(r"&&|;|\n", command) if part.strip()]
    return bool(parts) and all(_is_install(part, text_of) for part in parts)


def _is_install(command: str, text_of: Callable[[str], str | None]) -> bool:
    if _SHELL.search(command):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    program, *rest = words
    program = program.rsplit("/", 1)[-1]
    if _PYTHON.fullmatch(program) and rest[:1] == ["-m"]:
        if rest[1:2] == ["venv"]:
            return True
        program, rest = (rest[1] if len(rest) > 1 else ""), rest[2:]
    if program == "uv" and rest[:1] == ["pip"]:
        program, rest = "pip", rest[1:]
    if program not in _VERBS:
        return False
    verbs = _VERBS[program]
    given = [word for word in rest if not word.startswith("-")]
    if verbs is not None and not any(" ".join(given[: len(verb.split())]) == verb for verb in verbs):
        return False
    if program in _NODE:
        return not _SCRIPTS.search(text_of("package.json") or "") and text_of("binding.gyp") is None
    if program.startswith("pip") and program != "pipenv" and not _is_plain_pip(rest):
        return False
    builds = any(_BUILDS.search(text_of(name) or "") for name in ("pyproject.toml", "setup.py", "setup.cfg"))
    return program in ("bundle", "go", "cargo", "virtualenv") or not builds


def _is_plain_pip(words: list[str]) -> bool:
    """Whether no folder of the project is installed as a copy: `.` would be, after `-e` it isn't."""
    before = ""
    for word in words[1:]:
        is_path = word.startswith((".", "/")) or "/" in word
        if is_path and before not in ("-e", "--editable", "-r", "--requirement", "-c", "--constraint"):
            return False
        before = word
    return True
