"""The process that stands between orch and what it runs, so that neither's death loses the other's end.

Run as `python -I -S shim.py FOLDER`. It reads FOLDER/order, notes itself in FOLDER/pid before anything begins,
starts the command with its output going to FOLDER/stdout and FOLDER/stderr, keeps the limits, ends whatever
is left of the command's process tree, and leaves FOLDER/exit. It needs nothing of orch while it runs.

It starts once for every turn, so it imports only what the interpreter holds already (`posix` for `os`, `_signal` for
`signal`, no json), and signs.py only after a silence. Records are `key=value` fields, each closed by NUL and LF: no
field can hold a NUL, so nothing needs escaping. The readers of /proc below serve orch's side too.
"""

import _signal  # type: ignore[import-not-found]
import posix
import sys
import time

TYPE_CHECKING = False  # typing and collections take milliseconds to load
if TYPE_CHECKING:
    from collections.abc import Callable
CLOSE = b"\0\n"
MARKER = b"ORCH_RUN_ID"
ENDING = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
AWAITED = (*ENDING, _signal.SIGCHLD)
# Python and a caller such as nohup ignore some signals, and that is inherited: the command starts with none ignored.
RESET = sorted(_signal.valid_signals() - {_signal.SIGKILL, _signal.SIGSTOP})

Process = tuple[int, bytes]
"""A pid and when the kernel started it: together they name one process for good."""


def write_record(path: str, fields: list[tuple[bytes, bytes]]) -> None:
    """Put the fields into the file at once: readers see the old file or the whole new one."""
    beside = f"{path}.{posix.getpid()}"
    write_file(beside, b"".join(key + b"=" + value + CLOSE for key, value in fields))
    posix.rename(beside, path)


def write_file(path: str, data: bytes) -> None:
    """Make these bytes the file's, for the owner's eyes only. What is there keeps its room on the disk until then."""
    handle = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC, 0o600)
    try:
        while data:
            data = data[posix.write(handle, data) :]
        posix.ftruncate(handle, posix.lseek(handle, 0, 1))
    finally:
        posix.close(handle)


def read_file(path: str) -> bytes | None:
    """All bytes of the file; None if it can't be read."""
    try:
        handle = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return None
    data = b""
    try:
        while part := posix.read(handle, 1 << 16):
            data += part
        return data
    except OSError:  # a process that ends while its files in /proc are read
        return None
    finally:
        posix.close(handle)


def read_record(path: str) -> list[tuple[bytes, bytes]]:
    """The fields in order; none if there is no such file."""
    fields = (field.partition(b"=") for field in (read_file(path) or b"").split(CLOSE)[:-1])
    return [(key, value) for key, _, value in fields]


def stat_of(pid: int) -> tuple[bytes, int, bytes] | None:
    """State, parent and start time of a process; None if there is none, or no /proc."""
    data = read_file(f"/proc/{pid}/stat")
    if not data:
        return None
    fields = data[data.rfind(b")") + 2 :].split()
    return fields[0], int(fields[1]), fields[19]


def carries(pid: int, marker: bytes) -> bool | None:
    """Whether the process has the marker in its environment; None if that can't be seen, which an empty environment
    counts as: that is how a process looks in the middle of its exec."""
    data = read_file(f"/proc/{pid}/environ")
    return (b"\0" + MARKER + b"=" + marker + b"\0") in b"\0" + data + b"\0" if data else None


def family(marker: bytes, root: int = -1) -> list[Process]:
    """Every living process, but this one, that carries the marker, and all that descends from those and from `root`."""
    me = posix.getpid()
    living: dict[int, tuple[int, bytes]] = {}
    members: set[int] = set()
    try:
        names = posix.listdir("/proc")
    except OSError:
        return []
    for name in names:
        pid = int(name) if name.isdigit() else me
        stat = stat_of(pid) if pid != me else None
        if stat is None or stat[0] in b"ZX":
            continue
        living[pid] = stat[1:]
        if carries(pid, marker):
            members.add(pid)
    found = -1
    while found < (found := len(members)):
        members.update(pid for pid, (parent, _) in living.items() if parent == root or parent in members)
    return [(pid, living[pid][1]) for pid in sorted(members)]


