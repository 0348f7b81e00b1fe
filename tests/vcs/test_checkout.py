"""A branch moves while it is checked out: the table of situations, undisturbed and killed at every step.

Result of the table: a move either happens whole or is refused with every path in the way named, before anything
is touched; after a kill at any step `repair` leaves the old or the new state, and a person's changes stay.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.errors import ConflictError
from orchestrator.vcs.checkout import Place, collisions, following, holder, repair
from orchestrator.vcs.landing import land
from orchestrator.vcs.repository import Repository
from tests.support.git_repo import GitRepo
from tests.vcs.killing import every_kill
from tests.vcs.situations import SITUATIONS, Laid, Situation, lay, left_by_us, picture

TABLE = pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.name.replace(" ", "-"))


def place_of(laid: Laid) -> Place:
    place = holder(Repository.open(laid.repo.path), "main")
    assert place is not None
    return place


def advance(place: Place, old: str, new: str) -> None:
    with following(place, old, new):
        land(place.repository, branch=place.branch, old=old, new=new, landing_ref="refs/orch/r/1/landed-1")


def index_of(repo: GitRepo) -> str:
    return repo.git("ls-files", "--stage", "-z")


def expected_after(laid: Laid, before: dict[str, bytes], scratch: Path) -> dict[str, bytes]:
    """The new commit's files, as git itself checks them out, with the person's own changes on top."""
    clone = GitRepo(scratch)
    clone.path.mkdir()
    clone.git("clone", "-q", "--no-checkout", str(laid.repo.path), ".")
    clone.git("checkout", "-q", "--detach", laid.old)
    unchanged = picture(clone)
    clone.git("checkout", "-q", "--detach", laid.new)
    mine = {name: content for name, content in before.items() if unchanged.get(name) != content}
    return {**picture(clone), **mine}


@TABLE
def test_a_move_happens_whole_or_is_refused_with_every_path_in_the_way(situation: Situation, tmp_path: Path) -> None:
    laid = lay(situation, tmp_path / "repo")
    place, before, index = place_of(laid), picture(laid.repo), index_of(laid.repo)
    named = tuple(text.replace(str(laid.repo.path), "ROOT") for text in collisions(place, laid.old, laid.new))
    assert named == situation.collides
    assert (picture(laid.repo), index_of(laid.repo)) == (before, index), "only looking has changed something"
    if situation.collides:
        with pytest.raises(ConflictError):
            advance(place, laid.old, laid.new)
        assert (picture(laid.repo), index_of(laid.repo), laid.repo.head()) == (before, index, laid.old)
    else:
        after = expected_after(laid, before, tmp_path / "scratch")
        advance(place, laid.old, laid.new)
        assert laid.repo.head() == laid.new
        assert picture(laid.repo) == after
        assert laid.repo.status() == list(situation.left)
    assert left_by_us(laid.repo) == []


@pytest.mark.parametrize(
    "situation", [one for one in SITUATIONS if not one.collides], ids=lambda one: one.name.replace(" ", "-")
)
def test_a_move_killed_at_any_step_ends_as_the_old_or_the_new_state(situation: Situation, tmp_path: Path) -> None:
    laid = lay(situation, tmp_path / "repo")
    old_state = (picture(laid.repo), laid.repo.status())
    done = laid.copied(tmp_path / "done")
    advance(place_of(done), laid.old, laid.new)
    new_state = (picture(done.repo), done.repo.status())
    made: list[tuple[Laid, Place]] = []

    def again() -> Callable[[], object]:
        one = laid.copied(tmp_path / f"copy-{len(made)}")
        place = place_of(one)
        made.append((one, place))
        return lambda: advance(place, laid.old, laid.new)

    ends = []
    for _ in every_kill(again):
        one, place = made[-1]
        repaired = repair(place, laid.old, laid.new)
        assert repaired.left == ()
        state = (picture(one.repo), one.repo.status())
        assert one.repo.head() == (laid.new if repaired.state == "new" else laid.old)
        assert state == (new_state if repaired.state == "new" else old_state)
        assert left_by_us(one.repo) == []
        ends.append(repaired.state)
        shutil.rmtree(one.repo.path)
    assert sorted(set(ends)) == ["new", "old"]
