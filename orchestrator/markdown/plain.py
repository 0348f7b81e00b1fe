"""Inline marks taken off: the words of a cell, heading or label as a reader sees them.

Owns bold, emphasis, struck-through, inline code, links, images, autolinks, escapes and entities of the common
kind. Line structure isn't its matter.
"""

from __future__ import annotations

import re

from orchestrator.patterns import regex

_ESCAPED = regex(r"\\([!-/:-@\[-`{-~])")
_CODE = regex(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = regex(
    r"!?\[((?:[^\[\]\\]|\\.)*)\](?:\((?:[^()\\\s]|\\.|\([^()\s]*\))*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\)|\[[^\[\]]*\])"
)
_AUTOLINK = regex(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_TAG = regex(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
_STRONG = regex(r"(\*\*|~~)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_STRONG_UNDER = regex(r"(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)", re.DOTALL)
_STAR = regex(r"(?<!\*)\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?!\*)", re.DOTALL)
_UNDER = regex(r"(?<![\w_])_(?=[^\s_])(.+?)(?<=[^\s_])_(?![\w_])", re.DOTALL)
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&nbsp;": " ", "&#39;": "'", "&#124;": "|"}
_ENTITY = regex("|".join(map(re.escape, _ENTITIES)))
_ANY = regex(r"[*_~`\[\]<>&\\]")


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
    out = _CODE.sub(lambda code: keep(_code_text(code[2])), text)
    out = _ESCAPED.sub(lambda escaped: keep(escaped[1]), out)
    out = _AUTOLINK.sub(lambda link: keep(link[1]), out)
    out = _TAG.sub("", out)
    before = None
    while before != out:
        before = out
        out = _LINK.sub(r"\1", out)
    for pattern in (_STRONG, _STRONG_UNDER, _STAR, _UNDER, _STRONG, _STRONG_UNDER):
        out = pattern.sub(lambda mark: mark[mark.lastindex or 0], out)
    out = _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], out)
    return re.sub("\ue000(\\d+)\ue001", lambda place: kept[int(place[1])], out).strip()


def _code_text(content: str) -> str:
    content = re.sub(r"\r\n?|\n", " ", content)
    if content.strip(" ") and content[0] == content[-1] == " ":
        return content[1:-1]
    return content
