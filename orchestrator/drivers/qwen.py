"""The qwen driver: Qwen Code, one process a turn, its session resumed for every further one.

    small: {driver: qwen, model: qwen3-coder, args: [--auth-type, openai]}

Plan turns and reviews run in its plan mode. Its events are in the form of Claude Code's, but for errors, which it ends
with as if all were well. Knows its command line, its variables and exit codes. It names no price.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.drivers.agent import (
    START,
    Heard,
    agent_environment,
    complains,
    invoked,
    judge,
    kept_in,
    may_write,
    option_faults,
    permissions,
    program,
    words,
)
from orchestrator.drivers.base import Traits, TurnOrder, TurnResult
from orchestrator.drivers.claude_events import heard, teller
from orchestrator.drivers.streams import Event, number, part, text
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass, replace
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended

_KEYS = ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "QWEN_API_KEY", "GEMINI_API_KEY")
_FIXED = {"TERM": "xterm-256color"}
_TURNS_USED_UP = 53
_LOST = ("no saved session found", "already in use", "already exists")
_ERROR = "[API Error:"
"""It ends with that and the error's words, after what it had said before."""


@dataclass(frozen=True, slots=True)
class QwenDriver:
    name: str = "qwen"
    traits: Traits = Traits(
        sessions="chosen",
        program="qwen",
        install="npm install -g @qwen-code/qwen-code@latest",
        teller=teller,
        tally=lambda: _Tokens(),
        tells_tokens=True,
        has_probe=True,
        writes=("~/.qwen",),
        start=START,
        transcript=lambda order: f"{kept_in(order, '.qwen')}/projects/*/chats/{order.session}.jsonl",
    )

    def problems(self, worker: Worker) -> tuple[str, ...]:
        return option_faults(worker)

    def invocation(self, order: TurnOrder) -> Invocation:
        argv = [program(order, "qwen"), "-o", "stream-json", "--include-partial-messages"]
        if order.worker.model:
            argv += ["-m", order.worker.model]
        if order.session:
            argv += ["--resume" if order.is_resumed else "--session-id", order.session]
        if order.worker.turns:
            argv += ["--max-session-turns", str(order.worker.turns)]
        # Its mode for edits has no shell, in which a worker would run its tests.
        mode = "plan" if not may_write(order) else "auto-edit" if permissions(order, "all") == "edits" else "yolo"
        return invoked(
            order,
            (*argv, "--approval-mode", mode, *words(order, "args")),
            agent_environment(order, _KEYS, _FIXED),
            self.traits,
        )

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return judge(order, ended, _heard(order, ended))


def _heard(order: TurnOrder, ended: Ended) -> Heard:
    found = heard(order, ended, _Tokens(), _usage)
    said, error, failed = found.text.rpartition(_ERROR)
    if error and failed.rstrip().endswith("]"):
        found = replace(found, is_done=False, text=said, error=f"{error}{failed}".strip("[]\n "))
    if ended.reason == "exit" and ended.exit_code == _TURNS_USED_UP:
        return replace(found, outcome="limit", error=found.error or "it used up its limit: max_session_turns")
    if ended.exit_code and not found.session and complains(ended, _LOST):
        return replace(found, outcome="no-session", session="")
    return found


def _usage(order: TurnOrder, last: Event, _: Mapping[str, float]) -> dict[str, float]:
    """Its last event counts over the whole session, each of its messages what that alone used."""
    return {name: max(0.0, count - order.spent.get(name, 0.0)) for name, count in _counted(last).items()}


def _counted(told: Event) -> dict[str, float]:
    """The tokens of a message or of a session: what came from a cache is among those in."""
    usage = part(told, "usage")
    names = {"in": "input_tokens", "cached": "cache_read_input_tokens", "out": "output_tokens"}
    return {name: number(usage, said) for name, said in names.items()}


class _Tokens:
    """The tokens of a turn that is at work, or was cut off before its last event."""

    def __init__(self) -> None:
        self._by_message: dict[str, dict[str, float]] = {}

    def hear(self, event: Event) -> None:
        """Count one more event."""
        if text(event, "type") == "assistant":
            message = part(event, "message")
            self._by_message[text(message, "id")] = _counted(message)

    def sums(self) -> dict[str, float]:
        """What is known by now; empty before the first message."""
        told = self._by_message.values()
        return {name: sum(one[name] for one in told) for name in ("in", "cached", "out")} if told else {}


DRIVER = QwenDriver()