def strike(process: Process, signum: int) -> bool:
    """Send a signal to exactly this process; False if it is gone or its pid is somebody else's by now."""
    pid, started = process
    handle = None
    try:
        # The handle pins the process, so that nothing can take its pid between the look and the signal.
        handle = posix.pidfd_open(pid) if hasattr(posix, "pidfd_open") else None
        stat = stat_of(pid)
        if stat is None or stat[2] != started:
            return False
        posix.kill(pid, signum) if handle is None else _signal.pidfd_send_signal(handle, signum)
    except OSError:
        return False
    finally:
        if handle is not None:
            posix.close(handle)
    return True


def sweep(
    find: "Callable[[], list[Process]]",
    send: "Callable[[Process, int], object]",
    pause: "Callable[[float], object]",
    grace: float,
    patience: float = 10.0,
) -> list[Process]:
    """End all that `find` finds: SIGTERM, after `grace` seconds SIGKILL. Returns those that are left after `patience`.
    Before the kill everything is stopped, until a look finds nothing new, for what forks faster than it is killed."""
    begun = time.monotonic()
    warned, held = set[Process](), set[Process]()
    while left := find():
        now = time.monotonic() - begun
        if now > grace + patience:
            return left
        if now < grace:
            for process in left:
                if process not in warned:
                    warned.add(process)
                    send(process, _signal.SIGTERM)
                    send(process, _signal.SIGCONT)  # what is stopped would hear of it only then
            pause(0.02)
        elif new := [process for process in left if process not in held]:
            held.update(new)
            for process in new:
                send(process, _signal.SIGSTOP)
        else:
            for process in left:
                send(process, _signal.SIGKILL)
            pause(0.01)
    return []


class Order:
    """FOLDER/order as values."""

    def __init__(self, fields: list[tuple[bytes, bytes]]) -> None:
        single = dict(fields)
        self.marker, self.cwd = single[b"marker"], single[b"cwd"]
        self.grace, self.pulse = float(single[b"grace"]), float(single.get(b"pulse", b"0"))
        self.gentle, self.cap = int(single[b"gentle"]), int(single[b"cap"])
        self.root = single.get(b"root", b"").decode("utf-8", "surrogateescape")
        self.argv = [value for key, value in fields if key == b"arg"]
        self.limits = [value.decode().split(" ", 2) for key, value in fields if key == b"limit"]
        # The values come by way of this process's own environment, so that no secret is written to disk;
        # what the interpreter adds to it at start (LC_CTYPE) isn't among the names.
        names = [value for key, value in fields if key == b"env"]
        self.env = {name: posix.environ[name] for name in names if name in posix.environ}


