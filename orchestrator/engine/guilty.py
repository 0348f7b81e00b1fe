"""Which tasks of a wave broke its suites: trees of their commits are made and run as the hunt in the model asks.

Owns how commits and tasks belong together. Decides nothing about what follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.engine.landed import all_landings
from orchestrator.engine.run import Run
from orchestrator.engine.site import Site
from orchestrator.engine.suite_runs import run_suites
from orchestrator.engine.suites import Checked, held_against_baseline
from orchestrator.errors import ToolError
from orchestrator.model.baseline import Comparison
from orchestrator.model.heads import commits_in
from orchestrator.model.hunt import NO_TREE, Answer, Found, Mark, Probe, hunt
from orchestrator.model.ids import TaskKey
from orchestrator.model.run_counts import same_test
from orchestrator.nouns import dataclass, field
from orchestrator.vcs.history import patch_id
from orchestrator.vcs.landing import Merged
from orchestrator.vcs.repository import Commit, Repository
from orchestrator.vcs.reverting import line_of, without


@dataclass(frozen=True, slots=True)
class Verdict:
    """Tasks of the wave → the suites and tests they broke; `others` says in words what else was found out."""

    guilty: Mapping[TaskKey, tuple[Mark, ...]] = field(default_factory=dict)
    commits: Mapping[TaskKey, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    """The commits of the branch since the suites last ran. `suspects` are places in `commits`: those of landings
    that were taken back since, and of their reverts, aren't among them, since together they change nothing."""

    start: str
    commits: tuple[Commit, ...]
    suspects: tuple[int, ...]
    reverted: Mapping[int, int]
    """Place of a landing that was taken back → place of its revert."""
    keys: Mapping[str, TaskKey]

    def tree(self, repository: Repository, present: Sequence[int]) -> str | None:
        """The tree with these suspects' changes on the start, or None where they can't be taken apart."""
        chosen = {self.suspects[at] for at in present}
        end = max(chosen, default=-1)
        left_out = [place for place in self.suspects if place < end and place not in chosen]
        left_out += [landing for landing, revert in self.reverted.items() if landing <= end < revert]
        onto = self.commits[end].id if chosen else self.start
        found = without(repository, onto, [self.commits[place].id for place in sorted(left_out, reverse=True)])
        return found.tree if isinstance(found, Merged) else None


def find_guilty(run: Run, number: int, heads: Mapping[str, str], checked: Checked) -> Verdict:
    """Who broke what is red at the heads, repository by repository. Runs the red suites on trees of its commits."""
    found = [_guilty_at(run.site_named(repo), number, heads[repo], checked) for repo in checked.red_repos]
    return Verdict(
        {key: marks for one in found for key, marks in one.guilty.items()},
        {key: commit for one in found for key, commit in one.commits.items()},
        tuple(words for one in found for words in one.others),
    )


def _guilty_at(site: Site, number: int, head: str, checked: Checked) -> Verdict:
    run = site.run
    red = [one for one in checked.red if checked.repo_of(one.suite) == site.name]
    line = _line(site, number, head)
    if not line.suspects:
        return Verdict()
    run.say(f"wave {number}: looking for the commit that broke {', '.join(one.suite for one in red)}")
    marks = _marks(red)
    steps = hunt(len(line.suspects), marks)
    try:
        probe = next(steps)
        while True:
            probe = steps.send(_answer(site, line, checked, probe, marks))
    except StopIteration as end:
        found: Found = end.value
    return _verdict(site, number, line, found, marks)


def wave_start(site: Site, number: int, head: str) -> str:
    """The commit from which the wave's own commits are counted."""
    return _line(site, number, head).start


def _marks(red: Sequence[Comparison]) -> dict[Mark, str]:
    """What is followed, and how it is shown: each test where all failures have names, else the suite as a whole."""
    found: dict[Mark, str] = {}
    for one in red:
        if one.is_named:
            found.update({(one.suite, same_test(name)): name for name in one.new})
        else:
            found[one.suite, ""] = ""
    return found


