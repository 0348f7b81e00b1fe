"""A person's or session's answer to a verified change: let it land, or send it back as a failed acceptance.

An approval is bound to the tree that would land and the commit it would land on; what else it holds for is said
where a change is verified anew. Must not know reviewers.
"""

from __future__ import annotations

from orchestrator.engine.by_command import recorder_beside
from orchestrator.engine.failing import fail
from orchestrator.engine.recorder import DocumentChange, Recorder
from orchestrator.engine.repositories import repository_of
from orchestrator.engine.run import Run
from orchestrator.engine.session import Session
from orchestrator.errors import UserError
from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from orchestrator.model.facts import Limits
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import Standing, standing
from orchestrator.vcs.history import sizes


def approve_change(recorder: Recorder, key: TaskKey, now: Standing, *, by: str, why: str = "") -> None:
    """Record that what was verified may land. Raises UserError where that isn't what stands there any more."""
    recorder.note(key, approval_of(recorder, now, by=by, why=why), change=lambda document: _same(document, key, now))


def approval_of(recorder: Recorder, now: Standing, *, by: str, why: str = "") -> LogEntry:
    """The log line of an approval: of what, by whom, and exactly which tree on which commit."""
    return recorder.entry("approved", of="diff", by=by, why=why, tree=now.verified_tree, head=now.verified_head)


def revise_change(session: Session, key: TaskKey, now: Standing, message: str, *, by: str) -> None:
    """Send a verified change back: a failed acceptance, with all that follows from one."""
    orchestration = session.planning.load()
    recorder = recorder_beside(session, orchestration.plan)
    run = Run(session, orchestration, Limits(), recorder)
    send_back(run, key, message, by=by, change=lambda document: _same(document, key, now))


def send_back(
    run: Run, key: TaskKey, why: str, *, by: str, change: DocumentChange, before: tuple[LogEntry, ...] = ()
) -> None:
    """Record the failed acceptance of a verified change; its worker gets `why` as what failed.

    change: refuses by raising where what was judged isn't what stands there any more.
    """
    folded = " ".join(why.split())
    fail(
        run,
        key,
        "accept",
        folded,
        turn="retry",
        findings=f"- {folded}",
        before=before,
        change=change,
        values={"by": by},
    )


def sizes_of(session: Session, orchestration: Orchestration, key: TaskKey) -> tuple[tuple[str, int, int], ...]:
    """The files of a verified change: path, lines added, lines deleted; -1 for both where it isn't text."""
    now = standing(orchestration.task(key).log)
    return sizes(repository_of(session, orchestration, key), now.verified_head, now.verified_tree)


def _same(document: Document, key: TaskKey, now: Standing) -> Document:
    then = standing(read_task_file(document, key).value.log)
    if not then.is_before_landing or then.verified_tree != now.verified_tree:
        raise UserError(
            f"the change of {key} isn't the one that was judged: {then.stage.words}",
            hint=f"orch gate {key}",
            code="not-at-gate",
        )
    return document
