"""The tasks that a cell or an item names: ids and ranges with separators between, remarks and titles beside them.

Owns the splitting. Words that stand beside an id and aren't set off as a remark or a title are problems at their
place. What a word means is the numbering's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.errors import Problem
from orchestrator.formats.task_names import is_local_id
from orchestrator.formats.wave_line import Named, place
from orchestrator.formats.words import blanked, is_none, without_remarks
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.markdown.source import Span
from orchestrator.model.ids import parse_key
from orchestrator.patterns import regex
from orchestrator.whole_numbers import NUMBER

_MARKS = regex(r"\*+|[`\[\]]|~~")
_LINK = regex(r"\]\([^()\s]*\)")
_SEPARATOR = regex(r"[,;+&·∥|\r\n]|<br\s*/?>|(?<=\s)and(?=\s)", re.IGNORECASE)
_PIECE = regex(r"(?:tasks?\s+)?#?(?P<id>\S+?)\.?(?P<rest>:?(?:\s.*|))", re.IGNORECASE | re.DOTALL)
_WORD = regex(r"\S+")
_TITLE = regex(r"\s*(?:—|–|:|--?(?=\s))\s*(\S.*)", re.DOTALL)
_RANGE = regex(rf"(.*?)({NUMBER})(?:–|—|\.\.+|-(?=\d+\.\d+\.))(.*?)({NUMBER})")


class TaskWords:
    """Reads the tasks of one plan's waves. What isn't understood goes to `problems`."""

    def __init__(self, doc: Document, number: int, problems: list[Problem]) -> None:
        self.doc = doc
        self.number = number
        self.problems = problems

    def read(self, span: Span, *, wave: int, is_single: bool = False) -> tuple[Named, ...]:
        """The tasks that the span of the document names; `wave` is the wave it belongs to.

        is_single: it is about one task, so that all behind the id and a dash is the task's title.
        """
        raw = span.of(self.doc.text)
        return tuple(self._plain_keys(raw, span.start) or self._read(raw, span.start, wave, is_single=is_single))

    def _plain_keys(self, text: str, start: int) -> list[Named]:
        """The short way for most cells: whole keys of this plan with commas between; else empty."""
        found = []
        for part in text.split(","):
            word = part.strip(" ")
            key = parse_key(word)
            if key is None or key.orchestration != self.number:
                return []
            at = start + part.find(word)
            found.append(Named(word, Span(at, at + len(word)), "", None, key))
            start += len(part) + 1
        return found

    def _read(self, raw: str, start: int, wave: int, *, is_single: bool) -> Iterator[Named]:
        if is_none(raw):
            return
        clean = blanked(without_remarks(blanked(raw, _LINK)), _MARKS)
        whole = _PIECE.fullmatch(clean.strip()) if is_single else None
        if whole and _TITLE.fullmatch(whole["rest"]):
            yield from self._piece(raw, clean, Span(0, len(clean)), start, wave)
            return
        begin = 0
        for separator in [*_SEPARATOR.finditer(clean), None]:
            end = separator.start() if separator else len(clean)
            if clean[begin:end].strip():
                yield from self._piece(raw, clean, Span(begin, end), start, wave)
            begin = separator.end() if separator else end

    def _piece(self, raw: str, clean: str, part: Span, start: int, wave: int) -> Iterator[Named]:
        text = part.of(clean)
        lead = len(text) - len(text.lstrip())
        words = [word for word in _WORD.finditer(text) if word[0].casefold() != "and"]
        if len(words) > 1 and all(parse_key(word[0].rstrip(".")) for word in words):
            # Keys with nothing but blanks between.
            for each in words:
                yield from self._piece(
                    raw, clean, Span(part.start + each.start(), part.start + each.end()), start, wave
                )
            return
        match = _PIECE.fullmatch(text.strip())
        word = match["id"] if match else text.strip()
        at = part.start + lead + (match.start("id") if match else 0)
        span = Span(start + at, start + at + len(word))
        ids = _range(word) or [word]
        if match is None or not all(map(is_local_id, ids)):
            self._tell("bad-task", f'"{word}" is no task key', span, wave)
            return
        rest = match["rest"]
        title = _TITLE.fullmatch(rest)
        if rest.strip(" \t:") and not title:
            more = rest.strip()
            where = start + part.start + lead + match.start("rest") + rest.find(more)
            self._tell("not-understood", f'"{more}" beside the task {word}', Span(where, where + len(more)), wave)
        said = ""
        if title:
            begin = part.start + lead + match.start("rest") + title.start(1)
            said = plain(raw[begin : part.end]).strip()
        for one in ids:
            key = parse_key(one)
            yield Named(one, span, said, None, key if key and key.orchestration == self.number else None)

    def _tell(self, code: str, message: str, at: Span, wave: int) -> None:
        hint = (
            f"a key is {self.number}.{wave}.id, its id made of letters, digits, - and _"
            if code == "bad-task"
            else "separate tasks with commas, put remarks in parentheses"
        )
        self.problems.append(Problem(code, message, place(self.doc, at), hint))


def _range(word: str) -> list[str]:
    """The ids from the first to the last of a range such as `5.1.1–5.1.3` or `T1–T3`; empty for any other word."""
    ends = _RANGE.fullmatch(word)
    if ends is None or (ends[3] or ends[1]) != ends[1]:
        return []
    first, last = int(ends[2]), int(ends[4])
    return [f"{ends[1]}{one}" for one in range(first, last + 1)] if first < last <= first + 1000 else []
