"""How bytes become what a target takes, and which inputs there are to begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# Nothing of the package is imported here: the guided fuzzer has to see all of it being imported.
DATA = Path(__file__).resolve().parents[1] / "data"
FOUND = DATA / "fuzz"
"""Inputs that once broke something, a folder a target."""

CUT = b"\xff"
"""Stands between the parts of an input: no UTF-8 text holds it."""


def texts(data: bytes, count: int) -> list[str]:
    """The parts of an input as texts, so many of them."""
    parts = data.split(CUT, count - 1)
    return [part.decode("utf-8", "replace") for part in parts] + [""] * (count - len(parts))


def joined(*parts: str | bytes) -> bytes:
    """The input that has these parts."""
    return CUT.join(part if isinstance(part, bytes) else part.encode() for part in parts)


def seeds(target: str) -> Iterator[bytes]:
    """Inputs to begin with: this project's own files of the kind that the target reads."""
    for pattern in _SEEDS[target]:
        for path in sorted(DATA.glob(pattern)):
            if path.is_file():
                yield joined(path.read_bytes(), "two *words*\n- [ ] ```\n| x |")


def found(target: str) -> Iterator[Path]:
    """The saved inputs of a target."""
    return iter(sorted(path for path in (FOUND / target).glob("*") if path.is_file()))


_MARKDOWN = ("markdown/*.md", "planning/*.md", "planning/tasks/*.md")
_SEEDS = {
    "document": _MARKDOWN,
    "commonmark": _MARKDOWN,
    "front_matter_edits": ("planning/ORCH.md", "planning/tasks/*.md", "planning/STATE_5.md"),
    "front_matter": ("planning/ORCH.md", "planning/tasks/*.md", "planning/STATE_5.md"),
    "plan_edits": ("planning/EXECUTION_PLAN_5.md", "plans/**/*.md"),
    "plan": ("planning/EXECUTION_PLAN_5.md", "plans/**/*.md"),
    "state": ("planning/STATE_5.md", "problems/set/STATE*.md"),
    "todo": ("planning/tasks/*.md", "problems/set/tasks/*.md"),
    "settings": ("planning/ORCH.md", "problems/set/ORCH.md"),
    "guest": _MARKDOWN,
    "printed": ("planning/tasks/*.md",),
    "output": ("runners/*",),
    "events": ("accounts/*",),
    "log": ("planning/tasks/*.md",),
}
