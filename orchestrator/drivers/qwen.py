"""The qwen driver: Qwen Code, one process a turn, its session resumed for every further one.

    small: {driver: qwen, model: qwen3-coder, args: [--auth-type, openai]}

Plan turns and reviews run in its plan mode. Its events are in the form of Claude Code's, but for errors, which it ends
with as if all were well. Knows its command line, its variables and exit codes. It names no price.
"""

from __future__ import annotations

from orchestrator.drivers.agent import (
    START,
    Heard,
    agent_environment,
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
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass, replace
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended, tail

_KEYS = ("OPENAI_API_KEY", "DASHSCOPE_API_KEY", "QWEN_API_KEY", "GEMINI_API_KEY")
_FIXED = {"TERM": "xterm-256color"}
_TURNS_USED_UP = 53
_LOST = ("no saved session found", "already in use", "already exists")
_ERROR = "[API Error:"


@dataclass(frozen=True, slots=True)
class QwenDriver:
    name: str = "qwen"
    traits: Traits = Traits(
        sessions="chosen",
        program="qwen",
        install="npm install -g @qwen-code/qwen-code@latest",
        teller=teller,
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
    found = heard(order, ended)
    # It counts over the whole session; the price would be another matter, but it names none.
    usage = {name: max(0.0, count - order.spent.get(name, 0.0)) for name, count in found.usage.items()}
    found = replace(found, usage=usage)
    if found.text.startswith(_ERROR):
        found = replace(found, is_done=False, error=found.text.strip("[]"))
    if ended.reason == "exit" and ended.exit_code == _TURNS_USED_UP:
        return replace(found, outcome="limit", error=found.error or "it used up its limit: max_session_turns")
    if ended.exit_code and not found.session and any(lost in tail(ended.stderr).casefold() for lost in _LOST):
        return replace(found, outcome="no-session", session="")
    return found


DRIVER = QwenDriver()
