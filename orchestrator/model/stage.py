"""Where a task stands, read from its log alone: which turn is due, in flight or to be judged.

The board says a status to people; the log says what orch has done. Both are needed: see ownership.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from orchestrator.model.log import LogEntry
from orchestrator.model.service import TOLD, Service, service_after
from orchestrator.model.status import Status
from orchestrator.nouns import dataclass, field, replace


class Stage(StrEnum):
    FRESH = "fresh"
    """Nothing done yet, or set back to the start: a plan turn is due."""
    PLANNING = "planning"
    SENT_BACK = "sent-back"
    """The micro-plan was refused: another plan turn is due."""
    AT_GATE = "at-gate"
    REVIEWING = "reviewing"
    """What waits for a judgement is with the reviewer; `reviewed` says what that is."""
    APPROVED = "approved"
    WORKING = "working"
    WORK_ENDED = "work-ended"
    """The worker says it is done: to be verified."""
    RETRY_DUE = "retry-due"
    VERIFIED = "verified"
    LANDED = "landed"
    BLOCKED = "blocked"
    DECIDED = "decided"
    """A person ended or parked it by hand; `decided` holds the status."""

    @property
    def words(self) -> str:
        """The stage as a sentence about the task."""
        return _WORDS[self]


_WORDS = {
    Stage.FRESH: "its plan turn hasn't been started",
    Stage.PLANNING: "its worker is writing it",
    Stage.SENT_BACK: "it was sent back, and the next plan turn hasn't been started",
    Stage.AT_GATE: "it waits there",
    Stage.REVIEWING: "its reviewer is at work",
    Stage.APPROVED: "it is approved already",
    Stage.WORKING: "it is approved, and its worker is at work",
    Stage.WORK_ENDED: "its work is being verified",
    Stage.RETRY_DUE: "its work was sent back",
    Stage.VERIFIED: "its work is verified",
    Stage.LANDED: "its commit has landed",
    Stage.BLOCKED: "the task is blocked",
    Stage.DECIDED: "a person has ended or parked the task",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """What the log adds up to."""

    stage: Stage = Stage.FRESH
    turn: str = ""
    """The last turn that was started: plan, execute, retry, takeover, review."""
    driver: str = ""
    """What took the last turn, where its log line says so."""
    turns: int = 0
    """How many turns were ever started: the number of the last one."""
    is_continued: bool = False
    """The turn that is due repeats one whose worker died."""
    opened: Status = Status.PENDING
    """The last status that orch set out to write on the board."""
    written: frozenset[Status] = frozenset()
    """Every status that orch knows it wrote there, ever."""
    closed: Status = Status.PENDING
    """The last status that orch knows it wrote."""
    title: str = ""
    """The title on the board when orch last wrote there."""
    decided: Status | None = None
    cause: str = ""
    """Why it is blocked or was sent back, in one line."""
    fix: str = ""
    """Options of `orch rescope` that would have let the last failed work pass."""
    failed: str = ""
    """The kind of the last failure: accept, scope, report, conflict, stopped, died, plan."""
    verified_tree: str = ""
    verified_head: str = ""
    landing: str = ""
    """The commit of the last recorded landing that wasn't reverted."""
    stands_as: str = ""
    """The commit that has its work since the branch was rewritten, as somebody said."""
    moving: tuple[str, str] | None = None
    """A move of the checkout that was announced and not finished: (old, new)."""
    sent_back: int = 0
    """How often its micro-plan was sent back, by the checks or by somebody, since the task began or began anew."""
    is_taken_over: bool = False
    """Its micro-plan was written by the orchestrator."""
    tiers: tuple[tuple[str, str], ...] = ()
    """The tiers it went up from since it began or began anew, each with what failed there."""
    keeps_dependents: bool = False
    """It was skipped, and those that depend on it may go on without it."""
    reviewed: str = ""
    """What the last review turn is, or was, about: plan or diff."""
    asked: str = ""
    """The hash of what the reviewer was asked about; its answer is bound to it."""
    judged: str = ""
    """The tree whose landing was approved, where changes are judged."""
    reviewers_lost: int = 0
    """How many reviewers of what was `asked` died over it."""
    unanswered: str = ""
    """Why what was `asked` waits for a person all the same."""
    paused: tuple[str, str] | None = None
    """Why the next step couldn't be made when it was last tried, and what to do about it."""
    weather: str = ""
    """Why the last turn ended, where it was nobody's fault: a quota, a service that fails, a session that is gone."""
    storms: int = 0
    """How many turns in a row ended like that, but for those that a limit ended."""
    cut: str = ""
    """Why orch has set out to end the turn in flight before its worker does."""
    service: Service = field(default_factory=Service)
    """What is known of the service behind its workers."""

    @property
    def is_in_flight(self) -> bool:
        return self.stage in (Stage.PLANNING, Stage.WORKING, Stage.REVIEWING)

    @property
    def is_at_gate(self) -> bool:
        """Whether a person may judge its micro-plan now: it rests at the gate, or is with a reviewer."""
        return self.stage is Stage.AT_GATE or (self.stage is Stage.REVIEWING and self.reviewed == "plan")

    @property
    def is_over(self) -> bool:
        """It has landed, or a person ended it: nothing more is done for it."""
        return self.stage is Stage.LANDED or self.decided in (Status.DONE, Status.SKIPPED)

    @property
    def is_closed(self) -> bool:
        return self.opened == self.closed

    @property
    def is_before_landing(self) -> bool:
        """Whether its verified change may be judged now: it rests, or is with a reviewer."""
        return self.stage is Stage.VERIFIED or (self.stage is Stage.REVIEWING and self.reviewed == "diff")


