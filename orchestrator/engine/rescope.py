"""`orch rescope`: more files for one task, by changing its spec in the execution plan; nothing else grants them.

The changed spec asks for a new micro-plan of that task alone. Must not decide whether the wider scope is wise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.engine.approving import UNAPPROVED
from orchestrator.engine.by_command import recorded, recorder_beside
from orchestrator.engine.failing import account_change, counts_value, one_line
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.repositories import branch_of, repo_names, repository_of
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.errors import Problem, UserError
from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.scope_edits import add_paths
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import is_stale
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan, Spec
from orchestrator.model.plan_check import check_plan
from orchestrator.model.scope import claims, covers, is_literal
from orchestrator.model.settings import Settings
from orchestrator.model.stage import Stage, standing
from orchestrator.model.status import Status
from orchestrator.model.task_file import Counts

_RESTS = (Stage.AT_GATE, Stage.APPROVED, Stage.SENT_BACK, Stage.BLOCKED, Stage.RETRY_DUE, Stage.DECIDED)
"""Stages in which a task that has begun can be given another spec; one that works is waited for."""


def rescope(session: Session, name: str, added: Mapping[str, Sequence[str]], why: str, *, by: str) -> Outcome:
    """Add paths to the spec of a task, by label (`must edit`, `can create`, `can delete`), and ask for a new plan.

    Raises UserError where the task is at work or has landed, and where the wider scope makes an error of the plan,
    such as a file that a task of the same wave claims.
    """
    refuse_worker(session, "rescope")
    planning = session.planning
    before = planning.load()
    plan = before.plan
    key = find_task(plan, name)
    spec = plan.spec(key)
    now = standing(planning.task(key).log)
    _refuse_stage(key, now.stage)
    wanted = {label: [path for path in paths if not covers(claims(spec), path)] for label, paths in added.items()}
    wanted = {label: paths for label, paths in wanted.items() if paths}
    if not wanted and is_stale(plan, planning.task(key)) and now.stage is Stage.BLOCKED:
        # They were put in by hand, or by a call that got no further: what is missing is that it plans again.
        names = ", ".join(path for paths in added.values() for path in paths)
    elif not wanted:
        raise UserError(f"{key} may change these files already", hint=f"orch show {key} --spec", code="in-scope")

    def change(document: Document) -> Document:
        for label, paths in wanted.items():
            try:
                document = add_paths(document, _spec_in(document, plan, key), label, paths)
            except LookupError as error:
                raise UserError(
                    f"the spec of {key} can't be changed by command: {error}",
                    at=spec.at,
                    hint=f"add the paths to its {label} by hand; orch then asks for a new plan",
                    code="by-hand",
                ) from error
        _refuse_new_errors(session, plan, document, before.settings)
        return document

    recorder_beside(session, plan).refuse_unclear()
    if wanted:
        _refuse_missing(session, before, key, wanted.get("must edit", ()))
        planning.change_plan(change)
        names = ", ".join(path for paths in wanted.values() for path in paths)
    if before.state.exists and planning.task(key).log and now.stage is not Stage.FRESH:
        recorder = recorder_beside(session, planning.plan().value)
        entry = recorder.entry("rescoped", add=names, why=f"its scope was widened by {names}: {why}", by=by)
        facts: dict[str, Value] = {"counts": counts_value(Counts()), **UNAPPROVED}
        row = before.state.row(key)
        account = account_change(session.layout, before.state, spec, (*planning.task(key).log, entry))
        recorder.move(key, Status.PLANNING, entry, facts=facts, in_state=account, follows=row.status if row else None)
    return recorded(session, [key], "rescoped", [f"{key} may change {names} too; it plans again: {one_line(why, 160)}"])


def _refuse_missing(session: Session, before: Orchestration, key: TaskKey, paths: Sequence[str]) -> None:
    """A file to edit that isn't there is a slip of the pen, or one to create."""
    repository, branch = repository_of(session, before, key), branch_of(session, before, key)
    at = f"refs/heads/{branch}" if branch and repository.resolve(f"refs/heads/{branch}") else "HEAD"
    missing = [path for path in paths if is_literal(path) and not repository.exists_at(at, path)]
    if missing:
        raise UserError(
            f"there is no {missing[0]} to edit",
            hint=f"correct the path, or let {key} make it: --create {missing[0]}",
            code="no-file",
        )


def _refuse_stage(key: TaskKey, stage: Stage) -> None:
    if stage is Stage.FRESH or stage in _RESTS:
        return
    raise UserError(
        f"the scope of {key} can't be changed now: {stage.words}",
        hint="wait until its turn has ended, or stop it with orch block",
        code="at-work",
    )


def _spec_in(document: Document, plan: Plan, key: TaskKey) -> Spec:
    return read_plan(document, plan.number, plan.local_ids).value.spec(key)


def _refuse_new_errors(session: Session, plan: Plan, document: Document, settings: Settings) -> None:
    names = repo_names(session, settings)
    known = {_said(problem) for problem in check_plan(plan, settings, repos=names)}
    read = read_plan(document, plan.number, plan.local_ids)
    found = (*read.problems, *check_plan(read.value, settings, repos=names))
    new = [problem for problem in found if problem.is_error and _said(problem) not in known]
    if new:
        raise UserError(new[0].message, at=new[0].at, hint=new[0].hint, code=new[0].code)


def _said(problem: Problem) -> tuple[str, str]:
    return problem.code, problem.message
