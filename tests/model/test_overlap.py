"""Two tasks of one wave may not meet."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.model.overlap import overlap_problems
from orchestrator.model.repositories import RepoNames
from orchestrator.model.scope import may_meet
from orchestrator.model.settings import Surface
from tests.support.model_nouns import paths, plan, shown, spec


def test_both_keys_and_the_pattern_are_named_at_the_later_ones_place() -> None:
    whole = plan(
        spec("1.a", must_edit=paths("src/x.py", line=12)), spec("1.b", must_edit=paths("./src//x.py", line=22))
    )
    (problem,) = overlap_problems(whole)
    assert shown(problem) == "22:1 item scope-overlap: tasks 5.1.a and 5.1.b of wave 1 both claim `src/x.py`"
    assert problem.hint == "move one of them to another wave, or take the path out of 5.1.a or 5.1.b"
    assert problem.subject == "5.1.b"


@pytest.mark.parametrize(
    ("mine", "theirs", "what"),
    [
        ("src/", "src/a.py", "`src/` and `src/a.py`, which can be one file"),
        ("src", "src/a.py", "`src` and `src/a.py`, which can be one file"),
        ("src/a.py", "SRC/A.py", "`src/a.py` and `SRC/A.py`, which can be one file"),
        ("**/*.py", "src/a.py", "`**/*.py` and `src/a.py`, which can be one file"),
        ("**", "src/a.py", "`**` and `src/a.py`, which can be one file"),
        ("{a,b}.py", "b.py", "`{a,b}.py` and `b.py`, which can be one file"),
        ("src/", "srcx/a.py", None),
        ("src/*.js", "src/a.kt", None),
        ("[ab].js", "a.js", None),
    ],
)
def test_patterns_that_meet_are_both_named(mine: str, theirs: str, what: str | None) -> None:
    found = [problem.message for problem in overlap_problems(plan(spec("1.a", edit=mine), spec("1.b", edit=theirs)))]
    assert found == ([f"tasks 5.1.a and 5.1.b of wave 1 both claim {what}"] if what else [])
    found = [problem.message for problem in overlap_problems(plan(spec("1.a", edit=theirs), spec("1.b", edit=mine)))]
    assert len(found) == (what is not None)


def test_what_can_be_created_and_deleted_counts_and_scratch_does_not() -> None:
    shared = paths("x.py")
    kinds = ("must_edit", "can_create", "can_delete", "scratch")
    meeting = [
        (mine, theirs)
        for mine in kinds
        for theirs in kinds
        if overlap_problems(plan(spec("1.a", edit="a", **{mine: shared}), spec("1.b", create="b", **{theirs: shared})))
    ]
    assert meeting == [(mine, theirs) for mine in kinds[:3] for theirs in kinds[:3]]


def test_a_task_never_meets_itself_and_waves_do_not_meet() -> None:
    assert overlap_problems(plan(spec("1.a", edit="src/ src/a.py"), spec("2.a", edit="src/"))) == ()


def test_one_problem_for_each_two_tasks_however_much_they_share() -> None:
    whole = plan(*(spec(f"1.{name}", edit="a b c/") for name in "xyz"))
    assert [problem.message for problem in overlap_problems(whole)] == [
        "tasks 5.1.x and 5.1.y of wave 1 both claim `a`",
        "tasks 5.1.x and 5.1.z of wave 1 both claim `a`",
        "tasks 5.1.y and 5.1.z of wave 1 both claim `a`",
    ]


def test_other_repositories_have_other_files() -> None:
    assert overlap_problems(plan(spec("1.a", edit="a"), spec("1.b", edit="a", repo="ui"))) == ()
    whole = plan(spec("1.a", edit="a"), spec("1.b", edit="a", repo="here"))
    assert len(overlap_problems(whole, repos=RepoNames(frozenset({"here"})))) == 1
    names = RepoNames(frozenset({"here"}), {"ui": frozenset({"../ui", "web"})})
    whole = plan(spec("1.a", edit="a", repo="../ui/"), spec("1.b", edit="a", repo="web"), spec("1.c", edit="a"))
    assert [one.message for one in overlap_problems(whole, repos=names)] == [
        "tasks 5.1.a and 5.1.b of wave 1 both claim `a`"
    ]


def test_a_resource_is_held_by_one_task_of_a_wave() -> None:
    whole = plan(
        spec("1.a", resources=("Port 80", "gpu")),
        spec("1.b", resources=("port 80", "port 80"), line=20),
        spec("2.a", resources=("gpu",)),
    )
    assert [shown(problem) for problem in overlap_problems(whole)] == [
        "20:1 item resource-overlap: tasks 5.1.a and 5.1.b of wave 1 both hold the resource `port 80`"
    ]


def test_a_faulty_pattern_is_left_to_the_scope_check() -> None:
    assert overlap_problems(plan(spec("1.a", edit="."), spec("1.b", edit="src/a.py"))) == ()


pattern = st.sampled_from(
    ["a", "a/", "a/b", "a/b/", "a/b/c", "A/B", "ab", "a*", "*/b", "**/c", "{a,x}/b", "a/?", "x/y", "x/", "a/**", "**"]
)


@given(st.lists(st.lists(pattern, min_size=1, max_size=3), min_size=2, max_size=4))
@settings(max_examples=100)
def test_the_quick_way_finds_what_trying_all_pairs_finds(scopes: list[list[str]]) -> None:
    names = [f"1.{number}" for number in range(len(scopes))]
    whole = plan(*(spec(name, edit=" ".join(scope)) for name, scope in zip(names, scopes, strict=True)))
    found = [problem.message.split(" of wave")[0] for problem in overlap_problems(whole)]
    assert found == [
        f"tasks 5.{names[one]} and 5.{names[other]}"
        for one, other in combinations(range(len(scopes)), 2)
        if any(may_meet(mine, theirs) for mine in scopes[one] for theirs in scopes[other])
    ]


def test_two_tasks_of_a_wave_that_touch_one_surface_are_told_of() -> None:
    surfaces = (Surface("manifest", ("plugins/*/**",)),)
    whole = plan(
        spec("1.a", edit="plugins/x/a.py"), spec("1.b", create="plugins/y/b.py", line=20), spec("1.c", edit="src/")
    )
    (problem,) = overlap_problems(whole, surfaces=surfaces)
    assert (problem.message, problem.hint, problem.subject) == (
        "tasks 5.1.a and 5.1.b of wave 1 both touch the surface `manifest`",
        "move one of them to another wave: no two tasks change `plugins/*/**` at once",
        "5.1.b",
    )
    assert (
        overlap_problems(plan(spec("1.a", edit="plugins/x/a"), spec("2.b", edit="plugins/y/b")), surfaces=surfaces)
        == ()
    )
