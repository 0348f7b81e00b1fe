"""The environment git runs in: nothing inherited can send it to another repository.

Owns which GIT_* variables survive and which are always set. GitPython's own `env` only adds to the process's
environment, so what must be gone has to be removed from the process itself, once, by `scrub`.
"""

from __future__ import annotations

from collections.abc import MutableMapping

# Who commits and where the person's own configuration lies: a machine may have them nowhere else. Everything
# else (GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_PARAMETERS, …) is what a calling hook or alias leaves behind.
KEPT = frozenset(
    {
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
    }
)

FIXED = {
    "LC_ALL": "C",
    "LANGUAGE": "C",
    # No question may wait for a person: with no terminal of its own git then fails at once.
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_EDITOR": ":",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_PAGER": "cat",
    # Reading never writes the index of a checkout that a person works in.
    "GIT_OPTIONAL_LOCKS": "0",
    # A path is a path, whatever characters it holds.
    "GIT_LITERAL_PATHSPECS": "1",
    # Replaced or grafted history is a view; what is checked and landed is what the objects say.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null/none",
}

# Options before every subcommand. They outrank every configuration file, so a value put there has no effect.
OPTIONS = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "maintenance.auto=false",
    "gc.auto=0",
    "color.ui=false",
    "submodule.recurse=false",
)


def scrub(environ: MutableMapping[str, str]) -> tuple[str, ...]:
    """Remove every GIT_* variable but the few in KEPT from `environ`, in place; returns the names removed."""
    names = tuple(sorted(name for name in environ if name.startswith("GIT_") and name not in KEPT))
    for name in names:
        del environ[name]
    return names
