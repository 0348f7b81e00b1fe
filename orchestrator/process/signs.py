"""Signs that a silent run lives: its program's own transcript grows, or its processes compute.

Loaded by the shim, once the run has been silent for a pulse, and by nobody else; like the shim it needs nothing but the
interpreter. What it sees it notes in FOLDER/life, whose time `look` in looking.py reads. A run hangs all the same
if it only ticks: of the agent programs that wait for a service which never answers, none was seen to use more than
3.2 % of a processor over ten seconds (codex polls, the others collect garbage now and then), and a test that computes
uses a whole one, or its share of a busy machine.
"""

import posix
import time

from orchestrator.process import shim

WORK = 0.1
"""Processor time in a second from which on processes count as at work."""
SESSION = "{session}"
"""In a transcript's path: the name that the program gives its session, in the event key that the order names."""
_HEAD = 1 << 16
"""Bytes of the output in which the program names its session."""
_FIELDS = (b"transcript", b"named")
_TICK = 1.0 / posix.sysconf("SC_CLK_TCK")


class Signs:
    """What was seen of a run at the last look. `age` is how many seconds ago it began."""

    def __init__(self, folder: str, age: float) -> None:
        order = dict(shim.read_record(f"{folder}/order"))
        self._folder = folder
        self._marker = order[b"marker"]
        self._pattern, self._named = (order.get(key, b"").decode("utf-8", "surrogateescape") for key in _FIELDS)
        self._begun = time.time() - age
        self._written: dict[str, float] = {}
        self._used: float | None = None
        self._at = 0.0

    def look(self, now: float) -> str:
        """The sign of life since the last look: `transcript`, `cpu` or none. now: a monotonic time in seconds."""
        used = self._processor_time()
        share = 0.0 if self._used is None else (used - self._used) / max(now - self._at, 0.001)
        self._used, self._at = used, now
        # Looked for until it is there: the folder may hold the sessions of years.
        paths = list(self._written) or matching(self.transcript())
        written = {path: time for path in paths if (time := _written(path))}
        # Any other time than the last is a sign: the clock may have been set back.
        grew = [path for path, time in written.items() if time != self._written.get(path, min(time, self._begun))]
        found = "transcript" if grew else "cpu" if share >= WORK else ""
        self._written = written
        if found:
            self._note(found)
        return found

    def transcript(self) -> str:
        """The pattern of its path; empty as long as the session's name isn't known."""
        if SESSION not in self._pattern:
            return self._pattern
        if not self._named:
            return ""
        after = _head(f"{self._folder}/stdout").partition(f'"{self._named}"')[2].lstrip(' :"')
        name = after.partition('"')[0]
        is_name = bool(name) and name.replace("-", "").replace("_", "").isalnum()
        self._pattern = self._pattern.replace(SESSION, name) if is_name else self._pattern
        return self._pattern if is_name else ""

    def _note(self, sign: str) -> None:
        try:
            shim.write_file(f"{self._folder}/life", sign.encode())
        except OSError:  # a full disk, a folder that was deleted: it lives all the same
            return

    def _processor_time(self) -> float:
        """Seconds that the run's processes have used, and those that have ended and were taken in."""
        # The shim takes in every orphan, and the command at its end.
        times = posix.times()
        total = times.children_user + times.children_system
        for pid, _ in shim.family(self._marker, posix.getpid()):
            stat = shim.read_file(f"/proc/{pid}/stat") or b""
            # User and system time, its own and that of the children it has taken in.
            total += sum(map(int, stat[stat.rfind(b")") + 2 :].split()[11:15])) * _TICK
        return total


def _head(path: str) -> str:
    """The beginning of a file; empty if it can't be read."""
    try:
        handle = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return posix.read(handle, _HEAD).decode("utf-8", "replace")
    finally:
        posix.close(handle)


def matching(pattern: str) -> list[str]:
    """The paths that are there and fit; a part of the path with one `*` fits names that begin and end like it."""
    found = [""]
    for part in pattern.split("/")[1:] if pattern.startswith("/") else ():
        head, star, tail = part.partition("*")
        if star:
            found = [f"{top}/{name}" for top in found for name in _names(top) if _fits(name, head, tail)]
        else:
            found = [f"{top}/{part}" for top in found]
    return found if found != [""] else []


def _fits(name: str, head: str, tail: str) -> bool:
    return len(name) >= len(head) + len(tail) and name.startswith(head) and name.endswith(tail)


def _names(folder: str) -> list[str]:
    try:
        return posix.listdir(folder or "/")
    except OSError:
        return []


def _written(path: str) -> float:
    try:
        return posix.stat(path).st_mtime
    except OSError:
        return 0.0
