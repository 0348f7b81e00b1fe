"""`suites:`, `gates:` and `on_regression:` of ORCH.md: what is run beside the targeted tests, and what follows."""

from __future__ import annotations

from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.typed_keys import TypedKeys
from orchestrator.formats.units import parse_duration
from orchestrator.model.heads import HOME
from orchestrator.model.settings import Gate, Suite

_SUITE_KEYS = ("run", "repo", "timeout", "junit")
_GATE_KEYS = ("paths", "run", "when", "repo", "timeout", "junit")
_WHEN = ("wave", "land")
REGRESSION = ("revert", "ask")


def read_suites(keys: TypedKeys) -> tuple[Suite, ...]:
    """The suites in their order; what has no command is left out."""
    found = []
    default = Suite("", "")
    for name, value in keys.mapping("suites").items():
        at = ("suites", name)
        if isinstance(value, str) and value:
            found.append(Suite(name, value))
            continue
        run = keys.word(*at, "run") if isinstance(value, dict) else ""
        if not run:
            hint = f"{name}: COMMAND, or {name}: {{run: COMMAND}}"
            keys.report(f"the suite `{name}` has no command to run", *at, hint=hint)
            continue
        keys.check_keys(_SUITE_KEYS, *at)
        repo = _repo(keys, *at)
        if repo is None:
            continue
        timeout = keys.converted(parse_duration, default.timeout, *at, "timeout")
        found.append(Suite(name, run, repo, timeout, _junit(keys, *at)))
    return tuple(found)


def read_gates(keys: TypedKeys) -> tuple[Gate, ...]:
    """The gates in their order; what lacks a pattern or a command is left out."""
    named = keys.mapping("gates")
    if not named:
        return ()
    # Here and not above: few settings name any, and commands that look are to be quick.
    from orchestrator.model.scope import scope_fault

    found = []
    suites = keys.value("suites")
    default = Suite("", "")
    for name in named:
        at = ("gates", name)
        paths, run = keys.words(*at, "paths"), keys.word(*at, "run")
        when = keys.choice(_WHEN, *at, "when")
        keys.check_keys(_GATE_KEYS, *at)
        if not paths or not run:
            hint = f'{name}: {{paths: ["**/*.py"], run: COMMAND}}'
            keys.report(f"the gate `{name}` needs `paths` and `run`", *at, hint=hint)
            continue
        if isinstance(suites, dict) and name in suites:
            hint = "results are kept by name: give one of them another"
            keys.report(f"`{name}` is the name of a suite too", *at, hint=hint)
            continue
        faults = [f"`{path}` in the gate `{name}` {fault}" for path in paths if (fault := scope_fault(path))]
        if faults:
            hint = 'write patterns from the repository\'s top folder: ["src/**", "*.toml"]'
            keys.report(faults[0], *at, "paths", hint=hint)
            continue
        repo = _repo(keys, *at)
        if repo is None:
            continue
        timeout = keys.converted(parse_duration, default.timeout, *at, "timeout")
        found.append(Gate(Suite(name, run, repo, timeout, _junit(keys, *at)), paths, when))
    return tuple(found)


def read_on_regression(keys: TypedKeys) -> str:
    """revert or ask."""
    return keys.choice(REGRESSION, "on_regression")


def _repo(keys: TypedKeys, *at: str) -> str | None:
    """The repository that a suite runs in, `.` for the plan's own; None for one that `repos:` doesn't have.

    It may be called by its name, its path as written or the name of its folder.
    """
    repo = keys.word(*at, "repo", default=HOME)
    names = tuple(keys.mapping("repos"))
    if repo == HOME or repo in names:
        return repo
    meant = [name for name, value in keys.mapping("repos").items() if repo.rstrip("/") in _called(value)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        message = f'`repo`: "{repo}" could be {" or ".join(meant)}'
        keys.report(message, *at, "repo", hint="write its name in `repos`")
        return None
    hint = did_you_mean(repo, names) or f"name it there: repos: {{{repo}: ../{repo}}}"
    keys.report(f'`repo`: "{repo}" is no repository in `repos`', *at, "repo", hint=hint)
    return None


def _called(value: object) -> tuple[str, ...]:
    """The path of a repository as it is written in `repos:`, and the name of its folder."""
    path = value.get("path") if isinstance(value, dict) else value
    whole = path.rstrip("/") if isinstance(path, str) else ""
    return (whole, whole.removeprefix("./"), whole.rpartition("/")[2]) if whole else ()


def _junit(keys: TypedKeys, *at: str) -> str:
    path = keys.word(*at, "junit")
    if not path:
        return ""
    from orchestrator.model.scope import scope_fault

    fault = scope_fault(path)
    if fault:
        keys.report(f"`junit`: `{path}` {fault}", *at, "junit", hint="write a path from the repository's top folder")
        return ""
    return path
