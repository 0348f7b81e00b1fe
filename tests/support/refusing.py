"""`orch` in a process whose every change of a file is numbered, and one of them refused as a disk refuses it.

Run as a program: `python refusing.py WORDS…`, ordered by ORCH_REFUSE, a JSON object:

    {"log": "/path", "at": 17, "errno": "ENOSPC", "stays": false}

Each change is written to the log as `[number, kind, path]`, each text meant for a file of the set as
`["text", path, digest]`. That of number `at` isn't made but raises the error; if it
`stays`, so does every later one that the same trouble would meet. Reading is never refused. A git command that is
refused does nothing and says what git says then. Finer than the numbered door: the temporary file, its content, its
flush and its exchange are steps of their own here.
"""

from __future__ import annotations

import builtins
import errno
import hashlib
import io
import json
import os
import posix
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

VARIABLE = "ORCH_REFUSE"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

FULL = ("ENOSPC", "EDQUOT")
KINDS: dict[str, tuple[str, ...]] = {
    "make": ("ENOSPC", "EACCES", "EROFS", "EDQUOT"),
    "open": ("EACCES", "EROFS"),
    "write": ("ENOSPC", "EIO", "EDQUOT"),
    "flush": ("EIO", "ENOSPC"),
    "rename": ("EACCES", "EPERM", "EROFS", "ENOSPC"),
    "exchange": ("EACCES", "EPERM", "EROFS"),
    "link": ("ENOSPC", "EACCES", "EROFS", "EPERM"),
    "remove": ("EACCES", "EPERM", "EROFS", "EIO"),
    "folder": ("ENOSPC", "EACCES", "EROFS"),
    "mode": ("EPERM", "EROFS"),
    "git": ("ENOSPC", "EACCES", "EROFS", "EIO"),
    "spawn": ("EAGAIN",),
}
"""What each kind of change can be refused with."""


