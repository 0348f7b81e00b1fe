"""The question to a service that failed: one small turn before the next true one, bounded, and once for an account.

It is announced in the log of the task that waits for it, then spawned, and its answer is written down with what it
cost: like a turn it outlives an orch that is killed, and is taken in once. What follows is model/service.py's.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.drivers.base import TurnOrder, TurnResult, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.confining import confine_worker
from orchestrator.engine.programs import require_program
from orchestrator.engine.run import Run
from orchestrator.engine.session import utc
from orchestrator.engine.turn_ends import cost_facts, result_of, result_of_gone, result_words, why_ended
from orchestrator.markdown.values import Value
from orchestrator.model.costs import PROBE
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import pause_after_probe
from orchestrator.model.service import VOID, Probe
from orchestrator.model.settings import REVIEW, Worker
from orchestrator.model.stage import Stage, Standing
from orchestrator.nouns import replace
from orchestrator.process.running import Ended, end, look, start
from orchestrator.store.layout import Layout
from orchestrator.store.text_files import replace_text
from orchestrator.vcs.empty import empty_repository

QUESTION = "Answer with the one word OK."
LIMIT = 60.0
"""Seconds after which a service that gives no answer counts as one that fails."""


def ask_service(run: Run, key: TaskKey) -> None:
    """Announce and spawn the question to the account of a task's worker, or of its reviewer. One that is announced
    already is spawned."""
    now = run.standing(key)
    if now.service.probe is None:
        worker = run.reviewer() if now.stage in (Stage.AT_GATE, Stage.VERIFIED) else run.worker(key)
        if worker.driver in run.resting:
            # Found out of use since this round's decision.
            return
        require_program(run, worker)
        marker = run.session.random_name(32)
        words = {"driver": worker.driver, "tier": worker.tier, "model": worker.model, "marker": marker}
        run.recorder.note(key, run.recorder.entry("probing", **words))
        now = run.standing(key)
    probe = now.service.probe
    asked = _worker(run, probe) if probe else None
    if probe is None or asked is None:
        return take_answer(run, key)
    order = _order(run, key, now, probe, asked)
    replace_text(Path(order.prompt_path), order.prompt)
    empty_repository(Path(order.worktree))
    invocation = confine_worker(run, asked, find_driver(asked.driver).invocation(order), Path(order.worktree))
    start(invocation, probe_folder(run.layout, key, now), probe.marker)
    run.say(f"{key}: {asked.driver} is asked whether it works")


def take_answer(run: Run, key: TaskKey) -> None:
    """Write down what came of the question: the account works, or rests for longer."""
    now = run.standing(key)
    probe = now.service.probe
    if probe is None:
        return
    worker = _worker(run, probe)
    if worker is None:
        # Its settings were changed meanwhile: another one may be asked.
        end(probe_folder(run.layout, key, now), probe.marker)
        run.recorder.note(key, run.recorder.entry("probed", driver=probe.driver, outcome=VOID))
        return
    result = _result(run, key, now, probe, worker)
    seconds = pause_after_probe(result.outcome, told=result.pause, before=now.storms + now.service.in_vain)
    until = utc(run.session.clock() + seconds) if seconds else ""
    why = why_ended(result) if until else ""
    words = {"outcome": result.outcome, "until": until, "why": why, **result_words(run, key, worker, result)}
    entry = run.recorder.entry("probed", driver=probe.driver, **words)
    facts: dict[str, Value] = {**cost_facts((*run.task(key).log, entry))}
    run.recorder.note(key, entry, facts={**facts, "until": until} if until else facts)
    if until:
        run.resting.add(probe.driver)
        run.say(f"{key}: {probe.driver} doesn't work yet: {why}; goes on after {until}")
    else:
        run.say(f"{key}: {probe.driver} answers")


def probe_folder(layout: Layout, key: TaskKey, now: Standing) -> Path:
    """The folder of the last question that was put at a task."""
    return layout.turn_dir(key, now.turns, PROBE)


def _worker(run: Run, probe: Probe) -> Worker | None:
    """The worker that is asked; None where the settings have it no more."""
    worker = run.settings.reviewer if probe.tier == REVIEW else run.settings.worker_for(probe.tier)
    return worker if worker is not None and worker.driver == probe.driver else None


def _order(run: Run, key: TaskKey, now: Standing, probe: Probe, worker: Worker) -> TurnOrder:
    """A turn that reads nothing and writes nothing, in a repository without anything in it, in no session of a task."""
    place = run.layout.run / PROBE / worker.driver
    is_chosen = traits_of(find_driver(worker.driver)).sessions == "chosen"
    return TurnOrder(
        key=str(key),
        title="",
        turn="probe",
        prompt=QUESTION,
        prompt_path=str(probe_folder(run.layout, key, now) / "prompt.md"),
        worktree=str(place),
        todo_path=str(place / "answer.md"),
        repo=str(run.layout.root),
        marker=probe.marker,
        worker=replace(worker, timeout=min(LIMIT, worker.timeout), stall=0.0),
        environ=run.session.environ,
        session=run.session.random_uuid() if is_chosen else "",
        model=worker.model,
    )


def _result(run: Run, key: TaskKey, now: Standing, probe: Probe, worker: Worker) -> TurnResult:
    folder = probe_folder(run.layout, key, now)
    order = _order(run, key, now, probe, worker)
    seen = look(folder, probe.marker)
    if not isinstance(seen, Ended):
        why = "its process is gone without an exit code"
        return replace(result_of_gone(run, order, folder, why), outcome="killed", message=why)
    result = result_of(run, order, seen)
    # A limit that the program itself met, of money or answers, was met by an answer.
    return replace(result, outcome="finished") if result.outcome == "limit" and seen.reason == "exit" else result
