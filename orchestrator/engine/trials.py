"""The orchestrations of `orch selftest`: small repositories whose scripted workers make every kind of trouble.

Owns what they hold. Must not know how they are disturbed or compared. No worker dies by itself: each may be killed
once, and the second death of a task ends it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestrator.engine.demo import build as build_demo
from orchestrator.markdown.full_yaml import read_full
from orchestrator.nouns import dataclass
from orchestrator.store.text_files import create, read
from orchestrator.vcs.command import Git

Scene = Mapping[str, object]

BRANCH = "orch/1-trial"
# Prints what pytest would: a failing test for each line `breaks NAME` in a file.
_SUITE = """\
echo "=== short test summary info ==="
broken=$(cat *.txt 2>/dev/null | sed -n 's/^breaks //p' | sort -u)
number=0
for one in $broken; do echo "FAILED t.py::$one - no"; number=$((number + 1)); done
if [ $number -gt 0 ]; then echo "$number failed, 5 passed in 0.1s"; exit 1; fi
echo "5 passed in 0.1s"
"""
_FILES = {"suite.sh": _SUITE, "shared.txt": "base\n", "README.md": "# A trial\n"}
# A commit of somebody else's on the integration branch, made once however often its worker is started.
_THEIRS = """\
cd "{root}" && branch=refs/heads/{branch}
git log --format=%s "$branch" | grep -qx theirs && exit 0
blob=$(echo theirs | git hash-object -w --stdin)
export GIT_INDEX_FILE="$HOME/theirs.index"
export GIT_AUTHOR_NAME=P GIT_AUTHOR_EMAIL=p@localhost GIT_COMMITTER_NAME=P GIT_COMMITTER_EMAIL=p@localhost
for again in 1 2 3 4 5 6 7 8 9; do
  old=$(git rev-parse "$branch")
  git read-tree "$old" && git update-index --cacheinfo "100644,$blob,shared.txt"
  git update-ref "$branch" "$(git commit-tree "$(git write-tree)" -p "$old" -m theirs)" "$old" && exit 0
done
exit 1
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """An orchestration. `build` makes it below a new folder and returns the repository that orch is called in."""

    name: str
    build: Callable[[Path], Path]
    others: tuple[str, ...] = ()
    """Further repositories, by the names of `repos:`, which are folders beside it."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A task of one file. `turns` says what its worker plays; `words` are further lines of its spec."""

    id: str
    wave: int
    turns: tuple[Scene, ...]
    file: str
    edits: bool = False
    test: str = "true"
    words: str = ""

    @property
    def key(self) -> str:
        return f"1.{self.wave}.{self.id}"


def _plans(file: str, *, edits: bool = False, test: str = "true", strays: str = "") -> Scene:
    """A plan turn; `strays` is a file out of scope that a step of it is about."""
    verb = "Edit" if edits else "Create"
    steps = [f"{verb} `{file}`", *([f"Create `{strays}`"] if strays else []), f"Run `{test}`"]
    boxes = "\n".join(f"- [ ] {number}. {step}" for number, step in enumerate(steps, start=1))
    return {"turn": "plan", "plan": f"# KEY\n\n## Goal\nWrite {file}.\n\n## TODO items\n{boxes}\n"}


def _works(file: str, text: str = "right\n", turn: str = "execute", run: str = "") -> Scene:
    """A turn that writes the file and reports."""
    report = f"- Status: done\n- Files: `{file}`\n- Deviations: none\n- Gotchas: none\n"
    return {"turn": turn, "files": {file: text}, **({"run": run} if run else {}), "tick": "all", "report": report}


def _plain(id: str, wave: int, words: str = "") -> _Task:
    file = f"{wave}-{id}.txt"
    return _Task(id, wave, (_plans(file), _works(file)), file, words=words)


def _strays(id: str, wave: int) -> _Task:
    """Its first plan names a file out of scope."""
    file = f"{wave}-{id}.txt"
    return _Task(id, wave, (_plans(file, strays="other.txt"), _plans(file), _works(file)), file)


def _fails(id: str, wave: int, times: int, words: str = "") -> _Task:
    """Its test fails so many times: once is a retry, twice a tier more, four times the end."""
    file = f"{wave}-{id}.txt"
    test = f"grep -q right {file}"
    turns: list[Scene] = []
    for tier in range(2):
        texts = ["wrong\n" if tier * 2 + attempt < times else "right\n" for attempt in range(2)]
        kinds = ("execute", "retry")
        turns += [_plans(file, test=test), *(_works(file, text, kind) for text, kind in zip(texts, kinds, strict=True))]
    return _Task(id, wave, tuple(turns), file, test=test, words=words)


