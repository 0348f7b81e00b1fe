"""Ids, steps and tables that look alike: each is found by what it is and by its place, never by a part of its name."""

from __future__ import annotations

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.state_edits import set_status
from orchestrator.formats.state_file import read_state
from orchestrator.formats.task_file import read_micro_plan, take_progress
from orchestrator.markdown.document import Document
from orchestrator.model.status import Status
from tests.support.changed_lines import changed_lines
from tests.support.planning import key

IDS = ("6", "6b", "60", "06", "6-b", "b6", "1", "10", "11", "1a")
PLAN = (
    "# Execution plan 5 — X\n\n## Waves\n\n| Wave | Tasks |\n| --- | --- |\n"
    f"| 1 | {', '.join(f'5.1.{one}' for one in IDS)} |\n\n## Tasks\n\n"
    + "\n".join(f"### 5.1.{one} — Title {one}\n\n- **Test:** `run {one}`\n\nOnly words-of-{one}-end.\n" for one in IDS)
)
ROWS = "".join(f"| 1 | 5.1.{one} | Title {one} | pending | |\n" for one in IDS)
LOG = "## Run log\n\n| Task | Result |\n| --- | --- |\n" + "".join(f"| 5.1.{one} | pending |\n" for one in IDS)
STATE = f"# State 5\n\n{LOG}\n## Wave board\n\n| Wave | Task | Title | Status | Note |\n|---|---|---|---|---|\n{ROWS}"


@pytest.mark.parametrize("local", IDS)
def test_a_task_holds_its_own_section_and_not_a_word_of_one_that_is_called_alike(local: str) -> None:
    read = read_plan(Document.parse(PLAN, "p"), 5)
    assert read.problems == ()
    spec = read.value.spec(key(f"5.1.{local}"))
    assert (spec.title, spec.test) == (f"Title {local}", f"run {local}")
    assert [one for one in IDS if f"words-of-{one}-end" in spec.text] == [local]


@pytest.mark.parametrize("local", IDS)
def test_a_status_goes_into_the_board_row_of_that_very_task_and_into_no_other_table(local: str) -> None:
    plan = read_plan(Document.parse(PLAN, "p"), 5).value
    new = set_status(Document.parse(STATE, "s"), key(f"5.1.{local}"), Status.RUNNING)
    changed = changed_lines(STATE, new.text)
    assert changed.added == (f"| 1 | 5.1.{local} | Title {local} | running | |\n",)
    assert changed.removed == (f"| 1 | 5.1.{local} | Title {local} | pending | |\n",)
    assert new.text.startswith(f"# State 5\n\n{LOG}")
    running = [row.key.id for row in read_state(new, plan, "s").value.board if row.status is Status.RUNNING]
    assert running == [local]


def test_of_steps_with_the_same_words_the_one_at_the_ticked_place_is_ticked() -> None:
    text = "# 5.1.1 — X\n\n## TODO items\n\n- [ ] Run tests\n- [ ] Mend\n- [ ] Run tests\n- [ ] Run tests\n"
    copy = text.replace("- [ ] Mend\n- [ ] Run", "- [ ] Mend\n- [x] Run")
    new = take_progress(Document.parse(text), copy)
    assert new.text == copy
    assert [step.mark for step in read_micro_plan(new).value.steps] == [" ", " ", "x", " "]
