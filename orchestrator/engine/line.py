"""The line before landing: each task is tested on the tree it will land on, if those before it in the line land.

A task that joins is merged onto the last one in the line, so that nothing is tested twice as long as all goes well.
Where one fails, those behind it no longer match what would land; they are merged and tested again then. The line is
memory of one call alone: a new call begins with none, and merges onto the head.
"""

from __future__ import annotations

from orchestrator.engine.run import Candidate, Run
from orchestrator.model.changes import Change
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import awaits_judgement
from orchestrator.model.settings import MANUAL
from orchestrator.vcs.changes import KEEPER
from orchestrator.vcs.landing import Conflict, merge


def join(
    run: Run, key: TaskKey, *, base: str, tree: str, changes: tuple[Change, ...], is_first: bool
) -> Candidate | Conflict:
    """What would land of a task, merged onto the last in the line, else onto the head; it takes its place there.

    is_first: it is about to land: merged onto the head, in front of all others.
    """
    leave(run, key)
    before = None if is_first else next((run.candidates[other] for other in reversed(run.line)), None)
    onto = _commit(run, before) if before else run.head()
    found = _onto(run, onto, base=base, tree=tree, changes=changes)
    if isinstance(found, Conflict) and before is not None:
        found = _onto(run, run.head(), base=base, tree=tree, changes=changes)
    if not isinstance(found, Conflict):
        run.line.insert(0 if is_first else len(run.line), key)
        run.candidates[key] = found
    return found


def _onto(run: Run, onto: str, *, base: str, tree: str, changes: tuple[Change, ...]) -> Candidate | Conflict:
    if onto == base:
        merged = tree
    else:
        result = merge(run.repository, base=base, ours=onto, theirs_tree=tree, is_descendant=base in run.heads)
        if isinstance(result, Conflict):
            return result
        merged = result.tree
    return Candidate(onto, run.repository.tree_of(onto), merged, changes)


def _commit(run: Run, candidate: Candidate) -> str:
    """A commit of what would land, on no branch: what the next in the line is merged onto. Made when one comes."""
    if not candidate.commit:
        candidate.commit = run.repository.commit_tree(candidate.tree, [candidate.onto], "in line", env=KEEPER)
    return candidate.commit


def leave(run: Run, key: TaskKey) -> None:
    """Take a task out of the line: it landed, failed, or is merged anew."""
    if key in run.line:
        run.line.remove(key)
    run.candidates.pop(key, None)


def is_behind(run: Run, key: TaskKey) -> bool:
    """Whether a task before it in the line is about to land or to fail.

    One that rests (its cell is a person's now, its landing is in the way of local files, a step failed) holds nobody.
    """
    if key not in run.line:
        return False
    return any(_is_moving(run, other) for other in run.line[: run.line.index(key)])


def _is_moving(run: Run, key: TaskKey) -> bool:
    if key in run.jobs:
        return True
    now = run.standing(key)
    rests = key in run.in_the_way or key in run.trouble
    if awaits_judgement(run.settings, now):
        # A person takes their time; a reviewer's answer is near.
        reviewer = run.settings.reviewer
        is_asked = run.settings.review_diff == "review" and reviewer is not None and reviewer.driver != MANUAL
        rests = rests or not is_asked or bool(now.unanswered)
    return not rests and now.is_before_landing and run.is_ours(key)
