"""Where text leaves the program: results to standard output, messages to standard error.

Owns terminals, colour, broken pipes and the escaping of control characters. Must not know what a line says.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from orchestrator.engine.outcome import Outcome
from orchestrator.errors import Exit
from orchestrator.masking import mask_values, secret_values
from orchestrator.patterns import regex
from orchestrator.views.printable import printable

SCHEMA = 1
"""Of every document under `--json`: raised when a field changes its meaning or goes away."""

_LABEL = regex(r"^((?:\S.*?:\d+:\d+: )?)(error|warning|note|hint|first|next)(?=: )", re.MULTILINE)
_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36", "hint": "36", "first": "1;32", "next": "1;32"}
# In JSON these can stand inside strings only, so that an escape may take their place.
_UNSAFE_IN_JSON = regex("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def print_outcome(outcome: Outcome, *, as_json: bool) -> int:
    """Print what a verb answered and return the exit code to leave with."""
    if as_json:
        return print_document(_document(outcome), outcome.exit_code)
    for warning in outcome.warnings:
        # A problem in a file says itself what it is.
        print_message(warning if _LABEL.match(warning) else f"warning: {warning}")
    lines = [
        *outcome.lines,
        *([f"first: {outcome.first}"] if outcome.first else []),
        *([f"next: {outcome.next}"] if outcome.next else []),
    ]
    return _write_result("".join(f"{line}\n" for line in lines), outcome.exit_code)


def print_document(document: Mapping[str, object], code: Exit) -> int:
    """Print one JSON document on standard output and return the exit code to leave with."""
    # Here and not above: a text answer doesn't need it.
    import json

    is_unicode = _encoding(sys.stdout).startswith("utf")
    text = json.dumps({"schema": SCHEMA, **document}, ensure_ascii=not is_unicode, separators=(",", ":"))
    text = _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return _write_result(text + "\n", code, is_safe=True)


def print_exact(text: str) -> int:
    """Print a text on standard output byte for byte, for who saves it or passes it on; returns the exit code."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        abandon()
    return Exit.DONE


def print_part(text: str) -> None:
    """Print a part of a result on standard output at once, for who watches it come in."""
    if text:
        _write_result(text, Exit.DONE)


def print_message(text: str) -> None:
    """Print a message on standard error. What can't be written is dropped: a message must not end a run."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(_dressed(printable(mask_values(text, secret_values(os.environ))), stream) + "\n")
        stream.flush()
    except (OSError, ValueError):
        # What is left in the buffer would be tried again at the very end, and change the exit code to 120.
        abandon(2)


def progress(*, always: bool = False) -> Callable[[str], None]:
    """Takes progress lines: to standard error where that is a terminal (or `always`), else to nowhere."""
    return print_message if always or is_terminal(sys.stderr) else _drop


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at what is written to `stream`."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def who_types() -> str:
    """By whom a command was given: `person` at a terminal, else `session`."""
    return "person" if is_terminal(sys.stdin) else "session"


def columns() -> int:
    """How wide a line may be: the terminal's width, at least 40, or 100 where there is none."""
    try:
        return max(40, os.get_terminal_size(2).columns)
    except OSError:
        return 100


def abandon(stream: int = 1) -> None:
    """Point standard output (1) or error (2) at nothing, so that the interpreter's last flush doesn't fail again."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream)
        os.close(nowhere)
    except OSError:
        pass


def _write_result(text: str, code: Exit, *, is_safe: bool = False) -> int:
    stream = sys.stdout
    if stream is None or not text:
        return code
    # What workers and programs said was masked as it came in; these may also have been typed.
    text = mask_values(text, secret_values(os.environ))
    try:
        stream.write(text if is_safe else _dressed(printable(text), stream))
        stream.flush()
    except BrokenPipeError:
        # The reader has seen enough (`orch status | head`); the work itself is done.
        abandon()
    except OSError as error:
        abandon()
        print_message(f"error: the result couldn't be written to standard output: {error.strerror}")
        return code or Exit.FIX
    return code


def _document(outcome: Outcome) -> dict[str, object]:
    first = {"first": outcome.first} if outcome.first else {}
    document = {"outcome": outcome.outcome, "next": outcome.next, **first, **outcome.data}
    return {**document, "warnings": list(outcome.warnings)} if outcome.warnings else document


def _dressed(text: str, stream: TextIO) -> str:
    if not is_terminal(stream) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return _LABEL.sub(lambda match: f"{match[1]}\x1b[{_COLOURS[match[2]]}m{match[2]}\x1b[0m", text)


def _encoding(stream: TextIO | None) -> str:
    return ((stream.encoding if stream is not None else None) or "ascii").lower()


def _drop(line: str) -> None:
    """Nobody is there to see progress."""
