"""What an edit changed, as lines with - and +, so that a test can compare all of it."""

from __future__ import annotations

import difflib


def diff(old: str, new: str) -> str:
    """The changed lines of a unified diff without context; lines keep their own endings, shown where not LF."""
    lines = difflib.unified_diff(_lines(old), _lines(new), n=0, lineterm="")
    return "".join(f"{line}\n" for line in lines if not line.startswith(("---", "+++", "@@")))


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    shown = [part.replace("\r", "␍") for part in parts]
    return shown[:-1] + ([f"{shown[-1]}␄"] if shown[-1] else [])
