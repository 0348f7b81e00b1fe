"""The check of a whole plan: fields, scopes, repositories, messages, and the order of what is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.model.plan import Spec
from orchestrator.model.plan_check import check_plan
from orchestrator.model.repositories import RepoNames
from orchestrator.model.settings import Settings, Worker
from tests.support.model_nouns import after, paths, place, plan, shown, spec

SETTINGS = Settings(workers=(Worker("small", "command"),))


def problems_of(*specs: Spec) -> list[str]:
    return [shown(problem) for problem in check_plan(plan(*specs), SETTINGS)]


def test_a_whole_plan_has_no_problem() -> None:
    whole = spec(
        "1.a",
        create="src/b.py",
        tier="mid",
        commit="feat(x): y",
        priority="High",
        size="3",
        scratch=paths(".dev/"),
        can_delete=paths("old/"),
    )
    assert problems_of(whole, spec("2.a", depends_on=after("1.a"))) == []


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"must_edit": ()}, "12:1 item no-scope: task 5.1.a has no scope"),
        ({"acceptance": ()}, "13:1 item no-acceptance: task 5.1.a has no acceptance"),
        ({"acceptance": ("  ",)}, "13:1 item no-acceptance: task 5.1.a has no acceptance"),
        ({"test": " "}, "14:1 item no-test: task 5.1.a has no test command"),
        ({"test": "a\nb"}, "14:1 item test-not-one-line: the test of task 5.1.a is more than one line"),
        ({"tier": "huge"}, "15:1 item unknown-tier: task 5.1.a asks for the tier `huge`, which there isn't"),
        ({"priority": "P0"}, "16:1 warning unknown-priority: task 5.1.a has the priority `P0`, which there isn't"),
        ({"size": "XL"}, "17:1 warning unknown-size: task 5.1.a has the size `XL`, which there isn't"),
        (
            {"commit": "feat: 5.1.a"},
            "18:1 item commit-message: the commit message of task 5.1.a names the task 5.1.a",
        ),
        (
            {"commit": "", "title": "Close wave 2"},
            "10:1 item commit-message: the commit message of task 5.1.a names a wave (`wave 2`); "
            "without a Commit field it is made of the title",
        ),
        (
            {"repo": "ui"},
            "19:1 item unknown-repo: the repository `ui` of task 5.1.a is none that orch knows",
        ),
    ],
)
def test_a_field_with_a_fault_is_told_at_its_place(fields: dict[str, Any], problem: str) -> None:
    labels = ("must edit", "acceptance", "test", "tier", "priority", "size", "commit", "repo")
    places = {label: place(line) for line, label in enumerate(labels, 12)}
    whole = replace(spec("1.a"), fields=places, **fields)
    assert problems_of(whole) == [problem]
    (found,) = check_plan(plan(whole), SETTINGS)
    assert found.hint
    assert found.subject == "5.1.a"


def test_a_field_that_is_not_there_is_told_at_the_heading() -> None:
    assert problems_of(spec("1.a", test="")) == ["10:1 item no-test: task 5.1.a has no test command"]


def test_a_repository_named_like_this_one_is_this_one() -> None:
    whole = plan(spec("1.a", repo="here"))
    assert check_plan(whole, SETTINGS, repos=RepoNames(frozenset({"here"}))) == ()


def test_every_list_of_the_scope_is_checked_at_each_path() -> None:
    whole = spec(
        "1.a",
        must_edit=paths("src/a.py", "../x", line=12),
        can_create=paths("/etc/x", line=13),
        can_delete=paths(".git/config", line=14),
        scratch=paths("planning/x", line=15),
    )
    assert problems_of(whole) == [
        "12:2 item bad-scope: `../x` in the scope of task 5.1.a leads upwards with `..`",
        "13:1 item bad-scope: `/etc/x` in the scope of task 5.1.a is absolute; paths count from the repository's top"
        " folder",
        "14:1 item bad-scope: `.git/config` in the scope of task 5.1.a lies in git's own folder",
        "15:1 item bad-scope: `planning/x` in the scope of task 5.1.a lies under `planning/`, which no task changes",
    ]


def test_scratch_alone_is_no_scope() -> None:
    whole = spec("1.a", must_edit=(), scratch=paths("tmp/"))
    assert problems_of(whole) == ["10:1 item no-scope: task 5.1.a has no scope"]


def test_without_workers_the_settings_get_a_warning() -> None:
    (problem,) = check_plan(plan(spec("1.a")), Settings())
    assert (str(problem.at), problem.severity, problem.code) == ("planning/ORCH.md", "warning", "no-workers")


def test_all_problems_come_at_once_in_the_order_of_their_places() -> None:
    whole = plan(
        spec("1.b", must_edit=paths("src/", line=22), line=20, test=""),
        spec("1.a", must_edit=paths("src/a.py", line=12), depends_on=after("1.b", line=11), line=10, acceptance=()),
    )
    assert [shown(problem) for problem in check_plan(whole, SETTINGS)] == [
        "10:1 item no-acceptance: task 5.1.a has no acceptance",
        "11:1 item same-wave-dependency: task 5.1.a depends on 5.1.b of its own wave 1",
        "12:1 item scope-overlap: tasks 5.1.b and 5.1.a of wave 1 both claim `src/` and `src/a.py`,"
        " which can be one file",
        "20:1 item no-test: task 5.1.b has no test command",
    ]
