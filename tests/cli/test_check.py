"""`orch check` as it is called: forms, exit codes, streams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from orchestrator.errors import Location, Problem
from orchestrator.views.documents import problems_document
from tests.support.documents import table_below
from tests.support.git_repo import GitRepo
from tests.support.orch import run_orch
from tests.support.problem_cases import TREE, Case, lay_out

PLAN, STATE = "EXECUTION_PLAN_5.md", "STATE_5.md"
ERROR = Case("", "", ((STATE, "| Store triggers | pending |", "| Store triggers | pendign |"),), "", "")
WARNING = Case("", "", ((PLAN, "`pkg/store/jobs.go`", "`pkg/store/job.go`"),), "", "")
FORMS = ([], ["--json"], ["--format", "text"], ["--format", "github"], ["--format", "sarif"])


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory, clean_environment: dict[str, str]) -> GitRepo:
    return GitRepo.create(tmp_path_factory.mktemp("check") / "project", TREE)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_leaves_with_one_for_an_error_and_zero_for_a_warning(repo: GitRepo, form: list[str]) -> None:
    for case, code in ((ERROR, 1), (WARNING, 0)):
        lay_out(repo, case)
        left = run_orch(repo.path, "check", *form)
        assert (left.code, left.err) == (code, "")


def test_the_text_ends_with_counts_and_the_next_command(repo: GitRepo) -> None:
    lay_out(repo, ERROR)
    assert run_orch(repo.path, "check").out == (
        'planning/STATE_5.md:24:32: error: "pendign" is no status\n'
        "   24 | | 1 | 5.1.2 | Store triggers | pendign | |\n"
        "      |                                ^^^^^^^\n"
        'hint: did you mean "pending"?\n'
        "1 error\n"
        "first: mend what is shown as an error\n"
        "next: orch check\n"
    )


def test_the_form_for_github_is_workflow_commands_and_nothing_else(repo: GitRepo) -> None:
    lay_out(repo, ERROR)
    assert run_orch(repo.path, "check", "--format", "github").out == (
        "::error file=planning/STATE_5.md,line=24,endLine=24,col=32,endColumn=39,title=unknown-status"
        '::"pendign" is no status%0Ahint: did you mean "pending"?\n'
    )
    lay_out(repo, Case("", "", (), "", ""))
    assert run_orch(repo.path, "check", "--format", "github").out == ""


def test_the_form_for_editors_is_one_sarif_log(repo: GitRepo) -> None:
    lay_out(repo, ERROR)
    log = json.loads(run_orch(repo.path / "pkg", "check", "--format", "sarif").out)
    (run,) = log["runs"]
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [("unknown-status", "error")]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "planning/STATE_5.md"
    assert place["region"] == {"startLine": 24, "startColumn": 32, "endColumn": 39}


def test_the_json_document_has_every_problem_with_its_place(repo: GitRepo) -> None:
    lay_out(repo, ERROR)
    assert run_orch(repo.path, "check", "--json").document == {
        "schema": 1,
        "outcome": "fix",
        "next": "orch check",
        "first": "mend what is shown as an error",
        "orchestration": 5,
        "problems": [
            {
                "code": "unknown-status",
                "severity": "item",
                "message": '"pendign" is no status',
                "hint": 'did you mean "pending"?',
                "path": "planning/STATE_5.md",
                "line": 24,
                "column": 32,
                "end_column": 39,
                "source": "| 1 | 5.1.2 | Store triggers | pendign | |",
                "task": "5.1.2",
            }
        ],
    }


def test_every_field_of_a_problem_is_documented_and_no_other() -> None:
    (problem,) = problems_document([Problem("a", "b", Location("c", 1))])
    assert table_below("docs/commands.md", "problem fields") == list(problem)


def test_json_goes_with_no_other_form(repo: GitRepo) -> None:
    left = run_orch(repo.path, "check", "--json", "--format", "sarif")
    assert (left.code, left.document["outcome"]) == (2, "refused")
    left = run_orch(repo.path, "check", "--format", "srif")
    assert (left.code, left.out) == (2, "")
    assert "'srif' is not one of 'text', 'github', 'sarif'" in left.err


def test_a_place_without_a_set_says_so_in_every_form(tmp_path: Path) -> None:
    GitRepo.create(tmp_path / "bare")
    for form in FORMS:
        left = run_orch(tmp_path / "bare", "check", *form)
        assert left.code == 1
        assert "planning" in (left.out if form == ["--json"] else left.err)


BROKEN = [
    ("PROMPT_TEMPLATE_5.md", "{% if false %}{{ titel }}{% endif %}\n", "1:18: error: unknown slot"),
    (
        "PROMPT_TEMPLATE_5.md",
        "{% for one in answers %}\n{{ one.get('x') }}\n{% endfor %}\n",
        "2:1: error: the template",
    ),
    ("templates/retry.md.j2", "{{ reason }} {{ findings[0] }}\n", "1:1: error: the template can't be filled"),
]


@pytest.mark.parametrize(("name", "text", "told"), BROKEN)
def test_a_template_with_a_gap_stops_a_run_before_anything_is_made(
    repo: GitRepo, name: str, text: str, told: str
) -> None:
    lay_out(repo, Case("", "", ((name, "", text),), "", ""))
    before = {path: path.read_bytes() for path in (repo.path / "planning").rglob("*.md")}
    left = run_orch(repo.path, "next-wave")
    assert (left.code, left.out) == (1, "")
    assert f"planning/{name}:{told}" in left.err
    assert {path: path.read_bytes() for path in (repo.path / "planning").rglob("*.md")} == before
    assert (repo.git("for-each-ref", "refs/orch"), len(repo.git("worktree", "list").split("\n"))) == ("", 1)
