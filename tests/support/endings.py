"""What an orchestration came to, in the form in which two runs of it can be compared.

Equal are: the final tree, the commits as (message, patch-id), the board without notes, the reports without hashes.
The order of the commits counts only with one job at a time.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Ending:
    tree: str
    commits: frozenset[tuple[str, str]]
    board: tuple[tuple[str, str], ...]
    reports: frozenset[str]
    waves: tuple[tuple[str, str], ...]
    checkout: str
    """`git status` of the checkout, planning/ apart."""
    elsewhere: tuple[tuple[str, frozenset[tuple[str, str]], str], ...] = ()
    """Tree, commits and checkout of every other repository."""


_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_ROW = re.compile(r"^\| (\d+) \| (\d+\.\d+\.\S+) \| .*? \| (\S+) \|", re.MULTILINE)
_WAVE = re.compile(r"^\| (\d+) \| (open|checking|red|done) \|", re.MULTILINE)


def git(folder: Path, *words: str) -> str:
    """What git prints, without the last line ending."""
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")


def ending(folder: Path, *, number: int = 1, others: Mapping[str, Path] | None = None) -> Ending:
    """What the orchestration in the repository at `folder` came to; `others` are further repositories by name."""
    state = (folder / "planning" / f"STATE_{number}.md").read_text("utf-8")
    branch = re.search(r"^branch: (\S+)$", state, re.MULTILINE)
    fork = re.search(r"^fork: (\S+)$", state, re.MULTILINE)
    assert branch is not None
    assert fork is not None
    elsewhere = []
    for name, path in (others or {}).items():
        there = re.search(rf"\b{name}: {{base: \S+, fork: (\w+), branch: ([^}}]+)}}", state)
        assert there is not None, state
        elsewhere.append((*_landed(path, there[1], there[2]), git(path, "status", "--porcelain")))
    tree, commits = _landed(folder, fork[1], branch[1])
    return Ending(
        tree=tree,
        commits=commits,
        board=tuple((match[2], match[3]) for match in _ROW.finditer(state)),
        reports=frozenset(
            _HASH.sub("HASH", part).rstrip()
            for part in re.split(r"^## ", state, flags=re.MULTILINE)[1:]
            if re.match(r"\d+\.\d+\.", part)
        ),
        waves=tuple((match[1], match[2]) for match in _WAVE.finditer(state)),
        checkout=git(folder, "status", "--porcelain", "--", ".", ":!planning"),
        elsewhere=tuple(elsewhere),
    )


def _landed(folder: Path, fork: str, branch: str) -> tuple[str, frozenset[tuple[str, str]]]:
    """The tree of a branch, and its commits since the fork as message and patch-id."""
    ids = git(folder, "rev-list", f"{fork}..{branch}").split()
    commits = frozenset(
        (_HASH.sub("HASH", git(folder, "log", "-1", "--format=%B", one)), _patch_id(folder, one)) for one in ids
    )
    return git(folder, "rev-parse", f"{branch}^{{tree}}"), commits


def _patch_id(folder: Path, commit: str) -> str:
    shown = subprocess.run(["git", "show", commit], cwd=folder, capture_output=True, check=True).stdout
    done = subprocess.run(
        ["git", "patch-id", "--stable"], cwd=folder, input=shown, capture_output=True, check=True
    ).stdout.decode()
    return done.split(" ")[0]
