"""What agent programs say, in the vocabulary of each, for a stub that replays it: one recording an ending."""

from __future__ import annotations

from collections.abc import Mapping

from tests.drivers.recorded_others import OTHERS
from tests.drivers.recording_of import SAID, SESSION, Line, Recorded

__all__ = ["AGENTS", "CLAUDE", "CODEX", "GEMINI", "SAID", "SESSION", "Line", "Recorded"]


def _claude_end(**more: object) -> Line:
    usage = {"input_tokens": 900, "cache_read_input_tokens": 100, "output_tokens": 20}
    models = {"model-1": {"inputTokens": 900, "cacheReadInputTokens": 100, "outputTokens": 20}}
    found = {"subtype": "success", "is_error": False, "result": SAID, "session_id": SESSION, "total_cost_usd": 0.25}
    # The type last: the order of keys means nothing.
    return {**found, "usage": usage, "modelUsage": models, "num_turns": 1, **more, "type": "result"}


def _claude_fails(status: int, text: str, **more: object) -> Recorded:
    last = _claude_end(is_error=True, api_error_status=status, result=text, usage={}, modelUsage={}, total_cost_usd=0)
    return Recorded((*_CLAUDE_BEGINS, {**last, **more}), code=1)


_CLAUDE_BEGINS: tuple[Line, ...] = (
    {"type": "system", "subtype": "init", "session_id": SESSION, "model": "model-1", "tools": ["Read"]},
)
_CLAUDE_SAYS: tuple[Line, ...] = (
    {
        "type": "assistant",
        "session_id": SESSION,
        "message": {
            "id": "msg_1",
            "model": "model-1",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": SAID}],
            "usage": {"input_tokens": 900, "cache_read_input_tokens": 100, "output_tokens": 1},
        },
    },
    {"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": 20}}},
)
_CLAUDE_RETRIES: tuple[Line, ...] = tuple(
    {"type": "system", "subtype": "api_retry", "attempt": number, "max_retries": 3, "error_status": 429}
    for number in (1, 2, 3)
)

CLAUDE: Mapping[str, Recorded] = {
    "finished": Recorded((*_CLAUDE_BEGINS, *_CLAUDE_SAYS, _claude_end())),
    "chatter": Recorded(
        ("warning: old terminal", "{broken", "[1]", *_CLAUDE_BEGINS, {"type": "new"}, {"type": ["x"]}, _claude_end())
    ),
    "retries": Recorded((*_CLAUDE_BEGINS, *_CLAUDE_RETRIES, *_CLAUDE_SAYS, _claude_end())),
    "rate": _claude_fails(429, "API Error: Request rejected (429). Please try again in 1m 30s."),
    "quota": _claude_fails(400, "Your credit balance is too low"),
    "login": _claude_fails(401, "Failed to authenticate. API Error: 401"),
    "service": _claude_fails(529, "API Error: 529 Overloaded"),
    "unreachable": _claude_fails(0, "API Error: Connection refused (ECONNREFUSED)"),
    "request": _claude_fails(404, "model: model-9 not found"),
    "refused": _claude_fails(0, "API Error: it can't help with this", stop_reason="refusal"),
    "turns": Recorded((*_CLAUDE_BEGINS, _claude_end(subtype="error_max_turns", is_error=True, result="")), code=1),
    "budget": Recorded((*_CLAUDE_BEGINS, _claude_end(subtype="error_max_budget_usd", result="")), code=1),
    "interrupted": Recorded(
        (*_CLAUDE_BEGINS, _claude_end(subtype="error_during_execution", terminal_reason="aborted_tools", result=""))
    ),
    "lost": Recorded(
        (
            {
                "type": "result",
                "subtype": "error_during_execution",
                "is_error": True,
                "errors": [f"No conversation found with session ID: {SESSION}"],
            },
        ),
        code=1,
    ),
    "begun": Recorded((*_CLAUDE_BEGINS, *_CLAUDE_SAYS)),
}

_CODEX_BEGINS: tuple[Line, ...] = ({"type": "thread.started", "thread_id": SESSION}, {"type": "turn.started"})
_CODEX_SAYS: tuple[Line, ...] = (
    {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "hm"}},
    {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": SAID}},
)
_CODEX_USAGE = {"input_tokens": 1000, "cached_input_tokens": 100, "output_tokens": 20}
_CODEX_ENDS: Line = {"usage": _CODEX_USAGE, "type": "turn.completed"}
_CODEX_WARNING: Line = {"type": "item.completed", "item": {"id": "item_2", "type": "error", "message": "an old key"}}


