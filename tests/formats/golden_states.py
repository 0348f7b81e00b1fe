"""What is to be read from each state of the shared corpus: lines, keys, words and counts; none of its text.

Told from docs/file-formats.md and by looking at each file, not by a reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Golden:
    """`board` holds line, key, status and whether there is a note; `problems` line, column, code and caret text."""

    waves: Mapping[int, Sequence[str]]
    board: tuple[tuple[int, str, str, bool], ...] = ()
    reports: tuple[tuple[int, str], ...] = ()
    believed: tuple[int, ...] = ()
    problems: tuple[tuple[int, int, str, str], ...] = ()
    named: tuple[str, ...] = field(default=())
    """Words that the first problem's message holds, such as the candidates."""


_ONE = {1: ("1.1.1",)}
"""For a file that belongs to no plan of waves: any plan does."""

_BUNDLER = {
    1: ("T1.1-scaffold-and-models", "T1.2-utils-and-hashing"),
    2: ("T2.1-selection-and-inputs", "T2.2-extract-and-ast", "T2.3-markdown-and-redact"),
    3: ("T3.1-playwright-capture", "T3.2-bundle-packager"),
    4: ("T4.1-cli-interface", "T4.2-docs-and-validation"),
}
_ZERG = {
    1: ("BITE-L1-001", "BITE-L1-002", "BITE-L1-003"),
    2: ("BITE-L2-001", "BITE-L2-002", "BITE-L2-003", "BITE-L2-004"),
    3: ("BITE-L3-001", "BITE-L3-002", "BITE-L3-003"),
    4: ("BITE-L4-001", "BITE-L4-002"),
    5: ("BITE-L5-001",),
}
_ZERG_NAME = "rocklambros__zerg__.gsd__STATE.md"

READ = {
    "AndrewBrown-USDA__pypkgtest__STATE_1.md": Golden(
        {1: ("1.1.1",), 2: ("1.2.1", "1.2.2")},
        board=(
            (15, "1.1.1", "pending", True),
            (16, "1.2.1", "pending", True),
            (17, "1.2.2", "pending", True),
        ),
    ),
    "AndrewBrown-USDA__web-source-bundler__STATE_1.md": Golden(
        _BUNDLER,
        board=(
            (14, "1.1.1", "done", False),
            (15, "1.1.2", "done", False),
            (18, "1.2.1", "done", False),
            (19, "1.2.2", "done", False),
            (20, "1.2.3", "done", False),
            (23, "1.3.1", "done", False),
            (24, "1.3.2", "done", False),
            (27, "1.4.1", "done", False),
            (28, "1.4.2", "done", False),
        ),
        reports=(
            (34, "1.1.1"),
            (40, "1.1.2"),
            (46, "1.2.1"),
            (52, "1.2.2"),
            (58, "1.2.3"),
            (64, "1.3.1"),
            (70, "1.3.2"),
            (76, "1.4.1"),
            (82, "1.4.2"),
        ),
        believed=(1, 2, 3, 4),
    ),
    # Its ids being a plan's, the one of its tables that holds them is the board.
    _ZERG_NAME: Golden(
        _ZERG,
        board=(
            (14, "1.1.1", "done", False),
            (15, "1.1.2", "done", False),
            (16, "1.1.3", "done", False),
            (17, "1.2.1", "done", False),
            (18, "1.2.2", "done", False),
            (19, "1.2.3", "running", False),
            (20, "1.2.4", "done", False),
            (21, "1.3.1", "running", False),
            (22, "1.3.2", "done", False),
            (23, "1.3.3", "done", False),
            (24, "1.4.1", "done", False),
            (25, "1.4.2", "blocked", False),
            (26, "1.5.1", "done", False),
        ),
        believed=(1, 5),
    ),
}

NO_BOARD = (
    "AI-Nikitka93__AI_Blogersite__docs__STATE.md",
    "Encryptabit__gsd-tandem__.planning__STATE.md",
    "oinani0721__canvas-learning-system__gsd-backup-20260402__STATE.md",
    "subtiliorars-sys__CodeMonkeys__docs__STATE.md",
)
"""Journals and notes: nothing in them is a board, and nothing in them is wrong."""

REFUSED = {
    # The words of its own that stand in `status:`.
    "Esteban-Marketing__MarkOS__.planning__STATE.md": Golden(
        _ONE, problems=((5, 9, "unknown-status", "Ready to plan"),), named=("Ready to plan",)
    ),
    # Tables with Task and Status whose ids are no plan's: which one, nobody can tell.
    "Jonnyton__Workflow__root__STATUS.md": Golden(
        _ONE, problems=((24, 1, "no-board", "| Task | Files | Depends | Status |"),), named=("line 24",)
    ),
    _ZERG_NAME: Golden(
        _ONE,
        problems=((12, 1, "no-board", "| ID | Status | Worker | Updated |"),),
        named=("line 12", "BITE-L1-001", "line 30"),
    ),
}
