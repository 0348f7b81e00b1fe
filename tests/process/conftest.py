from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.runs import Run, new_run


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = new_run(tmp_path)
    yield made
    assert made.end()
