"""The plan as `status` needs it, without reading every field: waves, and of each spec key, title, text, dependencies.

Owns a scan for headings and dependency lines that is sure of the plain cases only. Whatever it isn't sure of, and
whatever has a problem, it declines: the reader in plan_file then tells. What it takes, that reader reads the same
(held by a property test), so that a plan can be looked at in a fraction of the time its checking takes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from orchestrator.errors import Location, Problem
from orchestrator.formats.dependencies import DependencyReader
from orchestrator.formats.labels import split_label
from orchestrator.formats.plan_parts import HEADING, plan_title, slug_of, wave_of
from orchestrator.formats.spec_labels import GROUPS, canonical_label
from orchestrator.formats.task_names import TaskNames
from orchestrator.formats.wave_table import read_wave_table
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Source, Span
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan, Spec
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

# Lines that open or end a block in another way than by their first character, or hide what follows them.
_UNSURE = regex(r"\n(?: {1,3}(?:#|```|~~~|<)|<|~~~)")
_UNDERLINE = regex(r"\n {0,3}(?:=+|-+)[ \t]*(?=\n|\Z)")
_LINE = regex(r"\n(?:(#{1,6})(?:[ \t]+([^\n]*)|(?=\n|\Z))|(`{3,})([^\n]*))")
_CLOSING = regex(r"(?:^|[ \t])#+[ \t]*\Z")
_FIRST = regex(r"\n#{1,6}[ \t]+[^\n]*?\d+\.\d+\.\w")
_DELIMITERS = regex(r"\n {0,3}\|?[ \t]*:?-+:?[ \t]*\|[-|: \t]*(?=\n|\Z)")
# A line that might begin with the label of a dependency list, or of a group that can hold one, whatever its dress.
_LABEL = regex(
    r"\n([ \t>]*)([-*+](?= )|\d{1,9}[.)](?=[ \t])|)([ \t]*)(\[[^\]\n]\][ \t]+|)"
    r"(?=[*_`]*(?:[Dd][Ee][Pp]|[Bb][Ll][Oo]|[Aa][Ff][Tt]|[Ff][Ii][Ll]|[Ss][Cc][Oo]))([^\n:]{3,50}:[^\n]*)"
)
_USUAL = "**Depends on:**"
_GOES_ON = regex(r"\n(?:[ \t]*\n)*[ \t]+\S")


class _NoPlaces(Source):
    """A source for a reader whose problems are thrown away: places are not worked out."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text, name)
        self._nowhere = Location(name)

    def location(self, start: int, length: int = 1) -> Location:
        return self._nowhere


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    text: str
    start: int
    """Offset of the line."""
    text_start: int
    stop: int
    """Offset of the next line."""


def read_outline(text: str, path: str, number: int) -> Plan | None:
    """The plan with specs that have no field but `depends_on`, no goal and no acceptance.

    None where only the whole reader can tell, be it that the text is unusual or that the plan has a problem.
    """
    if "\r" in text or "\0" in text:
        return None
    first = _FIRST.search(text)
    split = first.start() + 1 if first else len(text)
    head = Document.parse(text[:split], path)
    problems: list[Problem] = [*head.problems]
    title = plan_title(head, number, problems)
    table = read_wave_table(head, number)
    problems += table.problems
    if problems or any(block.kind == "html" for block in head.blocks):
        return None
    keys = [key for line in table.lines for key, _ in line.tasks]
    names = TaskNames(number, keys)
    reader = DependencyReader(_NoPlaces(text, path), names, tuple(line.number for line in table.lines))
    specs = _specs(text, split - 1, path, number, reader) if first else {}
    if specs is None or reader.problems or len(names.keys) != len(keys) or specs.keys() != set(keys):
        return None
    waves = tuple(wave_of(line, specs, reader, [other.number for other in table.lines]) for line in table.lines)
    if reader.problems:
        return None
    return Plan(number, title, path, slug=slug_of(title), waves=waves, specs=tuple(specs.values()))


