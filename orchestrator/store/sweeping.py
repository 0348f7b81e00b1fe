"""Clearing away the temporary files that a killed process left, without losing a save that one of them holds."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.exchange import exchange
from orchestrator.patterns import regex
from orchestrator.store.replacing import (
    TEMPORARY_PREFIX,
    TEMPORARY_SUFFIX,
    digest,
    folder_lock,
    keep_save,
    settled_content,
)

_ASIDE = regex(
    rf"{re.escape(TEMPORARY_PREFIX)}([0-9a-f]{{12}})-([0-9a-f]{{12}})-[0-9a-f]{{12}}-(.+){re.escape(TEMPORARY_SUFFIX)}",
    re.DOTALL,
)
_KEPT = regex(r".+\.saved-[0-9a-f]{12}", re.DOTALL)


def sweep(*folders: Path) -> tuple[str, ...]:
    """Remove stray temporary files in these folders; returns what a person should know, one sentence each.

    A process killed in the moment after an exchange may have left a person's save in such a file. It is put back
    where nothing has been saved since; otherwise it is kept beside the file under a name that is said, each time
    until the person has removed it.
    """
    said: list[str] = []
    for folder in folders:
        if not folder.is_dir():
            continue
        if _names(folder, _is_stray):
            with folder_lock(folder):
                for name in _names(folder, _is_stray):
                    said.extend(_clear(folder / name))
        said.extend(
            f"{name}: a save that orch couldn't put in its place; compare it with {name[:-19]}, then remove it"
            for name in _names(folder, lambda name: _KEPT.fullmatch(name) is not None)
        )
    return tuple(said)


def _names(folder: Path, belongs: Callable[[str], bool]) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if belongs(entry.name))


def _is_stray(name: str) -> bool:
    return name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX)


def _clear(stray: Path) -> list[str]:
    match = _ASIDE.fullmatch(stray.name)
    if match:
        before, after, name = match.groups()
        content = settled_content(stray)
        if digest(content) not in (before, after):
            return _give_back(stray, stray.with_name(name), content, ours=after)
    with effect("remove", str(stray)):
        stray.unlink(missing_ok=True)
    return []


def _give_back(stray: Path, target: Path, content: bytes, *, ours: str) -> list[str]:
    if target.exists() and digest(target.read_bytes()) == ours:
        with effect("replace", str(target)):
            if not exchange(stray, target):
                stray.replace(target)
        stray.unlink(missing_ok=True)
        return [f"{target.name}: a save made while orch was killed was put back"]
    with effect("replace", str(target)):
        keep_save(stray, target)
    return []
