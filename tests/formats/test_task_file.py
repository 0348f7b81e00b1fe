"""orch's own todo file: facts, log and body, and each problem at its place."""

from __future__ import annotations

from orchestrator.formats.task_file import (
    LEGEND,
    adopted,
    append_log,
    empty_copy_text,
    new_task_file_text,
    read_task_file,
    set_facts,
    set_findings,
    worker_copy_text,
)
from orchestrator.markdown.document import Document
from orchestrator.model.log import LogEntry
from orchestrator.model.micro_plan import MicroPlan, Question, Step, WorkerReport, plan_hash
from orchestrator.model.task_file import Counts, TaskFile
from tests.support.diffs import diff
from tests.support.planning import canonical, canonical_document, key, told

NAME = "tasks/5.1.1.todo.md"
TEXT = canonical(NAME)
KEY = key("5.1.1")


def read(text: str) -> tuple[TaskFile, str]:
    found = read_task_file(Document.parse(text, "todo.md"), KEY)
    assert all(problem.subject == "5.1.1" for problem in found.problems)
    return found.value, told(found.problems)


def test_the_canonical_file_reads_whole_and_without_a_problem() -> None:
    found = read_task_file(canonical_document(NAME), KEY)
    assert found.problems == ()
    file = found.value
    plan = file.micro_plan
    report = TEXT.partition("## Report\n\n")[2].partition("\n\n## Log")[0]
    assert file == TaskFile(
        KEY,
        exists=True,
        tier="small",
        driver="claude",
        model="claude-haiku-5-5",
        session="0d5f4c1e",
        branch="orch/5.1.1",
        base="1a2b3c4",
        counts=Counts(plan=1),
        approved="2026-11-29T10:12:03Z",
        approved_by="session",
        plan="sha256:9f2c",
        spec="sha256:77aa",
        landed=("abc1234",),
        cost={"usd": "0.0132", "input": "48211", "output": "2911"},
        micro_plan=MicroPlan(
            heading="5.1.1 — Parse trigger definitions",
            goal="Job definitions can hold triggers.",
            steps=(
                Step(1, "Create `pkg/jobdef/trigger.go` with the `Trigger` type and its parser", "x", plan.steps[0].at),
                Step(2, "Call it from `ParseDefinition` in `pkg/jobdef/definition.go`", "x", plan.steps[1].at),
                Step(3, "Create `pkg/jobdef/trigger_test.go`: valid, empty, unknown kind (A1)", "x", plan.steps[2].at),
                Step(4, "Run `go test ./pkg/jobdef -run Trigger`", "x", plan.steps[3].at),
            ),
            notes="`ParseDefinition` is called twice at start-up.",
            questions=(Question(1, "Is an empty filter an error?", "no, it matches every event"),),
            discovered=("`validate()` ignores empty cron strings",),
            report=WorkerReport(
                status="done",
                files=("pkg/jobdef/definition.go", "pkg/jobdef/trigger.go", "pkg/jobdef/trigger_test.go"),
                tests="`go test ./pkg/jobdef -run Trigger`: 14 passed, 0 failed",
                deviations="none",
                gotchas="`ParseDefinition` is called twice at start-up",
                text=report,
            ),
            at=plan.at,
        ),
        log=(
            LogEntry("2026-11-29T10:02:11Z", "started", {"turn": "plan", "tier": "small", "model": "claude-haiku-5-5"}),
            LogEntry(
                "2026-11-29T10:03:40Z",
                "ended",
                {"turn": "plan", "outcome": "finished", "usd": "0.0041", "in": "21034", "out": "811"},
            ),
            LogEntry("2026-11-29T10:12:03Z", "approved", {"by": "session"}),
        ),
    )
    assert [str(step.at) for step in plan.steps] == [f"planning/{NAME}:{line}:7" for line in (25, 26, 27, 28)]


def test_a_task_without_a_file_is_fresh() -> None:
    assert read_task_file(None, KEY).value == TaskFile(KEY)


