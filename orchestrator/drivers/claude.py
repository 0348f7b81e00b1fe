"""The claude driver: Claude Code, one process a turn, its session resumed for every further one.

    small: {driver: claude, model: haiku, turns: 40}

Plan turns and reviews run in its plan mode. Knows its command line, its variables and the events of its stream.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from orchestrator.drivers.agent import (
    Heard,
    agent_environment,
    judge,
    may_write,
    option_faults,
    permissions,
    program,
    words,
)
from orchestrator.drivers.base import Outcome, Traits, TurnOrder, TurnResult
from orchestrator.drivers.guard import guard_command
from orchestrator.drivers.streams import Event, events, number, part, text, texts
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended, tail

_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR")
_FIXED = {
    "CLAUDE_CODE_MAX_RETRIES": "3",
    "API_TIMEOUT_MS": "600000",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "DISABLE_AUTOUPDATER": "1",
}
_GUARDED = "Write|Edit|MultiEdit|NotebookEdit|Bash"
_LIMITS = ("error_max_turns", "error_max_budget_usd")
_LOST = ("no conversation found", "is already in use")


@dataclass(frozen=True, slots=True)
class ClaudeDriver:
    name: str = "claude"
    traits: Traits = Traits(
        sessions="chosen", program="claude", install="npm install -g @anthropic-ai/claude-code@latest"
    )

    def problems(self, worker: Worker) -> tuple[str, ...]:
        faults = option_faults(worker, "allow", "budget")
        budget = str(worker.options.get("budget") or "0")
        if not budget.replace(".", "", 1).isdigit():
            faults += (f"`budget: {budget}` is no number: write dollars for one turn, such as `budget: 2.5`",)
        return faults

    def invocation(self, order: TurnOrder) -> Invocation:
        argv = [program(order, "claude"), "-p", "--output-format", "stream-json", "--verbose"]
        # Partial messages are the only sign of life during a long answer. Settings of the repository under work are
        # left out: they could switch off hooks.
        argv += ["--include-partial-messages", "--setting-sources", "user", "--strict-mcp-config"]
        if order.worker.model:
            argv += ["--model", order.worker.model]
        if order.session:
            argv += ["--resume" if order.is_resumed else "--session-id", order.session]
        if order.worker.turns:
            argv += ["--max-turns", str(order.worker.turns)]
        if order.worker.options.get("budget"):
            argv += ["--max-budget-usd", str(order.worker.options["budget"])]
        argv += ["--settings", _settings(order), *_mode(order)]
        return Invocation(
            argv=(*argv, *words(order, "args")),
            stdin=order.prompt,
            env=agent_environment(order, _KEYS, _FIXED),
            cwd=order.worktree,
            timeout=order.worker.timeout,
            silence=order.worker.stall,
            gentle=signal.SIGTERM,
            grace=5.0,
        )

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return judge(order, ended, _heard(order, ended))


def _settings(order: TurnOrder) -> str:
    """Settings for this turn alone. On the command line, where no worker can change them."""
    home = order.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(order.environ.get("HOME", ""), ".claude")  # noqa: PTH118
    command = guard_command(
        sys.executable,
        worktree=order.worktree,
        todo=order.todo_path,
        scope=order.scope,
        may_write=may_write(order),
        # Its plan mode keeps a plan of its own there.
        home=os.path.join(home, "plans"),  # noqa: PTH118
    )
    hook = {"matcher": _GUARDED, "hooks": [{"type": "command", "command": command, "timeout": 20}]}
    return json.dumps({"hooks": {"PreToolUse": [hook]}, "attribution": {"commit": "", "pr": ""}})


def _mode(order: TurnOrder) -> list[str]:
    if not may_write(order):
        return ["--permission-mode", "plan"]
    if permissions(order) == "all":
        return ["--permission-mode", "bypassPermissions"]
    allowed = words(order, "allow") or ("Bash",)
    return ["--permission-mode", "acceptEdits", f"--allowedTools={','.join(allowed)}"]


def _heard(order: TurnOrder, ended: Ended) -> Heard:
    last: Event = {}
    session = model = said = ""
    tokens = _Tokens()
    for event in events(Path(ended.stdout)):
        session = text(event, "session_id") or session
        match text(event, "type"):
            case "system" if text(event, "subtype") == "init":
                model = text(event, "model")
            case "assistant" if not event.get("parent_tool_use_id"):
                said = texts(event, "message", "content") or said
                tokens.add(part(event, "message"))
            case "stream_event":
                tokens.add_output(part(event, "event"))
            case "result":
                last = event
    used = _models(last)
    model = model if not used or any(model in name for name in used) else used[0]
    error, outcome = _error(last, ended)
    return Heard(
        is_done=text(last, "subtype") == "success" and not error,
        text=text(last, "result") or said,
        session="" if outcome == "no-session" else session,
        model=model,
        usage=_usage(order, last) if last else tokens.sums(),
        error=error,
        status=int(number(last, "api_error_status")),
        outcome=outcome,
    )


def _error(last: Event, ended: Ended) -> tuple[str, Outcome | None]:
    """The words of what went wrong, and the outcome where the stream itself names it."""
    told = last.get("errors")
    words = text(last, "result") or (" ".join(map(str, told)) if isinstance(told, list) else "")
    subtype = text(last, "subtype")
    if any(lost in f"{words}\n{tail(ended.stderr)}".casefold() for lost in _LOST) and subtype != "success":
        return words or "its session is gone", "no-session"
    if subtype in _LIMITS:
        return f"it used up its limit: {subtype.removeprefix('error_')}", "limit"
    if text(last, "terminal_reason").startswith("aborted"):
        return "it was interrupted", "killed"
    if last.get("is_error") or subtype not in ("", "success"):
        is_refused = text(last, "stop_reason") == "refusal"
        return words or subtype, "refused" if is_refused else None
    return "", None


def _models(last: Event) -> list[str]:
    """The models that did the work, that with the most output first."""
    used = part(last, "modelUsage")
    return sorted(used, key=lambda name: -number(used, name, "outputTokens"))


def _usage(order: TurnOrder, last: Event) -> dict[str, float]:
    """Tokens are counted by turn; the price in some versions over the whole session, in others by turn."""
    usage = part(last, "usage")
    read = sum(number(usage, f"{name}_input_tokens") for name in ("cache_creation", "cache_read"))
    found = {"in": number(usage, "input_tokens") + read, "out": number(usage, "output_tokens")}
    if "total_cost_usd" in last:
        models = part(last, "modelUsage")
        names = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        counted = sum(number(models, model, name) for model in models for name in names)
        earlier = order.spent.get("usd", 0.0)
        is_of_session = earlier and counted >= found["in"] + order.spent.get("in", 0.0)
        found["usd"] = max(0.0, number(last, "total_cost_usd") - (earlier if is_of_session else 0.0))
    return found


class _Tokens:
    """The tokens of a run that was cut off before its last line: what it cost isn't known."""

    def __init__(self) -> None:
        self._read: dict[str, float] = {}
        self._written = 0.0

    def add(self, message: Event) -> None:
        usage = part(message, "usage")
        names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        self._read[text(message, "id")] = sum(number(usage, name) for name in names)

    def add_output(self, event: Event) -> None:
        if text(event, "type") == "message_delta":
            self._written += number(event, "usage", "output_tokens")

    def sums(self) -> dict[str, float]:
        return {"in": sum(self._read.values()), "out": self._written} if self._read else {}


DRIVER = ClaudeDriver()
