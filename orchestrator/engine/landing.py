"""Landing: one verified task becomes one commit on the integration branch, one at a time.

The landing ref is written in the same transaction as the branch, so that a crash right after it is repaired from
git: a landing that the log doesn't know is recorded, never made again.
"""

from __future__ import annotations

from orchestrator.engine.failing import fail, one_line
from orchestrator.engine.gates import land_gates, stands_now
from orchestrator.engine.judging import changed_repository
from orchestrator.engine.landed import LANDED, refuse_second_landing
from orchestrator.engine.line import leave
from orchestrator.engine.moving import collide, move_checkout
from orchestrator.engine.places import is_shared_place, vacate
from orchestrator.engine.prepare import Ready, forget, last_kept, prepare_again, tear_down
from orchestrator.engine.reporting import report_change
from orchestrator.engine.run import Run
from orchestrator.engine.site import Site
from orchestrator.engine.verifying import merged, test, test_now
from orchestrator.engine.work import work_of
from orchestrator.errors import ConflictError
from orchestrator.formats.task_file import keep_report
from orchestrator.markdown.values import Value
from orchestrator.model.changes import Change
from orchestrator.model.commit_message import commit_message
from orchestrator.model.ids import TaskKey
from orchestrator.model.status import Status
from orchestrator.model.verify import scope_findings
from orchestrator.process.environment import worker_environment
from orchestrator.process.plain_output import plain_output
from orchestrator.process.running import tail
from orchestrator.store.places import workspace_dir
from orchestrator.vcs.checkout import COLLISION
from orchestrator.vcs.commits import commit
from orchestrator.vcs.history import commit_changes
from orchestrator.vcs.hooks import CommitRules, HookError, commit_rules
from orchestrator.vcs.landing import land
from orchestrator.vcs.repository import MOVED
from orchestrator.vcs.workspace import Workspace


def land_task(run: Run, key: TaskKey) -> bool:
    """Land a verified task. False if it could not land now and waits (a checkout in the way, its test runs again)."""
    number = refuse_second_landing(run, key)
    ready = prepare_again(run, key)
    if ready is None:
        return False
    if _repository_changed(run, key, ready):
        return False
    site = run.site(key)
    head = site.head()
    candidate = site.candidates.get(key)
    if candidate is None or candidate.onto_tree != site.repository.tree_of(head):
        candidate = merged(run, key, work_of(run, key, ready), is_first=True)
    if candidate is None:
        return True
    if candidate.tree != run.standing(key).verified_tree:
        run.say(f"{key}: the branch moved on, its test runs again")
        test(run, key, candidate)
        return False
    if collide(run, key, head, candidate.tree):
        return False
    spec = run.spec(key)
    rules, environ = commit_rules(site.repository), worker_environment(run.session.environ)
    try:
        new = commit(
            site.repository,
            tree=candidate.tree,
            parent=head,
            message=commit_message(spec),
            workspace=_landing_workspace(site, head, rules),
            rules=rules,
            environ=environ,
            timeout=run.settings.test_timeout,
        )
    except HookError as error:
        why = error.message
        fail(run, key, "accept", why, turn="retry", findings=f"- {why}\n\n{plain_output(error.output[-4000:])}")
        return True
    known: tuple[Change, ...] | None = candidate.changes
    if not rules.names:
        site.repository.note_tree(new, candidate.tree)
    elif site.repository.tree_of(new) != candidate.tree:
        known = None
        if not _stands_after_hooks(run, key, new):
            return True
    try:
        with move_checkout(run, key, head, new):
            land(
                site.repository,
                branch=site.branch,
                old=head,
                new=new,
                landing_ref=run.ref(key, f"{LANDED}{number}"),
                guard=rules.guard(environ),
            )
    except ConflictError as error:
        if error.code == COLLISION:
            # Somebody has saved a file there since they were looked at.
            return not collide(run, key, head, new)
        if error.code != MOVED:
            raise
        run.say(f"{key}: the branch moved while it landed, once more")
        return True
    site.moved(new)
    leave(run, key)
    record_landing(run, key, new, known)
    return True


