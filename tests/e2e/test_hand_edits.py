"""STATE in people's hands: what they change besides a status stays as they left it, between calls and during one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.test_edits_during_a_run import running, until
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, planning, working

ROW = re.compile(r"^\| 1 \| (1\.1\.\d) \|.*$", re.MULTILINE)
OWN = "\n## What Ana thinks\n\nKeep `| 1 | 1.1.1 |` in mind.\n\n```\n## Wave board\n```\n\n"


def rows(text: str) -> list[str]:
    return [match[0] for match in ROW.finditer(text)]


def reordered(text: str) -> str:
    first, second = rows(text)[:2]
    return text.replace(f"{first}\n{second}\n", f"{second}\n{first}\n")


def with_a_column(text: str) -> str:
    """A column of the person's own in the middle of the board."""
    lines = text.split("\n")
    start = lines.index("| Wave | Task | Title | Status | Note |")
    for index in range(start, len(lines)):
        if not lines[index].startswith("|"):
            break
        cells = lines[index].split(" | ")
        cells.insert(3, {start: "Owner", start + 1: "---"}.get(index, "Ana"))
        lines[index] = " | ".join(cells)
    return "\n".join(lines)


def retitled(text: str) -> str:
    return text.replace("| 1.1.2 | Task 2 |", "| 1.1.2 | My own words, `a` |")


def with_notes(text: str) -> str:
    return re.sub(r"(\| 1\.1\.2 \|.*\|) \|$", r"\1 waiting for **Ana** |", text, flags=re.MULTILINE)


def with_a_section(text: str) -> str:
    return text.replace("\n## Questions", f"{OWN}## Questions") if "\n## Questions" in text else text + OWN


def with_an_ending_of_windows(text: str) -> str:
    return text.replace("\n", "\r\n")


def without_a_row(text: str) -> str:
    return text.replace(rows(text)[1] + "\n", "")


def with_a_foreign_row(text: str) -> str:
    last = rows(text)[-1]
    return text.replace(last, f"{last}\n| 1 | 1.1.77 | Not in the plan | pending | mine |")


def without_final_line_ending(text: str) -> str:
    return text.rstrip("\n")


EDITS: list[Callable[[str], str]] = [
    reordered,
    with_a_column,
    retitled,
    with_notes,
    with_a_section,
    with_an_ending_of_windows,
    without_a_row,
    with_a_foreign_row,
    without_final_line_ending,
]


def kept_lines(before: str, after: str) -> list[str]:
    """Lines of `before`, those of orch's own status words apart, that `after` lacks."""
    there = set(re.split(r"\r?\n", after))
    return [
        line
        for line in re.split(r"\r?\n", before)
        if line not in there and not re.match(r"\| \d \| (1\.\d\.\d|open|checking)|status: open$", line)
    ]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def board(text: str) -> dict[str, list[str]]:
    return {match[1]: cells(match[0].rstrip("\r")) for match in ROW.finditer(text)}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_between_two_calls_stays_as_it_was_left(tmp_path: Path, edit: Callable[[str], str]) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    state = folder / "planning" / "STATE_1.md"
    before = edit(state.read_bytes().decode())
    state.write_bytes(before.encode())

    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    done = run_orch(folder, "next-wave")
    assert done.code == 0, done
    _is_as_left(before, state.read_bytes().decode())


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_while_workers_work_stays_as_it_was_left(tmp_path: Path, edit: Callable[[str], str]) -> None:
    slow = [Task("1", ("a.dat",)), Task("2", ("b.dat",))]
    tasks = [Task(one.id, one.creates, turns=(planning(one), working(one, delay=2))) for one in slow]
    folder = planned(tmp_path / "repo", tasks)
    state = folder / "planning" / "STATE_1.md"
    with running(folder) as left:
        until(folder, "1.1.1", "running")
        until(folder, "1.1.2", "running")
        # The closing lines of the log are written by now, and nothing more until a worker ends.
        time.sleep(0.3)
        before = edit(state.read_bytes().decode())
        state.write_bytes(before.encode())
        done = left()
    assert done.code == 0, done
    _is_as_left(before, state.read_bytes().decode())


def _is_as_left(before: str, after: str) -> None:
    assert kept_lines(before, after) == []
    old, new = board(before), board(after)
    assert {key: row for key, row in new.items() if key in ("1.1.1", "1.1.2")}.keys() == {"1.1.1", "1.1.2"}
    for key, row in old.items():
        # All cells but the status, and those that a row without them got.
        differing = [(was, now) for was, now in zip(row, new[key], strict=True) if was != now]
        assert len(differing) == (key != "1.1.77"), (key, row, new[key])
    assert [key for key in new if key in old] == list(old), "rows stay in the person's order"
    if "\r\n" in before:
        assert "\n" not in after.replace("\r\n", ""), "new lines end as their neighbours do"


