"""`budget:` of ORCH.md → Budget, `price:` of a worker → Price. Owns their keys; knows nothing of what was spent."""

from __future__ import annotations

from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.typed_keys import TypedKeys
from orchestrator.formats.units import parse_amount, parse_count, parse_duration, parse_size
from orchestrator.model.settings import Bounds, Budget, Price

PER_TASK = "per_task"
_EACH = ("usd", "tokens", "time")
_ALL = ("usd", "tokens", "tasks", "time", PER_TASK)
_PRICES = ("in", "cached", "out")
_PRICE_EXAMPLE = "price: {in: 1.25, cached: 0.125, out: 10}"


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


def read_price(keys: TypedKeys, *at: str) -> Price | None:
    """The prices of a worker's tokens; what is read from a cache costs as much as the rest where nothing is said of it.
    None where there are none, or where one that is needed is missing or can't be read: that is a problem at its place.
    """
    given = keys.mapping(*at)
    if not given:
        return None
    for name in given:
        if name not in _PRICES:
            hint = did_you_mean(name, _PRICES) or f"dollars for a million tokens: {_PRICE_EXAMPLE}"
            keys.report_key(f'"{name}" is no price', *at, name, hint=hint)
    for name in ("in", "out"):
        if keys.value(*at, name) is None:
            keys.report(f"`price` lacks `{name}`", *at, hint=f"dollars for a million tokens: {_PRICE_EXAMPLE}")
    read, cached, written = (keys.converted(parse_amount, None, *at, name) for name in _PRICES)
    if read is None or written is None:
        return None
    return Price(read, read if cached is None else cached, written)


def _bounds(keys: TypedKeys, *path: str) -> Bounds:
    return Bounds(
        usd=keys.converted(parse_amount, None, *path, "usd"),
        tokens=keys.converted(parse_size, None, *path, "tokens"),
        time=keys.converted(parse_duration, None, *path, "time"),
    )
