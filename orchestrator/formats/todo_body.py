"""The body of a todo file, orch's own or a worker's copy: its named sections and what they say.

Owns section names, steps, questions and the worker's report as text to be read. A copy may hold anything: only the
named sections count, and both files are read in the same way, so that what was taken over reads as it did before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from orchestrator.errors import Location
from orchestrator.formats.guest_text import (
    from_item,
    is_harmless,
    is_quoted,
    item_lines,
    parsed,
    taken_out,
    with_endings,
)
from orchestrator.formats.labels import label_name, split_label
from orchestrator.formats.seams import content_span
from orchestrator.formats.words import is_none
from orchestrator.markdown.blocks import Block, Item, Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.quote import unquote
from orchestrator.markdown.source import Span
from orchestrator.model.micro_plan import MicroPlan, Question, Step, WorkerReport
from orchestrator.patterns import regex

GOAL, STEPS, NOTES, QUESTIONS, DISCOVERED, REPORT = "Goal", "TODO items", "Notes", "Questions", "Discovered", "Report"
PARTS = (GOAL, STEPS, NOTES, QUESTIONS, DISCOVERED, REPORT)
_TITLES = {
    GOAL: ("goal",),
    STEPS: ("todo items", "todo item", "todo", "todos", "todo list", "steps"),
    NOTES: ("notes", "note"),
    QUESTIONS: ("questions", "question", "open questions"),
    DISCOVERED: ("discovered", "discovered work"),
    REPORT: ("report",),
}
_PART_OF = {title: part for part, titles in _TITLES.items() for title in titles}
_REPORT_LABELS = {
    "status": "status",
    "files": "files",
    "file": "files",
    "tests": "tests",
    "test": "tests",
    "deviations": "deviations",
    "deviation": "deviations",
    "gotchas": "gotchas",
    "gotcha": "gotchas",
}
REQUIRED = ("Status", "Files", "Deviations", "Gotchas")
_NUMBER = regex(r"\**(?:step\s+)?(\d{1,3})[.):]\**\s+", re.IGNORECASE)
_NESTED_BOX = regex(r"^(\s*(?:[-*+]|\d{1,9}[.)])\s+)\[[^\]\r\n]\](?=\s|$)", re.MULTILINE)
_MARKER = regex(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_NONE_AND_WHY = regex(r"\W*none\W*\s*(?:[-–—:;,.(]+\s[^?]*)?", re.IGNORECASE)
"""`None - the spec says it all`: none too, unless a question follows."""
_NO_QUESTIONS = frozenset(("no questions", "no open questions", "none at this time", "no question"))


def find_part(doc: Document, part: str) -> Section | None:
    """The section of a part: the first that holds something (of reports the last), else the first of that name."""
    found: list[Section] = []
    end = 0
    for section in doc.sections:
        name = _PART_OF.get(label_name(plain(section.heading.text).rstrip(":")))
        if name is None or section.span.start < end:
            # A sub-heading of a part is that part's text, whatever it is called.
            continue
        end = section.span.end
        if name == part:
            found.append(section)
    full = [one for one in found if len(content_span(doc, one.body))]
    if part == REPORT:
        full.reverse()
    return next(iter(full or found), None)


def part_source(doc: Document, part: str) -> str | None:
    """The text of a part as it stands in the file, without outer blank lines; None without such a section."""
    section = find_part(doc, part)
    if section is None:
        return None
    span = content_span(doc, section.body)
    return doc.text[span.start : span.end]


def part_text(doc: Document, part: str) -> str:
    """What a part says: its text, taken out of the quote form where it stands in it; "" if there is none."""
    return taken_out(part_source(doc, part) or "")


def read_body(doc: Document) -> MicroPlan:
    """The micro-plan and report that a todo file holds."""
    heading = doc.headings[0] if doc.headings else None
    return MicroPlan(
        heading=plain(heading.text) if heading else "",
        goal=part_text(doc, GOAL),
        steps=tuple(step for step, _ in read_steps(doc)),
        notes=part_text(doc, NOTES),
        questions=read_questions(part_text(doc, QUESTIONS)),
        discovered=read_discovered(part_text(doc, DISCOVERED)),
        report=read_report(part_text(doc, REPORT)),
        at=doc.source.location(heading.text_span.start, max(len(heading.text_span), 1)) if heading else None,
    )


def read_steps(doc: Document) -> list[tuple[Step, Item]]:
    """The top-level boxes under TODO items; none from a text that has to be quoted (an unclosed fence, say).

    Steps keep the numbers that are written, if all have one and they go up; else they are counted from 1.
    """
    section = find_part(doc, STEPS)
    if section is None or not is_harmless(part_source(doc, STEPS) or ""):
        return []
    items = [item for item in doc.items_in(section.body) if item.box is not None and not _is_legend(item)]
    texts = [item_lines(doc, item) for item in items]
    matches = [_NUMBER.match(text) for text in texts]
    numbers = _numbers([int(match[1]) if match else None for match in matches])
    found = []
    for item, text, match, number in zip(items, texts, matches, numbers, strict=True):
        bare = text[match.end() :] if match else text
        if "[" in bare:
            bare = _NESTED_BOX.sub(r"\1[ ]", bare)
        step = Step(number, bare.rstrip(), item.box or " ", _place(doc, item.text_span))
        found.append((step, item))
    return found


def read_questions(text: str) -> tuple[Question, ...]:
    """The questions of a section's text: list items, or paragraphs; `None` is none.

    An answer stands behind `Answer:` on a line of its own below its question.
    """
    found: list[tuple[int | None, str, str]] = []
    for marker, raw in _entries(text):
        lines = raw.split("\n")
        label = split_label(lines[0])
        if marker is None and found and label is not None and label[0] == "answer":
            number, question, answer = found.pop()
            found.append((number, question, answer or _answer([lines[0][label[3] :], *lines[1:]])))
            continue
        if _is_none(raw) or plain(raw).strip(" .").casefold() in _NO_QUESTIONS:
            continue
        written = int(marker[:-1]) if marker and marker[:-1].isdigit() else None
        found.append((written, *_split_answer(lines)))
    numbers = _numbers([number for number, _, _ in found])
    return tuple(
        Question(number, question, answer) for number, (_, question, answer) in zip(numbers, found, strict=True)
    )


def questions_text(questions: Sequence[Question]) -> str:
    """The section's text for these questions, each with its answer."""
    lines: list[str] = []
    for question in questions:
        lead = f"{question.number}. "
        first, *rest = with_endings(question.text, "\n").split("\n")
        lines.append(lead + first)
        lines += [" " * len(lead) + line if line else "" for line in rest]
        if question.answer:
            said = with_endings(question.answer, "\n").split("\n")
            if len(said) == 1:
                lines.append(" " * len(lead) + f"Answer: {said[0]}")
            else:
                lines.append(" " * len(lead) + "Answer:")
                lines += [" " * len(lead) + f"> {line}" for line in said]
    return "\n".join(lines)


