"""Sums of money, tokens and time in few words, the same in every reason and table."""

from __future__ import annotations


def usd_text(usd: float) -> str:
    """`$3.12`; `$0.0132` below a dollar; whole sums without a fraction."""
    if f"{usd:.4f}".endswith(".0000"):
        return f"${usd:.0f}"
    return f"${usd:.2f}" if usd >= 1 or f"{usd:.4f}".endswith("00") else f"${usd:.4f}"


def size_text(count: int) -> str:
    """`950`, `48.2k`, `1.2M`: tokens, at most three digits and a fraction."""
    # What would round up to the next unit is written in it.
    for factor, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= factor * 0.99995:
            return f"{count / factor:.1f}".removesuffix(".0") + unit
    return str(count)


def duration_text(seconds: float) -> str:
    """`40s`, `12m`, `6h 2m`: whole minutes from the first on."""
    if seconds < 60:
        return f"{int(seconds)}s"
    hours, minutes = divmod(int(seconds) // 60, 60)
    return f"{hours}h {minutes}m" if hours and minutes else f"{hours}h" if hours else f"{minutes}m"


def unknown_text(count: int, what: str) -> str:
    """`, and 2 turns at an unknown price`; empty for none."""
    return f", and {count} turn{'' if count == 1 else 's'} {what}" if count else ""
