"""What the run does at every step, alone in a process: one status written on the board.

python one_change.py KEY STATUS      (in a repository with a planning set)
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from orchestrator.engine.recorder import Recorder
from orchestrator.engine.session import open_session
from orchestrator.model.ids import parse_key
from orchestrator.model.status import Status


def main() -> None:
    session = open_session(Path.cwd(), None, os.environ, emit=lambda line: None)
    key = parse_key(sys.argv[1])
    assert key is not None
    Recorder(session.planning, session.planning.outline().value, session.now).board(
        key, Status(sys.argv[2]), expected=tuple(Status)
    )


if __name__ == "__main__":
    main()
