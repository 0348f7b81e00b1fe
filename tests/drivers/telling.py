"""What a driver makes of a recording, without a process: the end that is on record, and the two streams."""

from __future__ import annotations

from pathlib import Path

from orchestrator.drivers import registry
from orchestrator.drivers.base import TurnResult, traits_of
from orchestrator.model.settings import Worker
from orchestrator.process.looking import Ended
from tests.drivers.turns import new_order
from tests.support.recordings import SAID, SESSION, Recorded, index, recordings

_LIMITS = {"silence": "no sign of life for 20s", "timeout": "not over after 60s"}


def result_of(name: str, ending: str, folder: Path, recorded: Recorded | None = None) -> TurnResult:
    """The result of the turn that was recorded."""
    found = recorded or recordings(name)[ending]
    left = index(name)["endings"].get(ending, 0)
    resumes = ending == "lost"
    is_chosen = traits_of(registry.find(name)).sessions == "chosen"
    order = new_order(folder, Worker("small", name), session=SESSION if is_chosen or resumes else "")
    for stream, text in (("stdout", found.out), ("stderr", found.err)):
        (folder / stream).write_text(text, "utf-8")
    code = left if isinstance(left, int) else None
    ended = Ended(
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        reason="exit" if code is not None else left,  # type: ignore[arg-type]
        started=0.0,
        ended=1.0,
        stdout=folder / "stdout",
        stderr=folder / "stderr",
        message="" if code is not None else _LIMITS[str(left)],
    )
    return registry.find(name).result(order, ended)


def told(name: str, folder: Path) -> str:
    """Every recorded ending of a program and what its driver makes of it, as a document."""
    kept = index(name)
    rows = [_row(ending, left, result_of(name, ending, folder)) for ending, left in kept["endings"].items()]
    head = "| ending | left | outcome | pause | session | used | model | said | message |\n" + "| --- " * 9 + "|\n"
    return f"# {name} {kept['version']}\n\n{head}" + "".join(rows)


def _row(ending: str, left: object, result: TurnResult) -> str:
    counts = {name: f"{count:.4f}" if name == "usd" else f"{count:.0f}" for name, count in result.usage.items()}
    used = ", ".join(f"{count} {name}" for name, count in counts.items())
    said = "it" if result.text.endswith(SAID) else result.text
    session = "yes" if result.session == SESSION else result.session
    cells = (ending, left, result.outcome, f"{result.pause:g}", session, used, result.model, said, result.message)
    return "| " + " | ".join(_cell(str(one)) for one in cells) + " |\n"


def _cell(words: str) -> str:
    line = " / ".join(filter(None, (one.strip() for one in words.splitlines()))).replace("|", "\\|")
    return line if len(line) <= 300 else f"{line[:299]}…"
