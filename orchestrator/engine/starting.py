"""Where an orchestration begins: STATE is made, the integration branch forked, worktrees of old runs looked after."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.engine.gone_back import guests, refuse_gone_back, refuse_set_elsewhere
from orchestrator.engine.lost_landings import refuse_lost_branch, refuse_lost_landings
from orchestrator.engine.recorder import Recorder
from orchestrator.engine.session import Session
from orchestrator.errors import UserError
from orchestrator.formats.new_state import new_state_text, taken_on
from orchestrator.model.heads import HOME
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.state import Fork
from orchestrator.process.environment import worker_environment
from orchestrator.vcs.hooks import commit_rules
from orchestrator.vcs.private_git import branch_name_fault
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.repository import Repository


def begin(session: Session, orchestration: Orchestration) -> None:
    """Make STATE and the integration branch if they aren't there; add rows that the plan has and the board lacks.

    STATE is written first and names fork and branch, so that a crash between the two is finished by the next call.
    Raises UserError where the base can't be told or the branch is somebody else's.
    """
    refuse_gone_back(session, orchestration)
    if orchestration.state.status == "abandoned":
        raise UserError(
            f"orchestration {orchestration.plan.number} is abandoned",
            hint=f"set status: open in {orchestration.state.path} to take it up again",
            code="abandoned",
        )
    if orchestration.state.run and not orchestration.state.run.isalnum():
        raise UserError(
            f'run: "{orchestration.state.run}" in {orchestration.state.path} is no name that orch gives',
            hint="put it back to what it was: letters and digits; git for-each-ref refs/orch/ lists those there are",
            code="bad-run",
        )
    if not orchestration.state.exists or not orchestration.state.run:
        _make_state(session, orchestration)
        orchestration = session.planning.orchestration
    state = orchestration.state
    make_branch(session.repository, state.at(HOME), state.run, HOME, session.environ)
    refuse_lost_landings(session, orchestration)
    if any(state.row(key) is None for key in orchestration.plan.in_waves()):
        recorder = Recorder(session.planning, orchestration.plan, session.now)
        session.planning.change_state(recorder.with_rows)


def _make_state(session: Session, orchestration: Orchestration) -> None:
    repository = session.repository
    settings = orchestration.settings
    plan = orchestration.plan
    base = settings.base or repository.head_branch()
    if not base:
        raise UserError(
            "HEAD is detached, so there is no branch to fork from",
            hint="check a branch out, or name one: base: main in planning/ORCH.md",
            code="detached",
        )
    fork = repository.resolve(f"refs/heads/{base}")
    if fork is None:
        raise UserError(
            f'the base branch "{base}" doesn\'t exist',
            hint="set base: in planning/ORCH.md to a branch that is there",
            code="no-base",
        )
    branch = integration_branch(settings.branch, repository, number=plan.number, slug=plan.slug)
    there = repository.resolve(f"refs/heads/{branch}")
    if there is not None and settings.branch != "current" and there != fork:
        refuse_set_elsewhere(session, orchestration)
        if guests(repository.refs("refs/orch")):
            what = "and may be that of another repository's orchestration which works here"
            hint = "set another branch: in planning/ORCH.md"
        else:
            what = "and isn't orch's"
            hint = f"rename it (git branch -m {branch} NAME) or set another branch: in planning/ORCH.md"
        raise UserError(f"the branch {branch} exists already, at {there[:7]}, {what}", hint=hint, code="branch-taken")
    if there is None:
        _refuse_clash(repository, branch)
    run = session.random_name(4)
    if orchestration.state.exists:
        _adopt(session, orchestration, branch=branch, base=base, fork=fork, run=run)
        return
    text = new_state_text(plan, branch=branch, base=base, fork=fork, run=run)
    session.planning.create_state(text)
    session.emit(f"orchestration {plan.number}: lands on {branch}, forked from {base} at {fork[:7]}")


def _refuse_clash(repository: Repository, branch: str) -> None:
    """Raises UserError where a branch has a part of `branch` for its whole name, or the other way round: git keeps
    the one as a file and the other in a folder of that name."""
    parts = branch.split("/")
    above = ["/".join(parts[:at]) for at in range(1, len(parts))]
    taken = [name for name in above if repository.resolve(f"refs/heads/{name}")]
    taken += [ref.removeprefix("refs/heads/") for ref in repository.refs(f"refs/heads/{branch}")]
    if taken:
        raise UserError(
            f"the branch {taken[0]} leaves no room for {branch}: git can't keep both names",
            hint=f"rename it (git branch -m {taken[0]} NAME) or set another branch: in planning/ORCH.md",
            code="branch-taken",
        )


def _adopt(session: Session, orchestration: Orchestration, *, branch: str, base: str, fork: str, run: str) -> None:
    """Give a foreign STATE what orch needs; everything in it stays."""
    keys = {"branch": branch, "base": base, "fork": fork, "run": run}
    plan, state = orchestration.plan, orchestration.state
    session.planning.change_state(lambda document: taken_on(document, plan, state, keys))


def make_branch(repository: Repository, begun: Fork, run: str, name: str, environ: Mapping[str, str]) -> None:
    """Make the integration branch in the repository called `name`, if it isn't there.

    Raises UserError where it is gone though tasks have landed on it, ToolError where a hook refuses it.
    """
    if repository.resolve(f"refs/heads/{begun.branch}") is not None:
        return
    refuse_lost_branch(repository, begun, run, name)
    guard = commit_rules(repository).guard(worker_environment(environ))
    repository.update_refs([RefChange(f"refs/heads/{begun.branch}", begun.fork, "")], guard)


def integration_branch(form: str, repository: Repository, *, number: int, slug: str) -> str:
    """The name of the integration branch by its form in the settings. Raises UserError for one git doesn't take."""
    if form == "current":
        current = repository.head_branch()
        if current is None:
            raise UserError("branch: current needs a branch checked out, HEAD is detached", code="detached")
        return current
    name = form.replace("{n}", str(number)).replace("{slug}", slug or "plan")
    if not slug:
        name = name.removesuffix("-plan")
    fault = branch_name_fault(name)
    if fault:
        raise UserError(
            f'"{name}" is no branch name: {fault}', hint="mend branch: in planning/ORCH.md", code="branch-name"
        )
    return name
