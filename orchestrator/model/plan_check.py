"""What an execution plan is refused for, and what it is warned about, as far as the plan itself tells.

Owns the check of one plan as a whole; the parts are in wave_check (waves, dependencies), overlap (scopes of one
wave) and tree_check (what the tree at the fork says). Must not read files or know how the plan is written down.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orchestrator.errors import Location, Problem, Severity
from orchestrator.model.commit_message import commit_message, message_fault
from orchestrator.model.ids import TaskKey
from orchestrator.model.overlap import overlap_problems
from orchestrator.model.plan import Plan, Spec
from orchestrator.model.repositories import ALONE, RepoNames
from orchestrator.model.scope import canonical, scope_fault
from orchestrator.model.settings import TIERS, Settings
from orchestrator.model.wave_check import dependency_problems, wave_problems

_PRIORITIES = ("high", "medium", "low")


def check_plan(plan: Plan, settings: Settings, *, repos: RepoNames = ALONE) -> tuple[Problem, ...]:
    """Every problem of a plan that can be seen without the disk, in the order of their places.

    `repos`: what a Repo field may call each repository.
    """
    problems = [*wave_problems(plan), *dependency_problems(plan)]
    keys = frozenset(spec.key for spec in plan.specs)
    for spec in plan.specs:
        problems += _field_problems(plan, spec, keys)
        problems += _scope_problems(spec)
        problems += _repo_problems(spec, repos)
    problems += overlap_problems(plan, repos=repos, surfaces=settings.surfaces)
    if plan.specs and not settings.workers:
        problems.append(
            Problem(
                "no-workers",
                "no worker is set up, so no task can be started",
                at=Location(settings.path),
                hint="add `workers:` to the settings, with a driver for the tier small",
                severity=Severity.WARNING,
            )
        )
    return tuple(sorted(problems, key=_place))


def _place(problem: Problem) -> tuple[str, int, int]:
    if problem.at is None:
        return ("", 0, 0)
    return (problem.at.path, problem.at.line, problem.at.column)


def place_of(spec: Spec, label: str) -> Location:
    """Where a field's value stands, as near as is known; the spec's heading where it lacks the field."""
    return spec.values.get(label) or spec.fields.get(label, spec.at)


def _near(word: str, known: Sequence[str]) -> str:
    """A hint that names the known word which this is likely to be, or all of them."""
    # Here and not above: only a misspelt word pays for it.
    from difflib import get_close_matches

    meant = get_close_matches(word.casefold(), known, 1)
    return f'did you mean "{meant[0]}"?' if meant else f"the words are {', '.join(known)}"


def _field_problems(plan: Plan, spec: Spec, keys: Collection[TaskKey]) -> list[Problem]:
    found: list[Problem] = []

    def report(
        code: str, message: str, label: str, hint: str, *, at: Location | None = None, is_warning: bool = False
    ) -> None:
        found.append(
            Problem(
                code,
                message,
                at=at or place_of(spec, label),
                hint=hint,
                severity=Severity.WARNING if is_warning else Severity.ITEM,
                subject=str(spec.key),
            )
        )

    if not (spec.must_edit or spec.can_create or spec.can_delete):
        report(
            "no-scope",
            f"task {spec.key} has no scope",
            "must edit",
            "name its files: `- **Must edit:** …`, `- **Can create:** …`",
        )
    if not any(criterion.strip() for criterion in spec.acceptance):
        report(
            "no-acceptance",
            f"task {spec.key} has no acceptance",
            "acceptance",
            "say when it is done: `- **Acceptance:** …`",
        )
    if not spec.test.strip():
        report(
            "no-test",
            f"task {spec.key} has no test command",
            "test",
            "give one shell command that proves it: `- **Test:** …`",
        )
    elif "\n" in spec.test.strip():
        report(
            "test-not-one-line",
            f"the test of task {spec.key} is more than one line",
            "test",
            "join the commands with `&&`, or put them into a script",
        )
    if spec.tier and spec.tier not in TIERS:
        report(
            "unknown-tier",
            f"task {spec.key} asks for the tier `{spec.tier}`, which there isn't",
            "tier",
            _near(spec.tier, TIERS),
        )
    if spec.priority and spec.priority.casefold() not in _PRIORITIES:
        report(
            "unknown-priority",
            f"task {spec.key} has the priority `{spec.priority}`, which there isn't",
            "priority",
            _near(spec.priority, _PRIORITIES),
            is_warning=True,
        )
    if spec.size and spec.size not in ("1", "2", "3", "4", "5"):
        report(
            "unknown-size",
            f"task {spec.key} has the size `{spec.size}`, which there isn't",
            "size",
            "sizes are 1, 2, 3, 4, 5",
            is_warning=True,
        )
    fault = message_fault(commit_message(spec), plan.number, keys)
    if fault:
        report(
            "commit-message",
            f"the commit message of task {spec.key} {fault}"
            + ("" if spec.commit.strip() else "; without a Commit field it is made of the title"),
            "commit",
            "say what changes in the project: the history outlives the plan",
            at=None if spec.commit.strip() else spec.at,
        )
    return found


def _scope_problems(spec: Spec) -> list[Problem]:
    found: list[Problem] = []
    labels = ("must edit", "can create", "can delete", "scratch")
    for label, paths in zip(labels, (spec.must_edit, spec.can_create, spec.can_delete, spec.scratch), strict=True):
        for path in paths:
            fault = scope_fault(path.pattern)
            if fault:
                found.append(
                    Problem(
                        "bad-scope",
                        f"`{path.pattern}` in the scope of task {spec.key} {fault}",
                        at=path.at or place_of(spec, label),
                        hint="write paths from the repository's top folder: `src/a.py`, `src/`, `src/**/*.py`",
                        subject=str(spec.key),
                    )
                )
    return found


def _repo_problems(spec: Spec, repos: RepoNames) -> list[Problem]:
    meanings = repos.meanings(spec.repo)
    if len(meanings) == 1:
        return []
    what = f"can mean {' or '.join(f'`{name}`' for name in meanings)}" if meanings else "is none that orch knows"
    name = canonical(spec.repo).rstrip("/").rpartition("/")[2]
    hint = (
        f"write {' or '.join(f'`{name}`' for name in meanings)}"
        if meanings
        else (f"name it in planning/ORCH.md, `repos: {{{name}: ../{name}}}`; or leave Repo out for this repository")
    )
    return [
        Problem(
            "repo-ambiguous" if meanings else "unknown-repo",
            f"the repository `{spec.repo}` of task {spec.key} {what}",
            at=place_of(spec, "repo"),
            hint=hint,
            subject=str(spec.key),
        )
    ]
