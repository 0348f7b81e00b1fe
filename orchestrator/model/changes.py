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
    refusal: str = ""
    """Why it can be in no tree, such as `a pipe`; empty for what can."""
    lines: tuple[tuple[int, int], ...] = ()
    """Line ranges of the new file that the change touches, 1-based and inclusive; empty for a deletion."""

    @property
    def shown(self) -> str:
        """The path as it may stand in a sentence."""
        return shown_path(self.path)


def shown_path(path: str) -> str:
    """A path with everything written out that would break a line, or can be in no text: a name may be any bytes."""
    return path if path.isprintable() else "".join(one if one.isprintable() else _escape(ord(one)) for one in path)


def _escape(code: int) -> str:
    # git's names are decoded so that a byte which is no UTF-8 comes as one of these.
    code -= 0xDC00 if 0xDC80 <= code <= 0xDCFF else 0
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
