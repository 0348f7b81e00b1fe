from orchestrator.errors import Location, Problem, Severity
from orchestrator.views.problems import count_line, problem_text, problems_text
from tests.support.tokens import tokens

PLAN = "planning/EXECUTION_PLAN_5.md"


def _problem(source: str, column: int, length: int, *, hint: str = "") -> Problem:
    return Problem("unknown-dependency", 'unknown dependency "5.1.7"', Location(PLAN, 12, column, length, source), hint)


def test_a_problem_shows_place_message_line_caret_and_hint() -> None:
    text = problem_text(_problem("- **Depends on:** 5.1.7", 19, 5, hint="did you mean 5.1.4?"))
    assert text == (
        'planning/EXECUTION_PLAN_5.md:12:19: error: unknown dependency "5.1.7"\n'
        "   12 | - **Depends on:** 5.1.7\n"
        "      |                   ^^^^^\n"
        "hint: did you mean 5.1.4?"
    )


def test_a_problem_without_a_place_is_its_message() -> None:
    assert problem_text(Problem("x", "nothing to do", severity=Severity.WARNING)) == "warning: nothing to do"


def test_a_problem_of_a_whole_file_names_it_and_shows_no_line() -> None:
    problem = Problem("x", "it is empty", Location(PLAN), severity=Severity.FILE)
    assert problem_text(problem) == f"{PLAN}: error: it is empty"


def test_the_caret_stands_under_wide_characters_and_after_tabs() -> None:
    assert problem_text(_problem("\t日本 x", 5, 1)).split("\n")[1:] == [
        "   12 |  日本 x",
        "      |       ^",
    ]
    assert problem_text(_problem("日本 x", 1, 2)).split("\n")[2] == "      | ^^^^"


def test_a_long_line_is_shown_around_the_place() -> None:
    source = "a" * 300 + "HERE" + "b" * 300
    lines = problem_text(_problem(source, 301, 4), width=60).split("\n")
    assert all(len(line) <= 60 for line in lines[1:])
    start = lines[2].index("^")
    assert lines[1][start : start + 4] == "HERE"
    assert lines[2].count("^") == 4
    assert lines[1].endswith("...") and "| ..." in lines[1]


def test_a_long_line_in_a_narrow_terminal_keeps_the_place_visible_at_both_ends() -> None:
    source = "START" + "x" * 500 + "FINISH"
    for column, word in ((1, "START"), (506, "FINISH")):
        lines = problem_text(_problem(source, column, len(word)), width=40).split("\n")
        start = lines[2].index("^")
        assert lines[1][start:].startswith(word), lines
        assert all(len(line) <= 40 for line in lines[1:])


def test_a_place_beyond_the_end_of_its_line_is_pointed_at_behind_it() -> None:
    assert problem_text(_problem("short", 40, 9)).split("\n")[1:] == ["   12 | short", "      |      ^"]


def test_a_list_keeps_its_order_and_ends_with_counts() -> None:
    problems = (
        Problem("a", "first", Location(PLAN, 3, 1)),
        Problem("b", "second", Location(PLAN, 1, 1), severity=Severity.WARNING),
        Problem("c", "third", severity=Severity.FILE),
    )
    assert problems_text(problems) == (
        f"{PLAN}:3:1: error: first\n{PLAN}:1:1: warning: second\nerror: third\n2 errors, 1 warning"
    )
    assert problems_text(()) == ""
    assert count_line(()) == "no problems"


def test_an_error_costs_at_most_120_tokens() -> None:
    source = "- **Must edit:** " + ", ".join(f"`packages/component-{n}/source/index.ts`" for n in range(40))
    text = problem_text(_problem(source, 700, 30, hint="write one path, as in `packages/component-1/source/index.ts`"))
    assert tokens(text) <= 120
