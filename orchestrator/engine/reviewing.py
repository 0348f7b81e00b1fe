"""The review turn: a worker of the tier `review` reads what waits for a judgement and answers approve or revise.

It works in a copy of the tree that is thrown away afterwards, so that nothing it changes there comes to anything. The
turn is announced, spawned and taken in like any other; its death is nobody's fault but its own. Its answer counts only
for exactly what it was asked about: what follows from it is review_answers.py's, its form model/review.py's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.drivers.base import TurnOrder, TurnResult
from orchestrator.drivers.registry import find as find_driver
from orchestrator.engine.confining import confine_worker
from orchestrator.engine.copies import plain_text
from orchestrator.engine.failing import one_line
from orchestrator.engine.hosted import ANSWER, hand_out, is_hosted, said
from orchestrator.engine.programs import require_program
from orchestrator.engine.prompting import plan_text, turn_data
from orchestrator.engine.review_answers import WORDS, ChangedError, ended, take_in
from orchestrator.engine.run import Run
from orchestrator.engine.session import utc
from orchestrator.engine.turn_bounds import cap_words, told_cap
from orchestrator.engine.turn_ends import (
    as_cut,
    cost_facts,
    doubt,
    result_of,
    result_of_gone,
    result_words,
    took_words,
    why_capped,
    why_ended,
)
from orchestrator.engine.turns import OvertakenError, attempt_of, end_strays, turn_folder, unless_overtaken
from orchestrator.formats.task_file import read_task_file
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value
from orchestrator.model.ids import TaskKey
from orchestrator.model.ladder import pause_after
from orchestrator.model.micro_plan import plan_hash
from orchestrator.model.review import read_answer
from orchestrator.model.settings import MANUAL, Bounds, Worker
from orchestrator.model.stage import Stage, Standing, standing
from orchestrator.process.plain_output import plain_output
from orchestrator.process.running import Alive, Ended, look, start, tail
from orchestrator.prompts.context import Paths
from orchestrator.prompts.messages import diff_review_prompt, plan_review_prompt
from orchestrator.store.text_files import replace_text
from orchestrator.vcs.history import patch

_MOST_DIFF = 100_000
"""Characters of a patch that stand in a prompt."""
_MOST_OUTPUT = 4000
"""Bytes of the end of what the targeted test printed."""


def start_review(run: Run, key: TaskKey, most: Bounds) -> None:
    """Announce and spawn a review of the micro-plan at the gate, or of the change that would land, that may use so much
    at most."""
    end_strays(run, key)
    now = run.standing(key)
    of = {Stage.AT_GATE: "plan", Stage.VERIFIED: "diff"}.get(now.stage)
    worker = run.reviewer()
    if of is None or worker.driver in run.resting:
        # Answered by a person, or its account was used up, since this round's decision.
        return
    require_program(run, worker)
    number = now.turns + 1
    entry = run.recorder.entry(
        "started",
        turn="review",
        of=of,
        number=number,
        tier=worker.tier,
        driver=worker.driver,
        model=worker.model,
        asked=plan_hash(run.task(key).micro_plan) if of == "plan" else now.verified_tree,
        **cap_words(most),
    )

    facts: dict[str, Value] = {"marker": run.session.random_name(32), "pid": "", "started": ""}
    if run.task(key).until:
        facts["until"] = ""
    try:
        run.recorder.note(key, entry, facts=facts, change=unless_overtaken(key, now.stage))
    except OvertakenError:
        return
    respawn_review(run, key)


def respawn_review(run: Run, key: TaskKey) -> None:
    """Spawn the review that the log announces."""
    worker = run.reviewer()
    order = _order(run, key, run.standing(key), worker)
    _lay(run, key)
    folder = turn_folder(run, key, run.standing(key))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / ANSWER).unlink(missing_ok=True)
    if worker.driver == MANUAL:
        hand_out(run, key, folder, order.prompt)
    else:
        replace_text(Path(order.prompt_path), order.prompt)
        invocation = find_driver(worker.driver).invocation(order)
        if run.settings.sandbox.is_on:
            # A file that is to be written in a closed folder has to be there.
            replace_text(folder / ANSWER, "")
        confined = confine_worker(run, worker, invocation, Path(order.worktree), [str(folder / ANSWER)])
        start(confined, folder, order.marker)
        seen = look(folder, order.marker)
        if isinstance(seen, Alive):
            run.recorder.note(key, facts={"pid": str(seen.pid), "started": run.session.now()})
    run.say(f"{key}: its {WORDS[run.standing(key).reviewed]} is with the reviewer")


def collect_review(run: Run, key: TaskKey) -> None:
    """Take in a review that has ended."""
    now = run.standing(key)
    folder = turn_folder(run, key, now)
    printed = said(run, key, now)
    told: dict[str, str] = {}
    if not is_hosted(run, key):
        seen = look(folder, run.task(key).marker)
        if not isinstance(seen, Ended):
            return
        worker = run.settings.reviewer
        if worker is not None and worker.driver == now.driver:
            result = as_cut(now, result_of(run, _order(run, key, now, worker, is_sent=True), seen))
            told = {**result_words(run, key, worker, result), **took_words(run, key)}
            if result.outcome != "finished":
                how = f" (exit {seen.exit_code})" if seen.exit_code else ""
                _lost(run, key, now, result, f"it ended as {result.outcome}{how}", told)
                return
            printed = result.text
        else:
            printed = run.mask(tail(seen.stdout))
    text = run.mask(plain_text(folder, folder / ANSWER))
    answer = read_answer(text if text.strip() else printed)
    try:
        take_in(run, key, now, answer, told)
    except OvertakenError:
        run.say(f"{key}: somebody answered before its reviewer did")
    except ChangedError:
        why = f"the {WORDS[now.reviewed]} was changed after it was asked"
        run.recorder.note(key, ended(run, told, answer="void", why=why))
        run.say(f"{key}: its reviewer's answer is void: {why}")
    _add_cost(run, key, told)
    discard(run, key)


def _add_cost(run: Run, key: TaskKey, told: Mapping[str, str]) -> None:
    """Bring the cost up to what the log says; if this is lost, the end of the next turn makes up for it."""
    if told.get("usd"):
        run.recorder.note(key, facts=cost_facts(run.task(key).log))


def salvage_review(run: Run, key: TaskKey) -> None:
    """A reviewer is gone without an end: it is counted, and the next one is asked."""
    now = run.standing(key)
    told: dict[str, str] = {}
    worker, folder = run.settings.reviewer, turn_folder(run, key, now)
    if worker is not None and worker.driver == now.driver and worker.driver != MANUAL:
        order = _order(run, key, now, worker, is_sent=True)
        told = result_words(run, key, worker, result_of_gone(run, order, folder))
    _lost(run, key, now, as_cut(now, TurnResult("killed")), "its process is gone without an exit code", told)


def discard(run: Run, key: TaskKey) -> None:
    """Throw away the copy that a reviewer worked in, with all that it changed there."""
    there = run.site(key).workspaces.find(run.layout.review_dir(key))
    if there is not None:
        run.site(key).workspaces.discard(there.path)


def _lay(run: Run, key: TaskKey) -> None:
    """A copy of the tree that the plan was made for, or of the one that would land, on the commit below it. Without
    setup and links: nothing leads out of it."""
    discard(run, key)
    now = run.standing(key)
    commit = now.verified_head if now.reviewed == "diff" else run.task(key).base
    there = run.site(key).workspaces.create(
        run.layout.review_dir(key), branch=None, commit=commit or run.site(key).head()
    )
    if now.reviewed == "diff":
        run.site(key).workspaces.checkout_tree(there, now.verified_tree)


def _order(run: Run, key: TaskKey, now: Standing, worker: Worker, *, is_sent: bool = False) -> TurnOrder:
    folder = turn_folder(run, key, now)
    paths = Paths(
        todo=str(folder / ANSWER),
        worktree=str(run.layout.review_dir(key)),
        prompt=str(folder / "prompt.md"),
    )
    return TurnOrder(
        key=str(key),
        title=run.spec(key).title,
        turn="review",
        attempt=attempt_of(run, key, "review"),
        prompt="" if is_sent else run.mask(_prompt(run, key, now, paths)),
        prompt_path=paths.prompt,
        worktree=paths.worktree,
        todo_path=paths.todo,
        repo=str(run.layout.root),
        model=worker.model,
        usd_left=told_cap(run.task(key).log, worker),
        marker=run.task(key).marker,
        worker=worker,
        environ=run.session.environ,
    )


def _prompt(run: Run, key: TaskKey, now: Standing, paths: Paths) -> str:
    task = run.task(key)
    found = [line for line in task.findings.split("\n") if line.strip()]
    data = turn_data(run, key, "review", now, paths)
    if now.reviewed == "diff":
        report = task.micro_plan.report
        output = plain_output(tail(run.layout.run / "tests" / str(key) / "stdout", _MOST_OUTPUT)).strip()
        return diff_review_prompt(
            data,
            plan_text=plan_text(run, key),
            diff=_diff(run, key, now),
            report=report.text if report else "",
            output=output,
            findings=found,
            folder=run.layout.planning,
        )
    return plan_review_prompt(
        data,
        plan_text=plan_text(run, key),
        findings=found,
        folder=run.layout.planning,
    )


def _diff(run: Run, key: TaskKey, now: Standing) -> str:
    """The patch of what would land; a long one is cut, and where its rest can be read stands below."""
    text = patch(run.site(key).repository, now.verified_head, now.verified_tree)
    if len(text) <= _MOST_DIFF:
        return text
    return f"{text[:_MOST_DIFF]}\n\n(cut; the whole is what git diff HEAD says in the worktree)\n"


def _lost(run: Run, key: TaskKey, now: Standing, result: TurnResult, how: str, told: Mapping[str, str]) -> None:
    """A review that came to nothing. The task's own counts stay as they are; nobody is blamed for an account that is
    used up or a service that fails."""
    last = result.message.strip().split("\n")[-1][:200]
    why = one_line(f"{how}: {last}" if last else how)
    seconds = pause_after(result.outcome, told=result.pause, storms=now.storms)
    until = utc(run.session.clock() + seconds) if seconds else ""
    capped = why_capped(run, key, now, result)
    if until or capped:
        why = capped or why_ended(result)

    def still(document: Document) -> Document:
        if standing(read_task_file(document, key).value.log).turns != now.turns:
            raise OvertakenError
        return document

    try:
        following = "review" if capped else ""
        words = {"why": why, "until": until, "then": doubt(now.driver, result.outcome), **told}
        entry = run.recorder.entry("ended", turn="review", outcome=result.outcome, next=following, **words)
        run.recorder.note(key, entry, facts={"until": until} if until else {}, change=still)
    except OvertakenError:
        return
    _add_cost(run, key, told)
    discard(run, key)
    if until:
        run.resting.add(now.driver)
        run.say(f"{key}: its reviewer: {why}; goes on after {until}")
    elif capped:
        run.say(f"{key}: its reviewer: {why}; it is due again")
    else:
        run.say(f"{key}: its reviewer died: {why}")
