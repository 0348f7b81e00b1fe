"""The environment git runs in: nothing inherited can send it to another repository.

Owns which GIT_* variables survive and which are always set. GitPython's own `env` only adds to the process's
environment, so what must be gone has to be removed from the process itself, once, by `scrub`.
"""

from __future__ import annotations

from collections.abc import MutableMapping

# Who commits, the person's own configuration, and how a remote is reached (a partial clone fetches what it lacks): a
# machine may have them nowhere else. Everything else (GIT_DIR, GIT_INDEX_FILE, GIT_CONFIG_PARAMETERS, …) is what a
# calling hook or alias leaves behind.
_KEPT = frozenset(
    {
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_COUNT",
        "GIT_ATTR_NOSYSTEM",
        "GIT_ALLOW_PROTOCOL",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_LFS_SKIP_SMUDGE",
    }
)
_KEPT_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


def is_kept(name: str) -> bool:
    """Whether git gets a variable of the person's environment though its name begins with GIT_."""
    return name in _KEPT or name.startswith(_KEPT_PREFIXES)


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
    # Files are read, never converted in place: a line ending that wouldn't come back is no reason to refuse them.
    "core.safecrlf=false",
    # Messages are given and read as UTF-8.
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
)


def scrub(environ: MutableMapping[str, str]) -> tuple[str, ...]:
    """Remove every GIT_* variable but the few that are kept from `environ`, in place; returns the names removed."""
    names = tuple(sorted(name for name in environ if name.startswith("GIT_") and not is_kept(name)))
    for name in names:
        del environ[name]
    return names
