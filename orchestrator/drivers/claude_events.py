"""The event stream of Claude Code: what a turn came to, and what of it people read while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from orchestrator.drivers.agent import Heard
from orchestrator.drivers.base import Outcome, Tally, Teller, TurnOrder
from orchestrator.drivers.streams import Event, events, first_line, number, part, parts, text, texts, tool_line
from orchestrator.process.running import Ended, tail

_LIMITS = ("error_max_turns", "error_max_budget_usd")
_LOST = ("no conversation found", "is already in use")


Usage = Callable[[TurnOrder, Event, Mapping[str, float]], Mapping[str, float]]
"""What a turn used by its last event, and by what was counted before that."""


def heard(order: TurnOrder, ended: Ended, tally: Tally, usage: Usage) -> Heard:
    """What the stream of a turn said, and standard error where the stream is silent. tally, usage: how the program's
    tokens are counted, which those that speak in this form don't do alike."""
    last: Event = {}
    session = model = said = ""
    for event in events(Path(ended.stdout)):
        tally.hear(event)
        session = text(event, "session_id") or session
        said = texts(_own_message(event), "content") or said
        match text(event, "type"):
            case "system" if text(event, "subtype") == "init":
                model = text(event, "model")
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
        usage=usage(order, last, tally.sums()) if last else tally.sums(),
        is_partial=not last,
        error=error,
        status=int(number(last, "api_error_status")),
        outcome=outcome,
    )


def _own_message(event: Event) -> Event:
    """The message of the worker itself, not of a helper of it; an empty one in other events."""
    is_own = text(event, "type") == "assistant" and not event.get("parent_tool_use_id")
    return part(event, "message") if is_own else {}


def _error(last: Event, ended: Ended) -> tuple[str, Outcome | None]:
    """The words of what went wrong, and the outcome where the stream itself names it."""
    told = last.get("errors")
    words = text(last, "result") or (" ".join(map(str, told)) if isinstance(told, list) else "")
    words = words or text(last, "error", "message")
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


def usage_of(order: TurnOrder, last: Event, streamed: Mapping[str, float]) -> dict[str, float]:
    """Tokens are counted by turn; the price in some versions over the whole session, in others by turn."""
    usage = part(last, "usage")
    found = {**_read(usage), "out": number(usage, "output_tokens")}
    if not found["in"]:
        # A turn that was stopped, by its budget too, says that it used nothing; its stream knows better.
        found |= streamed
    if "total_cost_usd" in last:
        models = part(last, "modelUsage")
        names = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        counted = sum(number(models, model, name) for model in models for name in names)
        earlier = order.spent.get("usd", 0.0)
        is_of_session = earlier and counted >= found["in"] + order.spent.get("in", 0.0)
        found["usd"] = max(0.0, number(last, "total_cost_usd") - (earlier if is_of_session else 0.0))
    return found


def _read(usage: Event) -> dict[str, float]:
    """The tokens that went in, and those of them that came from a cache."""
    cached = number(usage, "cache_read_input_tokens")
    return {
        "in": number(usage, "input_tokens") + number(usage, "cache_creation_input_tokens") + cached,
        "cached": cached,
    }


class Tokens:
    """The tokens of a turn that is at work, or was cut off before its last line: what it cost isn't known.

    A message is told in several events, each with its input whole; its output is whole in an event of its own.
    """

    def __init__(self) -> None:
        self._read: dict[str, dict[str, float]] = {}
        self._written = 0.0

    def hear(self, event: Event) -> None:
        """Count one more event."""
        if message := _own_message(event):
            self._read[text(message, "id")] = _read(part(message, "usage"))
        elif text(event, "type") == "stream_event" and text(event, "event", "type") == "message_delta":
            self._written += number(event, "event", "usage", "output_tokens")

    def sums(self) -> dict[str, float]:
        """What is known by now; empty before the first message."""
        if not self._read:
            return {}
        return {name: sum(one[name] for one in self._read.values()) for name in ("in", "cached")} | {
            "out": self._written
        }


_ABOUT = ("file_path", "notebook_path", "command", "pattern", "url", "query", "description", "prompt")
"""What a tool is used on, the likeliest first."""


def teller() -> Teller:
    """What each event says to people: what it says, uses and meets; nothing for most events."""
    return _told


def _told(event: Event) -> str:
    match text(event, "type"), text(event, "subtype"):
        case "assistant", _:
            return "\n".join(filter(None, (_block(block) for block in parts(event, "message", "content"))))
        case "user", _:
            failed = [block for block in parts(event, "message", "content") if block.get("is_error")]
            return "\n".join(f"! {first_line(text(block, 'content') or texts(block, 'content'))}" for block in failed)
        case "system", "api_retry":
            status = int(number(event, "error_status"))
            return f"~ error {status or text(event, 'error')} of the service, try {int(number(event, 'attempt'))}"
        case "result", subtype:
            usd = f", ${number(event, 'total_cost_usd'):.4f}" if "total_cost_usd" in event else ""
            return f"= {text(event, 'terminal_reason') or subtype}{usd}"
        case _:
            return ""


def _block(block: Event) -> str:
    match text(block, "type"):
        case "text":
            return text(block, "text")
        case "tool_use":
            return tool_line(text(block, "name"), part(block, "input"), _ABOUT)
        case _:
            return ""
