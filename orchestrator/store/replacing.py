"""Replacing a file's content in one step, and noticing a save that came in between.

Owns the temporary file, the exchange and the look at what came out. Works on bytes; must not know what they mean.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.store.exchange import exchange, has_writer

TEMPORARY_PREFIX = ".orch-"
TEMPORARY_SUFFIX = ".tmp"
_WRITER_PATIENCE = 2.0
"""Seconds to wait for an editor that has a file open for writing to finish its save."""


def digest(content: bytes) -> str:
    """A short name for a content, as it stands in the names of temporary files."""
    return hashlib.sha256(content).hexdigest()[:12]


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Keep other processes of orch from replacing, creating or sweeping files in `folder` meanwhile.

    Without it a second writer could take the text that stands there for the blink between an exchange and its
    putting back for the real one.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # A file system that can't lock folders is no reason to refuse: the repository's write lock remains.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def settled_content(path: Path) -> bytes:
    """What the file holds once nobody has it open for writing: an editor that writes in place may be half-way.

    Raises OSError. Waits two seconds at most.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _WRITER_PATIENCE
        while True:
            content = _read_all(handle)
            if not has_writer(handle) or time.monotonic() > deadline:
                return content if len(content) == os.fstat(handle).st_size else _read_all(handle)
            time.sleep(0.001)
    finally:
        os.close(handle)


def write_beside(target: Path, content: bytes, *, like: os.stat_result | None, is_flushed: bool = True) -> Path:
    """A complete file in the target's folder with this content, flushed, and the mode and owner of `like`."""
    temporary = target.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{os.urandom(6).hex()}{TEMPORARY_SUFFIX}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(handle, rest) :]
            if like is not None:
                os.fchmod(handle, stat.S_IMODE(like.st_mode))
                if (like.st_uid, like.st_gid) != (os.geteuid(), os.getegid()):
                    with suppress(OSError):
                        os.fchown(handle, like.st_uid, like.st_gid)
            if is_flushed:
                os.fsync(handle)
        finally:
            os.close(handle)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def replace(target: Path, *, before: bytes, after: bytes, like: os.stat_result) -> bool:
    """Put `after` in the place of `before`. False if the file no longer held `before`: it then holds the newest save.

    The caller holds the folder's lock. Raises OSError; the file then holds what it held.
    """
    temporary = write_beside(target, after, like=like)
    may_be_removed = True
    try:
        # Only complete files bear this name. It says what was to be replaced by what: should this process be killed
        # between the exchange and the look, sweeping can tell a save in that file from a copy nobody needs.
        name = f"{digest(before)}-{digest(after)}-{os.urandom(6).hex()}-{target.name}"
        temporary = temporary.rename(target.with_name(f"{TEMPORARY_PREFIX}{name}{TEMPORARY_SUFFIX}"))
        with effect("replace", str(target)):
            may_be_removed = False
            try:
                exchanged = exchange(temporary, target)
            except OSError:
                may_be_removed = True
                raise
            if exchanged:
                done = settled_content(temporary) == before or _put_back(target, temporary, placed=after)
            else:
                done = _check_then_rename(target, temporary, before=before)
            may_be_removed = True
        return done
    finally:
        # After an exchange that nobody has looked at yet (an interrupt) it may hold a save: sweeping will look.
        if may_be_removed:
            temporary.unlink(missing_ok=True)


def _put_back(target: Path, aside: Path, *, placed: bytes) -> bool:
    """Undo an exchange that took out somebody's save. Always False: nothing was replaced."""
    coming = settled_content(aside)
    while True:
        exchange(aside, target)
        out = settled_content(aside)
        if out == placed:
            return False
        # They have saved yet again meanwhile: what came out now is the newest version and has to go back in.
        placed, coming = coming, out


def _check_then_rename(target: Path, temporary: Path, *, before: bytes) -> bool:
    handle = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _read_all(handle) != before:
            return False
        temporary.replace(target)
        # The old file is still open here: a save that went into it in place after the check isn't lost.
        late = _read_all(handle)
        if late == before:
            return True
        write_beside(target, late, like=os.fstat(handle)).replace(target)
        return False
    finally:
        os.close(handle)


def _read_all(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)
