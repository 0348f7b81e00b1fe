"""What one turn may cost by the budget: worked out before it is started, kept in its log line, told to its driver."""

from __future__ import annotations

from orchestrator.drivers.base import traits_of
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.run import Run
from orchestrator.model.budget import Meter
from orchestrator.model.costs import number_in
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.settings import Settings

CAP = "cap"
"""In the log's `started`: what the turn may cost at most, in dollars, by the budget."""


def unpriced(settings: Settings) -> str:
    """A sentence for whoever sets a limit in money and has workers whose turns tell no price; empty if all do."""
    budget = settings.budget
    if budget.total.usd is None and budget.per_task.usd is None:
        return ""
    drivers = dict.fromkeys(worker.driver for worker in settings.workers)
    silent = [name for name in drivers if not traits_of(find_driver(name)).tells_price]
    if not silent:
        return ""
    names = " and ".join(silent)
    return f"the budget in usd leaves out {names}, whose turns tell no price: limit tokens or time too"


def cap_of(run: Run, key: TaskKey) -> float | None:
    """What one more turn of the task may cost by the budget; None without a limit in money."""
    budget = run.settings.budget
    if budget.total.usd is None and budget.per_task.usd is None:
        return None
    return Meter(run.orchestration, run.session.now()).usd_left(key)


def cap_words(cap: float | None) -> str:
    """The cap as the log's `started` holds it."""
    return "" if cap is None else f"{cap:.4f}"


def cap_in(log: tuple[LogEntry, ...]) -> float | None:
    """The cap that the last started turn was given."""
    for entry in reversed(log):
        if entry.event == "started":
            return number_in(entry.get(CAP))
    return None
