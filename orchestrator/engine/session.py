"""One call of the command line: which checkout, which orchestration, and the world it may touch.

Owns how a call finds its planning set, and hands git out on demand, so that commands which only read files
never load it. Clock and randomness come from here and nowhere else.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.errors import OrchError, UserError
from orchestrator.masking import secret_values
from orchestrator.nouns import dataclass, field, replace
from orchestrator.patterns import regex
from orchestrator.store.find_repository import Found, find_root
from orchestrator.store.layout import Layout, run_folder
from orchestrator.store.locks import who_runs
from orchestrator.store.planning_set import PlanningSet, load_settings
from orchestrator.store.read_cache import ReadCache

if TYPE_CHECKING:
    from orchestrator.model.repositories import RepoNames
    from orchestrator.vcs.repository import Repository

# The last part of origin's URL, in git's own file: asking git would cost a process on every call.
_ORIGIN = regex(r'^\[remote "origin"\][^\[]*?^\s*url\s*=.*?([^/:\s]+?)/?\s*$', re.MULTILINE | re.DOTALL)

_COMMANDS = regex(
    r"\borch (?:next-wave|check|status|resume|wait|clean|gate(?! [\w.-]*\d)"
    r"|(?:answer|ask|gate|approve|revise|takeover|retry|rescope|skip|block|show|log|prompt)"
    r" (?:--(?:person|other) )*(?=[\w.-]*\d)[\w.-]*\w"
    r"|retry --wave \d+)(?![\w.-]*\w| -n)"
)

WORKER_MARK = "ORCH_RUN_ID"


def utc(seconds: float) -> str:
    """The time as every file of orch writes it: UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@dataclass(slots=True)
class Session:
    """What a verb works with. `number` is None where a command needs no orchestration (init, new)."""

    found: Found
    layout: Layout
    environ: Mapping[str, str]
    emit: Callable[[str], None]
    asked: int | None = None
    clock: Callable[[], float] = time.time
    by: str = "session"
    """Who gives the command: `person` at a terminal, else `session`."""
    is_watched: bool = False
    """Whether somebody looks at the lines of progress as they come."""
    cache: ReadCache = field(default_factory=ReadCache)
    """What has been read of the set so far."""
    _set: PlanningSet | None = None
    _repositories: dict[Path, Repository] = field(default_factory=dict)
    _secrets: tuple[str, ...] | None = None
    warnings: list[str] = field(default_factory=list)
    repo_names: tuple[object, RepoNames] | None = None
    """What repositories are called, with the settings it was worked out for."""

    @property
    def planning(self) -> PlanningSet:
        """The active planning set. Raises UserError where there is none."""
        if self._set is None:
            self._set = PlanningSet(self.layout, self._active(), self.cache)
        return self._set

    def _active(self) -> int:
        try:
            return self.layout.active(self.asked)
        except UserError as error:
            common = self.layout.common_dir
            if error.code in ("no-planning", "no-plan") and (common / "refs" / "orch").is_dir():
                # Here and not above: commands that look take no lock.
                from orchestrator.store.locks import RUN_LOCK, WRITE_LOCK

                if (common / RUN_LOCK).exists() and not (common / WRITE_LOCK).exists():
                    # No planning set was ever changed here.
                    raise UserError(
                        f"{error.message}: it only takes part in the orchestration of another repository",
                        hint="go into the repository whose planning/ORCH.md names this one, and call orch there",
                        code=error.code,
                    ) from error
                # orch has been at work here: another branch has the set, and a new one isn't what is wanted.
                hint = "another branch may have it: git log --all --oneline -- planning"
                raise UserError(error.message, hint=hint, code=error.code) from error
            raise

    @property
    def number(self) -> int:
        return self.planning.number

    @property
    def repository(self) -> Repository:
        """The repository through git. Loads GitPython, which the commands that only read files never do."""
        return self.repository_in(self.layout.root)

    def repository_in(self, root: Path) -> Repository:
        """Any repository through git, by the top of its checkout. Raises UserError where there is none."""
        if root not in self._repositories:
            # Here and not above: it loads GitPython.
            from orchestrator.vcs.repository import Repository

            self._repositories[root] = Repository.open(root)
        return self._repositories[root]

    @property
    def own_names(self) -> frozenset[str]:
        """What a task's Repo may call this repository: its folder's name, and the name its origin has."""
        return names_at(self.layout.root, self.layout.common_dir)

    def now(self) -> str:
        return utc(self.clock())

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values of this call's environment that must not be written down or shown anywhere."""
        if self._secrets is None:
            self._secrets = secret_values(self.environ)
        return self._secrets

    def random_name(self, length: int) -> str:
        """A name of lower-case letters and digits that nobody could guess twice."""
        letters = "abcdefghijkmnpqrstuvwxyz23456789"
        return "".join(letters[byte % len(letters)] for byte in os.urandom(length))

    def random_uuid(self) -> str:
        """A random UUID, the form in which agent programs name their sessions."""
        data = bytearray(os.urandom(16))
        data[6] = data[6] & 0x0F | 0x40
        data[8] = data[8] & 0x3F | 0x80
        text = data.hex()
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))

    def command(self, words: str) -> str:
        """A command line to show: with `-n` where this call named an orchestration."""
        return f"orch {words} -n {self.asked}" if self.asked is not None else f"orch {words}"

    def other_orch(self) -> str:
        """What another orch that is at work here says of itself; empty where there is none, or nobody can tell."""
        try:
            who = who_runs(self.layout.common_dir)
        except OrchError:
            return ""
        return "" if who.startswith(f"process {os.getpid()} ") else who

    def go_on(self) -> str:
        """The command that takes it further: to wait, where another orch is at work that goes on by itself."""
        return self.command("wait" if self.other_orch() else "next-wave")

    def with_number(self, text: str) -> str:
        """A text that names commands, each with `-n` where this call named an orchestration."""
        return text if self.asked is None else _COMMANDS.sub(rf"\g<0> -n {self.asked}", text)