class Door:
    """Numbers the changes, and refuses as ordered."""

    def __init__(self, orders: dict[str, Any]) -> None:
        self.log = os.open(orders["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) if "log" in orders else -1
        self.at = orders.get("at", 0)
        self.errno = orders.get("errno", "ENOSPC")
        self.stays = orders.get("stays", False)
        self.count = 0
        self.folder = ""
        self.lock = Lock()
        self.paths: dict[int, str] = {}
        self.real_write = os.write

    def refuses(self, kind: str, path: object) -> bool:
        """Number one change. Whether it is to be refused."""
        name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else self.paths.get(path, str(path))
        if name == os.devnull:
            return False
        with self.lock:
            self.count += 1
            number = self.count
            hit = number == self.at
            if hit:
                self.folder = str(Path(name).parent)
            elif self.stays and self.at and number > self.at:
                hit = self._stays(kind, name)
            if hit or not self.at:
                self._note(number, kind, name)
        return hit

    def _stays(self, kind: str, name: str) -> bool:
        if self.errno in FULL:
            return kind in ("make", "write", "folder", "link", "git")
        if self.errno == "EROFS":
            return kind not in ("write", "flush", "spawn")
        return kind in ("make", "open", "rename", "exchange", "link", "remove", "folder") and (
            str(Path(name).parent) == self.folder
        )

    def means(self, path: Path, text: bytes) -> None:
        """Note what a file is to hold, should it be changed at all."""
        self._note("text", os.path.realpath(path), hashlib.sha256(text).hexdigest())

    def _note(self, *line: object) -> None:
        if self.log >= 0:
            self.real_write(self.log, (json.dumps(line) + "\n").encode())

    def error(self, path: object) -> OSError:
        number = getattr(errno, self.errno)
        # As the system's own: a call on an open file names none.
        names = (path,) if isinstance(path, (str, bytes, os.PathLike)) else ()
        return OSError(number, os.strerror(number), *names)

    def pass_(self, kind: str, path: object) -> None:
        """Number one change; raises OSError where it is refused."""
        if self.refuses(kind, path):
            raise self.error(path)


class Writer:
    """An open file whose first write may be refused, as the buffered content is when it is flushed."""

    def __init__(self, file: Any, door: Door, path: object) -> None:
        self.__dict__.update(_file=file, _door=door, _path=path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: Any) -> Any:
        if self._door.refuses("write", self._path):
            raise self._door.error(0)
        return self._file.write(data)


def interpose(door: Door) -> None:
    """Put the door before every way by which this process changes files."""
    for module in (os, posix):
        _wrap_open(module, door)
        _wrap_paths(module, door)
        _wrap_handles(module, door)
    real = builtins.open

    def opened(file: Any, mode: str = "r", *more: Any, **options: Any) -> Any:
        if isinstance(file, int):
            found = real(file, mode, *more, **options)
            return Writer(found, door, door.paths[file]) if file in door.paths and "r" not in mode else found
        if not set(mode) & set("wax+") or os.fspath(file) == os.devnull:
            return real(file, mode, *more, **options)
        door.pass_(_opening(file), file)
        return Writer(real(file, mode, *more, **options), door, os.fspath(file))

    builtins.open = opened
    io.open = opened


def _opening(path: object) -> str:
    return "open" if os.path.exists(path) else "make"  # type: ignore[call-overload]  # noqa: PTH110 - it may be bytes


def _wrap_open(module: Any, door: Door) -> None:
    real = module.open

    def opened(path: Any, flags: int, *more: Any, **options: Any) -> int:
        writes = flags & WRITING and os.fsdecode(path) != os.devnull
        if writes:
            door.pass_(_opening(path), path)
        handle: int = real(path, flags, *more, **options)
        if writes:
            door.paths[handle] = os.fsdecode(path)
        else:
            door.paths.pop(handle, None)
        return handle

    module.open = opened


def _wrap_paths(module: Any, door: Door) -> None:
    def wrap(name: str, kind: str, there: Callable[..., bool] | None, which: int = 0) -> None:
        real = getattr(module, name)

        def called(*args: Any, **options: Any) -> Any:
            if there is None or options.get("dir_fd") is not None or there(*args):
                door.pass_(kind, args[which])
            return real(*args, **options)

        setattr(module, name, called)

    # What isn't there, or is there already, is told by the system before it looks whether it may change anything.
    wrap("unlink", "remove", os.path.lexists)
    wrap("remove", "remove", os.path.lexists)
    wrap("rmdir", "remove", os.path.lexists)
    wrap("mkdir", "folder", lambda path, *_: not os.path.lexists(path))
    for name in ("rename", "replace"):
        wrap(name, "rename", lambda path, *_: os.path.lexists(path), 1)
    for name in ("link", "symlink"):
        wrap(name, "link", lambda _, path, *__: not os.path.lexists(path), 1)
    for name in ("chmod", "utime", "fchmod"):
        wrap(name, "mode", None)
    real = module.posix_spawn

    def spawned(path: Any, *args: Any, **options: Any) -> Any:
        door.pass_("spawn", path)
        return real(path, *args, **options)

    module.posix_spawn = spawned


def _wrap_handles(module: Any, door: Door) -> None:
    def wrap(name: str, kind: str) -> None:
        real = getattr(module, name)

        def called(handle: int, *args: Any, **options: Any) -> Any:
            if handle in door.paths:
                door.pass_(kind, handle)
            return real(handle, *args, **options)

        setattr(module, name, called)

    for name in ("write", "pwrite", "ftruncate"):
        wrap(name, "write")
    wrap("fsync", "flush")
    real = module.close

    def closed(handle: int) -> None:
        real(handle)
        door.paths.pop(handle, None)

    module.close = closed


def interpose_ours(door: Door) -> None:
    """The same before the two calls that no function of Python makes: the exchange of two files, and git."""
    from orchestrator import exchange
    from orchestrator.store import text_files
    from orchestrator.vcs import command

    replace, beside = text_files.replace, text_files.write_beside

    def replaced(target: Path, *, before: bytes, after: bytes, like: os.stat_result) -> Any:
        door.means(target, after)
        return replace(target, before=before, after=after, like=like)

    def written(target: Path, content: bytes, **how: Any) -> Path:
        door.means(target, content)
        return beside(target, content, **how)

    text_files.replace, text_files.write_beside = replaced, written

    find = exchange._find_call

    def found() -> Callable[[bytes, bytes], int] | None:
        call = find()

        def called(one: bytes, other: bytes) -> int:
            assert call is not None
            return getattr(errno, door.errno) if door.refuses("exchange", other) else call(one, other)

        return called if call else None

    exchange._find_call = found  # type: ignore[assignment]
    execute = command._execute

    def executed(argv: list[str], *rest: Any) -> command.Completed:
        name = command._subcommand(argv)
        if door.refuses("git", name):
            said = os.strerror(getattr(errno, door.errno))
            return command.Completed(128, b"", f"fatal: unable to create temporary file: {said}\n")
        return execute(argv, *rest)

    command._execute = executed  # type: ignore[assignment]


def main() -> None:
    """The `orch` command behind the door."""
    orders = json.loads(os.environ.pop(VARIABLE))
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.dont_write_bytecode = True
    from orchestrator.cli import main as program

    door = Door(orders)
    interpose_ours(door)
    interpose(door)
    program.main()


if __name__ == "__main__":
    main()
