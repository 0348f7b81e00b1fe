"""An orchestration over two repositories in three waves, with every trouble that workers make, in planned ways.

Tasks land in `api`, where the plan lies, and in `ui`. One asks, one conflicts with a commit of somebody else's, one
dies once, one fails its test once, one breaks the suite of `api`, one that of `ui`, one fails twice and goes up a tier.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.endings import Ending, ending, git
from tests.support.orch import Left, run_orch
from tests.support.planned import Scene, Task, make_repository, plan_text, planning, report_text, working, write_set
from tests.support.suite import FILES, breaking, writing

CALLS: tuple[tuple[str, ...], ...] = (
    ("next-wave", "--auto"),
    ("approve", "1.1.3", "--answer", "1=yes"),
    ("next-wave", "--auto"),
    ("next-wave", "--auto"),
    ("next-wave", "--auto"),
    ("next-wave", "--auto"),
)
CODES = (3, 0, 0, 0, 0, 6)
"""How each call leaves when nobody disturbs it."""

SETTINGS = """\
gate: auto
repos: {{ui: {{path: ../ui, branch: {branch}}}}}
suites:
  unit: {{run: sh suite.sh {runs}}}
  web: {{run: sh suite.sh {runs}, repo: ui}}
"""
WORKERS = """\
small: {driver: scripted, script: planning/workers.yaml, timeout: 60s}
  mid: {driver: scripted, script: planning/workers.yaml, timeout: 60s}"""

# A commit of somebody else's on the branch in `ui`, made once, however often the worker is started.
_COMMITTED = """\
cd {ui}
git log --format=%s | grep -qx theirs && exit 0
export GIT_AUTHOR_NAME=P GIT_AUTHOR_EMAIL=p@example.org GIT_COMMITTER_NAME=P GIT_COMMITTER_EMAIL=p@example.org
for again in 1 2 3 4 5 6 7 8 9; do
  echo theirs > shared.dat
  git commit -q -m theirs -- shared.dat && exit 0
  sleep 0.3
done
exit 1
"""
_THEIRS = """\
cd {ui}
branch=refs/heads/orch/1-things
git log --format=%s "$branch" | grep -qx theirs && exit 0
blob=$(echo theirs | git hash-object -w --stdin)
export GIT_INDEX_FILE={ui}.index GIT_AUTHOR_NAME=P GIT_AUTHOR_EMAIL=p@example.org GIT_COMMITTER_NAME=P \\
  GIT_COMMITTER_EMAIL=p@example.org
for again in 1 2 3 4 5 6 7 8 9; do
  old=$(git rev-parse "$branch")
  git read-tree "$old" && git update-index --cacheinfo "100644,$blob,shared.dat"
  new=$(git commit-tree "$(git write-tree)" -p "$old" -m theirs)
  git update-ref "$branch" "$new" "$old" && exit 0
done
exit 1
"""


def _in_ui(task: Task, word: str = "ui") -> Task:
    return replace(task, extra=f"- **Repo:** {word}")


def tasks(top: Path, *, on_branch: bool) -> list[Task]:
    """The tasks, those of wave 1 first; `top` is the folder that both repositories lie in.

    on_branch: the integration branch is checked out in `ui`, where somebody else commits too.
    """
    theirs = (_COMMITTED if on_branch else _THEIRS).format(ui=top / "ui")
    asks = Task("3", ("asked.dat",))
    question = plan_text(asks).replace("## Questions\n", "## Questions\n1. Is it so?\n")
    conflicts = Task("2", (), edits=("shared.dat",))
    mine: Scene = {"files": {"shared.dat": "mine\n"}, "tick": "all", "report": report_text(["shared.dat"])}
    both: Scene = {**mine, "files": {"shared.dat": "theirs and mine\n"}}
    dies = Task("4", ("late.dat",))
    once = f"test -e {top}/died || {{ touch {top}/died; exit 9; }}"
    fails = Task("3", ("tested.dat",), test="grep -q right tested.dat", wave=2)
    climbs = Task("1", ("high.dat",), test="grep -q right high.dat", wave=3)
    return [
        Task("1", ("plain.dat",)),
        _in_ui(
            replace(
                conflicts,
                turns=(
                    planning(conflicts),
                    {"turn": "execute", "run": theirs, **mine},
                    {"turn": "retry", **both},
                ),
            )
        ),
        _in_ui(replace(asks, turns=({"turn": "plan", "plan": question}, working(asks))), "../ui"),
        replace(dies, turns=(planning(dies), working(dies, run=once))),
        _in_ui(breaking("1", "shown", wave=2)),
        breaking("2", "stored", wave=2),
        replace(fails, turns=(planning(fails), writing(fails, "wrong\n"), writing(fails, "right\n", "retry"))),
        _in_ui(
            replace(
                climbs,
                turns=(
                    planning(climbs),
                    writing(climbs, "wrong\n"),
                    writing(climbs, "wrong again\n", "retry"),
                    planning(climbs),
                    writing(climbs, "right\n"),
                ),
            )
        ),
        replace(Task("2", ("last.dat",), wave=3), extra="- **Repo:** api"),
    ]


def prepared(top: Path, *, on_branch: bool = False) -> Path:
    """The repository `api` with the planning set, and `ui` beside it, its integration branch checked out or not."""
    make_repository(top / "ui", {**FILES, "shared.dat": "base\n"})
    made = make_repository(top / "api", FILES)
    if on_branch:
        git(top / "ui", "checkout", "-q", "-b", "work")
    settings = SETTINGS.format(runs=top / "runs", branch="current" if on_branch else '"orch/{n}-{slug}"')
    write_set(made, tasks(top, on_branch=on_branch), settings=settings, worker=WORKERS)
    return made


def call(made: Path, index: int, effects: dict[str, object] | None = None) -> Left:
    """One of CALLS."""
    return run_orch(made, *CALLS[index], effects=effects)


def came_to(made: Path) -> Ending:
    """What it came to in both repositories."""
    return ending(made, others={"ui": made.parent / "ui"})
