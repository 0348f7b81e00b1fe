"""The ignore rules of one commit, as one list that nothing in a working tree can change.

git reads `.gitignore` files from the working tree, where anyone can put one. Here the rules of a fresh
checkout are written out once, as patterns relative to the top, and used ever after.
"""

from __future__ import annotations

from collections.abc import Iterable

_BOM = "﻿"


def combined(sources: Iterable[tuple[str, str]]) -> str:
    """One exclude file from (folder, text of its ignore file) pairs; the folder is "" at the top, else without
    `/` at its end. Give them weakest first: global, repository-wide, top, then deeper folders."""
    lines: list[str] = []
    for folder, text in sources:
        for raw in text.removeprefix(_BOM).split("\n"):
            line = raw.removesuffix("\r")
            if not line.strip() or line.startswith("#"):
                continue
            lines.append(anchored(folder, line))
    return "".join(line + "\n" for line in lines)


def anchored(folder: str, pattern: str) -> str:
    """A pattern of `folder`'s ignore file as the same pattern at the top."""
    if not folder:
        return pattern
    negation = "!" if pattern.startswith("!") else ""
    body = pattern[len(negation) :]
    if body.startswith("\\") and body[1:2] in "!#":
        body = body[1:]
    prefix = "/" + "".join("\\" + char if char in "*?[]\\" else char for char in folder) + "/"
    # With a slash anywhere but at its end a pattern holds from its own folder on, else at any depth below it.
    if "/" in body.rstrip(" ").removesuffix("/"):
        return negation + prefix + body.removeprefix("/")
    return negation + prefix + "**/" + body
