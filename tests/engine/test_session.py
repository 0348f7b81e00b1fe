"""One call of the command line: who may make it."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.engine.session import Session, refuse_worker
from orchestrator.errors import UserError
from orchestrator.store.find_repository import Found
from orchestrator.store.layout import Layout


def session(folder: Path, environ: dict[str, str]) -> Session:
    found = Found(folder, folder / ".git", folder / ".git")
    return Session(found, Layout(folder, found.common_dir, folder / "run"), environ, lambda line: None)


def test_the_marker_tells_a_worker(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="refuses to run as a worker: ORCH_RUN_ID is set"):
        refuse_worker(session(tmp_path, {"ORCH_RUN_ID": "7c1e"}), "approve")
    refuse_worker(session(tmp_path, {"ORCH_RUN_ID": ""}), "approve")
    refuse_worker(session(tmp_path, {"ORCH_TASK": "5.1.1"}), "approve")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("orch gate", "orch gate -n 7"),
        ("orch wait", "orch wait -n 7"),
        ("run orch gate 1.1.1.", "run orch gate 1.1.1 -n 7."),
        ("orch gate, then orch next-wave --auto", "orch gate -n 7, then orch next-wave -n 7 --auto"),
        ("orch gate 1.1.1 -n 2", "orch gate 1.1.1 -n 2"),
        ("orch answer --person Q3 yes", "orch answer --person Q3 -n 7 yes"),
        ('orch retry --wave 12 --because "…"', 'orch retry --wave 12 -n 7 --because "…"'),
        ("orch gates what orch shows", "orch gates what orch shows"),
    ],
)
def test_commands_in_a_text_get_the_number_that_the_call_named(tmp_path: Path, text: str, said: str) -> None:
    made = session(tmp_path, {})
    assert made.with_number(text) == text
    made.asked = 7
    assert made.with_number(text) == said
