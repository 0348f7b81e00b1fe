"""A planning set on disk: what is read for a question, and changes made on the file as it stands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.errors import DocumentError, Location, Problem, Severity, UserError
from orchestrator.formats.state_edits import set_status
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.state import State
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.store import read_cache
from orchestrator.store.layout import Layout
from orchestrator.store.locks import write_lock
from orchestrator.store.planning_set import PlanningSet, load, load_settings
from tests.conftest import ROOT

DATA = ROOT / "tests" / "data" / "planning"
FIRST, SECOND, THIRD = TaskKey(5, 1, "1"), TaskKey(5, 1, "2"), TaskKey(5, 2, "1")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    root = tmp_path / "project"
    shutil.copytree(DATA, root / "planning")
    (root / ".git").mkdir()
    return Layout(root, root / ".git", tmp_path / "state" / "project-1")


def add(text: str) -> object:
    """A change that appends to the document."""
    return lambda document: Document.parse(document.text + text, document.source.name)


def test_a_set_is_read_whole(layout: Layout) -> None:
    found = load(layout, 5)
    assert found.problems == ()
    assert [str(spec.key) for spec in found.plan.specs] == ["5.1.1", "5.1.2", "5.2.1"]
    assert {str(row.key): row.status for row in found.state.board} == {
        "5.1.1": Status.DONE,
        "5.1.2": Status.PLAN_READY,
        "5.2.1": Status.PENDING,
    }
    assert set(found.tasks) == {FIRST}
    assert found.settings.exists
    assert not found.task(SECOND).exists


def test_of_tasks_only_those_asked_for_are_read(layout: Layout) -> None:
    shutil.copy(layout.task_path(FIRST), layout.task_path(THIRD))
    layout.task_path(SECOND).write_text(layout.task_path(FIRST).read_text().replace("5.1.1", "5.1.2"))
    assert set(load(layout, 5, with_tasks="in-flight").tasks) == {SECOND}
    assert set(load(layout, 5, with_tasks=(FIRST,)).tasks) == {FIRST}
    assert set(load(layout, 5, with_tasks=()).tasks) == set()


def test_a_set_that_was_never_started_has_no_state(layout: Layout) -> None:
    layout.state_path(5).unlink()
    shutil.rmtree(layout.tasks)
    layout.settings_path.unlink()
    found = load(layout, 5)
    assert (found.state.exists, found.settings.exists, found.tasks) == (False, False, {})
    assert found.problems == ()


def test_a_missing_plan_is_refused(layout: Layout) -> None:
    with pytest.raises(UserError) as caught:
        load(layout, 6)
    assert (caught.value.code, caught.value.message) == ("no-plan", "planning/EXECUTION_PLAN_6.md isn't there")


def broken(name: str, subject: str = "") -> Problem:
    return Problem(
        "not-utf-8",
        "byte 0xff isn't UTF-8",
        at=Location(f"planning/{name}", 2, 1),
        hint="save the file as UTF-8",
        severity=Severity.FILE,
        subject=subject,
    )


def test_unreadable_files_are_problems_one_each_and_the_rest_is_read(layout: Layout) -> None:
    for path in (layout.settings_path, layout.state_path(5), layout.task_path(FIRST)):
        path.write_bytes(b"\n\xff\n")
    found = load(layout, 5)
    assert found.problems == (
        broken("ORCH.md"),
        broken("STATE_5.md"),
        broken("tasks/5.1.1.todo.md", subject="5.1.1"),
    )
    assert len(found.plan.specs) == 3
    # There is one, unlike in a set that was never started: nothing may be made in its place.
    assert (found.state, found.tasks[FIRST]) == (
        State(5, "planning/STATE_5.md", exists=True),
        TaskFile(FIRST, exists=True),
    )
    layout.plan_path(5).write_bytes(b"\n\xff\n")
    assert broken("EXECUTION_PLAN_5.md") in load(layout, 5).problems


def test_a_todo_file_of_no_task_gets_a_warning_and_those_of_other_sets_none(layout: Layout) -> None:
    for name in ("5.1.9", "4.1.1", "notes"):
        (layout.tasks / f"{name}.todo.md").write_text("# x\n")
    assert [(str(one.at), one.message, one.severity) for one in load(layout, 5).problems] == [
        ("planning/tasks/5.1.9.todo.md", '"5.1.9" is no task of EXECUTION_PLAN_5.md', Severity.WARNING),
        ("planning/tasks/notes.todo.md", '"notes" is no task of EXECUTION_PLAN_5.md', Severity.WARNING),
    ]


def test_every_read_follows_the_disk(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    for word in ("running", "verified", "blocked", "running"):
        path = layout.state_path(5)
        path.write_text(path.read_text().replace("| plan-ready |", f"| {word} |"))
        row = planning.orchestration.state.row(SECOND)
        assert row is not None and row.raw_status == word
        path.write_text(path.read_text().replace(f"| {word} |", "| plan-ready |"))


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as settled at once: none is changed twice within one tick of the disk's clock here."""
    monkeypatch.setattr(read_cache, "_SETTLED", -1)


