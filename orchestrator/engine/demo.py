"""`orch demo`: a whole orchestration in a throw-away repository, with the scripted worker.

Real git, real files, real processes and real tests; only the workers' words are recorded. Owns the repository
that it makes. Every wave is advanced by the same code as `orch next-wave`.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from orchestrator.engine.next_wave import next_wave
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import open_session
from orchestrator.engine.status import status
from orchestrator.errors import Exit, UserError
from orchestrator.prompts.locations import find, shipped_folder
from orchestrator.store.text_files import create, read

FILES = {
    "textkit/__init__.py": '"""Functions over plain text."""\n',
    "textkit/__main__.py": (
        '"""The command line of textkit."""\n\nimport sys\n\n\n'
        'def main(arguments):\n    """Greet."""\n    print("hello", *arguments)\n\n\n'
        'if __name__ == "__main__":\n    main(sys.argv[1:])\n'
    ),
    "tests/__init__.py": "",
    "tests/test_package.py": (
        "import unittest\n\nimport textkit\n\n\nclass PackageTest(unittest.TestCase):\n"
        "    def test_the_package_says_what_it_is(self):\n        self.assertTrue(textkit.__doc__)\n"
    ),
    ".gitignore": "__pycache__/\n",
    "README.md": "# textkit\n\nFunctions over plain text.\n",
}
"""What the throw-away repository holds before the first wave."""


def demo(
    environ: Mapping[str, str],
    *,
    keep: Path | None = None,
    stop_at: str | None = None,
    emit: Callable[[str], None],
) -> Outcome:
    """Make the repository and run its two waves; with `stop_at="gate"` stop where the first plans wait.

    keep: the folder to make it in, which must be new or empty; else a new folder among the temporary ones.
    Exit 3 where it stops at the gate. Raises UserError for a folder that holds something, ToolError where git is
    missing. What ends it on the way, an interrupt too, carries the command that goes on as its note.
    """
    folder = build(_folder(keep, environ), gate="stop" if stop_at == "gate" else "auto")
    emit(f"a throw-away repository in {folder}")
    world = demo_environment(environ)
    outcome = Outcome(outcome="done")
    auto = stop_at != "gate"
    try:
        while outcome.exit_code is Exit.DONE:
            # A new session each time: nothing passes from one wave to the next but the files.
            outcome = next_wave(open_session(folder, None, world, emit=emit), auto=auto)
    except BaseException as error:
        error.add_note(f"cd {shlex.quote(str(folder))} && orch next-wave{' --auto' if auto else ''}")
        raise
    return _closing(folder, world, outcome, stopped=stop_at == "gate", emit=emit)


def demo_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of the demo: this interpreter is the `python3` of its tests."""
    path = os.pathsep.join(part for part in (str(Path(sys.executable).parent), environ.get("PATH", "")) if part)
    return {**environ, "PATH": path}


def build(folder: Path, *, gate: str = "auto") -> Path:
    """Make the repository with its planning set in a new or empty folder, one commit. Returns its real path."""
    # Imported here because it loads GitPython, and `orch demo --help` needs none of it.
    from orchestrator.vcs.command import Git

    folder.mkdir(parents=True, exist_ok=True)
    folder = Path(os.path.realpath(folder))
    if any(folder.iterdir()):
        raise UserError(f"{folder} isn't empty", hint="name a new folder: orch demo --keep DIR", code="not-empty")
    for name, text in FILES.items():
        _write(folder / name, text)
    git = Git(str(folder))
    git.run("init", "-q", "-b", "main")
    for name, value in (("user.name", "orch demo"), ("user.email", "demo@localhost"), ("commit.gpgSign", "false")):
        git.run("config", name, value)
    git.run("add", "-A")
    git.run("commit", "-q", "-m", "Begin textkit")
    source = shipped_folder() / "demo"
    for name in ("ORCH.md", "EXECUTION_PLAN_1.md", "demo_workers.yaml"):
        held = read(source / name)
        if held is None:
            raise UserError(f"the demo's file {name} is missing", hint="install orch again", code="demo-missing")
        text = held
        if name == "ORCH.md":
            text = text.replace("gate: auto", f"gate: {gate}", 1)
        _write(folder / "planning" / name, text)
    _write(folder / "planning" / "PROMPT_TEMPLATE_1.md", find("worker").text)
    (folder / "planning" / "tasks").mkdir(exist_ok=True)
    return folder


def _folder(keep: Path | None, environ: Mapping[str, str]) -> Path:
    if keep is not None:
        return keep.expanduser()
    # Imported here: it is slow to load, and nothing else of a command needs it.
    import tempfile

    return Path(tempfile.mkdtemp(prefix="orch-demo-", dir=environ.get("TMPDIR") or None))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    create(path, text, shown=path.name)


def _closing(
    folder: Path, environ: Mapping[str, str], last: Outcome, *, stopped: bool, emit: Callable[[str], None]
) -> Outcome:
    """The board, the git log and the folder's path."""
    session = open_session(folder, None, environ, emit=emit)
    board = status(session)
    state = session.planning.load(with_tasks=()).state
    log = session.repository.git("log", "--format=%h %s", "--reverse", state.branch, "--").text
    went_well = last.exit_code in ((Exit.WAITING,) if stopped else (Exit.NOTHING,))
    lines = ["", "the board:", *board.lines, "", f"commits on {state.branch}:", *log.split("\n"), ""]
    lines.append(f"everything is in {folder}; look at planning/STATE_1.md")
    return Outcome(
        outcome="waiting" if stopped and went_well else "done" if went_well else last.outcome,
        exit_code=Exit.DONE if went_well and not stopped else last.exit_code,
        next=f"cd {shlex.quote(str(folder))} && {last.next}" if stopped and last.next else "",
        lines=tuple(lines),
        data={"folder": str(folder), "commits": log.split("\n"), "board": dict(board.data)},
        warnings=last.warnings,
    )
