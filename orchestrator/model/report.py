"""A task's report in STATE_N.md: facts from git and the test run, deviations and gotchas from the worker.

Owns its lines and how they are cut. Must not know where they are put.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from orchestrator.code_spans import code_spans
from orchestrator.model.changes import Change, ChangeKind, shown_path
from orchestrator.model.micro_plan import WorkerReport
from orchestrator.model.scope import canonical
from orchestrator.name_lists import some
from orchestrator.patterns import regex

MOST_LINES = 15
_MOST_FILES = 20
_MOST_RANGES = 4
_LONGEST_LINE = 400
MOST_ITEMS = 20
"""So many discovered items of a task stand in STATE."""

_LINES = regex(r"\r\n?|\n")


def report_lines(
    *,
    status: str,
    changes: Sequence[Change],
    test: str,
    passed: int | None,
    failed: int | None,
    worker: WorkerReport | None,
    todo_path: str,
    way: str = "",
) -> tuple[str, ...]:
    """The lines of a report's section, at most MOST_LINES, without heading and line endings.

    status: such as `done, abc1234`. changes: what landed. test: the command that orch ran, with its counts where they
    are known. way: a line about what it went through. What is cut of the worker's own words is pointed to by a last
    line that names `todo_path`.
    """
    lines = [
        f"- **Status:** {status}",
        f"- **Files:** {_files(changes)}",
        f"- **Tests:** {_tests(test, passed, failed)}",
        *([way] if way else []),
    ]
    is_cut = False
    texts = (("Deviations", worker.deviations if worker else ""), ("Gotchas", worker.gotchas if worker else ""))
    said = {label: _clean_lines(text) for label, text in texts}
    room = MOST_LINES - len(lines) - 1
    for index, (label, words) in enumerate(said.items()):
        later = sum(1 if len(each) <= 1 else len(each) + 1 for each in list(said.values())[index + 1 :])
        # Each part may take half of the room, and what the other leaves.
        mine = max(room // 2, room - later) if index == 0 else room
        taken, cut = _worker_lines(label, words, mine)
        lines += taken
        room -= len(taken)
        is_cut = is_cut or cut
    if is_cut:
        lines.append(f"- **Cut:** the whole report is in `{todo_path}`")
    return tuple(lines)


def plain_line(text: str) -> str:
    """One line of somebody else's words that can't end or change the item it stands in."""
    folded = _printable(" ".join(text.split()))
    return folded if len(folded) <= _LONGEST_LINE else folded[: _LONGEST_LINE - 1] + "…"


def discovered_items(items: Sequence[str], todo_path: str) -> tuple[str, ...]:
    """A worker's discovered items as STATE holds them: long ones cut, at most MOST_ITEMS, the rest pointed to."""
    kept = [_short_item(item.strip(), todo_path) for item in items[:MOST_ITEMS]]
    more = len(items) - len(kept)
    return (*kept, *((f"{more} more in `{todo_path}`",) if more else ()))


def _short_item(text: str, todo_path: str) -> str:
    lines = _LINES.split(text)
    short = "\n".join(lines[:MOST_LINES])[:_LONGEST_LINE].rstrip()
    return text if short == text.rstrip() else f"{short}… (cut; the whole is in `{todo_path}`)"


def _clean_lines(text: str) -> list[str]:
    lines = [_printable(line).strip() for line in _LINES.split(text)]
    lines = [line for line in lines if line]
    return lines or ["none"]


def _printable(line: str) -> str:
    return "".join(
        " " if character == "\t" else character for character in line
        if character == "\t" or unicodedata.category(character) != "Cc"
    )  # fmt: skip


def _worker_lines(label: str, words: list[str], room: int) -> tuple[list[str], bool]:
    """The worker's text under a label: one line as it is, more as a quote, which nothing can read as structure."""
    is_long = any(len(line) > _LONGEST_LINE for line in words)
    shown = [line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…" for line in words]
    if len(shown) == 1:
        return [f"- **{label}:** {shown[0]}"], is_long
    kept = shown[: max(0, room - 1)]
    return [f"- **{label}:**", *(f"  > {line}" for line in kept)], is_long or len(kept) < len(shown)


def _files(changes: Sequence[Change]) -> str:
    if not changes:
        return "none"
    shown = [
        f"{_coded(change.shown)} ({remark})" if (remark := _remark(change)) else _coded(change.shown)
        for change in changes
    ]
    return some(shown, _MOST_FILES)


def _remark(change: Change) -> str:
    if change.kind is ChangeKind.ADDED:
        return "new"
    if change.kind is ChangeKind.DELETED:
        return "deleted"
    ranges = [f"L{first}" if first == last else f"L{first}–{last}" for first, last in change.lines]
    text = ", ".join(ranges[:_MOST_RANGES]) + (", …" if len(ranges) > _MOST_RANGES else "")
    if change.kind is ChangeKind.RENAMED:
        moved = f"from {_coded(shown_path(change.old_path))}"
        return f"{moved}, {text}" if text else moved
    if change.kind is ChangeKind.TYPE:
        return text or "mode"
    return text


def _coded(text: str) -> str:
    """The text as inline code, with fences long enough for the backticks it holds."""
    flat = _printable(" ".join(text.split()) if "\n" in text or "\r" in text else text)
    longest = max((len(run) for run in re.findall(r"`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _tests(test: str, passed: int | None, failed: int | None) -> str:
    if not test.strip():
        return "none"
    counts = [f"{number} {word}" for number, word in ((passed, "passed"), (failed, "failed")) if number is not None]
    return f"{_coded(' '.join(test.split()))}: {', '.join(counts) if counts else 'passed'}"


def report_files(text: str) -> tuple[str, ...]:
    """The paths that the Files line of a report names, as written there in code spans; deleted ones are left out."""
    for line in _LINES.split(text):
        match = re.match(r"\s*[-*+]\s+(?:\*\*)?Files:?(?:\*\*)?:?\s*(.*)$", line, re.IGNORECASE)
        if match:
            return _listed(match[1])
    return ()


def _listed(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for span in code_spans(text):
        if not text[: span.start].endswith("(from ") and not text[span.end :].startswith(" (deleted)"):
            found.append(canonical(span.code))
    return tuple(dict.fromkeys(found))
