"""The filter programs of the person's configuration (`filter.NAME.clean` and its like), and where they run.

git runs them at the top of the tree whose files it reads or writes. In a workspace that is a folder where anyone may
have put anything: `./tools/clean`, or a module that `python -m` finds in the working folder first, would be theirs.
Here they run in the repository's own checkout, as a relative hooks path is taken there too.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from orchestrator.vcs.command import Completed


def filters_at(root: Path, configured: Completed, *, before: str = "") -> tuple[str, ...]:
    """Options for git that run each filter of `configured` (see FILTERS) in the folder `root`, after the shell command
    `before`."""
    values: dict[str, str] = {}
    for setting in configured.fields:
        name, _, value = setting.partition("\n")
        values[name] = value
    there = f"cd {shlex.quote(str(root))} && " + (f"{before} && " if before else "")
    # An option has no way to spell a name with `=`; git fills in `%f` and `%%` but for the long-running kind.
    return tuple(
        f"{name}={there if name.endswith('.process') else there.replace('%', '%%')}{value}"
        for name, value in values.items()
        if value and "=" not in name
    )


FILTERS = ("config", "-z", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$")
