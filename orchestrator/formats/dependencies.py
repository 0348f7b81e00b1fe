"""What a task or a wave waits for, as people write it in a field or a cell.

Owns the grammar: keys and local ids, waves and ranges, `none`, `all of the above`, remarks in parentheses.
Words that aren't understood are problems at their place, never "no dependency". Knows no table and no section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.errors import Problem
from orchestrator.formats.task_names import Fault, TaskNames
from orchestrator.formats.words import blanked, is_none, without_remarks
from orchestrator.markdown.source import Source, Span
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Dependency
from orchestrator.patterns import regex
from orchestrator.whole_numbers import NUMBER, whole_number

_MARKS = regex(r"\*+|[`\[\]]|<br\s*/?>|\^")
_LEAD = regex(r"\s*(?:depends\s+on|after)\b\s*:?", re.IGNORECASE)
_SEPARATOR = regex(r"[,;+&\r\n]|(?<=\s)and(?=\s)", re.IGNORECASE)
_ENDING = regex(r"\r\n?|\n")
_PIECE = regex(r"\S(?:.*\S)?", re.DOTALL)
_RANGE = rf"({NUMBER})(?:\s*(?:-|–|—|\.\.+|(?<=\s)to(?=\s))\s*({NUMBER}))?"
_WAVES = regex(rf"(waves?)\s+{_RANGE}", re.IGNORECASE)
_BARE = regex(_RANGE, re.IGNORECASE)
_ALL = regex(
    r"(?:all|all of the above|all above|all earlier(?: waves)?|all (?:previous|prior)(?: waves)?)", re.IGNORECASE
)
# A hyphen stands inside ids too, so that by itself it makes a range of numbers in several parts only.
_KEYS = (
    regex(r"(?:tasks?\s+)?([\w.-]+?)\s*(?:-|–|—|\.\.+|(?<=\s)to(?=\s))\s*(\d+\.[\w.-]+)", re.IGNORECASE),
    regex(r"(?:tasks?\s+)?([\w.-]+?)\s*(?:–|—|\.\.+|(?<=\s)to(?=\s)|(?<=\s)-(?=\s))\s*([\w.-]+)", re.IGNORECASE),
)
_LONGEST_RANGE = 500
"""Characters; where a range divides takes longer to tell the longer it is, and two keys are no longer than this."""
_TASK = regex(r"(?:tasks?\s+)?#?(\S+)", re.IGNORECASE)
_FIRST_WORD = regex(r"[\w/.]+|[—–-]")
_HOW = 'separate keys with commas, put remarks in parentheses, write "none" for no dependency'


def first_line(text: str, span: Span) -> Span:
    """The part of a value that is a list: its first line, and the next ones as long as a line ends in a comma."""
    for ending in _ENDING.finditer(text, span.start, span.end):
        if not text[span.start : ending.start()].rstrip().endswith((",", ";", "+", "&")):
            return Span(span.start, ending.start())
    return span


class DependencyReader:
    """Reads lists of dependencies of one plan and gathers what is wrong with them."""

    def __init__(self, source: Source, names: TaskNames, waves: tuple[int, ...]) -> None:
        self.source = source
        self.names = names
        self.waves = waves
        self._waves_there = frozenset(waves)
        self.problems: list[Problem] = []

    def read(self, span: Span, *, wave: int, subject: TaskKey | None = None) -> tuple[Dependency, ...]:
        """The dependencies that the span lists. `wave` is the wave of the row or of the task whose list it is.

        A bare number is a wave in a wave's row (no subject), a local id in a task's list. What can't be resolved
        is a problem and stays in the list without a task and a wave.
        """
        text = self.source.text[span.start : span.end]
        word = text.strip(" ")
        if word in ("", "none", "—"):
            return ()
        number = whole_number(word) if subject is None else None
        if number in self._waves_there:
            place = self.source.location(span.start + text.find(word), len(word))
            return (Dependency(word, wave=number, at=place),)
        plain_keys = self._plain_keys(text, span.start)
        if plain_keys:
            return plain_keys
        clean = blanked(without_remarks(text), _MARKS)
        lead = _LEAD.match(clean)
        if lead:
            clean = " " * lead.end() + clean[lead.end() :]
        if is_none(clean) or clean.strip(" .").casefold() == "start":
            return self._only_a_remark(text, span, subject) if not clean.strip() else ()
        found: list[Dependency] = []
        in_waves = False
        for start, piece in _pieces(clean):
            at = Span(span.start + start, span.start + start + len(piece))
            many = _WAVES.fullmatch(piece)
            if _ALL.fullmatch(piece):
                found += self._waves(piece, 1, wave - 1, at, subject=subject, gaps=True)
            elif many:
                in_waves = many[1].casefold() == "waves"
                found += self._waves(piece, int(many[2]), int(many[3] or many[2]), at, subject=subject)
            elif (in_waves or subject is None) and (bare := _BARE.fullmatch(piece)):
                found += self._waves(piece, int(bare[1]), int(bare[2] or bare[1]), at, subject=subject)
            else:
                found += self._tasks(piece, at, subject=subject)
        return tuple(found)

    def _only_a_remark(self, text: str, span: Span, subject: TaskKey | None) -> tuple[Dependency, ...]:
        """Nothing, for a list that is empty, or a remark in parentheses that says so itself; else not understood."""
        words = _FIRST_WORD.search(text)
        if words is None or is_none(words[0]):
            return ()
        piece = text.strip()
        begin = span.start + text.find(piece)
        at = Span(begin, begin + len(piece))
        self._report("not-understood", f'"{piece}" is only a remark', at, _HOW, subject)
        return (Dependency(piece, at=self.source.location(at.start, len(at))),)

    def _plain_keys(self, text: str, start: int) -> tuple[Dependency, ...]:
        """The short way for what most lists are: whole keys with commas between. Empty for anything else."""
        found: list[Dependency] = []
        for part in text.split(","):
            word = part.strip()
            key = self.names.by_text.get(word)
            if key is None:
                return ()
            at = start + len(part) - len(part.lstrip())
            found.append(Dependency(word, task=key, at=self.source.location(at, len(word))))
            start += len(part) + 1
        return tuple(found)

    def _waves(
        self, piece: str, low: int, high: int, at: Span, *, subject: TaskKey | None, gaps: bool = False
    ) -> Iterator[Dependency]:
        place = self.source.location(at.start, len(at))
        known = [number for number in self.waves if low <= number <= high]
        missing = next((number for number in range(low, high + 1) if number not in self._waves_there), None)
        if not gaps and (missing is not None or not known):
            named = low if missing is None else missing
            hint = f"the waves are {', '.join(map(str, self.waves))}" if self.waves else ""
            self._report("unknown-wave", f"there is no wave {named}", at, hint, subject)
            yield Dependency(piece, at=place)
        for number in known:
            yield Dependency(piece, wave=number, at=place)

    def _tasks(self, piece: str, at: Span, *, subject: TaskKey | None) -> Iterator[Dependency]:
        place = self.source.location(at.start, len(at))
        single = _TASK.fullmatch(piece)
        found = self.names.find(single[1].rstrip(".")) if single else None
        if isinstance(found, TaskKey):
            yield Dependency(piece, task=found, at=place)
            return
        patterns = _KEYS if len(piece) <= _LONGEST_RANGE else ()
        for ends in filter(None, (pattern.fullmatch(piece) for pattern in patterns)):
            first, last = self.names.find(ends[1]), self.names.find(ends[2])
            if isinstance(first, TaskKey) and isinstance(last, TaskKey):
                between = self.names.between(first, last)
                if not between:
                    self._report(
                        "empty-range", f'"{piece}" runs backwards', at, "write the earlier task first", subject
                    )
                    yield Dependency(piece, at=place)
                for key in between:
                    yield Dependency(piece, task=key, at=place)
                return
        fault = found or Fault("not-understood", f'"{piece}" is neither a task nor a wave')
        hint = fault.hint
        if not hint and fault.code == "not-understood":
            hint = _HOW
        code = "unknown-dependency" if fault.code == "unknown-task" else fault.code
        self._report(code, fault.message, at, hint, subject)
        yield Dependency(piece, at=place)

    def _report(self, code: str, message: str, at: Span, hint: str, subject: TaskKey | None) -> None:
        place = self.source.location(at.start, len(at))
        self.problems.append(Problem(code, message, place, hint, subject=str(subject) if subject else ""))


def _pieces(clean: str) -> Iterator[tuple[int, str]]:
    """The words between separators, with their offsets."""
    start = 0
    for separator in [*_SEPARATOR.finditer(clean), None]:
        end = separator.start() if separator else len(clean)
        match = _PIECE.search(clean, start, end)
        if match:
            piece = match[0].rstrip(".")
            if piece:
                yield match.start(), piece
        start = separator.end() if separator else end
