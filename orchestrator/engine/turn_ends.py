"""What the files say of a turn's end besides its work: outcome, model, tokens and price; and an end that was weather.

Quota, a broken service, a lost session and a budget that is used up are nobody's fault: the turn is due again and no
attempt is counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from orchestrator.drivers.agent import is_same_model
from orchestrator.drivers.base import TurnOrder, TurnResult, reason_in, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.failing import one_line
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.engine.session import utc
from orchestrator.engine.turn_bounds import cap_in
from orchestrator.markdown.values import Value
from orchestrator.model.costs import (
    AT_LEAST,
    ENDS,
    NEVER_RAN,
    PARTIAL,
    TOOK,
    UNKNOWN,
    number_in,
    seconds_of,
    with_price,
)
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import pause_after
from orchestrator.model.log import LogEntry
from orchestrator.model.money import usd_text
from orchestrator.model.service import DUE
from orchestrator.model.settings import Worker
from orchestrator.model.stage import Standing
from orchestrator.model.status import Status
from orchestrator.nouns import replace
from orchestrator.process.looking import Ended, look, recorded

NOTICED = 60.0
"""Seconds by which a turn's time at work must differ from what the log's lines tell to be told by itself."""
_COUNTS = {"in": "input", "out": "output"}
"""Tokens, by their names in the log and in the front matter."""


def result_of(run: Run, order: TurnOrder, ended: Ended) -> TurnResult:
    """What a turn came to by its driver, its words without secrets: they are written down."""
    found = find_driver(order.worker.driver).result(order, ended)
    usage = with_price(found.usage, order.worker.price)
    return replace(found, usage=usage, text=run.mask(found.text), message=run.mask(found.message))


def result_of_gone(run: Run, order: TurnOrder, folder: Path, why: str = "") -> TurnResult:
    """The same for a turn that is gone without an end: what it had said by then still tells its session and usage."""
    return result_of(run, order, Ended(None, None, "killed", 0.0, 0.0, folder / "stdout", folder / "stderr", why))


def ended_entry(run: Run, key: TaskKey, turn: str, result: TurnResult, **values: str) -> LogEntry:
    """The log's line for the end of a turn."""
    told = result_words(run, key, run.worker(key), result)
    words = {"turn": turn, "outcome": result.outcome, **values, **told, **took_words(run, key)}
    return run.recorder.entry("ended", **words)


def took_words(run: Run, key: TaskKey) -> dict[str, str]:
    """How long the turn in flight was at work, where the log's own times would tell something else: nobody may have
    been there to take in its end, and clocks are set."""
    now = run.standing(key)
    folder, marker = run.layout.turn_dir(key, now.turns, now.turn), run.task(key).marker
    seen = look(folder, marker) if recorded(str(folder / "order"), b"marker") == marker else None
    if not isinstance(seen, Ended):
        return {}
    took = seen.ended - seen.started
    begun = next(entry.time for entry in reversed(run.task(key).log) if entry.event == "started")
    is_told = abs(seconds_of(run.session.now()) - seconds_of(begun) - took) < NOTICED
    return {} if is_told else {TOOK: f"{took:.0f}"}


def result_words(run: Run, key: TaskKey, worker: Worker, result: TurnResult) -> dict[str, str]:
    """What the log says of a result besides its outcome: model, price, tokens. A model that isn't the one asked for is
    told as a degradation too."""
    words: dict[str, str] = {}
    if not is_same_model(worker.model, result.model):
        words["model"] = result.model
        run.degrade(f"{key}: the model {worker.model} was asked for, the service used {result.model}")
    usage = result.usage
    if not usage and not _should_tell(run, key, worker, result):
        return words
    words["usd"] = f"{usage['usd']:.4f}" if "usd" in usage else UNKNOWN
    words |= {name: f"{usage[name]:.0f}" if name in usage else UNKNOWN for name in _COUNTS}
    if usage.get("cached"):
        words["cached"] = f"{usage['cached']:.0f}"
    if result.is_partial:
        words[PARTIAL] = "yes"
    return words


