"""What a turn has used so far, by the events of a stream that isn't over: of programs that tell before the end."""

from __future__ import annotations

import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.base import traits_of
from tests.drivers.recorded import AGENTS

TELL_EARLY = ("claude", "opencode")


@pytest.mark.parametrize("name", TELL_EARLY)
def test_the_tokens_of_a_stream_are_counted_before_its_last_event(name: str) -> None:
    tally = traits_of(registry.find(name)).tally
    assert tally is not None
    events = [one for one in AGENTS[name]["finished"].lines if isinstance(one, dict)]
    ended = dict(tally(events))
    assert (ended["in"], ended["out"]) == (1000, 20)
    if name == "claude":
        assert dict(tally(events[:-1])) == ended
    assert dict(tally(events[:1])) == {}
    assert dict(tally([{"type": "new"}, {"type": ["x"]}, {}])) == {}


def test_a_driver_without_a_tally_is_one_that_tells_at_the_end() -> None:
    others = {name for name in registry.names() if traits_of(registry.find(name)).tally is None}
    assert others == set(registry.names()) - set(TELL_EARLY)
