"""Inline marks taken off: the words of a cell, heading or label as a reader sees them.

Owns bold, emphasis, struck-through, inline code, links, images, autolinks, escapes and entities of the common
kind. Line structure isn't its matter. Whatever a line holds, the work is in proportion to its length.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache

from orchestrator.code_spans import code_spans
from orchestrator.patterns import regex

_ESCAPED = regex(r"\\([!-/:-@\[-`{-~])")
_LINK = regex(
    r"!?\[((?:[^\[\]\\]|\\.)*)\](?:\((?:[^()\\\s]|\\.|\([^()\s]*\))*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)|\[[^\[\]]*\])"
)
_AUTOLINK = regex(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_TAG = regex(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
# A mark opens where the first pattern matches and closes at the next place that the second names.
_STRONG = regex(r"(?:\*\*|~~)(?=\S)"), regex(r"(?<=\S)(?=\*\*|~~)")
_STRONG_UNDER = regex(r"(?<!\w)__(?=\S)"), regex(r"(?<=\S)(?=__(?!\w))")
_STAR = regex(r"(?<!\*)\*(?=[^\s*])"), regex(r"(?<=[^\s*])(?=\*(?!\*))")
_UNDER = regex(r"(?<![\w_])_(?=[^\s_])"), regex(r"(?<=[^\s_])(?=_(?![\w_]))")
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&nbsp;": " ", "&#39;": "'", "&#124;": "|"}
_ENTITY = regex("|".join(map(re.escape, _ENTITIES)))
_ANY = regex(r"[*_~`\[\]<>&\\]")
_NESTED_LINKS = 8
"""Links inside links (an image is one) beyond this depth stay text: nobody writes them, and depth costs time."""


@lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """The text without inline marks, white space at both ends removed. Unpaired marks stay as they are."""
    if not _ANY.search(text):
        return text.strip()
    kept: list[str] = []

    def keep(content: str) -> str:
        # A private-use pair of characters holds the place of text that is literal from here on.
        kept.append(content)
        return f"\ue000{len(kept) - 1}\ue001"

    if "\ue000" in text:
        return text.strip()
    out = _without_code(text, keep) if "`" in text else text
    out = _ESCAPED.sub(lambda escaped: keep(escaped[1]), out)
    if "<" in out:
        out = _AUTOLINK.sub(lambda link: keep(link[1]), out)
        # Behind the last end of a comment every one that begins is looked for in vain, to the end of the text.
        last = out.rfind("-->")
        last = last + 3 if last >= 0 else 0
        out = _TAG.sub("", out[:last]) + _TAG.sub("", out[last:].replace("<!--", "<" + keep("!--")))
    for _ in range(_NESTED_LINKS if "[" in out else 0):
        before, out = out, _LINK.sub(r"\1", out)
        if out == before:
            break
    for opening, closing in (_STRONG, _STRONG_UNDER, _STAR, _UNDER, _STRONG, _STRONG_UNDER):
        out = _without_marks(out, opening, closing)
    out = _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], out)
    return re.sub("\ue000(\\d+)\ue001", lambda place: kept[int(place[1])], out).strip()


def _without_code(text: str, keep: Callable[[str], str]) -> str:
    parts: list[str] = []
    at = 0
    for span in code_spans(text):
        inside = text[span.start : span.end].strip("`")
        parts += (text[at : span.start], keep(_code_text(inside)))
        at = span.end
    return "".join((*parts, text[at:]))


def _without_marks(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    """The text without the marks that have a partner. A mark that closes nothing is never looked for twice."""
    found = opening.search(text)
    if found is None:
        return text
    closers: dict[str, list[int]] = {}
    for place in closing.finditer(text):
        closers.setdefault(text[place.start() : place.start() + len(found[0])], []).append(place.start())
    parts: list[str] = []
    at = 0
    while found is not None:
        mark = found[0]
        ends = closers.get(mark, [])
        # At least one character stands between the two.
        index = bisect_left(ends, found.end() + 1)
        if index < len(ends):
            parts += (text[at : found.start()], text[found.end() : ends[index]])
            at = ends[index] + len(mark)
            found = opening.search(text, at)
        else:
            found = opening.search(text, found.start() + 1)
    return "".join((*parts, text[at:]))


def _code_text(content: str) -> str:
    content = re.sub(r"\r\n?|\n", " ", content)
    if content.strip(" ") and content[0] == content[-1] == " ":
        return content[1:-1]
    return content
