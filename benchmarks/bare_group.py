"""What start-up is measured against: a lazy click group whose commands do nothing."""

import sys

import click


class BareGroup(click.Group):
    """Names its commands without importing anything for them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return ["status"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return click.Command("status", callback=lambda: None, help="Do nothing.") if cmd_name == "status" else None


def main() -> None:
    sys.exit(BareGroup(name="bare", help="A group that does nothing.").main(prog_name="bare"))
