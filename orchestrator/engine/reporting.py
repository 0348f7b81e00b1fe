"""A task's report in STATE_N.md: from git and from orch's own test run; the worker adds deviations and gotchas."""

from __future__ import annotations

from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.formats.state_edits import add_discovered, put_report
from orchestrator.markdown.document import Document
from orchestrator.model.account import way_line
from orchestrator.model.changes import Change
from orchestrator.model.ids import TaskKey
from orchestrator.model.report import discovered_items, report_lines
from orchestrator.vcs.history import commit_changes


def report_change(run: Run, key: TaskKey, commit: str, known: tuple[Change, ...] | None) -> DocumentChange:
    """The change of STATE that puts the report and the discovered items of a landed task.

    known: what the commit changed, where it is known already.
    """
    task = run.task(key)
    spec = run.spec(key)
    site = run.site(key)
    verified = [entry for entry in task.log if entry.event == "verified"]
    last = verified[-1] if verified else None
    todo_path = run.layout.shown(run.layout.task_path(key))
    discovered = discovered_items(task.micro_plan.discovered, todo_path)
    lines = report_lines(
        status=f"done, {commit[:7]}{site.words}",
        changes=commit_changes(site.repository, commit, known),
        test=spec.test,
        passed=last.number("passed") if last and last.get("passed") else None,
        failed=last.number("failed") if last and last.get("failed") else None,
        worker=task.micro_plan.report,
        todo_path=todo_path,
        way=way_line(task.log, todo_path),
    )

    def edit(document: Document) -> Document:
        document = put_report(document, key, spec.title, lines)
        if discovered:
            document = add_discovered(document, key, discovered)
        return document

    return edit