def _codex_fails(message: str, *before: str) -> Recorded:
    errors = tuple({"type": "error", "message": text} for text in (*before, message))
    return Recorded((*_CODEX_BEGINS, *errors, {"type": "turn.failed", "error": {"message": message}}), code=1)


CODEX: Mapping[str, Recorded] = {
    "finished": Recorded((*_CODEX_BEGINS, *_CODEX_SAYS, _CODEX_WARNING, _CODEX_ENDS)),
    "chatter": Recorded(
        ("warning: old terminal", "{broken", *_CODEX_BEGINS, {"type": "new"}, *_CODEX_SAYS, _CODEX_ENDS)
    ),
    "retries": Recorded(
        (*_CODEX_BEGINS, {"type": "error", "message": "Reconnecting... 1/3 (429)"}, *_CODEX_SAYS, _CODEX_ENDS)
    ),
    "rate": _codex_fails("exceeded retry limit, last status: 429 Too Many Requests; try again in 1m 30s"),
    "quota": _codex_fails("You've hit your usage limit."),
    "login": _codex_fails("unexpected status 401 Unauthorized", "Reconnecting... 1/1"),
    "service": _codex_fails("We’re currently experiencing high demand, which may cause temporary errors."),
    "unreachable": _codex_fails("stream disconnected before completion: error sending request"),
    "request": _codex_fails("unexpected status 404 Not Found: no model model-9"),
    "interrupted": Recorded((*_CODEX_BEGINS,), code=-2),
    "lost": Recorded((), code=1, err=f"Error: thread/resume failed: no rollout found for thread id {SESSION}"),
    "begun": Recorded((*_CODEX_BEGINS, *_CODEX_SAYS)),
}

_GEMINI_BEGINS: tuple[Line, ...] = (
    {"type": "init", "session_id": SESSION, "model": "auto"},
    {"type": "message", "role": "user", "content": "do it"},
)
_GEMINI_SAYS: tuple[Line, ...] = (
    {"type": "message", "role": "assistant", "content": "I look.", "delta": True},
    {"type": "tool_use", "tool_name": "read_file", "tool_id": "1", "parameters": {}},
    {"type": "tool_result", "tool_id": "1", "status": "error", "error": {"type": "x", "message": "no such file"}},
    {"type": "message", "role": "assistant", "content": SAID[:5], "delta": True},
    {"type": "message", "role": "assistant", "content": SAID[5:], "delta": True},
)
_GEMINI_STATS = {
    "total_tokens": 1020,
    "input_tokens": 1000,
    "output_tokens": 20,
    "models": {"model-0": {"output_tokens": 1}, "model-1": {"output_tokens": 19}},
}
_GEMINI_ENDS: Line = {"stats": _GEMINI_STATS, "status": "success", "type": "result"}


def _gemini_fails(code: int, message: str, kind: str = "unknown") -> Recorded:
    last = {"type": "result", "status": "error", "error": {"type": kind, "message": message}, "stats": {}}
    return Recorded((*_GEMINI_BEGINS, last), code=code)


GEMINI: Mapping[str, Recorded] = {
    "finished": Recorded((*_GEMINI_BEGINS, *_GEMINI_SAYS, _GEMINI_ENDS), err="YOLO mode is enabled."),
    "chatter": Recorded(
        ("warning: old terminal", "{broken", *_GEMINI_BEGINS, {"type": "new"}, *_GEMINI_SAYS, _GEMINI_ENDS)
    ),
    "rate": _gemini_fails(429 % 256, "[API Error: slow down]\nPlease wait and try again in 1m 30s."),
    "quota": _gemini_fails(1, "[API Error: You exceeded your current quota]"),
    "login": _gemini_fails(401 % 256, "[API Error: no]"),
    "service": _gemini_fails(500 % 256, "[API Error: no]"),
    "unreachable": _gemini_fails(1, "[API Error: exception TypeError: fetch failed sending request]"),
    "request": _gemini_fails(404 % 256, "[API Error: no model model-9]"),
    "turns": _gemini_fails(53, "Reached max session turns.", "FatalTurnLimitedError"),
    "looped": Recorded(
        (
            *_GEMINI_BEGINS,
            {"type": "error", "severity": "warning", "message": "Loop detected, stopping execution"},
            _GEMINI_ENDS,
        )
    ),
    "interrupted": Recorded(_GEMINI_BEGINS),
    "lost": Recorded((), code=42, err=f'Error resuming session: Invalid session identifier "{SESSION}".'),
    "begun": Recorded((*_GEMINI_BEGINS, *_GEMINI_SAYS)),
}

AGENTS: Mapping[str, Mapping[str, Recorded]] = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI, **OTHERS}
