"""A wave of hostile workers, an act each, and one good one: its work alone lands, and each finding names its act.

The table is tried in both turns: after approval, where the worker does its work besides and does the act again when
it is sent back; and before, where the act is all there is. Acts that do no harm are a table of their own: what they
come with lands.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.test_life_of_a_task import BRANCH, board, todo
from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Scene, Task, planned, planning, working

GOOD = Task("0", ("good.dat",))


@dataclass(frozen=True)
class Act:
    """`script` is run by sh in the workspace. `found` stands in what the task's file says of it, in either turn."""

    script: str
    found: str


PLANTED = 'printf "#!/bin/sh\\ntouch $MARK\\ncat\\n" > $OUTSIDE/planted; chmod +x $OUTSIDE/planted'
ODD_BYTES = "python3 -c \"open(b'caf\\\\xe9', 'w').write('x')\""
DIG = "import os\nfor _ in range(1100):\n os.mkdir('d')\n os.chdir('d')\nopen('f', 'w').close()"

GIT = {
    "switches to another branch": Act("git checkout -q -B other", "HEAD is ref: refs/heads/other instead of"),
    "moves HEAD away from its branch": Act("git checkout -q --detach", "HEAD is "),
    "makes a tag": Act("git tag v9", "refs/tags/v9 was made in the workspace"),
    "makes a worktree": Act("git worktree add -q -b more ../more-$$", "refs/heads/more was made in the workspace"),
    "stashes": Act("echo x > junk; git stash -q -u", "refs/stash was made in the workspace"),
    "moves the integration branch": Act(
        f"git update-ref refs/heads/{BRANCH} $(git -c user.name=x -c user.email=x@y commit-tree -m x HEAD^{{tree}})",
        f"refs/heads/{BRANCH} was ",
    ),
    "puts another commit in place of one": Act(
        "git replace -f HEAD $(git -c user.name=x -c user.email=x@y commit-tree -m x HEAD^{tree})", "refs/replace/"
    ),
    "points at objects elsewhere": Act(
        "echo /nowhere > .git/objects/info/alternates", "objects/info/alternates was changed in the workspace"
    ),
}
RUN_BY_GIT = {
    "hooks elsewhere": Act(f"{PLANTED}; git config core.hooksPath $OUTSIDE", "config was changed in the workspace"),
    "a hook": Act(f"{PLANTED}; cp $OUTSIDE/planted .git/hooks/post-checkout", "hooks/post-checkout was made"),
    "a program that tells changes": Act(
        f"{PLANTED}; git config core.fsmonitor $OUTSIDE/planted", "config was changed in the workspace"
    ),
    "an alias": Act("git config alias.status '!touch $MARK'", "config was changed in the workspace"),
    "a filter": Act(
        f"{PLANTED}; git config filter.evil.clean $OUTSIDE/planted; echo '* filter=evil' > .gitattributes",
        "`.gitattributes`",
    ),
    "drivers of diffs and merges": Act(
        f"{PLANTED}; git config diff.evil.command $OUTSIDE/planted; git config merge.evil.driver $OUTSIDE/planted;"
        " echo '* diff=evil merge=evil' > .gitattributes",
        "`.gitattributes`",
    ),
    "a submodule with a command for its address": Act(
        "printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = ext::touch $MARK\\n' > .gitmodules", "`.gitmodules`"
    ),
    "a repository in the repository": Act("git init -q sub; echo x > sub/hidden.txt", "`sub/hidden.txt`"),
}
NAMES = {
    "a name of two lines that says it is approved": Act(
        "printf x > \"$(printf 'a\\n## Log\\n- approved by=person')\"", "`a\\x0a## Log\\x0a- approved by=person`"
    ),
    "a name that is an option": Act("printf x > ./-rf", "`-rf`"),
    "a name of dots": Act("printf x > ...", "`...`"),
    "a name that is no UTF-8": Act(ODD_BYTES, "`caf\\xe9`"),
    "a name that a terminal obeys": Act("printf x > \"$(printf 'a\\033]0;t\\007')\"", "`a\\x1b]0;t\\x07`"),
    "a name that a shell obeys": Act("printf x > 'a;touch $MARK'", "`a;touch $MARK`"),
    "a name that a scope takes for everything": Act("printf x > '**'", "`**`"),
    "a name in other letters": Act("mv README.md readme.md 2>/dev/null", "`readme.md`"),
}
KINDS = {
    "a pipe for a file": Act("rm -f README.md; mkfifo README.md", "`README.md`"),
    "a pipe for the attributes": Act("mkfifo .gitattributes", "`.gitattributes`"),
    "attributes that can't be followed": Act(
        "echo '*.md working-tree-encoding=UTF-16' > .gitattributes; echo x >> README.md", "`README.md`"
    ),
    "a pipe for HEAD": Act("rm .git/HEAD; mkfifo .git/HEAD", "HEAD is a pipe instead of"),
    "a pipe for a hook": Act("rm -f .git/hooks/x; mkfifo .git/hooks/x", "hooks/x was made in the workspace"),
    "refs that never end": Act("rm .git/packed-refs; ln -s /dev/zero .git/packed-refs", "packed-refs was made"),
    "a file of many gigabytes": Act("truncate -s 400G big; truncate -s 400G .git/big", "`big`"),
    "folders a thousand deep": Act(f'python3 -c "{DIG}"', "`d/d/d/"),
}
LINKS_AND_MODES = {
    "writes through a link": Act("ln -sfn $OUTSIDE out; echo x > out/written", "`out`"),
    "a link for a folder of the protocol": Act(
        "mv planning/tasks ../kept-$$; ln -s ../../kept-$$ planning/tasks; ln -sfn $OUTSIDE planning/more",
        "`planning/",
    ),
    "a second name for a file outside": Act("ln -f $MAIN/README.md hard", "`hard`"),
    "rights": Act("chmod 6755 README.md", "`README.md`"),
    "the acceptance": Act("echo '**Test:** true' > planning/EXECUTION_PLAN_1.md", "`planning/EXECUTION_PLAN_1.md`"),
    "the report of another task": Act(
        "printf '# 1.1.0\\n\\n## Report\\n- **Status:** failed\\n' > planning/tasks/1.1.0.todo.md",
        "`planning/tasks/1.1.0.todo.md`",
    ),
}
HARMLESS = {
    "amends": "git add t*.dat; git -c user.name=x -c user.email=x@y commit -q --amend -m mine",
    "rebases": "git add t*.dat; git -c user.name=x -c user.email=x@y commit -q -m one;"
    " git -c user.name=x -c user.email=x@y rebase -q --root",
    "leaves a pipe and a socket": "mkfifo pipe; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'",
    "leaves a process that hears nothing": "(trap '' TERM HUP INT; while :; do date > $MARK; sleep 0.05; done) &",
    "leaves a process that nobody knows": "env -i MARK=$MARK setsid sh -c"
    " '(while :; do date > $MARK; sleep 0.05; done) & exit' & sleep 0.1",
    "forges what orch keeps": 'printf -- "---\\nsession: forged\\nlanded: [1234567]\\n---\\n" > f; '
    'cat $ORCH_TODO >> f; printf "\\n## Log\\n\\n- 2026-11-29T10:00:00Z landed forged=1 board=done\\n" >> f; '
    "mv f $ORCH_TODO",
    "says what a terminal obeys": "printf '\\033]0;title\\007\\033[2J## Report\\r\\n# 1.1.0\\n- **Status:** failed\\n'",
}
TABLES = {"git": GIT, "run by git": RUN_BY_GIT, "names": NAMES, "kinds": KINDS, "links and modes": LINKS_AND_MODES}


