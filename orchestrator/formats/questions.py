"""`## Questions` of STATE: the queue as it is read.

An entry is a list item that begins with `Q1`; other items and text are the user's. question_edits writes the form that
this reads. Must not know todo files, nor who asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orchestrator.errors import Location, Problem, Severity
from orchestrator.formats.guest_text import is_quoted, item_end
from orchestrator.formats.labels import split_label
from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.row_names import RowNames
from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.quote import unquote
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey
from orchestrator.model.questions import Asked, Audience
from orchestrator.nouns import dataclass, replace
from orchestrator.patterns import regex

QUESTIONS = "Questions"
_AUDIENCES = tuple(str(one) for one in Audience)
_ID = regex(r"[*_`]*Q([1-9][0-9]{0,8})[*_`]*(?![\w-])[:.]?[*_`]*[ \t]*")
_DATE = regex(r"\((\d{4}-\d\d-\d\d)\)(?=[ \t:]|$)")
_PAIR = regex(r"(key|for)=([^\s:]*)(?=[ \t:]|$)")
_TASK = regex(r"[(*_`]{0,3}([A-Za-z0-9][\w.-]*?)[)*_`]{0,3}(?=[ \t:]|$)")
_KEY_FORM = regex(r"\d+\.\d+\.[A-Za-z0-9][\w-]*")
_UNBLOCKS = regex(r"(?:\A|[ \t])Unblocks:[ \t]*([^\n]*?)\.?[ \t]*\Z", re.IGNORECASE)
_BREAK = regex(r"\r\n?|\n")
_FENCE = regex(r"[ \t]*(```|~~~)")
_LEAD = regex(r"[ \t]*(?:[-*+][ \t]+)?")
_WORDS = ("answer", "withdrawn")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry with the place of its parts in the text."""

    asked: Asked
    item: Item
    answer: Span | None
    """What stands behind `Answer:`, up to the end of the entry or to `Withdrawn:`; None without that label."""
    indent: str
    problems: tuple[Problem, ...]


def read_questions(doc: Document, names: RowNames) -> tuple[tuple[Asked, ...], list[Problem]]:
    """The queue in the order of the file, the first of several with one id, and what is wrong with it."""
    found: dict[int, Asked] = {}
    problems: list[Problem] = []
    for entry in entries_in(doc, names):
        problems += entry.problems
        first = found.setdefault(entry.asked.number, entry.asked)
        if first is not entry.asked:
            line = first.at.line if first.at else 0
            message = f"two questions are called {first.id}, the first in line {line}"
            subject = str(entry.asked.task) if entry.asked.task else ""
            hint = f"give this one a number that none has, such as Q{1 + max(found)}"
            problems.append(Problem("duplicate-question", message, entry.asked.at, hint, subject=subject))
    return tuple(found.values()), problems


def entries_in(doc: Document, names: RowNames) -> Iterator[Entry]:
    """The entries in the order of the file, with where their parts stand."""
    section = doc.section(QUESTIONS)
    for item in doc.items_in(section.body) if section else ():
        match = _ID.match(doc.text, item.text_span.start)
        if match:
            yield _entry(doc, names, item, match)


def _entry(doc: Document, names: RowNames, item: Item, match: re.Match[str]) -> Entry:
    end = item_end(doc, item)
    raw = doc.text[item.text_span.start : end]
    starts = [0, *(found.end() for found in _BREAK.finditer(raw))]
    lines = _BREAK.split(raw)
    at = _place(doc, item.text_span.start, match.end() - item.text_span.start)
    labelled = _labelled(lines)
    cut = min((index for index, _, _ in labelled), default=len(lines))
    asked, wrong = _asked(doc, names, lines[:cut], match.end() - item.text_span.start, int(match[1]), item, at)
    values: dict[str, str] = {}
    answer: Span | None = None
    for place, (index, name, column) in enumerate(labelled):
        stop = labelled[place + 1][0] if place + 1 < len(labelled) else len(lines)
        value = _value([lines[index][column:], *lines[index + 1 : stop]])
        if name in values:
            value = values[name] or value
        values[name] = value
        if name == "answer" and answer is None:
            tail = raw[: starts[stop] if stop < len(starts) else len(raw)].rstrip()
            begin = item.text_span.start + starts[index] + len(lines[index][:column].rstrip())
            answer = Span(min(begin, item.text_span.start + len(tail)), item.text_span.start + len(tail))
        if name == "withdrawn" and not value:
            where = _place(doc, item.text_span.start + starts[index], len(lines[index]))
            hint = "write why behind it, or take the line out"
            wrong.append(_wrong(f"{asked.id} is withdrawn without a reason, so it stays open", where, hint, asked.task))
    asked = replace(asked, answer=values.get("answer", ""), withdrawn=values.get("withdrawn", ""))
    answer_line = next((index for index, name, _ in labelled if name == "answer"), None)
    indent = _indent(lines[answer_line]) if answer_line is not None else " " * _width(doc, item)
    return Entry(asked, item, answer, indent or " " * _width(doc, item), tuple(wrong))