def _repository_changed(run: Run, key: TaskKey, ready: Ready) -> bool:
    """Whether landing must wait because the repository's hooks or configuration changed while the worker worked.

    It can't be told who did it. The first call names it and waits; a later one takes it as looked at.
    """
    seen = changed_repository(run, ready)
    if not seen:
        return False
    what = "the repository was changed while the worker was at work: " + "; ".join(seen)
    if any(entry.get("what") == what for entry in run.task(key).log if entry.event == "degraded"):
        return False
    run.recorder.note(key, run.recorder.entry("degraded", what=what))
    run.hold_landing(key, what, "look at it, then run orch next-wave, which takes it as looked at")
    run.say(f"{key}: {what}")
    return True


def _landing_workspace(site: Site, head: str, rules: CommitRules) -> Workspace | None:
    """The workspace in which a commit is made where the repository has commit hooks; None where it has none."""
    if not rules.names:
        return None
    path = site.landing_dir()
    return site.workspaces.find(path) or site.workspaces.create(path, branch=site.branch, commit=head)


def _stands_after_hooks(run: Run, key: TaskKey, new: str) -> bool:
    """Whether a commit that a hook changed is still in scope and passes its test; records the failure if not."""
    repository = run.site(key).repository
    changed = commit_changes(repository, new)
    errors = tuple(finding for finding in scope_findings(run.spec(key), changed) if finding.is_error)
    if errors:
        why = "a commit hook changed files out of scope: " + "; ".join(finding.message for finding in errors)
        fail(run, key, "scope", why, turn="retry")
        return False
    run.degrade(f"{key}: a commit hook changed the files of the commit; they were tested again")
    ended = test_now(run, key, repository.tree_of(new))
    if ended.reason == "exit" and ended.exit_code == 0:
        return all(stands_now(run, key, gate.suite, repository.tree_of(new)) for gate in land_gates(run, key, changed))
    why = "the targeted test fails on the commit as the repository's hooks changed it"
    fail(run, key, "accept", why, turn="retry", findings=f"- {why}\n\n{run.foreign(tail(ended.stdout, 4000))}")
    return False


def record_landing(run: Run, key: TaskKey, new: str, known: tuple[Change, ...] | None = None) -> None:
    """Write down a landing that stands in git: the log, the report, the board; then give the workspace back.

    known: what the commit changed, where it is known already.
    """
    task = run.task(key)
    facts: dict[str, Value] = {"landed": (*task.landed, new[:12])}
    entry = run.recorder.entry("landed", commit=new)
    old = run.state.report(key)
    change = (lambda document: keep_report(document, old.text)) if old else None
    run.recorder.move(key, Status.DONE, entry, facts=facts, change=change, in_state=report_change(run, key, new, known))
    subject = one_line(commit_message(run.spec(key)).split("\n")[0], 100)
    run.say(f"{key}: landed {new[:7]}{run.site(key).words} {subject}")
    give_back(run, key)


def give_back(run: Run, key: TaskKey) -> None:
    """Give the place of a landed task to the next, or remove its workspace; keep and name one that holds anything
    more."""
    path = workspace_dir(run.layout, key)
    workspaces = run.site(key).workspaces
    workspace = workspaces.find(path)
    if workspace is None or run.settings.worktree.keep:
        return
    # What this call itself kept at the turn's end is known to be safe; else the tree is compared with what was kept.
    is_kept = key in run.works
    kept = None if is_kept else last_kept(run, key)
    try:
        if not is_kept:
            workspaces.refuse_loss(workspace, [kept] if kept else [])
    except ConflictError as error:
        run.degrade(f"{key}: {error.message}")
        return
    let_go(run, key)


def let_go(run: Run, key: TaskKey) -> None:
    """Give the place of a task to the next, or remove its workspace, whatever it holds."""
    site, path = run.site(key), workspace_dir(run.layout, key)
    tear_down(run, key, path)
    if not (site.worktree.reuse and is_shared_place(run.layout, key)):
        site.workspaces.discard(path)
    forget(run, key)
    vacate(run.layout, key)
