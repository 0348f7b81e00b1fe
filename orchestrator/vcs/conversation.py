"""Feeding a child process and reading it until it has ended, with a deadline and without threads.

Knows nothing of what the child says.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from typing import IO, Any, Protocol

# How long to read on after the child has ended, for what it started itself and left with the pipe open.
AFTERWARDS = 0.2


class Child(Protocol):
    """The part of a Popen object that is used here."""

    stdin: IO[Any] | None
    stdout: IO[Any] | None
    stderr: IO[Any] | None
    pid: int

    def poll(self) -> int | None: ...


class Conversation:
    """Both pipes are read side by side, so that neither can fill up and stop the child."""

    def __init__(self, child: Child, raw: bytes | None) -> None:
        self.child = child
        self.rest = memoryview(raw or b"")
        self.chunks: dict[int, list[bytes]] = {}
        self.selector = selectors.DefaultSelector()
        self.streams = [stream for stream in (child.stdout, child.stderr) if stream is not None]
        for stream in self.streams:
            self.chunks[stream.fileno()] = []
            self.selector.register(stream.fileno(), selectors.EVENT_READ)
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)
            self.selector.register(child.stdin.fileno(), selectors.EVENT_WRITE)

    @property
    def out(self) -> bytes:
        return self._taken(self.child.stdout)

    @property
    def err(self) -> bytes:
        return self._taken(self.child.stderr)

    def _taken(self, stream: IO[Any] | None) -> bytes:
        return b"".join(self.chunks[stream.fileno()]) if stream is not None else b""

    def hold(self, deadline: float) -> bool:
        """Read until both pipes are closed and the child has ended; False if it lives at `deadline` (monotonic
        seconds). A pipe that something else still holds open isn't waited for."""
        ended_at: float | None = None
        while self.selector.get_map():
            now = time.monotonic()
            if ended_at is None and now >= deadline:
                return False
            if ended_at is not None and now >= ended_at + AFTERWARDS:
                break
            # The child's end shows as the end of its pipes; only what outlives it makes the poll below matter.
            events = self.selector.select(min(0.1, max(0.0, deadline - now)))
            for key, _ in events:
                self._serve(key.fd)
            if not events and ended_at is None and self.child.poll() is not None:
                ended_at = time.monotonic()
        self.selector.close()
        while self.child.poll() is None:
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.0002)
        return True

    def _serve(self, fd: int) -> None:
        if fd in self.chunks:
            chunk = os.read(fd, 1 << 16)
            if chunk:
                self.chunks[fd].append(chunk)
            else:
                self.selector.unregister(fd)
            return
        written = 0
        try:
            written = os.write(fd, self.rest) if self.rest else 0
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.rest = memoryview(b"")
        self.rest = self.rest[written:]
        if not self.rest:
            self.selector.unregister(fd)
            stdin = self.child.stdin
            with contextlib.suppress(OSError):
                if stdin is not None:
                    stdin.close()
