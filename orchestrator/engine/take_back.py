"""A person has a landed task taken back: written down here, made by next-wave as any other revert."""

from __future__ import annotations

from orchestrator.engine.failing import counts_value
from orchestrator.engine.recorder import Recorder
from orchestrator.engine.session import Session
from orchestrator.errors import UserError
from orchestrator.formats.state_edits import set_wave
from orchestrator.formats.task_file import read_task_file, set_findings
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import diagnosed
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.model.status import Status, WaveStatus


def take_back(session: Session, recorder: Recorder, key: TaskKey, because: str, *, by: str) -> None:
    """Write down that the task's landing is to be reverted, and that it gets a retry with what was said.

    Raises UserError where it has no landing, or its wave is done: what came later may stand on it.
    """
    refuse_kept(session, key)
    task = session.planning.task(key)
    now = standing(task.log)

    def change(document: Document) -> Document:
        then = standing(read_task_file(document, key).value.log)
        if then.stage is not Stage.LANDED or then.landing != now.landing:
            raise _refusal(key, then)
        return set_findings(document, f"- {because}")

    row = session.planning.load(with_tasks=()).state.row(key)
    recorder.move(
        key,
        Status.RUNNING,
        recorder.entry("reverted", kind="accept", next="retry", why=because, by=by, commit=now.landing),
        facts={
            "reverted": (*task.reverted, now.landing[:12]),
            "base": "",
            "counts": counts_value(diagnosed("accept", task.counts)),
        },
        change=change,
        in_state=lambda document: set_wave(document, key.wave, status=WaveStatus.OPEN),
        follows=row.status if row else None,
    )


def refuse_kept(session: Session, key: TaskKey) -> None:
    """Raise UserError where a task has no landing, or its wave is done."""
    now = standing(session.planning.task(key).log)
    if now.stage is not Stage.LANDED or session.planning.load(with_tasks=()).state.is_done(key.wave):
        raise _refusal(key, now)


def _refusal(key: TaskKey, now: Standing) -> UserError:
    if now.stage is not Stage.LANDED:
        return UserError(f"{key} hasn't landed: {now.stage.words}", hint=f"orch show {key}", code="not-blocked")
    return UserError(
        f"{key} has landed as {now.landing[:7]}, and its wave is done",
        hint=f"take it back with git revert {now.landing[:7]} on the integration branch",
        code="landed",
    )
