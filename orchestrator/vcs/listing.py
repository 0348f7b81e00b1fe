"""What differs on disk from an index, path by path, under fixed ignore rules.

Owns the reading of `git ls-files`. Believes nothing that lies in the tree it lists.
"""

from __future__ import annotations

import os
from pathlib import Path

from orchestrator.vcs.command import Git


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
    for where, folders, files in os.walk(top / folder, followlinks=False):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]  # noqa: PTH114, PTH118
        folders[:] = [name for name in folders if name != ".git" and name not in links]
        base = os.path.relpath(where, top)
        found += [f"{base}/{name}".removeprefix("./") for name in (*files, *links) if name != ".git"]
    return found
