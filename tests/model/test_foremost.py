"""What most needs a person beside a stop: a wait's remedy, and the stop's too where that alone would do nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.model.facts import Limits
from orchestrator.model.foremost import foremost
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.next_actions import next_actions
from tests.model.test_next_actions import APPROVED, GATE, VERIFIED, A, B, C, entry, orchestration

HANDED_OUT = (entry("started", turn="plan", driver="manual", board="planning"),)
IN_THE_WAY = (*VERIFIED, entry("paused", why="landing waits: a.txt", fix="move away a.txt, then run orch next-wave"))
STOP = "take the stop out of planning/STATE_5.md, then run orch next-wave"
WORDS = "write a status that orch knows, such as pending, blocked, skipped or done"


@pytest.mark.parametrize(
    ("logs", "cells", "remedy"),
    [
        ({A: APPROVED, B: APPROVED}, {}, STOP),
        ({A: GATE}, {}, "orch gate"),
        ({A: HANDED_OUT}, {}, "have a worker of yours do what orch prompt 5.1.1 prints, then run orch next-wave"),
        ({A: IN_THE_WAY}, {}, "move away a.txt, then run orch next-wave"),
        ({}, {A: "dnoe"}, f"planning/STATE_5.md, 5.1.1: {WORDS}, and {STOP}"),
        ({}, {C: "blocked"}, f"set 5.2.1 to pending in planning/STATE_5.md, and {STOP}"),
    ],
    ids=["nothing else", "a plan at the gate", "a turn handed out", "a landing that waits", "a cell", "a blocked task"],
)
def test_beside_a_stop(logs: dict[TaskKey, tuple[LogEntry, ...]], cells: dict[TaskKey, str], remedy: str) -> None:
    stopped = orchestration(logs, cells=cells)
    stopped = replace(stopped, state=replace(stopped.state, stop="lunch"))
    assert foremost(stopped, next_actions(stopped, None, Limits())) == remedy
