"""A few endings with the real programs: that they still end as they were recorded, so that a new version's drift is
seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.drivers.base import TurnResult
from tests.drivers.telling import result_of
from tests.support.agents import IN_CI
from tests.support.provoking import provoked
from tests.support.record_endings import live
from tests.support.recordings import index

pytestmark = pytest.mark.agents

CHEAP = ("finished", "400", "no-key", "lost")


@pytest.mark.parametrize("name", IN_CI)
@pytest.mark.parametrize("ending", CHEAP)
def test_a_program_ends_as_it_was_recorded(name: str, ending: str, tmp_path: Path) -> None:
    lived = live(name, provoked(name)[ending], tmp_path / "live")
    (tmp_path / "recorded").mkdir()
    recorded = result_of(name, ending, tmp_path / "recorded")
    assert (lived.left, *_compared(lived.result)) == (index(name)["endings"][ending], *_compared(recorded))


def _compared(result: TurnResult) -> tuple[object, ...]:
    return result.outcome, result.text, result.usage, result.model, result.pause, bool(result.session)