def test_a_file_that_has_not_changed_is_not_parsed_again(layout: Layout, settled: None) -> None:
    planning = PlanningSet(layout, 5)
    first, second = planning.orchestration, planning.orchestration
    assert first.plan is second.plan
    assert first.state is second.state
    assert first.tasks[FIRST] is second.tasks[FIRST]
    planning.change_task(FIRST, add("\n"))
    third = planning.orchestration
    assert third.plan is first.plan
    assert third.tasks[FIRST] is not first.tasks[FIRST]


def test_a_status_is_changed_on_the_board_as_it_stands(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    before = layout.state_path(5).read_bytes()
    planning.change_state(lambda document: set_status(document, SECOND, Status.APPROVED))
    assert layout.state_path(5).read_bytes() == before.replace(b"| plan-ready |", b"| approved |")


def test_a_todo_file_is_made_where_a_change_needs_one(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    shutil.rmtree(layout.tasks)
    with pytest.raises(UserError) as caught:
        planning.change_task(SECOND, add("x\n"))
    assert caught.value.code == "missing"
    planning.change_task(SECOND, add("first\n"), new=lambda: "# new\n")
    planning.change_task(SECOND, add("second\n"), new=lambda: "# new\n")
    assert layout.task_path(SECOND).read_text() == "# new\nfirst\nsecond\n"


def test_state_is_created_once(layout: Layout) -> None:
    planning = PlanningSet(layout, 5)
    with pytest.raises(UserError) as caught:
        planning.create_state("# State 5\n")
    assert caught.value.message == "planning/STATE_5.md exists already"
    layout.state_path(5).unlink()
    planning.create_state("# State 5\n")
    document = planning.state_document()
    assert document is not None and document.text == "# State 5\n"


def test_a_file_whose_structure_is_broken_is_not_written_to(layout: Layout) -> None:
    path = layout.state_path(5)
    path.write_text(path.read_text().replace("orchestration: 5", "orchestration: [5"))
    before = path.read_bytes()
    with pytest.raises(DocumentError) as caught:
        PlanningSet(layout, 5).change_state(add("x\n"))
    assert caught.value.at is not None and caught.value.at.path == "planning/STATE_5.md"
    assert path.read_bytes() == before


def test_a_change_holds_the_write_lock(layout: Layout) -> None:
    seen: list[str] = []

    def change(document: Document) -> Document:
        other = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from pathlib import Path; from orchestrator.errors import LockedError\n"
                "from orchestrator.store.locks import write_lock\n"
                "try:\n with write_lock(Path(sys.argv[1]), patience=0): print('free')\n"
                "except LockedError: print('held')",
                str(layout.common_dir),
            ],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.append(other.stdout.strip())
        return document

    planning = PlanningSet(layout, 5)
    planning.change_state(change)
    planning.change_task(FIRST, change)
    with write_lock(layout.common_dir, patience=0):
        pass
    assert seen == ["held", "held"]


def test_settings_are_read_with_their_place(layout: Layout) -> None:
    assert load_settings(layout.settings_path, layout.root).value.path == "planning/ORCH.md"
    layout.settings_path.write_bytes(b"\xff")
    found = load_settings(layout.settings_path, layout.root)
    assert (found.value.exists, [str(one.at) for one in found.problems]) == (True, ["planning/ORCH.md:1:1"])


def test_reading_a_set_loads_nothing_heavy_and_opens_only_what_it_needs(layout: Layout) -> None:
    layout.settings_path.write_text(
        "---\njobs: 2\nworkers: {small: {driver: command, plan: [a, b]}}\n---\nConventions.\n"
    )
    program = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from pathlib import Path
from orchestrator.store.find_repository import find_root
from orchestrator.store.layout import Layout
from orchestrator.store import read_cache
from orchestrator.store.planning_set import load
read_cache._SETTLED = -1
root = Path(sys.argv[1])
load(Layout(root, root / ".git", root), 5, with_tasks="in-flight")
heavy = {"mistune", "jinja2", "git", "rich", "yaml", "psutil", "subprocess", "ctypes", "asyncio", "logging", "tempfile"}
print(sorted(heavy & set(sys.modules)))
print(sorted(Path(name).name for name in opened if "/planning/" in name))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, str(layout.root)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split("\n")[:2] == ["[]", "['5.1.2.todo.md', 'EXECUTION_PLAN_5.md', 'ORCH.md', 'STATE_5.md']"]


def test_pairs_pinned_in_state_decide_the_keys_and_a_change_of_theirs_is_seen(layout: Layout) -> None:
    plan = layout.plan_path(5)
    plan.write_text("## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | new, old |\n\n### new — N\n\n### old — O\n")
    state = layout.state_path(5)
    planning = PlanningSet(layout, 5)
    seen = []
    for head in (
        "---\nids: {old: 5.1.1}\n---\n",
        "\ufeff---\r\nrun: x\r\nids:\r\n  old: 5.1.7\r\n---\r\n",
        "",
        "ids: x\n",
    ):
        state.write_bytes(f"{head}# State 5\n".encode())
        for outline in (True, False):
            specs = planning.load(outline=outline).plan.specs
            seen.append([(spec.local_id, str(spec.key)) for spec in specs])
    assert seen[::2] == seen[1::2]
    assert seen[::2] == [
        [("new", "5.1.2"), ("old", "5.1.1")],
        [("new", "5.1.1"), ("old", "5.1.7")],
        [("new", "5.1.1"), ("old", "5.1.2")],
        [("new", "5.1.1"), ("old", "5.1.2")],
    ]


def test_a_change_of_the_board_leaves_the_plan_as_it_was_read(layout: Layout, settled: None) -> None:
    planning = PlanningSet(layout, 5)
    state = layout.state_path(5)
    state.write_text("---\nids: {a: 5.1.1}\n---\n" + state.read_text().partition("---\n")[2].partition("---\n")[2])
    first = planning.plan().value
    state.write_text(state.read_text() + "\nmore\n")
    assert planning.plan().value is first


def test_what_box_marks_mean_is_the_settings_word_and_a_change_of_it_is_seen(layout: Layout) -> None:
    rows = "- [~] 5.1.1\n- [ ] 5.1.2\n- [ ] 5.2.1\n"
    layout.state_path(5).write_text(f"# State 5\n\n## Wave board\n\n{rows}", "utf-8")
    planning = PlanningSet(layout, 5)
    for word, status in (("skipped", Status.SKIPPED), ("blocked", Status.BLOCKED)):
        layout.settings_path.write_text(f"---\nmarks: {{'~': {word}}}\n---\n", "utf-8")
        for outline in (False, True):
            row = planning.load(with_tasks=(), outline=outline).state.row(FIRST)
            assert row is not None and row.status is status
