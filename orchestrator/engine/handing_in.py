"""`orch prompt` and `orch report`: the text of a turn for a worker of one's own, and that worker's last words."""

from __future__ import annotations

from orchestrator.engine.hosted import PROMPT, SAID
from orchestrator.engine.naming import find_task
from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session, refuse_worker, run_layout
from orchestrator.errors import UserError
from orchestrator.formats.printed import LIMIT
from orchestrator.formats.task_file import printed_plan, printed_report, read_micro_plan
from orchestrator.formats.task_names import names_for
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from orchestrator.model.settings import MANUAL
from orchestrator.model.stage import Standing, standing
from orchestrator.store.layout import Layout
from orchestrator.store.text_files import read, replace_text


def prompt(session: Session, name: str, turn: str = "") -> Outcome:
    """Exactly the text that the task's last turn was given. Raises UserError where there is none, or another turn's."""
    key, now, layout = _turn(session, name)
    if turn and turn != now.turn:
        raise UserError(
            f"the last turn of {key} is its {now.turn} turn, not its {turn} turn: {now.stage.words}",
            hint=session.command("next-wave"),
            code="other-turn",
        )
    text = read(layout.turn_dir(key, now.turns, now.turn) / PROMPT)
    if text is None:
        raise UserError(
            f"the run folder no longer has the prompt of {key}",
            hint=session.command("next-wave") + " writes it again",
            code="no-prompt",
        )
    return Outcome(outcome="prompt", lines=(text,), data={"task": str(key), "turn": now.turn, "text": text})


def report(session: Session, name: str, text: str) -> Outcome:
    """Hand in the final message of the worker that has a manual task's turn; handing it in again replaces it.

    Raises UserError for a task whose turn isn't with a worker of the session's own.
    """
    refuse_worker(session, "report")
    key, now, layout = _turn(session, name)
    if not now.is_in_flight or (now.driver or session.planning.task(key).driver) != MANUAL:
        raise UserError(
            f"{key} has no turn that was handed out to you: {now.stage.words}",
            hint=f"orch show {key}" if now.is_over else session.command("next-wave") + " comes first",
            code="not-handed-out",
        )
    if not text.strip():
        raise UserError("the message is empty", hint="hand in what its worker said last", code="empty")
    replace_text(layout.turn_dir(key, now.turns, now.turn) / SAID, text)
    return Outcome(
        outcome="done",
        next=session.go_on(),
        lines=(f"{key}: the final message of its {now.turn} turn is handed in", *_lacking(session, key, now, text)),
        data={"task": str(key), "turn": now.turn},
    )


def _lacking(session: Session, key: TaskKey, now: Standing, text: str) -> tuple[str, ...]:
    """A line for a message without what its turn was for: its todo file may hold it, or a heading is lacking."""
    if now.turn == "review":
        return ()
    names = names_for(session.planning.load(with_tasks=()).plan, key)
    where = f" among its last {LIMIT:,} characters" if len(text) > LIMIT else ""
    if now.turn == "plan":
        plan = printed_plan(text, names)
        if plan and read_micro_plan(Document.parse(plan)).value.steps:
            return ()
        begun = " or ".join(f"`# {name}`" for name in names[:2])
        what = "has no boxes below `## TODO items`" if plan else f"must begin with a line {begun}{where}"
        return (f"no micro-plan was found in it, which {what}; its todo file counts, until you hand it in again",)
    if printed_report(text):
        return ()
    return (
        f"no report was found in it, which must begin with a line `## Report`{where}; "
        "its todo file counts, until you hand it in again",
    )


def _turn(session: Session, name: str) -> tuple[TaskKey, Standing, Layout]:
    current = session.planning.load(with_tasks=())
    key = find_task(current.plan, name)
    now = standing(session.planning.task(key).log)
    if not now.turns:
        raise UserError(
            f"no turn of {key} has been started yet", hint=session.command("next-wave") + " comes first", code="no-turn"
        )
    return key, now, run_layout(session.layout, current.state.run)
