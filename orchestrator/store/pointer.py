"""The file in a run folder that names the checkout the folder belongs to.

Owns its name and its two directions. Must not know what else lies in a run folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from orchestrator.disk_faults import refusal
from orchestrator.effects import effect
from orchestrator.errors import Location, OrchError
from orchestrator.store.layout import Layout, run_folder_name

POINTER = "orch-checkout"


def claim_run_folder(layout: Layout) -> None:
    """Make the run folder, for its owner's eyes only, with the pointer in it. Raises OrchError if the disk refuses."""
    pointer = layout.run / POINTER
    content = os.fsencode(layout.root) + b"\n"
    try:
        layout.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        if layout.run.stat().st_mode & 0o077:
            # Made by an umask, or by hand: prompts and transcripts in it are nobody else's business.
            layout.run.chmod(0o700)
        if pointer.is_file() and pointer.read_bytes() == content:
            return
        with effect("create", str(pointer)):
            pointer.write_bytes(content)
    except OSError as error:
        raise refusal(error, str(layout.run), doing="make the run folder") from error


@contextmanager
def told_if_taken_away(layout: Layout) -> Iterator[None]:
    """A file that isn't there where the whole run folder was deleted meanwhile is told as that: OrchError."""
    try:
        yield
    except FileNotFoundError as error:
        if (layout.run / POINTER).exists():
            raise
        raise OrchError(
            f"the run folder {layout.run} was deleted while it was in use",
            at=Location(str(error.filename2 or error.filename or layout.run)),
            hint="run the command again: it is made anew from the files and git",
            code="run-folder-gone",
        ) from error


def owner_of(folder: Path) -> Path | None:
    """The checkout that the run folder around `folder` belongs to; None where there is no run folder around it."""
    for candidate in (folder, *folder.parents):
        pointer = candidate / POINTER
        if not pointer.is_file():
            continue
        owner = Path(os.path.realpath(os.fsdecode(pointer.read_bytes()).strip("\r\n")))
        # Anybody could leave such a file in a shared folder: it counts only in a folder named after its owner.
        if owner.is_dir() and candidate.name == run_folder_name(owner):
            return owner
    return None
