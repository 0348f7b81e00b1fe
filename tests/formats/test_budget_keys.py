"""`budget:` and `price:` of ORCH.md: limits and prices, and what is none, told at its place."""

from __future__ import annotations

from orchestrator.model.settings import Bounds, Budget, Price
from tests.formats.test_settings_file import read


def test_limits_are_read_each_alone_and_none_is_set_by_default() -> None:
    settings, problems = read(
        "budget: {usd: 20, tokens: 5M, tasks: 50, time: 6h, per_task: {usd: 0.50, tokens: 200k, time: 20m}}\n"
    )
    assert problems == ""
    assert settings.budget == Budget(Bounds(20.0, 5_000_000, 21_600.0), Bounds(0.5, 200_000, 1200.0), 50)
    assert read("budget: {tasks: 2}\n")[0].budget == Budget(tasks=2)
    assert read("budget: {usd: 0}\n")[0].budget.is_set
    assert not read("gate: stop\n")[0].budget.is_set


def test_a_limit_that_is_not_understood_is_told_at_its_place() -> None:
    settings, problems = read(
        "budget: {usd: much, tokens: 5X, tasks: 0, time: 6, dollars: 5, per_task: {tasks: 1, usb: 2}}\n"
    )
    assert not settings.budget.is_set
    assert (
        problems
        == """\
2:15 <much> item wrong-value: `usd`: "much" is no number
    usd: 20
2:29 <5X> item wrong-value: `tokens`: "5X" is no size such as 5M or 200k
    tokens: 5M
2:40 <0> item wrong-value: `tasks`: "0" is no whole number from 1 up
    tasks: 4
2:49 <6> item wrong-value: `time`: "6" is no duration such as 90s, 20m or 6h
    time: 6m
2:52 <dollars> item wrong-value: "dollars" is no limit of `budget`
    the limits are usd, tokens, tasks, time, per_task
2:75 <tasks> item wrong-value: "tasks" is no limit of `per_task`
    the limits are usd, tokens, time
2:85 <usb> item wrong-value: "usb" is no limit of `per_task`
    did you mean "usd"?
"""
    )
    assert [line for line in read("budget: 20\n")[1].split("\n") if "item" in line] == [
        "2:9 <20> item wrong-value: `budget` takes names with a value each"
    ]


def test_prices_are_read_and_what_comes_from_a_cache_costs_as_the_rest_if_nothing_is_said() -> None:
    settings, problems = read(
        "workers:\n  small: {driver: codex, price: {in: 1.25, cached: 0.125, out: 10}}\n"
        "  mid: {driver: codex, price: {in: 2, out: 0}}\n  frontier: {driver: codex}\n"
    )
    assert problems == ""
    assert [worker.price for worker in settings.workers] == [Price(1.25, 0.125, 10.0), Price(2.0, 2.0, 0.0), None]
    assert all(not worker.options for worker in settings.workers)


def test_a_price_that_is_not_understood_is_told_at_its_place_and_counts_for_nothing() -> None:
    settings, problems = read(
        "workers:\n  small: {driver: codex, price: {in: much, output: 10}}\n  mid: {driver: codex, price: 5}\n"
    )
    assert [worker.price for worker in settings.workers] == [None, None]
    assert (
        problems
        == """\
3:33 <{in: much, output: 10}> item wrong-value: `price` lacks `out`
    dollars for a million tokens: price: {in: 1.25, cached: 0.125, out: 10}
3:38 <much> item wrong-value: `in`: "much" is no number
    in: 20
3:44 <output> item wrong-value: "output" is no price
    dollars for a million tokens: price: {in: 1.25, cached: 0.125, out: 10}
4:31 <5> item wrong-value: `price` takes names with a value each
    price: {a: b}
"""
    )
