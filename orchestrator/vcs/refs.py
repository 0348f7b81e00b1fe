"""Refs as files, and the text of a ref transaction.

Owns what may be read without a git process. Anything but plain loose and packed refs is left to git.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.nouns import dataclass

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
LOCK = ".lock"
"""How the name of the file ends in which git writes the new value of a ref."""


@dataclass(frozen=True, slots=True)
class RefChange:
    """Set `name` to `new` (None: delete it), provided it is at `old` now.

    old: an object id; "" for "it must not exist"; None for "whatever it is".
    """

    name: str
    new: str | None
    old: str | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """The reference-transaction hook that a change of refs has to pass: its folder, and what it sees."""

    hooks: str
    without: tuple[str, ...]
    env: Mapping[str, str]


def update_ref_input(changes: Sequence[RefChange]) -> str:
    """What `git update-ref --stdin -z` reads for one transaction."""
    lines = ["start\0"]
    for change in changes:
        if change.new is None:
            lines.append(f"delete {change.name}\0{change.old or ''}\0")
        elif change.old == "":
            lines.append(f"create {change.name}\0{change.new}\0")
        else:
            lines.append(f"update {change.name}\0{change.new}\0{change.old or ''}\0")
    return "".join([*lines, "prepare\0", "commit\0"])


def symbolic_head(git_dir: Path) -> str | None:
    """The full name of the ref that HEAD follows; None when it is detached."""
    text = (git_dir / "HEAD").read_text("utf-8", "surrogateescape").strip()
    return text[4:].strip() if text.startswith("ref:") else None


def read_ref(common_dir: Path, name: str) -> tuple[bool, str | None]:
    """(whether the files tell for sure, the object id or None for no such ref)."""
    if (common_dir / "reftable").exists():
        return (False, None)
    try:
        text = (common_dir / name).read_text("utf-8", "surrogateescape").strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        packed = packed_refs(common_dir)
        return (False, None) if packed is None else (True, packed.get(name))
    except OSError:
        return (False, None)
    return (True, text) if _ID.fullmatch(text) else (False, None)


def packed_refs(common_dir: Path) -> dict[str, str] | None:
    """What `packed-refs` says; loose refs outrank it. None where it can't be read."""
    try:
        text = (common_dir / "packed-refs").read_text("utf-8", "surrogateescape")
    except FileNotFoundError:
        return {}
    except OSError:
        return None
    pairs = (line.split(" ", 1) for line in text.split("\n") if line[:1] not in ("", "#", "^"))
    return {name: value for value, name in pairs}


def list_refs(common_dir: Path, prefix: str) -> dict[str, str] | None:
    """Every ref below `prefix` (which ends in `/`) by its object id; None where files don't tell for sure.

    Others may change refs meanwhile: a ref that is packed or deleted while it is looked for is found by what is left of
    it, so `packed-refs` is read last, as git does.
    """
    if (common_dir / "reftable").exists():
        return None
    loose: dict[str, str] = {}
    symbolic: dict[str, str] = {}
    unsure: list[OSError] = []
    for where, _, files in os.walk(common_dir / prefix, onerror=unsure.append, followlinks=False):
        base = os.path.relpath(where, common_dir)
        for file in files:
            if file.endswith(LOCK):
                # No ref may have such a name.
                continue
            try:
                text = (Path(where) / file).read_text("utf-8", "surrogateescape").strip()
            except FileNotFoundError:
                continue
            except OSError:
                return None
            if text.startswith("ref:"):
                symbolic[f"{base}/{file}"] = text[4:].strip()
            elif _ID.fullmatch(text):
                loose[f"{base}/{file}"] = text
            else:
                return None
    packed = packed_refs(common_dir)
    if packed is None or not all(isinstance(error, (FileNotFoundError, NotADirectoryError)) for error in unsure):
        return None
    found = {name: value for name, value in packed.items() if name.startswith(prefix)} | loose
    for name, target in symbolic.items():
        value = read_ref(common_dir, target)[1]
        if value is not None:
            found[name] = value
    return found
