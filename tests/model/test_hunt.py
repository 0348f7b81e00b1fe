"""The hunt for guilty commits, in worlds whose truth is known."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import combinations

import pytest

from orchestrator.model.hunt import AT_START, GONE, NO_TREE, Answer, Found, Mark, Probe, Unsolved, hunt

World = Callable[[Probe], Answer]


def mark(name: str) -> Mark:
    return ("unit", name)


def solve(count: int, marks: Iterable[Mark], world: World) -> tuple[Found, list[Probe]]:
    """What the hunt finds, and what it asked."""
    steps = hunt(count, marks)
    asked: list[Probe] = []
    try:
        probe = next(steps)
        while True:
            asked.append(probe)
            probe = steps.send(world(probe))
    except StopIteration as end:
        found: Found = end.value
        return found, asked


def broken_by(**culprits: Iterable[int]) -> World:
    """A test is red wherever one of its culprits is."""
    return lambda probe: {one: bool(set(culprits[one[1]]) & set(probe.present)) for one in probe.marks}


@pytest.mark.parametrize("count", range(1, 17))
def test_one_guilty_commit_is_found_with_as_many_runs_as_halvings_and_one(count: int) -> None:
    halvings = (count - 1).bit_length()
    for guilty in range(count):
        found, asked = solve(count, [mark("a")], broken_by(a=[guilty]))
        assert found == Found({guilty: (mark("a"),)})
        assert len(asked) <= max(2, halvings + 1)


def test_two_guilty_of_eight_are_both_found_in_four_runs() -> None:
    for one, other in combinations(range(8), 2):
        found, asked = solve(8, [mark("a"), mark("b")], broken_by(a=[one], b=[other]))
        assert found.guilty == {one: (mark("a"),), other: (mark("b"),)}
        assert found.unsolved == {}
        assert len(asked) <= 4


def test_any_number_of_guilty_ones_takes_four_runs_if_each_test_has_one() -> None:
    chance = random.Random(7)
    for _ in range(200):
        culprits = {f"t{number}": [chance.randrange(8)] for number in range(chance.randint(1, 12))}
        found, asked = solve(8, [mark(name) for name in culprits], broken_by(**culprits))
        assert {at: set(marks) for at, marks in found.guilty.items()} == {
            at: {mark(name) for name, ones in culprits.items() if ones == [at]} for (at,) in culprits.values()
        }
        assert len(asked) <= 4


def test_a_test_that_several_broke_is_laid_to_all_of_them() -> None:
    for ones in (*combinations(range(8), 2), *combinations(range(8), 3)):
        found, asked = solve(8, [mark("a")], broken_by(a=ones))
        assert found.guilty == {at: (mark("a"),) for at in ones}
        assert len(asked) <= 5 * len(ones)


def test_what_is_red_without_any_of_them_is_nobodys_fault() -> None:
    for count in range(1, 9):
        found, asked = solve(count, [mark("a")], lambda probe: dict.fromkeys(probe.marks, True))
        assert found == Found({}, {mark("a"): Unsolved(AT_START)})
        assert len(asked) <= 5


def test_a_guilty_one_is_found_beside_what_is_nobodys_fault() -> None:
    def world(probe: Probe) -> Answer:
        return {one: one[1] == "env" or 5 in probe.present for one in probe.marks}

    found, _ = solve(8, [mark("a"), mark("env")], world)
    assert found == Found({5: (mark("a"),)}, {mark("env"): Unsolved(AT_START)})


def test_what_went_away_by_itself_is_not_blamed_on_the_last() -> None:
    for count in range(1, 9):
        found, _ = solve(count, [mark("a")], lambda probe: dict.fromkeys(probe.marks, False))
        assert found.guilty == {}
        assert found.unsolved == {mark("a"): Unsolved(GONE)}


def test_a_failure_that_needs_two_commits_is_laid_to_the_later_one() -> None:
    for one, other in combinations(range(8), 2):
        found, asked = solve(8, [mark("a")], lambda p, s={one, other}: dict.fromkeys(p.marks, s <= set(p.present)))
        assert found.guilty == {other: (mark("a"),)}
        assert len(asked) <= 4


def needing(**needs: list[set[int]]) -> World:
    """A test is red wherever all commits of one of its sets are together."""
    return lambda probe: {one: any(need <= set(probe.present) for need in needs[one[1]]) for one in probe.marks}


def any_needs(chance: random.Random) -> list[set[int]]:
    return [set(chance.sample(range(8), chance.randint(1, 3))) for _ in range(chance.randint(1, 3))]


def test_whoever_is_blamed_made_the_difference_however_commits_hang_together() -> None:
    chance = random.Random(11)
    for _ in range(500):
        needs = any_needs(chance)
        found, asked = solve(8, [mark("a")], needing(a=needs))
        without = {at for at in range(8) if at not in found.guilty}
        for at in found.guilty:
            assert any(at in need for need in needs)
        if found.guilty:
            assert not any(need <= without for need in needs)
        assert len(asked) <= 25


def test_without_the_blamed_ones_the_tests_laid_to_them_are_green() -> None:
    chance = random.Random(13)
    for _ in range(500):
        needs = {f"t{number}": any_needs(chance) for number in range(chance.randint(2, 5))}
        found, asked = solve(8, [mark(name) for name in needs], needing(**needs))
        without = {at for at in range(8) if at not in found.guilty}
        # What was red only with the last commit in has been seen without it, but not without all the others.
        early = (marks for at, marks in found.guilty.items() if at != 7)
        for _, name in {one for marks in early for one in marks} - {*found.guilty.get(7, ())}:
            assert not any(need <= without for need in needs[name])
        assert len(asked) <= 100


def test_commits_that_cannot_be_taken_apart_are_asked_one_group_at_a_time() -> None:
    truth = broken_by(a=[1], b=[6])

    def world(probe: Probe) -> Answer:
        stood = probe.present == tuple(range(len(probe.present)))
        return truth(probe) if stood or len(probe.present) == 7 else None

    found, _ = solve(8, [mark("a"), mark("b")], world)
    assert found.guilty == {1: (mark("a"),), 6: (mark("b"),)}


def test_a_guilty_one_that_cannot_be_taken_back_is_named_and_not_blamed() -> None:
    truth = broken_by(a=[3])

    def world(probe: Probe) -> Answer:
        return truth(probe) if probe.present == tuple(range(len(probe.present))) else None

    found, _ = solve(8, [mark("a")], world)
    assert found == Found({}, {mark("a"): Unsolved(NO_TREE, 3)})


def test_every_question_is_about_commits_there_are_and_marks_that_are_open() -> None:
    _, asked = solve(8, [mark("a"), mark("b")], broken_by(a=[2], b=[7]))
    assert [(probe.present, [name for _, name in probe.marks], probe.is_proof) for probe in asked] == [
        ((0, 1, 2, 3), ["a", "b"], False),
        ((0, 1, 4, 5), ["a", "b"], False),
        ((0, 1, 2, 4, 5, 6), ["a", "b"], False),
        ((0, 1, 3, 4, 5, 6, 7), ["a", "b"], True),
    ]