class Command:
    """The command at work: its pid, its output so far, and the limits it is held to."""

    def __init__(self, order: Order, folder: str) -> None:
        self.order, self._folder = order, folder
        self.status: int | None = None
        self.reason = self.message = ""
        self.is_alone = self._has_begun = False
        self._steps = self._size = 0
        self._next = self._felt = 0.0
        self._look: Callable[[float], str] | None = None
        flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_APPEND | posix.O_CLOEXEC
        self._streams = [posix.open(f"{folder}/{name}", flags, 0o600) for name in ("stdout", "stderr")]
        self.pid = self._spawn(f"{folder}/stdin")
        self._begun = self._changed = time.monotonic()

    def _spawn(self, stdin: str) -> int:
        order = self.order
        actions: list[tuple[object, ...]] = [
            (posix.POSIX_SPAWN_OPEN, 0, stdin, posix.O_RDONLY, 0),
            (posix.POSIX_SPAWN_DUP2, self._streams[0], 1),
            (posix.POSIX_SPAWN_DUP2, self._streams[1], 2),
        ]
        # In a session of its own: no terminal to read from, and a group that can be signalled as one.
        return posix.posix_spawnp(
            order.argv[0], order.argv, order.env, file_actions=actions, setsid=True, setsigmask=(), setsigdef=RESET
        )

    def reap(self) -> bool:
        """Take in every child that has ended; whether the command is among those that have."""
        while True:
            try:
                pid, status = posix.waitpid(-1, posix.WNOHANG)
            except ChildProcessError:
                self.is_alone = True
                break
            if not pid:
                break
            self.status = status if pid == self.pid else self.status
        return self.status is not None

    def check(self, *, asked: bool) -> float:
        """Hold the command to its limits now; returns the seconds until the next look is due."""
        now = time.monotonic()
        size = sum(posix.fstat(stream).st_size for stream in self._streams)
        due = [now + 0.5]
        if size != self._size:
            self._size, self._changed, self._has_begun = size, now, True
            due.append(now + 0.05)
        if self.order.pulse and not self.reason:
            if now - max(self._changed, self._felt) >= self.order.pulse:
                self._feel(now)
            due.append(max(self._changed, self._felt) + self.order.pulse)
        limits = [] if self.reason else self._limits()
        if not self.reason:
            self._judge(asked, [(reason, said) for reason, until, said in limits if now >= until])
        if self.reason:
            self._press(now)
            due.append(self._next)
        return max(0.0, min([*due, *(until for _, until, _ in limits)]) - now)

    def _feel(self, now: float) -> None:
        """After a pulse of silence, look whether it lives in another way."""
        self._felt = now
        try:
            if self._look is None:
                sys.path.append(self.order.root)  # late, as it takes time to load
                from orchestrator.process.signs import Signs

                self._look = Signs(self._folder, now - self._begun).look
            found = self._look(now)
        except Exception:  # such as an installation that was taken away meanwhile: then its output alone counts
            self._look, found = lambda _: "", ""
        if found:
            self._changed, self._has_begun = now, self._has_begun or found == "transcript"

    def _limits(self) -> list[tuple[str, float, str]]:
        """The limits that hold now: their reason, their moment, and what is said of them."""
        holding = [limit for limit in self.order.limits if limit[0] != "start" or not self._has_begun]
        since = {"silence": self._changed}.get
        return [(reason, since(reason, self._begun) + float(length), said) for reason, length, said in holding]

    def _judge(self, asked: bool, over: list[tuple[str, str]]) -> None:
        if asked:
            self.reason, self.message = "killed", "ended on request"
        elif self._size > self.order.cap:
            self.reason, self.message = "output", f"more than {self.order.cap} bytes of output"
            self._steps = 2  # it fills the disk: no time to be gentle
        elif over:
            self.reason, self.message = over[0]

    def _press(self, now: float) -> None:
        """The next step towards the end, when it is due: the program's own signal, its group, by force."""
        if now < self._next:
            return
        try:
            if self._steps == 0 and self.order.gentle != _signal.SIGTERM:
                posix.kill(self.pid, self.order.gentle)
            else:
                self._steps = max(self._steps, 1)
                posix.killpg(self.pid, _signal.SIGTERM if self._steps == 1 else _signal.SIGKILL)
        except OSError:
            pass  # no member may be signalled: what is left is found one by one afterwards
        self._steps += 1
        self._next = now + self.order.grace


def adopt_orphans() -> bool:
    """Become the parent of every descendant whose own parent ends, where the kernel can do that (Linux): then nothing
    of the command's process tree can be lost, even if it drops its environment."""
    try:
        # Not there in every build; half a millisecond to load, where ctypes takes four.
        import _ctypes

        program = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        prctl = _ctypes.dlsym(program, "prctl")
        return bool(_ctypes.call_function(prctl, (36, 1, 0, 0, 0)) == 0)  # PR_SET_CHILD_SUBREAPER
    except (ImportError, AttributeError, OSError):
        return False


def pause(seconds: float) -> int:
    """Sleep until a child ends, this process is asked to end, or the time is over. Returns the signal or 0."""
    if hasattr(_signal, "sigtimedwait"):
        return int(getattr(_signal.sigtimedwait(AWAITED, seconds), "si_signo", 0))
    until = time.monotonic() + seconds
    while not (pending := _signal.sigpending() & set(AWAITED)) and time.monotonic() < until:
        time.sleep(min(0.01, seconds))
    return int(_signal.sigwait(pending)) if pending else 0


