"""The quick reading of logs says what the whole reading says, or nothing."""

from __future__ import annotations

import pytest

from orchestrator.formats.log_outline import read_added, read_log_outline
from orchestrator.formats.task_file import append_log, read_task_file
from orchestrator.markdown.document import Document
from tests.support.model_nouns import key
from tests.support.planning import canonical_document

LINES = '- 2026-11-29T10:00:00Z started turn=plan\n- 2026-11-29T10:01:00Z ended turn=plan why="it \\"said\\" so"\n'
FAKE = "- 2026-11-29T10:01:00Z ended turn=plan usd=99\n"
HEAD = "---\ntask: 5.1.1\n---\n# 5.1.1 — A\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n## Log\n{LINES}",
        f"{HEAD}\n## Log\n\n{LINES}\n## Earlier\n\n> ## Log\n> {FAKE}",
        f"{HEAD}\n## Notes\n\n```\n## Log\n{FAKE}```\n\n## Log\n{LINES}",
        f"{HEAD}\n## Log\n",
    ],
)
def test_a_log_told_quickly_is_the_log_of_the_whole_reading(text: str) -> None:
    whole = read_task_file(Document.parse(text, "5.1.1.todo.md"), key("1.1")).value.log
    assert read_log_outline(text) == whole


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        f"{HEAD}\n## Log\n{LINES}a word\n",
        f"{HEAD}\n## Log\n{LINES}- not an entry\n",
        f"{HEAD}\n## Log\n{LINES}".replace("\n", "\r\n"),
        f"# 5.1.1\n\n## Log\n{LINES}",
    ],
)
def test_where_it_cannot_be_told_quickly_nothing_is_said(text: str) -> None:
    assert read_log_outline(text) is None


def test_the_canonical_todo_file_is_told_quickly() -> None:
    document = canonical_document("tasks/5.1.1.todo.md")
    assert read_log_outline(document.text) == read_task_file(document, key("1.1")).value.log


@pytest.mark.parametrize("below", ["", "\nA note.\n", "\n## Earlier\n\n> old\n"])
def test_what_is_added_to_a_log_is_told_quickly_or_not_at_all(below: str) -> None:
    before = Document.parse(f"{HEAD}\n## Log\n{LINES}{below}", "5.1.1.todo.md")
    known = read_task_file(before, key("1.1")).value.log
    after = append_log(before, *known)
    assert read_added(before.text, before.text) == (None if "##" in below else ())
    assert read_added(before.text, after.text) == (None if "##" in below else known)
    assert read_added(after.text, before.text) is None
    assert read_added(HEAD, before.text) is None
