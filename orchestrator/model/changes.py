"""What differs between two trees, path by path."""

from __future__ import annotations

from enum import StrEnum

from orchestrator.nouns import dataclass


class ChangeKind(StrEnum):
    ADDED = "A"
    MODIFIED = "M"
    DELETED = "D"
    RENAMED = "R"
    TYPE = "T"  # file, symlink, submodule or executable bit


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs. Paths are relative to the repository's top, with `/`."""

    kind: ChangeKind
    path: str
    old_path: str = ""
    """Only for a rename: where the content came from."""
    is_symlink: bool = False
    is_submodule: bool = False
    is_ignored: bool = False
    lines: tuple[tuple[int, int], ...] = ()
    """Line ranges of the new file that the change touches, 1-based and inclusive; empty for a deletion."""
