"""How each ending of an agent program is brought about: what the model server answers, and what is done to it."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tests.support.agents import KEY, shell
from tests.support.recordings import SAID

Reply = Mapping[str, object]

_COUNTS_READ_APART = ("claude",)
"""Programs whose service counts the tokens read from its cache apart from the others."""
_KEYS = ("ANTHROPIC_API_KEY", "FAKE_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "COPILOT_PROVIDER_API_KEY")
_SILENT = {"qwen": 25.0, "copilot": 25.0, "opencode": 55.0}
"""Programs that try again for long, some of them without end, and say nothing of it: the silence that they get."""
_SLOW = "pieces storm 404 503 429-wait silent term-model int-model kill-model".split()
_LEFT_OUT = {"copilot": _SLOW, "opencode": [*_SLOW, *"403 quota stream-error stalled term-tool segv bad-flag".split()]}
"""Endings that are no other than one that is recorded, with programs that take long for each."""
_MISSING = {
    "claude": {"tool": "Read", "input": {"file_path": "/none"}},
    "codex": {"tool": "exec_command", "input": {"cmd": "cat none"}},
    "gemini": {"tool": "read_file", "input": {"file_path": "none"}},
    "qwen": {"tool": "read_file", "input": {"file_path": "/none", "absolute_path": "/none"}},
    "copilot": {"tool": "view", "input": {"path": "/none"}},
    "opencode": {"tool": "read", "input": {"filePath": "none"}},
}
"""By program: the tool call that reads a file which isn't there."""
_FREE = {"steps": [{"text": "nothing"}], "usage": {"input": 0, "output": 0}}
_REFUSES = {"claude": "refusal", "gemini": "SAFETY", "qwen": "content_filter", "copilot": "content_filter"}
_CREDIT = "Your credit balance is too low to access the API. Please go to Plans & Billing to purchase credits."
_PLAN = "You exceeded your current quota, please check your plan and billing details."
_USED_UP = {"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus"}


@dataclass(frozen=True, slots=True)
class Provoked:
    """One way to end. What isn't said is as in a turn that ends well.

    replies: what the model server answers, one after the other, the last one again and again. signum: what the program
    gets once the server has begun to answer, or, with `in_tool`, once its tool runs. to_leaf: that only the innermost
    process gets it, not the group. is_mute: it has nobody to ask. silence: seconds without output after which it is
    ended, 0 for none.
    """

    replies: tuple[Reply, ...]
    turn: str = "plan"
    signum: int = 0
    in_tool: bool = False
    to_leaf: bool = False
    is_mute: bool = False
    has_key: bool = True
    resumes: bool = False
    silence: float = 0.0
    turns: int = 0
    options: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    """For the settings file of Gemini CLI."""


def rules(found: Provoked) -> dict[str, object]:
    """The script for the model server."""
    *first, last = found.replies
    once = [{"name": f"ending-{at}", "times": 1, "reply": one} for at, one in enumerate(first)]
    return {
        "rules": [
            {"name": "schema", "when": {"schema": True}, "reply": {"steps": []}},
            {"name": "helper", "when": {"tools": False}, "reply": "a title"},
            # What Qwen Code asks after a turn.
            {"name": "memory", "when": {"last_user": "managed memory index"}, "reply": _FREE},
            *once,
            {"name": "ending", "reply": last},
        ]
    }


