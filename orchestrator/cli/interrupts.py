"""A request to end (SIGTERM, SIGHUP) as an exception, so that what is open gets closed on the way out."""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(BaseException):
    """SIGTERM has arrived. Like KeyboardInterrupt, no `except Exception` stops it."""


class HungUp(Terminated):
    """SIGHUP has arrived: the terminal was closed."""


def _raise(number: int, frame: FrameType | None) -> None:
    raise HungUp if number == signal.SIGHUP else Terminated


def listen() -> None:
    """From now on SIGTERM and SIGHUP raise Terminated in the main thread; not where `nohup` has them ignored."""
    signal.signal(signal.SIGTERM, _raise)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _raise)
