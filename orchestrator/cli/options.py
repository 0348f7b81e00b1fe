"""The options that every command has, and the shape of a command's help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

F = TypeVar("F", bound=Callable[..., object])


def shared_options(function: F) -> F:
    """Add `-n N` (as `number`) and `--json` (as `as_json`)."""
    return _options(function, takes_number=True)


def options_without_number(function: F) -> F:
    """The same for a command to which `-n` means nothing: not in its help, and to be refused with the reason."""
    return _options(function, takes_number=False)


def _options(function: F, *, takes_number: bool) -> F:
    number = click.option(
        "-n",
        "number",
        type=click.IntRange(min=1),
        metavar="N",
        hidden=not takes_number,
        help="Orchestration N instead of the newest.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
    return number(as_json(function))


def example(*lines: str) -> str:
    """The end of a command's help: command lines that can be pasted."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def refuse_number(number: int | None, why: str) -> None:
    """End with a usage error where `-n` can mean nothing. Raises click.UsageError."""
    if number is not None:
        raise click.UsageError(f"-n doesn't go with this command: {why}", click.get_current_context())


def said(text: str, option: str) -> str:
    """The text of an option that has to say something. Raises click.UsageError for a blank one."""
    if not text.strip():
        raise click.UsageError(f"--{option} is empty: it is what others will read", click.get_current_context())
    return text.strip()
