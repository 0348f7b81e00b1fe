"""What an orchestration came to, in the form in which two runs of it can be compared.

Equal are: the final tree, the commits as (message, patch-id), the board without notes, the reports without hashes.
The order of the commits counts only with one job at a time.
"""

from __future__ import annotations

import re
import subprocess
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


_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_ROW = re.compile(r"^\| (\d+) \| (\d+\.\d+\.\S+) \| .*? \| (\S+) \|", re.MULTILINE)
_WAVE = re.compile(r"^\| (\d+) \| (open|checking|red|done) \|", re.MULTILINE)


def git(folder: Path, *words: str) -> str:
    """What git prints, without the last line ending."""
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")


def ending(folder: Path, *, number: int = 1) -> Ending:
    """What the orchestration in the repository at `folder` came to."""
    state = (folder / "planning" / f"STATE_{number}.md").read_text("utf-8")
    branch = re.search(r"^branch: (\S+)$", state, re.MULTILINE)
    fork = re.search(r"^fork: (\S+)$", state, re.MULTILINE)
    assert branch is not None
    assert fork is not None
    commits = git(folder, "rev-list", f"{fork[1]}..{branch[1]}").split()
    return Ending(
        tree=git(folder, "rev-parse", f"{branch[1]}^{{tree}}"),
        commits=frozenset((git(folder, "log", "-1", "--format=%B", one), _patch_id(folder, one)) for one in commits),
        board=tuple((match[2], match[3]) for match in _ROW.finditer(state)),
        reports=frozenset(
            _HASH.sub("HASH", part).rstrip()
            for part in re.split(r"^## ", state, flags=re.MULTILINE)[1:]
            if re.match(r"\d+\.\d+\.", part)
        ),
        waves=tuple((match[1], match[2]) for match in _WAVE.finditer(state)),
        checkout=git(folder, "status", "--porcelain", "--", ".", ":!planning"),
    )


def _patch_id(folder: Path, commit: str) -> str:
    shown = subprocess.run(["git", "show", commit], cwd=folder, capture_output=True, check=True).stdout
    done = subprocess.run(
        ["git", "patch-id", "--stable"], cwd=folder, input=shown, capture_output=True, check=True
    ).stdout.decode()
    return done.split(" ")[0]
