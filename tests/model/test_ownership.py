"""Who owns a board cell: a table of {cell, log, git} → ruling, and random people and crashes against a small model."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.model.log import LogEntry
from orchestrator.model.ownership import Ruling, Verdict, rule
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.model.status import Status

T = "2026-11-29T10:00:00Z"


def entry(event: str, **values: str) -> LogEntry:
    return LogEntry(T, event, values)


FRESH: list[LogEntry] = []
OPENED = [entry("started", turn="plan", board="planning")]
PLANNING = [*OPENED, entry("board", status="planning")]
AT_GATE = [*PLANNING, entry("planned", board="plan-ready"), entry("board", status="plan-ready")]
REVIEWING = [*AT_GATE, entry("started", turn="review", of="plan", asked="x")]
APPROVED = [*AT_GATE, entry("approved", by="session", board="approved"), entry("board", status="approved")]
RUNNING = [*APPROVED, entry("started", turn="execute", board="running"), entry("board", status="running")]
RETRY_DUE = [*RUNNING, entry("failed", kind="accept", next="retry", why="red")]
ENDED = [*RUNNING, entry("ended", turn="execute", outcome="finished"), entry("board", status="verifying")]
VERIFIED = [*ENDED, entry("verified", tree="t", head="h", board="verified"), entry("board", status="verified")]
REVIEWED = [*VERIFIED, entry("started", turn="review", of="diff", asked="x")]
BLOCKED = [
    *RUNNING,
    entry("failed", kind="accept", next="blocked", why="red", board="blocked"),
    entry("board", status="blocked"),
]
LANDING = [*RUNNING, entry("landed", commit="abc1234def", board="done")]
LANDED = [*LANDING, entry("board", status="done")]

# log, cell, is a worker alive → ruling, status
TABLE = [
    (FRESH, Status.PENDING, False, Ruling.NOTHING, Status.PENDING),
    (FRESH, Status.SKIPPED, False, Ruling.FOLLOW, Status.SKIPPED),
    (FRESH, Status.DONE, False, Ruling.FOLLOW, Status.DONE),
    (FRESH, Status.BLOCKED, False, Ruling.FOLLOW, Status.BLOCKED),
    (FRESH, Status.NEEDS_INPUT, False, Ruling.FOLLOW, Status.NEEDS_INPUT),
    (FRESH, Status.APPROVED, False, Ruling.REFUSE, None),
    (FRESH, Status.RUNNING, False, Ruling.REFUSE, None),
    (FRESH, Status.VERIFIED, False, Ruling.REFUSE, None),
    (FRESH, None, False, Ruling.HOLD, None),
    # the write was announced and orch died before it
    (OPENED, Status.PENDING, False, Ruling.REPAIR, Status.PLANNING),
    # the write was made and orch died before it said so
    (OPENED, Status.PLANNING, True, Ruling.CLOSE, Status.PLANNING),
    # a person was quicker than both
    (OPENED, Status.SKIPPED, False, Ruling.FOLLOW, Status.SKIPPED),
    (PLANNING, Status.PLANNING, True, Ruling.NOTHING, Status.PLANNING),
    (PLANNING, Status.PENDING, True, Ruling.FOLLOW, Status.PENDING),
    (PLANNING, Status.APPROVED, False, Ruling.REFUSE, None),
    (AT_GATE, Status.PLAN_READY, False, Ruling.NOTHING, Status.PLAN_READY),
    (AT_GATE, Status.APPROVED, False, Ruling.FOLLOW, Status.APPROVED),
    (AT_GATE, Status.APPROVED, True, Ruling.ASK_AGAIN, Status.PLAN_READY),
    (REVIEWING, Status.PLAN_READY, True, Ruling.NOTHING, Status.PLAN_READY),
    (REVIEWING, Status.APPROVED, True, Ruling.ASK_AGAIN, Status.PLAN_READY),
    (REVIEWING, Status.APPROVED, False, Ruling.FOLLOW, Status.APPROVED),
    (AT_GATE, Status.RUNNING, False, Ruling.REFUSE, None),
    (RUNNING, Status.BLOCKED, True, Ruling.FOLLOW, Status.BLOCKED),
    # an editor saved a copy of the board from before
    (RUNNING, Status.PLAN_READY, True, Ruling.REPAIR, Status.RUNNING),
    (RUNNING, Status.PLANNING, False, Ruling.REPAIR, Status.RUNNING),
    (AT_GATE, Status.PLANNING, False, Ruling.REPAIR, Status.PLAN_READY),
    (VERIFIED, Status.RUNNING, False, Ruling.REPAIR, Status.VERIFIED),
    (BLOCKED, Status.RUNNING, False, Ruling.REPAIR, Status.BLOCKED),
    (LANDED, Status.RUNNING, False, Ruling.REPAIR, Status.DONE),
    (LANDED, Status.PLAN_READY, False, Ruling.REPAIR, Status.DONE),
    # orch never wrote that there: somebody meant something by it
    (RUNNING, Status.VERIFIED, False, Ruling.REFUSE, None),
    (LANDED, Status.VERIFYING, False, Ruling.REFUSE, None),
    (RUNNING, Status.APPROVED, True, Ruling.REPAIR, Status.RUNNING),
    (RETRY_DUE, Status.APPROVED, False, Ruling.REPAIR, Status.RUNNING),
    (ENDED, Status.APPROVED, False, Ruling.REPAIR, Status.VERIFYING),
    (VERIFIED, Status.APPROVED, False, Ruling.REPAIR, Status.VERIFIED),
    (REVIEWED, Status.APPROVED, True, Ruling.REPAIR, Status.VERIFIED),
    (LANDED, Status.APPROVED, False, Ruling.REPAIR, Status.DONE),
    (BLOCKED, Status.APPROVED, False, Ruling.REFUSE, None),
    (BLOCKED, Status.BLOCKED, False, Ruling.NOTHING, Status.BLOCKED),
    (BLOCKED, Status.PENDING, False, Ruling.FOLLOW, Status.PENDING),
    (LANDING, Status.RUNNING, False, Ruling.REPAIR, Status.DONE),
    (LANDING, Status.DONE, False, Ruling.CLOSE, Status.DONE),
    (LANDED, Status.DONE, False, Ruling.NOTHING, Status.DONE),
    (LANDED, Status.PENDING, False, Ruling.REFUSE, None),
    (LANDED, Status.SKIPPED, False, Ruling.REFUSE, None),
    (LANDED, None, False, Ruling.HOLD, None),
]


@pytest.mark.parametrize(("log", "cell", "alive", "ruling", "status"), TABLE)
def test_the_cell_and_the_log_decide_together(
    log: list[LogEntry], cell: Status | None, alive: bool, ruling: Ruling, status: Status | None
) -> None:
    verdict = rule(cell=cell, raw=str(cell), standing=standing(log), worker_alive=alive)

    assert (verdict.ruling, verdict.status) == (ruling, status)


@pytest.mark.parametrize("log", [FRESH, OPENED, PLANNING, AT_GATE, RUNNING, BLOCKED, LANDED])
@pytest.mark.parametrize("cell", [None, *Status])
def test_what_is_not_followed_says_why_and_what_to_do(log: list[LogEntry], cell: Status | None) -> None:
    verdict = rule(cell=cell, raw="soon", standing=standing(log), worker_alive=False)

    if verdict.ruling in (Ruling.HOLD, Ruling.REFUSE):
        assert verdict.reason
        assert verdict.remedy


@dataclass
class World:
    """One task: its log, its cell, and what a person asked for that orch hasn't seen. The oracle of the test."""

    log: list[LogEntry] = field(default_factory=list)
    cell: Status = Status.PENDING
    asked: Status | None = None
    followed: list[Status] = field(default_factory=list)
    refused: list[Status] = field(default_factory=list)

    @property
    def now(self) -> Standing:
        return standing(self.log)

    def write(self, opening: LogEntry, status: Status, *, dies_after: int) -> None:
        """A board write in its three steps, the process dying after so many of them."""
        if dies_after >= 1:
            self.log.append(LogEntry(T, opening.event, {**opening.values, "board": str(status)}))
        if dies_after >= 2:
            self.cell = status
        if dies_after >= 3:
            self.log.append(entry("board", status=str(status)))

    def look(self) -> Verdict:
        return rule(cell=self.cell, raw=str(self.cell), standing=self.now, worker_alive=False)

    def settle(self, *, dies_after: int = 3) -> None:
        """What next-wave does with a cell before anything else, dying after so many writes."""
        verdict = self.look()
        match verdict.ruling:
            case Ruling.CLOSE if dies_after >= 1:
                self.log.append(entry("board", status=str(verdict.status)))
            case Ruling.REPAIR if dies_after >= 1 and verdict.status:
                self.cell = verdict.status
                if dies_after >= 2:
                    self.log.append(entry("board", status=str(verdict.status)))
            case Ruling.FOLLOW if verdict.status is Status.APPROVED:
                self.write(entry("approved", by="person"), Status.APPROVED, dies_after=dies_after)
                self._followed(dies_after)
            case Ruling.FOLLOW if verdict.status:
                self.write(entry("decided", to=str(verdict.status)), verdict.status, dies_after=dies_after)
                self._followed(dies_after)
            case Ruling.REFUSE:
                self.refused.append(self.cell)
            case _:
                pass

    def _followed(self, dies_after: int) -> None:
        if dies_after >= 1:
            self.followed.append(self.cell)
            self.asked = None

    def advance(self, *, dies_after: int) -> None:
        """The next step of the task's life, if its cell is in order."""
        if self.look().ruling is not Ruling.NOTHING:
            return
        step = {
            Stage.FRESH: (entry("started", turn="plan"), Status.PLANNING),
            Stage.PLANNING: (entry("planned"), Status.PLAN_READY),
            Stage.AT_GATE: (entry("approved", by="session"), Status.APPROVED),
            Stage.APPROVED: (entry("started", turn="execute"), Status.RUNNING),
            Stage.WORKING: (entry("ended", turn="execute", outcome="finished"), Status.VERIFYING),
            Stage.WORK_ENDED: (entry("verified", tree="t", head="h"), Status.VERIFIED),
            Stage.VERIFIED: (entry("landed", commit="abc1234"), Status.DONE),
        }.get(self.now.stage)
        if step:
            self.write(*step, dies_after=dies_after)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("advance"), st.integers(0, 3)),
        st.tuples(st.just("settle"), st.integers(0, 3)),
        st.tuples(st.just("person"), st.sampled_from(list(Status))),
    ),
    max_size=40,
)


