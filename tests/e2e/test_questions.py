"""The question queue: a micro-plan's questions are entered in STATE, and answers reach the worker, however given."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.e2e.test_edits_during_a_run import running
from tests.e2e.test_guilty_tasks import cell, subjects, todo
from tests.e2e.test_reviewed_plans import review_begun
from tests.e2e.test_suites import state
from tests.support.orch import Left, run_orch
from tests.support.planned import Task, plan_text, planned, working
from tests.support.reviewed import reviewed, says


def asking(number: str, *questions: str, wave: int = 1) -> Task:
    """A task whose micro-plan asks these questions."""
    bare = Task(number, (f"f{number}.txt",), wave=wave)
    listed = "".join(f"{index}. {text}\n" for index, text in enumerate(questions, start=1))
    plan = plan_text(bare).replace("## Questions\n", f"## Questions\n{listed}")
    return Task(number, bare.creates, wave=wave, turns=({"turn": "plan", "plan": plan}, working(bare)))


def queue(folder: Path) -> str:
    """The text of `## Questions`, dates apart."""
    text = state(folder).partition("## Questions\n")[2].partition("\n## ")[0]
    return re.sub(r"\d{4}-\d\d-\d\d", "DATE", text).strip()


def by_hand(folder: Path, old: str, new: str) -> None:
    path = folder / "planning" / "STATE_1.md"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def prompt(folder: Path, key: str) -> str:
    return run_orch(folder, "show", key, "--prompt").out


def next_wave(folder: Path, code: int) -> Left:
    left = run_orch(folder, "next-wave", "--auto")
    assert left.code == code, left
    return left


def test_a_question_parks_its_task_alone_and_an_answer_by_command_reaches_the_worker(tmp_path: Path) -> None:
    tasks = [asking("1", "Keep the column? Options: keep · drop. Recommended: drop.", "In UTC?"), Task("2", ("g",))]
    folder = planned(tmp_path / "repo", tasks)

    next_wave(folder, 3)
    assert queue(folder) == (
        "- **Q1** 1.1.1 (DATE) key=keep-the-column-b4653a for=orchestrator: Keep the column? "
        "Options: keep · drop. Recommended: drop. Unblocks: 1.1.1.\n  Answer:\n"
        "- **Q2** 1.1.1 (DATE) key=in-utc for=orchestrator: In UTC? Unblocks: 1.1.1.\n  Answer:"
    )
    assert (cell(folder, "1.1.1"), cell(folder, "1.1.2")) == ("plan-ready", "done")
    gate = run_orch(folder, "gate")
    assert gate.code == 3
    assert gate.out.endswith(
        "open questions:\nQ1 1.1.1: Keep the column? Options: keep · drop. Recommended: drop.\nQ2 1.1.1: In UTC?\n\n"
        'once they are answered: orch approve 1.1.1\norch revise 1.1.1 -m "..."\nnext: orch answer Q1 "…" Q2 "…"\n'
    )
    assert gate.out.count("In UTC?") == 1
    refused = run_orch(folder, "approve", "1.1.1")
    assert (refused.code, "question 1 is open" in refused.out) == (1, True)

    assert run_orch(folder, "answer", "Q1", "drop", "Q2", "yes,\nalways").code == 0
    assert cell(folder, "1.1.1") == "plan-ready"
    assert "Answer: drop" not in todo(folder, "1.1.1")
    next_wave(folder, 0)
    assert "   Answer: drop\n" in todo(folder, "1.1.1")
    assert [line[23:] for line in todo(folder, "1.1.1").split("\n") if " answered " in line] == [
        "answered q=Q1",
        "answered q=Q2",
    ]
    told = prompt(folder, "1.1.1")
    assert told.startswith("APPROVED -- execute the plan as written.")
    assert "Options: keep · drop. Recommended: drop.\n   Answer: drop\n" in told
    assert sorted(subjects(folder)) == ["docs: task 1", "feat: task 2"]


def test_an_answer_by_hand_and_a_withdrawal_by_hand_are_followed(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [asking("1", "Keep it?", "In UTC?")])
    next_wave(folder, 3)
    by_hand(folder, "  Answer:\n- **Q2**", "Answer: keep *it*\n\n- **Q2**")
    next_wave(folder, 3)
    assert "Answer: keep *it*" in todo(folder, "1.1.1")
    by_hand(folder, "Unblocks: 1.1.1.\n  Answer:", "Unblocks: 1.1.1.\n  Withdrawn: there is no clock\n  Answer:")
    next_wave(folder, 0)
    assert "Answer: withdrawn: there is no clock" in prompt(folder, "1.1.1")
    assert cell(folder, "1.1.1") == "done"


def test_approve_with_answers_closes_the_entries_of_the_queue(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [asking("1", "Keep it?", "In UTC? (for=person)")], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    refused = run_orch(folder, "approve", "1.1.1", "--answer", "1=yes", "--answer", "2=no")
    assert (refused.code, "Q2 is for a person; once a person has decided: orch answer --person Q2" in refused.out) == (
        1,
        True,
    )
    assert run_orch(folder, "answer", "Q2", "no").code == 1
    assert run_orch(folder, "answer", "--person", "Q2", "no").code == 0
    assert run_orch(folder, "approve", "1.1.1", "--answer", "1=yes").code == 0
    assert queue(folder).count("Answer: ") == 2
    assert run_orch(folder, "next-wave").code == 0
    assert "Answer: yes" in prompt(folder, "1.1.1")


def test_answers_that_come_with_an_approval_are_kept_where_another_question_is_open(tmp_path: Path) -> None:
    asked = asking("1", "Keep it?", "In UTC?", "Where? (for=person)")
    folder = planned(tmp_path / "repo", [asked, Task("2", ("b",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    gate = run_orch(folder, "gate").out
    assert gate.endswith(
        "orch approve 1.1.2\nonce they are answered: orch approve 1.1.1\n"
        'orch revise 1.1.1 -m "..."\nnext: orch answer --person Q1 "…" Q2 "…" Q3 "…"\n'
    ), gate
    refused = run_orch(folder, "approve", "1.1.1", "--answer", "1=yes", "--answer", "3=here")
    assert refused.code == 1, refused
    assert refused.out == (
        '1.1.1 not approved: question 2 is open: In UTC?; orch approve 1.1.1 --answer 2="…"; answer 1 recorded\n'
        'next: orch approve 1.1.1 --answer 2="…"\n'
    )
    assert queue(folder).count("Answer: ") == 1, "what is for a person isn't taken from a session"
    once_more = run_orch(folder, "approve", "1.1.1", "--answer", "2=no")
    assert once_more.out == (
        "1.1.1 not approved: question 3 is open: Where? (for=person); "
        'orch answer --person Q3 "…"; answer 2 recorded\nnext: orch answer --person Q3 "…"\n'
    )
    assert run_orch(folder, "answer", "--person", "Q3", "here").code == 0
    assert run_orch(folder, "approve", "1.1.1").code == 0
    assert [line.strip() for line in todo(folder, "1.1.1").split("\n") if line.strip().startswith("Answer: ")] == [
        "Answer: yes",
        "Answer: no",
        "Answer: here",
    ]


def test_an_answer_that_is_none_of_the_options_is_taken_where_it_is_meant_so(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [asking("1", "Keep it? Options: yes · no.")], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "answer", "Q1", "maybe").code == 1
    assert run_orch(folder, "answer", "Q1", "no idea").code == 1
    assert queue(folder).endswith("Answer:")
    assert run_orch(folder, "answer", "--other", "Q1", "maybe").code == 0
    assert queue(folder).endswith("Answer: maybe")


def test_a_question_by_command_about_an_approved_task_holds_it_in_needs_input(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a",)), Task("2", ("b",))], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "approve", "1.1.1", "1.1.2").code == 0
    asked = run_orch(folder, "ask", "1.1.1", "Which name?", "--option", "a", "--option", "b", "--recommend", "a")
    assert asked.out == 'Q1 asked about 1.1.1, for person\nnext: orch answer --person Q1 "…"\n'
    again = run_orch(folder, "ask", "1.1.1", "Which name?", "--option", "a", "--option", "b", "--recommend", "a")
    assert again.out == asked.out
    assert cell(folder, "1.1.1") == "needs-input"
    left = run_orch(folder, "next-wave")
    assert (left.code, cell(folder, "1.1.1"), cell(folder, "1.1.2")) == (3, "needs-input", "done")
    shown = "Q1 1.1.1 for a person: Which name? Options: a · b. Recommended: a.\n"
    for command in ("status", "resume", "gate"):
        out = run_orch(folder, command).out
        assert out.count(shown) == 1, out
        assert 'orch answer --person Q1 "…"' in out
    for word in ("c", "about b", "bb"):
        none = run_orch(folder, "answer", "--person", "Q1", word)
        assert (none.code, f'"{word}" is none of the options of Q1: a · b; ' in none.out) == (1, True), none
        assert "orch answer --other --person Q1 … takes any words\nnext: orch gate\n" in none.out
    assert run_orch(folder, "answer", "--person", "q1", "B, but not now").code == 0
    assert run_orch(folder, "answer", "--person", "Q1", "B, but not now").code == 0
    refused = run_orch(folder, "answer", "--person", "Q1", "a")
    assert (refused.code, "Q1 is answered already: B, but not now" in refused.out) == (1, True)
    assert run_orch(folder, "next-wave").code == 0
    assert "Answer: B, but not now" in prompt(folder, "1.1.1")
    assert sorted(subjects(folder)) == ["feat: task 1", "feat: task 2"]


def test_a_question_that_a_new_plan_asks_no_more_is_withdrawn_and_its_number_stays_taken(tmp_path: Path) -> None:
    first = asking("1", "Keep it?")
    again = asking("1", "In UTC?")
    assert first.turns is not None
    assert again.turns is not None
    task = Task("1", first.creates, turns=(first.turns[0], again.turns[0], again.turns[1]))
    folder = planned(tmp_path / "repo", [task], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    assert run_orch(folder, "revise", "1.1.1", "-m", "think again").code == 0
    assert run_orch(folder, "next-wave").code == 3
    entry = queue(folder).split("\n- ")[1]
    assert "Withdrawn: its micro-plan asks it no more" in queue(folder)
    assert entry.startswith("**Q2** 1.1.1")
    whole = state(folder)
    by_hand(folder, "- " + whole.partition("\n- **Q2**")[2].join(["**Q2**", ""]).partition("\n\n## ")[0], "")
    assert "Q2" not in queue(folder)
    assert run_orch(folder, "next-wave").code == 3
    assert "**Q3** 1.1.1" in queue(folder)


def test_a_cell_set_to_approved_opens_no_gate_while_a_question_is_open(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [asking("1", "Keep it?")], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    by_hand(folder, "| plan-ready |", "| approved |")
    left = run_orch(folder, "next-wave")
    assert (left.code, cell(folder, "1.1.1")) == (3, "plan-ready")
    assert "1.1.1 was set to approved by hand, but Q1 is open" in left.out + left.err


def test_twenty_answers_at_once_are_all_kept(tmp_path: Path) -> None:
    texts = [f"Is it {number}?" for number in range(1, 6)]
    tasks = [asking(str(number), *texts) for number in range(1, 5)]
    folder = planned(tmp_path / "repo", tasks, settings="jobs: 4\n")
    next_wave(folder, 3)
    with ThreadPoolExecutor(20) as pool:
        left = list(pool.map(lambda n: run_orch(folder, "answer", f"Q{n}", f"answer {n}\nof two lines"), range(1, 21)))
    assert [one.code for one in left] == [0] * 20
    for number in range(1, 21):
        assert f"  > answer {number}\n  > of two lines" in state(folder)
    same = [run_orch(folder, "ask", "1.1.1", "Same?").out for _ in range(2)]
    assert same[0] == same[1]


def test_a_question_that_comes_while_a_reviewer_reads_keeps_its_approval_out(tmp_path: Path) -> None:
    folder = reviewed(tmp_path / "repo", [Task("1", ("a.dat",))], [says("APPROVE\n", delay=4), says("APPROVE\n")])
    with running(folder) as left:
        review_begun(folder)
        assert run_orch(folder, "ask", "1.1.1", "Which name?").code == 0
        done = left()
    assert (done.code, cell(folder, "1.1.1")) == (3, "plan-ready"), done
    assert "turn=review outcome=finished answer=void" in todo(folder, "1.1.1")
    assert run_orch(folder, "answer", "--person", "Q1", "this one").code == 0
    assert run_orch(folder, "next-wave").code == 0
    assert "Answer: this one" in prompt(folder, "1.1.1")


def test_a_plan_is_not_taken_over_while_a_question_that_its_worker_did_not_ask_is_open(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [asking("1", "Keep it?")], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    own = tmp_path / "plan.md"
    own.write_text(plan_text(Task("1", ("f1.txt",))), "utf-8")
    by_hand(folder, "- **Q1** ", "- **Q7** 1.1.1 (2026-11-29) for=person: may it go at all?\n  Answer:\n- **Q1** ")
    before = state(folder), todo(folder, "1.1.1")

    refused = run_orch(folder, "takeover", "1.1.1", "--file", str(own), "-n", "1")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == (
        'error: Q7 about 1.1.1 is open: a plan of yours doesn\'t settle that\nhint: orch answer --person Q7 -n 1 "…"\n'
    )
    assert (state(folder), todo(folder, "1.1.1")) == before
    assert run_orch(folder, "answer", "--person", "Q7", "it may").code == 0
    assert run_orch(folder, "takeover", "1.1.1", "--file", str(own)).code == 0, "the worker's own question ends with it"
    next_wave(folder, 0)


def test_an_answer_says_when_its_task_gets_it(tmp_path: Path) -> None:
    folder = planned(tmp_path / "repo", [Task("1", ("a",)), Task("1", ("b",), wave=2)], settings="gate: stop\n")
    assert run_orch(folder, "next-wave").code == 3
    for key in ("1.1.1", "1.2.1"):
        assert run_orch(folder, "ask", key, "May it go?").code == 0
    said = run_orch(folder, "answer", "--person", "Q1", "yes", "Q2", "yes").out.split("\n")
    assert said[:2] == [
        "Q1 answered: 1.1.1 gets it at the next orch next-wave",
        "Q2 answered: 1.2.1 gets it when wave 2 begins",
    ]
