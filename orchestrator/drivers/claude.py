"""The claude driver: Claude Code, one process a turn, its session resumed for every further one.

    small: {driver: claude, model: haiku, turns: 40}

Plan turns and reviews run in its plan mode. Knows its command line and its variables.
"""

from __future__ import annotations

import json
import os

from orchestrator.drivers.agent import (
    START,
    agent_environment,
    invoked,
    is_guarded,
    judge,
    kept_in,
    may_write,
    option_faults,
    permissions,
    program,
    words,
)
from orchestrator.drivers.base import Traits, TurnOrder, TurnResult
from orchestrator.drivers.claude_events import Tokens, heard, teller, usage_of
from orchestrator.drivers.guard_hook import guard_hook
from orchestrator.formats.units import parse_amount
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended

_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR")
_FIXED = {
    "CLAUDE_CODE_MAX_RETRIES": "3",
    "API_TIMEOUT_MS": "600000",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "DISABLE_AUTOUPDATER": "1",
}
_GUARDED = "Write|Edit|MultiEdit|NotebookEdit|Bash"


@dataclass(frozen=True, slots=True)
class ClaudeDriver:
    name: str = "claude"
    traits: Traits = Traits(
        sessions="chosen",
        program="claude",
        install="npm install -g @anthropic-ai/claude-code@latest",
        teller=teller,
        tally=Tokens,
        has_probe=True,
        writes=("~/.claude", "~/.claude.json", "~/.claude.json.lock", "~/.cache/claude"),
        tells_tokens=True,
        tells_price=True,
        start=START,
        transcript=lambda order: f"{_home(order)}/projects/*/{order.session}.jsonl",
    )

    def problems(self, worker: Worker) -> tuple[str, ...]:
        faults = option_faults(worker, "allow", "budget", "guard")
        budget = str(worker.options.get("budget") or "0")
        try:
            parse_amount(budget)
        except ValueError:
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
        argv += _bound(order)
        argv += ["--settings", _settings(order), *_mode(order)]
        return invoked(order, (*argv, *words(order, "args")), agent_environment(order, _KEYS, _FIXED), self.traits)

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return judge(order, ended, heard(order, ended, Tokens(), usage_of))


def _home(order: TurnOrder) -> str:
    return kept_in(order, ".claude", moved_by="CLAUDE_CONFIG_DIR")


def _settings(order: TurnOrder) -> str:
    """Settings for this turn alone. On the command line, where no worker can change them."""
    settings: dict[str, object] = {"attribution": {"commit": "", "pr": ""}}
    if is_guarded(order):
        # Said here, for the user's own settings may switch all of them off.
        settings |= {"disableAllHooks": False, "hooks": {"PreToolUse": [_guard(order)]}}
    return json.dumps(settings)


def _guard(order: TurnOrder) -> dict[str, object]:
    # Its plan mode keeps a plan of its own there.
    hook = guard_hook(order, home=os.path.join(_home(order), "plans"))  # noqa: PTH118
    return {"matcher": _GUARDED, "hooks": [hook]}


def _bound(order: TurnOrder) -> list[str]:
    """The most that the turn may cost: what its settings say, or what the budget has left if that is less."""
    own = str(order.worker.options.get("budget") or "")
    if order.usd_left is None or (own and float(own) <= order.usd_left):
        return ["--max-budget-usd", own] if own else []
    return ["--max-budget-usd", f"{order.usd_left:.4f}"]


def _mode(order: TurnOrder) -> list[str]:
    if not may_write(order):
        return ["--permission-mode", "plan"]
    if permissions(order) == "all":
        return ["--permission-mode", "bypassPermissions"]
    allowed = words(order, "allow") or ("Bash",)
    return ["--permission-mode", "acceptEdits", f"--allowedTools={','.join(allowed)}"]


DRIVER = ClaudeDriver()