def open_session(
    cwd: Path,
    number: int | None,
    environ: Mapping[str, str],
    *,
    emit: Callable[[str], None],
    clock: Callable[[], float] = time.time,
) -> Session:
    """The session for a call made in `cwd`. Raises UserError outside a repository or in a bare one."""
    found = find_root(cwd)
    root = found.root
    if found.is_bare:
        raise UserError(
            f"{root} is a bare repository: it has no files to work on",
            hint="call it in a clone with a checkout: git clone THIS-REPOSITORY FOLDER",
            code="bare-repository",
        )
    cache = ReadCache()
    settings = cache.read(root / "planning" / "ORCH.md", lambda path: load_settings(path, root))
    layout = Layout(root=root, common_dir=found.common_dir, run=run_folder(root, environ, settings.value.worktree.root))
    return Session(found=found, layout=layout, environ=environ, emit=emit, asked=number, clock=clock, cache=cache)


def names_at(root: Path, common_dir: Path) -> frozenset[str]:
    """What the repository at `root` is called: its folder's name, and the name its origin has."""
    names = {root.name}
    try:
        config = (common_dir / "config").read_bytes().decode("utf-8", "replace")
    except OSError:
        return frozenset(names)
    names |= {name.removesuffix(".git") for name in _ORIGIN.findall(config)}
    return frozenset(names)


def run_layout(layout: Layout, run: str) -> Layout:
    """The layout with a run folder of this orchestration's own, named by `run:` of STATE.

    A repository that was deleted and made again at the same place finds nothing of its predecessor's there.
    """
    return replace(layout, run=layout.run / run)


def refuse_worker(session: Session, verb: str) -> None:
    """Commands that open gates, land or change state refuse to run as a worker. Raises UserError.

    A worker is known by the mark in its environment, by a task's workspace as its working directory, or by a process
    above it that bears the mark and works in a workspace of this repository.
    """
    if session.environ.get(WORKER_MARK):
        seen = f"{WORKER_MARK} is set in the environment"
    elif session.found.in_workspace:
        seen = "this folder is a task's workspace"
    elif _descends_from_worker(session):
        seen = "a worker of this repository started it"
    else:
        return
    raise UserError(
        f"orch {verb} refuses to run as a worker: {seen}",
        hint="a worker reports in its todo file; run this from the main checkout",
        code="worker",
    )


def _descends_from_worker(session: Session) -> bool:
    # Here and not above: commands that look ask nobody.
    from orchestrator.process.ancestors import places_of_runs
    from orchestrator.store.pointer import owner_of

    for place in places_of_runs():
        owner = owner_of(Path(place))
        if owner is not None and find_root(owner).common_dir == session.found.common_dir:
            return True
    return False
