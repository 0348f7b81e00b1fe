"""Taking a landing back: written down first, then made, and the task put back with the failure.

The revert is due as long as the log tells of it and git doesn't, so that a kill in between loses nothing.
"""

from __future__ import annotations

from orchestrator.engine.failing import fail, one_line
from orchestrator.engine.guilty import Verdict
from orchestrator.engine.landed import REVERTED, due_revert, landings_of
from orchestrator.engine.moving import collide, move_checkout
from orchestrator.engine.prepare import find_ready, forget, keep_attempt
from orchestrator.engine.recorder import DocumentChange
from orchestrator.engine.run import Run
from orchestrator.engine.site import Site
from orchestrator.errors import ConflictError
from orchestrator.formats.state_edits import put_report
from orchestrator.model.baseline import shown
from orchestrator.model.hunt import Mark
from orchestrator.model.ids import TaskKey
from orchestrator.nouns import dataclass, replace
from orchestrator.process.environment import worker_environment
from orchestrator.vcs.checkout import COLLISION
from orchestrator.vcs.commits import commit
from orchestrator.vcs.hooks import commit_rules
from orchestrator.vcs.landing import Conflict
from orchestrator.vcs.refs import RefChange
from orchestrator.vcs.repository import MOVED
from orchestrator.vcs.reverting import line_of, without


def broken_words(marks: tuple[Mark, ...]) -> str:
    """Suites and tests in a line: ``unit `t.py::a`, `t.py::b` ``."""
    tests: dict[str, list[str]] = {}
    for suite, test in marks:
        tests.setdefault(suite, []).extend([test] if test else [])
    return "; ".join(f"{suite} {shown(names)}" if names else suite for suite, names in tests.items())


def record_reverts(run: Run, verdict: Verdict, outputs: dict[str, str]) -> None:
    """Write down that the guilty tasks' landings are taken back: a failed acceptance of each, with what failed.

    outputs: the end of what each red suite printed.
    """
    for key, marks in verdict.guilty.items():
        landing = verdict.commits[key]
        why = one_line(f"the suite fails since it landed: {broken_words(marks)}")
        printed = "\n\n".join(outputs.get(suite, "") for suite in dict.fromkeys(suite for suite, _ in marks))
        fail(
            run,
            key,
            "accept",
            why,
            turn="retry",
            findings=f"- {why}\n\n{printed[-4000:]}",
            # Its work goes on from the head as it is when the retry begins.
            facts={"reverted": (*run.task(key).reverted, landing[:12]), "base": ""},
            event="reverted",
            values={"commit": landing},
            in_state=reverted_report(run, key, landing, why),
        )


def reverted_report(run: Run, key: TaskKey, landing: str, why: str) -> DocumentChange:
    """The change of STATE that says in the task's report that its landing was taken back."""
    lines = (f"- **Status:** reverted, {landing[:7]}", f"- **Why:** {why}")
    title = run.spec(key).title
    return lambda document: put_report(document, key, title, lines)


def report_of_revert(run: Run, key: TaskKey) -> DocumentChange | None:
    """The same from the log, for a board write that was begun and not made; None if the last landing stands."""
    last = next((entry for entry in reversed(run.task(key).log) if entry.event in ("landed", "reverted")), None)
    if last is None or last.event != "reverted":
        return None
    return reverted_report(run, key, last.get("commit"), last.get("why"))


@dataclass(frozen=True, slots=True)
class _Due:
    key: TaskKey
    ref: str
    commit: str
    subject: str
    why: str


def make_reverts(run: Run) -> None:
    """Make every revert that is written down and not made: a commit each, one transaction for all of a repository."""
    for site in run.sites():
        _make_reverts(site)


def _make_reverts(site: Site) -> None:
    run = site.run
    head = site.head()
    at = head
    refs: list[RefChange] = []
    made: list[_Due] = []
    for due in _due(site, head):
        result = without(site.repository, at, [due.commit])
        if isinstance(result, Conflict):
            text = f"taking {due.commit[:7]} back conflicts in {', '.join(result.paths)}"
            run.trouble[due.key] = (
                text,
                f"git revert {due.commit[:7]} on {site.branch}{site.words}, then run orch next-wave",
            )
            run.say(f"{due.key}: {text}")
            continue
        if result.tree != site.repository.tree_of(at):
            # Without the repository's hooks: what is to be undone mustn't hang on them.
            rules = replace(commit_rules(site.repository), names=())
            message = f'Revert "{due.subject}"\n\n{due.why}\n'
            at = commit(site.repository, tree=result.tree, parent=at, message=message, rules=rules)
            site.repository.note_tree(at, result.tree)
        refs.append(RefChange(due.ref, at, ""))
        made.append(due)
    if made and not _in_the_way(run, made, head, at):
        _move(site, made, refs, head, at)


def _due(site: Site, head: str) -> list[_Due]:
    """The reverts that are due in a repository, the newest landing first."""
    run = site.run
    places = {one.id: place for place, one in enumerate(line_of(site.repository, site.fork, head))}
    subjects = {one.id: one.subject for one in site.repository.commits(site.fork, head)}
    found = []
    for key in run.plan.in_waves():
        number = due_revert(run, key) if run.site(key) is site else None
        if number is not None:
            landing = landings_of(run, key).landed[number]
            last = [entry for entry in run.task(key).log if entry.event == "reverted"][-1]
            subject = subjects.get(landing, landing[:7])
            found.append(_Due(key, run.ref(key, f"{REVERTED}{number}"), landing, subject, last.get("why")))
    return sorted(found, key=lambda due: places.get(due.commit, 0), reverse=True)


def _in_the_way(run: Run, made: list[_Due], head: str, new: str) -> bool:
    if new == head or not collide(run, made[0].key, head, new):
        return False
    for due in made:
        run.in_the_way[due.key] = run.in_the_way[made[0].key]
    return True


def _move(site: Site, made: list[_Due], refs: list[RefChange], head: str, new: str) -> None:
    run = site.run
    for due in made:
        ready = find_ready(run, due.key)
        if ready:
            keep_attempt(run, due.key, ready)
            forget(run, due.key)
    try:
        if new == head:
            site.repository.update_refs(refs)
        else:
            with move_checkout(run, made[0].key, head, new):
                guard = commit_rules(site.repository).guard(worker_environment(run.session.environ))
                site.repository.update_refs([RefChange(site.integration_ref, new, head), *refs], guard)
    except ConflictError as error:
        if error.code == COLLISION:
            _in_the_way(run, made, head, new)
            return
        if error.code != MOVED:
            raise
        run.say(f"{made[0].key}: the branch moved while a landing was taken back, once more")
        return
    site.moved(new)
    for due in made:
        run.say(f"{due.key}: took {due.commit[:7]} back: {one_line(due.why, 120)}")
