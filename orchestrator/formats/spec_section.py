"""One task's section of the plan: its fields become a Spec, dependencies excepted.

Owns how each field's value is read. What a spec must have, and whether its scope is allowed, is the model's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.code_spans import code_spans, without_code
from orchestrator.errors import Location, Problem, Severity
from orchestrator.formats.labels import one_line
from orchestrator.formats.nearest import nearest
from orchestrator.formats.plan_parts import title_from
from orchestrator.formats.scope_list import listed_paths
from orchestrator.formats.spec_fields import SpecField
from orchestrator.formats.spec_labels import GROUPS, RESERVED, canonical_label, known_labels, sounds_like
from orchestrator.formats.words import is_none
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Reference, ScopePath, Spec
from orchestrator.patterns import regex

_FLAT = ("must edit", "can create")
"""The scopes to which the paths of a group without labels belong."""
_ONE_VALUE = ("repo", "tier", "priority", "size", "commit", "resources")
_PATH = regex(r"[^\s`]*(?:/|\.[A-Za-z0-9]+)[^\s`]*")
_ENTRY = regex(r";|,(?=\s*`)")


class SpecReader:
    """Reads the fields of one section; `fields` then holds each label's Field, `problems` what is wrong."""

    def __init__(self, doc: Document, key: TaskKey, fields: Iterable[SpecField], *, local_id: str = "") -> None:
        self.doc = doc
        self.key = key
        self.local_id = local_id
        self.fields: dict[str, SpecField] = {}
        self.problems: list[Problem] = []
        self._flat: list[SpecField] = []
        self._strange: list[SpecField] = []
        lines, in_items = [], []
        for field in fields:
            if field.in_item:
                in_items.append(field)
            elif field.in_line:
                lines.append(field)
            else:
                self._take(field)
        has_others = self.has_any
        for field in lines:
            # Beside a list, and without bold, a line may be prose: it counts only where it says something more.
            is_strange = not (field.is_prose or field.name in GROUPS or canonical_label(field.name))
            if is_strange or not (has_others or field.is_prose) or self._is_missing(field):
                self._take(field)
        for field in self._strange:
            self._tell_strange(field)
        for field in filter(self._is_missing, in_items):
            self._tell_in_item(field)

    def _is_missing(self, field: SpecField) -> bool:
        name = canonical_label(field.name)
        return not self._flat if field.name in GROUPS else name is not None and name not in self.fields

    @property
    def has_any(self) -> bool:
        """Whether there is any field that orch knows."""
        return bool(self.fields or self._flat)

    def spec(self, *, title: str, at: Location, text: str) -> Spec:
        """The spec, without its dependencies: those need the keys of the whole plan."""
        self._check_key()
        self._check_reserved()
        return Spec(
            key=self.key,
            title=title or self._plain("title") or title_from(self._value("spec")),
            at=at,
            text=text,
            repo=self._plain("repo") or ".",
            must_edit=self._paths("must edit"),
            can_create=self._paths("can create"),
            can_delete=self._paths("can delete"),
            scratch=self._paths("scratch"),
            anchors=self._references("anchors"),
            references=self._references("reference"),
            acceptance=self._entries("acceptance"),
            test=self._command(),
            tier=self._plain("tier").casefold(),
            commit=self._message(),
            theme=self._plain("theme"),
            plan_section=self._value("plan section"),
            source=self._value("source"),
            priority=self._plain("priority").casefold(),
            size=self._plain("size"),
            resources=tuple(plain(one) for one in re.split(r"[,;]", self._value("resources")) if plain(one)),
            constraints=self._value("constraints"),
            fields={name: self._place(field.label) for name, field in self.fields.items()},
            values={name: self._place(self.fields[name].value) for name in _ONE_VALUE if name in self.fields},
        )

    def _take(self, field: SpecField) -> None:
        if field.name in GROUPS:
            self._flat.append(field)
            return
        name = canonical_label(field.name)
        if name is None:
            self._strange.append(field)
            return
        if name in self.fields:
            first = self._place(self.fields[name].label)
            self._report(
                "duplicate-label",
                f'"{name}" is given twice, first in line {first.line}',
                field.label,
                "keep one; prose with labels belongs under a sub-heading",
            )
            return
        self.fields[name] = field

    def _tell_strange(self, field: SpecField) -> None:
        """A warning for a label that is near a known one, or sounds like one that the spec lacks."""
        near = nearest(field.name, known_labels())
        meant = canonical_label(near) or sounds_like(field.name)
        is_there = meant in self.fields or (bool(self._flat) and meant in _FLAT)
        # A line may be prose, and so may an item whose words only sound like a label.
        if not meant or (is_there and (field.in_line or not near)):
            return
        label = field.label.of(self.doc.text)
        hint = f'did you mean "{near or meant.capitalize()}"?'
        self._report("unknown-label", f'"{label}" is no label of a spec', field.label, hint, Severity.WARNING)

    def _tell_in_item(self, field: SpecField) -> None:
        self._report(
            "label-in-item",
            f'"{field.label.of(self.doc.text)}" goes on with the item above it and isn\'t read as a field',
            field.label,
            "put a blank line before it, and begin it at the line's start",
            Severity.WARNING if field.is_prose else Severity.ITEM,
        )

    def _value(self, name: str) -> str:
        """The value as one line, "" for none."""
        field = self.fields.get(name)
        if field is None:
            return ""
        text = one_line(" ".join(self._in(name, span) for span in (field.spans if field.in_cell else (field.value,))))
        return "" if is_none(text) else text

    def _in(self, name: str, span: Span) -> str:
        """A part of a field's value; in a cell a pipe stands escaped."""
        text = span.of(self.doc.text)
        return text.replace("\\|", "|") if self.fields[name].in_cell else text

    def _plain(self, name: str) -> str:
        return plain(self._value(name))

    def _spans(self, name: str) -> tuple[Span, ...]:
        """Where a list's values stand: behind the label, and in nested items."""
        field = self.fields.get(name)
        return field.spans if field else ()

    def _paths(self, name: str) -> tuple[ScopePath, ...]:
        found: list[ScopePath] = []
        flat = [(span, True) for field in self._flat for span in field.spans] if name in _FLAT else []
        for span, is_flat in (*((span, False) for span in self._spans(name)), *flat):
            for listed in listed_paths(self.doc.text, span):
                if is_flat and (name == "can create") != listed.is_new:
                    continue
                if listed.is_clear:
                    found.append(ScopePath(listed.text, self._place(listed.span)))
                else:
                    self._report(
                        "unclear-path",
                        f'"{listed.text}" isn\'t clearly one path',
                        listed.span,
                        "put each path in backticks, separate paths with commas, put remarks in parentheses",
                    )
        return tuple(found)

    def _references(self, name: str) -> tuple[Reference, ...]:
        found: list[Reference] = []
        for span in self._spans(name):
            if is_none(self.doc.text[span.start : span.end]):
                continue
            for part in _split(self.doc.text, span):
                raw = one_line(self._in(name, part))
                found.append(Reference(raw, _named_path(raw), self._place(part)))
        return tuple(found)

    def _entries(self, name: str) -> tuple[str, ...]:
        texts = (one_line(self._in(name, span)) for span in self._spans(name))
        return tuple(text for text in texts if not is_none(text))

    def _command(self) -> str:
        field = self.fields.get("test")
        if field is not None and field.fenced is not None:
            return self._fenced(field, field.fenced)
        text = self._value("test")
        codes = code_spans(text)
        if not codes or codes[0].start:
            return text
        if len(codes) > 1:
            self._tell_several(self.fields["test"].value)
        return codes[0].code

    def _fenced(self, field: SpecField, code: str) -> str:
        """The one command in a fence; lines that are comments don't count."""
        lines = [line.strip() for line in re.split(r"\r\n?|\n", code)]
        commands = [line for line in lines if line and not line.startswith("#")]
        if len(commands) > 1:
            self._tell_several(field.label)
        return commands[0] if commands else ""

    def _tell_several(self, span: Span) -> None:
        self._report(
            "several-commands",
            "the test is one shell command line, here are several",
            span,
            "join them with && inside one pair of backticks",
        )

    def _message(self) -> str:
        text = self._value("commit")
        codes = code_spans(text)
        is_code = len(codes) == 1 and (codes[0].start, codes[0].end) == (0, len(text))
        return _inner(text) if is_code else text

    def _check_key(self) -> None:
        written = self._plain("id")
        name = self.local_id or str(self.key)
        key = parse_key(written)
        if self.local_id:
            agrees = written in ("", name, str(self.key)) or name.startswith(f"{written}-")
        else:
            agrees = key is None or key == self.key
        if not agrees:
            self._report(
                "key-mismatch",
                f"the heading says {name}, this field {written}",
                self.fields["id"].value,
                "make them agree, or take the line out",
            )
        pin = self._plain("wave").casefold().removeprefix("wave").strip()
        if pin and pin != str(self.key.wave):
            self._report(
                "wave-mismatch",
                f"the key says wave {self.key.wave}, this field {pin}",
                self.fields["wave"].value,
                "a task's key holds its wave: change both or none",
            )

    def _check_reserved(self) -> None:
        for name in sorted(RESERVED & self.fields.keys()):
            if self._value(name):
                self._report(
                    "not-available", f'"{name}" is not available yet', self.fields[name].label, "take the line out"
                )

    def _place(self, span: Span) -> Location:
        return self.doc.source.location(span.start, _width(self.doc.text, span))

    def _report(self, code: str, message: str, span: Span, hint: str = "", severity: Severity = Severity.ITEM) -> None:
        self.problems.append(Problem(code, message, self._place(span), hint, severity, subject=str(self.key)))


