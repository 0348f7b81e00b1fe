"""What commands write into logs while another orch is at work: a copy of the lines in the run folder, for that one.

Owns the files. Must not know whose lines they are, nor what they say.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.disk_faults import refusal
from orchestrator.effects import effect
from orchestrator.folders import names_in


def leave_receipt(folder: Path, name: str, text: str) -> None:
    """Add the text to the receipts of that name. Nothing where there is no run folder: then nobody is at work in it.
    Raises OrchError if the disk refuses."""
    path = folder / name
    if not folder.parent.is_dir():
        return
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        with effect("create", str(path)), path.open("ab") as file:
            file.write(text.encode())
    except OSError as error:
        raise refusal(error, str(path), doing="write") from error


def receipts_of(folder: Path, name: str) -> str:
    """The receipts of that name; empty where there are none."""
    try:
        return (folder / name).read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def clear_receipts(folder: Path) -> None:
    """Remove all receipts: nobody was at work before the one who calls this."""
    for path in (folder / name for name in names_in(folder)):
        with effect("remove", str(path)):
            path.unlink(missing_ok=True)
