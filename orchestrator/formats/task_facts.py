"""The front matter of orch's todo file: its keys and their types. The place to add a run fact."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from orchestrator.errors import Problem, Severity
from orchestrator.formats.nearest import did_you_mean
from orchestrator.markdown.document import Document
from orchestrator.markdown.front_matter import FrontMatter
from orchestrator.markdown.plain import plain
from orchestrator.markdown.values import Entry
from orchestrator.model.ids import ID, TaskKey
from orchestrator.model.task_file import Counts, TaskFile
from orchestrator.patterns import regex
from orchestrator.whole_numbers import whole_number

KEYS = (
    "task id tier driver model session marker pid started branch base counts approved approved_by approved_why plan"
    " spec landed reverted until cost"
).split()
_COUNTS = ("plan", "accept", "report", "scope", "conflict", "died")
_HEADING = regex(rf"(?:task\s+)?(\d+\.\d+\.{ID})\b", re.IGNORECASE)


def read_facts(doc: Document, key: TaskKey) -> tuple[TaskFile, list[Problem]]:
    """The facts in the front matter, and what is wrong with them and with the file's heading."""
    problems = _heading_problems(doc, key)
    front = doc.front_matter
    if front is None:
        return TaskFile(key, exists=True), problems
    reader = _Facts(front, problems)
    said = reader.word("task")
    if said and said != str(key):
        reader.report("key-mismatch", f'the file is named for {key}, its front matter says "{said}"', "task")
    counts = reader.mapping("counts")
    facts = TaskFile(
        key,
        exists=True,
        id=reader.word("id"),
        id_at=front.location("id") if "id" in front.keys else None,
        tier=reader.word("tier"),
        driver=reader.word("driver"),
        model=reader.word("model"),
        session=reader.word("session"),
        marker=reader.word("marker"),
        pid=reader.number("pid", reader.word("pid")),
        started=reader.word("started"),
        branch=reader.word("branch"),
        base=reader.word("base"),
        counts=Counts(**{name: reader.number("counts", counts.get(name, ""), name) for name in _COUNTS}),
        approved=reader.word("approved"),
        approved_by=reader.word("approved_by"),
        approved_why=reader.word("approved_why"),
        plan=reader.word("plan"),
        spec=reader.word("spec"),
        landed=reader.words("landed"),
        reverted=reader.words("reverted"),
        until=reader.word("until"),
        cost=reader.mapping("cost"),
    )
    counted = front.entry("counts")
    problems += _misspelt(front, front.by_key.values(), KEYS)
    problems += _misspelt(front, counted.inner if counted else (), _COUNTS)
    return facts, problems


def _misspelt(front: FrontMatter, entries: Iterable[Entry], known: Collection[str]) -> Iterator[Problem]:
    for entry in entries:
        hint = did_you_mean(entry.key, known) if entry.key not in known else ""
        if hint:
            where = front.source.location(entry.key_span.start, len(entry.key_span))
            message = f'"{entry.key}" is no key that orch knows'
            yield Problem("unknown-key", message, where, hint, Severity.WARNING)


class _Facts:
    def __init__(self, front: FrontMatter, problems: list[Problem]) -> None:
        self.front = front
        self.problems = problems

    def word(self, key: str) -> str:
        value = self.front.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self.report("wrong-type", f"`{key}` takes one value, not a list or a map", key)
        return ""

    def words(self, key: str) -> tuple[str, ...]:
        value = self.front.get(key)
        if isinstance(value, str):
            return (value,) if value else ()
        if isinstance(value, tuple) and all(isinstance(one, str) for one in value):
            return tuple(str(one) for one in value)
        if value is not None:
            self.report("wrong-type", f"`{key}` takes a list of words", key)
        return ()

    def mapping(self, key: str) -> dict[str, str]:
        value = self.front.get(key)
        if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
            return {name: str(one) for name, one in value.items()}
        if value:
            self.report("wrong-type", f"`{key}` takes a map such as {{a: 1}}", key)
        return {}

    def number(self, key: str, text: str, *path: str) -> int:
        found = whole_number(text)
        if found is not None:
            return found
        if text:
            self.report("wrong-type", f'`{key}` takes whole numbers, not "{text}"', key, *path)
        return 0

    def report(self, code: str, message: str, *path: str) -> None:
        self.problems.append(Problem(code, message, self.front.location(*path), "correct it or take the line out"))


def _heading_problems(doc: Document, key: TaskKey) -> list[Problem]:
    heading = doc.headings[0] if doc.headings else None
    name = plain(heading.text) if heading else ""
    if heading is None or name.startswith(f"{key} "):
        return []
    match = _HEADING.match(name)
    if match is None or match[1] == str(key):
        return []
    where = doc.source.location(heading.text_span.start, len(match[1]))
    message = f"the file is named for {key}, its heading says {match[1]}"
    return [Problem("key-mismatch", message, where, "make them agree")]
