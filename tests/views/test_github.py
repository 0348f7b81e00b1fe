from orchestrator.errors import Location, Problem, Severity
from orchestrator.views.github import github_lines

PLAN = "planning/EXECUTION_PLAN_5.md"


def test_a_problem_is_a_workflow_command_with_its_place_and_its_hint_on_a_second_line() -> None:
    at = Location(PLAN, 12, 19, 5, "- **Depends on:** 5.1.7")
    problem = Problem("unknown-dependency", 'there is no task "5.1.7"', at, 'did you mean "5.1.4"?')
    assert github_lines([problem]) == (
        f"::error file={PLAN},line=12,endLine=12,col=19,endColumn=24,title=unknown-dependency"
        '::there is no task "5.1.7"%0Ahint: did you mean "5.1.4"?',
    )


def test_severities_are_the_three_commands_of_the_host() -> None:
    at = Location(PLAN)
    problems = [Problem("a", "m", at, severity=severity) for severity in Severity]
    assert [line.split(" ")[0] for line in github_lines(problems)] == ["::error", "::error", "::warning", "::notice"]


def test_a_problem_of_a_whole_file_and_one_of_no_file() -> None:
    assert github_lines([Problem("a", "m", Location(PLAN)), Problem("b", "n")]) == (
        f"::error file={PLAN},title=a::m",
        "::error title=b::n",
    )


def test_nothing_of_a_problem_can_be_read_as_another_command() -> None:
    at = Location("planning/a,b:c%.md", 1, 1, 1, "x")
    problem = Problem("a-b", "100%\r\n::error::done", at, "a\n::set-output name=x::y")
    assert github_lines([problem]) == (
        "::error file=planning/a%2Cb%3Ac%25.md,line=1,endLine=1,col=1,endColumn=2,title=a-b"
        "::100%25%0D%0A::error::done%0Ahint: a%0A::set-output name=x::y",
    )
