"""The gemini driver: Gemini CLI, one process a turn, its session resumed for every further one.

    mid: {driver: gemini, model: gemini-2.5-pro}

Plan turns and reviews run in its plan mode. Knows its command line, its variables, its exit codes and the events of its
stream. It names no price.
"""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.drivers.agent import (
    START,
    Heard,
    agent_environment,
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
from orchestrator.drivers.base import Outcome, Traits, TurnOrder, TurnResult
from orchestrator.drivers.gemini_rules import guard_rules
from orchestrator.drivers.streams import Event, events, first_line, number, part, text, tool_line
from orchestrator.model.settings import Worker
from orchestrator.nouns import dataclass, replace
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended, tail

_KEYS = (
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_GENAI_USE_GCA",
)
_ABOUT = ("file_path", "path", "command", "pattern", "query", "url", "prompt")
"""What a tool is used on, the likeliest first."""
_FIXED = {
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    # Else it starts itself again, and signals don't reach the second one.
    "GEMINI_CLI_NO_RELAUNCH": "true",
    "TERM": "xterm-256color",
}
_RULES = "guard.toml"
_FLAG = "--admin-policy"
_EXITS: dict[int | None, Outcome] = {41: "quota", 42: "no-session", 53: "limit"}
_BLOCKED = "response was blocked"
# Errors of the service leave with the HTTP status modulo 256.
_STATUSES = {status % 256: status for status in (400, 401, 402, 403, 404, 408, 429, 500, 502, 503, 504, 529)}


@dataclass(frozen=True, slots=True)
class GeminiDriver:
    name: str = "gemini"
    traits: Traits = Traits(
        sessions="chosen",
        program="gemini",
        install="npm install -g @google/gemini-cli@latest",
        teller=lambda: _Told().tell,
        has_probe=True,
        writes=("~/.gemini",),
        tells_tokens=True,
        start=START,
        # The name holds the beginning of the session's.
        transcript=lambda order: f"{kept_in(order, '.gemini')}/tmp/*/chats/*-{order.session[:8]}.jsonl",
    )

    def problems(self, worker: Worker) -> tuple[str, ...]:
        return option_faults(worker, "guard") + turns_fault(worker, "or set model.maxSessionTurns in its own settings")

    def invocation(self, order: TurnOrder) -> Invocation:
        argv = [program(order, "gemini"), "-o", "stream-json"]
        if order.worker.model:
            argv += ["-m", order.worker.model]
        if order.session:
            argv += ["--resume" if order.is_resumed else "--session-id", order.session]
        # Its mode for edits has no shell, in which a worker would run its tests.
        mode = "plan" if not may_write(order) else "auto_edit" if permissions(order, "all") == "edits" else "yolo"
        argv += ["--approval-mode", mode]
        files = {_RULES: _rules(order)} if is_guarded(order) else {}
        argv += [_FLAG, _place(order)] if files else []
        env = agent_environment(order, _KEYS, _FIXED)
        return replace(invoked(order, (*argv, *words(order, "args")), env, self.traits), files=files)

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return judge(order, ended, _heard(order, ended))


def _place(order: TurnOrder) -> str:
    """The path of the rules' file, as the program takes it."""
    path = os.path.join(order.folder, _RULES)  # noqa: PTH118
    # It takes a comma for the end of a path, and goes on without the file.
    return os.path.relpath(path, order.worktree) if "," in path else path


def _rules(order: TurnOrder) -> str:
    return guard_rules(worktree=order.worktree, todo=order.todo_path, scope=order.scope, may_write=may_write(order))


def _heard(order: TurnOrder, ended: Ended) -> Heard:
    session = model = error = ""
    said: list[str] = []
    is_open = False
    last: Event = {}
    for event in events(Path(ended.stdout)):
        kind = text(event, "type")
        if kind == "message" and text(event, "role") == "assistant":
            # A message comes in pieces; what is between two messages isn't said.
            if not (is_open and event.get("delta")):
                said.append("")
            said[-1] += text(event, "content")
            is_open = True
            continue
        is_open = False
        if kind == "init":
            session, model = text(event, "session_id"), text(event, "model")
        elif kind == "error":
            error = text(event, "message") or "an error without words"
        elif kind == "result":
            last = event
    error = text(last, "error", "message") or error
    exit_code = ended.exit_code if ended.reason == "exit" else None
    if exit_code == 1 and not session and f"Unknown arguments: {_FLAG[2:]}" in tail(ended.stderr):
        error = f"this gemini has no {_FLAG}, which guards it: get a newer one, or write `guard: off` for this worker"
    outcome = "limit" if text(last, "error", "type") == "FatalTurnLimitedError" else _EXITS.get(exit_code)
    if _BLOCKED in error:
        outcome = "refused"
    return Heard(
        is_done=text(last, "status") == "success" and not error,
        text="\n\n".join(said),
        session="" if outcome == "no-session" else session,
        model=_model(last) or model,
        usage=_usage(last),
        error=error or (tail(ended.stderr) if outcome else ""),
        status=_STATUSES.get(exit_code or 0, 0),
        outcome=outcome,
    )


def _model(last: Event) -> str:
    """The model that wrote most."""
    models = part(last, "stats", "models")
    return max(models, key=lambda name: number(models, name, "output_tokens"), default="")


def _usage(last: Event) -> dict[str, float]:
    stats = part(last, "stats")
    if not stats:
        return {}
    read = number(stats, "input_tokens")
    # What it thought is charged as written, and stands in the total alone.
    written = max(number(stats, "output_tokens"), number(stats, "total_tokens") - read)
    return {"in": read, "cached": number(stats, "cached"), "out": written}


class _Told:
    """What the events of one stream say to people: a message comes in pieces and is told once it is whole."""

    def __init__(self) -> None:
        self._said = ""

    def tell(self, event: Event) -> str:
        if text(event, "type") == "message" and text(event, "role") == "assistant":
            self._said += text(event, "content")
            return ""
        said, self._said = self._said, ""
        return "\n".join(filter(None, (said.strip("\n"), _told(event))))


def _told(event: Event) -> str:
    match text(event, "type"):
        case "tool_use":
            return tool_line(text(event, "tool_name"), part(event, "parameters"), _ABOUT)
        case "tool_result" if text(event, "status") == "error":
            return f"! {first_line(text(event, 'error', 'message'))}"
        case "error":
            return f"~ {first_line(text(event, 'message'))}"
        case "result":
            told = first_line(text(event, "error", "message"))
            return f"= {text(event, 'status')}" + (f": {told}" if told else "")
        case _:
            return ""


DRIVER = GeminiDriver()
