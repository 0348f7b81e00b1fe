"""Which problems in the files stop a run, found by the rules that need no disk and no git."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.errors import Problem, Severity
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.repositories import RepoNames


def plan_problems(orchestration: Orchestration, repos: RepoNames) -> tuple[Problem, ...]:
    """What was found while reading, and what the rules hold against plan and settings.

    repos: what a task's Repo may call each repository.
    """
    # Here and not above: a dry run of a long plan checks nothing, and is to be quick.
    from orchestrator.model.plan_check import check_plan

    rules = check_plan(orchestration.plan, orchestration.settings, repos=repos)
    return (*orchestration.problems, *(one for one in rules if not _follows(one, orchestration)))


MISSING_CODES = (
    "empty-plan",
    "no-waves",
    "no-wave",
    "no-section",
    "no-scope",
    "no-acceptance",
    "no-test",
    "unknown-dependency",
)
"""What a plan is said to lack; in one that couldn't be read whole it may well be there."""


def _follows(problem: Problem, orchestration: Orchestration) -> bool:
    """Whether a problem only says again what reading found: what couldn't be read is no further fault."""
    found = orchestration.problems
    if problem.code == "no-workers":
        return any(
            one.severity is Severity.FILE or (one.is_error and _path(one) == orchestration.settings.path)
            for one in found
        )
    if problem.code not in MISSING_CODES:
        return False
    path = orchestration.plan.path
    if any(one.severity is Severity.FILE and _path(one) == path for one in found):
        return True
    return problem.code == "no-section" and any(
        one.code == "in-backlog" and one.subject == problem.subject for one in found
    )


def _path(problem: Problem) -> str:
    return problem.at.path if problem.at else ""


STOPPING_CODES = ("unknown-wave-status", "bad-wave", "duplicate-wave")
"""Item problems that no task can be held for: what a wave's cell says decides over all of them."""


def stops(problem: Problem, *, plan_number: int) -> bool:
    """Whether a problem stops the whole run: file problems, and every refusal of plan, template and settings.

    An error in STATE or in a todo file holds its task and that task's dependents; the rest runs.
    """
    if not problem.is_error:
        return False
    if problem.severity is Severity.FILE and not problem.subject:
        return True
    if problem.code in STOPPING_CODES:
        return True
    path = problem.at.path if problem.at else ""
    name = path.rsplit("/", 1)[-1]
    return name in (f"EXECUTION_PLAN_{plan_number}.md", f"PROMPT_TEMPLATE_{plan_number}.md", "ORCH.md") or not path


def stopping(problems: Iterable[Problem], *, plan_number: int) -> tuple[Problem, ...]:
    """Those of the problems that stop the run."""
    return tuple(problem for problem in problems if stops(problem, plan_number=plan_number))


def errors_in(orchestration: Orchestration, repos: RepoNames) -> tuple[Problem, ...]:
    """The problems of an orchestration that stop a run."""
    return stopping(plan_problems(orchestration, repos), plan_number=orchestration.plan.number)
