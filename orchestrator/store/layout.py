"""Where everything lies: the planning set in the checkout, and the run folder outside it.

Owns every path and file name of both. Must not read or write any of those files, except to list the numbers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from orchestrator.digests import sha256
from orchestrator.errors import UserError
from orchestrator.folders import names_in
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex

_PLAN = regex(r"EXECUTION_PLAN_([1-9][0-9]*)\.md")
_NUMBERED = regex(r"(?:EXECUTION_PLAN|PROMPT_TEMPLATE|STATE)_([1-9][0-9]*)\.md")
_TODO = regex(r"(.+)\.todo\.md")
_UNSAFE = regex(r"[^A-Za-z0-9._-]+")


def from_home(path: str, environ: Mapping[str, str]) -> str:
    """The path, with `~` at its beginning replaced by the home folder."""
    is_there = path == "~" or path.startswith("~/")
    return (environ.get("HOME") or str(Path.home())) + path[1:] if is_there else path


def run_folder_name(root: Path) -> str:
    """`<folder>-<hash>`: one name per checkout, readable, and safe in any path."""
    readable = _UNSAFE.sub("-", root.name).strip("-.")[:40] or "repository"
    return f"{readable}-{sha256(os.fsencode(root)).hexdigest()[:10]}"


def run_folder(root: Path, environ: Mapping[str, str], worktree_root: str = "") -> Path:
    """The run folder of the checkout at `root`.

    It lies in `worktree_root` (relative to the checkout; `~` is the home folder) where that is set, else in the
    user's state folder.
    """
    if worktree_root:
        parent = Path(os.path.normpath(root / from_home(worktree_root, environ)))
    else:
        state = environ.get("XDG_STATE_HOME", "")
        # The specification of these variables says that a relative path is to be ignored.
        base = Path(state) if state.startswith("/") else Path(from_home("~/.local/state", environ))
        parent = base / "orch"
    return parent / run_folder_name(root)


@dataclass(frozen=True, slots=True)
class Layout:
    """All paths of one checkout's planning set and of its run folder."""

    root: Path
    """The top of the checkout whose planning set is worked on."""
    common_dir: Path
    """git's common folder, where the locks lie."""
    run: Path
    """The run folder."""

    @property
    def planning(self) -> Path:
        return self.root / "planning"

    @property
    def tasks(self) -> Path:
        return self.planning / "tasks"

    @property
    def settings_path(self) -> Path:
        return self.planning / "ORCH.md"

    def plan_path(self, number: int) -> Path:
        return self.planning / f"EXECUTION_PLAN_{number}.md"

    def template_path(self, number: int) -> Path:
        return self.planning / f"PROMPT_TEMPLATE_{number}.md"

    def state_path(self, number: int) -> Path:
        return self.planning / f"STATE_{number}.md"

    def task_path(self, key: TaskKey) -> Path:
        return self.tasks / f"{key}.todo.md"

    def shown(self, path: Path) -> str:
        """The path as messages show it: relative to the checkout, with `/`."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)

    def numbers(self) -> tuple[int, ...]:
        """The numbers of the execution plans there are, ascending."""
        return _numbers(self.planning, _PLAN)

    def active(self, number: int | None = None) -> int:
        """The orchestration a command is about: `number`, else the highest. Raises UserError if there is none."""
        there = self.numbers()
        if not self.planning.is_dir():
            raise UserError(f"no planning folder in {self.root}", hint="run: orch init", code="no-planning")
        if not there:
            raise UserError("no execution plan in planning/", hint="run: orch new TITLE", code="no-plan")
        if number is None:
            return there[-1]
        if number not in there:
            raise UserError(
                f"no orchestration {number}: planning/EXECUTION_PLAN_{number}.md isn't there",
                hint="there is " + ", ".join(str(one) for one in there),
                code="no-plan",
            )
        return number

    def next_number(self) -> int:
        """The number of a new planning set: above every file that bears a number, so that nothing is reused."""
        return max(_numbers(self.planning, _NUMBERED), default=0) + 1

    def todo_names(self) -> tuple[str, ...]:
        """What stands before `.todo.md` in the names of planning/tasks, sorted."""
        matches = (_TODO.fullmatch(name) for name in names_in(self.tasks))
        return tuple(sorted(match[1] for match in matches if match))

    def turn_dir(self, key: TaskKey, attempt: int, turn: str) -> Path:
        """The folder of one turn of one worker: its order, prompt, output and end."""
        return self.run / "turns" / str(key) / f"{attempt}-{turn}"

    def workspace_dir(self, key: TaskKey) -> Path:
        return self.run / "work" / str(key)

    def review_dir(self, key: TaskKey) -> Path:
        """The copy of the tree that a task's reviewer works in."""
        return self.run / "review" / str(key)

    def verify_dir(self, slot: int, repo: str = "") -> Path:
        """orch's own workspace number `slot`, in which merged trees are tested; of another repository by its name."""
        return self.run / "verify" / (f"{repo}-{slot}" if repo else str(slot))

    def landing_dir(self, repo: str = "") -> Path:
        return self.run / "landings" / repo if repo else self.run / "landing"

    def receipts_dir(self) -> Path:
        """What commands wrote into logs while another orch was at work, by task."""
        return self.run / "receipts"

    def suites_dir(self) -> Path:
        """The output of suites."""
        return self.run / "suites"

    def suite_dir(self, suite: str) -> Path:
        """Where the output of a suite lies; a name that is no plain word can't lead anywhere else."""
        return self.suites_dir() / re.sub(r"[^A-Za-z0-9_-]+", "-", suite)


def _numbers(folder: Path, pattern: re.Pattern[str]) -> tuple[int, ...]:
    matches = (pattern.fullmatch(name) for name in names_in(folder))
    return tuple(sorted({int(match[1]) for match in matches if match}))
