"""`budget:` of ORCH.md → Budget. Owns its keys; knows nothing of what was spent."""

from __future__ import annotations

from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.typed_keys import TypedKeys
from orchestrator.formats.units import parse_amount, parse_count, parse_duration, parse_size
from orchestrator.model.settings import Bounds, Budget

PER_TASK = "per_task"
_EACH = ("usd", "tokens", "time")
_ALL = ("usd", "tokens", "tasks", "time", PER_TASK)


def read_budget(keys: TypedKeys) -> Budget:
    """The limits that are set. One that can't be read, or isn't known, is a problem at its place and no limit."""
    if not keys.mapping("budget"):
        return Budget()
    for path, known in ((("budget",), _ALL), (("budget", PER_TASK), _EACH)):
        for name in keys.mapping(*path):
            if name not in known:
                # Not only where it is nearly a known one: nobody is to rely on a limit that isn't kept.
                hint = did_you_mean(name, known) or f"the limits are {', '.join(known)}"
                keys.report_key(f'"{name}" is no limit of `{path[-1]}`', *path, name, hint=hint)
    return Budget(
        total=_bounds(keys, "budget"),
        per_task=_bounds(keys, "budget", PER_TASK),
        tasks=keys.converted(parse_count, None, "budget", "tasks"),
    )


def _bounds(keys: TypedKeys, *path: str) -> Bounds:
    return Bounds(
        usd=keys.converted(parse_amount, None, *path, "usd"),
        tokens=keys.converted(parse_size, None, *path, "tokens"),
        time=keys.converted(parse_duration, None, *path, "time"),
    )
