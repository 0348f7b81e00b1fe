"""Plans and reports that a worker printed, found in the tail of its output."""

from __future__ import annotations

from orchestrator.formats.task_file import printed_plan, printed_report

PLAN = "# 5.1.1 — T\n\n## Goal\n\nx\n\n## TODO items\n\n- [ ] a\n"
REPORT = "## Report\n\n- **Status:** done\n"


def test_a_plan_runs_from_its_last_heading_to_the_end() -> None:
    assert printed_plan(f"Reading files…\n# 5.1.1 — draft\n\nno\n\n{PLAN}\n\n", ["5.1.1"]) == PLAN
    assert printed_plan(f"\x1b[1mhello\x1b[0m\r\n{PLAN}", ["5.1.1"]) == PLAN
    assert printed_plan("## Task 5.1.1: T\n\nx", ["5.1.1"]) == "## Task 5.1.1: T\n\nx\n"


def test_another_tasks_heading_is_none() -> None:
    for output in ("", "words\n", "# 5.1.11 — T\n", "# 5.1.1-b — T\n", "x # 5.1.1 — T\n", " # 5.1.1\n"):
        assert printed_plan(output, ["5.1.1"]) is None


def test_a_report_ends_at_the_next_heading() -> None:
    assert printed_report(f"{PLAN}\n## Report\n\nold\n\n{REPORT}\n### More\n\nyes\n\n## Log\n\n- no\n") == (
        REPORT + "\n### More\n\nyes\n"
    )
    assert printed_report("no report") is None
    assert printed_report("## **Report:**\nx") == "## **Report:**\nx\n"


def test_a_fence_around_the_text_is_taken_off() -> None:
    nested = PLAN + "\n```bash\nmake\n```\n"
    assert printed_plan(f"Here it is:\n```markdown\n{nested}```\nDone.\n", ["5.1.1"]) == nested
    assert printed_report(f"```\n{PLAN}\n{REPORT}```\nThat's it.\n") == REPORT


def test_only_the_last_64_kilobytes_count() -> None:
    assert printed_plan(PLAN + "x" * 65536, ["5.1.1"]) is None
    assert printed_plan("x" * 200_000 + "\n" + PLAN, ["5.1.1"]) == PLAN


def test_a_plan_may_be_headed_by_any_name_of_the_task_the_surest_first() -> None:
    names = ("5.1.1", "T2-sign", "1.1", "T2")
    for name in ("T2-sign", "1.1", "T2", "`T2`", "Task T2-sign", "t2-SIGN"):
        text = f"# {name} — Money\n\n- [ ] a\n"
        assert printed_plan(f"So:\n{text}", names) == text
    assert printed_plan("# T2-signs — Money\n# T2-\n# 1.1.2 — x\n", names) is None
    assert printed_plan(f"{PLAN}\n### 1.1 — a part of it\n\nx\n", names) == f"{PLAN}\n### 1.1 — a part of it\n\nx\n"
