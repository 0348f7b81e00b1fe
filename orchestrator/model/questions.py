"""A question of STATE's queue: what is asked about which task, who may answer, and how it ended.

Owns what makes two questions the same, and the options in a text. Must not know how any of it is written down.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from orchestrator.digests import sha256
from orchestrator.errors import Location
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass, field
from orchestrator.patterns import regex

_WORD = regex(r"[a-z0-9]+")
_FOR = regex(r"\bfor[=:][ \t]*(person|orchestrator)\b", re.IGNORECASE)
_OPTIONS = regex(r"(?:\A|\s)Options:[ \t]*(.+?)(?=[.;]?\s+Recommended:|\.?[ \t]*(?:\n|\Z))", re.IGNORECASE)
_RECOMMENDED = regex(r"(?:\A|\s)Recommended:[ \t]*(.+?)\.?[ \t]*(?:\n|\Z)", re.IGNORECASE)
_BETWEEN = regex(r"\s*[·|]\s*|\s*;\s+|,\s+")
_KEY_LENGTH = 40
_EXPLAINED = ",;:.(-–—"
"""What may stand behind an option in an answer, before words that explain it."""


class Audience(StrEnum):
    """Who may answer. A person may answer everything."""

    PERSON = "person"
    ORCHESTRATOR = "orchestrator"


@dataclass(frozen=True, slots=True)
class Asked:
    """One entry of the queue; open until it has an answer or a reason why it was withdrawn."""

    number: int
    task: TaskKey | None
    text: str
    """All that is asked, options included."""
    key: str = ""
    """What makes it the same as another question about the task; empty where a person gave none."""
    audience: Audience = Audience.PERSON
    date: str = ""
    unblocks: tuple[TaskKey, ...] = ()
    answer: str = ""
    withdrawn: str = ""
    at: Location | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """`Q1`."""
        return f"Q{self.number}"

    @property
    def is_open(self) -> bool:
        return not self.answer and not self.withdrawn

    @property
    def options(self) -> tuple[str, ...]:
        """What its text offers behind `Options:`, at most one line of it."""
        found = _OPTIONS.search(self.text)
        return tuple(part for part in _BETWEEN.split(found[1].strip()) if part) if found else ()

    @property
    def recommended(self) -> str:
        """What its text says behind `Recommended:`."""
        found = _RECOMMENDED.search(self.text)
        return found[1].strip() if found else ""

    def holds(self, key: TaskKey) -> bool:
        """Whether a task waits for it while it is open."""
        return key == self.task or key in self.unblocks


def question_key(text: str) -> str:
    """The key of a question that has none of its own: its first words, or a number where they don't tell it whole.

    Blind to case and white space, so that a question written again with the plan is the same one.
    """
    plain = " ".join(text.split()).casefold()
    # Options may be a long list, and say little about what is asked: they count in the number alone.
    words = "-".join(_WORD.findall(plain.partition(" options:")[0]))
    whole = " options:" not in plain and re.sub(r"[^a-z0-9]+", "", plain) == re.sub(r"\W+|_", "", plain)
    if words and whole and len(words) <= _KEY_LENGTH:
        return words
    short = words[:_KEY_LENGTH].rpartition("-")[0] if len(words) > _KEY_LENGTH else words
    return f"{short}-{sha256(plain.encode()).hexdigest()[:6]}".lstrip("-")


def audience_in(text: str) -> Audience:
    """Who a worker wants to be answered by: the orchestrator, unless it wrote `for=person`."""
    found = _FOR.search(text)
    return Audience(found[1].lower()) if found else Audience.ORCHESTRATOR


def open_ones(questions: Iterable[Asked], key: TaskKey) -> tuple[Asked, ...]:
    """The open questions that a task waits for."""
    return tuple(one for one in questions if one.is_open and one.holds(key))


def answer_command(questions: Iterable[Asked]) -> str:
    """The command that answers them all, with placeholders; "" for none. Where one is for a person it says that the
    words are a person's, without which it would be refused in a session."""
    asked = tuple(questions)
    pairs = " ".join(f'{one.id} "…"' for one in asked)
    person = "--person " if any(one.audience is Audience.PERSON for one in asked) else ""
    return f"orch answer {person}{pairs}" if asked else ""


def chosen(asked: Asked, answer: str) -> bool:
    """Whether an answer is one of the options, which may be explained behind a comma or the like; blind to case. True
    for a question without options."""
    said = " ".join(answer.split()).casefold()
    options = [" ".join(option.split()).casefold() for option in asked.options]
    return not options or any(
        said.startswith(option) and (len(said) == len(option) or said[len(option) :].lstrip()[0] in _EXPLAINED)
        for option in options
    )
