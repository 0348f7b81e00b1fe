"""The guard of Gemini CLI both ways: its rules, read and followed as the program's policy engine does."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from orchestrator.drivers.gemini_rules import guard_rules

# What the program refuses to load: an expression this long, or with a group that may be repeated.
LONGEST = 2048
REPEATED = re.compile(r"\([^)]*[*+?{].*\)[*+?{]")
SCOPE = ["src/**", "docs/{a,b}*.md", 'odd "$name".txt']
TOLD = (
    'You may write src/**, docs/{a,b}*.md, odd "$name".txt, and your todo file TOP/planning/tasks/5.1.1.todo.md. '
    "If the task can't be done without it, put it under `## Discovered` in your todo file, and stop and report."
)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "real (x)").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real (x)")
    return tmp_path / "link"


def asked(top: Path, tool: str, *, may_write: bool = True, **given: str) -> str:
    """What the engine says to a call: empty where it is left to the approval mode."""
    todo = f"{top}/planning/tasks/5.1.1.todo.md"
    rules = tomllib.loads(guard_rules(worktree=str(top), todo=todo, scope=SCOPE, may_write=may_write))["rule"]
    pairs = (f"\0{json.dumps(name)}:{json.dumps(given[name], ensure_ascii=False)}\0" for name in sorted(given))
    arguments = "{" + ",".join(pairs) + "}"
    for rule in sorted(rules, key=lambda rule: -int(rule["priority"])):
        if tool in rule["toolName"] and re.search(rule["argsPattern"], arguments):
            assert (rule["decision"] == "deny") == ("denyMessage" in rule)
            return str(rule.get("denyMessage", "")).replace(str(top), "TOP")
    return ""


def written(top: Path, path: str, *, may_write: bool = True, tool: str = "write_file") -> str:
    return asked(top, tool, may_write=may_write, file_path=path, content='x "file_path":"src/a"')


def test_every_rule_is_one_that_the_program_takes(top: Path) -> None:
    for may_write in (True, False):
        text = guard_rules(worktree=str(top), todo=f"{top}/t.md", scope=["**/a*/**/b?", *SCOPE], may_write=may_write)
        for rule in tomllib.loads(text)["rule"]:
            assert len(rule["argsPattern"]) <= LONGEST
            assert not REPEATED.search(rule["argsPattern"]), rule
            assert 0 <= rule["priority"] <= 999


@pytest.mark.parametrize("path", ["src/a.py", "./src/deep/new.py", "docs/a1.md", "planning/tasks/5.1.1.todo.md"])
@pytest.mark.parametrize("tool", ["write_file", "replace"])
def test_after_approval_files_in_scope_and_the_todo_file_may_be_written(top: Path, path: str, tool: str) -> None:
    assert written(top, path, tool=tool) == ""
    assert written(top, f"{top}/{path.removeprefix('./')}", tool=tool) == ""
    assert written(top, f"{top.resolve()}/{path.removeprefix('./')}", tool=tool) == ""


@pytest.mark.parametrize(
    "path", ["setup.py", "src", "srcs/a", "docs/c.md", "docs/a/b.md", "/etc/passwd", "xsrc/a", "Src/a", "/src/a", ""]
)
def test_after_approval_nothing_else_may_be_written(top: Path, path: str) -> None:
    assert written(top, path) == written(top, f"{top}/{path}") == f"this file is out of the scope of this task. {TOLD}"


@pytest.mark.parametrize("path", ["src/../setup.py", "../x", "src/..", "src/.\0./x", 'odd "$name".txt', "src\\..\\x"])
def test_a_path_that_has_to_be_worked_out_is_refused(top: Path, path: str) -> None:
    assert written(top, path) == f"write the path as it is, from the top of your folder. {TOLD}"


def test_before_approval_nothing_is_written_but_the_plan_that_the_program_keeps_for_itself(top: Path) -> None:
    said = "Say your plan as your answer, and end your turn."
    refused = (
        "your plan isn't approved yet, so you may write no file but your todo file "
        f"TOP/planning/tasks/5.1.1.todo.md. {said}"
    )
    for path in ("src/a.py", f"{top}/src/a.py", "plan.md", "/home/.gemini/tmp/x"):
        assert written(top, path, may_write=False) == refused
    assert written(top, "/home/me/.gemini/tmp/work/1-2/plans/mine.md", may_write=False) == ""
    left = asked(top, "exit_plan_mode", may_write=False, plan_filename="mine.md")
    assert left == f"your plan isn't approved yet. {said}"
    assert asked(top, "exit_plan_mode", plan_filename="mine.md") == ""


def test_reading_is_nobodys_business(top: Path) -> None:
    assert asked(top, "read_file", may_write=False, file_path="/etc/passwd") == ""


@pytest.mark.parametrize("may_write", [True, False])
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("git commit -qm x", "commit"),
        ("git -C . -c 'user.name=a b' commit -m x", "commit"),
        ('git -c "user.name=a b" commit', "commit"),
        ("GIT_DIR=x sudo git push origin HEAD", "push"),
        ("/usr/bin/git stash", "stash"),
        ("git checkout -b other", "checkout"),
        ("git branch other", "branch"),
        ("git config core.hooksPath x", "config"),
        ("git status", ""),
        ("git checkout -- src/a.py", ""),
        ("git branch --show-current", ""),
        ("git branch", ""),
        ("git stash list", ""),
        ("git config --get user.name", ""),
        ("git merge-base a b", ""),
        ("git -C commit status", ""),
        ("legit commit", ""),
        ('echo "git commit"', ""),
    ],
)
def test_git_commands_that_move_or_keep_something_are_refused(
    top: Path, line: str, found: str, may_write: bool
) -> None:
    refused = asked(top, "run_shell_command", may_write=may_write, command=line, description="git commit")
    expected = (
        f"`git {found}` isn't yours to run: git is left to the orchestrator. Leave your changes in the files; "
        "to take one back: `git restore FILE`."
    )
    assert refused == (expected if found else "")


def test_orch_commands_that_open_gates_are_refused(top: Path) -> None:
    for line in ("orch approve 5.1.1", "bin/orch -n 3 next-wave --auto"):
        assert asked(top, "run_shell_command", command=line) == (
            "orch isn't yours to run: you are one of its workers. Write what you have to say into your todo file "
            "TOP/planning/tasks/5.1.1.todo.md and end your turn."
        )
    for line in ("orch status", "orch show 5.1.1", "orchid run"):
        assert asked(top, "run_shell_command", command=line) == ""
