import json
from dataclasses import replace

from orchestrator.errors import Location, Problem, Severity
from orchestrator.model.micro_plan import Question
from orchestrator.views.documents import (
    closing_document,
    dry_run_document,
    gate_document,
    problems_document,
    resume_document,
    show_document,
    status_document,
)
from tests.support.sample_orchestration import decide, key, micro_plan, orchestration, report, with_task


def test_a_problem_carries_its_place_code_and_hint() -> None:
    problems = (
        Problem("unknown-dependency", "no such task", Location("P.md", 3, 0), "look", Severity.ITEM, "5.1.1"),
        Problem("dirty", "local changes", severity=Severity.WARNING),
        Problem("empty", "it is empty", Location("P.md"), severity=Severity.FILE),
    )
    assert problems_document(problems) == [
        {
            "code": "unknown-dependency",
            "severity": "item",
            "message": "no such task",
            "hint": "look",
            "path": "P.md",
            "line": 3,
            "column": 1,
            "end_column": 2,
            "source": "",
            "task": "5.1.1",
        },
        {
            "code": "dirty",
            "severity": "warning",
            "message": "local changes",
            "hint": "",
            "path": None,
            "line": None,
            "column": None,
            "end_column": None,
            "source": None,
            "task": None,
        },
        {
            "code": "empty",
            "severity": "file",
            "message": "it is empty",
            "hint": "",
            "path": "P.md",
            "line": None,
            "column": None,
            "end_column": None,
            "source": None,
            "task": None,
        },
    ]


def test_status_has_every_task_with_its_reason() -> None:
    whole = orchestration({1: ["done"], 2: ["plan-ready", "pending"]}, done_waves=[1], themes={2: "Storage"})
    assert status_document(whole, decide(whole)) == {
        "orchestration": 5,
        "title": "Event triggers",
        "status": "open",
        "started": True,
        "branch": "orch/5-event-triggers",
        "base": "main",
        "fork": None,
        "repos": {},
        "wave": 2,
        "finished": False,
        "red": [],
        "stuck": [],
        "waves": [
            {
                "wave": 1,
                "theme": "",
                "status": "done",
                "suites": "unit 826 passed, 1 known failure",
                "commit": "77aa012",
                "note": "",
                "depends_on": [],
                "tasks": [_task("5.1.1", "Parse trigger definitions", "done")],
            },
            {
                "wave": 2,
                "theme": "Storage",
                "status": "open",
                "suites": "",
                "commit": None,
                "note": "",
                "depends_on": [1],
                "tasks": [
                    _task(
                        "5.2.1",
                        "Parse trigger definitions",
                        "plan-ready",
                        "plan of 3 steps",
                        "orch gate 5.2.1",
                    ),
                    _task(
                        "5.2.2", "Store triggers", "pending", "orch will start its plan turn, its dependencies are done"
                    ),
                ],
            },
        ],
        "work": {},
        "questions": [],
        "problems": [],
    }


def test_resume_has_what_is_open_and_nothing_finished() -> None:
    whole = orchestration(
        {1: ["done"] * 8, 2: ["plan-ready", "pending"], 3: ["pending"]},
        done_waves=[1],
        reports=[report("5.1.1", "mind the gap")],
    )
    assert resume_document(whole, decide(whole)) == {
        "orchestration": 5,
        "title": "Event triggers",
        "branch": "orch/5-event-triggers",
        "wave": 2,
        "waves": 3,
        "finished": False,
        "red": [],
        "stuck": [],
        "due": [{"verb": "plan", "task": "5.2.2", "wave": 2, "reason": "its dependencies are done"}],
        "waits": {"gate": ["5.2.1"]},
        "reasons": {"5.2.1": "its micro-plan waits for approval"},
        "questions": [],
        "ids": {},
        "gotchas": [{"task": "5.1.1", "text": "mind the gap"}],
        "problems": 0,
    }


