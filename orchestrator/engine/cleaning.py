"""`orch clean`: away with workspaces that nobody needs any more; what holds work of its own is kept and named.

Prompts and outputs of turns stay: they are what a person looks at afterwards.
"""

from __future__ import annotations

from orchestrator.engine.confining import SCRATCH
from orchestrator.engine.landing import give_back, let_go
from orchestrator.engine.leftovers import sweep_run_folder
from orchestrator.engine.limits import limits_for
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.places import discard_idle, has_folder, idle_places
from orchestrator.engine.prepare import find_ready
from orchestrator.engine.recorder import Recorder
from orchestrator.engine.run import Run
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.engine.work import changes_of
from orchestrator.folders import names_in
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.waves import pick
from orchestrator.store.locks import run_lock
from orchestrator.store.places import workspace_dir
from orchestrator.store.receipts import clear_receipts
from orchestrator.vcs.removing import remove_tree
from orchestrator.views.folding import counted

OWN = ("verify", "landing", "landings", "review", SCRATCH)
"""Folders of orch's own workspaces, and of what went on in any, which are made again when they are needed."""


def clean(session: Session) -> Outcome:
    """Remove the workspaces of tasks that have landed or were skipped, and orch's own once every wave is done.

    Exit 0, also where something is kept. Raises LockedError while next-wave is at work.
    """
    refuse_worker(session, "clean")
    with run_lock(session.layout.common_dir, f"orch clean, orchestration {session.number}"):
        orchestration = session.planning.orchestration
        limits = limits_for(orchestration, auto=False, jobs=None, wave=None, until="")
        recorder = Recorder(session.planning, orchestration.plan, session.now)
        run = Run(session, orchestration, limits, recorder)
        session.planning.sweep()
        clear_receipts(session.layout.receipts_dir())
        sweep_run_folder(run)
        idle = idle_places(run.layout)
        gone, kept = _give_back(run) if orchestration.state.exists else ([], [])
        if idle:
            gone.append(f"{counted(len(idle), 'workspace')} that no task has")
        discard_idle(run)
        if pick(orchestration).is_finished:
            for name in OWN:
                folder = run.layout.run / name
                if folder.is_dir():
                    remove_tree(folder)
                    gone.append(f"orch's own in {folder}")
    lines = [f"removed: {', '.join(gone)}"] if gone else ["nothing to clear away"]
    return Outcome(
        outcome="done",
        next=session.command("status"),
        lines=(*lines, *(f"kept: {line}" for line in kept)),
        data={"orchestration": session.number, "removed": gone, "kept": kept},
    )


def _give_back(run: Run) -> tuple[list[str], list[str]]:
    """What was removed, and what was kept with the reason."""
    gone: list[str] = []
    kept: list[str] = []
    work = run.layout.run / "work"
    keys = map(parse_key, names_in(work))
    for key in keys:
        if key is None or not has_folder(run.layout, key):
            continue
        why = _needed(run, key)
        before = len(run.degraded)
        if not why:
            _remove(run, key)
            why = "; ".join(text.removeprefix(f"{key}: ") for text in run.degraded[before:])
        if has_folder(run.layout, key):
            kept.append(f"{key}: {why or _left(run, key)}")
        else:
            gone.append(str(key))
    return gone, kept


def _remove(run: Run, key: TaskKey) -> None:
    """Remove a workspace unless that would lose something; one in which nothing but the todo copy was written can't."""
    ready = find_ready(run, key)
    if ready is None or run.settings.worktree.keep or changes_of(run, key, ready):
        give_back(run, key)
    else:
        let_go(run, key)


def _needed(run: Run, key: TaskKey) -> str:
    """Why a workspace is still needed; empty where it isn't."""
    if key not in run.plan.in_waves():
        return "the plan has no such task"
    now = run.standing(key)
    return "" if now.is_over else now.stage.words


def _left(run: Run, key: TaskKey) -> str:
    """Why a workspace that nobody needs, and that holds no work, lies there all the same."""
    if run.settings.worktree.keep:
        return "worktree: keep is set"
    return (
        f"{workspace_dir(run.layout, key)} is no workspace of orch's; look at what is there, and take it away yourself"
    )
