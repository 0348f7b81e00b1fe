"""Sentences of a spec that say what the task waits for, where no field does.

Owns how such a sentence begins. It is never followed: whoever wrote it is told how to write a field.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from orchestrator.errors import Problem, Severity
from orchestrator.formats.task_names import TaskNames
from orchestrator.markdown.document import Document
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey
from orchestrator.patterns import regex

_SENTENCE = regex(
    r"(?:(?<=\n)|(?<=\r))(?:[-*+][ \t]+)?[*_]{0,2}"
    r"(?P<said>(?:Requires|Needs|Depends (?:up)?on|Blocked by|Waits (?:for|on))[*_]{0,2}[ \t]+(?:tasks?[ \t]+)?`?"
    r"(?P<word>\w[\w.-]*))"
)


def prose_dependencies(
    doc: Document, span: Span, names: TaskNames, *, subject: TaskKey, known: Collection[TaskKey | None]
) -> Iterator[Problem]:
    """A warning for each line of the span's text that begins so and names a task which isn't among those `known`."""
    if not _SENTENCE.search(doc.text, span.start, span.end):
        return
    for block in doc.blocks_in(span):
        if block.kind not in ("paragraph", "list"):
            continue
        for found in _SENTENCE.finditer(doc.text, block.span.start, block.span.end):
            word = found["word"].rstrip(".-")
            # A number alone is mostly a count.
            key = names.find(word) if not word.isdigit() else None
            if not isinstance(key, TaskKey) or key == subject or key in known:
                continue
            said = found["said"].rstrip(".-")
            yield Problem(
                "dependency-in-prose",
                f'"{said}" is prose: nothing waits for it',
                doc.source.location(found.start("said"), len(said)),
                f"write it as a field: **Depends on:** {word}",
                Severity.WARNING,
                subject=str(subject),
            )
