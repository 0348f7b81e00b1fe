"""Texts made to take long: of any length, each of a kind that some reader could go through again and again."""

from __future__ import annotations

from collections.abc import Callable, Mapping

Make = Callable[[int], str]


def _again(unit: str) -> Make:
    return lambda length: (unit * (length // len(unit) + 1))[:length]


def _runs(char: str, between: str) -> Make:
    """Runs of one character, each longer than the one before it."""

    def made(length: int) -> str:
        parts, total = [], 0
        while total < length:
            parts.append(char * (len(parts) + 1) + between)
            total += len(parts[-1])
        return "".join(parts)

    return made


def _steps(line: str) -> Make:
    """Lines that go further in one by one."""

    def made(length: int) -> str:
        return "\n".join(line.replace("@", "  " * depth) for depth in range(int(length**0.5)))

    return made


_UNITS = (
    *("|", "a | ", "\\|", "`", "`a ", "[", "[a](b) ", "[a](", "![a]", '[a](b "x ', "*", "*a ", "**a ", "a**b "),
    *("_a ", "__a ", "~~a ", "**a *b __c _d ", "<", "<a ", "<!-- ", "<!--", "-->", "<a:", "<br ", "\\", "&amp;"),
    *("(", "a (b) ", "a (b ", "a", "1", "1.", "5.1.1 ", "- ", "— ", ":", "a: ", ",", "a, ", "a and ", ".", "a/"),
    *("#", " #", '"', "'", "{", "{a: ", "[a, ", "\x00", "\x1b[", "\x1b]", "1;", "\u2028", "\ue000", ">", "1. "),
    *("[ ] ", "wave 1, ", "1-", "1 to ", "1.1-", "1..", "T1, ", "depends on ", "aB3/", "https://a:b", "deadbeef12"),
    *("password=", "Options: a ", "none ", "Unblocks: ", "done ", "a.py (new ", "; ", "a;`b` ,", "k=v ", 'k="'),
    *("<<A ", "FAILED ", "1 passed, ", "a=1, ", "🎉", "a::", "[a", '{"a":', "\u202e", "<<<<<<< ", "Q1 ", "Answer: "),
    *("A1 ",),
)
LINES: Mapping[str, Make] = {
    **{repr(unit): _again(unit) for unit in _UNITS},
    "growing backticks": _runs("`", " a "),
    "growing stars": _runs("*", " a "),
    "brackets in pairs": lambda length: "[" * (length // 2) + "]" * (length // 2),
    "links in links": lambda length: "[" * (length // 5) + "a" + "](x)" * (length // 5),
    "parentheses in pairs": lambda length: "(" * (length // 2) + ")" * (length // 2),
    "blanks": lambda length: f"a{' ' * length}b",
    "tabs": lambda length: f"a{chr(9) * length}b",
    "a tag of blanks": lambda length: f"<a{' ' * length}x",
    "a tag of attributes": lambda length: "<a" + " b=c" * (length // 4),
    "dashes and a word": lambda length: "- " * (length // 2) + "x",
}
"""Texts of one line."""

_BLOCKS = (
    *("\n", "\r", "\r\n", "a\r", " \n", "a\n", "```\n", "```\n~~~\n", "```a\n", "> a\n", "> a\nb\n", "- a\n"),
    *("- a\n\n", "- a\nb\n", "- [ ] a\n", "1. a\n", "-\n", "*\n", "# a\n", "## Goal\n", "## TODO items\n- [ ] a\n"),
    *("## Log\n", "## Questions\n1. a\n", "## Report\n- Status: a\n", "## Discovered\n- a\n", "## Baseline\n"),
    *("## Wave board\n", "## Waves\n", "### 5.1.1 — a\n", "## 5.2.1 — a\n\n- **Status:** done\n", "a\n===\n"),
    *("[a]: b\n", "[a]: b\n===\n", "a\n-\n", "---\n", "| a | b |\n", "| a | b |\n|---|---|\n", "|-|-|\n"),
    *("a | b\n-|-|-\n", "|\n", "<!--\n", "<div>\n", "<!-- a -->\n", "<div>\n\n", "<b>\n\n", "<script>\n"),
    *("<<<<<<< a\n=======\n", "=======\n>>>>>>> a\n", "a: b\n", "    a\n", "\ta\n", "- **Must edit:** `a`\n"),
    *("**Test:** a\n", "Files: a\n", "   Answer: a\n", "STOP: a\n", "\x00\n"),
    *("- 2026-11-29T10:02:11Z started turn=plan\n", "| 1 | 5.1.1 | a | done | |\n", "> - a\n", "- Task 1: a\n"),
    *("**a\n", "- **Depends on:** 5.1.1\n", "- 5.1.1 depends on 5.1.2\n", "  > a\n", "FAILED a::b\n", "\u2028\n"),
    *("\\\n", "`\n"),
)
BLOCKS: Mapping[str, Make] = {
    **{repr(unit): _again(unit) for unit in _BLOCKS},
    "growing fences": _runs("`", "\n"),
    "quotes further in": _steps("@> a"),
    "items further in": _steps("@- a"),
    "a definition that never ends": lambda length: "[a" + "\nb" * (length // 2) + "\n===\n",
    "a table of many columns": lambda length: (
        f"|{'a|' * (length // 6)}\n|{'-|' * (length // 6)}\n|{'b|' * (length // 6)}\n"
    ),
    "a table of many short rows": lambda length: "| a | b |\n|---|---|\n" + "|b|\n" * (length // 4),
    "keys": lambda length: "".join(f"k{number}: v\n" for number in range(length // 8)),
    "questions": lambda length: "".join(
        f"- **Q{number}** 5.1.1 (2026-11-29): a\n  Answer:\n" for number in range(1, length // 44)
    ),
    "waves": lambda length: "".join(f"| {number} | open | | | |\n" for number in range(1, length // 18)),
    "discovered": lambda length: "".join(f"- 5.1.1: {number}\n" for number in range(length // 14)),
    "an item of many lines": lambda length: "- a\n" + "  b\n" * (length // 4),
}
"""Texts of many lines."""
