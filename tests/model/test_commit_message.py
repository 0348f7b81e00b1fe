"""Commit messages: the default, and what they may not say."""

from __future__ import annotations

import pytest

from orchestrator.model.commit_message import commit_message, default_message, message_fault
from tests.support.model_nouns import key, paths, spec


@pytest.mark.parametrize(
    ("title", "edit", "create", "message"),
    [
        ("Parse trigger definitions", "pkg/a.go", "pkg/a_test.go", "feat: parse trigger definitions"),
        ("Describe triggers", "docs/a.md", "README.md", "docs: describe triggers"),
        ("Describe triggers", "docs/", "", "docs: describe triggers"),
        ("Cover triggers", "pkg/a_test.go", "tests/", "test: cover triggers"),
        ("Cover triggers", "web/a.spec.ts", "web/__tests__/b.ts", "test: cover triggers"),
        ("Cover and describe", "pkg/a_test.go", "README.md", "feat: cover and describe"),
        ("API layer", "a.go", "", "feat: API layer"),
        ("iOS build", "a.go", "", "feat: iOS build"),
        ("A  new\tthing", "a.go", "", "feat: a new thing"),
        ("Ähnliche finden", "a.go", "", "feat: ähnliche finden"),
        ("contest entries", "src/contest.py", "src/latest.py", "feat: contest entries"),
    ],
)
def test_the_default_message(title: str, edit: str, create: str, message: str) -> None:
    assert default_message(spec(title=title, edit=edit, create=create)) == message


def test_a_file_to_delete_counts_for_the_type_too() -> None:
    assert default_message(spec(title="Drop it", edit="docs/a.md", can_delete=paths("src/a.py"))) == "feat: drop it"


def test_the_message_of_the_spec_goes_first() -> None:
    assert commit_message(spec(commit=" fix(x): y \n")) == "fix(x): y"
    assert commit_message(spec(title="Do it", edit="a.py")) == "feat: do it"


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("feat: parse triggers", None),
        ("feat: bump to 5.1.1", None),
        ("feat: bump lib to 5.1.10", None),
        ("feat: bump lib to 5.1.2.4", None),
        ("feat: bump lib to 1.5.1.2", None),
        ("feat: wave at people", None),
        ("feat: microwave 2 dishes", None),
        ("feat: heat-wave 2 warning", None),
        ("feat: orchestration layer", None),
        ("feat: wavelength 3", None),
        ("feat: read EXECUTION_PLAN_51", None),
        ("", "is empty"),
        (" \n", "is empty"),
        ("a\0b", "holds the control character U+0000"),
        ("a \x1b[31mred", "holds the control character U+001B"),
        ("feat: 5.1.2 parse", "names the task 5.1.2"),
        ("feat: parse (5.1.2)", "names the task 5.1.2"),
        ("feat: parse 5.1.2.", "names the task 5.1.2"),
        ("feat: parse\n\nTask: 5.1.fix-it", "names the task 5.1.fix-it"),
        ("feat: wave 2 of parsing", "names a wave (`wave 2`)"),
        ("feat: Waves 12", "names a wave (`Waves 12`)"),
        ("feat: close wave-3", "names a wave (`wave-3`)"),
        ("feat: Orchestration 5", "names an orchestration (`Orchestration 5`)"),
        ("feat: as EXECUTION_PLAN_5 says", "names an orchestration (`EXECUTION_PLAN_5`)"),
    ],
)
def test_a_message_outlives_its_plan(message: str, fault: str | None) -> None:
    assert message_fault(message, 5, [key("1.2"), key("1.fix-it")]) == fault
