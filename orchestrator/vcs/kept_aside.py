"""Keeping what may be a person's where nothing overwrites it: in a folder of the checkout's git directory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.vcs.checkouts import Checkout

KEPT = "orch-kept"
"""The folder in a checkout's git directory that gets what may have been a person's."""


def keep_aside(checkout: Checkout, source: Path, path: str) -> str:
    """Move the file `source`, which stood or was to stand at `path` in the checkout; returns where it lies."""
    folder = checkout.git_dir / KEPT
    number = 1
    while os.path.lexists(folder / str(number) / path):
        number += 1
    target = folder / str(number) / path
    with effect("replace", str(target)):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)
    return str(target)
