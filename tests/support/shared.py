"""The folder of material that tests may use when it is there: other people's files, never part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared_root() -> Path | None:
    """The folder named by ORCH_SHARED, else `../shared` beside the checkout, else None."""
    named = os.environ.get("ORCH_SHARED")
    root = Path(named) if named else Path(__file__).resolve().parents[2].parent / "shared"
    return root if root.is_dir() else None


def shared(*parts: str) -> Path:
    """The path below that folder; skips the test, with the reason, where it isn't there."""
    root = shared_root()
    path = root.joinpath(*parts) if root else None
    if path is None or not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the shared material (set ORCH_SHARED)")
    return path