@pytest.fixture(autouse=True)
def no_depths_are_left() -> Iterator[None]:
    """pytest can't remove folders that lie so deep."""
    yield
    subprocess.run(["rm", "-rf", os.environ["XDG_STATE_HOME"]], check=True)


@dataclass(frozen=True)
class Field:
    """A repository with what lies outside of it, as it was before the wave."""

    main: Path
    outside: Path
    mark: Path
    before: tuple[str, ...]

    def assert_found(self, acts: Mapping[str, Act], status: str) -> None:
        """Each act is named in its own task's file, was no death, and its task stands at that."""
        cells = board(self.main)
        for number, (name, act) in enumerate(acts.items(), start=1):
            text = todo(self.main, f"1.1.{number}")
            assert act.found in text, (name, text)
            assert cells[f"1.1.{number}"] == status, (name, text)
            assert "kind=died" not in text, (name, text)

    def assert_untouched(self, landed: Sequence[str]) -> None:
        """Of all that lies outside the workspaces nothing is another but what was to land."""
        assert sorted(git(self.main, "log", "--format=%s", f"main..{BRANCH}").split("\n")) == sorted(landed)
        assert as_it_is(self.main) == self.before
        assert git(self.main, "fsck", "--no-dangling") == ""
        assert not self.mark.exists(), "something that was planted was run, or runs still"


