"""The order of writes that makes every crash window safe: log line first, board next, closing line last.

Owns how a fact about a task is written down. Must not decide anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext

from orchestrator.formats.board_reading import read_row
from orchestrator.formats.log_outline import read_added
from orchestrator.formats.state_edits import note_blocked, refuse_unclear, set_status, sync_rows
from orchestrator.formats.task_file import adopted, append_log, new_task_file_text, set_facts
from orchestrator.formats.task_reading import read_log
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import LogEntry
from orchestrator.model.plan import Plan
from orchestrator.model.stage import standing
from orchestrator.model.status import Status
from orchestrator.nouns import dataclass, field
from orchestrator.store.planning_set import PlanningSet

DocumentChange = Callable[[Document], Document]


@dataclass(slots=True)
class Recorder:
    planning: PlanningSet
    plan: Plan
    now: Callable[[], str]
    leave: Callable[[TaskKey, Sequence[LogEntry]], None] | None = None
    """Called with the lines that are about to be written into a task's log, by who writes beside another orch."""
    written: dict[TaskKey, list[LogEntry]] = field(default_factory=dict)
    """The lines that were written into each log; who looks at the logs takes them out."""

    def entry(self, event: str, **values: str | int) -> LogEntry:
        """A log entry of this moment; values that are empty are left out."""
        words = {key: str(value) for key, value in values.items() if value != ""}
        return LogEntry(self.now(), event, words)

    def note(
        self,
        key: TaskKey,
        *entries: LogEntry,
        facts: Mapping[str, Value] | None = None,
        change: DocumentChange | None = None,
    ) -> None:
        """One write of the task's todo file: body, facts and log lines together."""

        spec = self.plan.spec(key)

        def edit(document: Document) -> Document:
            document = adopted(document, key, spec.title, spec.local_id)
            if change:
                document = change(document)
            if facts:
                document = set_facts(document, facts)
            return append_log(document, *entries) if entries else document

        self.change(key, edit, new=lambda: new_task_file_text(key, spec.title, spec.local_id))

    def change(self, key: TaskKey, edit: DocumentChange, *, new: Callable[[], str] | None = None) -> None:
        """One write of a task's todo file, as PlanningSet.change_task makes it; what it adds to the log is known as
        orch's own."""
        added: Sequence[LogEntry] = ()

        def seen(document: Document) -> Document:
            nonlocal added
            changed = edit(document)
            lines = read_added(document.text, changed.text)
            if not lines:
                lines = read_log(changed)[len(read_log(document)) :]
            if self.leave is not None and lines and lines != added:
                self.leave(key, lines)
            added = lines
            return changed

        with self.planning.locked() if self.leave is not None else nullcontext():
            self.planning.change_task(key, seen, new=new)
        if added:
            self.written.setdefault(key, []).extend(added)

    def move(
        self,
        key: TaskKey,
        status: Status,
        *entries: LogEntry,
        facts: Mapping[str, Value] | None = None,
        change: DocumentChange | None = None,
        in_state: DocumentChange | None = None,
        between: Callable[[], Mapping[str, Value] | None] | None = None,
        follows: Status | None = None,
    ) -> bool:
        """Write entries, the last of them opening `status`; then the board; then the closing line.

        in_state: a further change of STATE made in the same write as the cell. between: done after the board is
        written and before the closing line; the facts it returns go in with that line. follows: the person's word in
        the cell that this carries out.

        False if the cell holds a person's word that orch hasn't looked at: it stays, and the write stays open, so that
        the next look finds the request. Raises DocumentError, having written nothing, where the board can't be told.
        """
        self.refuse_unclear()
        now = standing(self.planning.task(key).log)
        expected = {now.opened, now.closed, follows}
        *before, last = entries
        opened = LogEntry(last.time, last.event, {**last.values, "board": str(status)})
        self.note(key, *before, opened, facts=facts, change=change)
        if not self.board(key, status, in_state=in_state, expected=expected, title=now.title):
            return False
        more = between() if between else None
        self.close(key, status, facts=more)
        return True

    def refuse_unclear(self) -> None:
        """Raise DocumentError where the board can't be told: a decision in the log would hold once somebody has mended
        it, though whoever took it was told that it failed."""
        document = self.planning.state_document()
        if document is not None:
            refuse_unclear(document, self.plan)

    def board(
        self,
        key: TaskKey,
        status: Status,
        *,
        in_state: DocumentChange | None = None,
        expected: Collection[Status | None] | None = None,
        title: str = "",
    ) -> bool:
        """Write the cell, adding the row if it isn't there. False if it held none of `expected` and was left alone.

        title: what orch last wrote there; where it still stands and the plan has another, it is refreshed.
        """
        written = True

        def edit(document: Document) -> Document:
            nonlocal written
            document = self.with_rows(document, {key: title} if title else None)
            if in_state:
                document = in_state(document)
            if expected is not None:
                row = read_row(document, key)
                written = row is None or row.status in {*expected, status} - {None}
            if not written:
                return document
            return note_blocked(set_status(document, key, status), key, is_blocked=status is Status.BLOCKED)

        self.planning.change_state(edit)
        return written

    def with_rows(self, document: Document, titles: Mapping[TaskKey, str] | None = None) -> Document:
        """STATE with the rows that the board lacks, each at the status that orch last wrote: a row that was lost or
        taken out asks for nothing. titles: see sync_rows."""
        whole = sync_rows(document, self.plan, titles)
        if whole is document:
            return document
        for key in self.plan.in_waves():
            if read_row(document, key) is None:
                status = standing(self.planning.task(key).log).opened
                whole = whole if status is Status.PENDING else set_status(whole, key, status)
        return whole

    def close(self, key: TaskKey, status: Status, *, facts: Mapping[str, Value] | None = None) -> None:
        """Write the line that says the board write was made."""
        title = self.plan.spec(key).title
        self.note(key, self.entry("board", status=str(status), title=title), facts=facts)
