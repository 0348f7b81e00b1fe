"""What the operating system refused, said with the place and a way out. Must not know why a file was touched."""

from __future__ import annotations

import errno

from orchestrator.errors import Location, OrchError

_REMEDIES: dict[int, tuple[str, str, str]] = {
    errno.ENOSPC: ("disk-full", "the disk is full", "make room, then run the command again: nothing was changed"),
    errno.EDQUOT: ("disk-full", "the disk quota is used up", "make room, then run the command again"),
    errno.EFBIG: ("disk-full", "the file would be larger than allowed", "raise the limit (ulimit -f)"),
    errno.EROFS: ("read-only", "the file system is read-only", "mount it for writing, or work in another checkout"),
    errno.EACCES: ("no-permission", "permission denied", "give yourself write permission on it and its folder"),
    errno.EPERM: ("no-permission", "not permitted", "give yourself write permission on it and its folder"),
    errno.EISDIR: ("not-a-file", "a folder stands where a file should", "move that folder away"),
    errno.ENOTDIR: ("not-a-folder", "a file stands where a folder should", "move that file away"),
    errno.ELOOP: ("link-loop", "its symbolic links go in a circle", "remove the link that points back"),
    errno.ENAMETOOLONG: ("name-too-long", "the name is too long for this file system", "use a shorter task id"),
    errno.EIO: ("disk-error", "the disk reports an input/output error", "look at the disk before going on"),
}


def refusal(error: OSError, shown: str, *, doing: str) -> OrchError:
    """The error to raise for `error` at the file shown as `shown`; `doing` completes "can't …"."""
    number = error.errno or 0
    code, cause, remedy = _REMEDIES.get(number, ("disk", (error.strerror or str(error)).lower(), ""))
    return OrchError(f"can't {doing} {shown}: {cause}", at=Location(shown), hint=remedy, code=code)
