"""`orch check`: every problem in the files of a set. Changes nothing and runs no command of the set."""

from __future__ import annotations

from orchestrator.engine.outcome import Outcome
from orchestrator.engine.refusing import all_problems, by_place
from orchestrator.engine.session import Session
from orchestrator.engine.status import look, what_next
from orchestrator.errors import DocumentError, Exit, Location, Problem, Severity
from orchestrator.formats.board_reading import status_place
from orchestrator.markdown.document import Document
from orchestrator.markdown.second_opinion import second_opinion
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.ownership import Ruling, rule
from orchestrator.model.stage import Stage, standing
from orchestrator.store.text_files import read
from orchestrator.views.documents import problems_document
from orchestrator.views.folding import counted
from orchestrator.views.github import github_lines
from orchestrator.views.problems import problems_text
from orchestrator.views.sarif import sarif_log

MEND = "mend what is shown as an error"
FORMS = ("text", "github", "sarif")


def check_files(session: Session, *, form: str = "text") -> Outcome:
    """All problems of the active set, exit 1 if there is an error. Changes nothing and runs no command of the set.

    `form` is one of FORMS; those for machines have no command to run next, and no line but their own.
    """
    orchestration = session.planning.orchestration
    problems = found_problems(session, orchestration)
    if not any(problem.is_error for problem in problems):
        problems = (*problems, *_set_problems(session, orchestration))
    errors = [problem for problem in problems if problem.is_error]
    first = following = ""
    if form == "github":
        lines = github_lines(problems)
    elif form == "sarif":
        lines = (_sarif(problems),)
    else:
        lines = tuple(problems_text(problems).split("\n")) if problems else (_clean(orchestration),)
        first, following = (MEND, session.command("check")) if errors else what_next(session, *look(session))
    return Outcome(
        outcome="fix" if errors else "done",
        exit_code=Exit.FIX if errors else Exit.DONE,
        next=following,
        first=first,
        lines=lines,
        data={"orchestration": orchestration.plan.number, "problems": problems_document(problems)},
    )


def found_problems(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    """All problems of the set, file by file, each file's in the order of their places."""
    return by_place(
        (
            *all_problems(session, orchestration),
            *_cell_problems(session, orchestration),
            *_second_opinions(session, orchestration),
        )
    )


def _set_problems(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    """What next-wave would refuse the set for as it stands against git."""
    # Here and not above: it loads GitPython.
    from orchestrator.engine.refused_at_once import refusal_of_set

    error = refusal_of_set(session, orchestration)
    at = Location(orchestration.state.path)
    return (Problem(error.code, error.message, at, error.hint),) if error else ()


def _cell_problems(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    """Cells of the board that ask for what can't be followed, by the files alone; of what has landed a warning."""
    found = []
    # Of a todo file that can't be read nobody knows what its cell may say: what is wrong is told at the file.
    unread = {one.subject for one in orchestration.problems if one.severity is Severity.FILE}
    for row in orchestration.state.board:
        if str(row.key) in unread:
            continue
        now = standing(orchestration.task(row.key).log)
        verdict = rule(cell=row.status, raw=row.raw_status, standing=now, worker_alive=False)
        # A word that isn't known is told where the board is read.
        if verdict.ruling is Ruling.REFUSE:
            document = session.planning.state_document()
            at = (status_place(document, row.key) if document else None) or row.at
            severity = Severity.WARNING if now.stage is Stage.LANDED else Severity.ITEM
            reason = f"task {row.key}: {verdict.reason}"
            found.append(Problem("refused-cell", reason, at, verdict.remedy, severity, subject=str(row.key)))
    return tuple(found)


def _sarif(problems: tuple[Problem, ...]) -> str:
    # Only this form asks for them.
    import json
    from importlib.metadata import version

    return json.dumps(sarif_log(problems, version=version("orch")), indent=1)


def _clean(orchestration: Orchestration) -> str:
    plan = orchestration.plan
    tasks = sum(1 for _ in plan.in_waves())
    return f"orchestration {plan.number}: {counted(tasks, 'task')} in {counted(len(plan.waves), 'wave')}, no problem"


def _second_opinions(session: Session, orchestration: Orchestration) -> tuple[Problem, ...]:
    found: list[Problem] = []
    number = orchestration.plan.number
    for path in (session.layout.plan_path(number), session.layout.state_path(number)):
        try:
            text = read(path)
        except DocumentError:
            continue
        if text is not None:
            found += second_opinion(Document.parse(text, session.layout.shown(path)))
    return tuple(found)
