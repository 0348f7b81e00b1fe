"""A planning set that people made by hand runs in place: through both waves, and its files change only where they must.

The set is one of the shared corpus, the repository is made to match what its specs name, and `uv` is stood in for.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import make_repository
from tests.support.shared import shared

DISTANCES = "".join(f"def {name}(a, b):\n    return 0.0\n\n\n" for name in ("euclidean", "cosine", "gower")).rstrip()
FILES = {
    "src/pypkgtest/distances.py": DISTANCES + "\n",
    "src/pypkgtest/__init__.py": 'from pypkgtest.distances import euclidean\n\n__all__ = ["euclidean"]\n',
    "tests/test_distances.py": "".join(
        f"def test_{name}():\n    assert True\n\n\n" for name in ("euclidean", "cosine", "gower")
    ).rstrip()
    + "\n",
    "docs/index.md": "# Package\n\n## Distance Functions\n\neuclidean, cosine, gower\n",
}
METRICS = "".join(f"\n\ndef {name}(a, b, p=1):\n    return 1.0\n" for name in ("manhattan", "chebyshev", "minkowski"))
NAMES = "chebyshev, euclidean, manhattan, minkowski"
UV = """#!/bin/sh
shift
PYTHONPATH=src PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
tool=$1
shift
case $tool in
python) exec python3 "$@" ;;
pytest) grep -c "^def test_" tests/test_distances.py | sed 's/$/ passed in 0.01s/' ;;
mkdocs) exec grep -q minkowski docs/index.md ;;
ruff) test -d "$2" ;;
*) exit 2 ;;
esac
"""


def plan(key: str, steps: Sequence[str]) -> str:
    boxes = "\n".join(f"- [ ] {step}" for step in steps)
    return f"# {key} -- as the spec says\n## Goal\nWhat the spec says.\n## TODO items\n{boxes}\n## Questions\n- None.\n"


def scenes(key: str, files: dict[str, str]) -> list[dict[str, object]]:
    steps = [*(f"Edit `{path}`" for path in files), "Run the targeted test command"]
    paths = ", ".join(f"`{path}`" for path in files)
    report = f"- **Status:** done\n- **Files:** {paths}\n- **Deviations:** none\n- **Gotchas:** none\n"
    work: dict[str, object] = {"turn": "execute", "files": files, "tick": "all", "report": report}
    return [{"turn": "plan", "plan": plan(key, steps)}, work]


WORKERS = {
    "1.1.1": scenes(
        "1.1.1",
        {
            "src/pypkgtest/distances.py": DISTANCES + "\n" + METRICS,
            "src/pypkgtest/__init__.py": f"from pypkgtest.distances import {NAMES}\n",
        },
    ),
    "1.2.1": scenes(
        "1.2.1", {"tests/test_distances.py": FILES["tests/test_distances.py"] + "\n\ndef test_minkowski():\n    pass\n"}
    ),
    "1.2.2": scenes("1.2.2", {"docs/index.md": FILES["docs/index.md"] + "chebyshev, manhattan, minkowski\n"}),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "pypkgtest", FILES)
    planning = folder / "planning"
    (planning / "tasks").mkdir(parents=True)
    team = "AndrewBrown-USDA__pypkgtest__"
    for kind, name in (("execution-plan", "EXECUTION_PLAN_1.md"), ("state", "STATE_1.md")):
        (planning / name).write_bytes(shared("corpus", kind, team + name).read_bytes())
    for key in ("1.1.1", "1.2.1"):
        name = f"{key}.todo.md"
        (planning / "tasks" / name).write_bytes(shared("corpus", "todo", team + name).read_bytes())
    workers = "workers:\n  small: {driver: scripted, script: planning/workers.yaml}\n"
    (planning / "ORCH.md").write_text(f"---\n{workers}suites:\n  unit: uv run pytest\n---\n", "utf-8")
    (planning / "workers.yaml").write_text(json.dumps(WORKERS), "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "planning")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "uv").write_text(UV, "utf-8")
    (tools / "uv").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_a_set_that_people_made_runs_through_both_waves(folder: Path) -> None:
    checked = run_orch(folder, "check")
    assert (checked.code, checked.out) == (
        0,
        "orchestration 1: 3 tasks in 2 waves, no problem\nnext: orch next-wave\n",
    ), checked

    first = run_orch(folder, "next-wave", "--auto")
    second = run_orch(folder, "next-wave", "--auto")
    assert (first.code, second.code, run_orch(folder, "next-wave", "--auto").code) == (0, 0, 6), (first, second)
    assert git(folder, "log", "--format=%s", "main..orch/1").split("\n") == [
        "docs: update the docs landing page to mention manhattan",
        "test: add unit coverage for the three new metrics",
        "feat: add manhattan, chebyshev, and minkowski",
    ]
    assert git(folder, "status", "--porcelain", "--", ".", ":!planning") == ""


def test_only_what_had_to_change_is_different_afterwards(folder: Path) -> None:
    for code in (0, 0, 6):
        assert run_orch(folder, "next-wave", "--auto").code == code
    changed = git(folder, "status", "--porcelain", "--", "planning").split("\n")
    assert [line.split()[-1] for line in changed] == [
        "planning/STATE_1.md",
        "planning/tasks/1.1.1.todo.md",
        "planning/tasks/1.2.1.todo.md",
        "planning/tasks/1.2.2.todo.md",
    ]
    diff = git(folder, "diff", "-U0", "--", "planning/STATE_1.md").split("\n")[4:]
    gone = [line[1:] for line in diff if line.startswith("-")]
    assert [re.sub(r"`pending` \| .*", "`pending` | …", line) for line in gone] == [
        "| `1.1.1` | `pending` | …",
        "| `1.2.1` | `pending` | …",
        "| `1.2.2` | `pending` | …",
    ]
    there = (folder / "planning" / "STATE_1.md").read_text("utf-8")
    for line in gone:
        assert line.replace("`pending`", "done") in there, "only the word in the cell is another"
    headings = [line for line in there.split("\n") if line.startswith("#")]
    assert headings == [
        *("# State 1", "## Baseline", "## Waves", "## Wave Board", "## Task Reports"),
        "### 1.1.1 — Add manhattan, chebyshev, and minkowski",
        "### 1.2.1 — Add unit coverage for the three new metrics",
        "### 1.2.2 — Update the docs landing page to mention manhattan",
    ]
    for key in ("1.1.1", "1.2.1"):
        before = git(folder, "show", f"HEAD:planning/tasks/{key}.todo.md")
        after = (folder / "planning" / "tasks" / f"{key}.todo.md").read_text("utf-8")
        earlier = after.partition("## Earlier\n")[2]
        assert [line[2:] for line in earlier.split("\n") if line.startswith("> ")] == before.split("\n")