def _breaks(id: str, wave: int, words: str = "") -> _Task:
    """Its work breaks the suite, is taken back and mended."""
    file = f"{wave}-{id}.txt"
    return _Task(id, wave, (_plans(file), _works(file, "breaks it\n"), _works(file, turn="retry")), file, words=words)


def _conflicts(id: str, wave: int, root: Path, words: str = "") -> _Task:
    """It edits a file that somebody else commits meanwhile, in the repository at `root`."""
    file = "shared.txt"
    theirs = _THEIRS.format(root=root, branch=BRANCH)
    turns = (
        _plans(file, edits=True),
        _works(file, "mine\n", run=theirs),
        _works(file, "theirs and mine\n", "retry"),
    )
    return _Task(id, wave, turns, file, edits=True, words=words)


def _troubles(folder: Path) -> Path:
    root = folder / "trial"
    tasks = [
        _strays("1", 1),
        _fails("2", 1, 2),
        _conflicts("3", 1, root),
        _fails("4", 1, 4),
        _breaks("5", 1),
        _plain("1", 2),
    ]
    _repository(root)
    _write_set(root, tasks, "gate: auto\nsuites: {unit: sh suite.sh}\n")
    return root


def _two(folder: Path) -> Path:
    there = "- **Repo:** ui"
    ui = folder / "ui"
    tasks = [
        _plain("1", 1),
        _conflicts("2", 1, ui, there),
        _fails("3", 1, 1, there),
        _breaks("1", 2, there),
    ]
    _repository(ui)
    root = _repository(folder / "trial")
    suites = "suites:\n  unit: sh suite.sh\n  web: {run: sh suite.sh, repo: ui}\n"
    _write_set(root, tasks, f"gate: auto\nrepos: {{ui: ../ui}}\n{suites}")
    return root


def _demo(folder: Path) -> Path:
    """The demo as it is, but for the delays of its workers, and with their recording as JSON: read much faster."""
    root = build_demo(folder / "trial")
    script = root / "planning" / "demo_workers.yaml"
    turns = {entry.key: entry.value for entry in read_full(read(script) or "", 0)}
    script.unlink()
    text = json.dumps(turns, indent=1).replace('"delay": "0.1"', '"delay": "0"')
    create(script, text, shown=script.name)
    return root


def _repository(root: Path) -> Path:
    root.mkdir(parents=True)
    for name, text in _FILES.items():
        create(root / name, text, shown=name)
    git = Git(str(root))
    git.run("init", "-q", "-b", "main")
    for name, value in (("user.name", "orch selftest"), ("user.email", "selftest@localhost")):
        git.run("config", name, value)
    git.run("config", "commit.gpgSign", "false")
    git.run("add", "-A")
    git.run("commit", "-q", "-m", "Begin the trial")
    return root


def _write_set(root: Path, tasks: Sequence[_Task], settings: str) -> None:
    planning = root / "planning"
    (planning / "tasks").mkdir(parents=True)
    worker = "{driver: scripted, script: planning/workers.yaml}"
    workers = f"workers:\n  small: {worker}\n  mid: {worker}\n"
    create(planning / "ORCH.md", f"---\n{settings}{workers}---\n", shown="ORCH.md")
    create(planning / "EXECUTION_PLAN_1.md", _plan_text(tasks), shown="EXECUTION_PLAN_1.md")
    recording = {task.key: [_named(scene, task) for scene in task.turns] for task in tasks}
    create(planning / "workers.yaml", json.dumps(recording, indent=1), shown="workers.yaml")


def _named(scene: Scene, task: _Task) -> Scene:
    plan = scene.get("plan")
    return (
        {**scene, "plan": plan.replace("# KEY", f"# {task.key} — Task {task.id}", 1)}
        if isinstance(plan, str)
        else scene
    )


def _plan_text(tasks: Sequence[_Task]) -> str:
    rows = "".join(
        f"| {wave} | {', '.join(task.key for task in tasks if task.wave == wave)} |\n"
        for wave in sorted({task.wave for task in tasks})
    )
    specs = "\n".join(_spec(task) for task in tasks)
    head = "# Execution plan 1 — Trial\n\n## Goal\n\nA trial.\n\n## Waves\n\n| Wave | Tasks | Depends on |\n"
    rows = rows.replace(" |\n", " | |\n")
    return f"{head}| --- | --- | --- |\n{rows}\n## Tasks\n\n{specs}"


def _spec(task: _Task) -> str:
    label = "Must edit" if task.edits else "Can create"
    fields = [f"- **{label}:** `{task.file}`", "- **Acceptance:** it is there", f"- **Test:** `{task.test}`"]
    return f"### {task.key} — Task {task.id}\n\n" + "\n".join([*fields, *([task.words] if task.words else [])]) + "\n"


TRIALS = (Trial("demo", _demo), Trial("troubles", _troubles), Trial("two repositories", _two, ("ui",)))
