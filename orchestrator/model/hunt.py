"""Which of several commits broke which tests, found with as few runs of the suites as can be.

Bisects all failing tests at once: while they are followed to the same half of the commits, a run answers for all of
them; where they part, a tree is asked for that leaves out the upper half of each. That last kind of tree never stood,
so nobody is blamed before the failure is gone from a tree without the blamed commits alone.

Owns the order of the questions. Must not know git, suites or tasks: whoever drives it builds the trees and runs them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence

from orchestrator.nouns import dataclass, field

Mark = tuple[str, str]
"""What is seen to fail: a suite and a test of it, or a suite and `` where its failures have no names."""

MOST_ROUNDS = 4
"""How many commits may have broken the same test before it is given up."""

NO_TREE, AT_START, GONE = "no-tree", "at-start", "gone"


@dataclass(frozen=True, slots=True)
class Probe:
    """A question: which of these marks are red with only these commits (their positions, oldest 0) on the start?

    is_proof: the tree is what a revert would leave, so that a failure which is new there speaks against it.
    """

    present: tuple[int, ...]
    marks: tuple[Mark, ...]
    is_proof: bool = False


Answer = Mapping[Mark, bool] | None
"""Mark → red. None: there is no such tree, since the commits can't be taken apart."""


@dataclass(frozen=True, slots=True)
class Unsolved:
    """A mark that no commit was proven to have broken. `at` is the commit that is to blame but can't be taken back.

    why: no-tree (the commits can't be taken apart), at-start (it is red without any of them), gone (red no more, or
    red whichever are left out).
    """

    why: str
    at: int | None = None


@dataclass(slots=True)
class Found:
    """Position of a guilty commit → the marks it broke; and what stays unsolved."""

    guilty: dict[int, tuple[Mark, ...]] = field(default_factory=dict)
    unsolved: dict[Mark, Unsolved] = field(default_factory=dict)
    proofs: dict[Mark, frozenset[int]] = field(default_factory=dict, compare=False)
    """Which commits were left out when the mark was seen to be green."""

    def blame(self, at: int, mark: Mark) -> None:
        self.guilty[at] = (*self.guilty.get(at, ()), mark)

    def acquit(self, mark: Mark, why: Unsolved) -> None:
        kept = {at: tuple(one for one in marks if one != mark) for at, marks in self.guilty.items()}
        self.guilty = {at: marks for at, marks in kept.items() if marks}
        self.unsolved[mark] = why
        self.proofs.pop(mark, None)


@dataclass(slots=True)
class _Track:
    """How far a mark has been followed: green with the first `low` commits that are present, red with `high`."""

    low: int
    high: int
    was_green: bool = False
    was_red: bool = False
    is_lost: bool = False

    @property
    def is_open(self) -> bool:
        return self.high - self.low > 1 and not self.is_lost

    @property
    def middle(self) -> int:
        return (self.low + self.high) // 2


Steps = Generator[Probe, Answer, None]


def hunt(count: int, marks: Iterable[Mark]) -> Generator[Probe, Answer, Found]:
    """Ask for runs until each mark is laid to a commit or given up. All marks are red with all `count` commits.

    With each mark broken by one commit it takes as many runs as halvings, and one for the proof: 4 for 8 commits.
    """
    found = Found()
    suspects: dict[Mark, tuple[int, ...]] = dict.fromkeys(dict.fromkeys(marks), ())
    for _ in range(MOST_ROUNDS):
        rounds = sorted(set(suspects.values()))
        for absent in rounds:
            these = tuple(mark for mark, ones in suspects.items() if ones == absent)
            left = [at for at in range(count) if at not in absent]
            if left:
                yield from _round(left, absent, these, suspects, found)
        for mark in (*found.unsolved, *(mark for marks in found.guilty.values() for mark in marks)):
            suspects.pop(mark, None)
        if not suspects:
            break
    found.unsolved.update({mark: Unsolved(GONE) for mark in suspects})
    yield from _prove_all(count, found)
    return found


def _prove_all(count: int, found: Found) -> Steps:
    """A mark that was green only without commits which weren't found guilty after all is looked at once more."""
    while doubtful := [mark for mark, without in found.proofs.items() if not without <= found.guilty.keys()]:
        answer = yield Probe(tuple(at for at in range(count) if at not in found.guilty), tuple(doubtful), is_proof=True)
        for mark in doubtful:
            if answer is None or answer.get(mark, True):
                found.acquit(mark, Unsolved(GONE))
            else:
                found.proofs[mark] = frozenset(found.guilty)


