"""One git command: fixed options, a scrubbed environment, a time limit, bytes in and out.

The only module that imports GitPython. Knows no subcommand's meaning.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from orchestrator.disk_faults import remedy_for
from orchestrator.effects import effect
from orchestrator.errors import ToolError
from orchestrator.nouns import dataclass, field, replace
from orchestrator.vcs.conversation import Conversation
from orchestrator.vcs.environment import FIXED, OPTIONS, scrub

if TYPE_CHECKING:
    from git.cmd import Git as Engine

TIME_LIMIT = 300.0
GRACE = 1.0
NO_HOOKS = "/dev/null"


def decode(raw: bytes) -> str:
    """Text of git's bytes; bytes that are no UTF-8 survive as lone surrogates and can be encoded back."""
    return raw.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The exact bytes that `decode` made `text` from."""
    return text.encode("utf-8", "surrogateescape")


def z_input(items: Iterable[str]) -> bytes:
    """`items` as NUL-ended fields, for a command that reads its standard input with -z."""
    return b"".join(encode(item) + b"\0" for item in items)


@dataclass(frozen=True, slots=True)
class Completed:
    """What a git command said. `out` is exact; `err` is the text of its standard error."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output without the newlines at its end."""
        return decode(self.out).rstrip("\n")

    @property
    def fields(self) -> tuple[str, ...]:
        """The NUL-ended fields of standard output."""
        parts = decode(self.out).split("\0")
        return tuple(parts[:-1] if parts[-1] == "" else parts)


_engine: Engine | None = None


def engine() -> Engine:
    """GitPython's runner; raises ToolError where there is no git to run."""
    global _engine
    if _engine is None:
        if shutil.which("git") is None:
            raise ToolError(
                "git isn't installed, or isn't on PATH", hint="install git 2.38 or newer, then try again", code="no-git"
            )
        scrub(os.environ)
        os.environ["GIT_PYTHON_REFRESH"] = "quiet"
        # Imported here because it costs as much as seventy git commands, and most calls of the program need none.
        with effect("git", "version"):
            from git.cmd import Git as Engine
        # Two threads of a caller may come here at once.
        os.environ.pop("GIT_PYTHON_REFRESH", None)
        _engine = Engine()
    return _engine


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git for one git directory, tree and index, all named outright: nothing is discovered on disk."""

    cwd: str
    variables: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()

    def using(self, *, cwd: str = "", options: Sequence[str] = (), **variables: str) -> Git:
        """The same with other GIT_* variables (given in full) and further `name=value` options."""
        return replace(
            self,
            cwd=cwd or self.cwd,
            variables={**self.variables, **variables},
            options=(*self.options, *options),
        )

    def run(
        self,
        *args: str,
        input: bytes | str | None = None,
        env: Mapping[str, str] | None = None,
        ok: Sequence[int] | None = (0,),
        timeout: float = TIME_LIMIT,
        hooks: str = NO_HOOKS,
        without: Sequence[str] = (),
        holding: Sequence[int] = (),
    ) -> Completed:
        """Run `git ARGS`. Raises ToolError for an exit status not in `ok` (None: any is fine) or after `timeout`
        seconds. `hooks` is the folder whose hooks may run, by default none; `without` names variables to leave
        out of the environment; `holding` are open files that git holds open as long as it lives."""
        argv = ["env", *(part for name in without for part in ("-u", name))] if without else []
        argv += ["git", "-C", self.cwd]
        for option in (*OPTIONS, *self.options, f"core.hooksPath={hooks}"):
            argv += ["-c", option]
        argv += args
        variables = {**FIXED, **self.variables, **(env or {})}
        with effect("git", args[0] if args else ""):
            completed = _execute(argv, variables, input, timeout, holding)
        # Where any answer is fine, that the system refuses is none.
        if is_refused(completed) if ok is None else completed.status not in ok:
            raise ToolError(
                f"git {args[0]} failed: {last_line(completed.err) or f'exit status {completed.status}'}",
                argv=("git", *args),
                status=completed.status,
                output=completed.err[-4000:],
                hint=remedy(completed.err) or remedy_for(completed.err),
                code="git",
            )
        return completed


_NO_ROOM = ("Out of diskspace", "No space left on device", "Disk quota exceeded")
_FILTER = re.compile(r"(?:clean|smudge) filter '?([^'\n]+?)'? failed")


def is_refused(completed: Completed) -> bool:
    """Whether git ended because the system refused, and not with an answer."""
    # A file that can't be read is an error of its own before that.
    fatal = [line for line in completed.err.split("\n") if line.startswith("fatal:")]
    return completed.status != 0 and bool(remedy_for("\n".join(fatal)))


def remedy(err: str) -> str:
    """What helps against a failure that git's standard error tells of, where a disk, a program or a server is to blame
    and no command of ours; else empty."""
    if any(words in err for words in _NO_ROOM):
        return "make room on its disk, then run the command again"
    if "from promisor remote" in err:
        return "this clone is partial (git clone --filter): see that git fetch works here without a question"
    failed = _FILTER.search(err)
    return f"see that the programs of filter.{failed[1]} in git's configuration work here" if failed else ""


def last_line(text: str) -> str:
    """The line of git's standard error that says most: the last `fatal:` or `error:` one, else the last."""
    lines = [line for line in text.split("\n") if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:"))]
    return (telling or lines or [""])[-1].strip()


def _execute(
    argv: list[str],
    variables: Mapping[str, str],
    input: bytes | str | None,
    timeout: float,
    holding: Sequence[int],
) -> Completed:
    raw = encode(input) if isinstance(input, str) else input
    # A session of its own: a terminal's Ctrl-C doesn't stop git half-way, nothing can ask on the terminal, and
    # at the time limit git, its hooks and its signer can be ended together.
    process = engine().execute(
        argv,
        as_process=True,
        istream=-1 if raw is not None else None,
        env=dict(variables),
        start_new_session=True,
        pass_fds=tuple(holding),
    )
    child = process.proc
    assert child is not None
    talk = Conversation(child, raw)
    if not talk.hold(time.monotonic() + timeout):
        _end_group(child.pid)
        talk.hold(time.monotonic() + GRACE)
        raise ToolError(
            f"git {_subcommand(argv)} took longer than {timeout:g} seconds and was ended",
            argv=tuple(argv),
            output=decode(talk.err)[-4000:],
            code="git-timeout",
        )
    return Completed(child.wait(), talk.out, decode(talk.err))


def _subcommand(argv: Sequence[str]) -> str:
    rest = list(argv[argv.index("git") + 3 :])
    while rest and rest[0] == "-c":
        rest = rest[2:]
    return rest[0] if rest else ""


def _end_group(pid: int) -> None:
    """Ask the whole process group to end, then make it."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError), effect("signal", kind.name):
            os.killpg(pid, kind)
        if kind is signal.SIGTERM:
            time.sleep(GRACE)
