"""Which text a turn gets: the prompt of a plan turn, the approval, what sends back, what goes on after a death."""

from __future__ import annotations

from orchestrator.engine.run import Run
from orchestrator.formats.task_file import worker_copy_text
from orchestrator.markdown.code import fenced
from orchestrator.model.ids import TaskKey
from orchestrator.model.log import FAILURES
from orchestrator.model.stage import Standing
from orchestrator.prompts.context import Conventions, Data, Paths, worker_data
from orchestrator.prompts.locations import Template, find
from orchestrator.prompts.messages import (
    approval_message,
    continue_message,
    retry_message,
    revise_message,
    takeover_message,
    worker_prompt,
)
from orchestrator.store.text_files import read


def turn_data(run: Run, key: TaskKey, turn: str, now: Standing, paths: Paths) -> Data:
    """The data every template of a task's turn is rendered with."""
    spec = run.spec(key)
    reports = [run.state.report(item.task) for item in spec.depends_on if item.task]
    return worker_data(
        plan=run.plan,
        spec=spec,
        turn=turn,
        paths=paths,
        conventions=Conventions(run.settings.body, run.settings.conventions),
        dependencies=[report for report in reports if report],
        answers=run.task(key).micro_plan.questions,
        learnings=_learned(run, key, now) if turn == "plan" else (),
    )


def _learned(run: Run, key: TaskKey, now: Standing) -> tuple[str, ...]:
    """What a new worker is told of the attempts on the tiers below: why they failed, the last plan, what was found.

    And what was decided about the task before its first plan.
    """
    if not now.tiers:
        answered = [one for one in run.task(key).micro_plan.questions if one.answer and not now.sent_back]
        return tuple(f"Decided: {one.text}\n\n{one.answer}" for one in answered)
    failed = [f"An attempt on the tier {tier} failed: {why}" for tier, why in now.tiers]
    task = run.task(key)
    if now.sent_back or now.turn != "plan":
        return tuple(failed)
    told = [(plan_text(run, key), "Its plan was:", "markdown"), (task.findings, "What was found:", "text")]
    return (*failed, *(f"{lead}\n\n{fenced(text, language)}" for text, lead, language in told if text.strip()))


def set_template(run: Run) -> Template:
    """The set's own PROMPT_TEMPLATE, else the shipped one."""
    path = run.layout.template_path(run.plan.number)
    text = read(path)
    if text is None:
        return find("worker", run.layout.planning)
    return Template(text, run.layout.shown(path))


def turn_text(run: Run, key: TaskKey, turn: str, now: Standing, paths: Paths, *, in_session: bool = False) -> str:
    """The whole text for a turn, from the files alone: a turn that is spawned again gets the same.

    in_session: the worker remembers its earlier turns, and with them the whole task.
    """
    data = turn_data(run, key, turn, now, paths)
    folder = run.layout.planning
    whole = worker_prompt(data, set_template(run))
    prompt = "" if in_session else whole
    task = run.task(key)
    text_of_plan = plan_text(run, key) if turn != "plan" or task.micro_plan.steps else ""
    if turn == "execute":
        text = approval_message(data, plan_text=text_of_plan, prompt=prompt, folder=folder)
    elif turn == "takeover":
        text = takeover_message(data, plan_text=text_of_plan, prompt=prompt, folder=folder)
    elif turn == "retry":
        held, _, output = task.findings.partition("\n\n")
        text = retry_message(
            data,
            reason=now.cause,
            findings=[line.removeprefix("- ") for line in held.split("\n") if line.strip()],
            output=output,
            plan_text=text_of_plan,
            prompt=prompt,
            folder=folder,
        )
    elif (task.findings or now.cause) and (now.sent_back or not now.tiers):
        text = revise_message(
            data,
            findings=[line.removeprefix("- ") for line in task.findings.split("\n") if line.strip()],
            message=now.cause,
            plan_text=text_of_plan,
            prompt=prompt,
            folder=folder,
        )
    else:
        text = whole
    if now.weather or (now.turns > 1 and _last_was_lost(run, key)):
        text = continue_message(data, prompt=text, folder=folder)
    return text


def plan_text(run: Run, key: TaskKey) -> str:
    """The micro-plan as a worker's todo file has it; empty where there is none."""
    document = run.session.planning.task_document(key)
    return worker_copy_text(document, key, run.spec(key).title) if document else ""


def _last_was_lost(run: Run, key: TaskKey) -> bool:
    """Whether the worker before the last started turn died, or was ended when somebody parked the task."""
    task = run.task(key)
    events = (*FAILURES, "revised", "approved")
    told = [entry for entry in task.log if entry.event in events or entry.get("to") == "retry"]
    if not told:
        return False
    last = told[-1]
    if last.event == "decided":
        # One more try after a death has the counts at 0 and is told nothing of it, as before.
        return bool(last.get("lost"))
    return last.event == "failed" and last.get("kind") == "died" and task.counts.died > 0
