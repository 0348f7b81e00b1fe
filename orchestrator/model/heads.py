"""The commits of several repositories in one cell: `77aa012, ui 9f8e7d6`; the plan's own has no name before it."""

from __future__ import annotations

from collections.abc import Mapping

HOME = "."
"""The repository the plan lies in."""


def commits_words(commits: Mapping[str, str], length: int = 40) -> str:
    """The commits of several repositories in one cell: `77aa012, ui 9f8e7d6`; that of `.` has no name before it."""
    parts = (f"{name} {commit[:length]}" if name != HOME else commit[:length] for name, commit in commits.items())
    return ", ".join(parts)


def commits_in(words: str) -> dict[str, str]:
    """Repository → commit of such a cell."""
    found: dict[str, str] = {}
    for part in words.split(","):
        name, blank, commit = part.strip().rpartition(" ")
        found.setdefault(name.strip() if blank else HOME, commit)
    return found


def is_at(words: str, heads: str) -> bool:
    """Whether a cell names just these heads, shortened or whole."""
    if "," not in heads and "," not in words:
        return bool(words) and heads.startswith(words)
    said, there = commits_in(words), commits_in(heads)
    if said.keys() != there.keys():
        return False
    return all(commit and there[name].startswith(commit) for name, commit in said.items())
