"""Text of others set into a file of orch's, so that nothing in it can be read as that file's structure.

Owns the decision between verbatim and quoted, and the way back. Knows no section by name.
"""

from __future__ import annotations

from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.quote import unquote
from orchestrator.patterns import regex

_BREAK = regex(r"\r\n?|\n")
_BLANK = " \t\r\n"
_EMPTY_QUOTES = regex(r"(?:[ \t]+>[> \t]*(?:\r\n?|\n|\Z))+")
_HEAD = "## a\n\n"
_FOOT = "\n## z\n"


def trim_blank_lines(text: str) -> str:
    """The text without blank lines at both ends; the blanks of the lines that stay are kept."""
    if not text.strip():
        return ""
    lead = text[: len(text) - len(text.lstrip(_BLANK))]
    start = max(lead.rfind("\n"), lead.rfind("\r")) + 1
    stop = len(text.rstrip(_BLANK))
    breaks = [at for at in (text.find("\n", stop), text.find("\r", stop)) if at >= 0]
    return text[start : min(breaks, default=len(text))]


def with_endings(text: str, ending: str) -> str:
    """The text with every line break turned into `ending`."""
    return _BREAK.sub(lambda _: ending, text)


def is_harmless(text: str) -> bool:
    """Whether the text can stand verbatim below a heading of level two and ends there: what follows stays structure.

    False for headings of level one and two, for fences, comments and HTML that never end.
    """
    headings = Document.parse(_HEAD + text + _FOOT).headings
    if len(headings) < 2 or headings[-1].span.start != len(_HEAD) + len(text) + 1:
        return False
    return all(heading.level > 2 for heading in headings[1:-1])


def quoted(text: str) -> str:
    """The text in quote form, a line of its own for what follows its last break: `unquote` gives back exactly it."""
    return "> " + _BREAK.sub(lambda ending: ending[0] + "> ", text)


def is_quoted(text: str) -> bool:
    """Whether every line of the text is in quote form."""
    return bool(text) and all(line.startswith(">") for line in _BREAK.split(text))


def set_in(text: str) -> str:
    """The text as it may stand in a section: verbatim where that is harmless, else quoted. `taken_out` reads both."""
    return text if is_harmless(text) else quoted(text)


def set_in_exactly(text: str) -> str:
    """The text so that `taken_out` gives back exactly this: quoted if it has several lines, or could be misread."""
    if not text:
        return ""
    is_plain = not _BREAK.search(text) and text == text.strip() and not is_quoted(text) and is_harmless(text)
    return text if is_plain else quoted(text)


def taken_out(text: str) -> str:
    """What a section holds: its text without outer blank lines, a text in quote form without its marks."""
    text = trim_blank_lines(text)
    return unquote(text) if is_quoted(text) else text


def parsed(text: str) -> Document:
    """A document of a section's text alone, headed so that nothing in it can be taken for front matter."""
    return Document.parse(_HEAD + text)


def item_end(doc: Document, item: Item) -> int:
    """Where the last line of a list item ends that holds anything, quote marks without text behind them included."""
    is_indented = doc.text.startswith((" ", "\t"), item.span.end)
    tail = _EMPTY_QUOTES.match(doc.text, item.span.end) if is_indented else None
    stop = tail.end() if tail else item.span.end
    return item.span.start + len(doc.text[item.span.start : stop].rstrip())


def item_lines(doc: Document, item: Item) -> str:
    """All that stands in a list item behind its marker and box, nested lines moved to the left."""
    first, *rest = _BREAK.split(doc.text[item.text_span.start : item_end(doc, item)])
    indents = [len(line) - len(line.lstrip()) for line in rest if line.strip()]
    cut = min(indents, default=0)
    return "\n".join([first, *(line[cut:] for line in rest)])


def as_item(lead: str, text: str) -> str:
    """A list item that holds the text behind `lead` (such as `5.1.1: `): on its line, or quoted below it."""
    if _BREAK.search(text):
        return f"- {lead.rstrip()}\n" + "\n".join("  " + line for line in quoted(with_endings(text, "\n")).split("\n"))
    return f"- {lead}{text}"


def from_item(doc: Document, item: Item) -> str:
    """What `as_item` put into an item, lead and text; of an item of others, its text with soft breaks undone."""
    raw = item_lines(doc, item)
    head, found, rest = raw.partition("\n")
    if found and is_quoted(rest):
        return f"{head} {unquote(rest)}".strip(" ")
    return " ".join(raw.split("\n")) if len(item.children) == 0 and "\n\n" not in raw else raw
