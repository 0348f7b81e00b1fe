"""The words of the board and of `## Waves`, and how people's spellings of them are read.

This is the place to change a status word. Source of the lists: docs/file-formats.md, STATE_N.md.
"""

from __future__ import annotations

import re
from enum import StrEnum

from orchestrator.patterns import regex


class Status(StrEnum):
    """A task's status on the board."""

    PENDING = "pending"
    PLANNING = "planning"
    PLAN_READY = "plan-ready"
    APPROVED = "approved"
    RUNNING = "running"
    VERIFYING = "verifying"
    VERIFIED = "verified"
    DONE = "done"
    NEEDS_INPUT = "needs-input"
    BLOCKED = "blocked"
    SKIPPED = "skipped"

    @property
    def is_ended(self) -> bool:
        return self in (Status.DONE, Status.SKIPPED, Status.BLOCKED)


ORCHS_OWN = (Status.PLANNING, Status.PLAN_READY, Status.RUNNING, Status.VERIFYING, Status.VERIFIED)
"""What only orch writes: a person who does asks for something that can't be followed."""


class WaveStatus(StrEnum):
    """A wave's own state, in `## Waves`."""

    OPEN = "open"
    CHECKING = "checking"
    RED = "red"
    DONE = "done"


_WORDS: dict[str, Status] = {
    "": Status.PENDING,
    "pending": Status.PENDING,
    "todo": Status.PENDING,
    "to do": Status.PENDING,
    "open": Status.PENDING,
    "not started": Status.PENDING,
    "planned": Status.PENDING,
    "planning": Status.PLANNING,
    "plan ready": Status.PLAN_READY,
    "approved": Status.APPROVED,
    "running": Status.RUNNING,
    "in progress": Status.RUNNING,
    "verifying": Status.VERIFYING,
    "verified": Status.VERIFIED,
    "done": Status.DONE,
    "complete": Status.DONE,
    "completed": Status.DONE,
    "shipped": Status.DONE,
    "x": Status.DONE,
    "needs input": Status.NEEDS_INPUT,
    "blocked": Status.BLOCKED,
    "failed": Status.BLOCKED,
    "skipped": Status.SKIPPED,
    "dropped": Status.SKIPPED,
    "deferred": Status.SKIPPED,
    "n/a": Status.SKIPPED,
    "wontfix": Status.SKIPPED,
}

_WAVE_WORDS = {str(status): status for status in WaveStatus}
_DONE_MARKS = ("✅", "✔", "☑")
_BOX = regex(r"^[*_`]*\[([^\]\r\n])\](?:\s+|(?=[*_`]*$))")
# Emphasis and code marks around a word, and any symbol that is no letter, digit or slash before it.
_DRESSING = regex(r"^[^\w/\[~]+|[^\w/\]~?]+$")
_BLANK = regex(r"[\s*_`.–—-]*")
LONGEST = 200
"""Characters; a longer text is no status, and undressing it takes the longer the longer it is."""
_RESERVED = regex(r"published|in review(?: ?\(#?\w+\))?")
"""Words for a task whose change request is open elsewhere."""


def words_to_write() -> tuple[str, ...]:
    """Every spelling of a status that a person may write, the usual ones first, for hints."""
    usual = (str(status) for status in Status if status not in ORCHS_OWN)
    return tuple(dict.fromkeys((*usual, *(word for word in _WORDS if word and _WORDS[word] not in ORCHS_OWN))))


def usual_words() -> str:
    """The statuses that a person may write, as a sentence names them."""
    return ", ".join(status for status in Status if status not in ORCHS_OWN)


def read_status(text: str) -> Status | None:
    """The status that a cell's text means, or None if orch doesn't know the word.

    A box before the word doesn't count; alone it is done where it is ticked, else pending.
    """
    usual = _WORDS.get(text.replace("-", " "))
    if usual is not None:
        return usual
    mark, word = split_box(text)
    status = read_word(word)
    return Status.DONE if mark in ("x", "X") and not word else status


def split_box(text: str) -> tuple[str, str]:
    """The mark of the box that a text begins with, "" without one, and the rest; "" for a rest of dress alone."""
    box = _BOX.match(text)
    rest = text[box.end() :] if box else text
    return (box[1] if box else ""), ("" if _BLANK.fullmatch(rest) else rest.strip())


def read_word(text: str) -> Status | None:
    """The status that a word without a box means: none at all is pending, symbols alone but a tick nothing known."""
    if _BLANK.fullmatch(text):
        return Status.PENDING
    if len(text) > LONGEST:
        return None
    bare = text
    for mark in _DONE_MARKS:
        bare = bare.replace(mark, "")
    word = _word(bare)
    if not word:
        return Status.DONE if bare != text and _BLANK.fullmatch(bare.replace("\ufe0f", "")) else None
    return _WORDS.get(word)


def is_reserved(text: str) -> bool:
    """Whether the text is a word that stands for a change request which is open elsewhere."""
    if len(text) > LONGEST:
        return False
    word = re.sub(r"[\s_-]+", " ", text.strip().strip("*_`").strip()).casefold()
    return _RESERVED.fullmatch(word) is not None or _RESERVED.fullmatch(_word(text)) is not None


def _word(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", _DRESSING.sub("", text.strip())).strip().casefold()


def read_wave_status(text: str) -> WaveStatus | None:
    """The wave status that a cell means; an empty cell is open."""
    if text in _WAVE_WORDS:
        return _WAVE_WORDS[text]
    if len(text.strip()) > LONGEST:
        return None
    word = _DRESSING.sub("", text.strip()).casefold()
    if not word:
        return WaveStatus.OPEN
    try:
        return WaveStatus(word)
    except ValueError:
        return None
