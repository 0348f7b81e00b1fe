"""The state as `status` needs it, its two long parts read line by line: the rows of the board, and the reports.

Owns a look at those two that is sure of the plain cases only, and takes them out of the text; what is left, a few
dozen lines, goes to the reader in state_file. Whatever it isn't sure of, and whatever has a problem, it declines: the
whole text is for that reader then. What it takes, that reader reads the same (held by a property test).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.formats.board import TableBoard, find_board
from orchestrator.formats.board_status import NO_MARKS, Marks, Said, said
from orchestrator.formats.places import wave_in
from orchestrator.formats.row_names import names_of
from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_tables import believed_waves, find_waves
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.structure_problems import may_hold_conflict
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.state import BoardRow, ReportSection, State
from orchestrator.nouns import replace
from orchestrator.patterns import regex

# A heading with "board", and below it a table whose rows are group 1.
_BOARD = regex(
    r"\n#{1,6}[ \t][^\n]*[Bb][Oo][Aa][Rr][Dd][^\n]*\n(?:[ \t]*\n)*"
    r"(?=\|)[^\n]*\n\|[-|: \t]*\n((?:\|[^\n]*(?:\n|\Z))*+)(?=[ \t]*(?:\n|\Z)|#)"
)
_HEADING = regex(r"\n(#{1,6})(?:[ \t]+([^\n]*)|(?=\n|\Z))")
# Below the board: what may hide a heading or be one in another form, and tables, one of which could be the board.
_UNSURE = regex(r"\n(?: {1,3}#| {0,3}(?:```|~~~|[<|=]|-+[ \t]*(?=\n|\Z)))")
_REPORT = "- **Status:** "
_CONTAINER = "task reports"


class _NotSure(Exception):
    """Only the whole reader can tell."""


def read_state_outline(text: str, plan: Plan, path: str, marks: Marks = NO_MARKS) -> State | None:
    """The state without the places of its rows and reports; None where only the whole reader can tell."""
    found = None if "\r" in text or "\0" in text or may_hold_conflict(text) else _BOARD.search(text)
    if found is None or _BOARD.search(text, found.end() - 1) or _UNSURE.search(text, found.end() - 1):
        return None
    head = Document.parse(text[: found.start(1)], path)
    names = names_of(plan, head)
    keys = {str(key): key for key in names.known}
    keys.update(names.local)
    try:
        reports, kept = _reports(text, found.end(1), keys)
        doc = Document.parse(text[: found.start(1)] + kept, path)
        rest = read_state(doc, plan, path, marks)
        board, _ = find_board(doc, names)
        if rest.problems or rest.value.board or rest.value.reports or not isinstance(board, TableBoard):
            return None
        if board.table.delimiter.end != found.start(1):
            return None
        rows = tuple(_rows(found, board, keys, marks))
    except _NotSure:
        return None
    waves = rest.value.waves
    if not rest.value.run and find_waves(doc)[1] is None:
        waves = believed_waves(plan, {row.key: row.status for row in rows})
    return replace(rest.value, board=rows, waves=waves, reports=tuple(reports))


def _reports(text: str, begin: int, keys: dict[str, TaskKey]) -> tuple[list[ReportSection], str]:
    """The reports in the text from `begin` on, and that text without them."""
    headings = list(_HEADING.finditer(text, begin - 1))
    reports: list[ReportSection] = []
    there: set[TaskKey] = set()
    kept: list[str] = []
    at = begin
    above: re.Match[str] | None = None
    for index, heading in enumerate(headings):
        name = plain(heading[2] or "")
        word, dash, title = name.partition(" — ")
        key = keys.get(word) if dash else None
        if key is None:
            above = heading
            continue
        following = headings[index + 1] if index + 1 < len(headings) else None
        stop = following.start() + 1 if following else len(text)
        body = text[heading.end() : stop]
        if not body.lstrip("\n").startswith(_REPORT) or name.endswith("#"):
            raise _NotSure
        if following and len(following[1]) > len(heading[1]):
            # A part of its own inside the report.
            raise _NotSure
        if above and len(above[1]) < len(heading[1]) and plain(above[2] or "").casefold() != _CONTAINER:
            # It stands inside a section that is read as a whole.
            raise _NotSure
        if key in there:
            raise _NotSure
        there.add(key)
        reports.append(ReportSection(key, title.strip(), body.strip()))
        kept.append(text[at : heading.start() + 1])
        at = stop
    return reports, "".join([*kept, text[at:]])


def _rows(found: re.Match[str], board: TableBoard, keys: dict[str, TaskKey], marks: Marks) -> Iterator[BoardRow]:
    """The rows of the board, each cell's text as it stands there."""
    lines = found[1].split("\n")
    if "\\" in found[1]:
        # A pipe could be escaped.
        raise _NotSure
    task, status, wave = board.columns["task"], board.columns["status"], board.columns.get("wave")
    title, note = board.columns.get("title"), board.columns.get("note")
    width = len(board.table.header.texts)
    blank = [""] * width
    spellings: dict[str, Said] = {}
    seen: set[TaskKey] = set()
    for line in lines[:-1] if not lines[-1] else lines:
        cells = [cell.strip(" \t") for cell in line.rstrip(" \t").removesuffix("|").split("|")[1:]]
        if len(cells) != width:
            if len(cells) > width:
                raise _NotSure
            cells += blank[len(cells) :]
        key = keys.get(cells[task])
        if key is None or key in seen:
            raise _NotSure
        seen.add(key)
        if wave is not None and cells[wave] != str(key.wave) and wave_in(cells[wave]) not in (None, key.wave):
            raise _NotSure
        raw = cells[status]
        if raw not in spellings:
            spellings[raw] = said(raw, "", marks)
        if spellings[raw].code:
            raise _NotSure
        yield BoardRow(
            key,
            cells[title] if title is not None else "",
            raw,
            spellings[raw].status,
            cells[note] if note is not None else "",
        )
