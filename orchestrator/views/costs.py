"""What an orchestration has used, as a small table and as a document: the whole, by tier, by wave, by task.

A number that isn't known is said to be unknown; a sum of which a part isn't known, to be the least; how many turns are
missing in all stands below.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.model.budget import Meter
from orchestrator.model.costs import Spent, TurnCost, spent, turns_of
from orchestrator.model.ids import TaskKey
from orchestrator.model.money import duration_text, size_text, usd_text
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.settings import REVIEW, TIERS, Bounds
from orchestrator.views.folding import counted

OWN_LINES = 40
"""So many tasks have a line of their own, those that used most."""
_HEAD = ("", "turns", "time", "in", "out", "cost")
_TIERS = (*TIERS, REVIEW)

Turns = Mapping[TaskKey, tuple[TurnCost, ...]]


def cost_lines(orchestration: Orchestration, now: str) -> tuple[str, ...]:
    """The table, and how far the limits are used up. now: this moment, as the files write it."""
    turns = _turns(orchestration)
    if not turns:
        return ("no turn has been started yet", *_budget_lines(orchestration, now))
    rows = [("all", _all(turns, now))]
    rows += [(f"tier {tier}", found) for tier, found in _by_tier(turns, now).items()]
    rows += [(f"wave {number}", found) for number, found in _by_wave(turns, now).items()]
    shown = _dearest(turns, now)
    rows += [(_name(key, turns[key]), spent(turns[key], now)) for key in shown]
    lines = _aligned([_HEAD, *((name, *_cells(found)) for name, found in rows)])
    if len(shown) < len(turns):
        lines.append(f"{counted(len(turns) - len(shown), 'more task')}: orch status --cost --json")
    return (*lines, *_unknown_lines(_all(turns, now)), *_budget_lines(orchestration, now))


def cost_document(orchestration: Orchestration, now: str) -> dict[str, object]:
    """The same as values: every task with every turn, numbers uncut, null for what isn't known."""
    turns = _turns(orchestration)
    return {
        "all": _sum(_all(turns, now)),
        "tiers": {tier: _sum(found) for tier, found in _by_tier(turns, now).items()},
        "waves": [{"wave": number, **_sum(found)} for number, found in _by_wave(turns, now).items()],
        "tasks": [
            {"task": str(key), **_sum(spent(found, now)), "by_turn": [_turn(turn) for turn in found]}
            for key, found in turns.items()
        ],
        "budget": _budget_document(orchestration, now),
    }


def _turns(orchestration: Orchestration) -> Turns:
    """The turns of every task that had one, in plan order."""
    found = ((key, turns_of(orchestration.task(key).log)) for key in orchestration.plan.in_waves())
    return {key: turns for key, turns in found if turns}


def _all(turns: Turns, now: str) -> Spent:
    return spent((turn for found in turns.values() for turn in found), now)


def _by_tier(turns: Turns, now: str) -> dict[str, Spent]:
    by: dict[str, list[TurnCost]] = {}
    for found in turns.values():
        for turn in found:
            by.setdefault(turn.tier, []).append(turn)
    order = sorted(by, key=lambda tier: (_TIERS.index(tier) if tier in _TIERS else len(_TIERS), tier))
    return {tier or "?": spent(by[tier], now) for tier in order}


def _by_wave(turns: Turns, now: str) -> dict[int, Spent]:
    numbers = sorted({key.wave for key in turns})
    return {
        number: spent((turn for key, found in turns.items() if key.wave == number for turn in found), now)
        for number in numbers
    }


def _dearest(turns: Turns, now: str) -> list[TaskKey]:
    """The tasks that used most, in plan order."""

    def used(key: TaskKey) -> tuple[float, float, float]:
        found = spent(turns[key], now)
        return found.usd, found.tokens, found.seconds

    most = set(sorted(turns, key=used, reverse=True)[:OWN_LINES])
    return [key for key in turns if key in most]


def _name(key: TaskKey, turns: Sequence[TurnCost]) -> str:
    """The key and the tiers its own turns ran on."""
    tiers = dict.fromkeys(turn.tier for turn in turns if turn.turn != REVIEW and turn.tier)
    return " ".join((str(key), *tiers))


