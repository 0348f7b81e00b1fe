"""docs/problems.md lists every problem of `orch check` with the text that is really printed for it.

After a wanted change, write the page anew and read the difference:
    ORCH_WRITE_GOLDEN=1 pytest tests/test_problem_page.py
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from orchestrator.disk_faults import REMEDIES
from orchestrator.engine.check_files import found_problems
from orchestrator.errors import Problem, Severity
from orchestrator.views.problem_codes import CODES, REFUSALS
from orchestrator.views.problems import problem_text
from tests.support.documents import ROOT, text_of
from tests.support.git_repo import GitRepo
from tests.support.problem_cases import Case, cases, make_repo, open_case

WRITE = bool(os.environ.get("ORCH_WRITE_GOLDEN"))
PAGE = "docs/problems.md"
TITLES = {
    "text": "The text of any file",
    "ids": "Ids and numbers",
    "waves": "Waves",
    "dependencies": "Dependencies",
    "overlap": "Two tasks of one wave",
    "scope": "Scopes, anchors, references",
    "fields": "Fields of a task",
    "settings": "ORCH.md",
    "state": "STATE",
    "todo": "Todo files",
    "template": "Templates",
}
HEAD = """\
# Problems

What `orch check` can tell, by code. The code is `code` under `--json`, `ruleId` in SARIF and the title in GitHub's form; it stays when a message changes. An error stops what it is about: a fault of a whole file, of the plan, of a template or of ORCH.md stops every run, a fault of a row or a todo file its task and that task's dependents. A warning stops nothing.

Every example is what is printed for a small fault in a set without one.
"""  # noqa: E501


def test_every_code_has_a_case_and_every_case_a_code() -> None:
    assert {case.code for case in cases()} == set(CODES)


def test_every_file_of_cases_has_its_part_of_the_page() -> None:
    assert {Path(case.file).stem for case in cases()} == set(TITLES)


def test_the_page_is_what_is_printed(tmp_path: Path) -> None:
    page = "\n".join([HEAD, *_parts(make_repo(tmp_path / "project")), *_refusals()])
    if WRITE:
        (ROOT / PAGE).write_text(page, encoding="utf-8")
    assert text_of(PAGE).split("\n") == page.split("\n")


def _parts(repo: GitRepo) -> Iterator[str]:
    first = {case.code: case for case in reversed(cases())}
    order = list(CODES)
    for stem, title in TITLES.items():
        yield f"## {title}\n"
        for case in sorted(first.values(), key=lambda case: order.index(case.code)):
            if case.file == f"{stem}.txt":
                problem = _problem(repo, case)
                kind = problem.severity if problem.severity in (Severity.WARNING, Severity.NOTE) else "error"
                yield f"### {case.code}\n\n{CODES[case.code]} ({kind})\n\n```text\n{problem_text(problem)}\n```\n"


def _refusals() -> Iterator[str]:
    yield "## Refusals of commands\n"
    yield "A command that can't do what it was asked says why; under `--json` with one of these codes in `problems`.\n"
    yield "| code | |\n| --- | --- |"
    yield from (f"| `{code}` | {text} |" for code, text in REFUSALS.items())
    yield ""


def _problem(repo: GitRepo, case: Case) -> Problem:
    session = open_case(repo, case)
    return next(one for one in found_problems(session, session.planning.orchestration) if one.code == case.code)


ROOMS = ("formats", "markdown", "prompts", "store", "model")
"""Where problems of files are found."""
TELLING = {"Problem", "Said", "Fault", "fault", "report", "_report", "_problem", "_tell", "_dependency_problem"}
"""What is called with a problem's code as its first or second word."""
ELSEWHERE = {
    # Found while a file is written.
    "flow-front-matter",
    # Told as unknown-dependency, or by the command that was given the name.
    "unknown-task",
    # Readers tell these before the rules of the model come to them.
    "wrong-plan",
    "test-not-one-line",
    # A refusal of the commands too, listed with those.
    "no-state",
}


def test_every_code_in_the_rooms_that_read_files_is_listed() -> None:
    told = {code for room in ROOMS for path in (ROOT / "orchestrator" / room).glob("*.py") for code in _codes(path)}
    hint = "list it in views/problem_codes.py, add a case to tests/data/problems, write both anew (see the top)"
    assert told - set(CODES) == ELSEWHERE, hint


def test_every_code_of_a_refusal_is_listed_and_no_other() -> None:
    raised = {code for path in (ROOT / "orchestrator").rglob("*.py") for code in _raised(path)}
    raised |= {code for code, _, _ in REMEDIES.values()}
    assert raised - set(REFUSALS) == {"ambiguous-task"}, "list it in views/problem_codes.py, write the page anew"
    assert set(REFUSALS) - raised == {"usage", "fault", "tool", "refused"}


def _raised(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        for keyword in node.keywords if isinstance(node, ast.Call) and name.endswith("Error") else ():
            if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                yield str(keyword.value.value)
            if keyword.arg == "code" and isinstance(keyword.value, ast.Name) and keyword.value.id in constants:
                yield str(constants[keyword.value.id])


def _codes(path: Path) -> Iterator[str]:
    if path.name in ("gate.py", "verify.py"):
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for word in node.args[:2] if name in TELLING else ():
                if isinstance(word, ast.Constant) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", str(word.value)):
                    yield str(word.value)
