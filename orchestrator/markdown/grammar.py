"""What the first characters of a line mean in CommonMark and GFM tables: patterns and small questions.

Owns no state: the scanner knows what is open, this module knows what a line could begin or end. Indentation is
measured in columns, a tab reaches to the next multiple of four.
"""

from __future__ import annotations

import re

from orchestrator.patterns import regex

ATX = regex(r"(#{1,6})(?:[ \t]|\Z)")
ATX_CLOSE = regex(r"(?:^|[ \t])#+[ \t]*\Z")
FENCE = regex(r"(`{3,})[^`]*\Z|(~{3,})")
SETEXT = regex(r"(?:=+|-+)[ \t]*\Z")
MARKER = regex(r"([-+*]|\d{1,9}[.)])(?=[ \t]|\Z)", re.ASCII)
BOX = regex(r"\[([^\r\n\]])\](?=[ \t]|[\r\n]|\Z)")
DELIMITERS = regex(r"[-|:][-|: \t]+\Z")
_PIPE = regex(r"(?<!\\)\|")
DELIMITER = regex(r":?-+:?\Z")

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th"
    "|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"(?:\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?)"
_ANY_TAG = rf"(?:<[A-Za-z][A-Za-z0-9-]*{_ATTRIBUTE}*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*\Z"

RAW, COMMENT, PROCESSING, DECLARATION, CDATA, BLOCK_TAG, ANY_TAG = range(1, 8)
_HTML_OPEN = (
    (RAW, regex(r"<(?:script|pre|style|textarea)(?=\s|>|\Z)", re.IGNORECASE | re.ASCII)),
    (COMMENT, regex(r"<!--")),
    (PROCESSING, regex(r"<\?")),
    (DECLARATION, regex(r"<![A-Za-z]")),
    (CDATA, regex(r"<!\[CDATA\[")),
    (BLOCK_TAG, regex(rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|\Z)", re.IGNORECASE | re.ASCII)),
    (ANY_TAG, regex(_ANY_TAG)),
)
HTML_END: dict[int, re.Pattern[str]] = {
    RAW: regex(r"</(?:script|pre|style|textarea)>", re.IGNORECASE | re.ASCII),
    COMMENT: regex(r"-->"),
    PROCESSING: regex(r"\?>"),
    DECLARATION: regex(r">"),
    CDATA: regex(r"\]\]>"),
}
_DEFINITION = regex(
    r"[ \t]*\[(?=\s*[^\s\]])(?:[^\[\]\\]|\\.)*\]:[ \t]*\n?[ \t]*(?:<(?:[^<>\n\\]|\\.)*>|[^\s<]\S*)"
    r"(?:(?:[ \t]+\n?|\n)[ \t]*(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t]*(?:\n|\Z)",
    re.DOTALL,
)


def indent_at(text: str, at: int, end: int, column: int) -> tuple[int, int]:
    """Offset and column of the first character at or after `at` that is neither space nor tab (or of `end`)."""
    begin = at
    while begin < end and text[begin] == " ":
        begin += 1
    column += begin - at
    if begin == end or text[begin] != "\t":
        return begin, column
    while begin < end and text[begin] in " \t":
        column += 4 - column % 4 if text[begin] == "\t" else 1
        begin += 1
    return begin, column


def is_rule(text: str, begin: int, end: int) -> bool:
    """Whether nothing stands there but three or more of the character at `begin`, one of `*-_`, and blanks."""
    char = text[begin]
    last = end - 1
    while text[last] in " \t":
        last -= 1
    # Most lines are told by their ends: a line of a hundred dashes may begin a hundred lists.
    if last < begin + 2 or text[last] != char:
        return False
    rest = text[begin:end]
    return not rest.strip(f"{char} \t") and rest.count(char) >= 3


def html_kind(line: str, *, in_paragraph: bool) -> int:
    """Which of the seven kinds of HTML block the line begins, 0 for none; the last can't break a paragraph."""
    for kind, pattern in _HTML_OPEN:
        if pattern.match(line):
            return 0 if in_paragraph and kind == ANY_TAG else kind
    return 0


def split_row(line: str) -> tuple[int, list[str]]:
    """Where in the line of a table row its first cell begins, and all cells, white space and escapes kept.

    Each cell is followed by one pipe, the last one maybe by none.
    """
    line = line.rstrip(" \t")
    # A backslash right before a pipe escapes it, even one that is itself escaped: that is GFM's rule.
    parts = _PIPE.split(line) if "\\|" in line else line.split("|")
    lead = parts[0] == ""
    if lead:
        del parts[0]
    if parts and parts[-1] == "":
        del parts[-1]
    return int(lead), parts


def delimiter_count(line: str) -> int:
    """Number of columns that a table's delimiter row sets (white space at both ends cut), 0 if it isn't one."""
    if not DELIMITERS.match(line) or (line[0] == "-" and line[1] in " \t"):
        return 0
    cells = [cell.strip(" \t") for cell in line.split("|")]
    if len(cells) > 1 and not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return len(cells) if all(DELIMITER.match(cell) for cell in cells) else 0


def definition_lines(content: str) -> int:
    """How many lines of a paragraph's content (lines joined by LF), from the first, are link definitions."""
    at = 0
    while at < len(content):
        definition = _DEFINITION.match(content, at)
        if not definition:
            break
        at = definition.end()
    return content.count("\n", 0, at) + (at == len(content))
