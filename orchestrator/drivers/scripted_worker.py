"""The process behind the scripted driver: `python -m orchestrator.drivers.scripted_worker FILE ATTEMPT`.

Carries out one scene of a recording (recording.py has the format) in the working directory, as any worker would:
it learns what it is asked for from ORCH_TASK, ORCH_TURN and ORCH_TODO, and knows nothing else of orch's files.
"""

from __future__ import annotations

import os
import re
import site
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from orchestrator.drivers.recording import Scene, pick, read_recording
from orchestrator.errors import UserError
from orchestrator.markdown.blocks import Item
from orchestrator.markdown.document import Document
from orchestrator.markdown.item_edits import set_box
from orchestrator.markdown.section_edits import append_to_section, insert_section, replace_body

FAULTY = 64
"""Exit code where the recording can't be played."""


def play(scene: Scene, todo: Path) -> int:
    """Do what the scene says in the working directory; returns the exit code."""
    if scene.say:
        sys.stdout.write(scene.say if scene.say.endswith("\n") else scene.say + "\n")
        sys.stdout.flush()
    time.sleep(scene.delay)
    for path, text in scene.files.items():
        _write(Path(path), text)
    for path, text in scene.append.items():
        with _made(Path(path)).open("a", encoding="utf-8", newline="") as file:
            file.write(text)
    for path in scene.delete:
        Path(path).unlink()
    status = os.waitstatus_to_exitcode(os.system(scene.run)) if scene.run else 0
    if scene.plan:
        _write(todo, scene.plan)
    if scene.tick or scene.report:
        text = todo.read_text("utf-8") if todo.exists() else ""
        _write(todo, _reported(_ticked(text, scene.tick), scene.report))
    return status if scene.exit is None else scene.exit


def _ticked(text: str, numbers: tuple[int, ...]) -> str:
    doc = Document.parse(text)
    for position in range(len(_steps(doc))):
        item = _steps(doc)[position]
        written = re.match(r"(\d+)\.", item.text)
        number = int(written[1]) if written else position + 1
        if numbers == (0,) or number in numbers:
            doc = set_box(doc, item, "x")
    return doc.text


def _steps(doc: Document) -> list[Item]:
    section = doc.section("TODO items")
    return [item for item in doc.items_in(section.body) if item.box is not None] if section else []


def _reported(text: str, report: str) -> str:
    if not report:
        return text
    doc = Document.parse(text)
    section = doc.section("Report")
    if section is None:
        return insert_section(doc, f"## Report\n{report}").text
    if section.own.of(text).strip():
        return replace_body(doc, section, report.strip()).text
    return append_to_section(doc, section, report.strip()).text


def _write(path: Path, text: str) -> None:
    _made(path).write_text(text, encoding="utf-8", newline="")


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def perform(arguments: list[str], environ: Mapping[str, str]) -> int:
    """Play the scene that the arguments and the environment ask for. Raises UserError for a faulty recording."""
    name, attempt = arguments
    try:
        text = Path(name).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        raise UserError(f"the recording {name} can't be read: {error}") from error
    # The driver starts this without the packages that are installed, whose listing takes longer than most turns.
    recording = read_recording(text, name, before_yaml=site.main if sys.flags.no_site else lambda: None)
    sys.stdin.buffer.read()
    scene = pick(recording, environ["ORCH_TASK"], environ["ORCH_TURN"], int(attempt))
    return play(scene, Path(environ["ORCH_TODO"]))


def main() -> None:
    """The process as a whole: a faulty recording is told on standard error, as any program would."""
    try:
        status = perform(sys.argv[1:], os.environ)
    except UserError as error:
        place = f"{error.at}: " if error.at else ""
        sys.stderr.write(f"{place}{error.message}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
        status = FAULTY
    sys.exit(status)


if __name__ == "__main__":
    main()
