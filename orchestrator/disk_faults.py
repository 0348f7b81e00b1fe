"""What the operating system refused, said with the place and a way out. Must not know why a file was touched."""

from __future__ import annotations

import errno
import os

from orchestrator.errors import Location, OrchError

_NO_ROOM = "make room, then run the command again"
_NO_RIGHT = "give yourself write permission on it and its folder"
REMEDIES: dict[int, tuple[str, str, str]] = {
    errno.ENOSPC: ("disk-full", "the disk is full", _NO_ROOM),
    errno.EDQUOT: ("disk-full", "the disk quota is used up", _NO_ROOM),
    errno.EFBIG: ("disk-full", "the file would be larger than allowed", "raise the limit (ulimit -f)"),
    errno.EROFS: ("read-only", "the file system is read-only", "mount it for writing, or work in another checkout"),
    errno.EACCES: ("no-permission", "permission denied", _NO_RIGHT),
    errno.EPERM: ("no-permission", "not permitted", _NO_RIGHT),
    errno.EISDIR: ("not-a-file", "a folder stands where a file should", "move that folder away"),
    errno.ENOTDIR: ("not-a-folder", "a file stands where a folder should", "move that file away"),
    errno.ELOOP: ("link-loop", "its symbolic links go in a circle", "remove the link that points back"),
    errno.ENAMETOOLONG: ("name-too-long", "the name is too long for this file system", "use a shorter task id"),
    errno.EIO: ("disk-error", "the disk reports an input/output error", "look at the disk before going on"),
    errno.EMFILE: ("too-many-files", "too many files are open", "raise the limit (ulimit -n)"),
    errno.ENFILE: ("too-many-files", "too many files are open on this machine", "end programs, then run it again"),
    errno.ENOMEM: ("no-memory", "no memory is left", "end programs, then run the command again"),
}


def refusal(error: OSError, shown: str, *, doing: str) -> OrchError:
    """The error to raise for `error` at the file shown as `shown`; `doing` completes "can't …"."""
    number = error.errno or 0
    code, cause, remedy = REMEDIES.get(number, ("disk", (error.strerror or str(error)).lower(), ""))
    return OrchError(f"can't {doing} {shown}: {cause}", at=Location(shown), hint=remedy, code=code)


def refusal_of(error: OSError) -> OrchError | None:
    """The same for an error that nobody on its way said more about, at the file it names itself.

    None where it isn't the system that refuses: a file that isn't there, say, is for whoever wanted it to answer for.
    """
    first = error.args[0] if error.args else None
    if isinstance(first, list) and first:
        # What shutil makes of the errors it met while it copied a folder: from, to and why, as text.
        _, place, why = first[0]
        number = next((one for one in REMEDIES if os.strerror(one) in str(why)), 0)
        error = OSError(number, os.strerror(number), place)
    if error.errno not in REMEDIES:
        return None
    name = error.filename2 or error.filename
    shown = os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else "a file"
    return refusal(error, shown, doing="change")


def remedy_for(said: str) -> str:
    """The way out where a program's last words on standard error are that the system refused; else nothing."""
    lines = [line for line in said.split("\n") if line.startswith(("fatal:", "error:"))]
    for number, (_, _, remedy) in REMEDIES.items():
        if any(line.rstrip().endswith(f": {os.strerror(number)}") for line in lines):
            return remedy
    return ""