def _should_tell(run: Run, key: TaskKey, worker: Worker, result: TurnResult) -> bool:
    """Whether silence about usage hides something: the program is one that tells it, or a turn before did."""
    if result.outcome == NEVER_RAN:
        return False
    return bool(run.task(key).cost) or bool(traits_of(find_driver(worker.driver)).program)


def end_facts(run: Run, key: TaskKey, result: TurnResult, entry: LogEntry) -> dict[str, Value]:
    """What the end of a turn, with this line of the log, changes in the front matter: session and cost so far."""
    task = run.task(key)
    facts = cost_facts((*task.log, entry))
    if result.session != task.session:
        facts["session"] = result.session
    return facts


def cost_facts(log: Iterable[LogEntry]) -> dict[str, Value]:
    """The cost so far by the lines of the log; nothing where none tells any."""
    ends = [entry for entry in log if entry.event in ENDS and entry.get("outcome") != NEVER_RAN]
    if not any(entry.get("usd") for entry in ends):
        return {}
    is_cut = any(entry.get(PARTIAL) for entry in ends)
    cost: dict[str, Value] = {}
    for name, written, form in (*((name, to, "{:.0f}") for name, to in _COUNTS.items()), ("usd", "usd", "{:.4f}")):
        told = [number_in(entry.get(name)) for entry in ends]
        known = [number for number in told if number is not None]
        # A sum with a hole in it would be taken for the whole.
        least = AT_LEAST if is_cut or len(known) < len(told) else ""
        cost[written] = least + form.format(sum(known)) if known else UNKNOWN
    return {"cost": cost}


def doubt(driver: str, outcome: str) -> str:
    """What the log says of an end besides, where its service failed and can be asked whether it works again."""
    return DUE if outcome in ("quota", "api-error") and traits_of(find_driver(driver)).has_probe else ""


def why_ended(result: TurnResult) -> str:
    """The outcome and what tells most of its reason."""
    reason = reason_in(result.message)
    return one_line(f"{result.outcome}: {reason}" if reason else result.outcome, 200)


def as_cut(now: Standing, result: TurnResult) -> TurnResult:
    """The result of a turn that orch may have set out to end: what didn't finish all the same met its limit."""
    return replace(result, outcome="limit", message=now.cut) if now.cut and result.outcome != "finished" else result


def why_capped(run: Run, key: TaskKey, now: Standing, result: TurnResult) -> str:
    """Why the budget ended a turn, so that it is due again and nobody to blame; empty for every other end."""
    if result.outcome != "limit":
        return ""
    cap = cap_in(run.task(key).log).usd
    if not now.cut and cap is not None and result.usage.get("usd", 0.0) >= cap:
        return f"the budget left it {usd_text(cap)}, which it has used"
    return now.cut


def weather(run: Run, key: TaskKey, now: Standing, result: TurnResult, change: DocumentChange) -> bool:
    """Record an end that was nobody's fault, and that the turn is due again. False if it counts as a death instead."""
    seconds = pause_after(result.outcome, told=result.pause, storms=now.storms)
    capped = why_capped(run, key, now, result)
    if seconds is None and not capped:
        return False
    until = utc(run.session.clock() + seconds) if seconds else ""
    why = capped or why_ended(result)
    then = doubt(run.worker(key).driver, result.outcome)
    entry = ended_entry(run, key, now.turn, result, next=now.turn, why=why, until=until, then=then)
    facts = {**end_facts(run, key, result, entry), "until": until}
    status = Status.PLANNING if now.turn == "plan" else Status.RUNNING
    run.recorder.move(key, status, entry, facts=facts, change=change)
    if until:
        run.resting.add(run.worker(key).driver)
    follows = f"goes on after {until}" if until else "it is due again" if capped else "begins a new session"
    run.say(f"{key}: {why}; {follows}")
    return True
