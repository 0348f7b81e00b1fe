"""Replacing a file's content in one step, and noticing a save that came in between.

Owns the temporary file, the exchange and the look at what came out. Works on bytes; must not know what they mean.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.digests import sha256
from orchestrator.effects import effect
from orchestrator.errors import Location, LockedError
from orchestrator.exchange import drop_lease, exchange, has_writer, hold_lease, is_being_written
from orchestrator.nouns import dataclass
from orchestrator.store.flock import is_locked_within

TEMPORARY_PREFIX = ".orch-"
TEMPORARY_SUFFIX = ".tmp"
_WRITER_PATIENCE = 2.0
"""Seconds to wait for an editor that has a file open for writing to finish its save."""
_PAUSE = 0.0005
FOLDER_PATIENCE = 20.0
"""Seconds to wait for a folder's lock. It is held for milliseconds; longer means that somebody else took it."""


def digest(content: bytes) -> str:
    """A short name for a content, as it stands in the names of temporary files."""
    return sha256(content).hexdigest()[:12]


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Keep other processes of orch from replacing, creating or sweeping files in `folder` meanwhile.

    Without it a second writer could take the text that stands there for the blink between an exchange and its
    putting back for the real one. Raises LockedError where somebody keeps the lock.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            # Reading a folder is enough to lock it, so this is in anybody's hand.
            is_locked = is_locked_within(handle, FOLDER_PATIENCE)
        except OSError:
            # A file system that can't lock folders is no reason to refuse: the repository's write lock remains.
            is_locked = True
        if not is_locked:
            raise LockedError(
                f"{_holder_of(handle)} has kept this folder locked for {FOLDER_PATIENCE:.0f} seconds",
                at=Location(str(folder)),
                hint="end it, or let it go on, then call orch again",
                code="write-locked",
            )
        yield
    finally:
        os.close(handle)


def _holder_of(handle: int) -> str:
    number = os.fstat(handle).st_ino
    with suppress(OSError):
        for line in Path("/proc/locks").read_text("ascii").splitlines():
            words = line.split()
            if "->" not in words and words[1] == "FLOCK" and words[5].endswith(f":{number}"):
                return f"process {words[4]}"
    return "another process"


@contextmanager
def writers_kept_out(handle: int) -> Iterator[bool]:
    """Have everybody who opens the file for writing wait meanwhile; those who have it open are waited for first. False
    where one still has it then."""
    deadline = time.monotonic() + _WRITER_PATIENCE
    while not (is_held := hold_lease(handle)):
        if time.monotonic() > deadline:
            break
        time.sleep(_PAUSE)
    try:
        yield is_held
    finally:
        drop_lease(handle)


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
            time.sleep(_PAUSE)
    finally:
        os.close(handle)


def write_beside(
    target: Path, content: bytes, *, like: os.stat_result | None, is_flushed: bool = True, mode: int = 0o666
) -> Path:
    """A complete file in the target's folder with this content, flushed, and the mode and owner of `like`; of a new one
    `mode`, less what the umask takes."""
    temporary = target.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{os.urandom(6).hex()}{TEMPORARY_SUFFIX}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
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
        put_away(temporary)
        raise
    return temporary


def put_away(temporary: Path) -> None:
    """Remove a temporary file that nobody needs. One that can't be removed now is swept away by a later run: what
    was to be done has been done, or what hindered it is told."""
    with suppress(OSError):
        temporary.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a replacement ended. `owed` was appended by somebody to a version that was taken back: it has to go in."""

    is_replaced: bool
    owed: bytes = b""


def replace(target: Path, *, before: bytes, after: bytes, like: os.stat_result) -> Attempt:
    """Put `after` in the place of `before`, unless the file no longer holds `before`: then nothing is replaced.

    The caller holds the folder's lock. Raises OSError; the file then holds what it held.
    """
    temporary = write_beside(target, after, like=like)
    may_be_removed = True
    try:
        # Only complete files bear this name. It says what was to be replaced by what: should this process be killed
        # between the exchange and the look, sweeping can tell a save in that file from a copy nobody needs.
        name = f"{digest(before)}-{digest(after)}-{os.urandom(6).hex()}-{target.name}"
        temporary = temporary.rename(target.with_name(f"{TEMPORARY_PREFIX}{name}{TEMPORARY_SUFFIX}"))
        # Some network file systems never grant a lease, not for a file that nobody else knows: they tell nothing.
        can_tell = not is_being_written(temporary)
        old = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
        try:
            with effect("replace", str(target)):
                with writers_kept_out(old) as is_nobodys:
                    if not _is(target, old) or _read_all(old) != before:
                        return Attempt(False)
                    if not is_nobodys and can_tell:
                        return Attempt(False)
                    # From here to the look an interrupt leaves the temporary file, which may hold a save by then.
                    may_be_removed = False
                    try:
                        exchanged = exchange(temporary, target)
                    except OSError:
                        may_be_removed = True
                        raise
                    if not exchanged:
                        may_be_removed = True
                        return Attempt(_rename_then_look(target, temporary, old, before=before))
                is_open = can_tell and has_writer(old)
                if not (_is(temporary, old) and not is_open and _read_all(old) == before):
                    return Attempt(False, owed=_put_back(target, temporary, before=before, after=after))
            may_be_removed = True
            return Attempt(True)
        finally:
            os.close(old)
    finally:
        if may_be_removed:
            put_away(temporary)


def keep_save(stray: Path, target: Path) -> Path:
    """Keep a save that can't be put in its place, beside the file; returns where."""
    kept = target.with_name(f"{target.name}.saved-{digest(stray.read_bytes())}")
    return stray.replace(kept)


def _put_back(target: Path, aside: Path, *, before: bytes, after: bytes) -> bytes:
    """Undo an exchange that took out somebody's save, or a file that somebody is saving into.

    Returns what somebody else appended to our version in the blink in which it stood there.
    """
    exchange(aside, target)
    ours = settled_content(aside)
    if not ours.startswith(after):
        # They have saved yet again in that blink: theirs is the newest, it goes back in. What it took the place of is
        # kept where it holds a save too.
        exchange(aside, target)
        if settled_content(aside) != before:
            keep_save(aside, target)
            return b""
    aside.unlink()
    return ours.removeprefix(after) if ours.startswith(after) else b""


def _rename_then_look(target: Path, temporary: Path, old: int, *, before: bytes) -> bool:
    """The way without an exchange: `old` has just been seen to hold `before`, and is looked at again afterwards."""
    mode = os.fstat(old)
    temporary.replace(target)
    late = _read_all(old)
    if late == before:
        return True
    write_beside(target, late, like=mode).replace(target)
    return False


def _is(path: Path, handle: int) -> bool:
    """Whether the path still names the file that is open."""
    return os.path.samestat(path.stat(), os.fstat(handle))


def _read_all(handle: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)
