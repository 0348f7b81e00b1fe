"""What is to be written so that STATE's queue, a task's micro-plan and its cell say the same about its questions.

Pure: the same queue and todo file give the same list, and an empty one once everything has been written, so that
it may be asked again after any crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.model.ids import TaskKey
from orchestrator.model.micro_plan import Question
from orchestrator.model.questions import Asked, open_ones, question_key
from orchestrator.model.stage import Stage, Standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.nouns import dataclass

GONE = "its micro-plan asks it no more"
ENDED = "its task has ended"
WORKER = "worker"

HELD: Mapping[Stage, Status] = {
    Stage.APPROVED: Status.APPROVED,
    Stage.RETRY_DUE: Status.RUNNING,
    Stage.WORK_ENDED: Status.VERIFYING,
    Stage.VERIFIED: Status.VERIFIED,
}
"""Where a task after approval waits for a question, and the word that its cell has without one."""

_REPLANNED = (Stage.FRESH, Stage.PLANNING, Stage.SENT_BACK)


@dataclass(frozen=True, slots=True)
class Settling:
    """What is due, in the order in which it is written: STATE, the todo file, the cell."""

    enter: tuple[Question, ...] = ()
    """Questions of the micro-plan that the queue lacks."""
    close: tuple[tuple[Asked, str], ...] = ()
    """Open entries that the micro-plan has an answer to."""
    withdraw: tuple[tuple[Asked, str], ...] = ()
    """Open entries that nobody asks any more, with the reason."""
    note: tuple[Asked, ...] = ()
    """Entries that the task's log doesn't know."""
    take: tuple[tuple[Asked, int | None], ...] = ()
    """Entries that have ended and whose end the todo file lacks; None: the micro-plan itself doesn't ask it."""
    cell: Status | None = None

    @property
    def is_due(self) -> bool:
        return bool(self.enter or self.close or self.withdraw or self.note or self.take or self.cell)

    @property
    def is_entry_alone(self) -> bool:
        """Whether there is nothing but questions to enter."""
        return bool(self.enter) and not (self.close or self.withdraw or self.note or self.take or self.cell)


def settling(queue: Iterable[Asked], task: TaskFile, now: Standing, key: TaskKey) -> Settling:
    """What is due for one task. `now` is what its log adds up to."""
    queue = tuple(one for one in queue if one.holds(key))
    asked = task.micro_plan.questions
    if not queue and not (now.stage is Stage.AT_GATE and asked):
        return Settling()
    mine = [one for one in queue if one.task == key]
    by_key: dict[str, list[Question]] = {}
    for question in asked:
        by_key.setdefault(question_key(question.text), []).append(question)
    noted = {entry.get("q"): entry.get("by") for entry in task.log if entry.event == "asked"}
    told = {entry.get("q") for entry in task.log if entry.event == "answered"}
    has_ended = now.is_over
    counted = [one for one in mine if one.withdrawn not in (GONE, ENDED)]
    known = {name for one in counted for name in names_of(one)}
    enter: list[Question] = []
    if now.stage is Stage.AT_GATE:
        enter = [same[0] for name, same in by_key.items() if not _answer(same) and name not in known]
    close: list[tuple[Asked, str]] = []
    withdraw: list[tuple[Asked, str]] = []
    take: list[tuple[Asked, int | None]] = []
    for one in mine:
        same = next((by_key[name] for name in names_of(one) if name in by_key), [])
        if one.is_open and _answer(same):
            close.append((one, _answer(same)))
        elif one.is_open and has_ended:
            withdraw.append((one, ENDED))
        elif one.is_open and not same and noted.get(one.id) == WORKER and now.stage not in _REPLANNED:
            withdraw.append((one, GONE))
        elif not one.is_open and one in counted and not has_ended:
            take += [(one, question.number) for question in same if not question.answer]
            if not same and noted.get(one.id) != WORKER and one.id not in told:
                take.append((one, None))
    return Settling(
        enter=tuple(enter),
        close=tuple(close),
        withdraw=tuple(withdraw),
        note=() if has_ended else tuple(one for one in mine if one.is_open and one.id not in noted),
        take=tuple(take),
        cell=_cell(queue, now, key),
    )


def asked_by(task: TaskFile, one: Asked) -> str:
    """`worker` for a question of the micro-plan, else empty."""
    return WORKER if any(question_key(question.text) in names_of(one) for question in task.micro_plan.questions) else ""


def asked_by_others(task: TaskFile, waiting: Iterable[Asked]) -> tuple[Asked, ...]:
    """Those of a task's open questions that a new micro-plan doesn't end: its worker didn't ask them."""
    noted = {entry.get("q") for entry in task.log if entry.event == "asked" and entry.get("by") == WORKER}
    return tuple(one for one in waiting if one.id not in noted and not asked_by(task, one))


def names_of(one: Asked) -> tuple[str, ...]:
    """What an entry is found by: its key, and the one that its words make."""
    return (one.key, question_key(one.text)) if one.key else (question_key(one.text),)


def _answer(same: Iterable[Question]) -> str:
    """What questions of one text have been answered with; "" while one of them is open and no other answered."""
    return next((question.answer for question in same if question.answer), "")


def _cell(queue: Iterable[Asked], now: Standing, key: TaskKey) -> Status | None:
    word = HELD.get(now.stage)
    if word is None or now.decided is not None:
        return None
    if open_ones(queue, key):
        return None if now.opened is Status.NEEDS_INPUT else Status.NEEDS_INPUT
    return word if now.opened is Status.NEEDS_INPUT else None
