"""Every state of the shared corpus: read as the goldens say, or refused with these words at these lines."""

from __future__ import annotations

import pytest

from orchestrator.errors import Problem
from orchestrator.formats.state_file import read_state
from orchestrator.formats.state_outline import read_state_outline
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan
from orchestrator.model.status import WaveStatus
from tests.formats.golden_states import NO_BOARD, READ, REFUSED, Golden
from tests.support.bare_plans import bare_plan
from tests.support.shared import shared


def corpus(name: str) -> str:
    return shared("corpus", "state", name).read_bytes().decode()


def placed(problems: tuple[Problem, ...]) -> tuple[tuple[int, int, str, str], ...]:
    return tuple(
        (at.line, at.column, one.code, at.source[at.column - 1 : at.column - 1 + at.length])
        for one in problems
        if (at := one.at) is not None
    )


def test_every_state_of_the_corpus_has_a_golden() -> None:
    names = {path.name for path in shared("corpus", "state").iterdir()}
    assert names == {*READ, *NO_BOARD, *REFUSED}


@pytest.mark.parametrize("name", READ)
def test_a_state_is_read_as_its_golden_says(name: str) -> None:
    golden = READ[name]
    found = read_state(Document.parse(corpus(name), name), bare_plan(golden.waves), name)
    state = found.value
    assert found.problems == ()
    rows = tuple((row.at.line if row.at else 0, str(row.key), str(row.status), bool(row.note)) for row in state.board)
    assert rows == golden.board
    reports = tuple((report.at.line if report.at else 0, str(report.key)) for report in state.reports)
    assert reports == golden.reports
    assert [(wave.number, wave.status, wave.note) for wave in state.waves] == [
        (number, WaveStatus.DONE, "not checked") for number in golden.believed
    ]
    assert (state.run, state.stop, state.status, state.has_baseline, state.discovered) == ("", "", "open", False, ())


@pytest.mark.parametrize("name", NO_BOARD)
def test_a_journal_holds_no_board_and_nothing_is_wrong_with_it(name: str) -> None:
    found = read_state(Document.parse(corpus(name), name), bare_plan({1: ("1.1.1",)}), name)
    assert found.problems == ()
    assert (found.value.board, found.value.waves, found.value.reports) == ((), (), ())


@pytest.mark.parametrize("name", REFUSED)
def test_a_state_is_refused_with_the_words_at_their_place(name: str) -> None:
    golden: Golden = REFUSED[name]
    found = read_state(Document.parse(corpus(name), name), bare_plan(golden.waves), name)
    assert placed(found.problems) == golden.problems
    assert [word for word in golden.named if word not in found.problems[0].message] == []
    assert all(problem.is_error and problem.hint for problem in found.problems)
    assert found.value.board == ()


@pytest.mark.parametrize("name", [*READ, *NO_BOARD, *REFUSED])
def test_the_quick_look_says_the_same_or_nothing(name: str) -> None:
    text = corpus(name)
    plan: Plan = bare_plan((READ.get(name) or Golden({1: ("1.1.1",)})).waves)
    outline = read_state_outline(text, plan, name)
    whole = read_state(Document.parse(text, name), plan, name)
    assert outline is None or (outline == whole.value and whole.problems == ())
