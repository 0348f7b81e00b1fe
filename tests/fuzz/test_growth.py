"""No text makes a reader or an edit take longer than in proportion to its length."""

from __future__ import annotations

import contextlib
import gc
import os
import time
from collections.abc import Callable, Iterator

import pytest

from tests.fuzz.hard_texts import BLOCKS, LINES, Make
from tests.fuzz.slots import REFUSALS, Work, below, in_line, works

SHORT, FACTOR = 2_000 if os.environ.get("ORCH_SLOW") else 700, 4
MOST = 9.0
"""Times as long for four times the text: four is in proportion, sixteen is the square."""
NOISE = 0.06
"""Seconds of the processor; what is below can't be told from what else a machine does, and hurts nobody."""
Forms = Callable[[str, str], list[str]]


@pytest.fixture(autouse=True)
def without_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("kind", LINES)
def test_a_long_line_takes_time_in_proportion(kind: str) -> None:
    assert slower(in_line, LINES[kind]) == {}


@pytest.mark.parametrize("kind", BLOCKS)
def test_many_lines_take_time_in_proportion(kind: str) -> None:
    assert slower(below, BLOCKS[kind]) == {}


def slower(forms: Forms, make: Make) -> dict[str, float]:
    """What grew faster than the text, and by how much."""
    short, long = (works(forms, make(length)) for length in (SHORT, SHORT * FACTOR))
    return {name: round(grown, 1) for name in long if (grown := growth(short[name], long[name])) > MOST}


def growth(short: Work, long: Work) -> float:
    """How many times as long the long text takes; the least of several tries, 0 where it takes next to nothing."""
    least = float("inf")
    for _ in range(4):
        took = seconds(long)
        if took < NOISE:
            return 0.0
        least = min(least, took)
        first = min(seconds(short) for _ in range(2))
        if least / first <= MOST:
            return least / first
    return least / first


def seconds(work: Work) -> float:
    began = time.process_time()
    with contextlib.suppress(*REFUSALS):
        work()
    return time.process_time() - began


def test_what_takes_the_square_of_the_time_is_found() -> None:
    def looking(length: int) -> Work:
        text = "<!--" * length
        return lambda: [text.find("-->", at) for at in range(0, len(text), 4)]

    assert growth(looking(6_000), looking(24_000)) > MOST
