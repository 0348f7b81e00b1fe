"""Small repositories whose plans and changes are judged by a reviewer that replays what a test says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.support.planned import Scene, Task, planned

WORKER = "{driver: scripted, script: planning/workers.yaml, timeout: 60s}"
REVIEWER = "review: {driver: scripted, script: planning/reviews.yaml, model: judge-1, timeout: 60s}"
GATE = "gate: review\n"
KEY = "1.1.1"


def says(text: str, **more: object) -> Scene:
    """A review turn that prints an answer, with further things done in it."""
    return {"turn": "review", "print": text, **more}


def reviewed(
    folder: Path,
    tasks: Sequence[Task],
    answers: Sequence[Scene],
    *,
    settings: str = GATE,
    tiers: Sequence[str] = ("small",),
    reviewer: str = REVIEWER,
) -> Path:
    """A repository whose reviewer gives these answers about each task, one after another."""
    workers = "\n  ".join([*(f"{tier}: {WORKER}" for tier in tiers), reviewer])
    made = planned(folder, tasks, settings=settings, worker=workers)
    recording = {task.key: list(answers) for task in tasks}
    (made / "planning" / "reviews.yaml").write_text(json.dumps(recording, ensure_ascii=False), "utf-8")
    return made
