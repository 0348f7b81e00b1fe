"""What the files say of a turn's end besides its work: outcome, model, tokens and price; and an end that was weather.

Quota, a broken service and a lost session are nobody's fault: the turn is due again and no attempt is counted.
"""

from __future__ import annotations

from collections.abc import Iterable

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
from orchestrator.model.settings import Worker
from orchestrator.model.stage import Standing
from orchestrator.model.status import Status

UNKNOWN = "unknown"
_COUNTS = {"in": "input", "out": "output"}


def ended_entry(run: Run, key: TaskKey, turn: str, result: TurnResult, **values: str) -> LogEntry:
    """The log's line for the end of a turn."""
    words = {"turn": turn, "outcome": result.outcome, **values, **result_words(run, key, run.worker(key), result)}
    return run.recorder.entry("ended", **words)


def result_words(run: Run, key: TaskKey, worker: Worker, result: TurnResult) -> dict[str, str]:
    """What the log says of a result besides its outcome: model, price, tokens. A model that isn't the one asked for is
    told as a degradation too."""
    words: dict[str, str] = {}
    if not is_same_model(worker.model, result.model):
        words["model"] = result.model
        run.degrade(f"{key}: the model {worker.model} was asked for, the service used {result.model}")
    usage = result.usage
    # A turn that tells nothing after turns that did: that isn't nothing.
    if usage or run.task(key).cost:
        words["usd"] = f"{usage['usd']:.4f}" if "usd" in usage else UNKNOWN
    return words | {name: f"{usage[name]:.0f}" for name in _COUNTS if name in usage}


def end_facts(run: Run, key: TaskKey, result: TurnResult, entry: LogEntry) -> dict[str, Value]:
    """What the end of a turn, with this line of the log, changes in the front matter: session and cost so far."""
    task = run.task(key)
    facts = cost_facts((*task.log, entry))
    if result.session != task.session:
        facts["session"] = result.session
    return facts


def cost_facts(log: Iterable[LogEntry]) -> dict[str, Value]:
    """The cost so far by the lines of the log; nothing where none tells any."""
    ends = [entry for entry in log if entry.event == "ended" and entry.get("usd")]
    if not ends:
        return {}
    cost: dict[str, Value] = {
        written: f"{sum(_number(entry.get(name)) for entry in ends):.0f}" for name, written in _COUNTS.items()
    }
    # A sum with a hole in it would be taken for the whole.
    is_known = all(entry.get("usd") != UNKNOWN for entry in ends)
    cost["usd"] = f"{sum(_number(entry.get('usd')) for entry in ends):.4f}" if is_known else UNKNOWN
    return {"cost": cost}


def _number(word: str) -> float:
    try:
        return float(word or "0")
    except ValueError:
        return 0.0


def why_ended(result: TurnResult) -> str:
    """The outcome and the first line of its reason."""
    first = result.message.strip().split("\n")[0]
    return one_line(f"{result.outcome}: {first}" if first else result.outcome, 200)


def weather(run: Run, key: TaskKey, now: Standing, result: TurnResult, change: DocumentChange) -> bool:
    """Record an end that was nobody's fault, and that the turn is due again. False if it counts as a death instead."""
    seconds = pause_after(result.outcome, told=result.pause, storms=now.storms)
    if seconds is None:
        return False
    until = utc(run.session.clock() + seconds) if seconds else ""
    why = why_ended(result)
    entry = ended_entry(run, key, now.turn, result, next=now.turn, why=why, until=until)
    facts = {**end_facts(run, key, result, entry), "until": until}
    status = Status.PLANNING if now.turn == "plan" else Status.RUNNING
    run.recorder.move(key, status, entry, facts=facts, change=change)
    if until:
        run.resting.add(run.worker(key).driver)
    run.say(f"{key}: {why}; " + (f"goes on after {until}" if until else "begins a new session"))
    return True