def work(folder: str, order: Order) -> list[tuple[bytes, bytes]]:
    """Carry out the order to its end; returns the record of how it ended."""
    begun, since = time.time(), time.monotonic()
    record = [(b"marker", order.marker), (b"started", b"%.6f" % begun)]
    adopted, asked = adopt_orphans(), False
    what, name = b"can't enter the folder", order.cwd
    try:
        write_file(f"{folder}/exit.{posix.getpid()}", bytes(4096))  # room for the end, whoever fills the disk meanwhile
        posix.chdir(order.cwd)
        what, name = b"can't start", order.argv[0]
        command = Command(order, folder)
        posix.chdir("/")  # the command's folder isn't held: it may be removed while this process lives
    except OSError as error:
        message = what + b' "' + name + b'": ' + (error.strerror or str(error)).encode("utf-8", "surrogateescape")
        return [*record, (b"reason", b"never-ran"), (b"message", message), (b"ended", b"%.6f" % begun)]
    while not command.reap():
        asked = pause(command.check(asked=asked)) in ENDING or asked
    # By a clock that nobody sets: the difference to its start is how long it took.
    end, status = begun + time.monotonic() - since, command.status or 0
    word, number = (b"code", posix.WEXITSTATUS) if posix.WIFEXITED(status) else (b"signal", posix.WTERMSIG)
    record += [(b"ended", b"%.6f" % end), (word, b"%d" % number(status))]
    record += [(b"reason", (command.reason or "exit").encode()), (b"message", command.message.encode())]
    if adopted and command.is_alone:
        return record  # nothing can be left: every orphan would be a child of this process

    def find() -> list[Process]:
        command.reap()
        return family(order.marker, posix.getpid())

    left = sweep(find, strike, pause, 0.0 if command.reason == "output" else 1.0)
    command.reap()
    if adopted and not command.is_alone:
        # A process that forks and leaves all the time slips through any look at /proc, but not out of our children.
        left = clear_children(command)
    if left:
        record.append((b"left", b" ".join(b"%d" % pid for pid, _ in left)))
    return record


def clear_children(command: Command, seconds: float = 10.0) -> list[Process]:
    """Kill every child until the kernel says that there is none, which descendants become as their own parents go.
    Returns those that are left after `seconds`."""
    until = time.monotonic() + seconds
    while True:
        for process in (found := children_of(posix.getpid())):
            strike(process, _signal.SIGKILL)
        command.reap()
        if command.is_alone or time.monotonic() >= until:
            return [] if command.is_alone else found
        pause(0.0005)


def children_of(parent: int) -> list[Process]:
    """The living children of a process. What slips through a look at all processes is among those made last."""
    last = int((read_file("/proc/loadavg") or b"0").split()[-1])
    for pids in (range(last, max(last - 24, 1), -1), [int(name) for name in posix.listdir("/proc") if name.isdigit()]):
        stats = [(pid, stat_of(pid)) for pid in pids]
        found = [(pid, stat[2]) for pid, stat in stats if stat and stat[1] == parent and stat[0] not in b"ZX"]
        if found:
            break
    return found


def main(folder: str) -> None:
    """The whole life of the shim, from reading the order to leaving the end on record."""
    _signal.pthread_sigmask(_signal.SIG_BLOCK, AWAITED)
    order = Order(read_record(f"{folder}/order"))
    if posix.getsid(0) != posix.getpid():
        posix.setsid()
    if dict(read_record(f"{folder}/pid")).get(b"marker") != order.marker:
        stat = stat_of(posix.getpid())
        write_pid(folder, order.marker, (posix.getpid(), stat[2] if stat else b""))
    record = work(folder, order)
    for _ in range(1200):  # a full disk may be given room again: the end isn't to be lost meanwhile
        try:
            return write_record(f"{folder}/exit", record)
        except FileNotFoundError:
            return  # the folder was deleted, and with it the interest
        except OSError:
            time.sleep(0.5)


def write_pid(folder: str, marker: bytes, process: Process) -> None:
    """Note which process stands guard over the order. Orch and the shim both do, whoever comes first."""
    write_record(f"{folder}/pid", [(b"marker", marker), (b"pid", b"%d" % process[0]), (b"started", process[1])])


if __name__ == "__main__":
    main(sys.argv[1])
    posix._exit(0)  # there is nothing to tidy up, and the interpreter takes two milliseconds to do so