def _cells(found: Spent) -> tuple[str, ...]:
    running = f" + {found.running} at work" if found.running else ""
    return (
        f"{found.turns}{running}",
        duration_text(found.seconds),
        _known(size_text(found.read), found, found.uncounted),
        _known(size_text(found.written), found, found.uncounted),
        _known(usd_text(found.usd), found, found.unpriced),
    )


def _known(text: str, found: Spent, missing: int) -> str:
    """The number, that it is the least, or that nothing of it is known."""
    if missing == found.turns:
        return "unknown" if found.turns else "-"
    return f"at least {text}" if missing or found.partial else text


def _unknown_lines(found: Spent) -> tuple[str, ...]:
    """What isn't known of all the turns, and so missing in the sums."""
    parts = [
        f"{what} {counted(missing, 'turn')}"
        for what, missing in (
            ("the price of", found.unpriced),
            ("the tokens of", found.uncounted),
            ("what was used last in", found.partial),
        )
        if missing
    ]
    return (f"unknown: {', '.join(parts)}",) if parts else ()


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    rows = tuple(rows)
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _budget_lines(orchestration: Orchestration, now: str) -> tuple[str, ...]:
    budget = orchestration.settings.budget
    if not budget.is_set:
        return ()
    meter = Meter(orchestration, now)
    used = meter.total()
    parts = _of_bounds(budget.total, used, meter.promised())
    parts += [f"{meter.begun} of {counted(budget.tasks, 'task')} begun"] if budget.tasks is not None else []
    each = [words for words in _bounds_words(budget.per_task) if words]
    parts += [f"each task {', '.join(each)}"] if each else []
    return (f"budget: {'; '.join(parts)}",)


def _of_bounds(bounds: Bounds, used: Spent, promised: Mapping[str, str]) -> list[str]:
    missing = (used.unpriced + used.partial, used.uncounted + used.partial, 0)
    had = (usd_text(used.usd), size_text(used.tokens), duration_text(used.seconds))
    parts = []
    for key, one, least, words in zip(("usd", "tokens", "time"), had, missing, _bounds_words(bounds), strict=True):
        more = f" ({promised[key]} more given to turns at work)" if key in promised else ""
        if words:
            parts.append(f"{'at least ' if least else ''}{one} of {words}{more}")
    return parts


def _bounds_words(bounds: Bounds) -> list[str]:
    """The bounds in money, tokens and time; empty for one that isn't set."""
    return [
        usd_text(bounds.usd) if bounds.usd is not None else "",
        f"{size_text(bounds.tokens)} tokens" if bounds.tokens is not None else "",
        f"{duration_text(bounds.time)} at work" if bounds.time is not None else "",
    ]


def _sum(found: Spent) -> dict[str, object]:
    is_priced, is_counted = found.unpriced < found.turns, found.uncounted < found.turns
    return {
        "turns": found.turns,
        "running": found.running,
        "seconds": round(found.seconds),
        "input": found.read if is_counted else None,
        "output": found.written if is_counted else None,
        "uncounted": found.uncounted,
        "usd": round(found.usd, 4) if is_priced else None,
        "unpriced": found.unpriced,
        "partial": found.partial,
    }


def _turn(turn: TurnCost) -> dict[str, object]:
    return {
        "turn": turn.turn,
        "tier": turn.tier or None,
        "driver": turn.driver or None,
        "started": turn.started,
        "ended": turn.ended or None,
        "outcome": turn.outcome or None,
        "input": turn.read,
        "output": turn.written,
        "cached": turn.cached,
        "usd": turn.usd,
        "partial": turn.is_partial,
        "may_use": {"usd": turn.cap.usd, "tokens": turn.cap.tokens},
    }


def _budget_document(orchestration: Orchestration, now: str) -> dict[str, object] | None:
    budget = orchestration.settings.budget
    if not budget.is_set:
        return None
    return {
        **_limits(budget.total),
        "tasks": budget.tasks,
        "begun": Meter(orchestration, now).begun,
        "per_task": _limits(budget.per_task),
    }


def _limits(bounds: Bounds) -> dict[str, object]:
    return {"usd": bounds.usd, "tokens": bounds.tokens, "time": bounds.time}
