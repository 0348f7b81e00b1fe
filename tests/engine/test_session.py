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
