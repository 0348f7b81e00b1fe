"""Text of unknown origin made safe to show: no control character reaches a terminal."""

from __future__ import annotations

import re

from orchestrator.patterns import regex

# C0 but tab and newline, DEL and C1, the marks that turn the direction of text around, and
# halves of pairs, as which a name's bytes come that are no UTF-8.
_CONTROL = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def printable(text: str) -> str:
    """`text` with control characters written out as escapes (`\\x1b`); tabs and newlines stay."""
    # Nearly every text is told to be so without the pattern, which takes long to compile.
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _CONTROL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    code -= 0xDC00 if 0xDC80 <= code <= 0xDCFF else 0
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str, limit: int) -> str:
    """`text` on one line, white space folded, cut at a word to at most `limit` characters with `...` at the end."""
    folded = " ".join(text.split())
    if len(folded) <= limit:
        return folded
    cut = folded[: limit - 3]
    head = cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut
    return head.rstrip(" ,;:") + "..."
