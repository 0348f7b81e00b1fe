"""The guard as a hook, for programs that run a command of theirs before each use of a tool.

Knows what a turn may do; where a program is told of the hook is its driver's matter.
"""

from __future__ import annotations

import sys

from orchestrator.drivers.agent import may_write
from orchestrator.drivers.base import TurnOrder
from orchestrator.drivers.guard import guard_command


def guard_hook(order: TurnOrder, *, home: str = "") -> dict[str, object]:
    """The hook of one turn. home: the folder of the program's own files, which it may write."""
    command = guard_command(
        sys.executable,
        worktree=order.worktree,
        todo=order.todo_path,
        scope=order.scope,
        may_write=may_write(order),
        home=home,
    )
    return {"type": "command", "command": command, "timeout": 20}
