"""What differs on disk from an index, path by path, under fixed ignore rules.

Owns the reading of `git ls-files`. Believes nothing that lies in the tree it lists.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.vcs.command import Git
from orchestrator.vcs.walking import walk


def touched_paths(command: Git, rules: Path) -> set[str]:
    """Every path below the tree that isn't as in the index: changed, gone, or neither in the index nor ignored by
    `rules`. A folder with a git directory of its own comes as `dir/`, unopened."""
    out = command.run("ls-files", "-z", "-t", "-o", "-m", "-d", "-X", str(rules)).fields
    return {line[2:] for line in out}


def untracked_paths(command: Git, rules: Path) -> set[str]:
    """Every path that is neither in the index nor ignored by `rules`, as `touched_paths` has them."""
    return set(command.run("ls-files", "-z", "-o", "-X", str(rules)).fields)


def ignored_paths(command: Git, rules: Path) -> tuple[str, ...]:
    """What `rules` ignore and the index doesn't have, sorted; a wholly ignored folder as `dir/`, unopened."""
    out = command.run("ls-files", "-z", "-o", "-i", "--directory", "-X", str(rules)).fields
    # A folder that holds nothing but ignored files is listed besides its files; those say it better.
    parents = {path[: at + 1] for path in out for at, char in enumerate(path[:-1]) if char == "/"}
    return tuple(sorted(path for path in out if path not in parents))


def files_below(top: Path, folder: str) -> list[str]:
    """Every file and link below `folder` (relative, `/` at its end), except what lies in a `.git`."""
    found: list[str] = []
    for base, folders, files in walk(top / folder):
        folders[:] = [name for name in folders if name != ".git"]
        found += [f"{folder}{base}{name}" for name in files if name != ".git"]
    return found
