"""Commits and trees that this room makes for itself, written without starting git.

Owns the form of loose objects (see gitformat-loose(5) and the objects chapter of the git book): a header, the content,
compressed, in a file named by the digest of both. What git packs, only git reads.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import zlib
from collections.abc import Iterable
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.nouns import dataclass


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """mode as in a tree: `100644`, `40000`, …; id in hexadecimal."""

    mode: str
    name: bytes
    id: str


def write_object(objects: Path, kind: str, content: bytes, *, is_sha1: bool = True) -> str:
    """Put an object of that kind into the folder of objects, unless it is there; returns its id. Raises OSError."""
    raw = kind.encode() + b" " + str(len(content)).encode() + b"\0" + content
    name = (hashlib.sha1(raw, usedforsecurity=False) if is_sha1 else hashlib.sha256(raw)).hexdigest()
    path = objects / name[:2] / name[2:]
    if path.exists():
        return name
    with effect("create", str(path)):
        path.parent.mkdir(exist_ok=True)
        partial = path.with_name(f"tmp_obj_{os.getpid()}_{name[2:14]}")
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o444)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(zlib.compress(raw, 1))
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    return name


def commit_content(tree: str, parents: Iterable[str], message: str, who: str) -> bytes:
    """A commit by `who` (`name <address>`) of this moment."""
    stamp = f"{who} {int(time.time())} +0000"
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {stamp}", f"committer {stamp}"]
    return ("\n".join(lines) + "\n\n" + message).encode("utf-8", "surrogateescape")


def tree_content(entries: Iterable[TreeEntry]) -> bytes:
    """A tree of the entries, in the order in which git wants them."""
    ordered = sorted(entries, key=lambda entry: entry.name + (b"/" if entry.mode == "40000" else b""))
    return b"".join(entry.mode.encode() + b" " + entry.name + b"\0" + bytes.fromhex(entry.id) for entry in ordered)


def read_loose(objects: Path, name: str) -> tuple[str, bytes] | None:
    """Kind and content of an object that lies in a file of its own; None if it doesn't, or can't be read."""
    with contextlib.suppress(OSError, zlib.error, ValueError):
        raw = zlib.decompress((objects / name[:2] / name[2:]).read_bytes())
        header, _, content = raw.partition(b"\0")
        kind, _, length = header.decode("ascii").partition(" ")
        if int(length) == len(content):
            return kind, content
    return None


def tree_entries(content: bytes, *, is_sha1: bool = True) -> tuple[TreeEntry, ...]:
    """The entries of a tree's content."""
    found: list[TreeEntry] = []
    length = 20 if is_sha1 else 32
    at = 0
    while at < len(content):
        space, end = content.index(b" ", at), content.index(b"\0", at)
        identity = content[end + 1 : end + 1 + length].hex()
        found.append(TreeEntry(content[at:space].decode("ascii"), content[space + 1 : end], identity))
        at = end + 1 + length
    return tuple(found)