def _answer(site: Site, line: _Line, checked: Checked, probe: Probe, marks: Mapping[Mark, str]) -> Answer:
    run = site.run
    tree = line.tree(site.repository, probe.present)
    if tree is None:
        return None
    names = {suite for suite, _ in probe.marks}
    suites = [suite for suite in checked.suites if suite.name in names]
    try:
        results = run_suites(run, suites, {site.name: tree}, is_probe=True)
    except ToolError as error:
        if error.code != "setup":
            raise
        # On a tree that can't be set up nothing is to be seen.
        return None
    seen = {one.suite: one for one in held_against_baseline(run, results)}
    flaky = {same_test(name) for name in checked.flakes}
    return {mark: _is_red(seen[mark[0]], mark, probe, marks, flaky) for mark in probe.marks}


def _is_red(one: Comparison, mark: Mark, probe: Probe, marks: Mapping[Mark, str], flaky: set[str]) -> bool:
    suite, test = mark
    if not one.is_new_failure:
        return False
    if not test or not one.is_named:
        return True
    new = {same_test(name) for name in one.new}
    # A revert that breaks something else proves nothing.
    is_other = probe.is_proof and any((suite, name) not in marks for name in new - flaky)
    return test in new or is_other


def _verdict(site: Site, number: int, line: _Line, found: Found, marks: Mapping[Mark, str]) -> Verdict:
    mine = site.run.plan.wave(number).tasks
    guilty: dict[TaskKey, tuple[Mark, ...]] = {}
    commits: dict[TaskKey, str] = {}
    others: list[str] = []
    for at, broken in sorted(found.guilty.items()):
        commit = line.commits[line.suspects[at]]
        key = line.keys.get(commit.id)
        if key is not None and key in mine:
            guilty[key] = tuple((suite, marks[suite, test]) for suite, test in broken)
            commits[key] = commit.id
        else:
            others.append(f"to blame: {key or 'a commit of no task,'} {commit.id[:7]}")
    for unsolved in found.unsolved.values():
        if unsolved.why == NO_TREE and unsolved.at is not None:
            commit = line.commits[line.suspects[unsolved.at]]
            who = line.keys.get(commit.id) or "a commit of no task,"
            others.append(f"to blame: {who} {commit.id[:7]}, which can't be taken back without a conflict")
    return Verdict(guilty, commits, tuple(dict.fromkeys(others)))


def _line(site: Site, number: int, head: str) -> _Line:
    """From the head at which another wave's suites ran last before this wave's first commit, else from the fork."""
    run = site.run
    commits = line_of(site.repository, site.fork, head)
    keys, reverts = _landings(site, commits)
    mine = run.plan.wave(number).tasks
    first = next((place for place, commit in enumerate(commits) if keys.get(commit.id) in mine), len(commits))
    rows = [commits_in(row.commit).get(site.name, "") for row in run.state.waves if row.number != number]
    checked = [commit for commit in rows if commit]
    start = next(
        (place + 1 for place in range(first - 1, -1, -1) if commits[place].id.startswith(tuple(checked))), 0
    ) if checked else 0  # fmt: skip
    since = commits[start:]
    places = {commit.id: place for place, commit in enumerate(since)}
    reverted = {
        places[landing]: places[revert] for landing, revert in reverts.items() if landing in places and revert in places
    }
    gone = {*reverted, *reverted.values()}
    return _Line(
        start=commits[start - 1].id if start else site.fork,
        commits=since,
        suspects=tuple(place for place in range(len(since)) if place not in gone),
        reverted=reverted,
        keys=keys,
    )


def _landings(site: Site, commits: Sequence[Commit]) -> tuple[dict[str, TaskKey], dict[str, str]]:
    """Commit → task, by id or, where the branch was rewritten, by patch; and landing → revert."""
    keys: dict[str, TaskKey] = {}
    reverts: dict[str, str] = {}
    for key, there in all_landings(site.run, site).items():
        keys |= dict.fromkeys(there.landed.values(), key)
        reverts |= {there.landed[number]: commit for number, commit in there.reverted.items() if number in there.landed}
    known = {commit.id for commit in commits}
    lost = {commit: key for commit, key in keys.items() if commit not in known and commit not in reverts}
    if lost:
        patches = {patch_id(site.repository, commit): key for commit, key in lost.items()}
        patches.pop("", None)
        for commit in commits:
            owner = None if commit.id in keys else patches.get(patch_id(site.repository, commit.id))
            if owner:
                keys[commit.id] = owner
    return keys, reverts
