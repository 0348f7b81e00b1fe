"""The guard as rules of Gemini CLI's own policy engine, for it has no hooks that only its user can switch off.

A hook of a settings file goes by `hooksConfig.enabled: false` in the settings of the repository under work, and the
settings above those have to belong to root. A file of rules that its command line names stands above all settings. The
words are those of guard.py. Knows the form of the rules: a file of TOML, expressions over a call's arguments as JSON,
in which no group may be repeated; the rule of the highest priority that matches decides.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator

from orchestrator.drivers.guard import (
    ASKING,
    BEFORE,
    GATES,
    MOVING,
    ORCHESTRATED,
    UNAPPROVED,
    VALUED,
    left_to_orch,
    permitted,
)
from orchestrator.model.scope import expressions

_WRITING = ("write_file", "replace")
_SHELL = ("run_shell_command",)
# Every argument stands between NULs, which none can hold.
_PATH = r'\x00"file_path":"'
_END = r'"\x00'
# Upwards, or with a character that is written as an escape.
_CROOKED = rf'{_PATH}(?:(?:|[^"]*/)\.\.(?:/|")|[^"]*\\)'
# Its plan mode keeps a plan of its own there.
_PLANS = r'[^"]*/\.gemini/tmp/[^"]*/plans/[^"]*'
_WORD = r"""(?:'[^'"]*'|\\"[^"\\]*\\"|[^\s"]+)"""
_ENDS = r"(?![\w-])"


def guard_rules(*, worktree: str, todo: str, scope: Iterable[str], may_write: bool) -> str:
    """The file of rules for one turn."""
    rules = _after_approval(worktree, todo, list(scope)) if may_write else _before_approval(todo)
    return "\n".join([*rules, *_commands(todo)])


def _before_approval(todo: str) -> Iterator[str]:
    said = "Say your plan as your answer, and end your turn."
    # Without a person to ask, leaving its plan mode means that everything is allowed.
    yield _rule(("exit_plan_mode",), r"^\{", 999, f"your plan isn't approved yet. {said}")
    yield _rule(_WRITING, f"{_PATH}(?!{_PLANS}{_END})", 999, f"{UNAPPROVED} {todo}. {said}")


def _after_approval(worktree: str, todo: str, scope: list[str]) -> Iterator[str]:
    told = permitted(scope, todo)
    tops = sorted({worktree, os.path.realpath(worktree)})
    top = "".join(f"|{re.escape(one)}/" for one in tops)
    mine = [expression for pattern in scope for expression in expressions(pattern, '"')]
    yield _rule(_WRITING, _CROOKED, 999, f"write the path as it is, from the top of your folder. {told}")
    for path in (re.escape(os.path.relpath(todo, worktree)), *mine):
        yield _rule(_WRITING, rf"{_PATH}(?:|\./{top}){path}{_END}", 998)
    yield _rule(_WRITING, _PATH, 997, f"this file is out of the scope of this task. {told}")


def _commands(todo: str) -> Iterator[str]:
    """Rules for the shell. The program takes command lines apart itself, and asks about each command in one."""
    before = rf"(?:|(?:{_any(BEFORE)})\s+|\w+=(?:|{_WORD})\s+|-{_WORD}\s+)" * 3
    valued = rf"(?:{_any(VALUED)})\s+"
    option = rf"(?:|{valued}{_WORD}\s+|(?!{valued})-{_WORD}\s+)" * 3
    start = rf'"command":"{before}(?:|[^\s"]*/)'
    for command in sorted(MOVING):
        yield _rule(_SHELL, rf"{start}git\s+{option}{command}{_ENDS}", 999, left_to_orch(command))
    files = rf'checkout{_ENDS}(?![^"]*\s--(?:\s|"))'
    yield _rule(_SHELL, rf"{start}git\s+{option}{files}", 999, left_to_orch("checkout"))
    for command, asking in ASKING.items():
        more = "" if command == "stash" else r'(?=\s+[^\s"])'
        changing = rf'{command}{_ENDS}{more}(?![^"]*\s(?:{_any(asking)}){_ENDS})'
        yield _rule(_SHELL, rf"{start}git\s+{option}{changing}", 999, left_to_orch(command))
    gates = rf'orch\s(?:|[^"]*\s)(?:{_any(GATES)}){_ENDS}'
    yield _rule(_SHELL, f"{start}{gates}", 999, ORCHESTRATED.format(todo=todo))


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words))


def _rule(tools: tuple[str, ...], arguments: str, priority: int, refusal: str = "") -> str:
    """A rule that refuses in these words, or without any allows."""
    lines = [
        "[[rule]]",
        f"toolName = {json.dumps(tools)}",
        f"argsPattern = {json.dumps(arguments, ensure_ascii=False)}",
        f'decision = "{"deny" if refusal else "allow"}"',
        f"priority = {priority}",
    ]
    return "\n".join([*lines, *([f"denyMessage = {json.dumps(refusal, ensure_ascii=False)}"] if refusal else []), ""])
