"""`orch takeover`: the orchestrator writes the micro-plan itself; the worker gets it as fixed input.

The plan passes the same checks as a worker's, and is approved by being handed in. Must not know how it was written.
"""

from __future__ import annotations

from orchestrator.engine.approving import end_review, record_approval
from orchestrator.engine.by_command import recorded, recorder_beside
from orchestrator.engine.failing import findings_text
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.repositories import branch_of, repository_of
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.errors import UserError
from orchestrator.formats.task_file import append_step, read_micro_plan, read_task_file, set_findings, take_plan
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.gate import gate_findings, missing_test_step
from orchestrator.model.ids import TaskKey
from orchestrator.model.questions import answer_command, open_ones
from orchestrator.model.settling import asked_by_others
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.views.folding import counted

_OPEN = (Stage.FRESH, Stage.SENT_BACK, Stage.AT_GATE, Stage.APPROVED)
"""Stages in which no worker is at work and no work has been done on the plan."""


def takeover(session: Session, name: str, text: str, *, force: bool = False, why: str = "", by: str) -> Outcome:
    """Put a micro-plan of the orchestrator's own in the place of the worker's, approved.

    Raises UserError while a worker is at work, once work was done, and for a plan that the checks refuse (unless
    forced, with a reason that is recorded).
    """
    refuse_worker(session, "takeover")
    current = session.planning.load(with_tasks=())
    plan = current.plan
    key = find_task(plan, name)
    task = session.planning.task(key)
    if not current.state.exists:
        raise UserError(
            f"orchestration {plan.number} hasn't begun: there is no board yet",
            hint="run orch next-wave --until plan first",
            code="not-begun",
        )
    _refuse_stage(key, standing(task.log))
    waiting = asked_by_others(task, open_ones(current.state.asked(key), key))
    if waiting:
        shown = ", ".join(one.id for one in waiting)
        raise UserError(
            f"{shown} about {key} {'is' if len(waiting) == 1 else 'are'} open: a plan of yours doesn't settle that",
            hint=session.with_number(answer_command(waiting)),
            code="open-question",
        )
    spec = plan.spec(key)
    micro = read_micro_plan(Document.parse(text, "the plan handed in")).value
    repository, branch = repository_of(session, current, key), branch_of(session, current, key)
    base = task.base or repository.resolve(f"refs/heads/{branch}") or "HEAD"
    findings = gate_findings(spec, micro, (), exists=lambda path: repository.exists_at(base, path))
    errors = [finding for finding in findings if finding.is_error]
    asked = [question for question in micro.questions if not question.answer]
    if asked:
        raise UserError("a plan of your own holds a question", hint="settle it in the plan", code="open-question")
    if errors and not force:
        raise UserError(
            f"the checks hold an error against the plan: {errors[0].message}",
            hint=f'correct it, or orch takeover {key} --file F --force --why "…"',
            code="plan-error",
        )

    def change(document: Document) -> Document:
        _refuse_stage(key, standing(read_task_file(document, key).value.log))
        document = take_plan(document, text)
        step = missing_test_step(spec, micro)
        if step:
            document = append_step(document, step)
        return set_findings(document, findings_text(errors))

    facts: dict[str, Value] = {"spec": spec.hash}
    recorder = recorder_beside(session, plan)
    record_approval(
        recorder,
        key,
        by="forced" if errors else by,
        why=why if errors else "",
        facts=facts,
        change=change,
        is_takeover=True,
    )
    end_review(session, key, task)
    steps = counted(len(micro.steps), "step")
    line = f"{key} taken over: its worker carries out your {steps} at the next orch next-wave"
    return recorded(session, [key], "taken-over", [line])


def _refuse_stage(key: TaskKey, now: Standing) -> None:
    if now.stage in _OPEN or now.is_at_gate:
        return
    raise UserError(
        f"the plan of {key} can't be taken over now: {now.stage.words}",
        hint=f"orch show {key}; a blocked task begins anew when its cell is set to pending",
        code="not-open",
    )
