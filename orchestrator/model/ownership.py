"""Whose word a board cell is: orch's own, a crash's leftover, or a person's request.

Source: docs/file-formats.md, "Hand edit or stale board?". A log line that causes a board write carries `board=STATUS`
and is written first (opened); after the write `board status=STATUS` closes it. From cell, opened and closed
follows who wrote last:

    cell unknown word                 → hold the task, the row is left alone
    cell = opened, opened = closed    → nothing to do
    cell = opened, not closed         → close: the write was made, its closing line wasn't
    cell = closed, not closed         → repair: orch died before its write
    cell = approved, past the gate    → repair: the wish was fulfilled, an editor saved an older copy of the board
    cell = a word that only orch writes, and wrote before → repair: the same
    cell = approved at its gate, and a worker was alive → ask again: any worker of the set may have written it
    any other cell                    → a person's request, followed or refused by the table below
"""

from __future__ import annotations

from enum import StrEnum

from orchestrator.model.stage import Stage, Standing
from orchestrator.model.status import ORCHS_OWN, Status
from orchestrator.nouns import dataclass


class Ruling(StrEnum):
    NOTHING = "nothing"
    CLOSE = "close"
    REPAIR = "repair"
    FOLLOW = "follow"
    REFUSE = "refuse"
    ASK_AGAIN = "ask-again"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class Verdict:
    ruling: Ruling
    status: Status | None = None
    """The status to write (repair, ask again) or to go to (follow)."""
    reason: str = ""
    """Why it isn't followed; of a repair, why the cell is stale where that was no crash."""
    remedy: str = ""
    """What a person does with the cell, for a reader who knows which one is meant."""


_PAST_THE_GATE = (Stage.APPROVED, Stage.WORKING, Stage.WORK_ENDED, Stage.RETRY_DUE, Stage.VERIFIED, Stage.LANDED)


def rule(*, cell: Status | None, raw: str, standing: Standing, worker_alive: bool) -> Verdict:
    """Whose word the cell is and what to do about it.

    cell: the status read from the board, None for an unknown word; raw: the cell's text;
    standing: what the task's log adds up to; worker_alive: whether a worker of any task may have been at work
    when the cell was changed.
    """
    if cell is None:
        back = f"set the cell back to {standing.opened}, or " if standing.opened in ORCHS_OWN else ""
        return Verdict(
            Ruling.HOLD,
            reason=f'the board says "{raw}", which is no status',
            remedy=f"{back}write a status that orch knows, such as pending, blocked, skipped or done",
        )
    if cell is standing.opened:
        return Verdict(Ruling.NOTHING if standing.is_closed else Ruling.CLOSE, cell)
    if not standing.is_closed and cell is standing.closed:
        return Verdict(Ruling.REPAIR, standing.opened)
    if cell is Status.APPROVED and _is_past_the_gate(standing):
        return Verdict(Ruling.REPAIR, standing.opened, "it is past its gate, so the approved in its cell is an old one")
    if cell in ORCHS_OWN and cell in standing.written:
        return Verdict(Ruling.REPAIR, standing.opened, f"the {cell} there is an old one of orch's own")
    return _request(cell, raw.strip(), standing, worker_alive=worker_alive)


def _is_past_the_gate(standing: Standing) -> bool:
    return standing.stage in _PAST_THE_GATE or (standing.stage is Stage.REVIEWING and standing.reviewed != "plan")


def _request(cell: Status, raw: str, standing: Standing, *, worker_alive: bool) -> Verdict:
    word = f'"{raw}" means {cell}, a word' if raw and raw.casefold() != cell else f'"{cell}" is a word'
    back = f"set the cell back to {standing.opened}"
    if standing.stage is Stage.LANDED:
        return Verdict(
            Ruling.REFUSE,
            reason=f"its commit {standing.landing[:7]} has landed; a cell doesn't take that back",
            remedy=back,
        )
    if cell in ORCHS_OWN:
        return Verdict(Ruling.REFUSE, reason=f"{word} that only orch writes", remedy=back)
    if cell is Status.APPROVED:
        if not standing.is_at_gate:
            return Verdict(Ruling.REFUSE, reason="there is no micro-plan at the gate to approve", remedy=back)
        if worker_alive:
            why = "a worker was alive when its cell was set to approved, so it may be the worker's own doing"
            return Verdict(Ruling.ASK_AGAIN, standing.opened, why)
    return Verdict(Ruling.FOLLOW, cell)
