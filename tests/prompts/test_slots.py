"""Unknown slots are found with their line before anything is rendered, in branches that are never taken too."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.prompts.render import own_template_problems, template_problems

PATH = "planning/PROMPT_TEMPLATE_5.md"


def told(text: str, name: str = "revise") -> list[str]:
    """Every problem as one line; `revise` has no rules to lose, so nothing else is found."""
    return [f"{p.at}: {p.message} ({p.hint})" for p in template_problems(text, PATH, name)]


ALL = (
    "there are: id, title, turn, task, plan, wave, conventions, convention_files, dependencies, learnings, answers,"
    " paths, plan_text, prompt, findings, message"
)

CASES = [
    ("{{ titel }}", ['1:4: unknown slot "titel" (did you mean "title"?)']),
    ("a\n{{ task.titel }}\n", ['2:9: unknown slot "task.titel" (did you mean "title"?)']),
    ("{{ task['titel'] }}", ['1:10: unknown slot "task.titel" (did you mean "title"?)']),
    ("{{ plan.zzz }}", ['1:9: unknown slot "plan.zzz" (there are: number, title, goal, path)']),
    ("{% if false %}\n{{ paths.tood }}\n{% endif %}", ['2:10: unknown slot "paths.tood" (did you mean "todo"?)']),
    (
        "{% for one in dependencies %}\n{{ loop.index }} {{ one.titel }}\n{% else %}\n{{ one }}\n{% endfor %}",
        [
            '2:25: unknown slot "one.titel" (did you mean "title"?)',
            f'4:4: unknown slot "one" ({ALL})',
        ],
    ),
    ("{{ dependencies[0].rep }}", ['1:20: unknown slot "….rep" (did you mean "report"?)']),
    ("{% set t = task %}{{ t.kee }}", ['1:24: unknown slot "t.kee" (did you mean "key"?)']),
    ("{% with t = wave %}{{ t.them }}{% endwith %}", ['1:25: unknown slot "t.them" (did you mean "theme"?)']),
    (
        "{% set zzz = 1 %}{{ zzz }}{% for q in range(2) %}{{ q }}{% endfor %}\n{{ q }}",
        [f'2:4: unknown slot "q" ({ALL})'],
    ),
    ("{% macro m(task) %}{{ task.any }}{% endmacro %}{{ m(plan) }}", []),
    ("{{ task.title | uper }}", ['1:17: unknown filter "uper" (did you mean "upper"?)']),
    ("{{ task.title.upper() }} {{ title | default('x') }} {{ range(3) | join }}", []),
    (
        "{{ learnings }}",
        ['1:4: the slot "learnings" holds no text (go through it: {% for item in learnings %}…{% endfor %})'],
    ),
    ("{{ learnings | join(', ') }}{% if learnings %}x{% endif %}", []),
    ("{{ answers | map(attribute='answer') | join }}", []),
    ("{% include 'x' %}", ["1:4: a template can't take in another file (write its text out here)"]),
    (
        "{% from 'x' import y %}\n{% import 'x' as x %}",
        [
            "1:13: a template can't take in another file (write its text out here)",
            "2:4: a template can't take in another file (write its text out here)",
        ],
    ),
    ("{{id}} {{title}} {{task spec verbatim}}", []),
    (
        "a {{task specification verbatim}}",
        [
            "1:3: {{task specification verbatim}} is no slot: a slot is one name (the one slot of several words is"
            " {{task spec verbatim}}; to have braces as text: {% raw %}…{% endraw %})"
        ],
    ),
    (
        "{{ answers | map(attribute='answr') | join }}{{ answers | selectattr('nr') | list | length }}",
        [
            '1:29: unknown slot "answr" of each item (did you mean "answer"?)',
            '1:71: unknown slot "nr" of each item (there are: number, question, answer)',
        ],
    ),
    ("{% macro m(x) %}\n{{ x }} {{ wafe }}\n{% endmacro %}", ['2:12: unknown slot "wafe" (did you mean "wave"?)']),
    (
        "{% call m() %}{{ wafe }}{% endcall %}",
        [f'1:9: unknown slot "m" ({ALL})', '1:18: unknown slot "wafe" (did you mean "wave"?)'],
    ),
    ("{{ message }} {{ findings | join }} {{ plan_text }} {{ prompt }}", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_template_is_told_of_its_unknown_slots(text: str, expected: list[str]) -> None:
    assert told(text) == [f"{PATH}:{line}" for line in expected]


def test_a_mapping_is_not_printed_as_python_would() -> None:
    (line,) = told("{{ paths }}")
    assert line == (
        f'{PATH}:1:4: the slot "paths" holds no text (take a part of it: paths.todo, paths.worktree, paths.prompt)'
    )


def test_all_problems_come_at_once_in_the_order_of_their_places() -> None:
    text = "{{ b.c }} {{ a | nofilter }}\r\n{% if id is notest %}{{ wave.q }}{% endif %}\n{{ a }}\n"
    assert [f"{p.at} {p.code}" for p in template_problems(text, PATH, "worker")] == [
        f"{PATH}:1:4 unknown-slot",
        f"{PATH}:1:14 unknown-slot",
        f"{PATH}:1:18 unknown-filter",
        f"{PATH}:2:13 unknown-test",
        f"{PATH}:2:30 unknown-slot",
        f"{PATH}:3:4 unknown-slot",
    ]


def test_a_slot_of_one_message_is_unknown_in_another() -> None:
    assert told("{{ plan_text }}", "approval") == []
    assert [line.split(" (")[0] for line in told("{{ seen }}", "approval")] == [f'{PATH}:1:4: unknown slot "seen"']


def test_a_template_that_jinja_can_not_read_has_that_one_problem() -> None:
    assert told("a\n{{ x } }\n{{ nope }}\n") == [
        f"{PATH}:2:1: the template can't be read: unexpected '}}'"
        " (to have braces as text, write {% raw %} before them and {% endraw %} after)"
    ]


def test_a_block_that_is_never_closed_is_told_where_it_begins() -> None:
    text = (
        "{# {% if #}{% raw %}{% for %}{% endraw %}{% if id %}{% endif %}\n"
        "{% set x %}a{% endset %}{% set y = 1 %}\n  {%- for a in answers %}"
    )
    assert told(text) == [f"{PATH}:3:7: this {{% for %}} is never closed (add {{% endfor %}} below it)"]


def test_a_block_that_is_defined_twice_is_a_problem_with_its_line() -> None:
    text = "{% block a %}{% endblock %}\n{% block a %}{% endblock %}\n"
    assert [str(p.at) for p in template_problems(text, PATH)] == [f"{PATH}:2:1"]


def test_every_template_of_the_users_own_is_looked_at_with_the_slots_of_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "planning" / "templates"
    folder.mkdir(parents=True)
    (folder / "retry.md.j2").write_text("{{ reason }} {{ seen }}")
    (folder / "continue.md.j2").write_text("{{ seen }}")
    (folder / "revise.md.j2").write_bytes(b"\xff")
    (folder / "notes.md.j2").write_text("{{ nothing of ours }}")
    assert [f"{p.at} {p.code}" for p in own_template_problems(tmp_path / "planning")] == [
        "planning/templates/revise.md.j2:1:1 not-utf-8",
        "planning/templates/retry.md.j2:1:17 unknown-slot",
    ]
