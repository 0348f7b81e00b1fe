"""Keys of ORCH.md whose part isn't built yet: read and validated, then refused or warned about.

A key that would change what runs is an error, since leaving it out of account would be a surprise; any other is a
warning. The place to take a key from, once its part is built.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.errors import Severity
from orchestrator.formats.typed_keys import TypedKeys
from orchestrator.formats.units import parse_amount, parse_count, parse_duration, parse_size

LATER = (
    "budget",
    "sandbox",
)
_BUDGET: dict[str, Callable[[str], float]] = {
    "usd": parse_amount,
    "tokens": parse_size,
    "tasks": parse_count,
    "time": parse_duration,
}


def check_later(keys: TypedKeys) -> None:
    """Report what is wrong with these keys, and those that are set to something orch can't do yet."""
    for name, convert in _BUDGET.items():
        keys.converted(convert, 0.0, "budget", name)
    if keys.mapping("budget"):
        keys.check_keys(_BUDGET, "budget")
        _not_yet(keys, "budget", is_error=False)
    if keys.word("sandbox", default="off") not in ("off", "false", "no", "none"):
        # Whoever asks for a sandbox must not be left to think there is one.
        _not_yet(keys, "sandbox")


def _not_yet(keys: TypedKeys, key: str, *, is_error: bool = True) -> None:
    severity = Severity.ITEM if is_error else Severity.WARNING
    what = "take it out" if is_error else "it is not taken into account"
    keys.report_key(f"`{key}` is not available yet", key, hint=what, code="not-available", severity=severity)
