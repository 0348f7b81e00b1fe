"""The plan as `status` needs it, without reading every field: waves, and of each spec key, title, text, dependencies.

Owns a scan for headings and dependency lines that is sure of the plain cases only. Whatever it isn't sure of, and
whatever has a problem, it declines: the reader in plan_file then tells. What it takes, that reader reads the same
(held by a property test), so that a plan can be looked at in a fraction of the time its checking takes.
"""

from __future__ import annotations

import re

from orchestrator.errors import Location, Problem
from orchestrator.formats.dependencies import DependencyReader
from orchestrator.formats.labels import label_name, split_label
from orchestrator.formats.local_ids import Numbering
from orchestrator.formats.plan_parts import HEADING, in_wave_heading, plan_title, slug_of, wave_of
from orchestrator.formats.spec_labels import GROUPS, canonical_label
from orchestrator.formats.task_names import TaskNames, own_key
from orchestrator.formats.wave_line import keys_of
from orchestrator.formats.wave_table import read_wave_table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Source, Span
from orchestrator.markdown.structure_problems import may_hold_conflict
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan, Spec
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_FIRST = regex(r"\n#{1,6}[ \t]+[^\n]*?\d+\.\d+\.\w")
# Depends on, dependencies, deps, needs, requires, blocked by, after; files, scope: groups that can hold one of them.
_LABEL_BEGINS = r"(?:[Dd][Ee][Pp]|[Nn][Ee][Ee]|[Rr][Ee][Qq]|[Bb][Ll][Oo]|[Aa][Ff][Tt]|[Ff][Ii][Ll]|[Ss][Cc][Oo])"
# The lines that matter, in one pass: headings; fences; what may hide what follows, may underline a heading or be a
# table's delimiter row, here or indented; what might be a label, whatever its dress. Each alternative begins with a
# character or a set of them, which lets most lines be passed by at once.
_LINES = regex(
    r"\n(?:#(#{0,5})(?:[ \t]+([^\n]*)|(?=\n|\Z))"
    r"|`(``+)([^\n]*)"
    r"|[ ]( {0,2}[#`~<=|:-])"
    r"|[-](?=-|[ \t]*(?:[|:\n]|\Z))()"
    r"|[<~=|:]()"
    rf"|(?=[^A-Za-z\n]*+(?:[A-Za-z]\][ \t]+[^A-Za-z\n]*+)?{_LABEL_BEGINS}))"
)
_HEADING, _FENCE, _INDENTED = (2, 1), 4, 5
"""Which alternative it was, by the last group that took part; no group for a label, a higher one for the others."""
_HIDING = regex(r"\n {0,3}(?:#|```|~~~|<)")
_UNDERLINE = regex(r"\n {0,3}(?:=+|-+)[ \t]*(?=\n|\Z)")
_DELIMITERS = regex(r"\n {0,3}\|?[ \t]*:?-+:?[ \t]*\|[-|: \t]*(?=\n|\Z)")
_LABEL = regex(
    r"\n([ \t>]*)([-*+](?= )|\d{1,9}[.)](?=[ \t])|)([ \t]*)(\[[^\]\n]\][ \t]+|)"
    rf"(?=[*_`]*{_LABEL_BEGINS})([^\n:]{{3,50}}:[^\n]*)"
)
# A label in the first cell of a row, in bold without a colon, or alone on its line.
_OTHERWISE = regex(
    r"\n[^A-Za-z\n]*+(?:[A-Za-z]\][^A-Za-z\n]*+)?"
    r"([A-Za-z][A-Za-z _-]{2,25}?)[ \t]*(?:\*\*|__|:?[*_`]*[ \t]*(?:\||(?=\n|\Z)))"
)
_USUAL = "- **Depends on:**"
_GOES_ON = regex(r"\n(?:[ \t]*\n)*[ \t]+\S")
# Lines that go on with the paragraph above them.
_LAZY = regex(r"(?:\n(?![-*+](?:\s|\Z)|\d{1,9}[.)](?:\s|\Z)|#{1,6}(?:\s|\Z)|```|~~~|>)\S[^\n]*)+")
_CLOSING = regex(r"(?:^|[ \t])#+[ \t]*\Z")


