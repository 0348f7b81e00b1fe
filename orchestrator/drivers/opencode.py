"""The opencode driver: opencode, one process a turn, the session that its first turn names resumed for each more.

    small: {driver: opencode, model: anthropic/claude-haiku-4-5}

Plan turns and reviews run as its agent `plan`, to which edits and the shell are denied, which it isn't by itself. Knows
its command line, its variables and the events of its stream. Prices are those of its own settings.
"""

from __future__ import annotations

import json
from pathlib import Path

from orchestrator.drivers.agent import (
    Heard,
    agent_environment,
    complains,
    invoked,
    judge,
    may_write,
    option_faults,
    permissions,
    program,
    turns_fault,
    words,
)
from orchestrator.drivers.base import Traits, TurnOrder, TurnResult
from orchestrator.drivers.streams import Event, events, first_line, number, part, text, tool_line
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended

CONFIG = "OPENCODE_CONFIG_CONTENT"
_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "OPENCODE_API_KEY")
_FIXED = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}
_LOST = ("session not found", "notfounderror", "no such session")
_ABOUT = ("filePath", "path", "command", "pattern", "query", "url")


@dataclass(frozen=True, slots=True)
class OpencodeDriver:
    name: str = "opencode"
    traits: Traits = Traits(
        sessions="named",
        program="opencode",
        install="npm install -g opencode-ai@latest",
        # The name by which it knows the project.
        git_files=("opencode",),
        teller=lambda: _told,
        tally=lambda: _Steps(),
        # Neither a limit for its first word, which it says only after its model's, nor a transcript: it keeps the
        # sessions of all that run at once in one database.
        tells_tokens=True,
        tells_price=True,
        has_probe=True,
        writes=("~/.cache/opencode", "~/.config/opencode", "~/.local/share/opencode", "~/.local/state/opencode"),
    )

    def problems(self, worker: Worker) -> tuple[str, ...]:
        return option_faults(worker) + turns_fault(worker)

    def invocation(self, order: TurnOrder) -> Invocation:
        argv = [program(order, "opencode"), "run", "--format", "json"]
        argv += ["--agent", "build" if may_write(order) else "plan"]
        if order.worker.model:
            argv += ["-m", order.worker.model]
        # Without a title it asks a model for one.
        argv += ["--session", order.session] if order.session else ["--title", order.key]
        env = agent_environment(order, _KEYS, _FIXED)
        # Each of its runs leaves megabytes in the temporary folder: they go with the turn's own.
        env |= {CONFIG: json.dumps(_config(order, env.get(CONFIG, ""))), "TMPDIR": order.folder}
        return invoked(order, (*argv, *words(order, "args")), env, self.traits)

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return judge(order, ended, _heard(order, ended))


def _config(order: TurnOrder, given: str) -> dict[str, object]:
    """The settings that the surroundings pass on, and over them what orch needs."""
    try:
        found = json.loads(given or "{}")
    except ValueError:
        found = {}
    config: dict[str, object] = found if isinstance(found, dict) else {}
    shell = "allow" if permissions(order, "all") == "all" else "deny"
    agents = config.get("agent")
    plan = {"permission": {"edit": "deny", "bash": "deny"}}
    return {
        **config,
        "autoupdate": False,
        "share": "disabled",
        "permission": {"edit": "allow", "bash": shell, "external_directory": "deny", "webfetch": "allow"},
        "agent": {**(agents if isinstance(agents, dict) else {}), "plan": plan},
    }


def _heard(order: TurnOrder, ended: Ended) -> Heard:
    session = said = error = reason = ""
    status = 0
    steps = _Steps()
    for event in events(Path(ended.stdout)):
        steps.hear(event)
        session = text(event, "sessionID") or session
        match text(event, "type"):
            case "text":
                said = text(event, "part", "text") or said
            case "step_finish":
                reason, error, status = text(event, "part", "reason"), "", 0
            case "error":
                error = text(event, "error", "data", "message") or text(event, "error", "name") or "an error"
                status = int(number(event, "error", "data", "statusCode"))
    is_lost = bool(order.session) and not session and complains(ended, _LOST)
    return Heard(
        # Where a tool was refused for good it ends after the step that asked for it, as if all were well.
        is_done=reason == "stop" and not error,
        text=said,
        session=session,
        usage=steps.sums(),
        # What the step used that was cut off isn't known.
        is_partial=reason != "stop",
        error=error,
        status=status,
        outcome="no-session" if is_lost else None,
    )


class _Steps:
    """Tokens and price of the steps that are over."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}

    def hear(self, event: Event) -> None:
        """Count one more event."""
        if text(event, "type") != "step_finish":
            return
        step = part(event, "part")
        cached = number(step, "tokens", "cache", "read")
        read = number(step, "tokens", "input") + cached + number(step, "tokens", "cache", "write")
        written = number(step, "tokens", "output") + number(step, "tokens", "reasoning")
        for name, count in (("in", read), ("cached", cached), ("out", written), ("usd", number(step, "cost"))):
            self._sums[name] = self._sums.get(name, 0.0) + count

    def sums(self) -> dict[str, float]:
        """What is known by now; empty before the first step is over."""
        return dict(self._sums)


def _told(event: Event) -> str:
    """What an event says to people."""
    item = part(event, "part")
    match text(event, "type"):
        case "text":
            return text(item, "text")
        case "tool_use":
            state = part(item, "state")
            failed = f"\n! {first_line(text(state, 'error'))}" if text(state, "status") == "error" else ""
            return tool_line(text(item, "tool"), part(state, "input"), _ABOUT) + failed
        case "error":
            return f"~ {first_line(text(event, 'error', 'data', 'message') or text(event, 'error', 'name'))}"
        case "step_finish" if text(item, "reason") == "stop":
            return "= done"
        case _:
            return ""


DRIVER = OpencodeDriver()
