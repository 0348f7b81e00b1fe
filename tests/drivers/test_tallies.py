"""What a turn has used so far, by the events of a stream that isn't over: of programs that tell before the end."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.base import traits_of
from tests.drivers.recorded import AGENTS
from tests.support.recordings import Line

TELL_EARLY = ("claude", "opencode", "qwen")


def counted(name: str, events: Iterable[object]) -> dict[str, float]:
    made = traits_of(registry.find(name)).tally
    assert made is not None
    tally = made()
    for event in events:
        if isinstance(event, dict):
            tally.hear(event)
    return tally.sums()


def lines(name: str) -> list[Line]:
    return [one for one in AGENTS[name]["finished"].lines if isinstance(one, dict)]


@pytest.mark.parametrize("name", TELL_EARLY)
def test_the_tokens_of_a_stream_are_counted_before_its_last_event(name: str) -> None:
    events = lines(name)
    ended = counted(name, events)
    assert (ended["in"], ended["cached"], ended["out"]) == (1000, 100, 20)
    assert ("usd" in ended) == (name == "opencode")
    if name != "opencode":
        assert counted(name, events[:-1]) == ended
    assert 0 < counted(name, events[: len(events) // 2 + 1])["in"] < 1000
    assert counted(name, events[:1]) == {}
    assert counted(name, [{"type": "new"}, {"type": ["x"]}, {}]) == {}


@pytest.mark.parametrize("name", ["claude", "qwen"])
def test_a_message_that_is_told_in_several_events_counts_once(name: str) -> None:
    message = [one for one in lines(name) if one["type"] == "assistant"][-1]
    assert counted(name, [message, message])["in"] == 500


def test_a_driver_without_a_tally_is_one_that_tells_at_the_end() -> None:
    others = {name for name in registry.names() if traits_of(registry.find(name)).tally is None}
    assert others == set(registry.names()) - set(TELL_EARLY)


def test_only_programs_that_tell_tokens_can_be_given_a_price() -> None:
    tell = {name for name in registry.names() if traits_of(registry.find(name)).tells_tokens}
    assert tell == {"claude", "codex", "gemini", "opencode", "qwen"}