def without_key(env: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program that has no key."""
    return {name: value for name, value in env.items() if name not in _KEYS and value != KEY}


def provoked(name: str) -> dict[str, Provoked]:
    """Every ending that can be brought about with the program of that driver."""
    say = _says(name, SAID, share=1)
    read = _does(name, {"text": "I look."}, _MISSING[name])
    work = _does(name, *shell("touch began; sleep 60; touch went-on")[name])
    tool_left = _does(name, *shell("setsid sleep 300 >/dev/null 2>&1 &")[name])
    # In pieces, for there to be something before the break.
    cut = {**say, "chunk": 9}
    hang = {**cut, "hang": 60}
    found = {
        "finished": Provoked((read, _says(name, SAID))),
        "pieces": Provoked(({**say, "chunk": 5},)),
        "retries": Provoked((_fails(529), say)),
        "storm": Provoked((_fails(529),)),
        "unreachable": Provoked((say,), is_mute=True, silence=20.0),
        "dropped": Provoked(({**cut, "drop": True},)),
        "stream-error": Provoked(({**cut, "stream_error": "Overloaded"},)),
        "no-key": Provoked((say,), has_key=False),
        "lost": Provoked((say,), resumes=True),
        "stalled": Provoked((hang,), silence=6.0),
        "silent": Provoked(({**say, "delay": 60},), silence=6.0),
        "tool-left": Provoked((tool_left, _says(name, SAID)), turn="execute"),
        "bad-flag": Provoked((say,), options={"args": ["--no-such-flag"]}),
        **{str(status): Provoked((_fails(status),)) for status in (400, 401, 403, 404, 429, 500, 503)},
        "429-wait": Provoked(({**_fails(429), "headers": {"retry-after": "3600"}},), silence=20.0),
        "quota": Provoked((_quota(name),)),
        **{
            f"{word}-{where}": Provoked((work if where == "tool" else hang,), "execute", signum, where == "tool")
            for word, signum in (("term", signal.SIGTERM), ("int", signal.SIGINT), ("kill", signal.SIGKILL))
            for where in ("model", "tool")
        },
        "segv": Provoked((hang,), signum=signal.SIGSEGV, to_leaf=True),
        "abort": Provoked((work,), "execute", signal.SIGABRT, in_tool=True, to_leaf=True),
    }
    if name in _REFUSES:
        words = "" if name == "gemini" else "I can't help with this."
        found["refused"] = Provoked(({**_says(name, words, share=1), "stop": _REFUSES[name]},))
    if name in ("claude", "qwen"):
        found["turns"] = Provoked((read,), turns=1)
    if name == "claude":
        found["budget"] = Provoked((read,), options={"budget": "0.0001"})
    if name == "gemini":
        found["turns"] = Provoked((read,), settings={"model": {"maxSessionTurns": 1}})
        found["looped"] = Provoked((read,))
    if name == "codex":
        limit = {**_USED_UP, "resets_at": 4102444800}
        found["used-up"] = Provoked(({"status": 429, "body": {"error": limit}},))
    if name in _SILENT:
        found = {
            ending: replace(one, silence=max(one.silence, 55.0 if name == "opencode" else 25.0))
            for ending, one in found.items()
        }
    return {ending: one for ending, one in found.items() if ending not in _LEFT_OUT.get(name, ())}


def _says(name: str, words: str, *, share: int = 2) -> dict[str, object]:
    """The model's last words. share: in how many answers the tokens of a whole turn are."""
    return {**_does(name, {"text": words}), "usage": _usage(name, share)}


def _does(name: str, *steps: object) -> dict[str, object]:
    return {"steps": [*steps], "usage": _usage(name, 2), "chunk": 4000}


def _usage(name: str, share: int) -> dict[str, int]:
    read, cached, written = 1000 // share, 100 // share, 20 // share
    fresh = read - cached if name in _COUNTS_READ_APART else read
    return {"input": fresh, "cache_read": cached, "output": written}


def _fails(status: int) -> dict[str, object]:
    return {"status": status, "message": f"no luck ({status})"}


def _quota(name: str) -> dict[str, object]:
    """The account has no money left, as the service of each says it."""
    match name:
        case "claude":
            return {"status": 400, "message": _CREDIT}
        case "gemini":
            return {"status": 429, "message": f"{_PLAN} Please retry in 3600s.", "error_type": "RESOURCE_EXHAUSTED"}
        case _:
            return {
                "status": 429,
                "message": _PLAN,
                "error_type": "insufficient_quota",
                "error_code": "insufficient_quota",
            }
