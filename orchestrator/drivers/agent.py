"""What drivers of agent programs share: their options, their environment, which turns may write, how a run adds up.

Owns nothing of a particular program. Starts nothing.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Mapping, Sequence

from orchestrator.drivers.base import (
    Outcome,
    Traits,
    TurnOrder,
    TurnResult,
    ending,
    key_faults,
    last_lines,
    plain_outcome,
    program_of,
    pulse,
    turn_environment,
)
from orchestrator.drivers.weather import classify
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass, field
from orchestrator.process.environment import worker_environment
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended, tail

READ_ONLY = ("plan", "review", "probe")
"""Turns in which a worker may only read."""
SHARED_OPTIONS = ("program", "args", "permissions")
PERMISSIONS = ("edits", "all")
START = 120.0
"""Seconds within which a program says its first word, where it says one before its model answers: a few on an idle
machine, half a minute on one with many of them."""


def may_write(order: TurnOrder) -> bool:
    """Whether the turn comes after approval."""
    return order.turn not in READ_ONLY


def permissions(order: TurnOrder, default: str = "edits") -> str:
    """`edits` or `all`: how much a worker may do once its plan is approved."""
    return str(order.worker.options.get("permissions") or default)


def is_guarded(order: TurnOrder) -> bool:
    """Whether the program is to be told what the guard refuses; not, where the settings say so."""
    return order.worker.guard is not False


def program(order: TurnOrder, default: str) -> str:
    """The program to start, as `program_of` finds it."""
    return program_of(order.worker, order.repo, default)


def words(order: TurnOrder, key: str) -> tuple[str, ...]:
    """An option that is a list of words; a single word counts as a list of it."""
    value = order.worker.options.get(key)
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(str(item) for item in value) if isinstance(value, (list, tuple)) else ()


def kept_in(order: TurnOrder, folder: str, *, moved_by: str = "") -> str:
    """A folder in which a program keeps things: `folder` below the home folder, or where a variable has moved it."""
    moved = order.environ.get(moved_by, "") if moved_by else ""
    return moved or os.path.join(order.environ.get("HOME", ""), folder)  # noqa: PTH118


def invoked(
    order: TurnOrder, argv: Sequence[str], env: Mapping[str, str], about: Traits, *, gentle: int = signal.SIGTERM
) -> Invocation:
    """The process of a turn: its prompt on standard input, in its worktree, with the limits of its worker and the signs
    of life that its driver knows.

    gentle: the signal at which the program ends of itself; it gets five seconds for that.
    """
    return Invocation(
        argv=tuple(argv),
        stdin=order.prompt,
        env=env,
        cwd=order.worktree,
        timeout=order.worker.timeout,
        silence=order.worker.stall,
        start=about.start if order.worker.start is None else order.worker.start,
        pulse=pulse(order.worker),
        transcript=about.transcript(order) if about.transcript else "",
        named=about.named,
        gentle=gentle,
        grace=5.0,
    )


def agent_environment(order: TurnOrder, keys: Iterable[str], fixed: Mapping[str, str]) -> dict[str, str]:
    """The environment of a worker, with the program's own keys where orch has them, and what is fixed for its runs.

    What the settings pass on by name wins over what is fixed, and that over what every worker gets.
    """
    named = {name for name in order.worker.env if name in order.environ}
    return {
        **worker_environment(order.environ, keys),
        **turn_environment(order),
        **{name: value for name, value in fixed.items() if name not in named},
    }


def option_faults(worker: Worker, *own: str) -> tuple[str, ...]:
    """What is wrong with the driver's keys in the settings. own: names of further ones it has."""
    known = (*SHARED_OPTIONS, *own)
    faults = [
        f"`{name}` is no key of the driver {worker.driver}: it has {', '.join(known)}"
        for name in worker.options
        if name not in known
    ]
    said = worker.options.get("permissions")
    if said and said not in PERMISSIONS:
        faults.append(f"`permissions: {said}` isn't known: write edits or all")
    if "guard" in own and worker.guard is None:
        faults.append(f"`guard: {worker.options['guard']}` isn't known: write on or off")
    args = worker.options.get("args")
    if args and not (isinstance(args, (list, tuple)) and all(isinstance(item, str) for item in args)):
        faults.append("`args` isn't a list of words: write `args: [--flag, value]`")
    faults += key_faults("args", map(str, args) if isinstance(args, (list, tuple)) else ())
    if not isinstance(worker.options.get("program", ""), str):
        faults.append("`program` isn't a path or a name: write `program: PATH`")
    return tuple(faults)


