"""Paths and numbers of the planning set and the run folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.errors import UserError
from orchestrator.model.ids import TaskKey
from orchestrator.store.layout import Layout, run_folder, run_folder_name


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "project", tmp_path / "project" / ".git", tmp_path / "state" / "project-1")


def put(layout: Layout, *names: str) -> None:
    layout.tasks.mkdir(parents=True, exist_ok=True)
    for name in names:
        (layout.planning / name).touch()


def test_every_file_has_its_place(layout: Layout) -> None:
    key = TaskKey(5, 1, "1")
    shown = [
        layout.shown(path)
        for path in (
            layout.settings_path,
            layout.plan_path(5),
            layout.template_path(5),
            layout.state_path(5),
            layout.task_path(key),
        )
    ]
    assert shown == [
        "planning/ORCH.md",
        "planning/EXECUTION_PLAN_5.md",
        "planning/PROMPT_TEMPLATE_5.md",
        "planning/STATE_5.md",
        "planning/tasks/5.1.1.todo.md",
    ]
    inside = [
        path.relative_to(layout.run).as_posix()
        for path in (
            layout.workspace_dir(key),
            layout.turn_dir(key, 2, "execute"),
            layout.verify_dir(0),
            layout.landing_dir(),
            layout.suites_dir(),
        )
    ]
    assert inside == ["work/5.1.1", "turns/5.1.1/2-execute", "verify/0", "landing", "suites"]


def test_a_path_outside_the_checkout_is_shown_whole(layout: Layout) -> None:
    assert layout.shown(layout.run) == str(layout.run)


def test_the_active_orchestration_is_the_highest_by_number_not_by_letter(layout: Layout) -> None:
    put(layout, "EXECUTION_PLAN_9.md", "EXECUTION_PLAN_10.md", "EXECUTION_PLAN_2.md")
    put(layout, "EXECUTION_PLAN_011.md", "EXECUTION_PLAN_12.md.orig", "EXECUTION_PLAN_0.md", "execution_plan_77.md")
    assert layout.numbers() == (2, 9, 10)
    assert layout.active() == 10
    assert layout.active(2) == 2


def test_a_new_set_takes_the_number_above_every_numbered_file(layout: Layout) -> None:
    assert layout.next_number() == 1
    put(layout, "EXECUTION_PLAN_2.md", "STATE_6.md", "PROMPT_TEMPLATE_4.md")
    assert layout.next_number() == 7


def refusal(layout: Layout, number: int | None = None) -> tuple[str, str]:
    with pytest.raises(UserError) as caught:
        layout.active(number)
    return caught.value.message, caught.value.hint


def test_each_missing_piece_is_refused_with_its_remedy(layout: Layout) -> None:
    assert refusal(layout) == (f"no planning folder in {layout.root}", "run: orch init")
    put(layout, "STATE_3.md")
    assert refusal(layout) == ("no execution plan in planning/", "run: orch new TITLE")
    put(layout, "EXECUTION_PLAN_3.md", "EXECUTION_PLAN_5.md")
    assert refusal(layout, 4) == (
        "no orchestration 4: planning/EXECUTION_PLAN_4.md isn't there",
        "there is 3, 5",
    )


def test_the_names_of_todo_files_are_listed(layout: Layout) -> None:
    assert layout.todo_names() == ()
    put(layout, "tasks/5.1.2.todo.md", "tasks/5.1.1.todo.md", "tasks/notes.md", "tasks/.orch-1.tmp")
    assert layout.todo_names() == ("5.1.1", "5.1.2")


def test_the_run_folder_name_is_readable_safe_and_one_per_path() -> None:
    name = run_folder_name(Path("/srv/my project/Ünï"))
    assert name.startswith("n-") and len(name) == 12
    assert run_folder_name(Path("/a/project")).startswith("project-")
    assert run_folder_name(Path("/a/project")) != run_folder_name(Path("/b/project"))
    assert run_folder_name(Path("/")).startswith("repository-")


@pytest.mark.parametrize(
    ("environ", "setting", "parent"),
    [
        ({"HOME": "/home/ana"}, "", "/home/ana/.local/state/orch"),
        ({"HOME": "/home/ana", "XDG_STATE_HOME": "/var/state"}, "", "/var/state/orch"),
        ({"HOME": "/home/ana", "XDG_STATE_HOME": "relative"}, "", "/home/ana/.local/state/orch"),
        ({"HOME": "/home/ana"}, "../work", "/srv/work"),
        ({"HOME": "/home/ana"}, "/fast/disk", "/fast/disk"),
        ({"HOME": "/home/ana"}, "~/work", "/home/ana/work"),
    ],
)
def test_the_run_folder_lies_outside_the_repository(environ: dict[str, str], setting: str, parent: str) -> None:
    root = Path("/srv/project")
    assert run_folder(root, environ, setting) == Path(parent) / run_folder_name(root)
