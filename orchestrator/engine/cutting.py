"""Ending a turn at work before its worker does, because it has used what a limit leaves it.

What is done with a turn that ended like that is its collection's matter, as of any other. Must not decide when.
"""

from __future__ import annotations

from orchestrator.engine.run import Run
from orchestrator.engine.turns import OvertakenError, turn_folder, unless_overtaken
from orchestrator.errors import ToolError
from orchestrator.model.ids import TaskKey
from orchestrator.process.running import end
from orchestrator.store.places import workspace_dir


def cut_turn(run: Run, key: TaskKey, why: str) -> None:
    """End the worker of a task, gently first. It is written down before, so that whoever takes its turn in knows whose
    doing it was. Raises ToolError where its processes can't be ended."""
    now = run.standing(key)
    if not now.cut:
        entry = run.recorder.entry("cut", turn=now.turn, why=why)
        try:
            run.recorder.note(key, entry, change=unless_overtaken(key, now.stage))
        except OvertakenError:
            return
        run.say(f"{key}: its {now.turn} turn is being ended: {why}")
    if not end(turn_folder(run, key, now), run.task(key).marker):
        raise ToolError(
            f"the worker of {key} is to be ended and can't be: {why}",
            hint=f"look for processes in {workspace_dir(run.layout, key)}",
            code="stray-worker",
        )
