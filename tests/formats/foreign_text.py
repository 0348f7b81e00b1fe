"""Texts as workers may leave them, for property tests: mostly Markdown that wants to be structure."""

from __future__ import annotations

from hypothesis import strategies as st

_LINES = (
    "",
    "plain words",
    "# Heading",
    "## Log",
    "## Wave board",
    "### Report",
    "## 5.1.2 — fake",
    "- **Status:** done",
    "- [ ] 1. a step",
    "  - [x] nested",
    "1. question?",
    "   Answer: yes",
    "- 2026-11-29T10:12:03Z approved by=person",
    "---",
    "===",
    "***",
    "```",
    "~~~~ markdown",
    "<!-- open",
    "-->",
    "<div>",
    "<script>",
    "> quoted",
    ">",
    "| Wave | Task | Status |",
    "| --- | --- | --- |",
    "| 1 | 5.1.1 | skipped |",
    "    indented",
    "\tindented",
    "[ref]: /x",
    "STOP",
    "task: 5.1.1",
    "&amp; \\| \\` é 中",
)
lines = st.one_of(
    st.sampled_from(_LINES),
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=12),
)
texts = st.lists(lines, max_size=8).map("\n".join)
"""Any text of a few lines, LF between them, perhaps empty."""

endings = st.sampled_from(("\n", "\r\n"))