class _NoPlaces(Source):
    """A source for a reader whose problems are thrown away: places are not worked out."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text, name)
        self._nowhere = Location(name)

    def location(self, start: int, length: int = 1) -> Location:
        return self._nowhere


@dataclass(frozen=True, slots=True)
class _Heading:
    """`start` is the offset of the line, `stop` that of the next one."""

    level: int
    text: str
    start: int
    text_start: int
    stop: int


class _NotSure(Exception):
    """Only the whole reader can tell."""


def read_outline(text: str, path: str, number: int) -> Plan | None:
    """The plan with specs that have no field but `depends_on`, no goal and no acceptance.

    None where only the whole reader can tell, be it that the text is unusual or that the plan has a problem.
    """
    if "\r" in text or "\0" in text or may_hold_conflict(text):
        return None
    first = _FIRST.search(text)
    split = first.start() + 1 if first else len(text)
    head = Document.parse(text[:split], path)
    problems: list[Problem] = [*head.problems]
    title = plan_title(head, number, problems)
    table = read_wave_table(head, number)
    problems += table.problems
    if problems or not table.lines or table.is_per_task or any(block.kind == "html" for block in head.blocks):
        return None
    if any(own_key(named.word, number=number) is None for line in table.lines for named in line.tasks):
        # Names of the plan's own, or keys that only a heading completes.
        return None
    numbering = Numbering(head, number, {})
    lines = numbering.lines(table.lines)
    if numbering.local:
        return None
    keys = keys_of(lines)
    waves = [line.number for line in table.lines]
    names = TaskNames(number, keys)
    reader = DependencyReader(_NoPlaces(text, path), names, tuple(waves))
    try:
        specs = _specs(text, split - 1, path, reader, _backlog_of(head)) if first else {}
    except _NotSure:
        return None
    if reader.problems or len(names.keys) != len(keys) or len(specs) != len(keys):
        return None
    found = tuple(wave_of(line, specs, {}, reader, waves) for line in lines)
    if reader.problems:
        return None
    return Plan(number, title, path, slug=slug_of(title), waves=found, specs=tuple(specs.values()))


def _backlog_of(head: Document) -> int:
    """The level of the Backlog heading that what follows the head stands under, 0 for none."""
    backlog = 0
    for heading in head.headings:
        name = plain(heading.text)
        if _may_name_a_task(name) and HEADING.fullmatch(name):
            raise _NotSure
        if heading.level <= backlog:
            backlog = 0
        if not backlog and name.casefold() == "backlog":
            backlog = heading.level
    return backlog


def _specs(text: str, begin: int, path: str, reader: DependencyReader, backlog: int) -> dict[TaskKey, Spec]:
    """The specs in the order of the file, from the line break at `begin` on, which stands below `backlog`."""
    headings, lists = _structure(text, begin)
    tasks: list[tuple[int, TaskKey, str]] = []
    # Where the task's text that is open ends: at a heading of its level or a higher one, or at the next task.
    ends: list[int] = []
    for index, heading in enumerate(headings):
        if heading.level <= backlog:
            backlog = 0
        found = None if backlog else _task_of(heading.text, reader.names)
        if found is not None:
            if len(ends) < len(tasks):
                ends.append(heading.start)
            tasks.append((index, *found))
            continue
        if len(ends) < len(tasks) and heading.level <= headings[tasks[-1][0]].level:
            ends.append(heading.start)
        if not backlog and plain(heading.text).casefold() == "backlog":
            backlog = heading.level
    ends.append(len(text))
    specs: dict[TaskKey, Spec] = {}
    line, counted = text.count("\n", 0, begin + 1) + 1, begin + 1
    for (index, key, title), end in zip(tasks, ends, strict=False):
        if key in specs:
            raise _NotSure
        heading = headings[index]
        line += text.count("\n", counted, heading.start)
        counted = heading.start
        source = text[heading.start : heading.stop].rstrip("\n")
        at = Location(path, line, heading.text_start - heading.start + 1, len(heading.text), source)
        span = lists.get(index)
        waits = reader.read(span, wave=key.wave, subject=key) if span else ()
        specs[key] = Spec(key, title, at, text[heading.stop : end], depends_on=waits)
    return specs


def _task_of(text: str, names: TaskNames) -> tuple[TaskKey, str] | None:
    """Key and title that a heading names, None for any other heading. Not sure of keys the wave table doesn't have."""
    word, dash, title = text.partition(" — ")
    if dash and "_" not in word and (known := names.by_text.get(word)) is not None:
        return known, plain(title)
    name = plain(text)
    if in_wave_heading(name):
        # Its number is compared with that of the tasks below it.
        raise _NotSure
    match = HEADING.fullmatch(name) if _may_name_a_task(name) else None
    key = parse_key(match[1]) if match else None
    if match is None or key is None:
        return None
    title = (match[3] or match[5] or "").strip()
    if str(key) not in names.by_text or not title:
        # What is to be done may give the title.
        raise _NotSure
    return key, title