def _round(
    left: list[int],
    absent: tuple[int, ...],
    marks: Sequence[Mark],
    suspects: dict[Mark, tuple[int, ...]],
    found: Found,
) -> Steps:
    """Follow the marks among the commits that are left, and prove what was found."""
    tracks = {mark: _Track(0, len(left)) for mark in marks}
    yield from _search(left, tracks)
    for mark, track in tracks.items():
        if track.is_lost:
            found.unsolved[mark] = Unsolved(NO_TREE)
    tracks = {mark: track for mark, track in tracks.items() if not track.is_lost}
    if not tracks:
        return
    # What was red only with all of them needs to be seen red again: else it may have gone by itself meanwhile.
    late = {mark for mark, track in tracks.items() if not track.was_red}
    if late and len(left) == 1:
        yield from _prove_alone(left[0], absent, tuple(tracks), found)
        return
    accused = {mark: left[track.low] for mark, track in tracks.items()}
    early = {at for mark, at in accused.items() if mark not in late}
    answer = yield Probe(tuple(at for at in left if at not in early), tuple(tracks), is_proof=bool(early))
    if answer is None:
        yield from _prove_each(left, absent, accused, late, found)
        return
    for mark, track in tracks.items():
        is_red = answer.get(mark, True)
        if mark in late and not is_red:
            found.unsolved[mark] = Unsolved(GONE)
        elif mark in late or not is_red:
            if mark not in late:
                found.proofs[mark] = frozenset((*absent, *early))
            yield from _blame(found, mark, left, absent, accused[mark])
        else:
            suspects[mark] = (*absent, accused[mark])
            if not track.was_green:
                yield from _look_at_start(mark, found)


def _blame(found: Found, mark: Mark, left: list[int], absent: tuple[int, ...], at: int) -> Steps:
    """Lay the mark to a commit, and of those suspected before it to each that makes it red again by itself."""
    found.blame(at, mark)
    for one in absent:
        answer = yield Probe(tuple(sorted({*left, one} - {at})), (mark,))
        if answer is not None and answer.get(mark, True):
            found.blame(one, mark)


def _search(left: list[int], tracks: dict[Mark, _Track]) -> Steps:
    while open_tracks := {mark: track for mark, track in tracks.items() if track.is_open}:
        groups = sorted({(track.low, track.high) for track in open_tracks.values()})
        answer = yield Probe(_present(left, groups), tuple(open_tracks))
        if answer is None and len(groups) > 1:
            # The tree of all can't be made; that of the first group is one that stood.
            open_tracks = {mark: one for mark, one in open_tracks.items() if (one.low, one.high) == groups[0]}
            answer = yield Probe(_present(left, groups[:1]), tuple(open_tracks))
        for mark, track in open_tracks.items():
            if answer is None:
                track.is_lost = True
            elif answer.get(mark, True):
                track.high, track.was_red = track.middle, True
            else:
                track.low, track.was_green = track.middle, True


def _present(left: list[int], groups: list[tuple[int, int]]) -> tuple[int, ...]:
    """The lower half of each group, and what lies outside all groups and below the last of their middles."""
    top = max((low + high) // 2 for low, high in groups)
    gone = {index for low, high in groups for index in range((low + high) // 2, high)}
    return tuple(at for index, at in enumerate(left) if index < top and index not in gone)


def _prove_alone(at: int, absent: tuple[int, ...], marks: tuple[Mark, ...], found: Found) -> Steps:
    """One commit is left: it is to blame if it is red with it, and green without."""
    without = yield Probe((), marks, is_proof=True)
    again = (yield Probe((at,), marks)) if without is not None and not all(without.values()) else None
    for mark in marks:
        if without is None:
            found.unsolved[mark] = Unsolved(NO_TREE, at)
        elif without.get(mark, True):
            found.unsolved[mark] = Unsolved(AT_START)
        elif again is None or again.get(mark, True):
            yield from _blame(found, mark, [at], absent, at)
        else:
            found.unsolved[mark] = Unsolved(GONE)


def _prove_each(
    left: list[int], absent: tuple[int, ...], accused: dict[Mark, int], late: set[Mark], found: Found
) -> Steps:
    """They can't be taken back together; perhaps one by one."""
    for at in sorted(set(accused.values())):
        marks = tuple(mark for mark, one in accused.items() if one == at)
        early = tuple(mark for mark in marks if mark not in late)
        answer = (yield Probe(tuple(one for one in left if one != at), early, is_proof=True)) if early else None
        for mark in marks:
            if answer is not None and mark in early and not answer.get(mark, True):
                yield from _blame(found, mark, left, absent, at)
            else:
                found.unsolved[mark] = Unsolved(NO_TREE, at)


def _look_at_start(mark: Mark, found: Found) -> Steps:
    """It was never seen green: perhaps no commit has to do with it."""
    answer = yield Probe((), (mark,))
    if answer is not None and answer.get(mark, True):
        found.unsolved[mark] = Unsolved(AT_START)