@given(steps)
def test_no_edit_is_lost_and_no_crash_is_taken_for_one(script: list[tuple[str, object]]) -> None:
    world = World()
    for what, how in script:
        before = world.cell
        landed = world.now.stage is Stage.LANDED
        if what == "person":
            assert isinstance(how, Status)
            world.cell = how
            world.asked = how
        elif what == "advance":
            assert isinstance(how, int)
            was_asked = world.look().ruling in (Ruling.FOLLOW, Ruling.REFUSE, Ruling.HOLD)
            world.advance(dies_after=how)
            if was_asked:
                assert world.cell is before, "a person's cell was overwritten before it was looked at"
        else:
            assert isinstance(how, int)
            ruling = world.look().ruling
            world.settle(dies_after=how)
            if ruling is Ruling.REFUSE:
                assert world.cell is before, "a refused cell is left as it stands"
        if landed:
            assert world.now.stage is Stage.LANDED, "a landed task was undone by a cell"

    for _ in range(3):
        world.settle()
    last = world.look()
    assert last.ruling in (Ruling.NOTHING, Ruling.REFUSE), "settling comes to rest"
    if last.ruling is Ruling.NOTHING:
        assert world.cell is world.now.opened is world.now.closed


@given(st.integers(0, 7), st.integers(0, 3), st.sampled_from(list(Status)))
def test_an_edit_after_a_whole_write_is_followed_or_refused_by_the_table(
    whole: int, dies_after: int, edit: Status
) -> None:
    world = World()
    for _ in range(whole):
        world.advance(dies_after=3)
    was = world.now.opened
    world.cell = edit
    verdict = world.look()

    if edit is was:
        assert verdict.ruling is Ruling.NOTHING
    elif verdict.ruling is Ruling.REPAIR:
        # Only what has been fulfilled already, or what orch wrote there before.
        assert edit in world.now.written
        world.settle(dies_after=dies_after)
        world.settle()
        assert (world.cell, world.look().ruling) == (was, Ruling.NOTHING)
    elif verdict.ruling is Ruling.FOLLOW:
        world.settle(dies_after=dies_after)
        world.settle()
        assert world.cell is edit
        if edit is not Status.APPROVED:
            wanted = Stage.FRESH if edit is Status.PENDING else Stage.DECIDED
            assert world.now.stage is wanted
    else:
        assert verdict.ruling is Ruling.REFUSE
        assert verdict.reason


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("in progress", '"in progress" means running, a word that only orch writes'),
        ("running", '"running" is a word that only orch writes'),
    ],
)
def test_a_refused_word_is_quoted_as_it_was_written(raw: str, reason: str) -> None:
    assert rule(cell=Status.RUNNING, raw=raw, standing=standing(FRESH), worker_alive=False).reason == reason
