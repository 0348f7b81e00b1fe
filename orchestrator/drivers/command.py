"""The command driver: any program as a worker, by a command line in the settings.

    small:
      driver: command
      plan:    [python3, "{{ repo }}/tools/worker.py", plan, "{{ task.key }}"]
      execute: [python3, "{{ repo }}/tools/worker.py", execute, "{{ task.key }}"]

The prompt is on standard input; the program runs in the worktree. It reads no output but the last lines.
"""

from __future__ import annotations

import re

from orchestrator.drivers.base import TurnOrder, TurnResult, key_faults, plain_result, pulse, turn_environment
from orchestrator.errors import UserError
from orchestrator.model.settings import REVIEW, Worker
from orchestrator.nouns import dataclass
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended

SLOTS = ("task.key", "task.title", "paths.prompt", "paths.todo", "paths.worktree", "repo", "model", "session")
_SLOT = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CommandDriver:
    name: str = "command"

    def problems(self, worker: Worker) -> tuple[str, ...]:
        found: list[str] = []
        for turn in ("review",) if worker.tier == REVIEW else ("plan", "execute", "retry"):
            found += _faults(turn, worker.options.get(turn))
        return tuple(found)

    def invocation(self, order: TurnOrder) -> Invocation:
        argv = _argv(order.worker, order.turn)
        if not argv:
            raise UserError(f"the command worker has no {order.turn!r} command", hint=_example(order.turn))
        return Invocation(
            argv=tuple(_filled(item, order) for item in argv),
            stdin=order.prompt,
            env=turn_environment(order),
            cwd=order.worktree,
            timeout=order.worker.timeout,
            # Programs that say nothing until they are done are normal: `stall` is shown, the time limit ends.
            silence=0.0,
            start=order.worker.start or 0.0,
            pulse=pulse(order.worker),
        )

    def result(self, order: TurnOrder, ended: Ended) -> TurnResult:
        return plain_result(order, ended)


def _argv(worker: Worker, turn: str) -> tuple[str, ...]:
    value = worker.options.get(turn)
    if turn in ("retry", "takeover") and not value:
        value = worker.options.get("execute")
    return tuple(str(item) for item in value) if isinstance(value, (list, tuple)) else ()


def _faults(turn: str, value: object) -> list[str]:
    if value in (None, "", [], ()):
        return [] if turn == "retry" else [f"`{turn}` is missing: {_example(turn)}"]
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        return [f"`{turn}` isn't a list of words: {_example(turn)}"]
    faults = [] if value[0].strip() else [f"`{turn}` begins with an empty word: {_example(turn)}"]
    faults += key_faults(turn, value)
    for item in value:
        for slot in _SLOT.findall(item):
            if slot.strip() not in SLOTS:
                faults.append(f"`{turn}` holds the unknown slot `{{{{{slot}}}}}`: {_suggestion(slot.strip())}")
    return faults


def _example(turn: str) -> str:
    return f'write `{turn}: [program, argument, "{{{{ task.key }}}}"]`'


def _suggestion(slot: str) -> str:
    words = set(slot.casefold().split("."))
    near = max(SLOTS, key=lambda known: len(words.intersection(known.split("."))))
    meant = f"did you mean `{near}`? " if words.intersection(near.split(".")) else ""
    return f"{meant}there are {', '.join(SLOTS)}"


def _filled(item: str, order: TurnOrder) -> str:
    values = {
        "task.key": order.key,
        "task.title": order.title,
        "paths.prompt": order.prompt_path,
        "paths.todo": order.todo_path,
        "paths.worktree": order.worktree,
        "repo": order.repo,
        "model": order.model or order.worker.model,
        "session": order.session,
    }
    return _SLOT.sub(lambda match: values.get(match[1].strip(), match[0]), item)


DRIVER = CommandDriver()