def read_discovered(text: str) -> tuple[str, ...]:
    """The entries of a section's text: list items, or paragraphs; `None` is none."""
    doc = parsed(text)
    found = [from_item(doc, block) if isinstance(block, Item) else block[1] for block in _blocks(doc)]
    return tuple(one.strip() for one in found if not _is_none(one))


def read_report(text: str) -> WorkerReport | None:
    """The worker's report that a section's text is, or None for an empty one."""
    if not text.strip():
        return None
    fields: dict[str, str] = {}
    owner = ""
    for marker, raw in _entries(text, ends_list=_REPORT_LABELS.__contains__):
        # A paragraph may hold a label a line; an item holds one, whatever stands below it.
        label = split_label(raw)
        name = _REPORT_LABELS.get(label[0]) if label else None
        if label is not None and name is not None:
            value = raw[label[3] :].strip()
            # A label on a line of its own has the list below it.
            owner = name if not value and name not in fields else ""
            fields.setdefault(name, value)
        elif owner and marker is not None:
            fields[owner] = f"{fields[owner]}\n{raw}".strip()
        else:
            owner = ""
    return WorkerReport(
        status=fields.get("status", ""),
        files=_files(fields.get("files", "")),
        tests=fields.get("tests", ""),
        deviations=fields.get("deviations", ""),
        gotchas=fields.get("gotchas", ""),
        missing=tuple(label for label in REQUIRED if not fields.get(label.casefold())),
        text=text,
    )


