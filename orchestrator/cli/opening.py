"""How a command comes to a session: the folder it was called in, the environment, progress lines."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from orchestrator.cli.interrupts import listen
from orchestrator.cli.output import is_terminal, progress, who_types
from orchestrator.engine.session import Session, open_session
from orchestrator.errors import UserError


def open_here(number: int | None) -> Session:
    """The session for the current folder and orchestration `number`, None for the newest.

    Raises UserError where there is no repository or no such orchestration.
    """
    listen()
    session = open_session(current_folder(), number, os.environ, emit=progress())
    session.by = who_types()
    session.is_watched = is_terminal(sys.stderr)
    return session


def current_folder() -> Path:
    """The folder that the command was called in. Raises UserError if it has been deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        raise UserError(
            "the current folder no longer exists", hint="cd into your repository", code="no-folder"
        ) from error
