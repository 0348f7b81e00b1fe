"""Running a function in a forked process that is killed with SIGKILL at a numbered effect."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator

import orchestrator.effects as effects


def killed_at(number: int, function: Callable[[], object]) -> bool:
    """Run `function` in a child that dies just before its effect `number`; False if it got to its end instead."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            effects._orders = {"kill": number, "when": "before"}
            effects._count = 0
            function()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0, "the function failed before it could be killed"
    return False


def every_kill(function: Callable[[], Callable[[], object]], limit: int = 200) -> Iterator[int]:
    """For each effect of what `function` returns: make it anew, kill it just before that effect, and yield the
    number. Before the n-th effect everything up to the end of the one before it has happened."""
    for number in range(1, limit):
        if not killed_at(number, function()):
            return
        yield number
    raise AssertionError(f"still not at its end after {limit} effects")