def _is_legend(item: Item) -> bool:
    """Whether an item tells what a letter in brackets means: `[P] = may run beside others`."""
    return item.text.startswith("=") and item.box not in (" ", "x", "X")


def _is_none(text: str) -> bool:
    return is_none(text) or _NONE_AND_WHY.fullmatch(plain(text)) is not None


def _files(value: str) -> tuple[str, ...]:
    # Here and not above: most todo files that are looked at have no report yet.
    from orchestrator.formats.scope_list import listed_paths

    found: list[str] = []
    for line in value.split("\n"):
        marker = _MARKER.match(line)
        entry = line[marker.end() :] if marker else line.strip()
        found += [listed.text for listed in listed_paths(entry, Span(0, len(entry)))]
    return tuple(dict.fromkeys(found))


def _entries(text: str, *, ends_list: Callable[[str], bool] | None = None) -> Iterator[tuple[str | None, str]]:
    """List items with their marker, and the rest: paragraphs, a line that starts with a label being one of its own."""
    doc = parsed(text)
    for block in _blocks(doc, ends_list):
        if isinstance(block, Item):
            yield block.marker, item_lines(doc, block)
            continue
        lines: list[str] = []
        for line in block[1].split("\n"):
            label = split_label(line)
            if lines and label is not None and (label[0] in _REPORT_LABELS or label[0] == "answer"):
                yield None, "\n".join(lines)
                lines = []
            lines.append(line.strip())
        yield None, "\n".join(lines)


def _blocks(doc: Document, ends_list: Callable[[str], bool] | None = None) -> Iterator[Item | tuple[str, str]]:
    """The items of the text's lists and its other blocks, (kind, text), in their order."""
    for part, block in _ended(doc, ends_list) if ends_list else ((doc, block) for block in doc.blocks[1:]):
        if block.kind == "list":
            yield from part.items_in(block.span)
        elif block.kind not in ("blank", "heading", "rule"):
            yield (
                block.kind,
                doc.text[block.span.start : block.span.end].replace("\r\n", "\n").replace("\r", "\n").strip(),
            )


def _ended(doc: Document, ends_list: Callable[[str], bool]) -> Iterator[tuple[Document, Block]]:
    # Here and not above: most todo files that are looked at have no report yet.
    from orchestrator.formats.list_ends import ended_blocks

    return ended_blocks(doc, Span(doc.blocks[0].span.end, len(doc.text)), ends_list)


def _split_answer(lines: list[str]) -> tuple[str, str]:
    for index, line in enumerate(lines[1:], 1):
        marker = _MARKER.match(line)
        bare = line[marker.end() :] if marker else line.strip()
        label = split_label(bare)
        if label is not None and label[0] == "answer":
            return "\n".join(lines[:index]).strip(), _answer([bare[label[3] :], *lines[index + 1 :]])
    return "\n".join(lines).strip(), ""


def _answer(lines: list[str]) -> str:
    """The text behind `Answer:`, lines in quote form taken out of it."""
    rest = "\n".join(line.strip() if not line.lstrip().startswith(">") else line.lstrip() for line in lines[1:])
    if not lines[0].strip() and is_quoted(rest):
        return unquote(rest)
    return "\n".join([lines[0].strip(), rest]).strip()


def _numbers(written: list[int | None]) -> list[int]:
    """The written numbers if all are there and go up, else 1, 2, 3…"""
    there = [number for number in written if number is not None]
    if len(there) == len(written) and all(a < b for a, b in pairwise(there)):
        return there
    return list(range(1, len(written) + 1))


def _place(doc: Document, span: Span) -> Location:
    text = re.split(r"[\r\n]", doc.text[span.start : span.end], maxsplit=1)[0]
    return doc.source.location(span.start, max(len(text), 1))
