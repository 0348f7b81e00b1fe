"""Texts to try: the project's own odd files, other people's files where they are, and made-up ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.support.shared import shared_root

DATA = ROOT / "tests" / "data" / "markdown"

_PREFIXES = ["", " ", "  ", "   ", "    ", "     ", "\t", " \t", "  \t", "> ", ">", "- ", "-", "1. ", "2. ", "10) "]
_PREFIXES += ["-   ", "-     ", "+ ", "* ", "  - ", "   > ", "-\t", "1.\t"]
_CONTENTS = [
    "text",
    "two words",
    "# head",
    "## h ##",
    "#",
    "#no",
    "```",
    "```py",
    "~~~",
    "````",
    "``` a`b",
    "---",
    "***",
]
_CONTENTS += ["- - -", "===", "=", "--", "<!--", "-->", "<!-- x -->", "<div>", "</div>", "<b>", "<b> x", "<?php", "?>"]
_CONTENTS += [
    "<!X",
    "<![CDATA[",
    "]]>",
    "<script>",
    "</script>",
    "| a | b |",
    "|---|---|",
    "|:-:|--|",
    "a | b",
    "--|--",
]
_CONTENTS += [
    "| - |",
    "|",
    "a \\| b | c",
    "[ ] box",
    "[x] box",
    "",
    "",
    "",
    "    code",
    "\\# x",
    "<pre",
    "x > y",
    "- ",
    "1.",
]
_CONTENTS += ["a | `b|c` | d", "<table>", "&nbsp;", "\u00a0x", "\x0c", "[~] box", "**b**", "1) x", "é — 日本"]
_ENDINGS = ["\n"] * 12 + ["\r\n", "\r", "\n\n", "\r\n\r\n"]

_lines = st.builds(
    lambda marks, content, blanks, ending: "".join(marks) + content + blanks + ending,
    st.lists(st.sampled_from(_PREFIXES), max_size=3),
    st.sampled_from(_CONTENTS),
    st.sampled_from(["", "", "", " ", "  "]),
    st.sampled_from(_ENDINGS),
)
_tops = st.sampled_from(
    [
        "",
        "",
        "",
        "\ufeff",
        "---\na: 1\n---\n",
        "---\r\na: 1\r\nb: [x, 'y']\r\n---\r\n",
        "\ufeff---\nk: v\n---\n",
        "---\na: 1\n",
    ]
)

markdownish = st.lists(_lines, min_size=1, max_size=9).map("".join)
"""Texts full of marks, mostly nonsense, without front matter."""

documents = st.builds(
    lambda top, body, end: top + body + end, _tops, markdownish, st.sampled_from(["", "last", "- x", "| y"])
)
"""Such texts with all kinds of tops and ends."""

anything = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.text("ab \t\r\n#-|>`~[]x\x00\u2028\ufeff", max_size=80),
    documents,
)
"""Any text whatever."""

phrases = st.text(
    st.one_of(st.sampled_from("ab \t\r\n#-|>`~[]\\x*_:1.'\"{}$"), st.characters(codec="utf-8")), max_size=12
)
"""Short texts to put into cells, keys and sections."""


def own_files() -> list[Path]:
    """The project's own odd Markdown files."""
    return sorted(DATA.glob("*.md"))


def real_files() -> list[Path]:
    """Other people's Markdown files, where they are; a test over them must skip if there are none."""
    root = shared_root()
    return sorted((root / "corpus").rglob("*.md")) if root else []


def read(path: Path) -> str:
    """The file's text, endings as they are."""
    return path.read_bytes().decode()


def every_text() -> list[tuple[str, str]]:
    """Name and text of every file there is to try, and a long one made here."""
    found = [(path.name, read(path)) for path in (*own_files(), *real_files())]
    return [*found, ("long", long_text(12_000))]


def need_real_files() -> None:
    """Skip, with the reason, where there are no files of other people."""
    if not real_files():
        pytest.skip("needs the corpus of the shared material (set ORCH_SHARED)")


def long_text(lines: int) -> str:
    """A text of about so many lines: sections with lists, tables, fences and prose."""
    part = (
        "## Section {n}\n\nSome prose that goes on\nover two lines.\n\n"
        "| A | B |\n| --- | --- |\n| {n} | x |\n| y | |\n\n"
        "- [ ] {n}. first\n  - [x] nested `code`\n- [ ] second\n  goes on\n\n```py\n# no heading\n```\n\n> quoted\n\n"
    )
    height = part.count("\n")
    return "# Long\n\n" + "".join(part.format(n=n) for n in range(lines // height + 1))


def change(old: str, new: str) -> tuple[str, str]:
    """What was taken out of the old text and what stands there in the new one, common ends cut."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]
