"""`orch verify` and `orch land`: one step of one task, by hand. The same steps as next-wave's, in the same order."""

from __future__ import annotations

from collections.abc import Collection

from orchestrator.engine.advance import opened_run
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.rounds import rounds
from orchestrator.engine.run import Run
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.engine.status import told
from orchestrator.errors import Exit, UserError
from orchestrator.model.actions import Verb
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import awaits_judgement
from orchestrator.model.stage import Stage

_TIDY = (Verb.CLOSE, Verb.REPAIR, Verb.FOLLOW, Verb.ASK_AGAIN, Verb.RECORD, Verb.SETTLE)
_VERIFY = frozenset((*_TIDY, Verb.COLLECT, Verb.SALVAGE, Verb.VERIFY))
_LAND = frozenset((*_TIDY, Verb.LAND))


def verify(session: Session, name: str) -> Outcome:
    """Take a finished turn in and verify the work: diff, steps, report, targeted test. Says so again if it is done.

    Raises UserError, with what comes first, for a task that has no finished work.
    """
    refuse_worker(session, "verify")
    return _step(session, name, _VERIFY, (Stage.WORKING, Stage.WORK_ENDED), (Stage.VERIFIED, Stage.LANDED), "verified")


def land(session: Session, name: str) -> Outcome:
    """Land a verified task as one commit. Says so again if it has landed. Raises UserError for any other task."""
    refuse_worker(session, "land")
    return _step(session, name, _LAND, (Stage.VERIFIED,), (Stage.LANDED,), "landed")


def _step(
    session: Session,
    name: str,
    verbs: Collection[Verb],
    begins: Collection[Stage],
    is_done: Collection[Stage],
    word: str,
) -> Outcome:
    plan = session.planning.plan().value
    key = find_task(plan, name)
    with opened_run(session) as run:
        now = run.standing(key).stage
        if now in is_done:
            return _outcome(run, key, f"{key} is {word} already", Exit.DONE)
        if now not in begins:
            raise UserError(
                f"{key} can't be {word} yet: {now.words}",
                hint=session.command("next-wave") + " comes first",
                code="too-early",
            )
        run.only = (key, frozenset(verbs))
        rounds(run)
        standing = run.standing(key)
        if standing.stage in is_done:
            return _outcome(run, key, f"{key} {word}", Exit.DONE)
        if key in run.trouble or key in run.in_the_way:
            text, remedy = run.trouble.get(key) or run.in_the_way[key]
            return _outcome(run, key, f"{key} isn't {word}: {text}", Exit.WAITING, remedy)
        if awaits_judgement(run.settings, standing) and standing.stage is Stage.VERIFIED:
            waits = f"{key} isn't {word}: its change waits for approval"
            return _outcome(run, key, waits, Exit.WAITING, f"orch gate {key}")
        if standing.is_in_flight:
            return _outcome(run, key, f"{key} isn't {word}: its worker hasn't ended its turn", Exit.WAITING)
        return _outcome(run, key, f"{key} isn't {word}: {standing.cause or standing.stage.words}", Exit.FAILED)


def _outcome(run: Run, key: TaskKey, text: str, code: Exit, remedy: str = "") -> Outcome:
    now = run.standing(key)
    stage = now.stage
    then = "gate" if awaits_judgement(run.settings, now) else "land"
    following = {Stage.VERIFIED: f"{then} {key}"}.get(stage, "next-wave")
    first, command = told(run.session, remedy)
    return Outcome(
        outcome={Exit.DONE: "done", Exit.WAITING: "waiting"}.get(code, "failed"),
        exit_code=code,
        next=command or run.session.command(following),
        first=first,
        lines=(f"{text} as {now.landing[:7]}" if now.landing and code is Exit.DONE else text,),
        data={"task": str(key), "stage": str(stage), "commit": now.landing or None},
    )
