"""What orch may do next and why not: the values that next_actions returns."""

from __future__ import annotations

from enum import StrEnum

from orchestrator.model.ids import TaskKey
from orchestrator.model.settings import Bounds
from orchestrator.model.status import Status
from orchestrator.nouns import dataclass, field


class Verb(StrEnum):
    CLOSE = "close"
    """Write the closing log line of a board write that was made."""
    REPAIR = "repair"
    """Write the status that orch had opened and never wrote."""
    FOLLOW = "follow"
    """A person changed the cell: do what it says."""
    ASK_AGAIN = "ask-again"
    """An approval in the cell may be a worker's own: write the gate back and ask a person."""
    RECORD = "record"
    """A landing stands in git and not in the log: write it down."""
    COLLECT = "collect"
    """A turn has ended: take its result in."""
    CUT = "cut"
    """A turn at work has used what the budget leaves it: end it."""
    SALVAGE = "salvage"
    """A worker is gone without an exit code: keep its work and count a death."""
    RESPAWN = "respawn"
    """A turn was announced and never spawned: spawn it."""
    APPROVE = "approve"
    REVIEW = "review"
    """Give it to the reviewer."""
    REOPEN = "reopen"
    """The micro-plan was changed after its approval: back to the gate."""
    SETTLE = "settle"
    """Its questions in STATE and in its micro-plan say different things: bring them together."""
    REPLAN = "replan"
    """The spec changed since the micro-plan was made."""
    LAND = "land"
    REVERT = "revert"
    """Its landing is written down as taken back: make the revert."""
    PROBE = "probe"
    """The account of its worker is in doubt: ask it a small question before the next turn."""
    ANSWER = "answer"
    """The question to an account is over: take the answer in."""
    VERIFY = "verify"
    PLAN = "plan"
    EXECUTE = "execute"
    RETRY = "retry"
    SUITES = "suites"
    """Every task of the wave has ended: run the full suites and close it."""

    @property
    def words(self) -> str:
        """What the next call will do, in words that follow `orch will`."""
        return _WORDS.get(self, str(self))

    @property
    def starts_turn(self) -> bool:
        return self in (Verb.PLAN, Verb.EXECUTE, Verb.RETRY, Verb.REVIEW)


_WORDS = {
    Verb.CLOSE: "close its board write",
    Verb.REPAIR: "repair its cell",
    Verb.FOLLOW: "do what its cell says",
    Verb.ASK_AGAIN: "ask for its approval again",
    Verb.RECORD: "record its landing",
    Verb.COLLECT: "take its turn in",
    Verb.CUT: "end its turn",
    Verb.SALVAGE: "keep what its worker left",
    Verb.RESPAWN: "start its turn",
    Verb.APPROVE: "approve its plan",
    Verb.REVIEW: "ask its reviewer",
    Verb.REOPEN: "put its plan back to the gate",
    Verb.SETTLE: "bring its questions up to date",
    Verb.REPLAN: "ask for a new plan",
    Verb.LAND: "land it",
    Verb.REVERT: "take its landing back",
    Verb.PROBE: "ask its worker's service whether it works",
    Verb.ANSWER: "take in what its worker's service answered",
    Verb.VERIFY: "verify its work",
    Verb.PLAN: "start its plan turn",
    Verb.EXECUTE: "start its work",
    Verb.RETRY: "start its retry",
    Verb.SUITES: "run the suites",
}


class Why(StrEnum):
    """Why a task isn't acted on. `remedy` of the wait says what a person can do."""

    ENDED = "ended"
    WORKING = "working"
    HOSTED = "hosted"
    """Its turn was handed out to a worker of whoever runs orch."""
    TESTING = "testing"
    SLOT = "slot"
    WAVE = "wave"
    GATE = "gate"
    DIFF = "diff"
    """Its verified change waits for a judgement before it lands."""
    QUESTION = "question"
    NEEDS_INPUT = "needs-input"
    BLOCKED = "blocked"
    HELD = "held"
    """A task it depends on is blocked, skipped or on hold."""
    RED = "red"
    CELL = "cell"
    """The board cell is a word or a wish that orch doesn't follow."""
    FILE = "file"
    """The row or the todo file holds an error."""
    CHECKOUT = "checkout"
    """Local files collide with the landing."""
    TROUBLE = "trouble"
    """A step of orch's own failed for this task in this call; the next call tries again."""
    STOP = "stop"
    PAUSED = "paused"
    """The account of its worker can't be used until a time that is known."""
    PROBING = "probing"
    """Its worker's service is being asked whether it works."""
    BUDGET = "budget"
    """A limit of `budget:` is reached: no further turn is started for it."""
    UNTIL = "until"
    NOT_ASKED = "not-asked"

    @property
    def needs_person(self) -> bool:
        return self in _PERSON


_PERSON = (Why.HOSTED, Why.GATE, Why.DIFF, Why.QUESTION, Why.NEEDS_INPUT, Why.CELL, Why.FILE, Why.CHECKOUT, Why.STOP)


@dataclass(frozen=True, slots=True)
class Action:
    verb: Verb
    reason: str
    key: TaskKey | None = None
    wave: int | None = None
    status: Status | None = None
    most: Bounds = field(default_factory=Bounds)
    """What the turn that it starts may use by the budget."""


@dataclass(frozen=True, slots=True)
class Wait:
    key: TaskKey
    why: Why
    reason: str
    remedy: str = ""
    until: str = ""
    """When it is over by itself, for a paused account."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One look at everything. Every task of the orchestration is in exactly one of actions and waits."""

    wave: int | None
    """The wave that is being worked on; None when there is none to work on."""
    actions: tuple[Action, ...] = ()
    waits: tuple[Wait, ...] = ()
    is_finished: bool = False
    """Every wave is done."""
    red: tuple[int, ...] = field(default=())
    stuck: tuple[int, ...] = field(default=())
    """Waves whose tasks have all ended, some of them blocked."""
    stop: str = ""
    """Why nothing is begun any more, neither turns nor suites, until the stop is taken out of STATE."""

    def waits_for(self, why: Why) -> tuple[Wait, ...]:
        return tuple(wait for wait in self.waits if wait.why is why)
