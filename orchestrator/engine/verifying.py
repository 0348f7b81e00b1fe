"""Verification, from git and not from claims: the diff, the steps, the report, the targeted test.

The test runs on a checkout of the tree that would land, in a workspace of orch's own.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.engine.collect import PRINTED
from orchestrator.engine.copies import copy_name, read_copy
from orchestrator.engine.failing import fail, findings_text, one_line
from orchestrator.engine.gates import gate_in, land_gates, lay_gate, setup_failed, stands_gate
from orchestrator.engine.judging import others_commits, tampering, tell_what_came
from orchestrator.engine.line import join
from orchestrator.engine.prepare import Ready, prepare_again
from orchestrator.engine.run import Run
from orchestrator.engine.site import Candidate
from orchestrator.engine.suite_runs import Laid, lay_tree, set_up, set_up_now
from orchestrator.engine.work import Work, work_of
from orchestrator.errors import ToolError
from orchestrator.formats.task_file import read_micro_plan, set_findings
from orchestrator.markdown.document import Document
from orchestrator.model.counts import parse_counts
from orchestrator.model.gate import Finding
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import diff_judge
from orchestrator.model.run_counts import RunCounts
from orchestrator.model.settings import Gate
from orchestrator.model.status import Status
from orchestrator.model.task_file import TaskFile
from orchestrator.model.verify import (
    missing_acceptance_files,
    report_findings,
    scope_findings,
    step_findings,
    stopped_because,
    widening,
)
from orchestrator.process.environment import own_names
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended, tail
from orchestrator.process.running import run as run_process
from orchestrator.vcs.history import file_size
from orchestrator.vcs.landing import Conflict


def verify(run: Run, key: TaskKey) -> None:
    """Check a worker's finished work and start its targeted test; the test's end records the result."""
    ready = prepare_again(run, key)
    if ready is None:
        return
    work = work_of(run, key, ready)
    stopped = stopped_because(run.task(key).micro_plan.report)
    if stopped:
        fail(run, key, "stopped", f"its worker says: {stopped}", turn="retry")
        return
    errors = _findings(run, key, ready, work)
    if errors:
        is_scope = any(finding.code in ("scope", "tampering") for finding in errors)
        fail(
            run,
            key,
            "scope" if is_scope else "accept",
            "; ".join(finding.message for finding in errors),
            turn="retry",
            values={"fix": widening(run.spec(key), work.changes)} if is_scope else None,
            findings=findings_text(errors),
        )
        return
    if not work.landing:
        why = "the worker finished without changing a file" + _submodule_remark(run, ready)
        fail(run, key, "accept", why, turn="retry")
        return
    candidate = merged(run, key, work)
    if candidate is not None:
        test(run, key, candidate)


def _submodule_remark(run: Run, ready: Ready) -> str:
    """What a worker may have changed instead: files of submodules, which don't belong to this repository."""
    there = [
        name for name in ready.workspace.repository.submodules(ready.base) if _holds_files(ready.workspace.path / name)
    ]
    return f" of this repository; submodules aren't worked on: {', '.join(there)}" if there else ""


