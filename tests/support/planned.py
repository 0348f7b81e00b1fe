"""Small repositories with a planning set whose workers replay what a test says."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Scene = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a test: its id, what it may create, its test, and the turns its worker plays.

    Without turns the worker plans, creates every file of `creates` with its name in it, and reports.
    """

    id: str
    creates: tuple[str, ...]
    test: str = "true"
    edits: tuple[str, ...] = ()
    turns: tuple[Scene, ...] | None = None
    wave: int = 1
    extra: str = ""
    """Further lines of the spec, such as `- **Scratch:** `tmp/`."""

    @property
    def key(self) -> str:
        return f"1.{self.wave}.{self.id}"


def plan_text(task: Task, *, steps: Sequence[str] = ()) -> str:
    """A micro-plan that passes the gate."""
    lines = steps or [
        *(f"Create `{path}`" for path in task.creates),
        *(f"Edit `{path}`" for path in task.edits),
        f"Run `{task.test}`",
    ]
    boxes = "\n".join(f"- [ ] {number}. {line}" for number, line in enumerate(lines, start=1))
    return (
        f"# {task.key} — Task {task.id}\n\n## Goal\nDo task {task.id}.\n\n## TODO items\n{boxes}\n\n"
        "## Notes\n## Questions\n## Discovered\n"
    )


def report_text(paths: Sequence[str]) -> str:
    """A report with every field."""
    files = ", ".join(f"`{path}`" for path in paths) or "none"
    return f"- **Status:** done\n- **Files:** {files}\n- **Tests:** ran\n- **Deviations:** none\n- **Gotchas:** none\n"


def planning(task: Task, **more: object) -> Scene:
    """A plan turn that passes, with further things done in it."""
    return {"turn": "plan", "plan": plan_text(task), **more}


def working(task: Task, turn: str = "execute", **more: object) -> Scene:
    """An execute (or retry) turn that does what was asked, with further things done in it."""
    files = {path: f"{path}\n" for path in (*task.creates, *task.edits)}
    return {"turn": turn, "files": files, "tick": "all", "report": report_text([*files]), **more}


def scenes(task: Task) -> list[Scene]:
    return list(task.turns) if task.turns is not None else [planning(task), working(task)]


def spec_text(task: Task) -> str:
    """The task's section of the execution plan."""
    fields = [f"- **Test:** `{task.test}`", "- **Acceptance:** it is there"]
    if task.creates:
        fields.append("- **Can create:** " + ", ".join(f"`{path}`" for path in task.creates))
    if task.edits:
        fields.append("- **Must edit:** " + ", ".join(f"`{path}`" for path in task.edits))
    if task.extra:
        fields.append(task.extra)
    return f"### {task.key} — Task {task.id}\n\n" + "\n".join(fields) + "\n\nDo it.\n"


def plan_file(tasks: Sequence[Task]) -> str:
    """EXECUTION_PLAN_1.md for the tasks."""
    waves = sorted({task.wave for task in tasks})
    rows = "".join(
        f"| {wave} | wave {wave} | {', '.join(task.key for task in tasks if task.wave == wave)} | "
        f"{wave - 1 if wave > 1 else '—'} |\n"
        for wave in waves
    )
    specs = "\n".join(spec_text(task) for task in tasks)
    return (
        "---\norchestration: 1\ntitle: Things\n---\n# Execution plan 1 — Things\n\n## Goal\n\nThings.\n\n"
        f"## Waves\n\n| Wave | Theme | Tasks | Depends on |\n| --- | --- | --- | --- |\n{rows}\n## Tasks\n\n{specs}"
    )


def make_repository(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"README.md": "# Things\n", **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
    return folder


def write_set(folder: Path, tasks: Sequence[Task], *, settings: str = "", worker: str = "") -> None:
    """The planning set of the tasks, with the recording of their workers beside it."""
    planning_folder = folder / "planning"
    (planning_folder / "tasks").mkdir(parents=True, exist_ok=True)
    (planning_folder / "EXECUTION_PLAN_1.md").write_text(plan_file(tasks), "utf-8")
    chosen = worker or "small: {driver: scripted, script: planning/workers.yaml, timeout: 60s}"
    (planning_folder / "ORCH.md").write_text(f"---\n{settings}workers:\n  {chosen}\n---\n", "utf-8")
    # JSON is YAML too, and needs no quoting rules of its own here.
    recording = {task.key: scenes(task) for task in tasks}
    (planning_folder / "workers.yaml").write_text(json.dumps(recording, ensure_ascii=False), "utf-8")


def planned(
    folder: Path, tasks: Sequence[Task], *, settings: str = "", files: Mapping[str, str] | None = None, worker: str = ""
) -> Path:
    """A repository with a planning set for the tasks."""
    make_repository(folder, files)
    write_set(folder, tasks, settings=settings, worker=worker)
    return folder
