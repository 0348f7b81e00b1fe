"""Front matter by type: each value converted, or a problem at its line. Owns the wording of type errors, no key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from orchestrator.errors import Location, Problem, Severity
from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.units import example
from orchestrator.markdown.front_matter import FrontMatter
from orchestrator.markdown.values import Value

T = TypeVar("T")


class TypedKeys:
    """Reads values below a path of keys and gathers problems; a wrong value reads as the default."""

    def __init__(self, front: FrontMatter | None, problems: list[Problem]) -> None:
        self.front = front
        self.problems = problems

    def value(self, *path: str) -> Value | None:
        """What stands at the path, None where nothing does."""
        if self.front is None or not path:
            return None
        value = self.front.get(path[0])
        for step in path[1:]:
            value = value.get(step) if isinstance(value, dict) else None
        return None if value in ("", (), {}) else value

    def word(self, *path: str, default: str = "") -> str:
        """A single value as text."""
        value = self.value(*path)
        if value is None:
            return default
        if not isinstance(value, str):
            message = f"`{path[-1]}` takes one value, not a list or a map"
            self.report(message, *path, hint=f"{path[-1]}: VALUE")
            return default
        return value

    def choice(self, allowed: Sequence[str], *path: str) -> str:
        """One of the words; the first of them is the default."""
        word = self.word(*path, default=allowed[0])
        if word not in allowed:
            hint = did_you_mean(word, allowed) or f"write {_either(allowed)}"
            self.report(f'`{path[-1]}` is {_either(allowed)}, not "{word}"', *path, hint=hint)
            return allowed[0]
        return word

    def converted(self, convert: Callable[[str], T], default: T, *path: str) -> T:
        """A single value through a function that raises ValueError for what it doesn't take."""
        word = self.word(*path)
        if not word:
            return default
        try:
            return convert(word)
        except ValueError as error:
            self.report(f"`{path[-1]}`: {error}", *path, hint=f"{path[-1]}: {example(convert, word)}")
            return default

    def words(self, *path: str) -> tuple[str, ...]:
        """A list of words; a single one may stand without brackets."""
        value = self.value(*path)
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if isinstance(value, tuple) and all(isinstance(one, str) for one in value):
            return tuple(str(one) for one in value)
        self.report(f"`{path[-1]}` takes a list", *path, hint=f"{path[-1]}: [a, b]")
        return ()

    def mapping(self, *path: str) -> dict[str, Value]:
        """A map of any values."""
        value = self.value(*path)
        if isinstance(value, dict):
            return value
        if value is not None:
            self.report(f"`{path[-1]}` takes names with a value each", *path, hint=f"{path[-1]}: {{a: b}}")
        return {}

    def check_keys(self, known: Iterable[str], *path: str) -> None:
        """A warning for each key at the path that is likely to be a known one misspelt; others are the user's."""
        known = tuple(known)
        value = self.mapping(*path) if path else dict.fromkeys(self.front.keys if self.front else ())
        for key in value:
            hint = did_you_mean(key, known) if key not in known else ""
            if hint:
                message = f'"{key}" is no key that orch knows'
                self.report_key(message, *path, key, hint=hint, code="unknown-key", severity=Severity.WARNING)

    def location(self, *path: str) -> Location | None:
        """Where the value of the path stands."""
        return self.front.location(*path) if self.front else None

    def report(
        self,
        message: str,
        *path: str,
        hint: str = "",
        code: str = "wrong-value",
        severity: Severity = Severity.ITEM,
    ) -> None:
        """A problem at the value of the path."""
        self.problems.append(Problem(code, message, self.location(*path), hint, severity))

    def report_key(
        self,
        message: str,
        *path: str,
        hint: str,
        code: str = "wrong-value",
        severity: Severity = Severity.ITEM,
    ) -> None:
        """A problem at the key that the path ends in."""
        entries = self.front.entries if self.front else ()
        at = self.location(*path)
        for step in path:
            found = [entry for entry in entries if entry.key == step]
            if self.front is not None and found:
                span = found[-1].key_span
                at, entries = self.front.source.location(span.start, max(len(span), 1)), found[-1].inner
        self.problems.append(Problem(code, message, at, hint, severity))


def _either(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
