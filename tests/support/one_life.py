"""One small orchestration that is the same wherever it runs: two waves that edit, create, delete and rename, one retry.

What it comes to is known beforehand, so that a test which runs it in some odd repository only says what is odd there.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.support.endings import ending, git
from tests.support.git_repo import GitRepo
from tests.support.orch import Left, run_orch
from tests.support.planned import Scene, Task, planning, report_text, working, write_set

BRANCH = "orch/1-things"

LINES = "".join(f"line {number}\n" for number in range(1, 21))
FILES = {"README.md": "# Things\n", "src/text.txt": f"first\n{LINES}", "src/old.txt": LINES, "gone.txt": "gone\n"}
"""What the repository holds before."""

EDITED, MADE, MOVED = f"edited\n{LINES}", "new\n", f"{LINES}right\n"
RESULT = {"src/text.txt": EDITED, "src/new.txt": MADE, "src/moved.txt": MOVED}
"""What the integration branch holds of the tasks' files afterwards."""

DIFF = ("0 1 gone.txt", "1 0 src/new.txt", "1 0 src/{old.txt => moved.txt}", "1 1 src/text.txt")
"""`git diff-tree --numstat` of the whole: no file differs in more than its tasks changed."""


def tasks(*, run: str = "true", eol: str = "\n") -> list[Task]:
    """Its tasks. `run` is a command that the first worker runs last, `eol` what workers end lines with."""
    edit = Task("1", (), edits=("src/text.txt",))
    edits = working(edit, files={"src/text.txt": EDITED.replace("\n", eol)}, run=run)
    make = Task("2", ("src/new.txt",), extra="- **Can delete:** `gone.txt`")
    report = report_text(["src/new.txt", "gone.txt"])
    makes = working(make, files={"src/new.txt": MADE.replace("\n", eol)}, delete=["gone.txt"], report=report)
    move = Task("1", ("src/moved.txt",), test="grep -q right src/moved.txt", wave=2)
    move = replace(move, extra="- **Can delete:** `src/old.txt`")
    report = report_text(["src/old.txt", "src/moved.txt"])
    moves: Scene = {"turn": "execute", "run": "git mv src/old.txt src/moved.txt", "tick": "all", "report": report}
    again: Scene = {"turn": "retry", "append": {"src/moved.txt": f"right{eol}"}, "tick": "all", "report": report}
    return [
        replace(edit, turns=(planning(edit), edits)),
        replace(make, turns=(planning(make), makes)),
        replace(move, turns=(planning(move), moves, again)),
    ]


@dataclass
class Life:
    """A repository at `folder` in which the orchestration is to run; what is odd about it is done to it before."""

    folder: Path
    settings: str = ""
    branch: str = BRANCH
    tasks: list[Task] = field(default_factory=tasks)
    env: dict[str, str] = field(default_factory=dict)
    patience: float = 120.0
    """Seconds after which a call counts as stuck."""

    @property
    def repo(self) -> GitRepo:
        return GitRepo(self.folder)

    @property
    def board(self) -> tuple[str, ...]:
        """The words in the board's cells."""
        return tuple(word for _, word in ending(self.folder).board)

    def config(self, *settings: str) -> None:
        """Set keys of the repository's configuration, each as `name=value`."""
        for setting in settings:
            name, _, value = setting.partition("=")
            self.repo.git("config", name, value)

    def next_wave(self) -> Left:
        """One call, with what a person would type."""
        if not (self.folder / "planning").exists():
            write_set(self.folder, self.tasks, settings=f"gate: auto\n{self.settings}")
        return run_orch(self.folder, "next-wave", "--auto", env=self.env, timeout=self.patience)

    def live(self) -> None:
        """Both waves, to their end."""
        for _ in range(2):
            left = self.next_wave()
            assert left.code == 0, (left, self.logs())

    def logs(self) -> str:
        """The todo files: for a failure's message, and for what workers were told."""
        return "\n".join(path.read_text("utf-8") for path in sorted((self.folder / "planning" / "tasks").glob("*")))

    def blob(self, path: str) -> str:
        """A file as it lies in git on the integration branch, every byte of it."""
        words = ["git", "cat-file", "blob", f"{self.branch}:{path}"]
        return subprocess.run(words, cwd=self.folder, capture_output=True, check=True).stdout.decode()


def new_life(top: Path, files: Mapping[str, str] | None = None, *, branch: str = "main") -> Life:
    """A life in a fresh repository `top/repo` with the files there are before, and `files`."""
    return Life(GitRepo.create(top / "repo", {**FILES, **(files or {})}, branch=branch).path)


def assert_lived(
    life: Life, *, files: Mapping[str, str] = RESULT, diff: tuple[str, ...] = DIFF, dirty: str = ""
) -> None:
    """The same end as anywhere: the tree, one commit a task, the board, the reports, a checkout without a trace."""
    end = ending(life.folder)
    assert end.board == (("1.1.1", "done"), ("1.1.2", "done"), ("1.2.1", "done")), life.logs()
    assert end.waves == (("1", "done"), ("2", "done"))
    assert {report.split(" ", 1)[0] for report in end.reports} == {"1.1.1", "1.1.2", "1.2.1"}
    assert all("- **Status:** done" in report for report in end.reports)
    state = (life.folder / "planning" / "STATE_1.md").read_text("utf-8")
    fork = next(line.removeprefix("fork: ") for line in state.split("\n") if line.startswith("fork: "))
    subjects = git(life.folder, "log", "--no-show-signature", "--format=%s", f"{fork}..{life.branch}").split("\n")
    assert sorted(subjects) == ["docs: task 1", "docs: task 1", "docs: task 2"]
    assert {path: life.blob(path) for path in files} == files
    numbers = git(life.folder, "diff-tree", "-r", "-M", "--numstat", fork, life.branch)
    assert sorted(numbers.replace("\t", " ").split("\n")) == sorted(diff)
    assert end.checkout == dirty
