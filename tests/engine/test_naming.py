"""Which task a person means, and what is said where it can't be told."""

from __future__ import annotations

import pytest

from orchestrator.engine.naming import find_task
from orchestrator.errors import UserError
from orchestrator.formats.plan_file import read_plan
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from tests.support.planning import canonical_plan


def plan() -> Plan:
    text = (
        "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | T1.1-envelope, T1.2-clock |\n| 2 | 3a, T9-gone |\n\n"
        "### T1.1-envelope — E\n\n### T1.2-clock — C\n\n### 3a — D\n"
    )
    return read_plan(Document.parse(text, "plan.md"), 5).value


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("T1.1-envelope", "5.1.1"),
        (" T1.1 ", "5.1.1"),
        ("5.1.2", "5.1.2"),
        ("1.2", "5.1.2"),
        ("3a", "5.2.1"),
    ],
)
def test_a_task_is_named_by_local_id_beginning_key_and_short_key(typed: str, key: str) -> None:
    assert str(find_task(plan(), typed)) == key


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("all", 'no task "all" in orchestration 5', "the plan has T1.1-envelope, T1.2-clock, 3a"),
        ("T1.2-clok", 'no task "T1.2-clok" in orchestration 5', 'did you mean "T1.2-clock"?'),
        ("3", 'no task "3" in orchestration 5', "the plan has T1.1-envelope, T1.2-clock, 3a"),
        ("4.1.1", 'no task "4.1.1" in orchestration 5', "name its orchestration: -n 4"),
        ("T9", "task 5.2.2 has no section in orchestration 5", "run: orch check"),
    ],
)
def test_a_word_for_no_task_is_refused_with_what_there_is(typed: str, message: str, hint: str) -> None:
    with pytest.raises(UserError) as refused:
        find_task(plan(), typed)
    assert (refused.value.message, refused.value.hint) == (message, hint)


def test_a_word_for_two_tasks_is_refused_with_both() -> None:
    with pytest.raises(UserError) as refused:
        find_task(canonical_plan(), "1")
    assert refused.value.message == '"1" could be 5.1.1, 5.2.1 in orchestration 5'
    assert refused.value.hint == "write the whole key"
