"""Fields written as `**Label:** value`: the one reader of labels, for specs, reports and answers.

Owns how a label may be dressed and how its value is told from it. Knows no list of labels.
"""

from __future__ import annotations

from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.source import Span
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_LABEL = regex(
    r"(?P<mark>\*{1,3}|_{1,2}|`|)(?P<label>[^\W\d_][\w /()-]{0,39}?)"
    r"[ \t]*+(?::[ \t]*(?P=mark)|(?P=mark)[ \t]*+:)(?=\s|$|[^/\\])"
)
# Blanks count only from their first one on: a run of them that no line break follows is looked through once.
_BREAK = regex(r"(?:(?<![ \t])[ \t]++)?(?:\r\n?|\n)[ \t]*")


@dataclass(frozen=True, slots=True)
class Field:
    """One labelled item. `name` is the label in lower case with single blanks; `value` spans the text after it."""

    name: str
    label: Span
    value: Span
    item: Item


def label_name(text: str) -> str:
    """How a label is compared: case, hyphens, underscores and runs of blanks don't count."""
    return " ".join(text.replace("-", " ").replace("_", " ").split()).casefold()


def split_label(text: str) -> tuple[str, int, int, int] | None:
    """Label name, its start and end, and where its value begins, for a text that starts with a label; else None."""
    match = _LABEL.match(text)
    if match is None:
        return None
    return label_name(match["label"]), match.start("label"), match.end("label"), match.end()


def field_of(doc: Document, item: Item) -> Field | None:
    """The field that an item is, or None for an item without a label."""
    start, end = item.text_span.start, item.text_span.end
    found = split_label(doc.text[start:end])
    if found is None:
        return None
    name, label_start, label_end, value_start = found
    return Field(
        name, Span(start + label_start, start + label_end), trimmed(doc.text, Span(start + value_start, end)), item
    )


def trimmed(text: str, span: Span) -> Span:
    """The span without white space at both ends; empty at its start if there is nothing else."""
    part = text[span.start : span.end]
    start = span.start + len(part) - len(part.lstrip())
    if start >= span.end:
        return Span(span.start, span.start)
    return Span(start, span.start + len(part.rstrip()))


def one_line(text: str) -> str:
    """The text with its line breaks, and the indentation after them, turned into single blanks."""
    if "\n" in text or "\r" in text:
        text = _BREAK.sub(" ", text)
    return text.strip()
