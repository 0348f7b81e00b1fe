"""The message of a task's one commit: its default, and what it may not say. Must not know how a commit is made."""

from __future__ import annotations

import re
from collections.abc import Collection

from orchestrator.model.ids import ID, TaskKey, parse_key
from orchestrator.model.plan import Spec
from orchestrator.model.scope import canonical, claims
from orchestrator.patterns import regex

_DOC_SUFFIXES = (".md", ".mdx", ".rst", ".adoc", ".txt")
_DOC_FOLDERS = frozenset(("doc", "docs"))
_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs"))
_TEST_NAME = regex(r"(^|[._-])(test|tests|spec)([._-]|$)", re.IGNORECASE)
_KEY = regex(rf"(?<![\w.-])\d+\.\d+\.{ID}(?!\w)(?!\.\w)")
# A terminal that shows the history would obey them.
_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WAVE = regex(r"(?<![\w-])waves?[ \t-]+#?\d+(?!\w)", re.IGNORECASE)
_ORCHESTRATION = regex(r"(?<![\w-])orchestrations?[ \t-]+#?\d+(?!\w)", re.IGNORECASE)


def commit_message(spec: Spec) -> str:
    """The message that the task's commit gets: the one the spec gives, else the default."""
    return spec.commit.strip() or default_message(spec)


def default_message(spec: Spec) -> str:
    """`type: title`: docs or test if the whole scope is, else feat; the title's first letter lowered.

    A first word that is an abbreviation (API, URLs, iOS) keeps its letters.
    """
    paths = [canonical(path.pattern) for path in claims(spec)]
    kind = "feat"
    if paths and all(map(_is_test, paths)):
        kind = "test"
    elif paths and all(map(_is_doc, paths)):
        kind = "docs"
    title = " ".join(spec.title.split())
    first_word = title.split(" ", 1)[0]
    if first_word[1:] == first_word[1:].lower():
        title = title[:1].lower() + title[1:]
    return f"{kind}: {title}"


def _is_doc(path: str) -> bool:
    segments = path.rstrip("/").split("/")
    return path.lower().endswith(_DOC_SUFFIXES) or any(segment.lower() in _DOC_FOLDERS for segment in segments)


def _is_test(path: str) -> bool:
    *folders, name = path.rstrip("/").split("/")
    if path.endswith("/"):
        folders, name = [*folders, name], ""
    return any(folder.lower() in _TEST_FOLDERS for folder in folders) or bool(_TEST_NAME.search(name))


def message_fault(message: str, plan_number: int, keys: Collection[TaskKey]) -> str | None:
    """Why `message` may not be a commit's message, as the end of a sentence that starts with it; None if it may.

    A history outlives the plan it came from, so a message names no task key of this plan, no wave and no
    orchestration.
    """
    if not message.strip():
        return "is empty"
    control = _CONTROL.search(message)
    if control:
        return f"holds the control character U+{ord(control[0]):04X}"
    for found in _KEY.finditer(message):
        key = _known(found[0], plan_number, keys)
        if key is not None:
            return f"names the task {key}"
    for pattern, what in (
        (_WAVE, "a wave"),
        (_ORCHESTRATION, "an orchestration"),
        (re.compile(rf"EXECUTION_PLAN_{plan_number}(?!\d)"), "an orchestration"),
    ):
        named = pattern.search(message)
        if named:
            return f"names {what} (`{named[0]}`)"
    return None


def _known(word: str, plan_number: int, keys: Collection[TaskKey]) -> TaskKey | None:
    """The key that a word is, or is up to one of its hyphens: `5.1.2-fix` speaks of 5.1.2."""
    while word:
        key = parse_key(word)
        if key is not None and key.orchestration == plan_number and key in keys:
            return key
        word = word.rpartition("-")[0]
    return None
