"""What waits for a judgement: a digest of each micro-plan, and the commands that answer it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import MOST_SEND_BACKS
from orchestrator.model.micro_plan import MicroPlan
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.plan import Plan, Spec
from orchestrator.model.questions import Asked, answer_command, question_key
from orchestrator.model.settling import names_of
from orchestrator.model.stage import standing
from orchestrator.model.task_file import TaskFile
from orchestrator.views.called import called, named, place_of
from orchestrator.views.printable import one_line
from orchestrator.views.questions import question_line


def gate_lines(orchestration: Orchestration, keys: Sequence[TaskKey], *, number: int | None = None) -> tuple[str, ...]:
    """The digests of these tasks' micro-plans, a blank line between; then the open questions of the queue, once and
    together; then the commands to answer.

    number: the orchestration if the commands have to name it with `-n`.
    """
    asked = asked_about(orchestration, keys)
    if not keys and not asked:
        return ("nothing waits for a judgement",)
    lines: list[str] = []
    for key in keys:
        lines += [*digest_lines(orchestration, orchestration.task(key), queued=asked), ""]
    if asked:
        lines += ["open questions:", *map(question_line, asked), ""]
    return tuple(lines + answer_lines(orchestration, keys, number=number))


def asked_about(orchestration: Orchestration, keys: Sequence[TaskKey]) -> tuple[Asked, ...]:
    """The open questions of the queue that these tasks wait for; all there are for no task."""
    still = [one for one in orchestration.state.questions if one.is_open]
    return tuple(one for one in still if not keys or any(one.holds(key) for key in keys))


def digest_lines(orchestration: Orchestration, task: TaskFile, *, queued: Sequence[Asked] = ()) -> list[str]:
    """One micro-plan: title, goal, steps, what was found, questions but those `queued`, which are shown with others."""
    plan = orchestration.plan
    spec = _spec(plan, task.key)
    micro = task.micro_plan
    title = one_line(spec.title if spec else micro.heading, 80)
    lines = [f"{named(task.key, called(plan))} {title}{place_of(orchestration, task.key)}{_sent_back(task)}"]
    if micro.goal:
        lines.append(f"goal: {one_line(micro.goal, 200)}")
    if spec:
        lines += [f"accept A{number}: {one_line(text, 160)}" for number, text in enumerate(spec.acceptance, 1)]
    for step in micro.steps:
        head, *rest = step.text.strip().split("\n")
        mark = "" if step.is_open else f"[{step.mark}] "
        lines += [f"{step.number}. {mark}{head.strip()}", *(f"   {line.strip()}" for line in rest if line.strip())]
    if micro.notes.strip():
        lines.append(f"notes: {one_line(micro.notes, 200)}")
    unanswered = standing(task.log).unanswered
    if unanswered:
        lines.append(one_line(unanswered, 600))
    heads, output = found_lines(task)
    lines += [*(f"found {line.removeprefix('- ')}" for line in heads), *(f"   {line}" for line in output)]
    shown = _names(queued)
    for question in micro.questions:
        if not question.answer and question_key(question.text) in shown:
            continue
        answer = f" -> {one_line(question.answer, 120)}" if question.answer else ""
        lines.append(f"question {question.number}: {one_line(question.text, 300)}{answer}")
    return lines


def answer_lines(orchestration: Orchestration, keys: Sequence[TaskKey], *, number: int | None = None) -> list[str]:
    """The commands that answer these micro-plans: one for all that can pass as they are, one each for the others."""
    which = f" -n {number}" if number is not None else ""
    clean: list[str] = []
    held: list[str] = []
    lines: list[str] = []
    asked = asked_about(orchestration, keys)
    queued = _names(asked)
    for key in keys:
        task = orchestration.task(key)
        numbers = _open_numbers(task.micro_plan, queued)
        questions = "".join(f' --answer {number}="..."' for number in numbers)
        if has_error(task):
            lines.append(_back(task, which))
            if task.micro_plan.steps:
                lines.append(f'orch approve {key}{questions} --force --why "..."{which}')
        elif questions:
            lines.append(f"orch approve {key}{questions}{which}")
        elif any(one.holds(key) for one in asked):
            held.append(str(key))
        else:
            clean.append(str(key))
    for_all = [answer_command(asked) + which] if asked else []
    if clean:
        for_all.append(f"orch approve {' '.join(clean)}{which}")
    if held:
        for_all.append(f"once they are answered: orch approve {' '.join(held)}{which}")
    others = [key for key in keys if not has_error(orchestration.task(key))]
    return [*for_all, *lines, *([_back(orchestration.task(others[0]), which)] if others else [])]


def _back(task: TaskFile, which: str) -> str:
    """The command that has a plan made again: by its worker, or after two times by who judges it."""
    if standing(task.log).sent_back >= MOST_SEND_BACKS:
        return f"orch takeover {task.key} --file PLAN.md{which}"
    return f'orch revise {task.key} -m "..."{which}'


def found_lines(task: TaskFile) -> tuple[list[str], list[str]]:
    """The findings as the todo file has them, and the lines of the output or diff that follows them, as they are.

    Without that a question is open: the question itself says it.
    """
    asked = {f"- warning: question {number} is open" for number in _open_numbers(task.micro_plan)}
    found, gap, output = task.findings.partition("\n\n")
    if not found.startswith("- ") or (gap and all(line.startswith("- ") for line in _filled(output))):
        found, output = task.findings, ""
    return [line for line in _filled(found) if line not in asked], _filled(output)


def _filled(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _sent_back(task: TaskFile) -> str:
    times = standing(task.log).sent_back
    return f", sent back {'once' if times == 1 else f'{times} times'}" if times else ""


def has_error(task: TaskFile) -> bool:
    """Whether something was found that only a person can wave through."""
    return any(line.removeprefix("- ").startswith("error") for line in task.findings.split("\n"))


def _open_numbers(micro: MicroPlan, queued: Collection[str] = ()) -> tuple[int, ...]:
    still = [question for question in micro.questions if not question.answer]
    return tuple(question.number for question in still if not queued or question_key(question.text) not in queued)


def _names(queued: Sequence[Asked]) -> frozenset[str]:
    return frozenset(name for one in queued for name in names_of(one))


def _spec(plan: Plan, key: TaskKey) -> Spec | None:
    try:
        return plan.spec(key)
    except KeyError:
        return None
