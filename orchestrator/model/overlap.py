"""Two tasks of one wave may not touch one file or one surface, or hold one resource.

Must not know how a plan is written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from orchestrator.errors import Problem
from orchestrator.model.heads import HOME
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan, ScopePath, Spec, Wave
from orchestrator.model.repositories import ALONE, RepoNames
from orchestrator.model.scope import (
    canonical,
    claims,
    fixed_part,
    fold,
    folded_may_meet,
    is_literal,
    may_meet,
    scope_fault,
)
from orchestrator.model.settings import Surface

_Claim = tuple[Spec, ScopePath]


def overlap_problems(plan: Plan, *, repos: RepoNames = ALONE, surfaces: Sequence[Surface] = ()) -> tuple[Problem, ...]:
    """One error for each two tasks of a wave whose scopes meet, and for each resource or surface that both hold.

    It stands at the later task's pattern and names both keys and both patterns.
    """
    specs: dict[TaskKey, Spec] = {}
    for spec in plan.specs:
        specs.setdefault(spec.key, spec)
    found: list[Problem] = []
    for wave in plan.waves:
        members = [specs[key] for key in dict.fromkeys(wave.tasks) if key in specs]
        found += _scope_overlaps(wave, members, repos)
        found += _resource_overlaps(wave, members)
        for surface in surfaces:
            found += _surface_overlaps(wave, members, surface, repos)
    return tuple(found)


def _scope_overlaps(wave: Wave, members: list[Spec], repos: RepoNames) -> Iterator[Problem]:
    position = {spec.key: index for index, spec in enumerate(members)}
    met: dict[tuple[int, int], tuple[_Claim, _Claim]] = {}
    for first, second in _meetings(members, repos):
        if position[second[0].key] < position[first[0].key]:
            first, second = second, first
        met.setdefault((position[first[0].key], position[second[0].key]), (first, second))
    for pair in sorted(met):
        (one, path), (other, other_path) = met[pair]
        same = canonical(path.pattern) == canonical(other_path.pattern)
        what = f"`{path.pattern}`" if same else f"`{path.pattern}` and `{other_path.pattern}`, which can be one file"
        yield Problem(
            "scope-overlap",
            f"tasks {one.key} and {other.key} of wave {wave.number} both claim {what}",
            at=other_path.at or other.at,
            hint=f"move one of them to another wave, or take the path out of {one.key} or {other.key}",
            subject=str(other.key),
        )


def _meetings(members: list[Spec], repos: RepoNames) -> Iterator[tuple[_Claim, _Claim]]:
    """The meeting claims of different tasks. Files and folders find each other by name; only wildcards cost pairs."""
    named: dict[tuple[str, str], list[_Claim]] = {}
    wild: list[tuple[str, str, _Claim]] = []
    everything: list[tuple[str, str, _Claim]] = []
    for spec in members:
        repo = repos.find(spec.repo)
        for path in claims(spec):
            if scope_fault(path.pattern):
                continue
            folded = fold(path.pattern)
            claim = (spec, path)
            everything.append((repo, folded, claim))
            if is_literal(folded.rstrip("/")):
                named.setdefault((repo, folded.rstrip("/")), []).append(claim)
            else:
                wild.append((repo, folded, claim))
    for (repo, text), holders in named.items():
        yield from _pairs(holders)
        # What lies in a folder meets it, and a file and a file beneath it can't both be.
        for ancestor in _ancestors(text):
            for above in named.get((repo, ancestor), ()):
                yield from ((above, holder) for holder in holders if holder[0].key != above[0].key)
    for repo, folded, claim in wild:
        start = fixed_part(folded)
        for other_repo, other_folded, other in everything:
            if not (other_folded.startswith(start) or start.startswith(fixed_part(other_folded))):
                continue
            if other_repo == repo and other[0].key != claim[0].key and folded_may_meet(folded, other_folded):
                yield claim, other


def _pairs(holders: list[_Claim]) -> Iterator[tuple[_Claim, _Claim]]:
    return ((a, b) for a, b in combinations(holders, 2) if a[0].key != b[0].key)


def _ancestors(path: str) -> Iterator[str]:
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)


def _resource_overlaps(wave: Wave, members: list[Spec]) -> Iterator[Problem]:
    held: dict[str, list[Spec]] = {}
    for spec in members:
        for name in dict.fromkeys(resource.strip().casefold() for resource in spec.resources):
            if name:
                held.setdefault(name, []).append(spec)
    for name, specs in held.items():
        for one, other in combinations(specs, 2):
            yield Problem(
                "resource-overlap",
                f"tasks {one.key} and {other.key} of wave {wave.number} both hold the resource `{name}`",
                at=other.values.get("resources") or other.fields.get("resources", other.at),
                hint="move one of them to another wave",
                subject=str(other.key),
            )


def _surface_overlaps(wave: Wave, members: list[Spec], surface: Surface, repos: RepoNames) -> Iterator[Problem]:
    touching: list[_Claim] = []
    for spec in members:
        mine = (path for path in claims(spec) if _touches(path, surface)) if repos.find(spec.repo) == HOME else ()
        touching += [(spec, path) for path in list(mine)[:1]]
    for (one, _), (other, path) in pairwise(touching):
        yield Problem(
            "surface-overlap",
            f"tasks {one.key} and {other.key} of wave {wave.number} both touch the surface `{surface.name}`",
            at=path.at or other.at,
            hint=f"move one of them to another wave: no two tasks change `{surface.patterns[0]}` at once",
            subject=str(other.key),
        )


def _touches(path: ScopePath, surface: Surface) -> bool:
    return not scope_fault(path.pattern) and any(may_meet(path.pattern, pattern) for pattern in surface.patterns)
