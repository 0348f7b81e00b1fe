"""Every target stands: on what once broke it, on the project's own files, and on files cut up and put together anew."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.inputs import CUT, found, seeds
from tests.fuzz.targets import TARGETS

SLOW = ("events", "state", "todo")
"""Targets of which one input takes some hundredths of a second."""


@pytest.mark.parametrize("path", [path for name in TARGETS for path in found(name)], ids=lambda path: path.name)
def test_what_once_broke_a_target_breaks_it_no_more(path) -> None:  # type: ignore[no-untyped-def]
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_the_projects_own_files_pass(name: str) -> None:
    inputs = list(seeds(name))
    assert inputs
    for data in inputs:
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_files_cut_up_and_put_together_anew_pass(name: str) -> None:
    lines = sorted({line for data in seeds(name) for line in data.splitlines(keepends=True)})
    pieces = st.one_of(st.sampled_from(lines), st.sampled_from(MARKS), st.binary(max_size=6))
    target = TARGETS[name]

    @settings(max_examples=25 if name in SLOW else 60, suppress_health_check=list(HealthCheck))
    @given(st.lists(pieces, max_size=12).map(b"".join))
    def passes(data: bytes) -> None:
        target(data)

    passes()


MARKS = (
    *(
        CUT,
        b"\n",
        b"\r",
        b"\r\n",
        b"```\n",
        b"~~~\n",
        b"---\n",
        b"<!--",
        b"-->",
        b"> ",
        b"- ",
        b"1. ",
        b"  ",
        b"\t",
        b"|",
    ),
    *(b"|", b"# ", b"## ", b"[ ] ", b"`", b"\\", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x00", b"9" * 5_000, b"5.1.1"),
    *(b"\n## Log\n", b"\n## Questions\n", b"\n## Report\n", b"\n## Wave board\n", b"| 1 | 5.2.1 | a | done | |\n"),
)