def test_a_dry_run_has_an_action_or_a_wait_for_every_task() -> None:
    whole = orchestration({1: ["plan-ready", "pending"], 2: ["pending"]})
    document = dry_run_document(whole, decide(whole))
    assert document["facts"] is False
    assert document["actions"] == [{"verb": "plan", "task": "5.1.2", "wave": 1, "reason": "its dependencies are done"}]
    assert document["waits"] == [
        {
            "task": "5.1.1",
            "why": "gate",
            "reason": "its micro-plan waits for approval",
            "remedy": "orch gate 5.1.1",
        },
        {"task": "5.2.1", "why": "wave", "reason": "waits for wave 1", "remedy": ""},
    ]


def test_the_gate_has_whole_plans() -> None:
    whole = orchestration({1: ["plan-ready"]})
    task = key("5.1.1")
    plan = micro_plan(task, questions=[Question(1, "Keep it?")])
    whole = with_task(whole, replace(whole.task(task), micro_plan=plan, findings="- warning: no step names A1"))
    assert gate_document(whole, [task]) == {
        "orchestration": 5,
        "plans": [
            {
                "task": "5.1.1",
                "title": "Parse trigger definitions",
                "goal": "Triggers are read from the definition.",
                "acceptance": ["every test in `tests/test_trigger.py` passes"],
                "steps": [
                    {"number": 1, "text": "Create `pkg/trigger.py` with the parser", "ticked": False},
                    {"number": 2, "text": "Call it from `load`\n- only once", "ticked": False},
                    {"number": 3, "text": "Run `pytest tests/test_trigger.py`", "ticked": False},
                ],
                "notes": "",
                "findings": ["warning: no step names A1"],
                "questions": [{"number": 1, "text": "Keep it?", "answer": None}],
                "sent_back": 0,
            }
        ],
        "questions": [],
    }


def test_closing_has_the_turns_and_commits_of_each_task() -> None:
    whole = orchestration({1: ["blocked"]})
    task = replace(whole.task(key("5.1.1")), landed=("abc1234",))
    document = closing_document(with_task(whole, task), 1)
    assert document["status"] == "open"
    tasks = document["tasks"]
    assert isinstance(tasks, list)
    assert (tasks[0]["status"], tasks[0]["turns"], tasks[0]["landed"]) == (
        "blocked",
        ["plan", "execute", "retry"],
        ["abc1234"],
    )


def test_one_task_is_shown_whole_with_the_parts_asked_for() -> None:
    whole = orchestration({1: ["plan-ready"]})
    document = show_document(whole, decide(whole), key("5.1.1"), ("log", "diff"), texts={"diff": "+x\n"})
    assert document["scope"] == {
        "edit": ["pkg/load.py"],
        "create": ["pkg/trigger.py", "tests/test_trigger.py"],
        "delete": [],
        "scratch": [],
    }
    assert document["log"] == [
        {"time": "2026-11-29T10:00:00Z", "event": "started", "turn": "plan"},
        {"time": "2026-11-29T10:00:00Z", "event": "planned", "board": "plan-ready"},
        {"time": "2026-11-29T10:00:00Z", "event": "board", "status": "plan-ready"},
    ]
    parts = document["parts"]
    assert isinstance(parts, dict)
    assert list(parts) == ["log", "diff"]
    assert parts["diff"] == "+x"


def test_all_documents_can_be_written_as_json() -> None:
    whole = orchestration({1: ["done", "blocked", "plan-ready"], 2: ["pending"]}, reports=[report("5.1.1", "none")])
    decision = decide(whole)
    for document in (
        status_document(whole, decision),
        resume_document(whole, decision),
        dry_run_document(whole, decision),
        gate_document(whole, [key("5.1.3")]),
        closing_document(whole, 1),
        show_document(whole, decision, key("5.1.2"), ("spec", "plan", "report")),
    ):
        assert json.loads(json.dumps(document)) == document


def _task(task: str, title: str, status: str, reason: str = "", remedy: str = "") -> dict[str, object]:
    return {"task": task, "id": None, "title": title, "status": status, "reason": reason, "remedy": remedy}
