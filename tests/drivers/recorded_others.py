"""What Qwen Code, Copilot CLI and opencode say, one recording an ending."""

from __future__ import annotations

from collections.abc import Mapping

from tests.drivers.recording_of import SAID, SESSION, Line, Recorded

_QWEN_BEGINS: tuple[Line, ...] = (
    {"type": "system", "subtype": "init", "session_id": SESSION, "model": "model-1", "tools": ["read_file"]},
)
_QWEN_USAGE = {"input_tokens": 1000, "cache_read_input_tokens": 100, "output_tokens": 20, "total_tokens": 1020}


def _qwen_says(words: str) -> tuple[Line, ...]:
    message = {"id": "m1", "model": "model-1", "content": [{"type": "text", "text": words}], "usage": _QWEN_USAGE}
    counted = {"type": "message_delta", "usage": {"output_tokens": 20}}
    return (
        {"type": "assistant", "session_id": SESSION, "message": message},
        {"type": "stream_event", "event": counted},
    )


def _qwen_ends(words: str) -> Line:
    return {"subtype": "success", "is_error": False, "result": words, "usage": _QWEN_USAGE, "type": "result"}


def _qwen_fails(words: str) -> Recorded:
    """As if all were well, but for the words."""
    said = f"[API Error: {words}]"
    return Recorded((*_QWEN_BEGINS, *_qwen_says(said), _qwen_ends(said)))


QWEN: Mapping[str, Recorded] = {
    "finished": Recorded((*_QWEN_BEGINS, *_qwen_says(SAID), _qwen_ends(SAID))),
    "chatter": Recorded(("a warning", "{broken", *_QWEN_BEGINS, {"type": "new"}, *_qwen_says(SAID), _qwen_ends(SAID))),
    "rate": _qwen_fails("429 slow down, try again in 1m 30s"),
    "quota": _qwen_fails("You exceeded your current quota"),
    "login": _qwen_fails("401 no"),
    "service": _qwen_fails("500 no"),
    "unreachable": _qwen_fails("Connection error."),
    "request": _qwen_fails("404 no model model-9"),
    "turns": Recorded((*_QWEN_BEGINS, *_qwen_says("again")), code=53),
    "interrupted": Recorded(_QWEN_BEGINS, code=130),
    "lost": Recorded((), code=1, err=f"No saved session found with ID {SESSION}."),
    "begun": Recorded((*_QWEN_BEGINS, *_qwen_says(SAID))),
}

_COPILOT_BEGINS: tuple[Line, ...] = ({"type": "session.tools_updated", "data": {"model": "model-1"}},)
_COPILOT_SAYS: tuple[Line, ...] = (
    {"type": "tool.execution_start", "data": {"toolName": "view", "arguments": {"path": "a.py"}}},
    {"type": "tool.execution_complete", "data": {"success": False, "error": {"message": "no such file"}}},
    {"type": "assistant.message", "data": {"model": "model-1", "content": SAID, "toolRequests": []}},
)


def _copilot_ends(code: int) -> Line:
    return {"exitCode": code, "sessionId": SESSION, "usage": {"premiumRequests": 0}, "type": "result"}


def _copilot_fails(message: str, status: int = 0) -> Recorded:
    error = {"errorType": "query", "message": message, **({"statusCode": status} if status else {})}
    return Recorded((*_COPILOT_BEGINS, {"type": "session.error", "data": error}, _copilot_ends(1)), code=1)


COPILOT: Mapping[str, Recorded] = {
    "finished": Recorded((*_COPILOT_BEGINS, *_COPILOT_SAYS, _copilot_ends(0))),
    "chatter": Recorded(("a warning", "{broken", *_COPILOT_BEGINS, {"type": "new"}, *_COPILOT_SAYS, _copilot_ends(0))),
    "retries": Recorded(
        (
            *_COPILOT_BEGINS,
            {"type": "assistant.turn_retry", "data": {"reason": "rate_limit"}},
            *_COPILOT_SAYS,
            _copilot_ends(0),
        )
    ),
    "rate": _copilot_fails("slow down, try again in 1m 30s", 429),
    "quota": _copilot_fails("You have no quota left", 402),
    "login": _copilot_fails("Authentication failed (HTTP 401).", 401),
    "service": _copilot_fails("Failed to get response from the AI model; Last error: 500", 500),
    "unreachable": _copilot_fails("Connection error."),
    "request": _copilot_fails("no model model-9", 404),
    "interrupted": Recorded(_COPILOT_BEGINS, code=130),
    "lost": Recorded((), code=1, err=f"Error: No session, task, or name matched '{SESSION}'."),
    "begun": Recorded((*_COPILOT_BEGINS, *_COPILOT_SAYS)),
}


def _step(reason: str) -> Line:
    tokens = {"input": 450, "output": 9, "reasoning": 1, "cache": {"read": 50, "write": 0}}
    part = {"type": "step-finish", "reason": reason, "tokens": tokens, "cost": 0.25}
    return {"part": part, "sessionID": SESSION, "type": "step_finish"}


def _tool(status: str, **more: object) -> Line:
    state = {"status": status, "input": {"filePath": "a.py"}, **more}
    return {"type": "tool_use", "sessionID": SESSION, "part": {"type": "tool", "tool": "read", "state": state}}


def _opencode_fails(message: str, status: int = 0) -> Recorded:
    data = {"message": message, **({"statusCode": status} if status else {})}
    error = {"name": "APIError", "data": data}
    return Recorded(({"type": "error", "sessionID": SESSION, "error": error},), code=1)


_OPENCODE_BEGINS: tuple[Line, ...] = (
    {"type": "step_start", "sessionID": SESSION, "part": {"type": "step-start"}},
    _tool("error", error="no such file"),
    _step("tool-calls"),
)
_OPENCODE_SAYS: tuple[Line, ...] = ({"type": "text", "sessionID": SESSION, "part": {"type": "text", "text": SAID}},)
OPENCODE: Mapping[str, Recorded] = {
    "finished": Recorded((*_OPENCODE_BEGINS, *_OPENCODE_SAYS, _step("stop"))),
    "chatter": Recorded(("a warning", "{broken", *_OPENCODE_BEGINS, {"type": "new"}, *_OPENCODE_SAYS, _step("stop"))),
    "rate": _opencode_fails("slow down, try again in 1m 30s", 429),
    "quota": _opencode_fails("insufficient credits"),
    "login": _opencode_fails("no", 401),
    "service": _opencode_fails("no", 500),
    "unreachable": _opencode_fails("Unable to connect."),
    "request": _opencode_fails("no model model-9", 400),
    "interrupted": Recorded(_OPENCODE_BEGINS, code=130),
    "lost": Recorded((), code=1, err=f"Error: Session not found: {SESSION}"),
    "begun": Recorded((*_OPENCODE_BEGINS, *_OPENCODE_SAYS)),
}

OTHERS: Mapping[str, Mapping[str, Recorded]] = {"qwen": QWEN, "copilot": COPILOT, "opencode": OPENCODE}
