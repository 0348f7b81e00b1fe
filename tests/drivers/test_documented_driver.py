"""The driver that docs/drivers.md shows is run as it stands there, and its table of outcomes is whole."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from orchestrator.drivers.base import Outcome, TurnResult, traits_of
from orchestrator.model.settings import Worker
from tests.drivers.test_agents import stub
from tests.drivers.turns import new_order, take
from tests.support.documents import text_of
from tests.support.recordings import SESSION, Recorded


def documented() -> Any:
    source = text_of("docs/drivers.md").split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {}
    exec(compile(source, "docs/drivers.md", "exec"), names)
    return names["DRIVER"]


def test_the_documented_driver_takes_turns(tmp_path: Path) -> None:
    driver = documented()
    says = {"type": "says", "text": "# 5.1.2 — Parse it", "session": SESSION}
    end = {"type": "done", "in": 7, "out": 2}
    recorded = Recorded((says, end))
    worker = Worker("small", "my-agent", timeout=20.0, stall=0.0, options={"program": stub(tmp_path, recorded)})
    order = new_order(tmp_path, worker, session=SESSION)

    assert (traits_of(driver).sessions, driver.problems(worker)) == ("chosen", ())
    assert take(driver, order) == TurnResult(
        "finished", text="# 5.1.2 — Parse it", session=SESSION, usage={"in": 7.0, "out": 2.0}
    )
    assert (tmp_path / "argv").read_text().split() == ["--read-only", "--session", SESSION]
    take(driver, replace(order, turn="execute", is_resumed=True))
    assert (tmp_path / "argv").read_text().split() == ["--yes", "--resume", SESSION]

    stub(tmp_path, Recorded((says, {"type": "error", "message": "429 Too Many Requests"}), code=1))
    assert take(driver, order).outcome == "quota"


def test_every_outcome_is_documented_and_no_other() -> None:
    table = text_of("docs/drivers.md").split("<!-- outcomes -->", 1)[1].split("\n\n", 1)[0]
    told = [word for row in table.strip().split("\n")[2:] for word in re.findall(r"`([a-z-]+)`", row.split("|")[1])]
    assert sorted(told) == sorted(get_args(Outcome))
