"""Lists of paths as people write them: backticks, `new` before, a remark or `:line` after.

Owns the splitting of such a list. Whether a path may stand in a scope is not its matter.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from orchestrator.formats.words import is_none
from orchestrator.markdown.source import Span
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_TOKEN = regex(
    r"(?P<remark>\((?:[^()]|\([^()]*\))*\))"
    r"|(?P<separator>[,;]|\r\n?|\n)"
    r"|(?P<word>(?:\{[^{}\s]*\}|\[[^\[\]\s]*\](?:\([^()\s]*\))?|[^\s,;`(])(?:\{[^{}\s]*\}|\([^()\s]*\)|[^\s,;`(])*)"
    r"|(?P<odd>`+|\()",
    re.DOTALL,
)
_TICKS = regex(r"`+")
_NEW = regex(r"\(\s*(?:new|create)", re.IGNORECASE)
_LINE = regex(r"(.+?):\d+(?:[-–]\d+)?(?::\d+)?")
_LINK = regex(r"\[([^\[\]]+)\]\([^()]*\)")
_BOLD = regex(r"\*\*([^*/](?:[^*]*[^*/])?)\*\*")
_JOINERS = frozenset(("and", "+", "&"))
_DASHES = frozenset(("—", "–", "-", "--"))


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of the list: a path, or a text that isn't clearly one (`is_clear` False).

    is_new: the list says of it that it is new.
    """

    text: str
    span: Span
    is_clear: bool = True
    is_new: bool = False


class _Closing:
    """Where runs of backticks begin, by their length: so that the end of code is found without looking for it."""

    def __init__(self, text: str, span: Span) -> None:
        self._text = text
        self._end = span.end
        self._starts: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text, span.start, span.end):
            self._starts.setdefault(len(run[0]), []).append(run.start())

    def code_at(self, at: int) -> tuple[str, int] | None:
        """What the code that begins at the offset holds, and where it ends; None where nothing closes it."""
        opening = _TICKS.match(self._text, at, self._end)
        starts = self._starts.get(len(opening[0]), []) if opening else []
        index = bisect_left(starts, opening.end() + 1) if opening else 0
        if opening is None or index == len(starts):
            return None
        return self._text[opening.end() : starts[index]], starts[index] + len(opening[0])


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    span: Span


def listed_paths(text: str, span: Span) -> list[Listed]:
    """The paths that the span of the text lists, in order; empty for `none`."""
    # A lone dot is no full stop but a path, and a bad one.
    if is_none(text[span.start : span.end]) and text[span.start : span.end].strip(" `*") not in (".", ".."):
        return []
    found: list[Listed] = []
    for group in _groups(text, span):
        found += _read_group(text, group)
    return found


def _groups(text: str, span: Span) -> Iterator[list[_Token]]:
    group: list[_Token] = []
    closing = _Closing(text, span)
    match = _TOKEN.search(text, span.start, span.end)
    while match:
        kind, inner, end = match.lastgroup or "", match[0], match.end()
        code = closing.code_at(match.start()) if inner[0] == "`" else None
        if code is not None:
            kind, inner, end = "code", *code
        if kind != "separator":
            group.append(_Token(kind, inner, Span(match.start(), end)))
        elif inner in ",;":
            # A list may go on in the next line; a break in the middle of an entry is a blank.
            yield group
            group = []
        match = _TOKEN.search(text, end, span.end)
    yield group


def _read_group(text: str, group: list[_Token]) -> list[Listed]:
    tokens = [token for token in group if token.kind != "remark"]
    is_new = any(token.kind == "remark" and _NEW.match(token.text) for token in group)
    if len(tokens) > 1 and tokens[0].kind == "word" and tokens[0].text.casefold().rstrip(":") == "new":
        tokens = tokens[1:]
        is_new = True
    if not tokens:
        return []
    found = _entries(text, tokens)
    return [Listed(one.text, one.span, one.is_clear, is_new=True) for one in found] if is_new else found


def _entries(text: str, tokens: list[_Token]) -> list[Listed]:
    codes = [token for token in tokens if token.kind == "code"]
    if codes:
        return _coded(text, tokens, codes)
    entries: list[_Token] = []
    expects = True
    for index, token in enumerate(tokens):
        if token.text.casefold() in _JOINERS and not expects and index + 1 < len(tokens):
            expects = True
        elif token.text in _DASHES and not expects:
            break
        elif expects and token.kind == "word":
            entries.append(token)
            expects = False
        else:
            return [_unclear(text, tokens)]
    return [Listed(_bare(entry.text), entry.span) for entry in entries]


def _coded(text: str, tokens: list[_Token], codes: list[_Token]) -> list[Listed]:
    first, last = tokens.index(codes[0]), tokens.index(codes[-1])
    between = [token for token in tokens[first:last] if token.kind != "code"]
    if first > 0 or any(token.text.casefold() not in _JOINERS for token in between):
        return [_unclear(text, tokens)]
    return [Listed(_without_line(code.text.strip()), code.span) for code in codes]


def _unclear(text: str, tokens: list[_Token]) -> Listed:
    span = Span(tokens[0].span.start, tokens[-1].span.end)
    return Listed(" ".join(text[span.start : span.end].split()), span, is_clear=False)


def _bare(word: str) -> str:
    link = _LINK.fullmatch(word)
    if link:
        word = link[1]
    bold = _BOLD.fullmatch(word)
    if bold:
        word = bold[1]
    return _without_line(word.rstrip(":") or word)


def _without_line(path: str) -> str:
    match = _LINE.fullmatch(path)
    return match[1] if match else path
