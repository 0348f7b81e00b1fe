"""docs/reliability.md: each command there runs at least as many cases as it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (?:(\d)\. )?[^|]+ \| [^|]+ \| (\d+) \| `pytest ([^`|]+)` \|$", re.MULTILINE)
ROWS = [
    (match[1] or "", int(match[2]), match[3])
    for match in ROW.finditer((ROOT / "docs" / "reliability.md").read_text("utf-8"))
]


def test_every_promise_of_the_readme_has_a_row() -> None:
    promises = re.findall(
        r"^(\d)\. ", (ROOT / "README.md").read_text("utf-8").partition("## Promises")[2], re.MULTILINE
    )
    assert [number for number, _, _ in ROWS if number] == promises


@pytest.mark.parametrize(("number", "cases", "paths"), ROWS)
def test_a_row_has_the_cases_that_it_says(number: str, cases: int, paths: str) -> None:
    options = (
        "--collect-only",
        "-q",
        "-o",
        "addopts=--import-mode=importlib",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
    )
    words = [sys.executable, "-m", "pytest", *options, *paths.split()]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    found = sum("::" in line for line in done.stdout.split("\n"))
    assert done.returncode == 0, done.stdout[-2000:]
    assert found >= cases, (number, found)
