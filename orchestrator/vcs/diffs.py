"""git's raw diff format and hunk headers, as values. Pure: text in, values out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.model.changes import Change, ChangeKind
from orchestrator.nouns import dataclass
from orchestrator.vcs.command import decode

LINK, SUBMODULE, NOTHING = "120000", "160000", "000000"

# For every diff: what `.gitmodules` of the tree, or the configuration, would have git pass over is shown all the same.
ALL_SUBMODULES = "--ignore-submodules=none"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `--raw` output. `letter` is A, M, D, T, R or C; `old_path` only with R and C."""

    letter: str
    path: str
    old_path: str
    old_mode: str
    new_mode: str
    old_id: str
    new_id: str

    @property
    def state(self) -> str:
        """What the path is now, comparable: "mode id"; "" for gone."""
        return "" if self.new_mode == NOTHING else f"{self.new_mode} {self.new_id}"

    def parts(self) -> tuple[Entry, ...]:
        """A rename as a deletion and an addition; anything else as it is."""
        if self.letter != "R":
            return (self,)
        zero = "0" * len(self.old_id)
        return (
            Entry("D", self.old_path, "", self.old_mode, NOTHING, self.old_id, zero),
            Entry("A", self.path, "", NOTHING, self.new_mode, zero, self.new_id),
        )

    def undone(self) -> str:
        """The `update-index --index-info` line that puts the path back to its old state."""
        return f"{self.old_mode.lstrip('0') or '0'} {self.old_id}\t{self.path}"

    def done(self) -> str:
        """The `update-index --index-info` line that puts the path into its new state."""
        return f"{self.new_mode.lstrip('0') or '0'} {self.new_id}\t{self.path}"


def raw_entries(fields: Sequence[str]) -> tuple[Entry, ...]:
    """The entries of `--raw -z --no-abbrev` output."""
    found: list[Entry] = []
    at = 0
    while at < len(fields):
        old_mode, new_mode, old_id, new_id, letters = fields[at].removeprefix(":").split(" ")
        letter, old_path = letters[:1], ""
        if letter in "RC":
            old_path = fields[at + 1]
            at += 1
        found.append(Entry(letter, fields[at + 1], old_path, old_mode, new_mode, old_id, new_id))
        at += 2
    return tuple(found)


def change_of(entry: Entry) -> Change:
    """The change an entry is. A file whose executable bit alone differs is a change of type."""
    kinds = {"A": ChangeKind.ADDED, "C": ChangeKind.ADDED, "D": ChangeKind.DELETED, "R": ChangeKind.RENAMED}
    kind = kinds.get(entry.letter, ChangeKind.MODIFIED)
    if entry.letter == "T" or (entry.letter == "M" and entry.old_id == entry.new_id):
        kind = ChangeKind.TYPE
    modes = (entry.old_mode,) if entry.letter == "D" else (entry.new_mode, entry.old_mode)
    return Change(
        kind,
        entry.path,
        old_path=entry.old_path if entry.letter == "R" else "",
        is_symlink=LINK in modes,
        is_submodule=SUBMODULE in modes,
    )


_HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


def line_ranges(patch: bytes) -> dict[str, tuple[tuple[int, int], ...]]:
    """Path → line ranges of the new text, from a `-U0` patch with a/ and b/ prefixes."""
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    path, left = "", 0
    for line in patch.split(b"\n"):
        if left > 0 and line[:1] in (b"+", b"-"):
            left -= 1
        elif line.startswith(b"+++ "):
            name = line[4:].removesuffix(b"\t")
            path = "" if name == b"/dev/null" else _unquoted(name)[2:]
        elif match := _HUNK.match(line):
            sizes = re.findall(rb"[-+]\d+(?:,(\d+))?", match[0])
            left = sum(int(size or b"1") for size in sizes)
            start, length = int(match[1]), int(match[2] or b"1")
            if path and length:
                found[path] = (*found.get(path, ()), (start, start + length - 1))
    return found


_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def _unquoted(name: bytes) -> str:
    if not name.startswith(b'"'):
        return decode(name)

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8)]) if code.isdigit() else _ESCAPES.get(code, code)

    return decode(re.sub(rb"\\([0-7]{3}|.)", plain, name[1:-1]))
