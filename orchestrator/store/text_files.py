"""Text files: exact reads, and changes that lose nothing, neither ours nor what a person saves meanwhile.

Owns decoding (UTF-8, strictly, every line ending kept) and the loop read → change → replace → look. Must not know
what a text means.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from orchestrator.disk_faults import refusal
from orchestrator.effects import effect
from orchestrator.errors import ConflictError, DocumentError, Location, OrchError, Problem, Severity, UserError
from orchestrator.store.open_files import writers_of
from orchestrator.store.replacing import folder_lock, keep_save, put_away, replace, settled_content, write_beside

_ATTEMPTS = 50
_PATIENCE = 10.0
"""Seconds after which a file that somebody keeps open, or keeps saving, isn't tried again."""


def read(path: Path, *, shown: str = "") -> str | None:
    """The text of a file, exactly; None if there is none. `shown` is its name in messages.

    Raises DocumentError, with the line, where it isn't UTF-8, and OrchError where it can't be read.
    """
    shown = shown or str(path)
    try:
        content = settled_content(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refusal(error, shown, doing="read") from error
    return decode(content, shown)


def decode(content: bytes, shown: str) -> str:
    """The text that the bytes are. Raises DocumentError, with line and column, where they aren't UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError([_not_utf8(content, error, shown)]) from error


def encode(text: str) -> bytes:
    """The text as a file holds it. Bytes of names that are no UTF-8 are written out: `\\xff`."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(f"\\x{ord(one) - 0xDC00:02x}" if 0xDC80 <= ord(one) <= 0xDCFF else one for one in text).encode(
            "utf-8", "backslashreplace"
        )


def update(path: Path, change: Callable[[str], str], *, shown: str = "") -> str:
    """Change a file: `change` gets its text and returns the new one, which is returned. No write if they are equal.

    When somebody saves in between, `change` is called again with their version: it must be a function of its
    argument alone. A symlink is followed, the mode is kept, readers see the old text or the new one. Raises
    UserError if the file isn't there, ConflictError if it changes without end, OrchError where the disk refuses,
    and whatever `change` raises: in all these cases the file is as it was.
    """
    shown = shown or str(path)
    target = Path(os.path.realpath(path))
    owed = b""
    until = time.monotonic() + _PATIENCE
    try:
        with folder_lock(target.parent):
            for number in range(_ATTEMPTS):
                if number and time.monotonic() > until:
                    break
                before = settled_content(target)
                like = target.stat()
                if not like.st_mode & 0o222 or not os.access(target, os.W_OK):
                    raise OrchError(
                        f"can't change {shown}: it is marked read-only",
                        at=Location(shown),
                        hint=f"run: chmod u+w {shown}",
                        code="read-only",
                    )
                text = change(decode(before, shown)) + decode(owed, shown)
                after = encode(text)
                if after == before:
                    return text
                attempt = replace(target, before=before, after=after, like=like)
                owed = b"" if attempt.is_replaced else owed + attempt.owed
                if attempt.is_replaced:
                    return text
    except FileNotFoundError as error:
        raise UserError(f"{shown} isn't there", at=Location(shown), hint=_MISSING_HINT, code="missing") from error
    except OSError as error:
        raise refusal(error, shown, doing="change") from error
    finally:
        if owed:
            keep_save(write_beside(target, owed, like=None), target)
    holders = writers_of(target)
    if holders:
        what = f"{' and '.join(holders)} keep{'s' if len(holders) == 1 else ''} {shown} open for writing"
        hint = "close it there, then run the command again"
    else:
        what = f"{shown} was saved by somebody else again and again while it was being changed"
        hint = "find out which program keeps writing it, then run the command again"
    raise ConflictError(what, at=Location(shown), hint=hint, code="busy-file")


_MISSING_HINT = "bring it back (git checkout, or the editor's backup), then run the command again"


def create(path: Path, text: str, *, shown: str = "") -> None:
    """Make a file that doesn't exist yet, whole or not at all, with its folders.

    Raises UserError if there is one already (which is left alone), OrchError where the disk refuses.
    """
    shown = shown or str(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with folder_lock(path.parent):
            temporary = write_beside(path, encode(text), like=None)
            try:
                with effect("create", str(path)):
                    _link(temporary, path)
            finally:
                put_away(temporary)
    except FileExistsError as error:
        raise UserError(f"{shown} exists already", at=Location(shown), code="exists") from error
    except OSError as error:
        raise refusal(error, shown, doing="create") from error


def remove(path: Path) -> None:
    """Take back a file that was just made, as far as the disk lets it."""
    with suppress(OSError), effect("remove", str(path)):
        path.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write a file that only orch owns (a prompt, a worker's copy), whether it is there or not, with its folders.

    Its owner alone may read it. Readers see the old text or the new one. A symlink in its place is replaced, not
    followed. It isn't flushed to the disk: such files can be made again. Raises OrchError where the disk refuses,
    FileNotFoundError where the folder is deleted meanwhile.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = write_beside(path, encode(text), like=None, is_flushed=False, mode=0o600)
        try:
            with effect("replace", str(path)):
                temporary.replace(path)
        finally:
            put_away(temporary)
    except FileNotFoundError:
        # Its folder was deleted in the same moment: pointer.py tells that as what it is.
        raise
    except OSError as error:
        raise refusal(error, str(path), doing="write") from error


def _link(temporary: Path, path: Path) -> None:
    try:
        # A second name for the finished file: unlike a rename it never overwrites.
        path.hardlink_to(temporary)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS) or path.exists():
            raise
        temporary.rename(path)


def _not_utf8(content: bytes, error: UnicodeDecodeError, shown: str) -> Problem:
    good = content[: error.start].decode("utf-8")
    lines = good.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    hint = "save the file as UTF-8"
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        hint = "the file looks like UTF-16: save it as UTF-8"
    return Problem(
        "not-utf-8",
        f"byte 0x{content[error.start]:02x} isn't UTF-8",
        at=Location(shown, len(lines), len(lines[-1]) + 1, source=lines[-1]),
        hint=hint,
        severity=Severity.FILE,
    )
