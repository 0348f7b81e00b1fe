"""States in the shapes that people and models give them, in words of our own; and each with other line endings."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.bare_plans import bare_plan

WAVES = {1: ("T1.1-scaffold", "T1.2-hashing"), 2: ("T2.1-input", "T2.2-output", "T2.3-report-page")}
TITLES = {
    "T1.1-scaffold": "Folders and models",
    "T1.2-hashing": "Hashes of files",
    "T2.1-input": "Reading of lists",
    "T2.2-output": "Writing of pages",
    "T2.3-report-page": "The page of results",
}
PLAN = bare_plan(WAVES, titles=TITLES)
"""The plan that all of them belong to: keys 1.1.1, 1.1.2, 1.2.1, 1.2.2, 1.2.3."""

BOXES = """\
# Orchestration State: Plan 1

## Baseline Status
- **Repository**: new folder
- **Tests**: none yet

---

## Wave Board

### Wave 1
- [x] `T1.1-scaffold` (done) — Folders and models
- [x] `T1.2-hashing` (done) — Hashes of files

### Wave 2
- [ ] `T2.1-input` (in progress) — Reading of lists
- [ ] `T2.2-output` (pending) — Writing of pages
- [~] `T2.3-report-page` (blocked) — The page of results

---

## Task Reports

### T1.2-hashing
- Status: completed
- Files: `hashes.py`, `tests/test_hashes.py`
- Test: `python -m pytest tests/test_hashes.py` -> 4 passed
- Deviations: none

### T1.1-scaffold
- Status: completed
- Files: `models.py`
- Deviations: none
"""

BOXES_WITHOUT_WORDS = """\
# Orchestration State: Plan 1

## Wave Board

### Wave 1 — ground
- [x] **T1.1-scaffold**: Folders and models
- [X] **T1.2-hashing**: Hashes of files
  - with a remark of its own

### Wave 2 — pages
- [ ] **T2.1**: Reading of lists
- [ ] **T2.2-output**: Writing of pages
- [ ] **T2.3-report-page**: The page of results

## Notes

- [ ] ask Ana about the colours
"""

FLAT_BOXES = """\
# State 1

## Task board

* [x] T1.1-scaffold - Folders and models
* [x] T1.2-hashing - Hashes of files
* [ ] T2.1-input - Reading of lists
* [-] T2.2-output (skipped) - Writing of pages
* [ ] T2.3-report-page - The page of results

## Log

1. begun
"""

TABLE = """\
# State 1

## Baseline

- `make test` passed before wave 1.

## Wave Board

| Task | Status | Notes |
| --- | --- | --- |
| `T1.1-scaffold` | `done` | Folders first. |
| `T1.2-hashing` | `complete` | |
| `T2.1-input` | `in_progress` | Ana has it. |
| `T2.2-output` | `pending` | |
| `T2.3-report-page` | `needs input` | which colours? |

## T1.2-hashing — Hashes of files

- **Status:** done, abc1234
- **Files:** `hashes.py`
- **Deviations:** none
- **Gotchas:** none

## 1.1.1 — Folders and models

- **Status:** done, abc1233
- **Files:** `models.py`
- **Deviations:** none
- **Gotchas:** none
"""

UNDERLINED = """\
State 1
=======

Wave board
----------

| Wave | ID | Description | State | Remarks |
|:-----|----|:-----------:|-------|--------:|
| Wave 1 | T1.1 | Folders and models | ✅ | |
| Wave 1 | T1.2 | Hashes of files | [x] Done | |
| Wave 2 | T2.1 | Reading of lists | 🔄 In Progress | |
| Wave 2 | T2.2 | Writing of pages | **not started** | |
| Wave 2 | T2.3 | The page of results | | a \\| b |

Task Reports
------------

### Task T1.1-scaffold: Folders and models

* **Status**: done
* **Files**: `models.py`
"""

STATES = {
    "boxes with words": BOXES,
    "boxes without words": BOXES_WITHOUT_WORDS,
    "boxes in one list": FLAT_BOXES,
    "a table of local ids": TABLE,
    "underlined headings": UNDERLINED,
}
STATUSES = {
    "boxes with words": ("done", "done", "running", "pending", "blocked"),
    "boxes without words": ("done", "done", "pending", "pending", "pending"),
    "boxes in one list": ("done", "done", "pending", "skipped", "pending"),
    "a table of local ids": ("done", "done", "running", "pending", "needs-input"),
    "underlined headings": ("done", "done", "running", "pending", "pending"),
}


def _mixed(text: str) -> str:
    """Every third line ends as another editor ends it."""
    lines = text.split("\n")
    return "".join(line + ("" if at == len(lines) - 1 else "\r\n" if at % 3 else "\n") for at, line in enumerate(lines))


WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "mixed endings": _mixed,
    "BOM": lambda text: "\ufeff" + text,
    "no final newline": lambda text: text.rstrip("\n"),
    "blank lines at the end": lambda text: text + "\n\n\n\n",
    "tabs behind the markers": lambda text: text.replace("- [", "-\t[").replace("* [", "*\t["),
}
