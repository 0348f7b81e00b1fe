"""Settings that say who is asked and what confines workers: which of two is the looser.

Owns their order. Must not know when the stricter one has to count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

from orchestrator.model.settings import MANUAL, REVIEW, Settings
from orchestrator.nouns import dataclass, replace

_STRICTNESS = ("none", "auto", "", "review", "stop")
"""Words of `gate` and `review_diff`, the loosest first."""


@dataclass(frozen=True, slots=True)
class Loosened:
    """A setting that asks fewer or confines less than before."""

    key: str
    had: str
    says: str


def stricter_gate(one: str, other: str) -> str:
    """Of two words of `gate` or `review_diff` the one that asks more."""
    return max(one, other, key=_STRICTNESS.index)


def held(had: Settings, says: Settings, only: Collection[str] | None = None) -> tuple[Settings, tuple[Loosened, ...]]:
    """The settings with the stricter of both in each key that says who is asked or what confines workers, and which of
    them were loosened. only: of these keys alone."""
    kept, loosened = says, []
    for one, change in _differences(had, says):
        if only is None or one.key in only:
            kept = replace(kept, **change(kept))
            loosened.append(one)
    return kept, tuple(loosened)


def _differences(had: Settings, says: Settings) -> Iterator[tuple[Loosened, Callable[[Settings], dict[str, Any]]]]:
    """What was loosened, each with the fields that take it back in settings."""
    if stricter_gate(had.gate, says.gate) != says.gate:
        yield Loosened("gate", had.gate, says.gate), lambda _: {"gate": had.gate}
    if stricter_gate(_judge(had), _judge(says)) != _judge(says):
        one = Loosened("review_diff", had.review_diff or "unset", says.review_diff or "unset")
        yield one, lambda _: {"review_diff": had.review_diff}
    more = [path for path in says.sandbox.write if path not in had.sandbox.write]
    if had.sandbox.is_on and not says.sandbox.is_on:
        yield Loosened("sandbox", "on", "off"), lambda _: {"sandbox": had.sandbox}
    elif had.sandbox.is_on and more:
        one = Loosened("sandbox", *(f"on, write: {', '.join(paths.sandbox.write) or 'none'}" for paths in (had, says)))
        fewer = tuple(path for path in says.sandbox.write if path not in more)
        yield one, lambda _: {"sandbox": replace(says.sandbox, write=fewer)}
    guarded = {worker.tier for worker in had.workers if worker.guard is not False}
    for tier in (worker.tier for worker in says.workers if worker.tier in guarded and worker.guard is False):
        yield Loosened(f"guard of the worker {tier}", "on", "off"), partial(_guarded, tier=tier)


def _guarded(settings: Settings, *, tier: str) -> dict[str, Any]:
    workers = []
    for worker in settings.workers:
        options = {key: value for key, value in worker.options.items() if key != "guard"}
        workers.append(replace(worker, options=options) if worker.tier == tier else worker)
    return {"workers": tuple(workers)}


def _judge(settings: Settings) -> str:
    """What `review_diff` comes to: where it isn't set, changes of workers of one's own alone wait for a word."""
    is_hosted = any(worker.driver == MANUAL for worker in settings.workers if worker.tier != REVIEW)
    return settings.review_diff or ("" if is_hosted else "none")
