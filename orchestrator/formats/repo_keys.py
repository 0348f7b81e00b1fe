"""`repos:`, `branch:`, `worktree:`, `sandbox:` of ORCH.md: where tasks work and land, what workspaces get and hold."""

from __future__ import annotations

from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.typed_keys import TypedKeys
from orchestrator.formats.units import parse_switch
from orchestrator.model.settings import Repo, Sandbox, WorkspaceSettings
from orchestrator.patterns import regex

_KEYS = ("path", "base", "branch", "worktree")
_WORKTREE_KEYS = ("setup", "inputs", "copy", "link", "check", "teardown", "reuse", "root", "keep")
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_SLOT = regex(r"\{([^{}]*)\}")
_BAD_REF = regex(r"[\s~^:?*\[\\\x00-\x1f\x7f]|\.\.|//|@\{|^[-/.]|[/.]$|\.lock(?:/|$)|/\.")


def read_branch(keys: TypedKeys, default: str, *path: str) -> str:
    """The form of the integration branch's name; the default for one that can't be."""
    branch = keys.word(*path, default=default)
    if branch == default:
        return default
    for slot in _SLOT.findall(branch):
        if slot not in ("n", "slug"):
            hint = did_you_mean(slot, ("n", "slug")) or "the slots are {n} and {slug}"
            keys.report(f"`branch` has a slot {{{slot}}} that there isn't", *path, hint=hint)
            return default
    if _BAD_REF.search(_SLOT.sub("x", branch)) or branch in ("HEAD", "@"):
        keys.report(f'`branch`: "{branch}" can\'t be the name of a branch', *path, hint="such as orch/{n}-{slug}")
        return default
    return branch


def read_worktree(keys: TypedKeys, *path: str) -> WorkspaceSettings:
    """What workspaces get."""
    default = WorkspaceSettings()
    if keys.value(*path) is None:
        return default
    keys.check_keys(_WORKTREE_KEYS, *path)
    return WorkspaceSettings(
        setup=keys.word(*path, "setup"),
        inputs=_inputs(keys, *path, "inputs"),
        copy=keys.words(*path, "copy"),
        link=keys.words(*path, "link"),
        check=keys.word(*path, "check"),
        teardown=keys.word(*path, "teardown"),
        reuse=keys.converted(parse_switch, default.reuse, *path, "reuse"),
        root=keys.word(*path, "root"),
        keep=keys.converted(parse_switch, default.keep, *path, "keep"),
    )


def _inputs(keys: TypedKeys, *path: str) -> tuple[str, ...]:
    """Patterns of files; none where one of them can't be such a pattern."""
    patterns = keys.words(*path)
    if not patterns:
        return ()
    # Here and not above: few settings name any, and commands that look are to be quick.
    from orchestrator.model.scope import scope_fault

    faults = [f"`{pattern}` {fault}" for pattern in patterns if (fault := scope_fault(pattern))]
    if faults:
        hint = 'write paths and patterns from the repository\'s top folder: [Makefile, "proto/**"]'
        keys.report(f"`inputs`: {faults[0]}", *path, hint=hint)
        return ()
    return patterns


def read_sandbox(keys: TypedKeys) -> Sandbox:
    """`sandbox:` — on, off, or on with further folders that may be written to."""
    value = keys.value("sandbox")
    if not isinstance(value, dict):
        return Sandbox(keys.converted(parse_switch, False, "sandbox"))
    keys.check_keys(("write",), "sandbox")
    write = keys.words("sandbox", "write")
    wrong = [path for path in write if not path.startswith(("/", "~/"))]
    if wrong:
        keys.report(f"`{wrong[0]}` is no whole path", "sandbox", "write", hint="write: [~/.cache, /opt/cache]")
    return Sandbox(is_on=True, write=tuple(path for path in write if path not in wrong))


def read_repos(keys: TypedKeys) -> tuple[Repo, ...]:
    """The other repositories in their order; what has no path, or no plain name, is left out."""
    found = []
    for name, value in keys.mapping("repos").items():
        at = ("repos", name)
        if not _NAME.fullmatch(name):
            keys.report_key(f'"{name}" is no name for a repository', *at, hint="letters, digits, `-` and `_`")
            continue
        path = value if isinstance(value, str) else keys.word(*at, "path") if isinstance(value, dict) else ""
        if not path:
            hint = f"{name}: ../{name}, or {name}: {{path: ../{name}, base: main}}"
            keys.report(f"the repository `{name}` needs a path", *at, hint=hint)
            continue
        if isinstance(value, str):
            found.append(Repo(name, path, at=keys.location(*at)))
            continue
        keys.check_keys(_KEYS, *at)
        branch = read_branch(keys, "", *at, "branch")
        base = keys.word(*at, "base")
        found.append(Repo(name, path, base, branch, read_worktree(keys, *at, "worktree"), keys.location(*at, "path")))
    return tuple(found)
