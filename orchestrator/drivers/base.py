"""What every driver is: a name and pure functions from an order to a process, and from its end to a result.

Owns the vocabulary of the room. Knows no particular driver and starts nothing.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from typing import Literal, Protocol

from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass, field
from orchestrator.process.environment import MARKER, worker_environment
from orchestrator.process.invocation import Invocation
from orchestrator.process.plain_output import plain_output
from orchestrator.process.running import Ended, tail

Turn = Literal["plan", "execute", "retry", "takeover", "review"]
Outcome = Literal["finished", "failed", "never-ran", "quota", "limit", "killed"]

TEXT_LIMIT = 65536
"""Bytes of a worker's last output that count as its answer."""
_MESSAGE_LINES = 12
_MESSAGE_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """One turn of one worker. Paths are absolute; `todo_path` is the worker's copy in its worktree."""

    key: str
    title: str
    turn: Turn
    prompt: str
    prompt_path: str
    worktree: str
    todo_path: str
    repo: str
    marker: str
    worker: Worker
    environ: Mapping[str, str]
    """The environment of orch itself, of which the worker gets an allow-list."""
    session: str = ""
    model: str = ""
    attempt: int = 1
    """The running number of this task's turns, from 1, reviews counted apart. A turn that is started again keeps
    its number."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What a turn came to. `text` is the end of its output, `message` the reason where it isn't finished."""

    outcome: Outcome
    text: str = ""
    message: str = ""
    session: str = ""
    model: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)


class Driver(Protocol):
    """A kind of worker. All three are pure but for reading the output files that `ended` names."""

    @property
    def name(self) -> str: ...

    def problems(self, worker: Worker) -> tuple[str, ...]:
        """What is wrong with the worker's own keys, each a message with its remedy; none if it can be run."""
        ...

    def invocation(self, order: TurnOrder) -> Invocation:
        """The process that takes this turn. Only for workers without problems."""
        ...

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        """What the turn came to, from how its process ended and what it printed."""
        ...


def turn_environment(order: TurnOrder) -> dict[str, str]:
    """The environment of a worker: the allow-list, the names its settings pass on, and orch's words to it."""
    return {
        **worker_environment(order.environ, order.worker.env),
        MARKER: order.marker,
        "ORCH_TASK": order.key,
        "ORCH_TURN": order.turn,
        "ORCH_PROMPT": order.prompt_path,
        "ORCH_TODO": order.todo_path,
        "ORCH_WORKTREE": order.worktree,
    }


def plain_result(order: TurnOrder, ended: Ended) -> TurnResult:
    """The result of a program whose exit code is its word: 0 is finished, anything else failed."""
    outcome = _outcome(ended)
    text = tail(ended.stdout, TEXT_LIMIT)
    message = "" if outcome == "finished" else _message(ended, text)
    return TurnResult(outcome, text=text, message=message, session=order.session, model=order.model)


def _outcome(ended: Ended) -> Outcome:
    if ended.reason == "exit":
        return "finished" if ended.exit_code == 0 else "failed"
    if ended.reason in ("timeout", "silence"):
        return "limit"
    if ended.reason == "never-ran":
        return "never-ran"
    return "failed" if ended.reason == "output" else "killed"


def _message(ended: Ended, text: str) -> str:
    """How it ended, then its last words: of standard error if it said any there, else of its output."""
    words = last_lines(tail(ended.stderr, TEXT_LIMIT)) or last_lines(text)
    return f"{_headline(ended)}\n{words}" if words else _headline(ended)


def _headline(ended: Ended) -> str:
    if ended.message:
        return ended.message
    if ended.signal is not None:
        return f"ended by signal {ended.signal} ({_signal_name(ended.signal)})"
    return f"exit code {ended.exit_code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def last_lines(text: str) -> str:
    """The last lines that say something, without control characters, short enough to be read."""
    lines = [line.rstrip() for line in re.split(r"\r\n|\n|\r", text)]
    said = [line for line in (plain_output(line) for line in lines) if line.strip()]
    return "\n".join(said[-_MESSAGE_LINES:])[-_MESSAGE_CHARACTERS:]
