"""Boxes ticked: one character, nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.item_edits import set_box
from tests.markdown.texts import DATA, documents, every_text, read


def boxes(items: tuple[Item, ...]) -> list[Item]:
    """All items with a box, children after their parents."""
    found = []
    for item in items:
        found += [item, *boxes(item.children)] if item.box is not None else boxes(item.children)
    return found


def test_a_tick_changes_one_character_of_one_line() -> None:
    text = "- [ ] Run tests\n- [ ] Run tests\n  - [ ] Run tests\n"
    document = Document.parse(text)
    assert set_box(document, document.items[1], "x").text == "- [ ] Run tests\n- [x] Run tests\n  - [ ] Run tests\n"
    nested = set_box(document, document.items[1].children[0], "x")
    assert nested.text == "- [ ] Run tests\n- [ ] Run tests\n  - [x] Run tests\n"


def test_a_box_that_holds_the_mark_already_changes_nothing() -> None:
    document = Document.parse("- [~] part\n")
    assert set_box(document, document.items[0], "~") is document


@pytest.mark.parametrize("mark", ["", "xx", "\n", "\r", "]", "\t"])
def test_a_box_holds_one_character_that_can_be_told_from_its_brackets(mark: str) -> None:
    document = Document.parse("- [ ] a\n")
    with pytest.raises(ValueError, match="one character"):
        set_box(document, document.items[0], mark)


def test_an_item_without_box_gets_none() -> None:
    document = Document.parse("- a\n")
    with pytest.raises(ValueError, match="line 1 has no box"):
        set_box(document, document.items[0], "x")


def test_all_kinds_of_boxes_of_our_odd_file_can_be_set() -> None:
    document = Document.parse(read(DATA / "boxes.md"))
    for number in range(len(boxes(document.items))):
        document = set_box(document, boxes(document.items)[number], "!")
    assert {item.box for item in boxes(document.items)} == {"!"}
    assert document.text.count("[!]") == 14


@given(documents, st.data())
def test_in_any_text_a_tick_is_one_character_and_reads_back(text: str, data: st.DataObject) -> None:
    document = Document.parse(text)
    found = boxes(document.items)
    if not found:
        return
    number = data.draw(st.integers(0, len(found) - 1))
    item = found[number]
    assert item.box_span is not None
    ticked = set_box(document, item, "?")
    assert ticked.text == text[: item.box_span.start] + "?" + text[item.box_span.end :]
    assert boxes(ticked.items)[number].box == "?"
    assert set_box(ticked, boxes(ticked.items)[number], item.box or "").text == text


def test_in_every_file_boxes_at_both_ends_and_in_the_middle_can_be_ticked() -> None:
    ticked = 0
    for name, text in every_text():
        document = Document.parse(text)
        found = boxes(document.items)
        for item in {id(one): one for one in (*found[:1], *found[len(found) // 2 :][:1], *found[-1:])}.values():
            assert item.box_span is not None
            after = set_box(document, item, "$").text
            assert after == text[: item.box_span.start] + "$" + text[item.box_span.end :], name
            ticked += 1
    assert ticked > 10
