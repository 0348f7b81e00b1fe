"""What somebody who watches a call is told while no turn comes to an end: what each worker is doing.

Loaded only where a call waits and somebody watches. Must not say anything where nobody does: words cost.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from orchestrator.engine.at_work import worker_at_work
from orchestrator.engine.run import Run
from orchestrator.model.ids import TaskKey
from orchestrator.views.at_work import work_text

PAUSE = 30.0
"""Seconds without a word, after which there is one."""


def tell_workers(run: Run, folders: Mapping[TaskKey, Path]) -> None:
    """A line for each task whose turn is at work in that folder, if nothing has been said for so long."""
    if time.monotonic() - run.said_at < PAUSE:
        return
    for key, folder in folders.items():
        run.say(f"{key}: {work_text(worker_at_work(run.session, run.orchestration, key, folder))}")
