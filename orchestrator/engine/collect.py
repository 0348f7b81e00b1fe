"""What a turn left behind: the micro-plan is taken in and put before the gate, the work is kept for verification.

Everything is read first and written down in one go, so that a crash finds either the turn or its whole result.
"""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.drivers.base import TurnResult, reason_in
from orchestrator.engine.approving import record_approval
from orchestrator.engine.copies import copy_name, masked_copy, read_copy
from orchestrator.engine.failing import above, climb, counts_value, fail, findings_text, one_line
from orchestrator.engine.hosted import is_hosted, said
from orchestrator.engine.judging import tampering, tell_what_came
from orchestrator.engine.prepare import Ready, find_ready, lay_anew, prepare_again
from orchestrator.engine.run import Run
from orchestrator.engine.turn_ends import as_cut, doubt, end_facts, ended_entry, result_of, result_of_gone, weather
from orchestrator.engine.turns import kind, order_for, turn_folder
from orchestrator.engine.work import changes_of, work_of
from orchestrator.errors import ToolError
from orchestrator.formats.task_file import (
    append_step,
    printed_plan,
    printed_report,
    read_micro_plan,
    set_findings,
    take_plan,
    take_progress,
)
from orchestrator.formats.task_names import names_for
from orchestrator.formats.todo_body import STEPS, part_source
from orchestrator.markdown.document import Document
from orchestrator.model.gate import Finding, gate_findings, missing_test_step
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import after_plan_error
from orchestrator.model.micro_plan import MicroPlan, plan_hash
from orchestrator.model.questions import open_ones
from orchestrator.model.report import report_files
from orchestrator.model.scope import claims, covers
from orchestrator.model.stage import Standing
from orchestrator.model.status import Status
from orchestrator.nouns import dataclass, replace
from orchestrator.process.residents import residents
from orchestrator.process.running import Ended, look
from orchestrator.store.places import workspace_dir
from orchestrator.vcs.changes import Seen, keep
from orchestrator.vcs.changes import look as look_at
from orchestrator.vcs.diffs import SUBMODULE
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.submodules import save_commit


def collect(run: Run, key: TaskKey) -> None:
    """Take in a turn that has ended: judge a plan turn at the gate, hand work on to verification."""
    now = run.standing(key)
    if is_hosted(run, key):
        _take_in(run, key, now, TurnResult("finished", text=said(run, key, now), session=run.task(key).session))
        return
    folder = turn_folder(run, key, now)
    seen = look(folder, run.task(key).marker)
    if not isinstance(seen, Ended):
        return
    worker = run.worker(key)
    order = order_for(run, key, kind(now.turn), now.turns, worker, is_sent=True)
    result = as_cut(now, result_of(run, order, seen))
    if result.outcome != "finished":
        _died(run, key, now, result, exit_code=seen.exit_code)
        return
    if _is_gone(run, key, now, result):
        _died(run, key, now, TurnResult("killed", message="its workspace was deleted, with what it did"))
        return
    _take_in(run, key, now, result)


def _is_gone(run: Run, key: TaskKey, now: Standing, result: TurnResult) -> bool:
    """Whether nothing is left of what a finished turn did: neither where it worked, nor kept, nor said."""
    if find_ready(run, key) is not None or run.ref(key, f"turn-{now.turns}") in run.site(key).repository.refs(
        run.ref(key, "")
    ):
        return False
    return now.turn != "plan" or printed_plan(result.text, names_for(run.plan, key)) is None


def _take_in(run: Run, key: TaskKey, now: Standing, result: TurnResult) -> None:
    """Judge what a finished turn left: in its todo file, in its tree, and in what it said."""
    ready = prepare_again(run, key)
    if ready is None:
        return
    if now.turn == "plan":
        _judge_plan(run, key, now, ready, result)
    else:
        _take_work(run, key, now, ready, result)


PATIENCE = 2.0
"""Seconds in which a process that was killed is gone."""


def salvage(run: Run, key: TaskKey) -> None:
    """A worker is gone without an end: keep what it left, and count a death. Raises ToolError while somebody is in its
    workspace: what it left there is looked at only once nothing of it can be at work any more."""
    now = run.standing(key)
    workspace = workspace_dir(run.layout, key)
    # Nobody kept its processes together at its end, and one of them may have taken the marker off.
    left = residents(workspace, PATIENCE)
    if left:
        numbers = ", ".join(str(pid) for pid in left)
        raise ToolError(
            f"its worker is gone without an end, but {'process' if len(left) == 1 else 'processes'} {numbers} "
            f"{'is' if len(left) == 1 else 'are'} still in {workspace}",
            hint=f"end what runs there, or leave the folder, then run {run.session.command('next-wave')}",
            code="stray-worker",
        )
    why = "its process is gone without an exit code"
    worker, folder = run.worker(key), turn_folder(run, key, now)
    order = order_for(run, key, kind(now.turn), now.turns, worker, is_sent=True)
    _died(run, key, now, as_cut(now, replace(result_of_gone(run, order, folder, why), message=why)))


