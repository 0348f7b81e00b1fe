"""What every driver is: a name and pure functions from an order to a process, and from its end to a result.

Owns the vocabulary of the room. Knows no particular driver and starts nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Literal, Protocol

from orchestrator.masking import holds_key
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass, field
from orchestrator.patterns import regex
from orchestrator.process.environment import MARKER, own_names, worker_environment
from orchestrator.process.invocation import Invocation
from orchestrator.process.looking import by_signal
from orchestrator.process.plain_output import plain_output
from orchestrator.process.running import Ended, tail

Turn = Literal["plan", "execute", "retry", "takeover", "review", "probe"]
"""probe: no work on a task, but a small question, to see whether the service answers."""
Outcome = Literal[
    "finished", "failed", "never-ran", "refused", "quota", "api-error", "limit", "killed", "no-answer", "no-session"
]
"""refused: the model declined. quota: the account can't be used now (quota, rate, billing, log-in). api-error: the
service failed in a way that may pass by itself. no-answer: it ended well and never said that it was done. no-session:
the session that the turn was to go on with isn't there any more."""

Sessions = Literal["none", "chosen", "named"]
"""Whether a kind of worker remembers its earlier turns. none: each turn begins anew. chosen: by an id that is given to
its first turn. named: by an id that it says itself in its output."""

TEXT_LIMIT = 65536
"""Bytes of a worker's last output that count as its answer."""
LIMITS = {"timeout": "timeout", "start": "start", "silence": "stall"}
"""By the reason of an end: the worker's setting that brought it about."""
_PULSE = 10.0
"""Seconds of silence after which other signs of life are looked for, and between two looks: what the processes of a
worker use in that time says whether they compute."""
_EXIT_CODE = regex(r"exit code \d+")
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
    """The session to begin or to go on with; empty where the worker has none, or names its own."""
    is_resumed: bool = False
    """Whether the session holds earlier turns of this task."""
    spent: Mapping[str, float] = field(default_factory=dict)
    """What the session's earlier turns used, as their results said: for counters that run on from turn to turn."""
    scope: tuple[str, ...] = ()
    """Patterns of the files that the task may change, create and delete, from the worktree's top; scratch too."""
    model: str = ""
    usd_left: float | None = None
    """What the turn may cost at most by the budget, in dollars; None without such a limit."""
    attempt: int = 1
    """The running number of this task's turns, from 1, reviews counted apart. A turn that is started again keeps
    its number."""

    @property
    def folder(self) -> str:
        """The turn's own folder outside the worktree, in which the prompt lies and the invocation's files are laid."""
        return os.path.dirname(self.prompt_path)  # noqa: PTH120


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What a turn came to. `text` is what it said last, `message` the reason where it isn't finished."""

    outcome: Outcome
    text: str = ""
    message: str = ""
    session: str = ""
    """The session that a later turn can go on with; empty if there is none."""
    model: str = ""
    """The model that the service names; empty where it names none."""
    usage: Mapping[str, float] = field(default_factory=dict)
    """What this turn alone used: `in` and `out` in tokens, of those in the `cached` ones, `usd`. What isn't known isn't
    there."""
    is_partial: bool = False
    """The turn was cut off before it told its sums: it used at least that."""
    pause: float = 0.0
    """Seconds after which the account can be used again, where the service says so; for quota and api-error."""


Teller = Callable[[Mapping[str, object]], str]


class Tally(Protocol):
    """Counts what a turn has used, event by event in their order."""

    def hear(self, event: Mapping[str, object]) -> None:
        """Count one more event."""
        ...

    def sums(self) -> dict[str, float]:
        """What is known by now: as the usage of a result; empty as long as nothing is."""
        ...


@dataclass(frozen=True, slots=True)
class Traits:
    """What orch has to know of a kind of worker before it starts one."""

    sessions: Sessions = "none"
    program: str = ""
    """The program that has to be on PATH, unless the worker's settings name it."""
    install: str = ""
    """A command line that gets it."""
    git_files: tuple[str, ...] = ()
    """Files that the program keeps for itself in the git directory of the folder it works in: they are no finding."""
    teller: Callable[[], Teller] | None = None
    """Makes what turns the events of one stream, in their order, into lines for people: the text that an event says,
    empty for most. Without it what was printed is shown as it is."""
    tally: Callable[[], Tally] | None = None
    """Makes what counts what a turn at work has used so far. Without it that is known at the end only, and no limit is
    kept while the turn lasts."""
    tells_tokens: bool = False
    """Whether its turns say how many tokens they used."""
    has_probe: bool = False
    """Whether a turn `probe` asks its service, read-only and at next to no cost: before turns are started again that it
    failed."""
    tells_price: bool = False
    """Whether its turns say what they cost in money."""
    start: float = 0.0
    """Seconds within which its program says a first word, whatever its model does; 0 where it says none by then."""
    transcript: Callable[[TurnOrder], str] | None = None
    """The file in which its program keeps the session of a turn, and to which it writes while it works, in the form of
    an invocation's `transcript`."""
    named: str = ""
    """The key of its first event that names the session, where the program chooses it."""
    writes: tuple[str, ...] = ()
    """Files and folders of its own that its program has to write to; `~/` is the home folder."""
    confines_itself: bool = False
    """Whether it holds its tools in a sandbox of its own, which doesn't work within another, unless `permissions: all`
    is set for the worker."""


