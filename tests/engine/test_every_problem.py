"""Every problem that `orch check` can tell, made by a change of a real set and compared as it is printed, whole.

After a wanted change of a message, write the cases anew and read the difference:
    ORCH_WRITE_GOLDEN=1 pytest tests/engine/test_every_problem.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from orchestrator.engine.check_files import check_files
from orchestrator.engine.outcome import Outcome
from tests.support.git_repo import GitRepo
from tests.support.problem_cases import FOLDER, Case, cases, escaped, make_repo, open_case, write_printed

# Read here, because each test begins with a clean environment.
WRITE = bool(os.environ.get("ORCH_WRITE_GOLDEN"))


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitRepo]:
    yield make_repo(tmp_path_factory.mktemp("problems") / "project")


def checked(repo: GitRepo, case: Case) -> Outcome:
    return check_files(open_case(repo, case))


def codes(outcome: Outcome) -> set[str]:
    problems = outcome.data["problems"]
    assert isinstance(problems, list)
    return {problem["code"] for problem in problems}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_problem_is_told_with_place_cause_and_remedy(case: Case, repo: GitRepo) -> None:
    outcome = checked(repo, case)
    text = escaped("\n".join(outcome.lines))
    if WRITE:
        write_printed(FOLDER / case.file, {case.name: text})
    assert text.split("\n") == case.printed.split("\n")
    assert case.code in codes(outcome)


def test_the_set_that_the_cases_change_has_no_problem(repo: GitRepo) -> None:
    assert checked(repo, Case("", "", (), "", "")).lines == ("orchestration 5: 3 tasks in 2 waves, no problem",)
