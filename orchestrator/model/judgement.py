"""Who judges a micro-plan at the gate, and a change before it lands: the checks alone, a reviewer, or a person.

Pure; part of next_actions.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.model.actions import Action, Verb, Wait, Why
from orchestrator.model.facts import Limits
from orchestrator.model.ids import TaskKey
from orchestrator.model.micro_plan import plan_hash
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan
from orchestrator.model.questions import answer_command, open_ones
from orchestrator.model.settings import MANUAL, Settings
from orchestrator.model.stage import Standing
from orchestrator.model.task_file import TaskFile

TakeSlot = Callable[[TaskKey], Action | Wait | None]

STALE = "its spec was changed, so it plans again at the next orch next-wave"
ANOTHER_SPEC = "its spec changed since its micro-plan was made"
ERROR_LINE = "- error: "
"""How a line of `## Findings` begins that holds a mechanical error."""


def errors_held(findings: str) -> tuple[str, ...]:
    """The mechanical errors in the text of `## Findings`: no reviewer can approve a plan that has one."""
    return tuple(line.removeprefix(ERROR_LINE) for line in findings.split("\n") if line.startswith(ERROR_LINE))


def has_changed(task: TaskFile) -> bool:
    """Whether the micro-plan isn't the one that was approved, goal and steps apart from ticks."""
    return bool(task.plan and task.micro_plan.steps) and task.plan != plan_hash(task.micro_plan)


def is_stale(plan: Plan, task: TaskFile) -> bool:
    """Whether the task's spec was changed since its micro-plan was made."""
    return bool(task.spec) and task.spec != plan.spec(task.key).hash


def at_gate(
    orchestration: Orchestration, limits: Limits, key: TaskKey, now: Standing, take_slot: TakeSlot
) -> Action | Wait:
    """What becomes of a micro-plan at the gate. take_slot: takes a turn for the task, or says why none may be
    started, and what comes before it."""
    task = orchestration.task(key)
    if is_stale(orchestration.plan, task):
        return Action(Verb.REPLAN, ANOTHER_SPEC, key, key.wave)
    waiting = waits_for_answers(orchestration, key)
    if waiting:
        return waiting
    open_questions = [question for question in task.micro_plan.questions if not question.answer]
    if open_questions:
        remedy = f"orch approve {key}" + "".join(f" --answer {one.number}=…" for one in open_questions)
        count = "an open question" if len(open_questions) == 1 else f"{len(open_questions)} open questions"
        return Wait(key, Why.QUESTION, f"{count} in its micro-plan", remedy)
    if limits.gate == "auto" and not task.findings and not now.unanswered:
        return Action(Verb.APPROVE, "its micro-plan passed the checks without a finding", key, key.wave)
    is_clear = limits.gate == "review" and not errors_held(task.findings)
    if is_clear and (now.asked != plan_hash(task.micro_plan) or not now.unanswered):
        return _review(orchestration, key, now, take_slot, "its micro-plan passed the checks")
    told = f": {now.unanswered}" if now.unanswered else ""
    return Wait(key, Why.GATE, f"its micro-plan waits for approval{told}", f"orch gate {key}")


def waits_for_answers(orchestration: Orchestration, key: TaskKey) -> Wait | None:
    """The wait of a task that open questions of STATE hold, whoever asks them."""
    waiting = open_ones(orchestration.state.asked(key), key)
    if not waiting:
        return None
    verb = "is" if len(waiting) == 1 else "are"
    shown = ", ".join(one.id for one in waiting[:5]) + (", …" if len(waiting) > 5 else "")
    return Wait(key, Why.QUESTION, f"{shown} {verb} open", answer_command(waiting))


def stop_remedy(orchestration: Orchestration) -> str:
    """What a person does about a stop."""
    return f"take the stop out of {orchestration.state.path}, then run orch next-wave"


def stop_wait(orchestration: Orchestration, key: TaskKey) -> Wait | None:
    """The wait of a task while the orchestration is stopped."""
    why = orchestration.state.stop
    return Wait(key, Why.STOP, f"stopped: {why}", stop_remedy(orchestration)) if why else None


def diff_judge(settings: Settings, now: Standing, *, is_attended: bool = True) -> str:
    """Who judges a verified change before it lands: none, stop (a person, or whoever runs orch), review.

    Where the settings don't say, a change by a worker of one's own waits for a word, as long as somebody is there to
    give it: nobody has seen what that worker did.
    """
    return settings.review_diff or ("stop" if is_attended and now.driver == MANUAL else "none")


def awaits_judgement(settings: Settings, now: Standing, *, is_attended: bool = True) -> bool:
    """Whether a verified change has to be judged before it lands: what was approved is another tree, or nothing."""
    return diff_judge(settings, now, is_attended=is_attended) != "none" and now.judged != now.verified_tree


def before_landing(
    orchestration: Orchestration, limits: Limits, key: TaskKey, now: Standing, take_slot: TakeSlot
) -> Action | Wait:
    """What becomes of a verified change: it lands, or is judged before."""
    settings = orchestration.settings
    if not awaits_judgement(settings, now, is_attended=limits.is_attended):
        return Action(Verb.LAND, "it is verified", key, key.wave)
    if settings.review_diff == "review" and (now.asked != now.verified_tree or not now.unanswered):
        return _review(orchestration, key, now, take_slot, "it is verified")
    told = f": {now.unanswered}" if now.unanswered else ""
    if now.judged and not told:
        told = ", once more: what it lands on has changed since"
    return Wait(key, Why.DIFF, f"its change waits for approval before it lands{told}", f"orch gate {key}")


def _review(
    orchestration: Orchestration,
    key: TaskKey,
    now: Standing,
    take_slot: TakeSlot,
    reason: str,
) -> Action | Wait:
    held = stop_wait(orchestration, key) or take_slot(key)
    if held:
        return held
    again = "; its last reviewer died" if now.reviewers_lost else ""
    return Action(Verb.REVIEW, reason + again, key, key.wave)