_AFTER_FAILURE = {
    "begin": Stage.FRESH,
    "plan": Stage.SENT_BACK,
    "execute": Stage.APPROVED,
    "takeover": Stage.APPROVED,
    "retry": Stage.RETRY_DUE,
    "verify": Stage.WORK_ENDED,
    "gate": Stage.AT_GATE,
    "blocked": Stage.BLOCKED,
}

FOREIGN = "foreign"
"""The kind of failure of a task whose log has lines that orch didn't write."""

_NO_STEP = ("board", "degraded", "moving", "moved", "paused", "asked", "probing", "probed")
"""Events that take a task no further."""

_PERSON_PARKS = (Status.DONE, Status.SKIPPED, Status.BLOCKED, Status.NEEDS_INPUT)


_KEPT = 2000
_known: dict[int, tuple[tuple[LogEntry, ...], Standing]] = {}
"""The last logs that were asked about, by identity: a round asks many times about each. The log itself is held, so
that no other can come by its number."""


def standing(log: Iterable[LogEntry]) -> Standing:
    """What a task's log adds up to, entry by entry. An empty log is a fresh task, last closed `pending`."""
    log = tuple(log)
    known = _known.get(id(log))
    if known is not None:
        return known[1]
    found = after(Standing(), log)
    if len(_known) >= _KEPT:
        _known.clear()
    _known[id(log)] = (log, found)
    return found


def after(now: Standing, entries: Iterable[LogEntry]) -> Standing:
    """Where a task stands after these further entries of its log."""
    for entry in entries:
        service = service_after(now.service, entry, now.driver) if entry.event in TOLD else now.service
        now = _step(now, entry)
        now = now if service is now.service else replace(now, service=service)
        if now.paused and entry.event not in _NO_STEP:
            now = replace(now, paused=None)
        opened = _status(entry.get("board"))
        if opened is not None:
            now = replace(now, opened=opened)
    return now


def _status(word: str) -> Status | None:
    try:
        return Status(word)
    except ValueError:
        return None


def _step(now: Standing, entry: LogEntry) -> Standing:
    match entry.event:
        case "board":
            written = _status(entry.get("status"))
            if written is None:
                return now
            ever = now.written if written in now.written else now.written | {written}
            return replace(now, opened=written, closed=written, written=ever, title=entry.get("title", now.title))
        case "started":
            turn = entry.get("turn")
            if turn == "review":
                return _reviewing(now, entry)
            stage = Stage.PLANNING if turn == "plan" else Stage.WORKING
            driver = entry.get("driver")
            now = replace(now, stage=stage, turn=turn, turns=now.turns + 1, driver=driver)
            return replace(now, is_continued=False, decided=None, cut="")
        case "cut":
            return replace(now, cut=entry.get("why")) if now.is_in_flight else now
        case "ended" if entry.get("turn") == "review":
            return _reviewed(now, entry) if now.stage is Stage.REVIEWING else now
        case "ended":
            return _ended(now, entry)
        case "revised":
            # A changed spec is no fault of the plan.
            count = now.sent_back + (entry.get("by") != "spec")
            now = replace(now, verified_tree="", judged="", is_continued=False, is_taken_over=False)
            return replace(now, stage=Stage.SENT_BACK, cause=entry.get("why"), sent_back=count)
        case "planned":
            return replace(now, stage=Stage.AT_GATE, is_taken_over=False, asked="", reviewers_lost=0, unanswered="")
        case "approved" if entry.get("of") == "diff":
            return replace(now, stage=Stage.VERIFIED, judged=entry.get("tree"), unanswered="")
        case "approved":
            return replace(now, stage=Stage.APPROVED, cause="", is_taken_over=bool(entry.get("takeover")), decided=None)
        case "escalated":
            return _escalate(now, entry)
        case "rescoped":
            return replace(now, stage=Stage.SENT_BACK, cause=entry.get("why"), is_continued=False, decided=None)
        case "failed" if entry.get("kind") == FOREIGN:
            # Nothing before it counts but what the board holds, and how many turns there were.
            return Standing(
                stage=Stage.BLOCKED,
                turn=now.turn,
                driver=now.driver,
                turns=now.turns,
                opened=now.opened,
                written=now.written,
                closed=now.closed,
                title=now.title,
                cause=entry.get("why"),
                failed=FOREIGN,
                service=now.service,
            )
        case "failed":
            stage = _AFTER_FAILURE.get(entry.get("next"), Stage.BLOCKED)
            kind = entry.get("kind")
            return replace(
                now,
                stage=stage,
                cause=entry.get("why"),
                is_continued=kind == "died",
                failed=kind,
                fix=entry.get("fix"),
                verified_tree="",
                judged="",
                asked="",
                reviewers_lost=0,
                unanswered="",
                weather="",
                storms=0,
            )
        case "verified":
            tree, head = entry.get("tree"), entry.get("head")
            if tree != now.verified_tree:
                judged = tree if now.judged and entry.get("judged") == now.judged else now.judged
                now = replace(now, judged=judged, asked="", reviewers_lost=0, unanswered="")
            return replace(now, stage=Stage.VERIFIED, verified_tree=tree, verified_head=head, cause="")
        case "landed":
            return replace(now, stage=Stage.LANDED, landing=entry.get("commit"), stands_as=entry.get("as"))
        case "reverted":
            stage = _AFTER_FAILURE.get(entry.get("next") or "retry", Stage.BLOCKED)
            kind = entry.get("kind")
            now = replace(now, stage=stage, landing="", stands_as="", cause=entry.get("why"), is_continued=False)
            return replace(now, failed=kind, verified_tree="", judged="")
        case "moving":
            return replace(now, moving=(entry.get("old"), entry.get("new")))
        case "moved":
            return replace(now, moving=None)
        case "paused":
            return replace(now, paused=(entry.get("why"), entry.get("fix")))
        case "decided":
            return _decide(now, entry)
        case _:
            return now