def _holds_files(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink() and any(folder.iterdir())


def _findings(run: Run, key: TaskKey, ready: Ready, work: Work) -> tuple[Finding, ...]:
    tell_what_came(run, key, ready)
    task = run.task(key)
    spec = run.spec(key)
    copy = read_micro_plan(Document.parse(read_copy(run, key), copy_name(key))).value
    found = (
        *scope_findings(spec, work.changes),
        *tampering(run, key, ready, may_commit=True),
        *step_findings(task.plan, task.micro_plan, copy, mask=run.mask, has_printed=_has_printed(task)),
    )
    return tuple(finding for finding in found if finding.is_error)


def _has_printed(task: TaskFile) -> bool:
    """Whether the worker printed the report of its last turn."""
    ended = [entry for entry in task.log if entry.event == "ended" and entry.get("turn") != "review"]
    return bool(ended) and ended[-1].get("report") == PRINTED


def merged(run: Run, key: TaskKey, work: Work, *, is_first: bool = False) -> Candidate | None:
    """What would land, merged onto those before it in the line. On a conflict the failure is recorded: None."""
    result = join(run, key, base=work.base, tree=work.tree, changes=work.landing, is_first=is_first)
    if isinstance(result, Conflict):
        _conflict(run, key, run.site(key).head(), result)
        return None
    return result


def _conflict(run: Run, key: TaskKey, head: str, conflict: Conflict) -> None:
    """Back to the worker once, on the new head: the retry's workspace is laid anew there, conflict markers in it."""
    paths = ", ".join(conflict.paths)
    fail(
        run,
        key,
        "conflict",
        f"the work conflicts with what landed since its base, in {paths}",
        turn="retry",
        findings=f"- conflict in {paths}\n\n{conflict.text[-4000:]}",
        facts={"base": head},
    )


def test(run: Run, key: TaskKey, candidate: Candidate) -> None:
    """Start the targeted test on the tree that would land; its exit code decides."""
    slot = run.free_slot()
    laid = lay_tree(run.site(key), candidate.tree, slot)

    def then(ended: Ended) -> None:
        _tested(run, key, candidate, ended)

    def start() -> None:
        run.start_job(key, _test_in(laid, key), run.layout.run / "tests" / str(key), then).slot = slot

    set_up(key, laid, slot, start, lambda ended: setup_failed(run, key, ended))


def test_now(run: Run, key: TaskKey, tested: str) -> Ended:
    """Run the targeted test on a tree and wait for it."""
    laid = lay_tree(run.site(key), tested, run.free_slot())
    folder = run.layout.run / "tests" / f"{key}.hooks"
    ended = set_up_now(laid, folder)
    return ended or run_process(_test_in(laid, key), folder, run.session.random_name(16))


def _test_in(laid: Laid, key: TaskKey) -> Invocation:
    """How a task's test is run in a verify workspace that is set up."""
    run = laid.site.run
    names = own_names(str(run.layout.root), str(key))
    return run.shell(run.spec(key).test, laid.path, timeout=run.settings.test_timeout, more=names)


def _tested(run: Run, key: TaskKey, candidate: Candidate, ended: Ended) -> None:
    output = run.foreign(tail(ended.stdout) + "\n" + tail(ended.stderr)).strip()
    counts = parse_counts(output)
    if ended.reason != "exit" or ended.exit_code != 0:
        how = f"ended after {run.settings.test_timeout:.0f} s" if ended.reason == "timeout" else ended.how
        why = f"the targeted test failed ({how}): {run.spec(key).test}"
        fail(run, key, "accept", why, turn="retry", findings=f"- {one_line(why)}\n\n{output[-4000:]}")
        return
    task = run.task(key)
    found = report_findings(task.micro_plan.report, candidate.changes, mask=run.mask)
    lacking = missing_acceptance_files(
        run.spec(key), lambda path: file_size(run.site(key).repository, candidate.tree, path)
    )
    if lacking:
        fail(run, key, "accept", "; ".join(lacking), turn="retry")
        return
    errors = tuple(finding for finding in found if finding.is_error)
    if errors:
        why = "; ".join(finding.message for finding in errors)
        fail(run, key, "report", why, turn="retry", findings=findings_text(errors))
        return
    _next_gate(run, key, candidate, counts, land_gates(run, key, candidate.changes))


def _next_gate(run: Run, key: TaskKey, candidate: Candidate, counts: RunCounts, gates: tuple[Gate, ...]) -> None:
    """Start the first of the gates that are left on the tree that would land; after the last the task is verified."""
    if not gates:
        _verified(run, key, candidate, counts)
        return
    slot = run.free_slot()
    suite = gates[0].suite
    laid = lay_gate(run, suite, candidate.tree, slot)

    def then(ended: Ended) -> None:
        if stands_gate(run, key, suite, slot, ended):
            _next_gate(run, key, candidate, counts, gates[1:])

    def start() -> None:
        run.start_job(key, gate_in(laid, suite), run.layout.run / "tests" / f"{key}.gate", then).slot = slot

    set_up(key, laid, slot, start, lambda ended: setup_failed(run, key, ended))


def _verified(run: Run, key: TaskKey, candidate: Candidate, counts: RunCounts) -> None:
    entry = run.recorder.entry(
        "verified",
        tree=candidate.tree,
        head=candidate.onto,
        judged=_judged_before(run, key, candidate),
        passed="" if counts.passed is None else counts.passed,
        failed="" if counts.failed is None else counts.failed,
    )
    told = ""
    if diff_judge(run.settings, run.standing(key), is_attended=run.limits.is_attended) != "none":
        # Errors would have sent it back; the rest is for whoever judges the change.
        told = findings_text(report_findings(run.task(key).micro_plan.report, candidate.changes, mask=run.mask))
    run.recorder.move(key, Status.VERIFIED, entry, change=lambda document: set_findings(document, told))
    run.say(f"{key}: verified")


def _judged_before(run: Run, key: TaskKey, candidate: Candidate) -> str:
    """The tree that was approved to land, where this one holds the same change and differs by what other tasks landed,
    or were about to: their order is orch's doing, and no reason to ask again. Empty where there is none."""
    now, site = run.standing(key), run.site(key)
    if not now.judged or now.judged != now.verified_tree or now.judged == candidate.tree:
        return ""
    repository = site.repository
    try:
        is_same = repository.diff(now.verified_head, now.verified_tree) == repository.diff(
            candidate.onto, candidate.tree
        )
        return now.judged if is_same and not others_commits(site, now.verified_head, candidate.onto) else ""
    except ToolError:
        # What it would have landed on was on no branch, and git has tidied up since.
        return ""
