"""The codex driver: Codex, one process a turn, the thread that its first turn names resumed for every further one.

    frontier: {driver: codex, model: gpt-5.5}

Plan turns and reviews run in its read-only sandbox, work in one that writes the worktree alone. Knows its command
line, its variables and the events of its stream. It names no price and no model, and counts tokens over the thread.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

from orchestrator.digests import sha256
from orchestrator.drivers.agent import (
    START,
    Heard,
    agent_environment,
    complains,
    invoked,
    is_guarded,
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
from orchestrator.drivers.guard_hook import guard_hook
from orchestrator.drivers.streams import Event, event_in, events, first_line, number, part, parts, text
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended

_KEYS = ("CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY")
_FIXED = ("-c", "analytics.enabled=false", "--disable", "plugins", "--disable", "remote_plugin")
_GUARDED = "Bash|apply_patch"
# Its name for the first hook of its command line.
_GUARD = "/<session-flags>/config.toml:pre_tool_use:0:0"
_LOST = ("no rollout found", "no recorded session", "session not found", "thread not found", "unknown session")


@dataclass(frozen=True, slots=True)
class CodexDriver:
    name: str = "codex"
    traits: Traits = Traits(
        sessions="named",
        program="codex",
        install="npm install -g @openai/codex@latest",
        teller=lambda: _told,
        has_probe=True,
        writes=("~/.codex",),
        tells_tokens=True,
        confines_itself=True,
        start=START,
        transcript=lambda order: _transcript(order),
        named="thread_id",
    )

    def problems(self, worker: Worker) -> tuple[str, ...]:
        return option_faults(worker, "network", "guard") + turns_fault(worker)

    def invocation(self, order: TurnOrder) -> Invocation:
        argv = [_native(program(order, "codex"), order.environ.get("PATH")), "exec"]
        argv += ["resume", "--json"] if order.session else ["--json"]
        argv += [*_FIXED, "-c", f"sandbox_mode={json.dumps(_sandbox(order))}"]
        # Its tools need no key; what orch itself sets aside they need all the more.
        argv += ["-c", f"shell_environment_policy.exclude={json.dumps([*_KEYS[1:], *order.worker.env])}"]
        if str(order.worker.options.get("network", "")).casefold() in ("true", "yes", "on"):
            argv += ["-c", "sandbox_workspace_write.network_access=true"]
        if is_guarded(order):
            argv += _guard(order)
        if order.worker.model:
            argv += ["-m", order.worker.model]
        argv += words(order, "args")
        # The only signal at which it ends its tools too.
        return invoked(
            order,
            (*argv, *((order.session,) if order.session else ()), "-"),
            agent_environment(order, _KEYS, {}),
            self.traits,
            gentle=signal.SIGINT,
        )

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return judge(order, ended, _heard(order, ended))


def _transcript(order: TurnOrder) -> str:
    folder = kept_in(order, ".codex", moved_by="CODEX_HOME")
    return f"{folder}/sessions/*/*/*/*-{order.session or '{session}'}.jsonl"


def _sandbox(order: TurnOrder) -> str:
    if not may_write(order):
        return "read-only"
    return "danger-full-access" if permissions(order) == "all" else "workspace-write"


def _guard(order: TurnOrder) -> list[str]:
    """The guard as a hook on the command line, where no worker can change it and no settings switch it off.

    It runs only a hook that is known by the digest of what it is. Its flag that leaves that out would let those of the
    repository run too. What a program without hooks doesn't know of all this it passes over.
    """
    hook = guard_hook(order)
    identity = {"event_name": "pre_tool_use", "matcher": _GUARDED, "hooks": [{**hook, "async": False}]}
    written = json.dumps(identity, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    digest = sha256(written.encode("utf-8", "surrogateescape")).hexdigest()
    state = f'{{{json.dumps(_GUARD)}={{enabled=true,trusted_hash="sha256:{digest}"}}}}'
    as_toml = ",".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in hook.items())
    group = f'{{matcher="{_GUARDED}",hooks=[{{{as_toml}}}]}}'
    values = ("features.hooks=true", f"hooks.PreToolUse=[{group}]", f"hooks.state={state}")
    return [word for value in values for word in ("-c", value)]


def _native(name: str, path: str | None) -> str:
    """The program itself behind the launcher that npm installs: signals to the launcher don't reach it."""
    found = shutil.which(name, path=path)
    if found is None:
        return name
    scope = Path(os.path.realpath(found)).parents[2]
    for folder in (scope, scope / "codex" / "node_modules" / "@openai"):
        for native in sorted(folder.glob("codex-*/vendor/*/bin/codex")):
            if os.access(native, os.X_OK):
                return str(native)
    return name


def _heard(order: TurnOrder, ended: Ended) -> Heard:
    session = said = error = ""
    done: Event = {}
    for event in events(Path(ended.stdout)):
        match text(event, "type"):
            case "thread.started":
                session = text(event, "thread_id")
            case "item.started" | "item.completed" if text(event, "item", "type") != "error":
                error = ""
                if text(event, "item", "type") == "agent_message":
                    said = text(event, "item", "text") or said
            case "error":
                # Also said before each new try: only one that nothing new follows counts.
                error = _words(text(event, "message"))
            case "turn.failed":
                error = _words(text(event, "error", "message")) or "the turn failed"
            case "turn.completed":
                done, error = event, ""
    is_lost = bool(order.session) and not session and complains(ended, _LOST)
    return Heard(
        is_done=bool(done),
        text=said,
        session=session,
        usage=_usage(order, done),
        error=error,
        outcome="no-session" if is_lost else None,
    )


def _words(message: str) -> str:
    """What an error says, which it passes on in the service's own JSON where it doesn't know it."""
    return text(event_in(message.encode()), "error", "message") or message


def _usage(order: TurnOrder, done: Event) -> dict[str, float]:
    usage = part(done, "usage")
    names = {"in": "input_tokens", "cached": "cached_input_tokens", "out": "output_tokens"}
    counted = {name: number(usage, said) for name, said in names.items()}
    return {name: max(0.0, count - order.spent.get(name, 0.0)) for name, count in counted.items()} if usage else {}


def _told(event: Event) -> str:
    """What an event says to people."""
    item = part(event, "item")
    match text(event, "type"), text(item, "type"):
        case "item.completed", "agent_message":
            return text(item, "text")
        case "item.started", "command_execution":
            return f"> {first_line(text(item, 'command'))}"
        case "item.completed", "command_execution" if number(item, "exit_code"):
            return f"! exit code {number(item, 'exit_code'):.0f}"
        case "item.completed", "file_change":
            return "\n".join(f"> {text(one, 'kind')} {text(one, 'path')}" for one in parts(item, "changes"))
        case "error", _:
            return f"~ {first_line(text(event, 'message'))}"
        case "turn.failed", _:
            return f"= failed: {first_line(text(event, 'error', 'message'))}"
        case "turn.completed", _:
            return "= done"
        case _:
            return ""


DRIVER = CodexDriver()
