"""A click group that knows its commands by a table and imports a command only to run it.

Knows nothing of what the commands do; needs nothing but click.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

PACKAGE = "orchestrator.cli.commands"


class LazyGroup(click.Group):
    """Commands by name and help line; the object in a command's module is always called `command`."""

    def __init__(self, table: Mapping[str, str], **attributes: Any) -> None:
        super().__init__(**attributes)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module = import_module(f"{PACKAGE}.{cmd_name.replace('-', '_')}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is no click command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in self.table or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        # Here and not above: only a mistyped word pays for it.
        from difflib import get_close_matches

        near = get_close_matches(name, self.table, n=1)
        ctx.fail(f"no such command '{name}'" + (f"; did you mean {near[0]}?" if near else ""))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table: click's own method would import every command to ask for its line.
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))
