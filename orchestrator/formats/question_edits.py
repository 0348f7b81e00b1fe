"""`## Questions` of STATE: the surgical edits of the queue.

Owns the form of an entry, in which text of any kind comes back as it went in. Must not know todo files, nor who asks.
"""

from __future__ import annotations

from orchestrator.formats.faults import trusted
from orchestrator.formats.guest_text import item_end, quoted, with_endings
from orchestrator.formats.questions import QUESTIONS, entries_in, read_questions
from orchestrator.formats.row_names import RowNames
from orchestrator.formats.seams import append_items, first_section
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.section_edits import insert_section
from orchestrator.markdown.source import Span
from orchestrator.model.questions import Asked
from orchestrator.nouns import replace


def enter_question(doc: Document, names: RowNames, asked: Asked) -> Document:
    """The document with one more entry at the end of the queue; `asked.number` is used as it is."""
    asked = replace(asked, text=with_endings(asked.text.strip(), "\n"))
    section = trusted(doc).section(QUESTIONS)
    if section is None:
        before = first_section(doc, "Discovered", "Task Reports")
        doc = insert_section(doc, f"## {QUESTIONS}", before=before)
        section = doc.section(QUESTIONS)
    if section is None:
        raise RuntimeError("the section for questions didn't read back")
    for text in (_plain_entry(names, asked), _quoted_entry(names, asked)):
        new = append_items(doc, section, text)
        if _reads_back(doc, new, names, asked):
            return new
    raise RuntimeError(f"{asked.id} didn't read back")


def answer_question(doc: Document, names: RowNames, number: int, text: str) -> Document:
    """The document with the answer of an entry, an earlier one replaced. Raises KeyError where there is none."""
    return _ended(doc, names, number, text, "Answer")


def withdraw_question(doc: Document, names: RowNames, number: int, reason: str) -> Document:
    """The document with an entry withdrawn. Raises KeyError where there is none."""
    return _ended(doc, names, number, reason, "Withdrawn")


def _ended(doc: Document, names: RowNames, number: int, text: str, label: str) -> Document:
    entry = next((one for one in entries_in(trusted(doc), names) if one.asked.number == number), None)
    if entry is None:
        raise KeyError(number)
    text = with_endings(text.strip(), "\n")
    name = "answer" if label == "Answer" else "withdrawn"
    if getattr(entry.asked, name) == text:
        return doc
    end = item_end(doc, entry.item)
    ending = doc.source.ending_before(end)
    forms = [f" {text}"] if "\n" not in text else []
    forms.append("".join(f"\n{entry.indent}{line}" for line in quoted(text).split("\n")))
    wanted = replace(entry.asked, answer=text) if label == "Answer" else replace(entry.asked, withdrawn=text)
    for form in forms:
        if label == "Answer" and entry.answer is not None:
            edit = Edit(entry.answer, with_endings(form, ending))
        else:
            edit = Edit(Span(end, end), with_endings(f"\n{entry.indent}{label}:{form}", ending))
        new = doc.edited(edit)
        if _reads_back(doc, new, names, wanted):
            return new
    raise RuntimeError(f"the end of {entry.asked.id} didn't read back")


def _reads_back(old: Document, new: Document, names: RowNames, wanted: Asked) -> bool:
    """Whether the entry reads as wanted, the others as they did, and no structure has changed but that."""
    before, after = read_questions(old, names)[0], read_questions(new, names)[0]
    others = [one for one in after if one.number != wanted.number]
    return (
        wanted in after
        and others == [one for one in before if one.number != wanted.number]
        and [one.text for one in new.headings if one.text != QUESTIONS]
        == [one.text for one in old.headings if one.text != QUESTIONS]
    )


def _head(names: RowNames, asked: Asked) -> str:
    task = f" {names.written(asked.task)}" if asked.task else ""
    date = f" ({asked.date})" if asked.date else ""
    key = f" key={asked.key}" if asked.key else ""
    return f"- **{asked.id}**{task}{date}{key} for={asked.audience}:"


def _unblocks(names: RowNames, asked: Asked) -> str:
    return f" Unblocks: {', '.join(names.written(key) for key in asked.unblocks)}." if asked.unblocks else ""


def _plain_entry(names: RowNames, asked: Asked) -> str:
    return f"{_head(names, asked)} {' '.join(asked.text.split(chr(10)))}{_unblocks(names, asked)}\n  Answer:"


def _quoted_entry(names: RowNames, asked: Asked) -> str:
    lines = [f"  {line}" for line in quoted(asked.text).split("\n")]
    return "\n".join([_head(names, asked) + _unblocks(names, asked), *lines, "", "  Answer:"])
