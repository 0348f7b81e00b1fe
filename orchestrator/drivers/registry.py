"""Which drivers there are: a table in plain sight, and what other packages offer as `orch.drivers`.

Nothing is imported before it is asked for.
"""

from __future__ import annotations

import importlib
from typing import cast

from orchestrator.drivers.base import Driver
from orchestrator.errors import UserError

GROUP = "orch.drivers"
TABLE = {
    "claude": "orchestrator.drivers.claude:DRIVER",
    "codex": "orchestrator.drivers.codex:DRIVER",
    "command": "orchestrator.drivers.command:DRIVER",
    "copilot": "orchestrator.drivers.copilot:DRIVER",
    "gemini": "orchestrator.drivers.gemini:DRIVER",
    "manual": "orchestrator.drivers.manual:DRIVER",
    "opencode": "orchestrator.drivers.opencode:DRIVER",
    "qwen": "orchestrator.drivers.qwen:DRIVER",
    "scripted": "orchestrator.drivers.scripted:DRIVER",
}


def find(name: str) -> Driver:
    """The driver of that name. Raises UserError, naming those there are, for an unknown or a broken one."""
    target = TABLE.get(name) or _offered().get(name)
    if target is None:
        raise UserError(
            f'there is no driver "{name}"', hint=f"drivers here: {', '.join(names())}", code="unknown-driver"
        )
    module, _, attribute = target.partition(":")
    try:
        return cast(Driver, getattr(importlib.import_module(module), attribute))
    except (ImportError, AttributeError) as error:
        raise UserError(
            f'the driver "{name}" can\'t be loaded from {target}: {error}',
            hint="install the package that offers it again, or name another driver",
            code="broken-driver",
        ) from error


def names() -> tuple[str, ...]:
    """The names of all drivers, this package's own first."""
    return (*TABLE, *sorted(set(_offered()) - set(TABLE)))


def _offered() -> dict[str, str]:
    # slow to load, and only wanted for names that the table doesn't have
    from importlib.metadata import entry_points

    return {point.name: point.value for point in entry_points(group=GROUP)}
