"""What can be wrong with the waves of a plan and with who waits for whom.

Owns the checks of the wave table against the specs and of dependencies that the reader has resolved. A dependency
that the reader couldn't resolve is the reader's to report. Must not know how a plan is written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from orchestrator.errors import Location, Problem, Severity
from orchestrator.model.graph import cycles
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Dependency, Plan, Spec, Wave

LARGEST_WAVE = 8
"""A wave of more tasks than this gets a warning."""


def wave_problems(plan: Plan) -> list[Problem]:
    """Waves that are empty, doubled, oddly numbered or too large; tasks in no wave, in two or in the wrong one."""
    start = Location(plan.path)
    if not plan.waves and not plan.specs:
        return [
            Problem(
                "empty-plan",
                "the plan holds no wave and no task",
                at=start,
                hint="fill in the table under `## Waves`, and add a section a task under `## Tasks`",
            )
        ]
    found: list[Problem] = []
    if not plan.waves:
        found.append(Problem("no-waves", "the plan holds no wave", at=start, hint="add a table under `## Waves`"))
    found += _numbering(plan, start)
    for wave in plan.waves:
        at = wave.at or start
        if not wave.tasks:
            found.append(
                Problem(
                    "empty-wave", f"wave {wave.number} has no task", at=at, hint="give it tasks or take its row out"
                )
            )
        if len(set(wave.tasks)) > LARGEST_WAVE:
            found.append(_too_large(plan, wave, at))
    found += _membership(plan, start)
    return found


def _numbering(plan: Plan, start: Location) -> Iterator[Problem]:
    seen: dict[int, Wave] = {}
    for wave in plan.waves:
        if wave.number in seen:
            first = seen[wave.number].at
            yield Problem(
                "duplicate-wave",
                f"wave {wave.number} stands twice{f', first at line {first.line}' if first and first.line else ''}",
                at=wave.at or start,
                hint="put its tasks into one row",
            )
        seen.setdefault(wave.number, wave)
    expected = 1
    for number in sorted(seen):
        if number != expected:
            message = (
                f"the first wave has the number {number}, not 1"
                if expected == 1
                else f"wave {number} follows on wave {expected - 1}: a gap in the numbers"
            )
            yield Problem(
                "wave-numbers",
                message,
                at=seen[number].at or start,
                hint="number the waves 1, 2, 3, …",
                severity=Severity.WARNING,
            )
        expected = number + 1


def _too_large(plan: Plan, wave: Wave, at: Location) -> Problem:
    themes = {spec.key: spec.theme for spec in reversed(plan.specs)}
    groups = _split(tuple(dict.fromkeys(wave.tasks)), themes)
    split = " | ".join(", ".join(map(str, group)) for group in groups)
    tasks = dict.fromkeys(wave.tasks)
    return Problem(
        "large-wave",
        f"wave {wave.number} has {len(tasks)} tasks, more than {LARGEST_WAVE}",
        at=at,
        hint=f"split it into {len(groups)} waves: {split}",
        severity=Severity.WARNING,
    )


def _split(tasks: tuple[TaskKey, ...], themes: Mapping[TaskKey, str]) -> list[list[TaskKey]]:
    """The tasks in groups that aren't too large, as few as can be; a theme is cut only where it is too large itself."""
    by_theme: dict[str, list[TaskKey]] = {}
    for key in tasks:
        by_theme.setdefault(themes.get(key, ""), []).append(key)
    parts = -(-len(tasks) // LARGEST_WAVE)
    size = -(-len(tasks) // parts)
    groups: list[list[TaskKey]] = []
    for members in by_theme.values():
        if groups and len(groups[-1]) + len(members) <= (size if len(by_theme) == 1 else LARGEST_WAVE):
            groups[-1] += members
        else:
            groups += [members[n : n + size] for n in range(0, len(members), size)]
    return groups


def _membership(plan: Plan, start: Location) -> Iterator[Problem]:
    first_row: dict[TaskKey, Wave] = {}
    sections: dict[TaskKey, Spec] = {}
    for spec in plan.specs:
        if spec.key in sections:
            yield Problem(
                "duplicate-task",
                f"task {spec.key} has two sections, the first at line {sections[spec.key].at.line}",
                at=spec.at,
                hint="give one of them another id",
                subject=str(spec.key),
            )
        sections.setdefault(spec.key, spec)
    for wave in plan.waves:
        for key in wave.tasks:
            at = wave.places.get(key) or wave.at or start
            if key in first_row:
                where = "twice" if first_row[key].number == wave.number else f"in wave {first_row[key].number} too"
                yield Problem(
                    "task-in-two-waves",
                    f"task {key} stands in wave {wave.number}, and {where}"
                    if where != "twice"
                    else f"task {key} stands twice in wave {wave.number}",
                    at=at,
                    hint="a task belongs to one wave: take it out here",
                    subject=str(key),
                )
                continue
            first_row[key] = wave
            if key.orchestration != plan.number:
                yield Problem(
                    "wrong-plan",
                    f"task {key} belongs to plan {key.orchestration}, this is plan {plan.number}",
                    at=at,
                    hint=f"task keys of this plan start with {plan.number}.",
                    subject=str(key),
                )
            elif key.wave != wave.number:
                yield Problem(
                    "wrong-wave",
                    f"task {key} stands in the row of wave {wave.number}; its key says wave {key.wave}",
                    at=at,
                    hint=f"move it to wave {key.wave}, or call it {plan.number}.{wave.number}.{key.id} everywhere"
                    if plan.name(key) == str(key)
                    else f"move {plan.name(key)} to wave {key.wave}: STATE holds that key for it under `ids:`",
                    subject=str(key),
                )
            if key not in sections:
                name = plan.name(key)
                yield Problem(
                    "no-section",
                    f"task {name} of wave {wave.number} has no section",
                    at=at,
                    hint=f"add a section `### {name} — …` under `## Tasks`, or take {name} out of the table",
                    subject=str(key),
                )
    # Where there is no wave at all, that is the fault, and not one of each task.
    for key, spec in sections.items() if plan.waves else ():
        if key not in first_row:
            yield Problem(
                "no-wave",
                f"task {key} stands in no wave",
                at=spec.at,
                hint=f"add {key} to a row of the wave table, or move the section under `## Backlog`",
                subject=str(key),
            )


def dependency_problems(plan: Plan) -> list[Problem]:
    """Dependencies on nothing there is, on itself, named twice, inside one wave, on a later wave, and cycles."""
    wave_of = {key: wave.number for wave in reversed(plan.waves) for key in wave.tasks}
    known = {spec.key for spec in plan.specs} | wave_of.keys()
    tasks_of = {wave.number: wave.tasks for wave in plan.waves}
    rings = _task_cycles(plan, known)
    in_ring = {edge for ring in rings for edge in pairwise(ring)}
    found: list[Problem] = []
    for spec in plan.specs:
        seen: set[TaskKey | int] = set()
        for dependency in spec.depends_on:
            target = dependency.task if dependency.task is not None else dependency.wave
            if target is None:
                continue
            problem = None
            if target in seen:
                problem = _dependency_problem(
                    spec,
                    dependency,
                    "duplicate-dependency",
                    f"names its dependency {_named(target)} twice",
                    "name it once",
                )
            elif isinstance(target, TaskKey):
                if target not in known:
                    problem = _dependency_problem(
                        spec, dependency, "unknown-dependency", f"depends on {target}, which is no task of this plan",
                        "name a task of this plan, or `none`",
                    )  # fmt: skip
                elif target == spec.key:
                    problem = _dependency_problem(
                        spec, dependency, "self-dependency", "depends on itself", "take it out"
                    )
                elif (spec.key, target) not in in_ring:
                    problem = _order_problem(spec, dependency, wave_of.get(spec.key), wave_of.get(target), str(target))
            elif target not in tasks_of:
                problem = _dependency_problem(
                    spec, dependency, "unknown-dependency", f"depends on wave {target}, which there isn't",
                    "name a wave of this plan, or `none`",
                )  # fmt: skip
            else:
                problem = _order_problem(spec, dependency, wave_of.get(spec.key), target, "")
            seen.add(target)
            if problem:
                found.append(problem)
    found += [_cycle_problem(plan, ring) for ring in rings]
    found += _wave_order(plan)
    return found


def _named(target: TaskKey | int) -> str:
    return str(target) if isinstance(target, TaskKey) else f"wave {target}"


def _dependency_problem(spec: Spec, dependency: Dependency, code: str, says: str, hint: str) -> Problem:
    at = dependency.at or spec.fields.get("depends on", spec.at)
    return Problem(code, f"task {spec.key} {says}", at=at, hint=hint, subject=str(spec.key))


def _order_problem(spec: Spec, dependency: Dependency, own: int | None, other: int | None, task: str) -> Problem | None:
    """`task` is the key depended on, empty where the dependency names the wave itself."""
    if own is None or other is None or other < own:
        return None
    if other == own:
        says = f"depends on {task} of its own wave {own}" if task else f"depends on its own wave {own}"
        hint = f"tasks of one wave run at once: move {spec.key} to a later wave"
        return _dependency_problem(spec, dependency, "same-wave-dependency", says, hint)
    says = (
        f"of wave {own} depends on {task} of the later wave {other}"
        if task
        else f"of wave {own} depends on the later wave {other}"
    )
    return _dependency_problem(
        spec, dependency, "later-wave-dependency", says, f"move {spec.key} to a wave after wave {other}"
    )


def _edges(plan: Plan, known: set[TaskKey]) -> dict[TaskKey, list[TaskKey]]:
    edges: dict[TaskKey, list[TaskKey]] = {}
    for spec in plan.specs:
        needs = edges.setdefault(spec.key, [])
        for dependency in spec.depends_on:
            if dependency.task is not None and dependency.task in known and dependency.task != spec.key:
                needs.append(dependency.task)
    return edges


def _task_cycles(plan: Plan, known: set[TaskKey]) -> tuple[tuple[TaskKey, ...], ...]:
    edges = _edges(plan, known)
    if all(need.wave < key.wave for key, needs in edges.items() for need in needs):
        return ()
    return cycles(edges, order=TaskKey.order)


def _cycle_problem(plan: Plan, ring: tuple[TaskKey, ...]) -> Problem:
    spec = plan.spec(ring[0])
    at = next((each.at for each in spec.depends_on if each.task == ring[1] and each.at), None)
    return Problem(
        "dependency-cycle",
        f"tasks wait for each other: {' → '.join(map(str, ring))}",
        at=at or spec.fields.get("depends on", spec.at),
        hint="take one of these dependencies out",
        subject=str(spec.key),
    )


def _wave_order(plan: Plan) -> Iterator[Problem]:
    """Waves that depend on themselves, on a later wave or on none there is, where no task's dependency says why."""
    numbers = {wave.number for wave in plan.waves}
    wave_of = {key: wave.number for wave in reversed(plan.waves) for key in wave.tasks}
    explained: set[tuple[int | None, int | None]] = set()
    for spec in plan.specs:
        for dependency in spec.depends_on:
            target = wave_of.get(dependency.task) if dependency.task is not None else dependency.wave
            explained.add((wave_of.get(spec.key), target))
    for wave in plan.waves:
        for other in dict.fromkeys(wave.depends_on):
            if (other < wave.number and other in numbers) or (wave.number, other) in explained:
                continue
            if other not in numbers:
                code, says = "unknown-dependency", f"depends on wave {other}, which there isn't"
            elif other == wave.number:
                code, says = "self-dependency", "depends on itself"
            else:
                code, says = "later-wave-dependency", f"depends on the later wave {other}"
            yield Problem(
                code,
                f"wave {wave.number} {says}",
                at=wave.waits_at or wave.at or Location(plan.path),
                hint="a wave can depend on the waves before it",
            )
