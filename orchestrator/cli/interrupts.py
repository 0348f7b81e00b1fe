"""A request to end (SIGTERM) as an exception, so that what is open gets closed on the way out."""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(BaseException):
    """SIGTERM has arrived. Like KeyboardInterrupt, no `except Exception` stops it."""


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated


def listen() -> None:
    """From now on SIGTERM raises Terminated in the main thread."""
    signal.signal(signal.SIGTERM, _raise)