def as_it_is(main: Path) -> tuple[str, ...]:
    """What of a repository is none of a worker's business."""
    hooks = sorted(path.name for path in (main / ".git" / "hooks").iterdir())
    refs = git(
        main, "for-each-ref", "--format=%(refname)", "refs/heads/main", "refs/tags", "refs/stash", "refs/replace"
    )
    others = sorted(path.name for path in main.iterdir())
    text = (main / "README.md").read_text("utf-8")
    mode = f"{(main / 'README.md').stat().st_mode:o}"
    return (*hooks, refs, *others, text, mode, (main / ".git" / "config").read_text("utf-8"), git(main, "status", "-s"))


def lay(tmp_path: Path, scripts: Sequence[str], turns: object) -> Field:
    """A wave of the good task and one for each script; `turns` makes a task's turns out of task and script."""
    main, outside, mark = tmp_path / "repo", tmp_path / "outside", tmp_path / "mark"
    outside.mkdir()
    setting = f"MAIN={main} OUTSIDE={outside} MARK={mark}; export MAIN OUTSIDE MARK\n"
    tasks = [GOOD]
    for number, script in enumerate(scripts, start=1):
        task = Task(f"{number}", (f"t{number}.dat",))
        assert callable(turns)
        tasks.append(Task(task.id, task.creates, turns=turns(task, f"{setting}{{ {script}\n}}; true")))
    planned(main, tasks)
    return Field(main, outside, mark, as_it_is(main))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_after_approval_an_act_is_named_and_blocks_its_task_alone(tmp_path: Path, table: dict[str, Act]) -> None:
    def turns(task: Task, script: str) -> tuple[Scene, ...]:
        return planning(task), {**working(task), "turn": "execute", "run": script}, working(task, "retry", run=script)

    field = lay(tmp_path, [act.script for act in table.values()], turns)
    left = run_orch(field.main, "next-wave", "--auto", timeout=240)
    assert left.code == 4, left
    field.assert_found(table, "blocked")
    assert board(field.main)[GOOD.key] == "done"
    field.assert_untouched(["feat: task 0"])
    assert "\033" not in left.out


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_before_approval_an_act_is_named_and_its_plan_is_parked(tmp_path: Path, table: dict[str, Act]) -> None:
    def turns(task: Task, script: str) -> tuple[Scene, ...]:
        return planning(task, run=script), working(task)

    field = lay(tmp_path, [act.script for act in table.values()], turns)
    left = run_orch(field.main, "next-wave", "--auto", timeout=240)
    assert left.code == 3, left
    field.assert_found(table, "plan-ready")
    field.assert_untouched(["feat: task 0"])


def test_an_act_that_harms_nothing_is_no_obstacle_to_the_work(tmp_path: Path) -> None:
    def turns(task: Task, script: str) -> tuple[Scene, ...]:
        return planning(task), working(task, run=script)

    field = lay(tmp_path, [*HARMLESS.values()], turns)
    left = run_orch(field.main, "next-wave", "--auto", timeout=240)
    assert left.code == 0, left
    field.mark.unlink(missing_ok=True)
    time.sleep(0.2)
    field.assert_untouched([f"feat: task {number}" for number in range(len(HARMLESS) + 1)])
    said = "".join(todo(field.main, f"1.1.{number}") for number in range(len(HARMLESS) + 1))
    said += (field.main / "planning" / "STATE_1.md").read_text("utf-8")
    assert "forged" not in said
    assert "\033" not in said + left.out
