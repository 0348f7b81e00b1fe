"""Orders for turns in a temporary worktree, and a way to carry them out."""

from __future__ import annotations

import os
import uuid
from dataclasses import replace
from pathlib import Path

from orchestrator.drivers.base import Driver, TurnOrder, TurnResult
from orchestrator.model.settings import Worker
from orchestrator.process.running import run


def new_order(folder: Path, worker: Worker, **changes: object) -> TurnOrder:
    worktree = folder / "worktree"
    todo = worktree / "planning/tasks/5.1.2.todo.md"
    todo.parent.mkdir(parents=True, exist_ok=True)
    marker = uuid.uuid4().hex
    prompt = folder / f"turn-{marker}" / "prompt.md"
    prompt.parent.mkdir()
    prompt.write_text("do it")
    order = TurnOrder(
        key="5.1.2",
        title="Parse it",
        turn="plan",
        prompt="do it",
        prompt_path=str(prompt),
        worktree=str(worktree),
        todo_path=str(todo),
        repo=str(folder),
        marker=marker,
        worker=worker,
        environ=dict(os.environ),
    )
    return replace(order, **changes)  # type: ignore[arg-type]


def take(driver: Driver, order: TurnOrder) -> TurnResult:
    """The whole turn: its process from start to end, and the result."""
    ended = run(driver.invocation(order), Path(order.folder), order.marker)
    return driver.result(order, ended)
