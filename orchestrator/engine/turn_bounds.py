"""What a turn may use by the budget: kept in its log line, told to its driver, and looked at while it is at work."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.drivers.base import Traits, traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.run import Run
from orchestrator.engine.tallying import reading_of, used_so_far
from orchestrator.model.costs import CAP, CAP_TOKENS, turns_of
from orchestrator.model.facts import Used
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.settings import REVIEW, Bounds, Settings, Worker
from orchestrator.model.stage import Standing


def left_out(settings: Settings) -> tuple[str, ...]:
    """A sentence for each limit in money or tokens that leaves out workers, as their turns don't tell."""
    found: list[str] = []
    bounds = (settings.budget.total, settings.budget.per_task)
    # What is limited already isn't asked for.
    otherwise = "" if _bounds(settings, "time", "tasks") else ": limit time or tasks too"
    uncounted = _drivers(worker for worker in settings.workers if not _traits(worker).tells_tokens)
    if any(one.usd is not None for one in bounds):
        silent = [worker for worker in settings.workers if not _tells_price(worker)]
        counted = _drivers(worker for worker in silent if _traits(worker).tells_tokens)
        if counted:
            way = "" if _bounds(settings, "tokens", "time") else ", or limit tokens or time too"
            found.append(
                f"the budget in usd leaves out {counted}, whose turns tell no price: give its worker a price:{way}"
            )
        if names := _drivers(worker for worker in silent if not _traits(worker).tells_tokens):
            told = "neither price nor tokens"
            found.append(f"the budget in usd leaves out {names}, whose turns tell {told}{otherwise}")
    if any(one.tokens is not None for one in bounds) and uncounted:
        found.append(f"the budget in tokens leaves out {uncounted}, whose turns tell none{otherwise}")
    return tuple(found)


def _bounds(settings: Settings, *keys: str) -> bool:
    """Whether one of these limits is set, for all tasks together."""
    limits = {
        "tokens": settings.budget.total.tokens,
        "time": settings.budget.total.time,
        "tasks": settings.budget.tasks,
    }
    return any(limits[key] is not None for key in keys)


def _tells_price(worker: Worker) -> bool:
    traits = _traits(worker)
    return traits.tells_price or (worker.price is not None and traits.tells_tokens)


def _traits(worker: Worker) -> Traits:
    return traits_of(find_driver(worker.driver))


def _drivers(workers: Iterable[Worker]) -> str:
    return " and ".join(dict.fromkeys(worker.driver for worker in workers))


def cap_words(most: Bounds) -> dict[str, str]:
    """What a turn may use, as the log's `started` holds it."""
    return {
        CAP: "" if most.usd is None else f"{most.usd:.4f}",
        CAP_TOKENS: "" if most.tokens is None else str(most.tokens),
    }


def cap_in(log: tuple[LogEntry, ...]) -> Bounds:
    """What the last started turn may use."""
    turns = turns_of(log)
    return turns[-1].cap if turns else Bounds()


def told_cap(log: tuple[LogEntry, ...], worker: Worker) -> float | None:
    """What the program of the last started turn is told that it may cost; None for nothing. With prices of the settings
    it isn't told: it would count by its own."""
    return None if worker.price else cap_in(log).usd


def so_far(run: Run, key: TaskKey, now: Standing) -> Used | None:
    """What the turn at work has used so far; None without limits that this is held against, and where nobody tells."""
    bounds = (run.settings.budget.total, run.settings.budget.per_task)
    if all(one.usd is None and one.tokens is None for one in bounds):
        return None
    worker = run.orchestration.worker(key, of_review=now.turn == REVIEW)
    if worker is None or worker.driver != now.driver:
        return None
    reading = run.readings.get(key)
    if reading is None or reading.number != now.turns:
        path = run.layout.turn_dir(key, now.turns, now.turn) / "stdout"
        reading = reading_of(worker, now.turns, path)
        if reading is None:
            return None
        run.readings[key] = reading
    return used_so_far(reading, worker)
