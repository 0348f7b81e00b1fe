"""Everything that can be held against a set before a run: files, workers, template, and the tree it starts from."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.drivers.base import worker_faults
from orchestrator.drivers.registry import find as find_driver
from orchestrator.drivers.registry import names
from orchestrator.engine.checking import plan_problems, stopping
from orchestrator.engine.repositories import (
    base_of,
    repo_names,
    repo_of,
    repo_problems,
    repository_named,
    taking_part,
)
from orchestrator.engine.session import Session
from orchestrator.errors import DocumentError, Location, OrchError, Problem, UserError
from orchestrator.formats.nearest import did_you_mean
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Spec
from orchestrator.model.tree_check import check_against_tree
from orchestrator.nouns import replace
from orchestrator.prompts.context import Conventions
from orchestrator.prompts.locations import Template, find, own_names
from orchestrator.prompts.render import own_template_problems, template_problems
from orchestrator.prompts.trial import trial_problems
from orchestrator.store.text_files import read
from orchestrator.views.problems import problem_text

NO_WORKERS = """\
add a worker to the front matter of planning/ORCH.md, for example:
workers:
  small:
    driver: command
    plan: [my-agent, --plan]
    execute: [my-agent, --execute]"""


def refuse_errors(session: Session, orchestration: Orchestration) -> tuple[str, ...]:
    """Raise DocumentError with every problem if one of them stops the run; else the warnings as text."""
    problems = all_problems(session, orchestration)
    errors = stopping(problems, plan_number=orchestration.plan.number)
    if errors:
        raise DocumentError(errors)
    settings = orchestration.settings
    if not settings.workers:
        raise UserError(
            "no worker is configured, so no task can be started",
            at=Location(settings.path),
            hint=NO_WORKERS,
            code="no-workers",
        )
    return tuple(problem_text(problem) for problem in problems if not problem.is_error)


def all_problems(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    """Files, plan, workers, template, repositories, and the plan held against the trees it starts from."""
    found = repo_problems(session, orchestration)
    return by_place(
        (
            *plan_problems(orchestration, repo_names(session, orchestration.settings)),
            *_worker_problems(orchestration),
            *_template_problems(session, orchestration),
            *found,
            *(() if any(one.is_error for one in found) else _tree_problems(session, orchestration)),
        )
    )


def by_place(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems file by file, each file's from top to bottom; those of no file first."""
    listed = tuple(problems)
    files = {path: index for index, path in enumerate(dict.fromkeys(one.at.path if one.at else "" for one in listed))}

    def place(problem: Problem) -> tuple[int, int, int]:
        at = problem.at
        return (files[at.path], at.line, at.column) if at else (-1, 0, 0)

    return tuple(sorted(listed, key=place))


def _worker_problems(orchestration: Orchestration) -> tuple[Problem, ...]:
    settings = orchestration.settings
    found: list[Problem] = []
    for worker in settings.workers:
        at = worker.at or Location(settings.path)
        try:
            driver = find_driver(worker.driver)
        except OrchError as error:
            hint = did_you_mean(worker.driver, names()) if error.code == "unknown-driver" else ""
            found.append(Problem("driver", f"workers: {worker.tier}: {error.message}", at, hint or error.hint))
            continue
        found += [
            # The text says what to write.
            Problem("worker", f"workers: {worker.tier}: {text}", at)
            for text in worker_faults(driver, worker)
        ]
    return tuple(found)


def _template_problems(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    """What is wrong with the set's own templates, and what goes wrong when they are filled for its tasks."""
    folder = session.layout.planning
    path = session.layout.template_path(orchestration.plan.number)
    shown = session.layout.shown(path)
    problems = [*own_template_problems(folder)]
    text = None
    try:
        text = read(path, shown=shown)
    except DocumentError as error:
        problems += error.problems
    if text is not None:
        problems += template_problems(text, shown)
    if any(problem.is_error for problem in problems):
        return tuple(problems)
    templates = [find(name, folder) for name in own_names(folder)]
    if text is not None:
        templates.append(Template(text, shown))
    conventions = Conventions(orchestration.settings.body, orchestration.settings.conventions)
    tried = [trial_problems(template, orchestration.plan, conventions) for template in templates]
    return (*problems, *(problem for found in tried for problem in found))


def _tree_problems(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    """Must-edit files that don't exist, can-create files that do, anchors and references that aren't found."""
    found: list[Problem] = []
    for name in taking_part(session, orchestration):
        plan = orchestration.plan
        specs = tuple(spec for spec in plan.specs if repo_of(session, orchestration, spec.key) == name)
        found += _tree_problems_in(session, orchestration, name, specs)
    return tuple(found)


def _tree_problems_in(
    session: Session, orchestration: Orchestration, name: str, specs: tuple[Spec, ...]
) -> tuple[Problem, ...]:
    repository = repository_named(session, orchestration.settings, name)
    base = base_of(orchestration.settings, repository, name) or "HEAD"
    commit = repository.resolve(orchestration.state.at(name).fork or base)
    if commit is None:
        return ()
    paths = repository.paths_at(commit)
    folders = {path[: index + 1] for path in paths for index, char in enumerate(path) if char == "/"}

    def exists(path: str) -> bool:
        return path in paths or path.rstrip("/") + "/" in folders

    def contains(path: str, text: str) -> bool:
        held = repository.file_text(commit, path)
        return held is not None and text in held

    submodules = repository.submodules(commit) if ".gitmodules" in paths else ()
    return check_against_tree(
        replace(orchestration.plan, specs=specs), exists, contains, paths=paths, submodules=submodules
    )
