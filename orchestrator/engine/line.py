"""The lines before landing, one in each repository: a task is tested on the tree it lands on if those before it land.

A task that joins is merged onto the last one in the line, so that nothing is tested twice as long as all goes well.
Where one fails, those behind it no longer match what would land; they are merged and tested again then. The line is
memory of one call alone: a new call begins with none, and merges onto the head.
"""

from __future__ import annotations

from orchestrator.engine.run import Run
from orchestrator.engine.site import Candidate, Site
from orchestrator.model.changes import Change
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import awaits_judgement
from orchestrator.model.settings import MANUAL
from orchestrator.vcs.landing import Conflict, merge


def join(
    run: Run, key: TaskKey, *, base: str, tree: str, changes: tuple[Change, ...], is_first: bool
) -> Candidate | Conflict:
    """What would land of a task, merged onto the last in the line, else onto the head; it takes its place there.

    is_first: it is about to land: merged onto the head, in front of all others.
    """
    leave(run, key)
    site = run.site(key)
    before = None if is_first else next((site.candidates[other] for other in reversed(site.line)), None)
    onto = _commit(site, before) if before else site.head()
    found = _onto(site, onto, base=base, tree=tree, changes=changes)
    if isinstance(found, Conflict) and before is not None:
        found = _onto(site, site.head(), base=base, tree=tree, changes=changes)
    if not isinstance(found, Conflict):
        site.line.insert(0 if is_first else len(site.line), key)
        site.candidates[key] = found
    return found


def _onto(site: Site, onto: str, *, base: str, tree: str, changes: tuple[Change, ...]) -> Candidate | Conflict:
    if onto == base:
        merged = tree
    else:
        result = merge(site.repository, base=base, ours=onto, theirs_tree=tree, is_descendant=base in site.heads)
        if isinstance(result, Conflict):
            return result
        merged = result.tree
    return Candidate(onto, site.repository.tree_of(onto), merged, changes)


def _commit(site: Site, candidate: Candidate) -> str:
    """A commit of what would land, on no branch: what the next in the line is merged onto. Made when one comes."""
    if not candidate.commit:
        candidate.commit = site.repository.kept_commit(candidate.tree, [candidate.onto], "in line")
    return candidate.commit


def leave(run: Run, key: TaskKey) -> None:
    """Take a task out of the line: it landed, failed, or is merged anew."""
    for site in run.sites():
        if key in site.line:
            site.line.remove(key)
        site.candidates.pop(key, None)


def is_behind(run: Run, key: TaskKey) -> bool:
    """Whether a task before it in the line is about to land or to fail.

    One that rests (its cell is a person's now, its landing is in the way of local files, a step failed) holds nobody.
    """
    line = run.site(key).line
    return key in line and any(_is_moving(run, other) for other in line[: line.index(key)])


def _is_moving(run: Run, key: TaskKey) -> bool:
    if key in run.jobs:
        return True
    now = run.standing(key)
    rests = key in run.in_the_way or key in run.trouble
    if awaits_judgement(run.settings, now, is_attended=run.limits.is_attended):
        # A person takes their time; a reviewer's answer is near.
        reviewer = run.settings.reviewer
        is_asked = run.settings.review_diff == "review" and reviewer is not None and reviewer.driver != MANUAL
        rests = rests or not is_asked or bool(now.unanswered)
    return not rests and now.is_before_landing and run.is_ours(key)
