"""Clearing away the temporary files that a killed process left, without losing a save that one of them holds."""

from __future__ import annotations

import os
import re
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.store.exchange import exchange
from orchestrator.store.replacing import (
    TEMPORARY_PREFIX,
    TEMPORARY_SUFFIX,
    digest,
    folder_lock,
    settled_content,
)

_ASIDE = re.compile(
    rf"{re.escape(TEMPORARY_PREFIX)}([0-9a-f]{{12}})-([0-9a-f]{{12}})-[0-9a-f]{{12}}-(.+){re.escape(TEMPORARY_SUFFIX)}",
    re.DOTALL,
)


def sweep(*folders: Path) -> tuple[str, ...]:
    """Remove stray temporary files in these folders; returns what a person should know, one sentence each.

    A process killed in the moment after an exchange may have left a person's save in such a file. It is put back
    where nothing has been saved since; otherwise it is kept beside the file under a name that is said.
    """
    said: list[str] = []
    for folder in folders:
        if not folder.is_dir() or not _strays(folder):
            continue
        with folder_lock(folder):
            for name in _strays(folder):
                said.extend(_clear(folder / name))
    return tuple(said)


def _strays(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries]
    return sorted(name for name in names if name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX))


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
    kept = target.with_name(f"{target.name}.saved-{digest(content)[:8]}")
    with effect("replace", str(kept)):
        stray.replace(kept)
    return [f"{target.name}: a save made while orch was killed is kept in {kept.name}; compare the two"]
