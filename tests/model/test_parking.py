"""A task that a person parked goes on with the step that was due."""

import pytest

from orchestrator.model.log import LogEntry
from orchestrator.model.parking import before_parking, taken_up
from orchestrator.model.stage import Stage, standing
from orchestrator.model.status import Status

TIME = "2026-11-29T10:00:00Z"


def log(*words: str) -> tuple[LogEntry, ...]:
    """Entries from `event key=value key=value`."""
    parts = [one.split() for one in words]
    return tuple(LogEntry(TIME, event, dict(value.split("=") for value in rest)) for event, *rest in parts)


PLANNED = ("started turn=plan", "ended turn=plan outcome=finished", "planned board=plan-ready")
WORKED = (*PLANNED, "approved by=session", "started turn=execute", "ended turn=execute outcome=finished")
FAILED = (*WORKED, "failed kind=accept next=retry why=red")
PARK = ("decided to=blocked why=later board=blocked", "board status=blocked")


@pytest.mark.parametrize(
    ("before", "following", "status", "stage"),
    [
        ((), "begin", Status.PENDING, Stage.FRESH),
        (PLANNED[:1], "begin", Status.PENDING, Stage.FRESH),
        (PLANNED, "gate", Status.PLAN_READY, Stage.AT_GATE),
        ((*PLANNED, "revised why=no"), "plan", Status.PLANNING, Stage.SENT_BACK),
        ((*PLANNED, "revised why=no", "started turn=plan"), "plan", Status.PLANNING, Stage.SENT_BACK),
        ((*PLANNED, "started turn=review of=plan"), "gate", Status.PLAN_READY, Stage.AT_GATE),
        (WORKED[:4], "execute", Status.APPROVED, Stage.APPROVED),
        (WORKED[:5], "execute", Status.APPROVED, Stage.APPROVED),
        (WORKED, "verify", Status.VERIFYING, Stage.WORK_ENDED),
        ((*WORKED, "verified tree=t head=h"), "verify", Status.VERIFYING, Stage.WORK_ENDED),
        (FAILED, "retry", Status.RUNNING, Stage.RETRY_DUE),
        ((*FAILED, "started turn=retry"), "retry", Status.RUNNING, Stage.RETRY_DUE),
    ],
)
def test_the_step_that_was_due_is_due_again(
    before: tuple[str, ...], following: str, status: Status, stage: Stage
) -> None:
    parked = log(*before, *PARK, *PARK)
    assert before_parking(parked) == log(*before)
    assert taken_up(standing(before_parking(parked))) == (following, status)
    assert standing((*parked, *log(f"decided to=retry next={following}"))).stage is stage


@pytest.mark.parametrize("end", ["failed kind=accept next=blocked why=red", "decided to=done", "decided to=skipped"])
def test_a_failure_is_tried_again_instead_and_what_has_ended_is_not_taken_up(end: str) -> None:
    assert taken_up(standing(before_parking(log(*WORKED, end, *PARK)))) is None


def test_what_is_not_parked_is_left_as_it_is() -> None:
    assert before_parking(log(*FAILED)) == log(*FAILED)
    assert before_parking(log("decided to=skipped")) == log("decided to=skipped")