def _may_name_a_task(name: str) -> bool:
    return name[:1].isdigit() or (name[:4].casefold() == "task" and name[4:5].isspace())


def _structure(text: str, begin: int) -> tuple[list[_Heading], dict[int, Span]]:
    """The headings, and by the index of the heading above it each value of a dependency label."""
    headings: list[_Heading] = []
    lists: dict[int, Span] = {}
    marker = ""
    for match in _LINES.finditer(text, begin):
        kind = match.lastindex
        if marker:
            if kind == _FENCE and len(match[3]) >= len(marker) and not match[4].strip(" \t"):
                marker = ""
            elif kind == _INDENTED and match[5].endswith("`") and _HIDING.match(text, match.start()):
                # It may end here.
                raise _NotSure
        elif kind in _HEADING:
            headings.append(_heading(match, len(text)))
        elif kind == _FENCE:
            if "`" in match[4]:
                # Code in a line, not a fence: what it goes on with only the whole reader can tell.
                raise _NotSure
            marker = match[3]
        else:
            if kind is not None:
                _refuse_unsure(text, match.start())
                _refuse_other_forms(text, match.start())
            value = _dependency_list(text, match.start()) if kind in (None, _INDENTED) else None
            if value is not None and lists.setdefault(len(headings) - 1, value) is not value:
                raise _NotSure
    if marker:
        raise _NotSure
    return headings, lists


def _refuse_unsure(text: str, ending: int) -> None:
    """Raise _NotSure if the line behind this line break opens a block that hides others, a heading, the wave table."""
    if _HIDING.match(text, ending):
        raise _NotSure
    above = text[text.rfind("\n", 0, ending) + 1 : ending].casefold()
    if above.strip() and _UNDERLINE.match(text, ending):
        raise _NotSure
    if ("wave" in above or "#" in above) and _DELIMITERS.match(text, ending):
        raise _NotSure


def _refuse_other_forms(text: str, ending: int) -> None:
    """Raise _NotSure if the line behind this line break is a dependency field without a colon, or a table's."""
    match = _OTHERWISE.match(text, ending)
    if match:
        name = label_name(match[1])
        if canonical_label(name) == "depends on" or name in GROUPS:
            raise _NotSure


def _heading(match: re.Match[str], length: int) -> _Heading:
    raw = match[2] or ""
    if raw.endswith(("#", " ", "\t")):
        closing = _CLOSING.search(raw)
        raw = (raw[: closing.start()] if closing else raw).strip(" \t")
    text_start = match.start(2) if raw else match.end()
    return _Heading(len(match[1]) + 1, raw, match.start() + 1, text_start, min(match.end() + 1, length))


def _dependency_list(text: str, ending: int) -> Span | None:
    """The value of the label on the line behind this line break, None where it is no such label.

    Not sure of one that isn't a plain item on one line.
    """
    if text.startswith(_USUAL, ending + 1):
        start, stop = ending + 1 + len(_USUAL), text.find("\n", ending + 1)
        value = Span(start, stop if stop >= 0 else len(text))
    else:
        _refuse_other_forms(text, ending)
        match = _LABEL.match(text, ending)
        label = split_label(match[5]) if match else None
        if match is None or label is None:
            return None
        if canonical_label(label[0]) != "depends on" and label[0] not in GROUPS:
            return None
        is_plain = not match[1] and match[2] in ("-", "*", "+") and 1 <= len(match[3]) <= 4 and not match[4]
        if not is_plain or label[0] in GROUPS:
            raise _NotSure
        value = Span(match.start(5) + label[3], match.end())
    if text[value.start : value.end].rstrip().endswith((",", ";", "+", "&")):
        raise _NotSure
    if not text[value.start : value.end].strip() and text[value.end + 1 : value.end + 2] not in ("", "\n", "-", "#"):
        # The next line may be the value.
        raise _NotSure
    # Something indented that follows: a list below the label, or text that belongs to it.
    lazy = _LAZY.match(text, value.end)
    if lazy and _GOES_ON.match(text, lazy.end()):
        raise _NotSure
    if text[value.end + 1 : value.end + 2] in ("\n", " ", "\t") and _GOES_ON.match(text, value.end):
        raise _NotSure
    return value
