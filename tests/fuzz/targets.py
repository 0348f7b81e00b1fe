"""The table of targets: a name and a function that takes any bytes and raises where a property doesn't hold."""

from __future__ import annotations

from tests.fuzz import reading, writing

TARGETS = {**reading.TARGETS, **writing.TARGETS}
