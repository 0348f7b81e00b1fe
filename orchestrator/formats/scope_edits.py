"""Adding paths to a scope field of a task's spec, in the form in which the field stands.

Owns where the new path goes. Whether the wider scope is allowed is the model's matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.formats.labels import trimmed
from orchestrator.formats.spec_fields import SpecField, fields_in
from orchestrator.formats.spec_labels import canonical_label
from orchestrator.formats.words import is_none
from orchestrator.markdown.blocks import Section
from orchestrator.markdown.code import code
from orchestrator.markdown.document import Document
from orchestrator.markdown.edits import Edit
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.plan import Spec

_SCOPE = ("must edit", "can create", "can delete", "scratch")


def add_paths(doc: Document, spec: Spec, label: str, paths: Sequence[str]) -> Document:
    """The plan with these paths added to the field `label` (such as `must edit`) of a spec.

    Raises LookupError where the spec's section or a place for the field can't be told: then a person has to edit it.
    """
    section = next((one for one in doc.sections if one.heading.line == spec.at.line), None)
    if section is None:
        raise LookupError(f"{spec.key} has no section of its own")
    found = (field for field in fields_in(doc, section.own) if not field.in_item)
    fields = {canonical_label(field.name) or field.name: field for field in found}
    written = ", ".join(code(path) for path in paths)
    field = fields.get(label)
    if field is None:
        return _with_field(doc, section, fields, label, written)
    value = trimmed(doc.text, field.value)
    if field.in_cell and field.more:
        # The lines of a cell: a line break would end the table.
        end = field.spans[-1].end if field.spans else value.end
        return doc.edited(Edit(Span(end, end), f", {written}"))
    if field.more:
        # A list below the label: one more item like its last one.
        last = field.more[-1]
        start = doc.source.line_start(doc.source.line_at(last.start).number - 1)
        lead = doc.text[start : last.start].split("`")[0]
        end = last.end
        lines = "".join(doc.source.ending_before(end) + lead + code(path) for path in paths)
        return doc.edited(Edit(Span(end, end), lines))
    said = doc.text[value.start : value.end]
    if not said or is_none(plain(said)):
        gap = "" if doc.text[value.start - 1 : value.start] in (" ", "\t") or field.in_cell else " "
        return doc.edited(Edit(value, gap + written if not said else written))
    return doc.edited(Edit(Span(value.end, value.end), f", {written}"))


def _with_field(doc: Document, section: Section, fields: dict[str, SpecField], label: str, written: str) -> Document:
    beside = next((fields[name] for name in reversed(_SCOPE) if name in fields and not fields[name].more), None)
    beside = beside or next(iter(fields.values()), None)
    if beside is None or beside.in_cell or beside.more:
        raise LookupError(f"there is no place for {label} in its fields")
    line = doc.source.line_at(beside.label.start)
    lead = doc.text[line.start : beside.label.start]
    tail = doc.text[beside.label.end : beside.value.start].rstrip(" \t") or ":"
    name = label.capitalize() if doc.text[beside.label.start : beside.label.end][:1].isupper() else label
    at = line.end + len(line.ending)
    text = f"{lead}{name}{tail} {written}"
    return doc.edited(Edit(Span(at, at), text + (line.ending or "\n") if line.ending else "\n" + text))
