"""The labels of a spec and their further spellings. The place to add a label or an alias."""

from __future__ import annotations

from orchestrator.formats.labels import label_name
from orchestrator.patterns import regex

ALIASES: dict[str, tuple[str, ...]] = {
    "repo": ("repository",),
    "depends on": (
        *("dependencies", "dependency", "deps", "depends", "needs", "requires", "blocked by", "after"),
        "dependency rule",
    ),
    "must edit": ("edit", "edits", "modify", "target files", "files touched"),
    "can create": ("create", "creates", "new files"),
    "can delete": ("delete", "deletes"),
    "scratch": ("temp",),
    "anchors": ("anchor", "grep anchors"),
    "reference": ("references", "port from"),
    "acceptance": ("acceptance criteria", "done when"),
    "test": ("targeted test", "targeted test command", "test command", "acceptance command", "verify", "how to verify"),
    "tier": ("model",),
    "commit": ("commit message",),
    "theme": (),
    "plan section": ("plan sections",),
    "source": (),
    "priority": (),
    "size": (),
    "resources": ("resource",),
    "wave": (),
    "constraints": ("constraint",),
    "id": ("task",),
    "title": (),
    "spec": ("spec prose", "task spec", "description"),
    "can append": (),
    "stages": (),
}
"""Canonical label in lower case → other spellings, all compared without case, hyphens and blanks."""

GROUPS = frozenset(("files in scope", "files", "scope", "file scope"))
"""Labels whose nested items are labels themselves; paths right behind them may be edited, those called new created."""

RESERVED = frozenset(("can append", "stages"))

_SOUNDS = (
    ("depends on", regex(r"\b(?:depend|requir|need|pre ?req|pre ?requisite|blocked|waits?\b|waiting|predecessor)")),
    ("can create", regex(r"\b(?:creat|new files?\b|adds? files?\b)")),
    ("can delete", regex(r"\b(?:delet|remov)\w* files?\b|\bfiles? (?:to )?(?:delet|remov)")),
    ("must edit", regex(r"\b(?:files?|paths?|touch\w*|modif\w*|edit\w*)\b")),
    ("test", regex(r"\b(?:tests?|verif\w*|validat\w*) (?:with|by|command|cmd)\b|^command$")),
    ("test", regex(r"\bhow to (?:test|validate|check)\b")),
)
"""What people call fields that decide when a task runs, what it may change and how it is tested; the first counts."""

_CANONICAL = {label_name(spelling): name for name, more in ALIASES.items() for spelling in (name, *more)}


def canonical_label(name: str) -> str | None:
    """The canonical label that a normalised label name stands for, or None for a label that isn't orch's."""
    return _CANONICAL.get(name)


def known_labels() -> tuple[str, ...]:
    """All spellings, canonical ones first, for hints."""
    return (*ALIASES, *(name for name in _CANONICAL if name not in ALIASES))


def sounds_like(name: str) -> str:
    """The canonical label that an unknown one may be meant for by the words in it, "" for none."""
    return next((label for label, pattern in _SOUNDS if pattern.search(name)), "")
