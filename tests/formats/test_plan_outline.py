"""The quick look at a plan: what it takes, the whole reader reads the same; what it isn't sure of, it declines."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.plan_outline import read_outline
from orchestrator.markdown.document import Document
from tests.formats.foreign_text import texts
from tests.formats.outlines import UNSEEN, seen
from tests.support.planning import canonical, canonical_plan

HEAD = """\
# Execution plan 5 — X

## Waves

| Wave | Theme | Tasks | Depends on |
| --- | --- | --- | --- |
| 1 | a | 5.1.1, 5.1.2 | — |
| 2 | b | 5.2.1 | 1 |

## Tasks

"""


def test_the_canonical_plan_is_taken_and_reads_the_same() -> None:
    name = "planning/EXECUTION_PLAN_5.md"
    outline = read_outline(canonical("EXECUTION_PLAN_5.md"), name, 5)
    assert outline is not None
    assert seen(outline) == seen(canonical_plan())
    assert (outline.goal, outline.acceptance, outline.specs[0].must_edit) == ("", (), ())


@pytest.mark.parametrize(
    "body",
    [
        "### 5.1.1 — A\n\n### 5.1.2 — B\n",
        "### 5.1.1 — A\n\n### 5.1.2 — B\n\n### 5.2.1 — C\n\n### 5.2.2 — D\n",
        "### 5.1.1 — A\n\n### 5.1.2 — B\n\n### 5.2.1 — C\n\n- Depends on: 5.9.9\n",
        "### 5.1.1 — A\n\n### 5.1.2 — B\n\n### 5.2.1 — C\n\n- Depends on:\n  - 5.1.1\n",
        "### 5.1.1 — A\n\n### 5.1.2 — B\n\n### 5.2.1 — C\n\n- files:\n  - after: 5.1.1\n",
        "### 5.1.1 — A\n\n### 5.1.2 — B\n\n## Backlog\n\n### 5.2.1 — C\n",
        "### 5.1.1 — A\n\n### 5.1.2 — B\n\n### 5.2.1 — C\n\n### 4.1.1 — D\n",
        "### 5.1.1 — A\n\n### 5.1.2 — B\n\n### 5.2.1 — C\n\n```\nnever closed\n",
        "### 5.1.1 — A\r\n\r\n### 5.1.2 — B\r\n\r\n### 5.2.1 — C\r\n",
    ],
)
def test_what_needs_the_whole_reader_is_declined(body: str) -> None:
    assert read_outline(HEAD + body, "p", 5) is None


def test_fences_and_prose_are_no_reason_to_decline() -> None:
    text = HEAD + (
        "### 5.1.1 — A\n\n```sh\n### 5.1.2 — not this\n- Depends on: 5.2.1\n```\n\n"
        "After the API is there: go.\n\n### Task 5.1.2: `B` ##\n\n#### Sub\n\n- **Depends on:** 5.2.1\n\n---\n\n"
        "### 5.2.1 — C\n\n* BLOCKED-BY: wave 1 (all of it)\nlazy text\n\n"
        "| a | b |\n| --- | --- |\n\n## Backlog\n\n### 5.1.1 — old\n"
    )
    outline = read_outline(text, "p", 5)
    assert outline is not None
    found = read_plan(Document.parse(text, "p"), 5)
    assert found.problems == ()
    assert seen(outline) == seen(found.value)
    assert [len(spec.depends_on) for spec in outline.specs] == [0, 0, 1]


_PIECES = st.lists(
    st.one_of(
        texts,
        st.sampled_from(
            (
                "- **Depends on:** 5.1.1",
                "- Depends on: 5.1.1, 5.1.2",
                "- depends-on: wave 1,",
                "* **After**: none",
                "1. Depends on: 5.1.1",
                " - Depends on: 5.1.1",
                "- [ ] Depends on: 5.1.1",
                "- [x] **Depends on:** 5.1.1",
                "- **Depends on:** 5.1.2",
                "- **Depends on:**",
                "-\n  Depends on: 5.1.1",
                "> - Depends on: 5.1.1",
                "-     Depends on: 5.1.1",
                "- **Must edit:** `a.py`",
                "- Files:",
                "  - dep",
                "```",
                "````",
                "``` a`b",
                "~~~",
                "   ```",
                "#### Sub",
                "## Backlog",
                "# 5.1.2 - other",
                "##  5.1.1 —  A  ##",
                "<b>",
                "```\n  # comment\n<b>\n~~~\n---\nDepends on: 5.1.1\n```",
                "text\n---",
                "### 5.1.1 — `a` *b* — c #",
                "### `5.1.2` — B",
                "### 5.1.2",
                "#",
                "| Wave | Tasks |\n| --- | --- |\n| 1 | x |",
                "| Field | Value |\n| --- | --- |\n| Depends on | 5.1.1 |",
                "| Must edit | `a.py` |\n|---|---|\n| **Blocked by:** | 5.1.2 |",
                "Field | Value\n--- | ---\nDeps | 5.1.1",
                "Depends on: 5.1.1\nRepo: .",
                "**Depends on:**",
                "**Depends on:** 5.1.1",
                "__After__: 5.1.2 and 5.1.1",
                "- **Depends on** 5.1.1",
                "- depends on",
                "- a\n**Depends on:** 5.1.1",
                "- a\n  Depends on: 5.1.1",
                "> a\nNeeds: 5.1.1",
                "- **Requires:** 5.1.1",
                "- **Depends on:** 5.1.1\n**Tier:** small\n**Needs:** 5.1.1",
                "Requires 5.1.1.",
                "  - 5.1.1",
                "- Files in scope:\n  - Depends on: 5.1.1",
                "**Files:**\n- Depends on: 5.1.1",
                "**Files:**",
                "**Scope**",
                "- Test:\n  ```\n  make\n  ```",
                "### Wave 1",
                "## Wave 2 — later",
                "### Task 1.2: B",
                "### 2.1 - C",
                "- Dependency rule: none",
                "- depends_on: 5.1.1",
                "Dependencies\n---",
                "| a | b |\n|---|---|",
                "\tindented",
                "",
            )
        ),
    ),
    max_size=5,
).map("\n".join)


@settings(max_examples=300)
@given(_PIECES, _PIECES, _PIECES, _PIECES)
@example("", "", "", "- Depends on: 5.1.1\n\n\n  more")
@example("", "-", "- Depends on: 5.1.1\nb", "")
@example("", "", "", "- **Depends on:**\n0")
@example("", "", "", "- **Depends on:** 5.1.1\n``` a`b\n  - dep")
@example("", "", "", "- **Depends on:** 5.1.1\nplain words\n  - [x] nested")
@example("## Backlog", "", "", "")
@example("#### Backlog", "", "", "")
def test_what_is_taken_reads_the_same(before: str, one: str, two: str, three: str) -> None:
    text = f"{HEAD}{before}\n### 5.1.1 — A\n{one}\n### 5.1.2 — B\n\n{two}\n\n### 5.2.1 — C\n\n{three}"
    outline = read_outline(text, "p", 5)
    if outline is None:
        return
    found = read_plan(Document.parse(text, "p"), 5)
    assert seen(outline) == seen(found.value)
    assert {problem.code for problem in found.problems} <= UNSEEN
