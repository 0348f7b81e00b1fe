"""A suite for tests: a shell script that prints what pytest would, one failing test for each line `breaks NAME`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support.planned import Scene, Task, planning, report_text

SCRIPT = """\
# usage: suite.sh FILE-THAT-COUNTS-THE-RUNS [JUNIT-FILE]
echo run >> "$1"
broken=$(cat *.dat 2>/dev/null | sed -n 's/^breaks //p' | sort -u)
if [ -n "$2" ]; then
  mkdir -p "$(dirname "$2")"
  echo '<testsuite name="s"><testcase classname="t" name="fine"/>' > "$2"
  for one in $broken; do echo "<testcase classname='t' name='$one'><failure/></testcase>" >> "$2"; done
  echo '</testsuite>' >> "$2"
  [ -z "$broken" ]
  exit $?
fi
echo "=== short test summary info ==="
number=0
for one in $broken; do echo "FAILED t.py::$one - no"; number=$((number + 1)); done
if [ $number -gt 0 ]; then echo "$number failed, 5 passed in 0.1s"; exit 1; fi
echo "5 passed in 0.1s"
"""
FILES: Mapping[str, str] = {"suite.sh": SCRIPT}


def suite(runs: Path, *, name: str = "unit", more: str = "") -> str:
    """The settings of the suite; `runs` is a file outside the repository that gets a line a run."""
    return f"suites:\n  {name}: {{run: sh suite.sh {runs}{more}}}\n"


def runs_of(runs: Path) -> int:
    """How often the suite ran."""
    return len(runs.read_text("utf-8").splitlines()) if runs.exists() else 0


def writing(task: Task, text: str, turn: str = "execute") -> Scene:
    """A turn that writes this text into each file of the task."""
    files = dict.fromkeys(task.creates, text)
    return {"turn": turn, "files": files, "tick": "all", "report": report_text([*files])}


def breaking(id: str, *names: str, mends: bool = True, wave: int = 1) -> Task:
    """A task whose work breaks these tests of the suite; its retry mends them, or breaks them again."""
    bare = Task(id, (f"f{id}.dat",), wave=wave)
    bug = "".join(f"breaks {name}\n" for name in names)
    turns = (planning(bare), writing(bare, f"{id}\n{bug}"), writing(bare, f"{id}\n{'' if mends else bug}", "retry"))
    return Task(id, bare.creates, wave=wave, turns=turns)
