"""Cells set and rows added; every other line stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.markdown.document import Document
from orchestrator.markdown.table_edits import append_row, cell_text, insert_row, set_cell
from tests.markdown.texts import change, documents, every_text, phrases

BOARD = "| Room | Size | Note |\n| --- | ---: | --- |\n| hall | 12 | |\n|kitchen|8||\n| attic |\n"


@pytest.mark.parametrize(
    ("row", "column", "text", "old", "new"),
    [
        (0, 1, "13", "| hall | 12 | |", "| hall | 13 | |"),
        (0, 2, "cold", "| hall | 12 | |", "| hall | 12 | cold |"),
        (0, 0, "", "| hall | 12 | |", "|  | 12 | |"),
        (1, 0, "pantry", "|kitchen|8||", "|pantry|8||"),
        (1, 2, "warm", "|kitchen|8||", "|kitchen|8| warm |"),
        (2, 2, "dusty", "| attic |", "| attic | | dusty |"),
        (2, 1, "", "| attic |", "| attic | |"),
        (0, 1, "a|b", "| hall | 12 | |", "| hall | a\\|b | |"),
        (0, 1, " two\r\n  lines ", "| hall | 12 | |", "| hall | two lines | |"),
        (1, 0, "ends in \\", "|kitchen|8||", "|ends in \\ |8||"),
        (0, 1, "\\1 C:\\new\\tmp $1 {{x}} %s", "| hall | 12 | |", "| hall | \\1 C:\\new\\tmp $1 {{x}} %s | |"),
    ],
)
def test_a_cell_is_set_and_its_line_alone_changes(row: int, column: int, text: str, old: str, new: str) -> None:
    assert set_cell(Document.parse(BOARD), 0, row, column, text).text == BOARD.replace(old, new)


@pytest.mark.parametrize(
    ("line", "column", "text", "expected"),
    [
        ("1 | 2", 0, "- x", "| - x | 2"),
        ("1 | 2", 0, "", "|  | 2"),
        ("1 | 2", 1, "", "1 |  |"),
        ("1 | 2", 1, "x\\", "1 | x\\ |"),
        ("1|2", 0, "x\\", "| x\\ |2"),
        ("1", 1, "2", "1 | 2 |"),
        ("1 |", 1, "2", "1 | 2 |"),
        ("1\\|", 1, "2", "1\\| | 2 |"),
        ("  | 1 | 2 |  ", 1, "3", "  | 1 | 3 |  "),
        ("|", 0, "1", "| 1 |"),
        ("1 | 2 | 3", 1, "x", "1 | x | 3"),
    ],
)
def test_rows_without_outer_pipes_stay_rows(line: str, column: int, text: str, expected: str) -> None:
    table = "a | b\n--|--\n"
    assert set_cell(Document.parse(table + line), 0, 0, column, text).text == table + expected


def test_a_cell_that_holds_the_text_already_changes_nothing() -> None:
    document = Document.parse(BOARD)
    assert set_cell(document, document.tables[0], 0, 0, " hall ") is document


def test_rows_are_added_below_between_and_on_top() -> None:
    document = Document.parse(BOARD)
    table = document.tables[0]
    assert append_row(document, table, ["cellar", "9"]).text == BOARD + "| cellar | 9 | |\n"
    lines = BOARD.splitlines(keepends=True)
    top = insert_row(document, table, 0, ["a|b", "", "c"])
    assert top.text == "".join([*lines[:2], "| a\\|b | | c |\n", *lines[2:]])
    assert insert_row(document, 0, 2, []).text == "".join([*lines[:4], "| | | |\n", *lines[4:]])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| a |\r\n|---|\r\n| 1 |\r\n\r\ntext\n", "| a |\r\n|---|\r\n| 1 |\r\n| 2 |\r\n\r\ntext\n"),
        ("| a |\n|---|", "| a |\n|---|\n| 2 |\n"),
        ("| a |\n|---|\n| 1 |", "| a |\n|---|\n| 1 |\n| 2 |\n"),
        ("\ufeff| a |\n|---|\n# next\n", "\ufeff| a |\n|---|\n| 2 |\n# next\n"),
        ("text\n  | a |\n  |---|\n", "text\n  | a |\n  |---|\n  | 2 |\n"),
    ],
)
def test_a_new_row_takes_ending_and_indent_of_its_table(text: str, expected: str) -> None:
    assert append_row(Document.parse(text), 0, ["2"]).text == expected


def test_rows_and_cells_that_are_not_there_are_refused() -> None:
    document = Document.parse(BOARD)
    with pytest.raises(IndexError, match="no column 3"):
        set_cell(document, 0, 0, 3, "x")
    with pytest.raises(IndexError):
        set_cell(document, 0, 3, 0, "x")
    with pytest.raises(IndexError, match="no place 4"):
        insert_row(document, 0, 4, [])
    with pytest.raises(ValueError, match="4 cells for a table of 3 columns"):
        append_row(document, 0, ["1", "2", "3", "4"])
    with pytest.raises(ValueError, match="no table on line 1"):
        append_row(Document.parse("text\n"), document.tables[0], [])


def test_of_two_tables_that_begin_alike_only_the_meant_one_changes() -> None:
    document = Document.parse(BOARD + "\n## Log\n\n" + BOARD)
    after = set_cell(document, document.tables[1], 0, 1, "99")
    assert after.text == BOARD + "\n## Log\n\n" + BOARD.replace("12", "99")


@settings(max_examples=150)
@given(documents, phrases, st.data())
def test_in_any_text_any_cell_takes_any_text(text: str, put: str, data: st.DataObject) -> None:
    text += "\n\n| a | b |\n|---|---|\n| 1 | 2 |\nlazy\n| x\n"
    document = Document.parse(text)
    if not document.tables:
        return
    number = data.draw(st.integers(0, len(document.tables) - 1))
    table = document.tables[number]
    if not table.rows:
        return
    row = data.draw(st.integers(0, len(table.rows) - 1))
    column = data.draw(st.integers(0, len(table.header.cells) - 1))
    after = set_cell(document, table, row, column, put)
    line = table.rows[row].span
    assert after.text.startswith(text[: line.start]) and after.text.endswith(text[line.end :])
    assert after.tables[number].rows[row].cells[column].text == cell_text(put)
    assert set_cell(after, after.tables[number], row, column, put) is after


@settings(max_examples=150)
@given(documents, st.lists(phrases, max_size=2), st.data())
def test_in_any_text_a_row_is_one_new_line(text: str, cells: list[str], data: st.DataObject) -> None:
    text += "\n\na | b\n--|--\n"
    document = Document.parse(text)
    wide = [number for number, table in enumerate(document.tables) if len(table.header.cells) >= len(cells)]
    if not wide:
        return
    number = data.draw(st.sampled_from(wide))
    after = append_row(document, number, cells)
    assert change(text, after.text)[0] == ""
    assert [cell.text for cell in after.tables[number].rows[-1].cells][: len(cells)] == list(map(cell_text, cells))


def test_in_every_file_a_cell_of_each_table_can_be_set() -> None:
    tables = 0
    for name, text in every_text():
        document = Document.parse(text)
        for number, table in enumerate(document.tables[:3]):
            row = len(table.rows) // 2
            if not table.rows:
                continue
            after = set_cell(document, number, row, 0, "zz|zz").text
            line = table.rows[row].span
            tail = text[line.end :]
            assert after.startswith(text[: line.start]) and after.endswith(tail), name
            assert after[line.start : len(after) - len(tail)].count("\n") == line.of(text).count("\n"), name
            tables += 1
    assert tables > 5
