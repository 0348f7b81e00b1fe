"""What the files say of a turn's end besides its work: outcome, model, tokens and price; and an end that was weather.

Quota, a broken service and a lost session are nobody's fault: the turn is due again and no attempt is counted.
"""

from __future__ import annotations

from orchestrator.drivers.agent import is_same_model
from orchestrator.drivers.base import TurnResult
from orchestrator.engine.failing import one_line
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.engine.session import utc
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import pause_after
from orchestrator.model.log import LogEntry
from orchestrator.model.stage import Standing
from orchestrator.model.status import Status

UNKNOWN = "unknown"
_COUNTS = {"in": "input", "out": "output"}


def ended_entry(run: Run, key: TaskKey, turn: str, result: TurnResult, **values: str) -> LogEntry:
    """The log's line for the end of a turn. A model that isn't the one asked for is told as a degradation too."""
    wanted, used = run.worker(key).model, result.model
    differs = bool(used) and not is_same_model(wanted, used)
    if differs:
        run.degrade(f"{key}: the model {wanted} was asked for, the service used {used}")
    words = {"turn": turn, "outcome": result.outcome, **values, "model": used if differs else ""}
    usage = result.usage
    if usage or _is_priced(run, key):
        words["usd"] = f"{usage['usd']:.4f}" if "usd" in usage else UNKNOWN
    words |= {name: f"{usage[name]:.0f}" for name in _COUNTS if name in usage}
    return run.recorder.entry("ended", **words)


def end_facts(run: Run, key: TaskKey, result: TurnResult) -> dict[str, Value]:
    """What the end of a turn changes in the front matter: the session to go on with, and the cost so far."""
    facts: dict[str, Value] = {}
    task = run.task(key)
    if result.session != task.session:
        facts["session"] = result.session
    usage = result.usage
    if usage or _is_priced(run, key):
        cost: dict[str, Value] = dict(task.cost)
        for name, written in _COUNTS.items():
            cost[written] = f"{_number(task.cost.get(written)) + usage.get(name, 0.0):.0f}"
        is_known = "usd" in usage and task.cost.get("usd") != UNKNOWN
        # A sum with a hole in it would be taken for the whole.
        cost["usd"] = f"{_number(task.cost.get('usd')) + usage['usd']:.4f}" if is_known else UNKNOWN
        facts["cost"] = cost
    return facts


def _is_priced(run: Run, key: TaskKey) -> bool:
    """Whether turns of this task have told a price or tokens before: then one that tells nothing is told as unknown."""
    return bool(run.task(key).cost)


def _number(word: str | None) -> float:
    try:
        return float(word or "0")
    except ValueError:
        return 0.0


def weather(run: Run, key: TaskKey, now: Standing, result: TurnResult, change: DocumentChange) -> bool:
    """Record an end that was nobody's fault, and that the turn is due again. False if it counts as a death instead."""
    seconds = pause_after(result.outcome, told=result.pause, storms=now.storms)
    if seconds is None:
        return False
    until = utc(run.session.clock() + seconds) if seconds else ""
    lines = result.message.strip().split("\n")
    why = one_line(f"{result.outcome}: {lines[0]}" if lines[0] else result.outcome, 200)
    entry = ended_entry(run, key, now.turn, result, next=now.turn, why=why, until=until)
    facts = {**end_facts(run, key, result), "until": until}
    status = Status.PLANNING if now.turn == "plan" else Status.RUNNING
    run.recorder.move(key, status, entry, facts=facts, change=change)
    if until:
        run.resting.add(run.worker(key).driver)
    run.say(f"{key}: {why}; " + (f"goes on after {until}" if until else "begins a new session"))
    return True
