"""Values go in literally, faults come out with their line, and a template can't reach beyond its data."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.errors import DocumentError, Location, Problem, Severity
from orchestrator.prompts.render import render

SPEC = "Say {{ name }}, {% raw %}, {# no comment #} and {{task spec verbatim}} as they are.\r\n\r\n\ttabbed\n"


def problem_of(text: str, data: dict[str, object]) -> Problem:
    with pytest.raises(DocumentError) as caught:
        render(text, "planning/PROMPT_TEMPLATE_5.md", data)
    (problem,) = caught.value.problems
    return problem


@given(st.text())
def test_any_value_comes_out_as_it_went_in(value: str) -> None:
    assert render("<{{ task.spec }}>", "t", {"task": {"spec": value}}) == f"<{value}>"


@given(st.text())
def test_any_value_comes_out_as_it_went_in_through_the_source_documents_slot(value: str) -> None:
    assert render("<{{task spec verbatim}}>", "t", {"task": {"spec": value}}) == f"<{value}>"


def test_what_looks_like_a_slot_inside_a_spec_stays_text() -> None:
    data: dict[str, object] = {"id": "5.2.1", "title": "Store {{ id }}", "task": {"spec": SPEC}}
    text = "## Task {{id}}: {{title}}\n{{task spec verbatim}}\nEnd\n"
    assert render(text, "t", data) == f"## Task 5.2.1: Store {{{{ id }}}}\n{SPEC}\nEnd\n"


@pytest.mark.parametrize("slot", ["{{task spec verbatim}}", "{{ task  spec verbatim }}", "{{-task spec verbatim-}}"])
def test_the_source_documents_slot_is_read_with_any_blanks_in_it(slot: str) -> None:
    assert render(f"<{slot}>", "t", {"task": {"spec": "S"}}) == "<S>"


@pytest.mark.parametrize(
    "text",
    ["{% raw %}{{task spec verbatim}}{% endraw %}", "{{ '{{task spec verbatim}}' }}"],
)
def test_the_source_documents_slot_stays_text_where_braces_are_text(text: str) -> None:
    assert render(text, "t", {"task": {"spec": "S"}}) == "{{task spec verbatim}}"


def test_other_slots_of_several_words_are_refused() -> None:
    problem = problem_of("a\n{{task spec literally}}\n", {"task": {"spec": "S"}})
    assert str(problem.at) == "planning/PROMPT_TEMPLATE_5.md:2:1"


@pytest.mark.parametrize("ending", ["", "\n", "\n\n\n"])
def test_the_prompt_ends_as_the_template_does(ending: str) -> None:
    assert render(f"{{{{ title }}}}{ending}", "t", {"title": "T"}) == f"T{ending}"


def test_a_byte_order_mark_does_not_reach_the_worker() -> None:
    assert render("\ufeff# {{ title }}\n", "t", {"title": "T"}) == "# T\n"


def test_the_line_of_a_block_tag_leaves_nothing_behind() -> None:
    text = "a\n{% if title %}\n  b\n  {% endif %}\nc\n"
    assert render(text, "t", {"title": "T"}) == "a\n  b\nc\n"


def test_a_slot_without_a_value_is_a_problem_with_its_line() -> None:
    assert problem_of("one\n\n{{ task.titel }} two\n", {"task": {"title": "T"}}) == Problem(
        "template-render",
        'the template can\'t be filled: there is no part "titel" here',
        Location("planning/PROMPT_TEMPLATE_5.md", 3, 1, 1, "{{ task.titel }} two"),
        "give it a value on every way to this line, or ask first: {% if NAME is defined %}",
        Severity.FILE,
    )


def test_a_broken_template_is_a_problem_with_its_line_in_a_text_of_mixed_endings() -> None:
    assert problem_of("one\r\ntwo\rthree\n{% if x %}\nfive {{ }\n", {}) == Problem(
        "template-syntax",
        "the template can't be read: unexpected '}'",
        Location("planning/PROMPT_TEMPLATE_5.md", 5, 1, 1, "five {{ }"),
        "to have braces as text, write {% raw %} before them and {% endraw %} after",
        Severity.FILE,
    )


@pytest.mark.parametrize(
    "expression",
    [
        "title.__class__",
        "title.__class__.__mro__",
        "''.__class__.__base__.__subclasses__()",
        "'{0.__class__}'.format(title)",
        "task.update({'spec': 'x'})",
        "task.clear()",
        "learnings.append('x')",
        "range(100000000)|list|length",
        "cycler.__init__.__globals__",
        "self._TemplateReference__context",
        "namespace.__init__.__globals__",
        "lipsum()",
        "[1, 2]|random",
        "1/0",
        "title + 1",
    ],
)
def test_a_template_reaches_nothing_but_its_plain_data(expression: str) -> None:
    data: dict[str, object] = {"title": "T", "task": {"spec": "S"}, "learnings": ["one"]}
    assert problem_of(f"ok\n{{{{ {expression} }}}}\n", data).at == Location(
        "planning/PROMPT_TEMPLATE_5.md", 2, 1, 1, f"{{{{ {expression} }}}}"
    )
    assert data == {"title": "T", "task": {"spec": "S"}, "learnings": ["one"]}


ENDLESS = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "{% macro m(n) %}{{ m(n) }}{% endmacro %}{{ m(1) }}",
    "{% for x in [[1]] recursive %}{{ loop([[1], [1]]) }}{% endfor %}",
    "{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t ~ n.t %}{% endfor %}",
    "{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}",
    "{% set n = namespace(t='ab') %}{% for i in range(99) %}{% set n.t = n.t | replace('a', 'aaaa') %}{% endfor %}",
    "{{ 'a' * 1000000000 }}",
    "{{ title * 4000001 }}",
    "{{ 10 ** 10 ** 10 }}",
    "{{ 9 ** 65 }}",
    "{{ title | center(1000000000) }}",
    "{{ title.ljust(1000000000) }}",
    "{{ '%999999999d' % 1 }}",
]


@pytest.mark.parametrize("text", ENDLESS)
def test_a_template_that_would_not_end_is_a_problem_with_its_line(text: str) -> None:
    problem = problem_of(f"ok\n{text}\n", {"title": "T"})
    assert (str(problem.at), problem.code) == ("planning/PROMPT_TEMPLATE_5.md:2:1", "template-render")


def test_a_long_loop_that_ends_is_no_problem() -> None:
    assert render("{% for a in range(99999) %}{% endfor %}{{ 2 ** 10 }} {{ 'a' * 3 }}", "t", {}) == "1024 aaa"
    data: dict[str, object] = {"items": ["a", "b"]}
    text = (
        "{% for a in items %}{{ loop.index }}/{{ loop.length }}{{ a }}{% if not loop.last %}, {% endif %}{% endfor %}"
    )
    assert render(text, "t", data) == "1/2a, 2/2b"


@pytest.mark.parametrize("slot", ["none", "task", "learnings", "learnings | map('upper')", "task.get('x')", "range"])
def test_what_is_no_text_is_not_written_into_a_prompt(slot: str) -> None:
    problem = problem_of(f"{{{{ {slot} }}}}", {"task": {"spec": "S"}, "learnings": ["one"]})
    assert (str(problem.at), problem.code) == ("planning/PROMPT_TEMPLATE_5.md:1:1", "template-render")


@pytest.mark.parametrize(
    "tag", ["{% include 'worker.md.j2' %}", "{% extends '/etc/passwd' %}", "{% import 'x' as x %}"]
)
def test_a_template_takes_in_no_other_file(tag: str) -> None:
    assert str(problem_of(f"{tag}\n", {}).at) == "planning/PROMPT_TEMPLATE_5.md:1:1"


FENCES = [
    ("plain\n", '{{ text | fenced("md") }}', "```md\nplain\n```"),
    ("```\ninner\n```\n", "{{ text | fenced }}", "````\n```\ninner\n```\n````"),
    ("a ````` b", "{{ text | fenced }}", "``````\na ````` b\n``````"),
    ("", "{{ text | fenced }}", "```\n\n```"),
    ("\n  indented\n", "{{ text | fenced }}", "```\n  indented\n```"),
    ("go test", "{{ text | code }}", "`go test`"),
    ("echo `date`", "{{ text | code }}", "`` echo `date` ``"),
    ("a `` b", "{{ text | code }}", "`a `` b`"),
]


@pytest.mark.parametrize(("value", "template", "expected"), FENCES)
def test_text_in_a_fence_or_in_code_can_not_end_it(value: str, template: str, expected: str) -> None:
    assert render(template, "t", {"text": value}) == expected


def test_jinja_is_loaded_by_the_first_rendering_and_not_by_an_import() -> None:
    program = """
import sys
from orchestrator.prompts import context, locations, messages, render
before = "jinja2" in sys.modules
render.render("{{ title }}", "t", {"title": "T"})
print(before, "jinja2" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
