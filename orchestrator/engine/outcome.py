"""What a verb answers: the one value that a command prints and leaves with.

Knows no terminal and no option; cli/ alone turns it into text, a JSON document and an exit code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from orchestrator.errors import Exit
from orchestrator.nouns import dataclass, field


class Later(Mapping[str, object]):
    """A document that is worked out when somebody reads it: an answer in text needs none."""

    def __init__(self, make: Callable[[], Mapping[str, object]]) -> None:
        self._make = make
        self._made: Mapping[str, object] | None = None

    @property
    def document(self) -> Mapping[str, object]:
        """The document, made at the first look."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, key: str) -> object:
        return self.document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)

    def __len__(self) -> int:
        return len(self.document)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`outcome` is a stable word for machines: done, waiting, failed, nothing, paused, fix, dry-run.

    `lines` are the text for standard output without the `first:` and `next:` lines, which cli adds; `data` is the
    JSON document without schema, outcome, next, first and warnings; `warnings` go to standard error.
    """

    outcome: str
    exit_code: Exit = Exit.DONE
    next: str = ""
    """The command to run now; empty where nothing is left to say."""
    lines: tuple[str, ...] = ()
    data: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    first: str = ""
    """What a person does by hand before `next`, in words; mostly nothing."""
