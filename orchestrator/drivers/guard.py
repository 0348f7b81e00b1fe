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
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from orchestrator.model.plan import ScopePath
from orchestrator.model.scope import covers

_PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from orchestrator.drivers.guard import main; main()"
_OPERATORS = ";|&()`\n"
_PARTS = re.compile(rf"[{_OPERATORS}]+")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1(.*?\n)(?:.*?\n)?[ \t]*\2(?=\s|$)", re.DOTALL)
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): *(\S(?:.*\S)?)", re.MULTILINE)
_SHELLS = frozenset(("sh", "bash", "dash", "zsh"))
_PATCHING = frozenset(("apply_patch", "applypatch"))
BEFORE = frozenset("sudo env time nohup command exec nice builtin xargs then do else !".split())
"""Words that may stand before a program's name."""
GATES = frozenset(
    "next-wave run approve revise takeover answer retry rescope skip block verify land report clean init new".split()
)
"""Commands of orch that are refused."""
VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"))
"""Options of git itself that take a word."""
MOVING = frozenset(
    "commit rebase reset merge cherry-pick revert am pull push fetch switch update-ref filter-branch replace notes gc"
    " prune remote submodule init clone fast-import bisect".split()
)
ASKING: Mapping[str, frozenset[str]] = {
    "stash": frozenset(("list", "show")),
    "branch": frozenset(("-l", "--list", "--show-current", "-a", "-r", "-v", "-vv", "--contains")),
    "tag": frozenset(("-l", "--list")),
    "worktree": frozenset(("list",)),
    "config": frozenset(("--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list")),
    "reflog": frozenset(("show",)),
    "symbolic-ref": frozenset(("--short", "HEAD")),
}
"""Commands that only tell something with one of these words, or with none; anything else of them changes something."""

UNAPPROVED = "your plan isn't approved yet, so you may write no file but your todo file"
ORCHESTRATED = (
    "orch isn't yours to run: you are one of its workers. "
    "Write what you have to say into your todo file {todo} and end your turn."
)


def permitted(patterns: Sequence[str], todo: str) -> str:
    """What may be written after approval, and what to do where that isn't enough."""
    return (
        f"You may write {', '.join(patterns) or 'nothing'}, and your todo file {todo}. If the task "
        "can't be done without it, put it under `## Discovered` in your todo file, and stop and report."
    )


def left_to_orch(command: str) -> str:
    """Why a git command is refused."""
    return (
        f"`git {command}` isn't yours to run: git is left to the orchestrator. Leave your changes in the files; "
        "to take one back: `git restore FILE`."
    )


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
    cwd = str(call.get("cwd") or policy["worktree"])
    command = given.get("command")
    if isinstance(command, str):
        is_patch = call.get("tool_name") == "apply_patch"
        return _patch_refusal(command, policy, cwd) if is_patch else _command_refusal(command, policy, cwd)
    for key in ("file_path", "notebook_path", "path"):
        if isinstance(given.get(key), str) and call.get("tool_name") not in ("Read", "Grep", "Glob", "LS"):
            return _write_refusal(str(given[key]), policy, cwd)
    return ""


def _patch_refusal(patch: str, policy: Mapping[str, object], cwd: str) -> str:
    """The first refusal of a file that the patch adds, changes, removes or moves something to."""
    return next(filter(None, (_write_refusal(name, policy, cwd) for name in _PATCHED.findall(patch))), "")


def _write_refusal(name: str, policy: Mapping[str, object], cwd: str) -> str:
    top = os.path.realpath(str(policy["worktree"]))
    # Through every link that is there now: a link inside may lead anywhere.
    path = os.path.realpath(os.path.join(cwd, name))  # noqa: PTH118
    todo = str(policy["todo"])
    home = str(policy.get("home") or "")
    if path == os.path.realpath(todo) or (home and path.startswith(os.path.realpath(home) + os.sep)):
        return ""
    if not policy["may_write"]:
        return f"{name}: {UNAPPROVED} {todo}. Write your plan there, or say it as your answer, and end your turn."
    inside = os.path.relpath(path, top)
    scope = policy["scope"]
    patterns = [str(pattern) for pattern in scope] if isinstance(scope, list) else []
    if not inside.startswith("..") and covers([ScopePath(pattern) for pattern in patterns], inside):
        return ""
    where = "outside your folder" if inside.startswith("..") else "out of the scope of this task"
    return f"{name} is {where}. {permitted(patterns, todo)}"


def _command_refusal(command: str, policy: Mapping[str, object], cwd: str) -> str:
    for words in _commands(command):
        program = words[0].rpartition("/")[2]
        if program == "cd" and len(words) > 1:
            cwd = os.path.join(cwd, words[1])  # noqa: PTH118
        found = ""
        if program in _SHELLS and "-c" in words[:-1]:
            found = _command_refusal(words[words.index("-c") + 1], policy, cwd)
        elif program in _PATCHING:
            # Codex takes such a command for its own tool. The patch is fed in or stands there, so not among the words.
            found = _patch_refusal(command, policy, cwd)
        elif program == "git" and (moving := _moving(words[1:])):
            found = left_to_orch(moving)
        elif program == "orch" and any(word in GATES for word in words[1:]):
            found = ORCHESTRATED.format(todo=policy["todo"])
        if found:
            return found
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
    while words and (words[0] in BEFORE or re.match(r"[A-Za-z_]\w*=", words[0]) or words[0].startswith("-")):
        words = words[1:]
    return words


def _moving(words: list[str]) -> str:
    """The git command, if it moves a ref, keeps something aside or changes git's own files; else empty."""
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in VALUED else words[1:]
    if not words:
        return ""
    command, rest = words[0], words[1:]
    if command in MOVING:
        return command
    if command == "checkout":
        return "" if "--" in rest else command
    if command in ASKING and rest and not any(word in ASKING[command] for word in rest):
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
