"""What a person does about a wait, as two things: what comes first in words, and the command that follows.

Owns how a remedy's sentence is taken apart. Must not know which waits there are.
"""

from __future__ import annotations

ANEW = "orch next-wave"
_PROGRAMS = ("orch ", "git ")
_THEN = ", then run "


def steps(remedy: str) -> tuple[str, str]:
    """What to do by hand first ("" for nothing), and the command to run then: next-wave where the remedy names none.

    A remedy is a command, or words, which may end in `, then run COMMAND`.
    """
    if not remedy:
        return "", ""
    if remedy.startswith(_PROGRAMS):
        return "", remedy
    first, found, command = remedy.rpartition(_THEN)
    return (first, command) if found and command.startswith(_PROGRAMS) else (remedy, ANEW)
