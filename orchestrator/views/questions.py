"""The open questions of the queue, once and together, with the command that answers them all."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.model.questions import Asked, Audience, answer_command
from orchestrator.views.printable import one_line


def question_lines(questions: Sequence[Asked], *, limit: int, width: int) -> list[str]:
    """A line a question, the command that answers those shown last; [] without an open one."""
    still = [one for one in questions if one.is_open]
    shown = still[:limit]
    lines = [question_line(one, width=width) for one in shown]
    if len(still) > limit:
        lines.append(f"{len(still) - limit} more open: {', '.join(one.id for one in still[limit : limit + 12])}")
    if shown:
        lines.append(f"answer: {answer_command(shown)}")
    return lines


def question_line(one: Asked, *, width: int = 300) -> str:
    """`Q1 5.1.2 for a person: keep it?`"""
    about = f" {one.task}" if one.task else ""
    who = " for a person" if one.audience is Audience.PERSON else ""
    return f"{one.id}{about}{who}: {one_line(one.text, width)}"
