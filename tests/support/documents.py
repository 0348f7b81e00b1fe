"""The project's own documents, and the marked parts in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = tuple(sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]))

_MARKED = re.compile(r"^<!-- (?P<mark>[^\n]*?) -->\n```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marked:
    """A code fence right below a comment: `<!-- KIND: ARGUMENT -->`, the argument being optional."""

    kind: str
    argument: str
    language: str
    text: str


def text_of(name: str) -> str:
    """A document's text, by its path from the top of the checkout."""
    return (ROOT / name).read_text(encoding="utf-8")


def marked(name: str) -> Iterator[Marked]:
    """Every marked fence of a document, in order."""
    for match in _MARKED.finditer(text_of(name)):
        kind, _, argument = match["mark"].partition(": ")
        yield Marked(kind, argument, match["language"], match["text"])


def table_below(name: str, mark: str) -> list[str]:
    """What stands in backticks in the first column of the table below `<!-- mark -->`."""
    below = text_of(name).split(f"<!-- {mark} -->\n", 1)[1].split("\n\n", 1)[0]
    return [word for row in below.split("\n") for word in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
