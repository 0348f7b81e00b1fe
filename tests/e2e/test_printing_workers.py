"""Workers that only print: plan, ticks and report are taken from what they say."""

from __future__ import annotations

from pathlib import Path

from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Scene, Task, plan_text, planned, report_text

BRANCH = "orch/1-things"
TASK = Task("1", ("a.dat",), test="grep -q right a.dat")


def saying(turn: str, content: str, *, status: str = "done", steps: str = "") -> Scene:
    """A turn that does the work and prints its report, and writes nothing into its todo file."""
    report = report_text(["a.dat"]).replace("**Status:** done", f"**Status:** {status}")
    return {"turn": turn, "files": {"a.dat": content}, "print": f"I am through.\n\n{steps}## Report\n\n{report}"}


def run(folder: Path, *turns: Scene) -> tuple[Path, int, str]:
    plan = {"turn": "plan", "print": plan_text(TASK)}
    made = planned(folder / "repo", [Task("1", ("a.dat",), test=TASK.test, turns=(plan, *turns))])
    left = run_orch(made, "next-wave", "--auto")
    return made, left.code, left.out


def todo(folder: Path) -> str:
    return (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")


def test_unticked_steps_are_no_deviation_of_a_worker_that_prints_its_report(tmp_path: Path) -> None:
    folder, code, out = run(tmp_path, saying("execute", "right\n"))

    assert code == 0, out
    assert git(folder, "log", "--format=%s", f"main..{BRANCH}") == "feat: task 1"
    assert "micro-plan: 2 steps, approved by checks\n" in run_orch(folder, "show", "1.1.1").out
    assert todo(folder).count(" failed ") == 0


def test_ticks_that_are_printed_with_the_steps_are_taken(tmp_path: Path) -> None:
    steps = plan_text(TASK).replace("- [ ] 1.", "- [x] 1.")
    undone, code, out = run(tmp_path / "one", *(saying(turn, "right\n", steps=steps) for turn in ("execute", "retry")))
    assert code == 4, out
    assert "step 2 isn't ticked, and the Deviations don't name it" in out
    assert "- [x] 1. Create `a.dat`\n- [ ] 2. Run" in todo(undone)

    steps = steps.replace("- [ ]", "- [x]")
    _, code, out = run(tmp_path / "two", saying("execute", "right\n", steps=steps))
    assert code == 0, out


def test_a_report_that_does_not_say_done_has_to_name_its_steps(tmp_path: Path) -> None:
    _, code, out = run(
        tmp_path, saying("execute", "right\n", status="half of it"), saying("retry", "right\n", status="")
    )
    assert code == 4
    assert "step 1 isn't ticked" in out


def test_the_report_of_a_retry_is_taken_too(tmp_path: Path) -> None:
    second = saying("retry", "right\n")
    second = {
        **second,
        "print": str(second["print"]).replace("**Gotchas:** none", "**Gotchas:** it was wrong at first"),
    }
    folder, code, out = run(tmp_path, saying("execute", "wrong\n"), second)

    assert code == 0, out
    assert "- **Gotchas:** it was wrong at first\n" in (folder / "planning" / "STATE_1.md").read_text("utf-8")


def test_a_very_long_todo_file_is_cut_and_lands(tmp_path: Path) -> None:
    plan = {"turn": "plan", "plan": plan_text(TASK)}
    text = "yes 'word word' | head -c 900000 | sed '1i ## Notes' >> \"$ORCH_TODO\""
    work = {**saying("execute", "right\n"), "tick": "all", "report": report_text(["a.dat"]), "run": text}
    made = planned(tmp_path / "repo", [Task("1", ("a.dat",), test=TASK.test, turns=(plan, work))])
    left = run_orch(made, "next-wave", "--auto")

    assert left.code == 0, left
    assert len(todo(made)) < 40_000
    assert "more characters)" in todo(made)


def test_a_huge_discovered_item_is_cut_in_state_with_a_pointer(tmp_path: Path) -> None:
    plan = {"turn": "plan", "plan": plan_text(TASK).replace("## Discovered\n", f"## Discovered\n- {'y' * 9000}\n")}
    made = planned(
        tmp_path / "repo", [Task("1", ("a.dat",), test=TASK.test, turns=(plan, saying("execute", "right\n")))]
    )
    assert run_orch(made, "next-wave", "--auto").code == 0
    state = (made / "planning" / "STATE_1.md").read_text("utf-8")
    assert f"- 1.1.1: {'y' * 400}… (cut; the whole is in `planning/tasks/1.1.1.todo.md`)\n" in state
    assert "y" * 9000 in todo(made)
