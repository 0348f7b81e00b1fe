"""What can go wrong, as values: a place, a cause, a remedy and an exit code.

Owns Location, Problem, the few kinds of OrchError and the table of exit codes. Knows no file kind, no git
and no command: every other room may import it, it imports nothing of the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum
from typing import Generic, TypeVar

from orchestrator.nouns import dataclass, field

T = TypeVar("T")


class Exit(IntEnum):
    """Every exit code of the command line, as docs/commands.md documents them."""

    DONE = 0
    FIX = 1
    USAGE = 2
    WAITING = 3
    FAILED = 4
    PAUSED = 5
    NOTHING = 6
    FAULT = 70
    LOCKED = 75
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


# Where several hold, the earliest in this order is the one to leave with.
EXIT_ORDER: tuple[Exit, ...] = (
    Exit.INTERRUPTED,
    Exit.TERMINATED,
    Exit.HUNG_UP,
    Exit.FAULT,
    Exit.LOCKED,
    Exit.FAILED,
    Exit.PAUSED,
    Exit.WAITING,
    Exit.FIX,
)


def strongest(codes: Iterable[Exit]) -> Exit:
    """The code to leave with when several hold; DONE when there is none of the ordered ones."""
    held = set(codes)
    for code in EXIT_ORDER:
        if code in held:
            return code
    return Exit.NOTHING if held == {Exit.NOTHING} else Exit.DONE


class Severity(StrEnum):
    """How far a problem reaches: the whole file, one item of it, or nobody (a warning, a note)."""

    FILE = "file"
    ITEM = "item"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a text. Lines and columns count from 1; line 0 means the file as a whole."""

    path: str
    line: int = 0
    column: int = 0
    length: int = 1
    source: str = ""
    """The text of that line without its ending, for the caret display."""

    def __str__(self) -> str:
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column or 1}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong at one place, with what to do about it."""

    code: str
    """A short stable word in kebab-case, for machines: `unknown-dependency`."""
    message: str
    at: Location | None = None
    hint: str = ""
    severity: Severity = Severity.ITEM
    subject: str = ""
    """The task key the problem holds up, when it is one task's."""

    @property
    def is_error(self) -> bool:
        return self.severity in (Severity.FILE, Severity.ITEM)


class OrchError(Exception):
    """A refusal or failure that the user can act on. Carries no traceback to the screen."""

    exit_code: Exit = Exit.FIX

    def __init__(self, message: str, *, at: Location | None = None, hint: str = "", code: str = "refused") -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.hint = hint
        self.code = code


class UserError(OrchError):
    """Something typed or asked for that can't be done; typing something else helps."""


class DocumentError(OrchError):
    """Files that can't be worked with as they stand; carries every problem found."""

    def __init__(self, problems: Sequence[Problem], *, message: str = "") -> None:
        first = problems[0] if problems else None
        super().__init__(
            message or (first.message if first else "the files hold problems"),
            at=first.at if first else None,
            hint=first.hint if first else "",
            code=first.code if first else "document",
        )
        self.problems = tuple(problems)


class ConflictError(OrchError):
    """Something changed under us and the change can't be made again on the new version."""


class LockedError(OrchError):
    """Another orchestrator is at work in this repository."""

    exit_code = Exit.LOCKED


class OustedError(LockedError):
    """Another orchestrator has taken the place of this one, which must not change anything any more."""


class ToolError(OrchError):
    """git or another program failed. `output` is the end of what it printed."""

    def __init__(
        self,
        message: str,
        *,
        argv: Sequence[str] = (),
        status: int | None = None,
        output: str = "",
        hint: str = "",
        code: str = "tool",
    ) -> None:
        super().__init__(message, hint=hint, code=code)
        self.argv = tuple(argv)
        self.status = status
        self.output = output


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """What a reader returns: the value as far as it could be read, and all problems found on the way."""

    value: T
    problems: tuple[Problem, ...] = field(default=())
