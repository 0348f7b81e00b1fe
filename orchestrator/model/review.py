"""A reviewer's answer: one word on the first line, then its reasons as a list. Anything else is no answer.

Owns the form of the answer, which templates/plan_review.md.j2 and diff_review.md.j2 ask for. Must not know what follows
from it.
"""

from __future__ import annotations

from orchestrator.nouns import dataclass

APPROVE, REVISE = "APPROVE", "REVISE"

_LONGEST_REASON = 400
"""Characters of one reason that are kept; a reviewer is asked for sentences, not for pages."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reviewer said. A refusal has at least one reason."""

    approves: bool
    reasons: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The reasons as one line."""
        return "; ".join(self.reasons)


def read_answer(text: str) -> Answer | str:
    """The answer that a text holds; else why it is none, as words that follow "its reviewer gave no answer: "."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").strip("\n \t\ufeff").split("\n")]
    word = lines[0]
    if not word:
        return "it said nothing"
    if word not in (APPROVE, REVISE):
        return f'it begins with "{_short(word, 60)}", not with {APPROVE} or {REVISE}'
    reasons: list[str] = []
    for line in lines[1:]:
        if line.startswith("- ") and line[2:].strip():
            reasons.append(line[2:].strip())
        elif line.startswith((" ", "\t")) and line.strip() and reasons:
            reasons[-1] += " " + line.strip()
        elif line.strip():
            return f'"{_short(line, 60)}" stands below {word}, where only a list of reasons may stand'
    if word == REVISE and not reasons:
        return f"{REVISE} stands there without a reason"
    return Answer(word == APPROVE, tuple(_short(reason, _LONGEST_REASON) for reason in reasons))


def _short(text: str, limit: int) -> str:
    folded = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"
