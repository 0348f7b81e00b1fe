"""Recordings of agent programs: what each said in a turn that ended in one way, and how it left.

They lie in tests/data/recordings/PROGRAM: ENDING.out and ENDING.err as they were printed, but for what differs from run
to run and from machine to machine (normalising.py), and index.json with the program's version and how each left.
`python -m tests.support.record_endings` makes them, with the real programs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "data" / "recordings"
SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
SAID = "# 5.1.2 — Parse it"

Line = dict[str, object]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A stream, how the program leaves (a negative code: it kills itself by that signal), what it says besides."""

    lines: tuple[object, ...] = ()
    code: int = 0
    err: str = ""
    then: str = ""
    """A line of shell at the end, before it leaves."""
    raw: str = ""
    """Bytes after the lines, without a line ending."""

    @property
    def out(self) -> str:
        """Standard output. A text among the lines is chatter."""
        said = (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in self.lines)
        return "".join(f"{one}\n" for one in said) + self.raw

    @property
    def leaving(self) -> str:
        """The last lines of a shell script that leaves so."""
        leave = f"kill -{-self.code} $$; sleep 9" if self.code < 0 else f"exit {self.code}"
        return f"{self.then}\n{leave}\n"

    def saying(self, words: str) -> Recorded:
        """The same with other last words."""
        return self.replacing(SAID, words)

    def replacing(self, old: str, new: str) -> Recorded:
        """The same with some words for others, wherever they stand in a text."""
        before, after = (json.dumps(one, ensure_ascii=False)[1:-1] for one in (old, new))
        lines = tuple(_line(line.replace(before, after)) for line in self.out.splitlines())
        return replace(self, lines=lines, err=self.err.replace(old, new))


STAYS = "exec sleep 60"


@cache
def recordings(name: str) -> Mapping[str, Recorded]:
    """By ending: what the program of that driver said."""
    folder = FOLDER / name
    return {
        ending: Recorded(
            tuple(_line(line) for line in _text(folder / f"{ending}.out").split("\n")[:-1]),
            code=left if isinstance(left, int) else 0,
            err=_text(folder / f"{ending}.err"),
            then="" if isinstance(left, int) else STAYS,
        )
        for ending, left in index(name)["endings"].items()
    }


def index(name: str) -> dict[str, dict[str, int | str]]:
    """The version, and by ending how it left: its exit code, less than 0 a signal, or the limit that it met."""
    path = FOLDER / name / "index.json"
    found: dict[str, dict[str, int | str]] = json.loads(_text(path) or '{"endings": {}}')
    return found


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


def _line(line: str) -> object:
    try:
        found = json.loads(line)
    except ValueError:
        return line
    return found if isinstance(found, dict) else line
