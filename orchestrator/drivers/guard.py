"""The guard: a hook that an agent program asks before each use of a tool, and that refuses what the task doesn't allow.

It stops confused agents early and tells them what to do instead; the judge is the check from git, for a hook may be
switched off and doesn't see what a shell command writes. Runs as a process of its own: `guard_command` is its command
line, which holds the whole policy, so nothing of it lies where the worker could change it. Whatever happens it exits
with 0 and says its word as JSON.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrator.model.plan import ScopePath
from orchestrator.model.scope import covers

_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from orchestrator.drivers.guard import main; main()"
_OPERATORS = ";|&()`\n"
_PARTS = re.compile(rf"[{_OPERATORS}]+")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1(.*?\n)(?:.*?\n)?[ \t]*\2(?=\s|$)", re.DOTALL)
_SHELLS = frozenset(("sh", "bash", "dash", "zsh"))
_BEFORE = frozenset("sudo env time nohup command exec nice builtin xargs then do else !".split())
_GATES = frozenset(
    "next-wave run approve revise takeover answer retry rescope skip block verify land report clean init new".split()
)
_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"))
_MOVING = frozenset(
    "commit rebase reset merge cherry-pick revert am pull push fetch switch update-ref filter-branch replace notes gc"
    " prune remote submodule init clone fast-import bisect".split()
)
_ASKING: Mapping[str, frozenset[str]] = {
    "stash": frozenset(("list", "show")),
    "branch": frozenset(("-l", "--list", "--show-current", "-a", "-r", "-v", "-vv", "--contains")),
    "tag": frozenset(("-l", "--list")),
    "worktree": frozenset(("list",)),
    "config": frozenset(("--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list")),
    "reflog": frozenset(("show",)),
    "symbolic-ref": frozenset(("--short", "HEAD")),
}
"""Commands that only tell something with one of these words, or with none; anything else of them changes something."""


def guard_command(
    python: str, *, worktree: str, todo: str, scope: Iterable[str], may_write: bool, home: str = ""
) -> str:
    """The command line of the hook, for a shell. home: the folder of the agent program's own files, which it may
    write."""
    policy = {"worktree": worktree, "todo": todo, "scope": list(scope), "may_write": may_write, "home": home}
    root = str(Path(__file__).parents[2])
    words = (python, "-I", "-S", "-c", _PROGRAM, root, json.dumps(policy, ensure_ascii=False))
    return " ".join(shlex.quote(word) for word in words)


def refusal(policy: Mapping[str, object], call: Mapping[str, object]) -> str:
    """Why a use of a tool isn't allowed, and what to do instead; empty if it is."""
    given = call.get("tool_input")
    if not isinstance(given, Mapping):
        return ""
    command = given.get("command")
    if isinstance(command, str):
        return _command_refusal(command, policy)
    for key in ("file_path", "notebook_path", "path"):
        if isinstance(given.get(key), str) and call.get("tool_name") not in ("Read", "Grep", "Glob", "LS"):
            return _write_refusal(str(given[key]), policy, str(call.get("cwd") or policy["worktree"]))
    return ""


def _write_refusal(name: str, policy: Mapping[str, object], cwd: str) -> str:
    top = os.path.realpath(str(policy["worktree"]))
    # Through every link that is there now: a link inside may lead anywhere.
    path = os.path.realpath(os.path.join(cwd, name))  # noqa: PTH118
    todo = str(policy["todo"])
    home = str(policy.get("home") or "")
    if path == os.path.realpath(todo) or (home and path.startswith(os.path.realpath(home) + os.sep)):
        return ""
    if not policy["may_write"]:
        return (
            f"{name}: your plan isn't approved yet, so you may write no file but your todo file {todo}. "
            "Write your plan there, or say it as your answer, and end your turn."
        )
    inside = os.path.relpath(path, top)
    scope = policy["scope"]
    patterns = [str(pattern) for pattern in scope] if isinstance(scope, list) else []
    if not inside.startswith("..") and covers([ScopePath(pattern) for pattern in patterns], inside):
        return ""
    where = "outside your folder" if inside.startswith("..") else "out of the scope of this task"
    return (
        f"{name} is {where}. You may write {', '.join(patterns) or 'nothing'}, and your todo file {todo}. If the task "
        "can't be done without it, put it under `## Discovered` in your todo file, and stop and report."
    )


def _command_refusal(command: str, policy: Mapping[str, object]) -> str:
    for words in _commands(command):
        program = words[0].rpartition("/")[2]
        if program in _SHELLS and "-c" in words[:-1]:
            found = _command_refusal(words[words.index("-c") + 1], policy)
            if found:
                return found
        if program == "git" and (found := _moving(words[1:])):
            return (
                f"`git {found}` isn't yours to run: git is left to the orchestrator. Leave your changes in the files; "
                "to take one back: `git restore FILE`."
            )
        if program == "orch" and any(word in _GATES for word in words[1:]):
            return (
                "orch isn't yours to run: you are one of its workers. "
                f"Write what you have to say into your todo file {policy['todo']} and end your turn."
            )
    return ""


def _commands(text: str) -> list[list[str]]:
    """The simple commands of a command line, each as words from its program on; what is quoted or fed in isn't one."""
    text = _HERE_DOCUMENT.sub(r"\3", text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    commands: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word and not word.strip(_OPERATORS):
                commands.append([])
            else:
                commands[-1].append(word)
    except ValueError:
        commands = [part.split() for part in _PARTS.split(text)]
    return [words for words in map(_from_program, commands) if words]


def _from_program(words: list[str]) -> list[str]:
    """The words without what may stand before a program's name."""
    while words and (words[0] in _BEFORE or re.match(r"[A-Za-z_]\w*=", words[0]) or words[0].startswith("-")):
        words = words[1:]
    return words


def _moving(words: list[str]) -> str:
    """The git command, if it moves a ref, keeps something aside or changes git's own files; else empty."""
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in _VALUED else words[1:]
    if not words:
        return ""
    command, rest = words[0], words[1:]
    if command in _MOVING:
        return command
    if command == "checkout":
        return "" if "--" in rest else command
    if command in _ASKING and rest and not any(word in _ASKING[command] for word in rest):
        return command
    return command if command == "stash" and not rest else ""


def main() -> None:
    """The hook: the call comes on standard input, the word goes out on standard output."""
    try:
        reason = refusal(json.loads(sys.argv[1]), json.loads(sys.stdin.buffer.read().decode("utf-8", "replace")))
    except Exception as error:  # whatever it is: an agent must not go on as if it had been asked
        reason = f"the guard can't judge this call ({type(error).__name__}: {error}): stop and report"
    if reason:
        told = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
        sys.stdout.write(json.dumps({"hookSpecificOutput": told}))
