"""Values of front matter: strings, tuples and dicts of them, each with its place; and how they are written in YAML.

Owns the value type, the entry that joins a value to its spans, and the writing of a value in flow form. Knows no
file and no key's meaning: every scalar is a string.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from orchestrator.markdown.source import Span
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

Value: TypeAlias = str | tuple["Value", ...] | dict[str, "Value"]

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
"""What a plain scalar may be to mean nothing; read as the empty string."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key (or a place in a list, then `key` is its number) with its value and both spans.

    `span` of an empty value has width zero, right after the colon.
    """

    key: str
    key_span: Span
    value: Value
    span: Span
    inner: tuple[Entry, ...] = ()


# What may stand unquoted for every reader of YAML: nothing that could be a mark of its own at that place.
_TEXT = r"\x21-\x7e\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_FIRST = rf"(?![-?:,\[\]{{}}#&*!|>'\"%@`\\])[{_TEXT}]"
_BARE = regex(rf"{_FIRST}(?:(?![,\[\]{{}}:#'\"?\\])[{_TEXT}]| (?=[^ ])|:(?=[A-Za-z0-9/]))*")
_BARE_LINE = regex(rf"{_FIRST}(?:(?![:#\\])[{_TEXT}]| (?=[^ ])|:(?=[A-Za-z0-9/])|(?<! )#)*")
_PRINTABLE = regex(r"[\x20-\x7e\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")


_LONGEST_KEY = 200
_DEEPEST = 20


def write_value(value: Value, *, flow: bool = False) -> str:
    """The value on one line of YAML; strings are quoted only where they must be, `flow` says they stand in one.

    Raises ValueError for what no YAML can hold (a lone surrogate) and for keys beyond all measure.
    """
    if isinstance(value, str):
        return _write_string(value, flow=flow)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{write_key(key)}: {write_value(one, flow=True)}" for key, one in value.items()) + "}"
    return "[" + ", ".join(write_value(one, flow=True) for one in value) + "]"


def write_key(key: str) -> str:
    """The key as it stands before its colon. Raises ValueError for one that YAML can't hold on a line."""
    if len(key) > _LONGEST_KEY:
        raise ValueError(f"a key of {len(key)} characters: {key[:40]!r}…")
    return _write_string(key, flow=True)


def _write_string(text: str, *, flow: bool) -> str:
    if text == "":
        return '""' if flow else ""
    pattern = _BARE if flow else _BARE_LINE
    if pattern.fullmatch(text) and text not in NULLS:
        return text
    if "'" not in text and _PRINTABLE.fullmatch(text) and ('"' in text or "\\" in text):
        return f"'{text}'"
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if _PRINTABLE.fullmatch(char):
        return char
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    code = ord(char)
    if 0xD800 <= code < 0xE000:
        raise ValueError("front matter can't hold a lone surrogate")
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def as_value(value: object, depth: int = 0) -> Value:
    """A value out of strings, sequences and mappings of them. Raises TypeError for anything else, ValueError for
    values nested beyond all measure."""
    if depth > _DEEPEST:
        raise ValueError(f"a value nested more than {_DEEPEST} deep")
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {str(key): as_value(one, depth + 1) for key, one in value.items()}
    if isinstance(value, Sequence):
        return tuple(as_value(one, depth + 1) for one in value)
    raise TypeError(f"front matter holds strings, lists and maps of them, not {type(value).__name__}")