def _died(run: Run, key: TaskKey, now: Standing, result: TurnResult, *, exit_code: int | None = None) -> None:
    """The worker didn't finish its turn. Its tree stays; its copy's progress is taken in."""
    text = read_copy(run, key)
    ready = find_ready(run, key)
    if ready is not None:
        _keep_turn(run, key, now, ready)
    reason = reason_in(result.message)[:200]
    how = f" (exit {exit_code})" if exit_code and result.outcome != "limit" else ""
    why = f"the {now.turn} turn ended as {result.outcome}{how}" + (f": {reason}" if reason else "")
    folder = turn_folder(run, key, now)
    findings = f"- {why}\n- its output is in {folder}\n\n{result.message.strip()}".rstrip()

    def change(document: Document) -> Document:
        return take_progress(document, text) if now.turn != "plan" and text else document

    if weather(run, key, now, result, change):
        return
    then = doubt(run.worker(key).driver, result.outcome)
    ended = ended_entry(run, key, now.turn, result, then=then)
    facts = end_facts(run, key, result, ended)
    if then:
        run.resting.add(run.worker(key).driver)
    fail(run, key, "died", why, turn=now.turn, before=(ended,), findings=findings, change=change, facts=facts)


def _keep_turn(run: Run, key: TaskKey, now: Standing, ready: Ready) -> Seen:
    """Keep the workspace's state as refs/orch/RUN/KEY/turn-K. Returns what was seen there."""
    seen = look_at(ready.workspace)
    commit = keep(ready.workspace, ready.base, f"turn {now.turns}: {key}", seen=seen)
    ref, repository = run.ref(key, f"turn-{now.turns}"), ready.workspace.repository
    for entry in seen.entries(ready.base):
        if entry.new_mode == SUBMODULE:
            # The commit it points to may be nowhere but in the workspace.
            save_commit(repository, ready.workspace.path, entry.path, entry.new_id, ref)
    repository.update_refs([RefChange(ref, commit)])
    return seen


PRINTED = "printed"
"""In the log's `ended`: the report was printed, or appended to the copy of STATE, and not written where it belongs."""


