"""Directed graphs of anything sortable: cycles and levels. Must not know what the nodes mean.

An edge leads from a node to what it needs: `{"b": ["a"]}` says that b needs a.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

K = TypeVar("K")


def find_cycle(edges: Mapping[K, Collection[K]]) -> tuple[K, ...] | None:
    """One cycle, its first node repeated at the end (`a → b → a`), or None.

    The first in the order of the mapping and of each node's edges, so that the same graph gives the same cycle.
    """
    done: set[K] = set()
    for root in edges:
        if root in done:
            continue
        path: list[K] = [root]
        on_path = {root: 0}
        pending = [iter(edges.get(root, ()))]
        while pending:
            for node in pending[-1]:
                if node in on_path:
                    return (*path[on_path[node] :], node)
                if node not in done:
                    on_path[node] = len(path)
                    path.append(node)
                    pending.append(iter(edges.get(node, ())))
                    break
            else:
                pending.pop()
                left = path.pop()
                del on_path[left]
                done.add(left)
    return None


def cycles(edges: Mapping[K, Collection[K]], *, order: Callable[[K], Any]) -> tuple[tuple[K, ...], ...]:
    """One cycle for each knot of nodes that need one another, each turned so that its least node comes first.

    `order` is the sort key for "least" and for the order of the cycles found.
    """
    found: list[tuple[K, ...]] = []
    for knot in _knots(edges):
        members = set(knot)
        within = {node: [n for n in edges.get(node, ()) if n in members] for node in sorted(knot, key=order)}
        cycle = find_cycle(within)
        if cycle is not None:
            ring = cycle[:-1]
            first = min(range(len(ring)), key=lambda n: order(ring[n]))
            turned = ring[first:] + ring[:first]
            found.append((*turned, turned[0]))
    return tuple(sorted(found, key=lambda cycle: order(cycle[0])))


def _knots(edges: Mapping[K, Collection[K]]) -> list[list[K]]:
    """The strongly connected components, by Tarjan's method without recursion."""
    index: dict[K, int] = {}
    low: dict[K, int] = {}
    stack: list[K] = []
    on_stack: set[K] = set()
    knots: list[list[K]] = []
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(edges.get(other, ()))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    knot: list[K] = []
                    while not knot or knot[-1] != node:
                        knot.append(stack.pop())
                        on_stack.discard(knot[-1])
                    knots.append(knot)
    return knots


def levels(edges: Mapping[K, Collection[K]]) -> dict[K, int]:
    """For each node of `edges` how many layers lie beneath it: 0 for what needs nothing.

    Needs outside the mapping count as met. Raises ValueError where there is a cycle.
    """
    found: dict[K, int] = {}
    waiting = {node: {n for n in needs if n in edges} for node, needs in edges.items()}
    level = 0
    while waiting:
        ready = [node for node, needs in waiting.items() if needs <= found.keys()]
        if not ready:
            raise ValueError("the graph holds a cycle")
        for node in ready:
            found[node] = level
            del waiting[node]
        level += 1
    return found
