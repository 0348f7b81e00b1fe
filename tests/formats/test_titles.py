"""Titles of tasks whose heading has none: taken from a label, else from what is to be done."""

from __future__ import annotations

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.plan_outline import read_outline
from orchestrator.formats.plan_parts import title_from
from orchestrator.markdown.document import Document

PLAN = """\
# Execution plan 1

## Waves

| Wave | Tasks | Depends on |
| --- | --- | --- |
| 1 | 1.1.1 | none |

## Tasks

### 1.1.1

- must edit: `a.py`
- acceptance: it works
- test: `true`
- {field}
"""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Add `manhattan` and `chebyshev`. Keep the rest.", "Add manhattan and chebyshev"),
        ("Use v1.2 of the parser, then see", "Use v1.2 of the parser, then see"),
        (
            "Add unit coverage for the three new metrics in the existing module",
            "Add unit coverage for the three new metrics",
        ),
        ("x" * 80, "x" * 60),
        ("one\ntwo", "one"),
        ("  ", ""),
    ],
)
def test_a_title_is_the_first_sentence_cut_between_words(text: str, title: str) -> None:
    assert title_from(text) == title


@pytest.mark.parametrize(
    ("field", "title"), [("title: Parse it", "Parse it"), ("spec: Parse the file. Then stop.", "Parse the file")]
)
def test_a_task_without_a_title_in_its_heading_gets_one_from_its_fields(field: str, title: str) -> None:
    text = PLAN.replace("{field}", field)
    assert [spec.title for spec in read_plan(Document.parse(text, "plan.md"), 1).value.specs] == [title]
    assert read_outline(text, "plan.md", 1) is None, "the quick look leaves it to the whole reader"


@pytest.mark.parametrize(
    ("heading", "front", "title", "slug"),
    [
        ("# Execution plan 1 — Event triggers", "", "Event triggers", "event-triggers"),
        ("# EXECUTION_PLAN", "", "", ""),
        ("# Execution Plan", "title: Triggers", "Triggers", "triggers"),
        ("# Execution Plan — from here to live", "", "Execution Plan — from here to live", "from-here-to-live"),
        ("# 🚀 EXECUTION PLAN - Image Testing", "", "🚀 EXECUTION PLAN - Image Testing", "image-testing"),
        ("# Firmware - Execution Plan", "", "Firmware - Execution Plan", "firmware"),
        ("# Execution planning board", "", "Execution planning board", "execution-planning-board"),
        ("# Execution plan 1", "", "", ""),
    ],
)
def test_a_branch_name_does_not_repeat_what_kind_of_file_it_comes_from(
    heading: str, front: str, title: str, slug: str
) -> None:
    text = PLAN.replace("# Execution plan 1", heading).replace("{field}", "title: Parse it")
    text = f"---\n{front}\n---\n{text}" if front else text
    plan = read_plan(Document.parse(text, "plan.md"), 1).value
    assert (plan.title, plan.slug) == (title, slug)
