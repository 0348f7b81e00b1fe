"""Starting a worker's turn: announced in the files first, then spawned; an announced one can be spawned again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.drivers.base import Turn, TurnOrder
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.confining import confine_worker
from orchestrator.engine.copies import copy_path, write_copy
from orchestrator.engine.hosted import hand_out
from orchestrator.engine.prepare import Ready, prepare_again, prepare_fresh, with_usable_git
from orchestrator.engine.programs import require_program
from orchestrator.engine.prompting import turn_text
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.engine.turn_bounds import cap_words, told_cap
from orchestrator.engine.worker_sessions import is_resumed, memory_for, spent
from orchestrator.errors import ToolError
from orchestrator.folders import names_in
from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.scope import claims
from orchestrator.model.settings import MANUAL, Bounds, Worker
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.model.status import Status
from orchestrator.process.looking import recorded
from orchestrator.process.running import Alive, end, look, start
from orchestrator.prompts.context import Paths
from orchestrator.store.places import workspace_dir
from orchestrator.store.text_files import replace_text

_DUE: Mapping[Turn, tuple[Stage, ...]] = {
    "plan": (Stage.FRESH, Stage.SENT_BACK),
    "execute": (Stage.APPROVED,),
    "retry": (Stage.RETRY_DUE,),
    "takeover": (Stage.APPROVED,),
}
"""Where a task stands when a turn of that kind is due."""


class OvertakenError(Exception):
    """A person has answered differently while the turn was being prepared: it isn't started."""


def start_turn(run: Run, key: TaskKey, turn: Turn, most: Bounds) -> None:
    """Prepare, announce and spawn a turn that may use so much at most. Returns without having started it while a setup
    is running."""
    end_strays(run, key)
    now = run.standing(key)
    if now.stage not in _DUE[turn] or run.worker(key).driver in run.resting:
        # Sent back or parked, or its account was used up, since this round's decision.
        return
    require_program(run, run.worker(key))
    if turn == "execute" and now.is_taken_over:
        turn = "takeover"
    fresh = now.stage is Stage.FRESH
    # A new plan after work was done, for a wider scope say: that work is kept, and the tree begins clean.
    before = now.reviewed if now.turn == "review" else now.turn
    begins_clean = fresh or (turn == "plan" and before not in ("", "plan"))
    ready = prepare_fresh(run, key) if begins_clean else prepare_again(run, key)
    if ready is None:
        run.say(f"{key}: setting up its workspace")
        return
    if turn == "retry":
        ready = with_usable_git(run, key, ready)
    task = run.task(key)
    spec = run.spec(key)
    worker = run.worker(key)
    facts: dict[str, Value] = {
        "tier": worker.tier,
        "driver": worker.driver,
        "marker": run.session.random_name(32),
        "pid": "",
        "started": "",
    }
    if turn == "plan":
        facts["spec"] = spec.hash
    if turn == "plan" or not task.base:
        facts |= {"base": ready.base, "branch": ready.workspace.branch or ""}
    status = Status.PLANNING if turn == "plan" else Status.RUNNING
    number = now.turns + 1
    memory = memory_for(run, key, turn, worker, is_clean=begins_clean)
    entry = run.recorder.entry(
        "started",
        turn=turn,
        number=number,
        tier=worker.tier,
        driver=worker.driver,
        session=memory.word,
        **cap_words(most),
    )
    if (task.session, task.until) != (memory.session, ""):
        facts |= {"session": memory.session, "until": ""}
    if worker.model:
        facts["model"] = worker.model
    write_copy(run, key, is_fresh=fresh)

    try:
        run.recorder.move(
            key,
            status,
            entry,
            facts=facts,
            change=unless_overtaken(key, now.stage),
            between=lambda: spawn(run, key, turn, number, ready, worker),
        )
    except OvertakenError:
        return
    again = " again" if task.log and turn == "plan" and number > 1 else ""
    run.say(f"{key}: {turn} turn started{again}")


def unless_overtaken(key: TaskKey, stage: Stage) -> DocumentChange:
    """Changes nothing of a todo file; raises OvertakenError where its task stands elsewhere than at `stage` by now."""

    def change(document: Document) -> Document:
        if standing(read_task_file(document, key).value.log).stage is not stage:
            raise OvertakenError
        return document

    return change


