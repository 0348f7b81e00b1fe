"""The log of a todo file of orch's own, told quickly: for sums over many files, of which nothing else is wanted.

Must say what the whole reading says of the log, or nothing.
"""

from __future__ import annotations

from orchestrator.model.log import LogEntry, parse_entry

_HEAD = "\n## Log\n"


def read_log_outline(text: str) -> tuple[LogEntry, ...] | None:
    """The entries of the log; None where that can't be told quickly, and the file has to be read whole."""
    if "\r" in text or not text.startswith("---\n"):
        return None
    # What comes from workers stands above it, and what stands below it is quoted: the last one is the log.
    at = text.rfind(_HEAD)
    return _entries(text[at + len(_HEAD) :]) if at >= 0 else None


def read_added(before: str, after: str) -> tuple[LogEntry, ...] | None:
    """The entries that a change of the text added at the end of its log; None where that can't be told quickly."""
    if "\r" in after:
        return None
    old, found, new = before.rpartition(_HEAD)[2].rstrip("\n"), _HEAD in before, after.rpartition(_HEAD)[2]
    if not found or "\n## " in old or not new.startswith(old) or new[len(old) : len(old) + 1] not in ("", "\n"):
        return None
    added = new[len(old) :]
    return None if "\n## " in added else _entries(added)


def _entries(text: str) -> tuple[LogEntry, ...] | None:
    entries = []
    for line in text.split("\n"):
        if line.startswith("## "):
            break
        if not line:
            continue
        entry = parse_entry(line[2:]) if line.startswith("- ") else None
        if entry is None:
            return None
        entries.append(entry)
    return tuple(entries)
