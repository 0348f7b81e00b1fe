"""The file that a fault in orch leaves behind, and where it lies."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.masking import mask, mask_values, secret_values


def write_crash_report(error: BaseException, arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """Write the report and return its path; empty, and the traceback on standard error, where it can't be written.

    Read by its owner alone; holds the command line, versions and the traceback, nothing of the environment.
    """
    text = mask_values(_report(error, arguments), secret_values(environ))
    try:
        text = mask(text)
    except Exception as fault:  # the report of one fault must not die of another
        text = f"what looks like a secret couldn't be masked: {fault}\n{text}"
    name = time.strftime("crash-%Y%m%dT%H%M%SZ", time.gmtime()) + f"-{os.getpid()}.txt"
    for folder in _folders(environ):
        path = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with effect("create", str(path)):
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(text)
            return str(path)
        except OSError:
            continue
    if sys.stderr is not None:
        sys.stderr.write(text)
    return ""


def _folders(environ: Mapping[str, str]) -> Iterator[Path]:
    state = environ.get("XDG_STATE_HOME", "")
    if state and Path(state).is_absolute():
        yield Path(state) / "orch"
    elif environ.get("HOME"):
        yield Path(environ["HOME"]) / ".local" / "state" / "orch"
    # Imported here: it loads half a dozen modules, and only a crash needs it.
    from tempfile import gettempdir

    yield Path(gettempdir())


def _report(error: BaseException, arguments: Sequence[str]) -> str:
    # Imported here: only a crash needs them.
    import platform
    from importlib.metadata import PackageNotFoundError, version
    from traceback import format_exception

    try:
        release = version("orch")
    except PackageNotFoundError:
        release = "unknown"
    return "\n".join(
        [
            f"orch {release}, Python {platform.python_version()}, {platform.platform()}",
            f"command: {['orch', *arguments]!r}",
            f"folder: {_folder()}",
            "",
            "".join(format_exception(error)),
        ]
    )


def _folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return "gone"
