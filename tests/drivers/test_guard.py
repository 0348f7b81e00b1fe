"""The guard both ways: what it refuses, with what to do instead, and what it lets pass."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.drivers.guard import guard_command, refusal

MOVING_SOMETHING = [
    ("git commit -qm x", "commit"),
    ("cd src && git -C . -c user.name=a commit -m x", "commit"),
    ("pytest -q; git stash", "stash"),
    ("git stash push -m x", "stash"),
    ("GIT_DIR=x git push origin HEAD", "push"),
    ("git checkout main", "checkout"),
    ("git checkout -b other", "checkout"),
    ("git branch other", "branch"),
    ("git tag v1", "tag"),
    ("/usr/bin/git reset --hard", "reset"),
    ("echo x | xargs git rebase", "rebase"),
    ("(git merge other)", "merge"),
    ("x=$(git update-ref refs/heads/x HEAD)", "update-ref"),
    ("bash -c 'git worktree add ../x'", "worktree"),
    ("git config core.hooksPath x", "config"),
    ("pytest\ngit commit -m x", "commit"),
    ("cat > a <<'END'\ntext\nEND\ngit commit -m x", "commit"),
    ("sudo git -C x --no-pager rebase main", "rebase"),
    ("env A=1 git -c 'user.name=a b' commit", "commit"),
    ("if true; then git reset; fi", "reset"),
]
HARMLESS = [
    "git status --short && git diff | head",
    "git log --oneline -5",
    "git show HEAD:src/a.py",
    "git restore src/a.py",
    "git checkout -- src/a.py",
    "git branch",
    "git branch --show-current",
    "git stash list",
    "git config --get user.name",
    "git add -A",
    "grep -rn 'git commit; git push' docs",
    'echo "then: git commit | git push"',
    "cat > notes.md <<EOF\ngit commit -m x\nEOF",
    "python -m pytest -q  # then git commit",
    "orch status && orch show 5.1.1",
    "legit commit",
    "it's broken",
    "git log --grep commit && git merge-base a b",
    "git -C commit status",
]


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    for folder in ("work/src/deep", "work/planning/tasks", "elsewhere", "home/plans"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "work" / "src" / "out").symlink_to(tmp_path / "elsewhere")
    return tmp_path / "work"


def policy(worktree: Path, *, may_write: bool = True) -> dict[str, object]:
    return {
        "worktree": str(worktree),
        "todo": str(worktree / "planning/tasks/5.1.1.todo.md"),
        "scope": ["src/**", "README.md"],
        "may_write": may_write,
        "home": str(worktree.parent / "home/plans"),
    }


def write(worktree: Path, name: str, *, may_write: bool = True, tool: str = "Write") -> str:
    path = name if name.startswith("/") else str(worktree / name)
    call = {"tool_name": tool, "tool_input": {"file_path": path}, "cwd": str(worktree)}
    return refusal(policy(worktree, may_write=may_write), call)


def command(worktree: Path, line: str) -> str:
    return refusal(policy(worktree), {"tool_name": "Bash", "tool_input": {"command": line}})


@pytest.mark.parametrize("name", ["src/a.py", "src/deep/new.py", "README.md", "planning/tasks/5.1.1.todo.md"])
def test_after_approval_files_in_scope_and_the_todo_file_may_be_written(worktree: Path, name: str) -> None:
    assert write(worktree, name) == ""


@pytest.mark.parametrize("name", ["setup.py", "readme.md", "planning/STATE_5.md", ".git/hooks/pre-commit", "src"])
def test_after_approval_nothing_else_in_the_folder_may_be_written(worktree: Path, name: str) -> None:
    assert write(worktree, name) == (
        f"{worktree / name} is out of the scope of this task. You may write src/**, README.md, and your todo file "
        f"{worktree}/planning/tasks/5.1.1.todo.md. If the task can't be done without it, put it under `## Discovered` "
        "in your todo file, and stop and report."
    )


@pytest.mark.parametrize("name", ["../elsewhere/x", "/etc/passwd", "src/out/x", "src/../../work2/src/a.py"])
def test_what_leads_out_of_the_folder_is_refused_however_it_is_written(worktree: Path, name: str) -> None:
    assert " is outside your folder. " in write(worktree, name)


def test_before_approval_only_the_todo_file_may_be_written(worktree: Path) -> None:
    todo = f"{worktree}/planning/tasks/5.1.1.todo.md"
    assert write(worktree, todo, may_write=False) == ""
    assert write(worktree, str(worktree.parent / "home/plans/x.md"), may_write=False) == ""
    assert write(worktree, "src/a.py", may_write=False) == (
        f"{worktree}/src/a.py: your plan isn't approved yet, so you may write no file but your todo file {todo}. "
        "Write your plan there, or say it as your answer, and end your turn."
    )


def test_reading_is_nobodys_business(worktree: Path) -> None:
    assert write(worktree, "/etc/passwd", tool="Read") == ""
    assert refusal(policy(worktree), {"tool_name": "Grep", "tool_input": {"path": "/etc"}}) == ""
    assert refusal(policy(worktree), {"tool_name": "Task", "tool_input": "x"}) == ""


@pytest.mark.parametrize(("line", "found"), MOVING_SOMETHING)
def test_git_commands_that_move_or_keep_something_are_refused(worktree: Path, line: str, found: str) -> None:
    assert command(worktree, line) == (
        f"`git {found}` isn't yours to run: git is left to the orchestrator. Leave your changes in the files; "
        "to take one back: `git restore FILE`."
    )


@pytest.mark.parametrize("line", HARMLESS)
def test_commands_that_look_or_only_name_git_pass(worktree: Path, line: str) -> None:
    assert command(worktree, line) == ""


def patch(worktree: Path, *lines: str, may_write: bool = True, cwd: str = "") -> str:
    text = "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))
    call = {"tool_name": "apply_patch", "tool_input": {"command": text}, "cwd": cwd or str(worktree)}
    return refusal(policy(worktree, may_write=may_write), call)


@pytest.mark.parametrize(
    "lines",
    [
        ("*** Add File: src/new.py", "+*** Add File: setup.py"),
        ("*** Update File: README.md", "@@", " *** Delete File: setup.py", "-a", "+b"),
        ("*** Update File: src/a.py", "*** Move to: src/deep/b.py", "@@", "-a", "+b", "*** Delete File: src/c.py"),
        ("*** Add File: planning/tasks/5.1.1.todo.md", "+x"),
        ("no patch at all",),
    ],
)
def test_a_patch_passes_if_all_its_files_may_be_written(worktree: Path, lines: tuple[str, ...]) -> None:
    assert patch(worktree, *lines) == ""


@pytest.mark.parametrize(
    "line",
    [
        "*** Add File: setup.py",
        "*** Update File: setup.py",
        "*** Delete File: setup.py",
        "*** Move to: setup.py",
        "*** Add File:  setup.py \r",
    ],
)
def test_a_patch_is_refused_for_any_file_that_may_not_be_written(worktree: Path, line: str) -> None:
    refused = patch(worktree, "*** Update File: src/a.py", line)
    assert refused.startswith("setup.py is out of the scope of this task. You may write src/**, README.md, ")
    assert patch(worktree, "*** Update File: ../elsewhere/x").startswith("../elsewhere/x is outside your folder. ")
    assert patch(worktree, "*** Add File: /etc/x").startswith("/etc/x is outside your folder. ")


def test_the_paths_of_a_patch_count_from_where_it_is_applied(worktree: Path) -> None:
    assert patch(worktree, "*** Add File: deep/x.py", cwd=str(worktree / "src")) == ""
    assert patch(worktree, "*** Add File: src/x.py", cwd=str(worktree / "planning")) != ""


def test_before_approval_a_patch_may_touch_the_todo_file_alone(worktree: Path) -> None:
    assert patch(worktree, "*** Update File: planning/tasks/5.1.1.todo.md", may_write=False) == ""
    refused = patch(worktree, "*** Add File: src/a.py", may_write=False)
    assert refused.startswith("src/a.py: your plan isn't approved yet, so you may write no file but your todo file ")


def test_a_patch_that_a_shell_feeds_in_is_judged_like_one(worktree: Path) -> None:
    def fed(name: str, before: str = "") -> str:
        return f"{before}apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch\nEOF\n"

    assert command(worktree, fed("src/a.py")) == command(worktree, fed("a.py", "cd src && ")) == ""
    assert command(worktree, fed("setup.py")).startswith("setup.py is out of the scope of this task. ")
    assert command(worktree, fed("src/a.py", "cd planning && ")).startswith(
        "src/a.py is out of the scope of this task. "
    )
    assert command(worktree, "cat <<'EOF'\n*** Add File: setup.py\nEOF\n") == ""


def test_orch_commands_that_open_gates_are_refused(worktree: Path) -> None:
    assert command(worktree, "orch approve 5.1.1") == command(worktree, "cd x; orch next-wave --auto")
    assert command(worktree, "orch approve 5.1.1").startswith("orch isn't yours to run: you are one of its workers.")


def run_hook(line: str, given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(line, shell=True, input=given, capture_output=True, text=True, check=False)


def test_the_hook_says_its_word_as_json_and_always_exits_with_0(worktree: Path) -> None:
    todo = str(worktree / "it's a todo.md")
    line = guard_command(sys.executable, worktree=str(worktree), todo=todo, scope=["src/**"], may_write=True)
    call = {"tool_name": "Write", "tool_input": {"file_path": str(worktree / "x")}, "cwd": str(worktree)}

    done = run_hook(line, json.dumps(call))
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert (said["hookEventName"], said["permissionDecision"]) == ("PreToolUse", "deny")
    assert said["permissionDecisionReason"].startswith(f"{worktree}/x is out of the scope of this task.")

    call["tool_input"] = {"file_path": todo}
    done = run_hook(line, json.dumps(call))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    done = run_hook(line, "no json")
    assert done.returncode == 0
    assert '"permissionDecision": "deny"' in done.stdout
