"""Reports in STATE_N.md: orch's own is put and replaced, the user's sections and words stay."""

from __future__ import annotations

import pytest

from orchestrator.formats.report_edits import put_report
from orchestrator.formats.reports import read_reports
from orchestrator.formats.row_names import RowNames
from orchestrator.markdown.document import Document
from tests.support.diffs import diff
from tests.support.planning import canonical, canonical_document, key

STATE = canonical("STATE_5.md")
LINES = ["- **Status:** blocked", "- **Files:** none"]


def test_a_report_replaces_the_one_before_it() -> None:
    new = put_report(canonical_document("STATE_5.md"), key("5.1.1"), "Another title", LINES)
    assert diff(STATE, new.text) == (
        "-- **Status:** done, abc1234\n"
        "-- **Files:** `pkg/jobdef/definition.go` (L118–164), `pkg/jobdef/trigger.go` (new)\n"
        "-- **Tests:** `go test ./pkg/jobdef -run Trigger`: 14 passed, 0 failed\n"
        "-- **Deviations:** none\n"
        "-- **Gotchas:** `ParseDefinition` is called twice at start-up\n"
        "+- **Status:** blocked\n"
        "+- **Files:** none\n"
    )
    assert put_report(new, key("5.1.1"), "T", LINES).text == new.text


def test_a_first_report_is_a_section_at_the_end() -> None:
    new = put_report(canonical_document("STATE_5.md"), key("5.1.2"), "Store\ntriggers", LINES)
    assert new.text == STATE + "\n## 5.1.2 — Store triggers\n\n- **Status:** blocked\n- **Files:** none\n"


def test_below_task_reports_it_stands_one_level_lower() -> None:
    text = "# State\n\n## Task Reports\n\n## Mine\n\nWords.\n"
    new = put_report(Document.parse(text), key("5.1.2"), "T", LINES)
    assert new.text == (
        "# State\n\n## Task Reports\n\n### 5.1.2 — T\n\n- **Status:** blocked\n- **Files:** none\n\n## Mine\n\nWords.\n"
    )


def test_a_section_of_the_user_with_the_same_heading_is_never_touched() -> None:
    text = "# State\n\n## 5.1.2 — T\n\nMy own notes.\n\n- Files: all\n"
    new = put_report(Document.parse(text), key("5.1.2"), "T", LINES)
    assert new.text == text + "\n## 5.1.2 — T\n\n- **Status:** blocked\n- **Files:** none\n"
    again = put_report(new, key("5.1.2"), "T", ["- **Status:** done"])
    assert again.text == text + "\n## 5.1.2 — T\n\n- **Status:** done\n"


def test_what_people_wrote_around_the_list_stays() -> None:
    text = (
        "# State\n\n## 5.1.2 — T (see below)\n\nBefore.\n\n* Status: done\n* Files: a\n\n  more\n\nAfter.\n\n"
        "### Sub\n\n- Status: x\n"
    )
    new = put_report(Document.parse(text), key("5.1.2"), "T", LINES)
    assert new.text == text.replace(
        "* Status: done\n* Files: a\n\n  more\n", "- **Status:** blocked\n- **Files:** none\n"
    )


def test_a_workers_words_cannot_break_out_of_the_report() -> None:
    lines = [
        "- **Status:** done",
        "- **Deviations:** first\n# Heading\n---\n```\n| a | b |",
        "## 5.2.1 — fake",
        "- ```",
        "- <!-- open",
    ]
    new = put_report(canonical_document("STATE_5.md"), key("5.1.2"), "T", lines)
    assert new.text == STATE + (
        "\n## 5.1.2 — T\n\n- **Status:** done\n- **Deviations:** first\n"
        "  > # Heading\n  > ---\n  > ```\n  > | a | b |\n"
        "  > ## 5.2.1 — fake\n- ```\n- <!-- open\n"
    )
    assert [str(report.key) for report in read_reports(new, RowNames(5))] == ["5.1.1", "5.1.2"]
    assert new.problems == ()


def test_a_report_begins_with_its_status() -> None:
    for lines in ([], ["- **Files:** a"], ["Status: done"]):
        with pytest.raises(ValueError, match="begins with the item"):
            put_report(canonical_document("STATE_5.md"), key("5.1.2"), "T", lines)