def turns_fault(worker: Worker, instead: str = "and bound a turn with `timeout: 20m`") -> tuple[str, ...]:
    """The fault of a limit of answers with a program that has none. instead: what to write besides."""
    return (f"`turns` can't be kept by {worker.driver}: take it out, {instead}",) if worker.turns else ()


@dataclass(frozen=True, slots=True)
class Heard:
    """What a program's stream said, in the words that all drivers share.

    is_done: it ended with the event that says success, and no error came after. is_partial: it broke off before it told
    its sums, and used at least what `usage` says. error: the last error's words. status: the HTTP status of that error,
    0 if it isn't known. outcome: what the stream itself calls its end, such as limit.
    """

    is_done: bool = False
    text: str = ""
    session: str = ""
    model: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)
    is_partial: bool = False
    error: str = ""
    status: int = 0
    outcome: Outcome | None = None


def complains(ended: Ended, words: Iterable[str]) -> bool:
    """Whether one of the words, in small letters, stands in what the program said last on standard error."""
    chatter = tail(ended.stderr).casefold()
    return any(one in chatter for one in words)


def judge(order: TurnOrder, ended: Ended, heard: Heard) -> TurnResult:
    """The result: finished only if the process ended well and the stream says so."""
    outcome = plain_outcome(ended)
    pause = 0.0
    if outcome == "finished" or (outcome == "failed" and ended.reason == "exit"):
        outcome, pause = _said(ended, heard)
    elif outcome == "limit" and heard.error:
        cause = classify(heard.error, heard.status, ended.ended)
        if cause[0] != "failed":
            # It was waiting for a service that doesn't answer, or for the account to be let in again.
            outcome, pause = cause
    return TurnResult(
        outcome,
        text=heard.text,
        message="" if outcome == "finished" else _message(ended, heard, outcome),
        session=heard.session or _session_left(order, ended, outcome),
        model=heard.model,
        usage=heard.usage,
        is_partial=heard.is_partial and bool(heard.usage),
        pause=pause,
    )


def _session_left(order: TurnOrder, ended: Ended, outcome: Outcome) -> str:
    """The session of a turn that ended before its program named one: that of the turns before, which such an end does
    nothing to. None where the program gave up by itself, which may have been because of that session."""
    gave_up = ended.reason == "exit" and ended.signal is None and outcome in ("failed", "no-answer")
    return order.session if order.is_resumed and not gave_up and outcome != "no-session" else ""


def _said(ended: Ended, heard: Heard) -> tuple[Outcome, float]:
    """What a program that left by itself came to."""
    if heard.outcome is not None:
        return heard.outcome, 0.0
    if ended.exit_code == 0 and heard.is_done:
        return "finished", 0.0
    if heard.error or heard.status:
        return classify(heard.error, heard.status, ended.ended)
    # What it says besides is chatter, and may hold any word.
    return ("no-answer" if ended.exit_code == 0 else "failed"), 0.0


def _message(ended: Ended, heard: Heard, outcome: Outcome) -> str:
    if heard.error and ended.reason == "exit":
        return last_lines(heard.error)
    if heard.error:
        words = (ending(ended, ""), last_lines(heard.error))
        # Of a wait for the account or the service, that it came to a limit besides says less.
        return "\n".join(reversed(words) if outcome in ("quota", "api-error") else words)
    if ended.reason == "exit" and ended.exit_code == 0:
        return "it ended without saying that it is done"
    return ending(ended, "")


def is_same_model(wanted: str, used: str) -> bool:
    """Whether the model that was used is the one that was asked for: the same name, an alias in it, or one dated."""
    wanted, used = wanted.rpartition("/")[2].casefold(), used.rpartition("/")[2].casefold()
    if not wanted or not used or wanted == used or used.startswith(f"{wanted}-"):
        return True
    # An alias such as `sonnet` names a family; a name with a version must be met as it stands.
    return wanted.isalpha() and wanted in used.split("-")