def _specs(text: str, begin: int, path: str, number: int, reader: DependencyReader) -> dict[TaskKey, Spec] | None:
    """The specs in the order of the file, from the line break at `begin` on; None where it isn't sure of one."""
    if _UNSURE.search(text, begin) or _has_underline(text, begin) or _has_wave_table(text, begin):
        return None
    found = _headings(text, begin)
    if found is None:
        return None
    headings, fences = found
    tasks: list[tuple[int, TaskKey, str]] = []
    backlog = 0
    for index, heading in enumerate(headings):
        name = plain(heading.text)
        if backlog and heading.level <= backlog:
            backlog = 0
        if not backlog and name.casefold() == "backlog":
            backlog = heading.level
        match = HEADING.fullmatch(name) if not backlog else None
        key = parse_key(match[1]) if match else None
        if match is None or key is None:
            continue
        tasks.append((index, key, (match[3] or match[5] or "").strip()))
    lists = _dependency_lists(text, begin, headings, fences)
    if lists is None or len({key for _, key, _ in tasks}) != len(tasks):
        return None
    specs: dict[TaskKey, Spec] = {}
    line, counted = text.count("\n", 0, begin + 1) + 1, begin + 1
    for position, (index, key, title) in enumerate(tasks):
        heading = headings[index]
        stop = headings[tasks[position + 1][0]].start if position + 1 < len(tasks) else len(text)
        lower = (other.start for other in headings[index + 1 :] if other.level <= heading.level)
        stop = min(stop, next(lower, len(text)))
        line += text.count("\n", counted, heading.start)
        counted = heading.start
        at = Location(
            path,
            line,
            heading.text_start - heading.start + 1,
            max(len(heading.text), 1),
            text[heading.start : heading.stop].rstrip("\n"),
        )
        span = lists.get(index)
        waits = reader.read(span, wave=key.wave, subject=key) if span else ()
        specs[key] = Spec(key, title, at, text[heading.stop : stop], depends_on=waits)
    return specs


def _has_underline(text: str, begin: int) -> bool:
    """Whether a line of hyphens or equal signs stands right below a line that isn't blank."""
    return any(_line_above(text, match.start()).strip() for match in _UNDERLINE.finditer(text, begin))


def _has_wave_table(text: str, begin: int) -> bool:
    """Whether there is a table that could be taken for the wave table."""
    headers = (_line_above(text, match.start()).casefold() for match in _DELIMITERS.finditer(text, begin))
    return any("wave" in header or "#" in header for header in headers)


def _line_above(text: str, ending: int) -> str:
    return text[text.rfind("\n", 0, ending) + 1 : ending]


def _headings(text: str, begin: int) -> tuple[list[_Heading], list[int]] | None:
    """The headings, and the bounds of all fences, begin and end in turn; None for a fence that doesn't end."""
    headings: list[_Heading] = []
    fences: list[int] = []
    marker = ""
    for match in _LINE.finditer(text, begin):
        start = match.start() + 1
        if match[3]:
            if not marker:
                if "`" in match[4]:
                    # Code in a line, not a fence.
                    continue
                marker = match[3]
                fences.append(start)
            elif len(match[3]) >= len(marker) and not match[4].strip(" \t"):
                marker = ""
                fences.append(match.end())
        elif not marker:
            raw = match[2] or ""
            closing = _CLOSING.search(raw)
            content = (raw[: closing.start()] if closing else raw).strip(" \t")
            text_start = match.start(2) if match[2] is not None and content else match.end()
            headings.append(_Heading(len(match[1]), content, start, text_start, min(match.end() + 1, len(text))))
    return None if marker else (headings, fences)


def _dependency_lists(
    text: str, begin: int, headings: Sequence[_Heading], fences: Sequence[int]
) -> dict[int, Span] | None:
    """The value of each dependency label, by the heading it stands under; None where a label isn't a plain item."""
    starts = [heading.start for heading in headings]
    found: dict[int, Span] = {}
    for match in _LABEL.finditer(text, begin):
        is_usual = match[5].startswith(_USUAL)
        label = ("depends on", 2, 12, len(_USUAL)) if is_usual else split_label(match[5])
        if label is None or bisect_right(fences, match.start() + 1) % 2:
            continue
        if canonical_label(label[0]) != "depends on" and label[0] not in GROUPS:
            continue
        index = bisect_right(starts, match.start() + 1) - 1
        value = Span(match.start(5) + label[3], match.end())
        stripped = match[0].rstrip()
        is_plain = not match[1] and match[2] in ("-", "*", "+") and 1 <= len(match[3]) <= 4 and not match[4]
        if not is_plain or label[0] in GROUPS or stripped.endswith((",", ";", "+", "&")) or index in found:
            return None
        if _GOES_ON.match(text, match.end()):
            # Something indented follows: a list below the label, or text that belongs to it.
            return None
        found[index] = value
    return found
