"""Changes of a board of boxes: the word in the parentheses and the tick, a line for a new task, a title.

Owns the spans that change; the form of a new line is that of the lines that are there. Which change is due is told
in board_edits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.formats.box_board import BoxBoard, BoxRow, wave_of_heading
from orchestrator.formats.guest_text import item_end
from orchestrator.formats.row_names import RowNames
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.section_edits import insert_section
from orchestrator.markdown.source import BOM, Span
from orchestrator.model.ids import TaskKey
from orchestrator.model.status import Status


def set_status(row: BoxRow, status: Status) -> Document:
    """The document with the status word in the parentheses behind the id, and the box ticked if it is done.

    A tick goes from what isn't done; any other mark stays until the task is done.
    """
    doc, edits = row.doc, []
    if row.words is not None:
        edits.append(Edit(row.words, str(status)))
    else:
        edits.append(Edit(Span(row.after_name, row.after_name), f" ({status})"))
    box = row.item.box_span
    mark = _mark(row, status)
    if box is not None and mark != row.mark:
        edits.append(Edit(box, mark))
    return doc.edited(*edits)


def set_title(row: BoxRow, title: str) -> Document:
    """The document with the text behind the dash replaced; where there is none yet nothing changes."""
    if not len(row.title_span):
        return row.doc
    return row.doc.edited(Edit(row.title_span, " ".join(title.split())))


def with_rows(board: BoxBoard, keys: Sequence[TaskKey], titles: Mapping[TaskKey, str], names: RowNames) -> Document:
    """The document with a box for each of the keys that has none: below its neighbour, or below its wave's heading."""
    doc = board.doc
    sample = board.rows_[0]
    marker = sample.item.marker
    rows = {key: row for row, key in reversed([*board.rows(names)]) if key is not None}
    waves: dict[int, list[TaskKey]] = {}
    for key in keys:
        waves.setdefault(key.wave, []).append(key)
    headed = {row.wave for row in board.rows_}
    has_headings = any(number is not None for number in headed)
    edits: list[Edit] = []
    unheaded: dict[int, list[str]] = {}
    groups = waves.items() if has_headings else [(0, list(keys))]
    for number, group in groups:
        texts = {key: _line(sample, key, titles.get(key, ""), names) for key in group if key not in rows}
        if not texts:
            continue
        if any(key in rows for key in group):
            edits += _beside(doc, group, rows, texts)
        elif (last := _last_in(board, number)) is not None:
            edits += _after(last, list(texts.values()))
        elif (section := _wave_section(board, number)) is not None:
            edits.append(_below(doc, section, [f"{marker} {line}" for line in texts.values()]))
        elif has_headings:
            unheaded[number] = [f"{marker} {line}" for line in texts.values()]
        else:
            edits += _after(board.rows_[-1], list(texts.values()))
    doc = doc.edited(*edits) if edits else doc
    for number, lines in unheaded.items():
        doc = _with_wave(doc, board, number, lines)
    return doc


def _mark(row: BoxRow, status: Status) -> str:
    if status is Status.DONE:
        return row.mark if row.mark in ("x", "X") else "x"
    return " " if row.mark in ("x", "X") else row.mark


def _line(sample: BoxRow, key: TaskKey, title: str, names: RowNames) -> str:
    """What stands behind the list marker for a pending task, in the form of `sample`."""
    words = f" ({Status.PENDING})" if sample.words is not None else ""
    name = names.written(key)
    flat = " ".join(title.split())
    title = "" if flat == name else flat
    lead, trail = ("`", "`") if "`" in sample.lead else (sample.lead, sample.trail)
    if "[" in lead:
        lead = trail = ""
    dash = sample.dash if sample.dash.strip() else " — "
    return f"[ ] {lead}{name}{trail}{words}{dash if title else ''}{title}".rstrip()


def _marker(row: BoxRow) -> str:
    """What stands before a row's box on its line: with the same, a neighbour is a row beside it, not below it."""
    start = row.doc.source.line_at(row.item.span.start).start
    lead = row.doc.text[start : row.item.box_span.start - 1] if row.item.box_span else ""
    return f"{row.item.marker} " if "\n" in lead or "\r" in lead or lead.startswith(BOM) else lead


def _beside(
    doc: Document, group: Sequence[TaskKey], rows: Mapping[TaskKey, BoxRow], texts: Mapping[TaskKey, str]
) -> list[Edit]:
    """New lines below the row of the task before, or above that of the first which has one."""
    edits: list[Edit] = []
    first = next(rows[key] for key in group if key in rows)
    above: BoxRow | None = None
    for key in group:
        if key in rows:
            above = rows[key]
        elif above is None:
            at = doc.source.line_at(first.item.span.start).start
            edits.append(
                Edit(Span(at, at), _marker(first) + texts[key] + doc.source.ending_before(first.item.span.end))
            )
        else:
            at = item_end(doc, above.item)
            edits.append(Edit(Span(at, at), doc.source.ending_before(at) + _marker(above) + texts[key]))
    return edits


def _after(row: BoxRow, lines: Sequence[str]) -> list[Edit]:
    at = item_end(row.doc, row.item)
    ending = row.doc.source.ending_before(at)
    return [Edit(Span(at, at), "".join(ending + _marker(row) + line for line in lines))]


def _last_in(board: BoxBoard, number: int) -> BoxRow | None:
    """The last box below a wave's heading, whatever task it is about; that heading may hold another wave's."""
    return next((row for row in reversed(board.rows_) if row.wave == number), None)


def _wave_section(board: BoxBoard, number: int) -> Section | None:
    for section in board.doc.sections:
        if board.scope.covers(section.span) and wave_of_heading(section) == number:
            return section
    return None


def _below(doc: Document, section: Section, lines: list[str]) -> Edit:
    """The first lines of a wave whose heading has no boxes below it yet."""
    at = section.own.start
    ending = doc.source.ending_before(at)
    is_bare = at == len(doc.text) and not doc.text.endswith(("\n", "\r"))
    text = ending.join(lines)
    rest = section.own.of(doc.text)
    if not rest.strip():
        return Edit(Span(at, at), (ending if is_bare else "") + text + ending)
    return Edit(Span(at, at), ending + text + ending + ("" if rest.startswith(("\n", "\r")) else ending))


def _with_wave(doc: Document, board: BoxBoard, number: int, lines: list[str]) -> Document:
    """The board with one more wave heading, in the order of the waves."""
    scope = Span(board.scope.start, board.scope.end + len(doc.text) - len(board.doc.text))
    headings = [
        (wave, one) for one in doc.sections if scope.covers(one.span) and (wave := wave_of_heading(one)) is not None
    ]
    level = headings[0][1].heading.level
    text = f"{'#' * level} Wave {number}\n\n" + "\n".join(lines)
    later = next((one for wave, one in headings if wave > number), None)
    if later is not None:
        return insert_section(doc, text, before=later)
    return insert_section(doc, text, after=headings[-1][1])