def _width(text: str, span: Span) -> int:
    """The length of what the span covers in its first line."""
    part = text[span.start : span.end]
    for ending in ("\n", "\r"):
        part = part.partition(ending)[0]
    return max(len(part), 1)


def _inner(code: str) -> str:
    """What stands between the backticks that a text begins and ends with."""
    inner = code.strip("`")
    return inner[1:-1] if len(inner) > 2 and inner[0] == inner[-1] == " " and inner.strip() else inner


def _split(text: str, span: Span) -> list[Span]:
    """Entries of a list of anchors: divided at semicolons, and at commas before a backtick, outside code."""
    hidden = without_code(text[span.start : span.end], "`", "x")
    parts: list[Span] = []
    start = 0
    for end, after in [*((cut.start(), cut.end()) for cut in _ENTRY.finditer(hidden)), (len(hidden), len(hidden))]:
        part = hidden[start:end]
        if part.strip():
            begin = span.start + start + len(part) - len(part.lstrip())
            parts.append(Span(begin, begin + len(part.strip())))
        start = after
    return parts


def _named_path(text: str) -> str:
    """The path that an anchor names in backticks: the last one that looks like a path, symbols passed over."""
    for code in reversed(code_spans(text)):
        path = _inner(text[code.start : code.end]).partition(":")[0]
        if _PATH.fullmatch(path):
            return path
    return ""
