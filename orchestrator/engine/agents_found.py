"""Which agent programs this machine has: for each driver that needs one its place and version, or how to get it.

Looks at files alone and starts nothing: the version is what the package beside the program says.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from orchestrator.drivers.base import Traits, traits_of
from orchestrator.drivers.registry import find, names
from orchestrator.errors import OrchError
from orchestrator.nouns import dataclass

_VERSION = re.compile(r"(?<![\d.])\d+\.\d+\.\d+(?:[-+][\w.]+)?(?![\d.])")
_DEEP = 6
"""So many folders above a program its package may lie."""


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """The program of one driver. `path` is empty where it isn't there, `version` where nothing tells it."""

    driver: str
    traits: Traits
    path: str = ""
    version: str = ""

    @property
    def words(self) -> str:
        """`claude 2.1.332, /usr/bin/claude`."""
        return " ".join(part for part in (self.driver, self.version) if part) + f", {self.path}"


def agent_programs(path: str | None) -> tuple[AgentProgram, ...]:
    """For each driver that has a program of its own. path: the PATH to look along."""
    found = []
    for name in names():
        try:
            traits = traits_of(find(name))
        except OrchError:
            continue
        if traits.program:
            found.append(agent_program(name, traits, traits.program, path))
    return tuple(found)


def agent_program(driver: str, traits: Traits, program: str, path: str | None) -> AgentProgram:
    """That program, looked for along the PATH, or at its place if it is a path."""
    place = shutil.which(program, path=path) or ""
    return AgentProgram(driver, traits, place, _version(Path(os.path.realpath(place))) if place else "")


def _version(real: Path) -> str:
    for folder in list(real.parents)[:_DEEP]:
        try:
            package = json.loads((folder / "package.json").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        # The nearest may be a launcher's own, without a version.
        if isinstance(package, dict) and package.get("version") and package.get("name"):
            return str(package["version"])
    told = _VERSION.findall(str(real))
    return told[-1] if told else ""