def test_a_report_that_was_edited_by_hand_stays(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("1", ("b.dat",), wave=2)])
    assert run_orch(folder, "next-wave", "--auto").code == 0
    state = folder / "planning" / "STATE_1.md"
    text = state.read_text("utf-8")
    edited = text.replace("- **Gotchas:** none", "- **Gotchas:** the parser is called twice, says Ana\n\nShe is right.")
    assert edited != text
    state.write_text(edited, "utf-8")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    after = state.read_text("utf-8")
    assert kept_lines(edited, after) == []
    assert "She is right.\n" in after
    assert run_orch(folder, "next-wave", "--auto").code == 6
    assert state.read_text("utf-8") == after


def test_an_old_copy_of_the_board_is_put_right_and_holds_nothing(tmp_path: Path) -> None:
    settings = "gate: stop\nreview_diff: stop\n"
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings=settings)
    path = folder / "planning" / "STATE_1.md"
    assert run_orch(folder, "next-wave").code == 3
    ready = rows(path.read_text("utf-8"))
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    assert run_orch(folder, "next-wave").code == 3
    verified = rows(path.read_text("utf-8"))
    assert run_orch(folder, "approve", "1.1.1").code == 0
    left = run_orch(folder, "next-wave")
    assert left.code == 3, left
    now = path.read_text("utf-8")
    landed, waits = rows(now)
    assert ("| done |" in landed, "| verified |" in waits) == (True, True), (left, now)

    # An editor that was opened before saves what it had: of one row the state at the gate, of the other a later one.
    path.write_text(now.replace(landed, verified[0]).replace(waits, ready[1]), "utf-8")
    assert (
        "orch will repair its cell, the plan-ready there is an old one of orch's own\n"
        in run_orch(folder, "status").out
    )
    left = run_orch(folder, "next-wave")
    assert left.code == 3, left
    assert rows(path.read_text("utf-8")) == [landed, waits]
    assert run_orch(folder, "approve", "1.1.2").code == 0
    assert run_orch(folder, "next-wave").code == 0


def test_a_misspelt_cell_of_any_wave_is_named_with_its_place(tmp_path: Path) -> None:
    tasks = [Task("1", ("a.dat",)), Task("2", ("b.dat",), wave=2)]
    folder = planned(tmp_path / "repo", tasks, settings="gate: stop\n")
    assert run_orch(folder, "next-wave", "--auto").code == 0
    state = folder / "planning" / "STATE_1.md"
    text = state.read_text("utf-8").replace("| 1.1.1 | Task 1 | done |", "| 1.1.1 | Task 1 | dnoe |")
    state.write_text(text, "utf-8")
    line = text[: text.index("dnoe")].count("\n") + 1
    left = run_orch(folder, "next-wave")
    assert (left.code, left.out) == (
        3,
        "wave 2 of 2 wave 2: open\n1.2.2 plan-ready Task 2: plan of 2 steps\n"
        f'planning/STATE_1.md:{line}:24: "dnoe" is no status; did you mean "done"?\n'
        "next: orch check\n",
    )


