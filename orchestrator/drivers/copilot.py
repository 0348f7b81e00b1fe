"""The copilot driver: GitHub Copilot CLI, one process a turn, its session resumed for every further one.

    small: {driver: copilot, model: gpt-5.4}

In plan turns and reviews nothing is allowed that writes or runs a command. Knows its command line, its variables and
the events of its stream. It names neither tokens nor a price.
"""

from __future__ import annotations

from pathlib import Path

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
    turns_fault,
    words,
)
from orchestrator.drivers.base import Traits, TurnOrder, TurnResult
from orchestrator.drivers.streams import Event, event_in, events, first_line, number, part, text, tool_line
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended

_KEYS = ("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY")
_LOST = ("no session, task, or name matched", "already in use", "already exists")
_ABOUT = ("path", "command", "pattern", "query", "url")


@dataclass(frozen=True, slots=True)
class CopilotDriver:
    name: str = "copilot"
    traits: Traits = Traits(
        sessions="chosen",
        program="copilot",
        install="npm install -g @github/copilot@latest",
        teller=lambda: _told,
        has_probe=True,
        writes=("~/.copilot", "~/.cache/copilot"),
        start=START,
        transcript=lambda order: f"{kept_in(order, '.copilot')}/session-state/{order.session}/events.jsonl",
    )

    def problems(self, worker: Worker) -> tuple[str, ...]:
        return option_faults(worker) + turns_fault(worker)

    def invocation(self, order: TurnOrder) -> Invocation:
        argv = [program(order, "copilot"), "--output-format", "json", "--no-color", "--no-auto-update"]
        argv.append("--disable-builtin-mcps")
        if order.worker.model:
            argv += ["--model", order.worker.model]
        if order.session:
            # With an equals sign: its value is optional.
            argv += [f"--resume={order.session}"] if order.is_resumed else ["--session-id", order.session]
        if may_write(order):
            # Edits alone would leave a worker no shell to run its tests in.
            argv.append("--allow-tool=write" if permissions(order, "all") == "edits" else "--allow-all-tools")
        return invoked(order, (*argv, *words(order, "args")), agent_environment(order, _KEYS, {}), self.traits)

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return judge(order, ended, _heard(order, ended))


def _heard(order: TurnOrder, ended: Ended) -> Heard:
    said = model = error = ""
    status = 0
    last: Event = {}
    has_begun = False
    for event in events(Path(ended.stdout)):
        has_begun = True
        match text(event, "type"):
            case "assistant.message":
                said = text(event, "data", "content") or said
                model = text(event, "data", "model") or model
                error, status = "", 0
            case "model.call_failure":
                # It tries again, some errors for minutes.
                told = text(event, "data", "errorMessage")
                error = text(event_in(told.encode()), "message") or told or "an error without words"
                status = int(number(event, "data", "statusCode"))
            case "session.error":
                error = text(event, "data", "message") or "an error without words"
                status = int(number(event, "data", "statusCode")) or status
            case "result":
                last = event
    is_lost = not has_begun and complains(ended, _LOST)
    return Heard(
        is_done=bool(last) and number(last, "exitCode") == 0 and not error,
        text=said,
        session="" if is_lost or not has_begun else text(last, "sessionId") or order.session,
        model=model,
        error=error,
        status=status,
        outcome="no-session" if is_lost else None,
    )


def _told(event: Event) -> str:
    """What an event says to people."""
    data = part(event, "data")
    match text(event, "type"):
        case "assistant.message":
            return text(data, "content")
        case "tool.execution_start":
            return tool_line(text(data, "toolName"), part(data, "arguments"), _ABOUT)
        case "tool.execution_complete" if data.get("success") is False:
            return f"! {first_line(text(data, 'error', 'message') or text(data, 'result', 'content'))}"
        case "assistant.turn_retry":
            return f"~ {text(data, 'reason')}: it tries again"
        case "session.error":
            return f"~ {first_line(text(data, 'message'))}"
        case "result":
            return f"= exit code {number(event, 'exitCode'):.0f}"
        case _:
            return ""


DRIVER = CopilotDriver()