def _ended(now: Standing, entry: LogEntry) -> Standing:
    if not now.is_in_flight:
        return now
    if entry.get("outcome") == "finished":
        return replace(now, stage=Stage.WORK_ENDED if now.stage is Stage.WORKING else now.stage, weather="", storms=0)
    if not entry.get("next"):
        return now
    # Nobody's fault: the same turn is due again.
    stage = _AFTER_FAILURE.get(entry.get("next"), Stage.BLOCKED)
    storms = now.storms + (entry.get("outcome") != "limit")
    return replace(now, stage=stage, weather=entry.get("why"), storms=storms)


MOST_REVIEWERS = 2
"""So many reviewers may die over one thing; then a person judges it."""


def _reviewing(now: Standing, entry: LogEntry) -> Standing:
    asked = entry.get("asked")
    return replace(
        now,
        stage=Stage.REVIEWING,
        turn="review",
        turns=now.turns + 1,
        driver=entry.get("driver"),
        reviewed=entry.get("of"),
        asked=asked,
        reviewers_lost=now.reviewers_lost if asked == now.asked else 0,
        unanswered="",
        cut="",
    )


def _reviewed(now: Standing, entry: LogEntry) -> Standing:
    """A review turn is over: what was reviewed rests where it was, until a line after this one says otherwise."""
    now = replace(now, stage=Stage.VERIFIED if now.reviewed == "diff" else Stage.AT_GATE)
    if entry.get("until"):
        return replace(now, weather=entry.get("why"), storms=now.storms + 1)
    if entry.get("next"):
        # A limit ended it: it is due again, and nobody is to blame.
        return replace(now, weather=entry.get("why"))
    now = replace(now, weather="", storms=0)
    if entry.get("outcome") != "finished":
        lost = now.reviewers_lost + 1
        why = f"its reviewer died twice, the last time: {entry.get('why')}" if lost >= MOST_REVIEWERS else ""
        return replace(now, reviewers_lost=lost, unanswered=why)
    if entry.get("answer") == "void":
        # What it was about is another thing now, and will be asked about anew.
        return replace(now, asked="", reviewers_lost=0)
    return replace(now, unanswered=entry.get("why"))


def _escalate(now: Standing, entry: LogEntry) -> Standing:
    tiers = (*now.tiers, (entry.get("from"), now.cause))
    if entry.get("next") == "retry":
        return replace(now, stage=Stage.RETRY_DUE, tiers=tiers, verified_tree="", is_continued=False)
    return replace(
        now,
        stage=Stage.FRESH,
        tiers=tiers,
        verified_tree="",
        is_continued=False,
        sent_back=0,
        is_taken_over=False,
    )


def _decide(now: Standing, entry: LogEntry) -> Standing:
    if entry.get("to") == "retry":
        stage = _AFTER_FAILURE.get(entry.get("next"), Stage.RETRY_DUE)
        cause = "; ".join(part for part in (entry.get("was") or now.cause, f"diagnosis: {entry.get('why')}") if part)
        lost = now.is_continued or bool(entry.get("lost"))
        cause = "" if stage is Stage.FRESH else cause
        return replace(now, stage=stage, cause=cause, decided=None, verified_tree="", is_continued=lost)
    to = _status(entry.get("to"))
    if to is Status.PENDING:
        return replace(
            now,
            stage=Stage.FRESH,
            decided=None,
            cause="",
            is_continued=False,
            sent_back=0,
            is_taken_over=False,
            tiers=(),
        )
    if to in _PERSON_PARKS:
        keeps = entry.get("dependents") == "keep"
        return replace(now, stage=Stage.DECIDED, decided=to, cause=entry.get("why"), keeps_dependents=keeps)
    return now
