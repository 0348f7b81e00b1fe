"""The note of a wave's row: what orch writes there about tasks that were blocked, and when it is over."""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.patterns import regex

BLOCKED = "blocked: "
_KEYS = regex(r"blocked: (\d+\.\d+\.[\w-]+(?:, \d+\.\d+\.[\w-]+)*)")


def only_blocked(note: str, is_blocked: Callable[[str], bool]) -> str:
    """The note without the tasks that aren't blocked any more, each asked about by its key."""
    if BLOCKED not in note:
        return note
    parts = []
    for part in note.split("; "):
        match = _KEYS.fullmatch(part)
        if match is None:
            parts.append(part)
            continue
        still = [key for key in match[1].split(", ") if is_blocked(key)]
        parts += [BLOCKED + ", ".join(still)] if still else []
    return "; ".join(parts)


def with_blocked(note: str, key: str) -> str:
    """The note with the task among those that are blocked."""
    parts = note.split("; ") if note else []
    for index, part in enumerate(parts):
        match = _KEYS.fullmatch(part)
        if match is not None:
            parts[index] = part if key in match[1].split(", ") else f"{part}, {key}"
            return "; ".join(parts)
    return "; ".join([BLOCKED + key, *parts])
