"""What a row's box and word say together, and what is wrong with them.

Owns the rules: the word wins over the mark and a clash is told; an unknown mark is not done and means what `marks:`
of ORCH.md says; a word that isn't understood is a problem, never a guess. Knows no table and no list.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.errors import Severity
from orchestrator.formats.nearest import did_you_mean
from orchestrator.markdown.plain import plain
from orchestrator.model.status import (
    LONGEST,
    Status,
    is_reserved,
    read_status,
    read_word,
    split_box,
    usual_words,
    words_to_write,
)
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

Marks = Mapping[str, Status]
"""What box marks besides a blank and an x mean: `marks:` of ORCH.md."""

NO_MARKS: Marks = {}
_REMARK = regex(r"(.*\S)\s*\([^()]*\)\W*|(.*?\S)\s*(?:—|–|,|;|:)\s.*")
_USUAL_MARKS = (" ", "x", "X")


@dataclass(frozen=True, slots=True)
class Said:
    """The status a row says, None for words that aren't understood; `code` is "" where nothing is wrong."""

    status: Status | None
    code: str = ""
    message: str = ""
    hint: str = ""
    severity: Severity = Severity.ITEM


def said(raw: str, mark: str, marks: Marks) -> Said:
    """What a word (of a cell, or in the parentheses behind a box) and a box mark ("" without a box) say."""
    if not mark:
        usual = read_status(raw) if "[" not in raw else None
        if usual is not None:
            return Said(usual)
        mark, raw_word = split_box(raw)
    else:
        _, raw_word = split_box(raw)
    if not raw_word and mark:
        return _by_mark(mark, marks)
    status = read_word(raw_word)
    if status is None:
        return _unknown(raw, raw_word)
    means = _meaning(mark, marks)
    clashes = means is not None and means is not status and Status.DONE in (means, status)
    if clashes or (mark in marks and mark not in _USUAL_MARKS and means is not status):
        return Said(
            status,
            "mark-clash",
            f'the box says "[{mark}]", the word "{plain(raw_word)}"',
            f"the word counts: {status}; make them agree",
            Severity.WARNING,
        )
    return Said(status)


def _by_mark(mark: str, marks: Marks) -> Said:
    means = _meaning(mark, marks)
    if means is not None:
        return Said(means)
    return Said(
        Status.PENDING,
        "unknown-mark",
        f'the mark "[{mark}]" has no meaning; it counts as not done',
        f"write the status in words, or say what it means in ORCH.md: marks: {{'{mark}': skipped}}",
        Severity.WARNING,
    )


def _meaning(mark: str, marks: Marks) -> Status | None:
    if mark in ("x", "X"):
        return Status.DONE
    return Status.PENDING if mark == " " else marks.get(mark)


def _unknown(raw: str, word: str) -> Said:
    shown = " ".join(raw.split())
    if is_reserved(word):
        message = f'"{shown}" is kept for tasks whose change request is open elsewhere, which orch doesn\'t follow yet'
        return Said(None, "reserved-status", message, "write blocked to hold the task, done once it is merged")
    remark = _REMARK.fullmatch(word) if len(word) <= LONGEST else None
    first = (remark[1] or remark[2]) if remark else ""
    if first and read_word(first) is not None:
        hint = f'write "{plain(first)}" alone; a remark goes into the note or behind the dash'
    else:
        hint = did_you_mean(plain(word), words_to_write()) or f"the words are {usual_words()}"
    return Said(None, "unknown-status", f'"{shown}" is no status', hint)
