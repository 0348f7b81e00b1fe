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
    if at < 0:
        return None
    entries = []
    for line in text[at + len(_HEAD) :].split("\n"):
        if line.startswith("## "):
            break
        if not line:
            continue
        entry = parse_entry(line[2:]) if line.startswith("- ") else None
        if entry is None:
            return None
        entries.append(entry)
    return tuple(entries)
