"""What templates are given is plain, documented data, and the vocabulary says exactly what there is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from orchestrator.model.ids import TaskKey
from orchestrator.prompts.context import Conventions, vocabulary, worker_data
from tests.support.prompt_data import PATHS, REPORT_TEXT, SPEC_TEXT, bare_data, store_triggers, task_data


def test_a_task_becomes_plain_data() -> None:
    assert task_data() == {
        "id": "5.2.1",
        "title": "Store triggers",
        "turn": "plan",
        "task": {
            "key": "5.2.1",
            "title": "Store triggers",
            "spec": SPEC_TEXT,
            "wave": 2,
            "repo": ".",
            "depends_on": ["5.1.1"],
            "must_edit": ["pkg/store/store.go"],
            "can_create": ["pkg/store/trigger.go", "pkg/store/trigger_test.go"],
            "can_delete": [],
            "scratch": [".development/"],
            "anchors": ["`func (s *Store) Save` in `pkg/store/store.go` (~210)"],
            "references": ["port the pattern in `pkg/store/schedule.go`"],
            "acceptance": ["every test in `pkg/store/trigger_test.go` passes"],
            "test": "go test ./pkg/store -run Trigger",
            "tier": "small",
            "commit": "feat(store): store triggers",
            "theme": "",
            "plan_section": "",
            "source": "",
            "constraints": "",
        },
        "plan": {
            "number": 5,
            "title": "Event triggers",
            "goal": "Jobs start on events, not only on a schedule.",
            "path": "planning/EXECUTION_PLAN_5.md",
        },
        "wave": {"number": 2, "theme": "Storage", "tasks": ["5.2.1"]},
        "conventions": "Errors are wrapped with `fmt.Errorf` and `%w`.\n",
        "convention_files": ["AGENTS.md", "docs/style.md"],
        "dependencies": [{"key": "5.1.1", "title": "Parse trigger definitions", "report": REPORT_TEXT}],
        "learnings": ["`go vet` runs in the targeted test too"],
        "answers": [
            {
                "number": 1,
                "question": "Is an empty list written?",
                "answer": "No.\nA job without triggers keeps its file as it is.",
            }
        ],
        "paths": {"todo": PATHS.todo, "worktree": PATHS.worktree, "prompt": PATHS.prompt},
    }


def test_the_vocabulary_has_the_shape_of_the_data() -> None:
    assert shape(task_data()) == vocabulary("worker")


def shape(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: shape(part) for key, part in value.items()}
    if isinstance(value, list):
        return (shape(value[0]) if value else None,)
    return None


@pytest.mark.parametrize("name", ["approval", "revise", "retry", "continue", "takeover", "plan_review", "diff_review"])
def test_a_message_has_the_workers_slots_and_its_own(name: str) -> None:
    assert vocabulary(name).items() > vocabulary("worker").items()


def test_what_is_not_given_is_empty_and_there() -> None:
    data = bare_data()
    assert [data[part] for part in ("conventions", "convention_files", "dependencies", "learnings", "answers")] == [
        "",
        [],
        [],
        [],
        [],
    ]


def test_a_task_whose_wave_is_not_in_the_plan_has_no_data() -> None:
    plan, spec = store_triggers()
    lost = type(spec)(key=TaskKey(5, 9, "1"), title="Lost", at=spec.at, text="")
    with pytest.raises(KeyError, match="9"):
        worker_data(plan=plan, spec=lost, turn="plan", paths=PATHS, conventions=Conventions())
