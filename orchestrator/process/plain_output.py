"""What a program printed, as plain text: without terminal control sequences and other control characters."""

from __future__ import annotations

import re

# terminal control sequences, then every other control character but tab and newline
_CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain_output(text: str) -> str:
    """The text as people read it; a lone carriage return goes, as all that a terminal would have overwritten stays."""
    return _CONTROLS.sub("", text)
