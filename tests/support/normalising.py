"""Output of agent programs without what differs from run to run and from machine to machine, and without its bulk."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_ID = re.compile(r"\b((?:[A-Za-z]{1,16}[_-]+){1,3}|fc|g)(?=[0-9A-Za-z]*[0-9])[0-9A-Za-z]{16,}\b")
_CHANGING: tuple[tuple[str, str], ...] = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?", "2026-01-01T00:00:00Z"),
    (r"\b(127\.0\.0\.1|localhost):\d+", r"\1:8123"),
    (r"\b\d+(?:\.\d+)?\s?ms\b", "1ms"),
    (r"\b\d+\.\d+ seconds\b", "1 seconds"),
    (r"\b(ThreadId\(|pid[ =:]+|process )\d+", r"\g<1>1"),
    (r"(\.js|\.ts|\.mjs):\d+:\d+", r"\1:1:1"),
    (r"/tmp/[\w.-]+", "/tmp/some"),
    (r"\b0x[0-9A-Fa-f]+\b", "0x1"),
    # What a runtime says of the machine as it crashes.
    (r"(?m)^((?:Linux Kernel|CPU:|Elapsed:|RSS:|Args:|Features:|Builtins:| https://bun.report/).*?)\S.*$", r"\1…"),
)
_TIMES = re.compile(r"(?:ms|time|timestamp|start|end|created|updated|duration\w*|ttft\w*|seconds)$", re.IGNORECASE)
_LONGEST_TEXT, _LONGEST_LIST, _LONGEST_CHATTER = 500, 4, 12
_BULK = frozenset(
    """
    uuid timestamp request_id tool_result_meta subagent_stats server_tool_use cache_creation output_tokens_details
    skills plugins slash_commands terminal_slash_commands agents tools capabilities thinking_display ttft_ms auto
    context_management begun_message_ids fast_mode_state fast_mode_disabled_reason api_message_id fallback_credit
    messaging_socket_path product_feedback_disabled original_cwd apiKeySource ultrathink_typed_raises
    ultrathink_available per_turn_effort_active
    requestFingerprint interactionId parentId interactionType ephemeral turnId messageId originatingMessageId
    apiEndpoint requestBodyEncoding requestBodyWireBytes requestBodyBytes maxPromptTokens isByok byokKind
    modelProvider providerType parentAgentTaskId transformedContent editClassifierVersion dispatchDurationMs
    """.split()
)
"""Keys that every other line has and that say nothing about how it ends."""


def normaliser(places: Mapping[str, str]) -> Callable[[str], str]:
    """What makes outputs of one run stable. places: texts of this machine and this run, with what stands for each."""
    seen: dict[str, str] = {}
    known = set(places.values())

    def word(found: re.Match[str]) -> str:
        if found[0] in known:
            return found[0]
        if found.re is _ID:
            return seen.setdefault(found[0], f"{found[1]}{len(seen) + 1}")
        return seen.setdefault(found[0], f"00000000-0000-4000-8000-{len(seen) + 1:012}")

    def plain(text: str) -> str:
        for there in sorted(places, key=len, reverse=True):
            text = text.replace(there, places[there])
        for pattern, instead in _CHANGING:
            text = re.sub(pattern, instead, text)
        return _ID.sub(word, _UUID.sub(word, text))

    def value(found: object, key: str = "") -> object:
        match found:
            case str():
                text = plain(found)
                return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…"
            case bool() | None:
                return found
            case int() | float():
                return 1 if found and (found > 1e9 or _TIMES.search(key)) else found
            case list():
                items = [value(item, key) for item in found[:_LONGEST_LIST]]
                return items if len(found) <= _LONGEST_LIST or "message" in key else [*items[:2], "…"]
            case dict():
                return {plain(str(name)): value(item, str(name)) for name, item in found.items() if name not in _BULK}
            case _:
                return found

    def line(text: str) -> str:
        try:
            found = json.loads(text)
        except ValueError:
            return plain(text)
        return json.dumps(value(found), ensure_ascii=False) if isinstance(found, dict) else plain(text)

    def whole(text: str) -> str:
        lines = text.split("\n")
        if len(lines) > 2 * _LONGEST_CHATTER and not any(one.startswith("{") for one in lines):
            lines = [*lines[:_LONGEST_CHATTER], "…", *lines[-_LONGEST_CHATTER:]]
        return "\n".join(line(one) for one in lines)

    return whole