@dataclass(frozen=True, slots=True)
class _Judged:
    text: str
    micro: MicroPlan
    findings: tuple[Finding, ...]
    wrote: bool
    """Something besides the todo copy was changed before approval."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_error)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_warning)


def _judge_plan(run: Run, key: TaskKey, now: Standing, ready: Ready, result: TurnResult) -> None:
    judged = _read_plan(run, key, ready, result.text)
    ended = ended_entry(run, key, "plan", result)
    if judged.wrote:
        # The tree is evidence and may be worth something to a person; the next plan turn starts clean.
        _keep_turn(run, key, now, ready)
        lay_anew(run, key, ready)
    counts = run.task(key).counts
    facts = end_facts(run, key, result, ended)
    text = findings_text(judged.findings)
    spec = run.spec(key)

    def change(document: Document) -> Document:
        if judged.text:
            document = take_plan(document, judged.text)
        step = missing_test_step(spec, judged.micro)
        if step and not judged.errors:
            document = append_step(document, step)
        return set_findings(document, text)

    if judged.errors:
        rung = after_plan_error(counts, above=above(run, key), is_attended=run.limits.is_attended)
        facts["counts"] = counts_value(rung.counts)
        why = "; ".join(finding.message for finding in judged.errors)[:400]
        if rung.next == "plan" and not rung.tier:
            entry = run.recorder.entry("revised", by="checks", why=why)
            run.recorder.move(key, Status.PLANNING, ended, entry, facts=facts, change=change)
            run.say(f"{key}: plan sent back by the checks: {why}")
            return
        entry = run.recorder.entry("planned", steps=len(judged.micro.steps), errors=len(judged.errors))
        if rung.tier:
            failed = run.recorder.entry("failed", kind="plan", next="tier", why=one_line(why))
            climb(run, key, rung, ended, entry, failed, facts=facts, change=change)
            return
        run.recorder.move(key, Status.PLAN_READY, ended, entry, facts=facts, change=change)
        run.say(f"{key}: plan at the gate with errors: {why}")
        return
    is_clear = not judged.warnings and not any(not question.answer for question in judged.micro.questions)
    is_clear = is_clear and not open_ones(run.state.asked(key), key)
    if run.limits.gate == "auto" and is_clear:
        record_approval(run.recorder, key, by="checks", before=(ended,), facts=facts, change=change)
        run.say(f"{key}: plan approved by the checks")
        return
    entry = run.recorder.entry("planned", steps=len(judged.micro.steps), warnings=len(judged.warnings))
    run.recorder.move(key, Status.PLAN_READY, ended, entry, facts=facts, change=change)
    run.say(f"{key}: plan at the gate")


def _read_plan(run: Run, key: TaskKey, ready: Ready, printed: str) -> _Judged:
    """Read the micro-plan from the copy, else from what was printed, and hold it against the rules of the gate."""
    text = read_copy(run, key)
    copy = read_micro_plan(Document.parse(text, copy_name(key))).value
    if not copy.steps or plan_hash(copy) == plan_hash(run.task(key).micro_plan):
        # It wrote none, or left the one that orch laid there to be changed: what it said instead counts.
        said = printed_plan(printed, names_for(run.plan, key))
        said = masked_copy(run, key, said) if said else None
        told = read_micro_plan(Document.parse(said, "the worker's last message")).value if said else None
        if said and told and (told.steps or not copy.steps):
            text, copy = said, told
    micro = copy
    document = run.session.planning.task_document(key)
    if document is not None and text:
        # Judged is what orch's own file will say: there an answer is a person's, whatever the worker wrote under it.
        micro = replace(read_micro_plan(take_plan(document, text)).value, heading=copy.heading)
    spec = run.spec(key)
    scope = claims(spec)
    # What git ignores counts only where the scope names it: running a reading command may leave a cache.
    changed = tuple(
        change for change in changes_of(run, key, ready) if not change.is_ignored or covers(scope, change.path)
    )
    tampered = tampering(run, key, ready, may_commit=False)
    tell_what_came(run, key, ready)
    reports = {
        item.task: report_files(report.text)
        for item in spec.depends_on
        if item.task and (report := run.state.report(item.task))
    }
    findings = gate_findings(
        spec,
        micro,
        changed,
        other_findings=tampered,
        exists=lambda path: ready.workspace.repository.exists_at(ready.base, path),
        dependency_files=reports,
    )
    # They quote orch's own file, where a person may have written what looks like a secret.
    findings = tuple(replace(finding, message=run.mask(finding.message)) for finding in findings)
    return _Judged(text, micro, findings, wrote=bool(changed or tampered))


def _take_work(run: Run, key: TaskKey, now: Standing, ready: Ready, result: TurnResult) -> None:
    """Keep what the worker did, take its ticks, notes and report in, and hand it on to verification."""
    work = work_of(run, key, ready, _keep_turn(run, key, now, ready))
    text = read_copy(run, key)
    report = read_micro_plan(Document.parse(text, copy_name(key))).value.report
    laid = run.task(key).micro_plan.report
    names = names_for(run.plan, key)
    said = None
    if report is None or (laid is not None and report.text == laid.text):
        # It wrote none, or left the one that orch laid down for a retry: what it said instead counts.
        said = printed_report(result.text) or _appended_report(run.mask(work.reported), names)
    whole = masked_copy(run, key, printed_plan(result.text, names) or "") if said else None

    def change(document: Document) -> Document:
        for told in (text, _steps_alone(whole), said):
            if told:
                document = take_progress(document, told)
        return document

    how = PRINTED if said else ""
    entry = ended_entry(run, key, now.turn, result, report=how)
    run.recorder.move(key, Status.VERIFYING, entry, facts=end_facts(run, key, result, entry), change=change)
    run.say(f"{key}: {now.turn} turn ended, verifying")


def _steps_alone(printed: str | None) -> str | None:
    """The steps of a todo file that was printed with its ticks; None where none is ticked."""
    if not printed:
        return None
    source = part_source(Document.parse(printed), STEPS) or ""
    return f"## {STEPS}\n\n{source}\n" if "[x]" in source.lower() else None


def _appended_report(text: str, names: Collection[str]) -> str | None:
    """The report that a worker appended to its copy of STATE, in the form of a todo file; None if there is none."""
    for section in Document.parse(text).sections:
        if section.heading.text.split(" ")[0].strip("`*:") in names:
            return f"## Report\n{text[section.body.start : section.body.end]}"
    return None