def test_a_plan_that_an_old_copy_of_the_board_drops_is_named_and_kept(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",))], settings="gate: stop\n")
    state = folder / "planning" / "STATE_1.md"
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1").code == 0
    state.write_text(state.read_text("utf-8").replace("| Task 1 | approved |", "| Task 1 | pending |"), "utf-8")
    left = run_orch(folder, "next-wave")
    assert left.code == 3
    todo = "planning/tasks/1.1.1.todo.md"
    assert (
        "degraded: 1.1.1 was set to pending by hand: its plan is dropped for a new one; it is kept below ## Earlier in "
        f"{todo}: orch takeover 1.1.1 --file FILE brings it back\n"
    ) in left.out
    earlier = (folder / todo).read_text("utf-8").split("\n## Earlier\n\n")[1]
    assert earlier == (
        "Its plan until it was set to pending by hand:\n\n> ## Goal\n> \n> Do task 1.\n> \n> ## TODO items\n> \n"
        "> - [ ] 1. Create `a.dat`\n> - [ ] 2. Run `true`\n"
    )
    plan = tmp_path / "plan.md"
    plan.write_text("# 1.1.1 — Task 1\n\n" + re.sub("^> ?", "", earlier.split("\n\n", 1)[1], flags=re.M), "utf-8")
    assert run_orch(folder, "takeover", "1.1.1", "--file", str(plan)).code == 0


def with_a_second_board(text: str) -> str:
    table = text[text.index("| Wave | Task | Title |") : text.index("\n\n## Questions")]
    return text.replace("## Questions", f"## Board of old\n\n{table.replace('plan-ready', 'pending')}\n\n## Questions")


def with_a_misspelt_column(text: str) -> str:
    return text.replace("| Title | Status |", "| Title | Sattus |")


def with_a_conflict(text: str) -> str:
    return text.replace("## Questions", "<<<<<<< mine\n## Questions\n=======\n## Questions\n>>>>>>> theirs")


def with_a_fence_that_never_ends(text: str) -> str:
    return text.replace("## Wave board", "```\n## Wave board")


DECISIONS = (
    ("approve", "1.1.1"),
    ("approve", "1.1.1", "--force", "--why", "x"),
    ("revise", "1.1.1", "-m", "x"),
    ("block", "1.1.1", "--why", "x"),
    ("skip", "1.1.1", "--why", "x", "--dependents", "keep"),
    ("retry", "1.1.2", "--because", "x"),
    ("rescope", "1.1.1", "--create", "c.dat", "--why", "x"),
    ("takeover", "1.1.1", "--file", "planning/plan.md"),
    ("next-wave",),
)


@pytest.mark.parametrize(
    "edit",
    [with_a_second_board, with_a_misspelt_column, with_a_conflict, with_a_fence_that_never_ends],
    ids=lambda edit: edit.__name__,
)
def test_where_the_board_cannot_be_told_no_decision_is_written_anywhere(
    tmp_path: Path, edit: Callable[[str], str]
) -> None:
    first = Task("1", ("a.dat",))
    folder = planned(tmp_path / "repo", [first, Task("2", ("b.dat",))], settings="gate: stop\n")
    (folder / "planning" / "plan.md").write_text(plan_text(first), "utf-8")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "block", "1.1.2", "--why", "later").code == 0
    state = folder / "planning" / "STATE_1.md"
    whole = state.read_text("utf-8")
    state.write_text(edit(whole), "utf-8")
    before = {path: path.read_bytes() for path in (folder / "planning").rglob("*.md")}
    assert before[state] != whole.encode()
    for words in DECISIONS:
        left = run_orch(folder, *words)
        assert (left.code, "next: orch check" in left.out + left.err) == (1, True), (words, left)
        assert {path: path.read_bytes() for path in (folder / "planning").rglob("*.md")} == before, words

    state.write_text(whole, "utf-8")
    assert "1.1.1 plan-ready" in run_orch(folder, "status").out
    assert run_orch(folder, "approve", "1.1.1").code == 0


def test_of_two_rows_of_a_task_the_first_counts_and_the_other_stays_and_is_named(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    state = folder / "planning" / "STATE_1.md"
    second = "| 1 | 1.1.1 | Task 1 | pending | mine |\n"
    state.write_text(state.read_text("utf-8").replace("| 1 | 1.1.2 |", f"{second}| 1 | 1.1.2 |"), "utf-8")
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    left = run_orch(folder, "next-wave")
    said = "1.1.1 has two rows on the board, the first in line 26; mend planning/STATE_1.md:27:7: keep one of them\n"
    assert said in left.out, left
    text = state.read_text("utf-8")
    assert "| 1 | 1.1.2 | Task 2 | done | |\n" in text
    assert second in text
    state.write_text(text.replace(second, ""), "utf-8")
    assert run_orch(folder, "next-wave").code == 0
    assert "| 1 | 1.1.1 | Task 1 | done | |\n" in state.read_text("utf-8")


def test_a_todo_file_that_cannot_be_read_holds_its_task_alone_and_asks_for_nothing_else(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a.dat",)), Task("2", ("b.dat",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    todo = folder / "planning" / "tasks" / "1.1.1.todo.md"
    whole = todo.read_bytes()
    for harm, said in (
        (whole.replace(b"---\n", b"---\nassignee: [@me]\ntitle: fix: colon\n", 1), "2:12: error: a value can't begin"),
        (whole + b"\xff", r"\d+:1: error: byte 0xff isn't UTF-8"),
        (whole[:100] + b"\0" * 50, "1:1: error: front matter begins here and never ends"),
    ):
        todo.write_bytes(harm)
        checked = run_orch(folder, "check")
        assert checked.code == 1
        assert re.match(rf"planning/tasks/1\.1\.1\.todo\.md:{said}", checked.out), checked
        # To set the cell back would drop the plan that was approved.
        assert "STATE_1.md" not in checked.out
        left = run_orch(folder, "next-wave")
        assert (left.code, "mend planning/tasks/1.1.1.todo.md" in left.out, "1.1.2 done" in left.out) == (1, True, True)
        assert todo.read_bytes() == harm
    todo.write_bytes(whole)
    assert run_orch(folder, "next-wave").code == 0