def test_every_problem_is_told_at_its_place() -> None:
    text = (
        "---\ntask: 5.1.2\npid: many\ncounts: {plan: x, accept: 2}\nlanded: {a: b}\nmodl: x\ncost: 3\nmine: 1\n"
        "session: [a]\n---\n# 5.1.3 — Other\n\n## Log\n\n- 2026-11-29T10:02:11Z started turn=plan\n- free words\n"
        "- 2026-11-29T10:02:11Z invented x=1\n- 2026-11-29 started\n"
    )
    file, problems = read(text)
    assert (
        problems
        == """\
2:7 <5.1.2> item key-mismatch: the file is named for 5.1.1, its front matter says "5.1.2"
    correct it or take the line out
3:6 <many> item wrong-type: `pid` takes whole numbers, not "many"
    correct it or take the line out
4:16 <x> item wrong-type: `counts` takes whole numbers, not "x"
    correct it or take the line out
5:9 <{a: b}> item wrong-type: `landed` takes a list of words
    correct it or take the line out
6:1 <modl> warning unknown-key: "modl" is no key that orch knows
    did you mean "model"?
7:7 <3> item wrong-type: `cost` takes a map such as {a: 1}
    correct it or take the line out
9:10 <[a]> item wrong-type: `session` takes one value, not a list or a map
    correct it or take the line out
11:3 <5.1.3> item key-mismatch: the file is named for 5.1.1, its heading says 5.1.3
    make them agree
16:3 <free words> warning unknown-log-line: this line is no entry of the log
    a line is TIME EVENT key=value; it is left as it is
17:3 <2026-11-29T10:02:11Z invented x=1> warning unknown-log-line: this line is no entry of the log
    a line is TIME EVENT key=value; it is left as it is
18:3 <2026-11-29 started> warning unknown-log-line: this line is no entry of the log
    a line is TIME EVENT key=value; it is left as it is
"""
    )
    assert file.counts == Counts(accept=2)
    assert [entry.event for entry in file.log] == ["started"]


def test_a_new_file_has_all_sections_and_reads_back_empty() -> None:
    text = new_task_file_text(KEY, "Parse\ntriggers")
    assert (
        text
        == """\
---
task: 5.1.1
---
# 5.1.1 — Parse triggers

## Goal

## TODO items

## Notes

## Questions

## Discovered

## Report

## Log
"""
        + f"\n{LEGEND}\n"
    )
    file, problems = read(text)
    assert problems == ""
    assert file == TaskFile(
        KEY, exists=True, micro_plan=MicroPlan(heading="5.1.1 — Parse triggers", at=file.micro_plan.at)
    )


def test_the_log_grows_at_its_end_and_unknown_lines_stay() -> None:
    text = TEXT + "- a line of mine\n\n## Mine\n\nWords.\n"
    entries = (
        LogEntry("2026-11-29T11:00:00Z", "landed", {"commit": "abc1234"}),
        LogEntry("2026-11-29T11:00:01Z", "board", {"status": "done", "title": 'a "b" = c\nd'}),
    )
    new = append_log(Document.parse(text), *entries)
    assert diff(text, new.text) == (
        "+- 2026-11-29T11:00:00Z landed commit=abc1234\n"
        '+- 2026-11-29T11:00:01Z board status=done title="a \\"b\\" = c\\nd"\n'
    )
    assert read(new.text)[0].log[-2:] == entries


def test_a_file_without_a_log_gets_one_at_its_end() -> None:
    entry = LogEntry("2026-11-29T11:00:00Z", "started", {"turn": "plan"})
    for text, added in [
        ("# T", "# T\n\n## Log\n\n- 2026-11-29T11:00:00Z started turn=plan\n"),
        ("# T\r\n", "# T\r\n\r\n## Log\r\n\r\n- 2026-11-29T11:00:00Z started turn=plan\r\n"),
        ("# T\n\n## Log", "# T\n\n## Log\n\n- 2026-11-29T11:00:00Z started turn=plan\n"),
        ("## Log\n## Mine\n", "## Log\n\n- 2026-11-29T11:00:00Z started turn=plan\n\n## Mine\n"),
    ]:
        assert append_log(Document.parse(text), entry).text == added