def _labelled(lines: Sequence[str]) -> list[tuple[int, str, int]]:
    """The lines that begin with `Answer:` or `Withdrawn:`, outside fences: index, label, where its value begins."""
    found = []
    fence = ""
    for index, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence == mark[1] else fence or mark[1]
            continue
        if fence or not index:
            continue
        lead = _LEAD.match(line)
        start = lead.end() if lead else 0
        label = split_label(line[start:])
        if label is not None and label[0] in _WORDS:
            found.append((index, label[0], start + label[3]))
    return found


def _asked(
    doc: Document, names: RowNames, lines: Sequence[str], at: int, number: int, item: Item, place: Location
) -> tuple[Asked, list[Problem]]:
    """What is asked, from the entry's lines above its answer; `at` is where the first one goes on behind the id."""
    line, base = lines[0], item.text_span.start
    wrong: list[Problem] = []
    task: TaskKey | None = None
    stray: Problem | None = None
    date = key = ""
    audience = Audience.PERSON
    has_task = False
    while at < len(line):
        if found := _DATE.match(line, at):
            date = found[1]
        elif found := _PAIR.match(line, at):
            if found[1] == "key":
                key = found[2]
            elif found[2] in _AUDIENCES:
                audience = Audience(found[2])
            else:
                hint = did_you_mean(found[2], _AUDIENCES) or f"write one of {', '.join(_AUDIENCES)}"
                where = _place(doc, base + found.start(2), max(1, len(found[2])))
                wrong.append(_wrong(f'"{found[2]}" is nobody who could answer', where, hint, None, Severity.ITEM))
        elif not has_task and (found := _TASK.match(line, at)) and _names_task(names, found[1]):
            has_task = True
            task = names.find(found[1])
            if not names.is_ours(task):
                hint = "name a task of this plan, or none"
                where = _place(doc, base + found.start(1), len(found[1]))
                stray = _wrong(f'"{found[1]}" is no task of plan {names.number}', where, hint, None)
                task = None
        else:
            break
        at = found.end()
        ends = line[at : at + 1] == ":"
        at += ends
        at += len(line[at:]) - len(line[at:].lstrip(" \t"))
        if ends:
            break
    wrong = [replace(one, subject=str(task)) if task and one.severity is Severity.ITEM else one for one in wrong]
    first, unblocks, faults = _without_unblocks(doc, names, line[at:], base + at, lines[1:])
    text = _text(first, lines[1:])
    asked = Asked(number, task, text, key, audience, date, unblocks, at=place)
    return asked, [*wrong, *([stray] if stray else []), *faults]


def _names_task(names: RowNames, word: str) -> bool:
    """Whether a word can be nothing but a task: one of the plan's, or one in the form of a key."""
    return word in names.local or names.is_ours(names.find(word)) or _KEY_FORM.fullmatch(word) is not None


def _without_unblocks(
    doc: Document, names: RowNames, first: str, at: int, rest: Sequence[str]
) -> tuple[str, tuple[TaskKey, ...], list[Problem]]:
    """The first line without what stands behind its last `Unblocks:`, the tasks named there, and unknown words."""
    begin = max(first.rfind("Unblocks:"), first.rfind("unblocks:"))
    match = _UNBLOCKS.match(first, max(0, begin - 1)) if begin >= 0 else None
    if match is None or (rest and any(line.strip() for line in rest) and not is_quoted(_joined(rest))):
        return first, (), []
    keys: list[TaskKey] = []
    problems: list[Problem] = []
    for found in re.finditer(r"[^\s,;`*]+", match[1]):
        word = found[0].strip(".")
        key = names.find(word)
        if names.is_ours(key) and key is not None:
            keys.append(key)
        elif word.casefold() not in ("", "none", "nothing", "—", "-", "and"):
            where = _place(doc, at + match.start(1) + found.start(), len(found[0]))
            hint = "behind `Unblocks:` stand tasks of this plan, with commas between"
            problems.append(_wrong(f'"{word}" is no task of plan {names.number}', where, hint, None))
    return first[: match.start()], tuple(dict.fromkeys(keys)), problems


def _text(first: str, rest: Sequence[str]) -> str:
    if not first.strip() and rest and is_quoted(_joined(rest)):
        return unquote(_joined(rest))
    lines = [first.strip(), *(line.strip() for line in rest)]
    return "\n".join(lines).strip()


def _value(lines: Sequence[str]) -> str:
    """What stands behind a label: on its line, or quoted below it."""
    below = _joined(lines[1:]).lstrip("\n")
    if not lines[0].strip() and is_quoted(below):
        return unquote(below)
    return "\n".join([lines[0].strip(), *(line.strip() for line in lines[1:])]).strip()


def _joined(lines: Sequence[str]) -> str:
    """Lines moved to the left, without blank ones at the end."""
    return "\n".join(line.lstrip(" \t") for line in lines).rstrip("\n")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _width(doc: Document, item: Item) -> int:
    """How far text below an item's marker is indented to belong to it."""
    return max(2, item.text_span.start - doc.source.line_at(item.text_span.start).start)


def _place(doc: Document, start: int, length: int) -> Location:
    return doc.source.location(start, length)


def _wrong(
    message: str, at: Location, hint: str, task: TaskKey | None, severity: Severity = Severity.WARNING
) -> Problem:
    return Problem("bad-question", message, at, hint, severity, subject=str(task) if task else "")