def end_strays(run: Run, key: TaskKey) -> None:
    """End workers of the task that the log doesn't know: never a second one where the first isn't proven gone."""
    folder = run.layout.turn_dir(key, 0, "plan").parent
    for place in (folder / name for name in names_in(folder)):
        marker = recorded(str(place / "order"), b"marker")
        if marker and isinstance(look(place, marker), Alive):
            run.say(f"{key}: ending a worker that its todo file doesn't know")
            if not end(place, marker):
                raise ToolError(
                    f"a worker of {key} is still at work and can't be ended",
                    hint=f"look for processes in {workspace_dir(run.layout, key)}",
                    code="stray-worker",
                )


def respawn(run: Run, key: TaskKey) -> None:
    """Spawn the turn that the log announces and that never came to be."""
    require_program(run, run.worker(key))
    now = run.standing(key)
    ready = prepare_again(run, key)
    if ready is None:
        return
    write_copy(run, key, is_fresh=now.turn == "plan" and not run.task(key).micro_plan.steps)
    facts = spawn(run, key, kind(now.turn), now.turns, ready, run.worker(key))
    run.recorder.note(key, facts=facts)
    run.say(f"{key}: {now.turn} turn started")


def kind(turn: str) -> Turn:
    """The turn that a word of the log means. Raises ValueError for another word."""
    match turn:
        case "plan" | "execute" | "retry" | "takeover" | "review":
            return turn
        case _:
            raise ValueError(f"no turn is called {turn!r}")


def attempt_of(run: Run, key: TaskKey, turn: Turn) -> int:
    """The running number of the last turn among the task's own, or among its reviews: one doesn't move the other.

    A turn whose worker was killed and that is begun again keeps its number.
    """
    count = 0
    for entry in run.task(key).log:
        if (entry.get("turn") == "review") != (turn == "review"):
            continue
        if entry.event == "started":
            count += 1
        elif entry.event == "ended" and entry.get("outcome") == "killed":
            count -= 1
    return max(1, count)


def turn_folder(run: Run, key: TaskKey, now: Standing) -> Path:
    """The folder of the last started turn."""
    return run.layout.turn_dir(key, now.turns, now.turn)


def order_for(run: Run, key: TaskKey, turn: Turn, number: int, worker: Worker, *, is_sent: bool = False) -> TurnOrder:
    """What the driver is asked for. The prompt is the whole text of the turn; of one that `is_sent` what was written
    down then, and nothing where that is gone."""
    layout = run.layout
    folder = layout.turn_dir(key, number, turn)
    paths = Paths(
        todo=str(copy_path(run, key)), worktree=str(workspace_dir(layout, key)), prompt=str(folder / "prompt.md")
    )
    task = run.task(key)
    goes_on = is_resumed(task.log)
    prompt = _sent(paths.prompt) if is_sent else turn_text(run, key, turn, run.standing(key), paths, in_session=goes_on)
    prompt = prompt if is_sent else run.mask(prompt)
    return TurnOrder(
        key=str(key),
        title=run.spec(key).title,
        turn=turn,
        attempt=attempt_of(run, key, turn),
        prompt=prompt,
        prompt_path=paths.prompt,
        worktree=paths.worktree,
        todo_path=paths.todo,
        repo=str(layout.root),
        session=task.session,
        is_resumed=goes_on,
        spent=spent(task.log) if goes_on else {},
        scope=tuple(one.pattern for one in (*claims(run.spec(key)), *run.spec(key).scratch)),
        model=worker.model,
        usd_left=told_cap(task.log, worker),
        marker=task.marker,
        worker=worker,
        environ=run.session.environ,
    )


def _sent(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def spawn(run: Run, key: TaskKey, turn: Turn, number: int, ready: Ready, worker: Worker) -> Mapping[str, Value]:
    """Start the worker's process. Returns the facts that find it again: pid and start time."""
    order = order_for(run, key, turn, number, worker)
    folder = run.layout.turn_dir(key, number, turn)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if worker.driver == MANUAL:
        hand_out(run, key, folder, order.prompt)
        return {}
    replace_text(Path(order.prompt_path), order.prompt)
    invocation = find_driver(worker.driver).invocation(order)
    start(confine_worker(run, worker, invocation, Path(order.worktree)), folder, order.marker)
    seen = look(folder, order.marker)
    if isinstance(seen, Alive):
        return {"pid": str(seen.pid), "started": run.session.now()}
    return {}