def test_facts_are_set_in_place_added_and_taken_out() -> None:
    new = set_facts(
        canonical_document(NAME),
        {"counts": {"plan": "0", "accept": "1"}, "session": "", "pid": "4711", "landed": ("abc1234", "def5678")},
    )
    assert (
        diff(TEXT, new.text)
        == """\
-session: 0d5f4c1e
-counts: {plan: 1, accept: 0, report: 0, conflict: 0, died: 0}
+counts: {plan: 0, accept: 1}
-landed: [abc1234]
+landed: [abc1234, def5678]
+pid: 4711
"""
    )


def test_a_long_fact_is_cut_since_every_reader_goes_through_it() -> None:
    doc = Document.parse(new_task_file_text(KEY, "T"), "t")
    for text in ("x" * 40_000, "é `|`\n" * 10_000):
        new = set_facts(doc, {"approved_why": text})
        value, problems = read(new.text)
        assert (value.approved_why, problems) == (f"{text[:1999]}…", "")
        assert set_facts(new, {"approved_why": text}).text == new.text


def test_findings_stand_before_the_log_and_go_away_again() -> None:
    doc = canonical_document(NAME)
    new = set_findings(doc, "one line")
    assert diff(TEXT, new.text) == "+## Findings\n+\n+one line\n+\n"
    several = set_findings(new, "- error: x\n\n# not a heading")
    assert diff(new.text, several.text) == "-one line\n+> - error: x\n+> \n+> # not a heading\n"
    assert read(several.text)[0].findings == "- error: x\n\n# not a heading"
    assert set_findings(several, "").text == TEXT
    assert set_findings(doc, "").text == TEXT


def test_a_workers_copy_has_the_body_and_nothing_of_orchs() -> None:
    doc = set_findings(canonical_document(NAME), "- error: x")
    text = worker_copy_text(doc, KEY, "T")
    assert text == TEXT.partition("---\n")[2].partition("---\n")[2].partition("\n## Log")[0]
    again = read_task_file(Document.parse(text), KEY).value.micro_plan
    assert plan_hash(again) == plan_hash(read(TEXT)[0].micro_plan)


def test_a_copy_of_an_empty_file_is_an_empty_copy() -> None:
    assert worker_copy_text(Document.parse("---\ntask: 5.1.1\n---\n"), KEY, "T") == empty_copy_text(KEY, "T")
    assert worker_copy_text(Document.parse(new_task_file_text(KEY, "T")), KEY, "T") == empty_copy_text(KEY, "T")


def test_a_file_of_others_is_adopted_with_its_body_kept_below_earlier() -> None:
    foreign = "---\nmine: 1\n---\n# 5.1.1 -- T\n## Goal\nOld.\n## TODO items\n- [x] done\n```\n"
    doc = adopted(Document.parse(foreign), KEY, "T")
    assert doc.text == (
        "---\nmine: 1\ntask: 5.1.1\n---\n"
        + empty_copy_text(KEY, "T")
        + f"\n## Log\n\n{LEGEND}\n\n## Earlier\n\n> # 5.1.1 -- T\n> ## Goal\n> Old.\n"
        + "> ## TODO items\n> - [x] done\n> ```\n"
    )
    entry = LogEntry("2026-11-29T11:00:00Z", "started", {"turn": "plan"})
    file = read(append_log(doc, entry).text)[0]
    assert (file.micro_plan.steps, file.log) == ((), (entry,))
    assert adopted(doc, KEY, "T") is doc
    assert worker_copy_text(doc, KEY, "T") == empty_copy_text(KEY, "T")