class Driver(Protocol):
    """A kind of worker. All three are pure but for reading the output files that `ended` names.

    It may have `traits`, a Traits; without them it is a worker without sessions and without a program of its own.
    """

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


def key_faults(name: str, argv: Iterable[str]) -> tuple[str, ...]:
    """What is wrong with words that go into a command line: a key among them would be seen by everybody."""
    if not any(holds_key(word) for word in argv):
        return ()
    return (f"`{name}` holds what looks like a key, which `ps` would show to everybody: pass it by `env: [NAME]`",)


def worker_faults(driver: Driver, worker: Worker) -> tuple[str, ...]:
    """What is wrong with a worker's settings, each a message with its remedy: with its driver's keys, and with a price
    that nothing can be worked out from."""
    faults = driver.problems(worker)
    if worker.price is not None and not traits_of(driver).tells_tokens:
        faults += (f"`price` can't be used with {worker.driver}, whose turns tell no tokens: take it out",)
    return faults


def traits_of(driver: Driver) -> Traits:
    """The driver's traits, or the plainest ones where it says none."""
    found = getattr(driver, "traits", None)
    return found if isinstance(found, Traits) else Traits()


def program_of(worker: Worker, root: str, usual: str) -> str:
    """The program to start: what the settings name, a path from the top of the repository, else the usual one."""
    named = str(worker.options.get("program") or "")
    return str(Path(root, named)) if os.sep in named else named or usual


def turn_environment(order: TurnOrder) -> dict[str, str]:
    """The environment of a worker: the allow-list, the names its settings pass on, and orch's words to it."""
    passed = worker_environment(order.environ, order.worker.env)
    if "PWD" in passed:
        # orch's own folder is the main checkout: a program that believes this variable would work there.
        passed["PWD"] = order.worktree
    return {
        **passed,
        **own_names(order.repo, order.key),
        MARKER: order.marker,
        "ORCH_TASK": order.key,
        "ORCH_TURN": order.turn,
        "ORCH_PROMPT": order.prompt_path,
        "ORCH_TODO": order.todo_path,
        "ORCH_WORKTREE": order.worktree,
    }


def pulse(worker: Worker) -> float:
    """Seconds between two looks for signs of life besides output: often enough for what its limits are."""
    return min([_PULSE, *(limit / 4 for limit in (worker.stall, worker.start) if limit)])


def plain_result(order: TurnOrder, ended: Ended) -> TurnResult:
    """The result of a program whose exit code is its word: 0 is finished, anything else failed."""
    outcome = plain_outcome(ended)
    text = tail(ended.stdout, TEXT_LIMIT)
    message = "" if outcome == "finished" else ending(ended, text)
    return TurnResult(outcome, text=text, message=message, session=order.session, model=order.model)


def plain_outcome(ended: Ended) -> Outcome:
    """What the end of the process alone says."""
    if ended.reason == "exit":
        return "finished" if ended.exit_code == 0 else "failed"
    if ended.reason in LIMITS:
        return "limit"
    if ended.reason == "never-ran":
        return "never-ran"
    return "failed" if ended.reason == "output" else "killed"


def ending(ended: Ended, text: str) -> str:
    """How it ended, then its last words: of standard error if it said any there, else of its output."""
    words = last_lines(tail(ended.stderr, TEXT_LIMIT)) or last_lines(text)
    return f"{_headline(ended)}\n{words}" if words else _headline(ended)


def reason_in(message: str) -> str:
    """The line of a result's message that tells most: the first, or what was said last where that is an exit code."""
    first, *more = message.strip().split("\n")
    return first if not _EXIT_CODE.fullmatch(first) else more[-1] if more else ""


def _headline(ended: Ended) -> str:
    if ended.message:
        return f"{ended.message} (`{LIMITS[ended.reason]}`)" if ended.reason in LIMITS else ended.message
    if ended.signal is not None:
        return by_signal(ended.signal)
    return f"exit code {ended.exit_code}"


def last_lines(text: str) -> str:
    """The last lines that say something, without control characters, short enough to be read."""
    lines = [line.rstrip() for line in re.split(r"\r\n|\n|\r", text)]
    said = [line for line in (plain_output(line) for line in lines) if line.strip()]
    return "\n".join(said[-_MESSAGE_LINES:])[-_MESSAGE_CHARACTERS:]
