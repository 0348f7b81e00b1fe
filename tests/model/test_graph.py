"""Cycles and levels, against trying every walk."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.model.graph import cycles, find_cycle, levels

graphs = st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3), max_size=7)


def reaches(edges: dict[int, list[int]], start: int, goal: int) -> bool:
    seen: set[int] = set()
    waiting = list(edges.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node == goal:
            return True
        if node not in seen:
            seen.add(node)
            waiting += edges.get(node, ())
    return False


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ({}, None),
        ({"a": ["b"], "b": []}, None),
        ({"a": ["a"]}, ("a", "a")),
        ({"a": ["b"], "b": ["a"]}, ("a", "b", "a")),
        ({"x": ["a"], "a": ["b"], "b": ["c"], "c": ["a"]}, ("a", "b", "c", "a")),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, None),
    ],
)
def test_a_cycle_is_found_with_its_way(edges: dict[str, list[str]], cycle: tuple[str, ...] | None) -> None:
    assert find_cycle(edges) == cycle


@given(graphs)
def test_a_cycle_is_found_exactly_where_a_node_reaches_itself(edges: dict[int, list[int]]) -> None:
    cycle = find_cycle(edges)
    assert (cycle is not None) == any(reaches(edges, node, node) for node in edges)
    if cycle is not None:
        assert cycle[0] == cycle[-1]
        assert all(after in edges[before] for before, after in pairwise(cycle))


@given(graphs)
def test_each_knot_gives_one_cycle_that_starts_at_its_least_node(edges: dict[int, list[int]]) -> None:
    found = cycles(edges, order=int)
    knotted = {node for node in edges if reaches(edges, node, node)}
    knots = {
        frozenset(n for n in knotted if n == m or (reaches(edges, n, m) and reaches(edges, m, n))) for m in knotted
    }
    assert len(found) == len(knots)
    for cycle in found:
        assert cycle[0] == min(cycle) == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1
        assert all(after in edges[before] for before, after in pairwise(cycle))


def test_a_long_chain_needs_no_recursion() -> None:
    chain = {n: [n + 1] for n in range(20_000)}
    assert find_cycle(chain) is None
    assert cycles({**chain, 20_000: [0]}, order=int)[0][:3] == (0, 1, 2)


def test_eight_tasks_in_three_layers_are_three_levels() -> None:
    edges: dict[str, list[str]] = {
        "a": [],
        "b": [],
        "c": ["a"],
        "d": ["a", "b"],
        "e": [],
        "f": ["c"],
        "g": ["d", "e"],
        "h": ["f"],
    }
    assert levels(edges) == {"a": 0, "b": 0, "e": 0, "c": 1, "d": 1, "f": 2, "g": 2, "h": 3}


@given(graphs)
def test_levels_are_one_more_than_the_deepest_need(edges: dict[int, list[int]]) -> None:
    if find_cycle(edges) is not None:
        with pytest.raises(ValueError, match="cycle"):
            levels(edges)
        return
    found = levels(edges)
    assert found.keys() == edges.keys()
    for node, needs in edges.items():
        assert found[node] == max((found[n] + 1 for n in needs if n in edges), default=0)
