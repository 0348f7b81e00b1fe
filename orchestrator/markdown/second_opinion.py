"""A second reading of a text by the common libraries, to tell a person where readers of Markdown part ways.

Owns the use of mistune (headings and fences) and of python-frontmatter (keys and values, scalars as strings), both
loaded only here, for a check on demand. Neither ever writes, and neither decides what the text means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from orchestrator.errors import Problem, Severity
from orchestrator.markdown.document import Document
from orchestrator.markdown.scanner import FENCE, HEADING, Node
from orchestrator.markdown.source import BOM, Source
from orchestrator.markdown.values import NULLS, Value, as_value
from orchestrator.markdown.views import heading_of

_LONGEST, _COMPARED = 2_000, 1_000
"""Characters of a line that the other reader gets, and of those that are compared: it takes the square of the time."""
_MOST = 5
"""Differences told of one text: one open fence makes a hundred."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A heading or fence as a reader sees it: `line` from 1 (0 if unknown), `words` without white space at ends."""

    kind: str
    level: int
    words: str
    line: int = 0

    @property
    def key(self) -> tuple[str, int, str]:
        """What must be the same for both readers."""
        return self.kind, self.level, self.words


def second_opinion(doc: Document) -> tuple[Problem, ...]:
    """Warnings for headings and fences that mistune sees otherwise, and for keys that python-frontmatter does."""
    return (*_key_differences(doc), *_mark_differences(doc))


def own_marks(doc: Document) -> tuple[Mark, ...]:
    """The top-level headings and fences as the scanner sees them."""
    marks = []
    for node in doc.root.children:
        if node.kind == HEADING:
            heading = heading_of(doc.source, node)
            marks.append(Mark("heading", heading.level, _words(heading.text), heading.line))
        elif node.kind == FENCE:
            marks.append(Mark("fence", 0, _words(_code(doc.source, node)), node.first + 1))
    return tuple(marks)


def mistune_marks(doc: Document) -> tuple[Mark, ...]:
    """The top-level headings and fences as mistune sees them, without lines: it has none."""
    # Only a check asks for this; every other command does without the library.
    from mistune.block_parser import BlockParser

    block = BlockParser()
    state = block.state_cls()
    state.process("\n".join([*_body_lines(doc), ""]))
    block.parse(state)
    marks = []
    for token in state.tokens:
        if token["type"] == "heading":
            marks.append(Mark("heading", token["attrs"]["level"], _words(token["text"])))
        elif token["type"] == "block_code" and token.get("style") == "fenced":
            marks.append(Mark("fence", 0, _words(token["raw"])))
    return tuple(marks)


def frontmatter_values(doc: Document) -> dict[str, Value]:
    """Keys and values as python-frontmatter reads them, every scalar a string, null the empty one.

    Raises yaml.YAMLError where it can't read them.
    """
    import frontmatter
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    class Strings(yaml.BaseLoader):
        def construct_scalar(self, node: yaml.ScalarNode) -> str:
            value = str(super().construct_scalar(node))
            return "" if node.style is None and value in NULLS else value

    class Handler(YAMLHandler):
        def load(self, fm: str, **_: object) -> Any:
            return yaml.load(fm, Loader=Strings)

    handler = Handler()
    text = doc.text.removeprefix(BOM)
    if not handler.detect(text):
        return {}
    metadata, _ = frontmatter.parse(text, handler=handler)
    return {str(key): as_value(value) for key, value in metadata.items()}


def _key_differences(doc: Document) -> Iterator[Problem]:
    front = doc.front_matter
    if doc.top_problems or front is None:
        return
    ours = {key: entry.value for key, entry in front.by_key.items()}
    import yaml

    try:
        theirs = frontmatter_values(doc)
    except yaml.YAMLError:
        theirs = {}
    for key in dict.fromkeys((*ours, *theirs)):
        if key not in NULLS and ours.get(key) != theirs.get(key):
            yield Problem(
                "readers-differ",
                f"python-frontmatter, another reader, reads the key '{key}' otherwise",
                front.location(key),
                hint="write plain `key: value` lines between two lines of exactly `---`",
                severity=Severity.WARNING,
            )


def _mark_differences(doc: Document) -> Iterator[Problem]:
    ours, theirs = own_marks(doc), mistune_marks(doc)
    # Most texts are read alike: the comparing library is loaded only for those that aren't.
    if [mark.key for mark in ours] == [mark.key for mark in theirs]:
        return
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, [mark.key for mark in ours], [mark.key for mark in theirs], autojunk=False)
    told = 0
    for tag, first, stop, other_first, other_stop in matcher.get_opcodes():
        if tag == "equal":
            continue
        for mark in ours[first:stop]:
            told += 1
            if told <= _MOST:
                how = f"doesn't see this {mark.kind}" if tag == "delete" else f"reads this {mark.kind} otherwise"
                yield _warning(doc, mark.line, f"mistune, another reader of Markdown, {how}")
        if first == stop:
            for mark in theirs[other_first:other_stop]:
                told += 1
                if told <= _MOST:
                    above = ours[first - 1].line if first else 0
                    line = _line_of(doc, mark, above)
                    seen = mark.words.splitlines()[0] if mark.words else ""
                    yield _warning(doc, line, f"mistune, another reader of Markdown, sees a {mark.kind} here: '{seen}'")


def _warning(doc: Document, line: int, message: str) -> Problem:
    place = doc.source.location(doc.source.line_start(line - 1))
    hint = "set it off by blank lines; close fences and HTML above it"
    return Problem("readers-differ", message, place, hint=hint, severity=Severity.WARNING)


def _line_of(doc: Document, mark: Mark, above: int) -> int:
    """The first line below `above` that holds the mark's first words; the line below where there is none."""
    words = mark.words.split("\n")[0]
    starts, ends = doc.source.bounds
    for index in range(above, len(starts)):
        if words and words in doc.text[starts[index] : ends[index]]:
            return index + 1
    return min(above + 1, len(starts))


def _body_lines(doc: Document) -> list[str]:
    """The lines as a plain reader should get them: no BOM, front matter lines blank."""
    starts, ends = doc.source.bounds
    top = doc.source.index_at(doc.front_matter.span.end - 1) + 1 if doc.front_matter else 0
    lines = [doc.text[start : min(end, start + _LONGEST)] for start, end in zip(starts, ends, strict=True)]
    lines[:top] = [""] * top
    return [lines[0].removeprefix(BOM), *lines[1:]] if lines else []


def _code(source: Source, node: Node) -> str:
    starts, ends = source.bounds
    last = node.last + (not node.closed)
    return "\n".join(source.text[starts[index] : ends[index]] for index in range(node.first + 1, last))


def _words(text: str) -> str:
    return "\n".join(" ".join(line[:_COMPARED].split()) for line in text.strip().split("\n"))
