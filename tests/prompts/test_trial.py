"""Templates are filled for a trial with the set's own tasks, so that no gap is met in the middle of a run."""

from __future__ import annotations

import pytest

from orchestrator.prompts import locations
from orchestrator.prompts.context import Conventions
from orchestrator.prompts.locations import Template
from orchestrator.prompts.trial import MOST_TASKS, trial_problems
from tests.support.model_nouns import plan, spec


def tried(text: str, name: str = "worker") -> list[str]:
    template = Template(text, "planning/PROMPT_TEMPLATE_5.md", name)
    whole = plan(spec("1.a"), spec("1.b", tier="mid"))
    return [f"{one.at}: {one.message}" for one in trial_problems(template, whole, Conventions("Be brief."))]


@pytest.mark.parametrize("name", locations.NAMES)
def test_the_shipped_templates_can_be_filled(name: str) -> None:
    assert tried(locations.shipped(name).text, name) == []


def test_a_gap_of_one_task_is_found_and_told_once() -> None:
    text = "{% if task.tier == 'mid' %}{% set who = title %}{% endif %}\n{{ who }}\n"
    assert tried(text) == [
        'planning/PROMPT_TEMPLATE_5.md:2:1: the template can\'t be filled: "who" has no value here',
    ]


def test_a_gap_that_shows_only_with_a_report_or_an_answer_is_found() -> None:
    assert tried("{% for one in answers %}{{ one.get('nope') }}{% endfor %}") == [
        "planning/PROMPT_TEMPLATE_5.md:1:1: the template can't be filled: a slot without a value"
    ]


def test_messages_are_filled_with_their_own_slots() -> None:
    assert tried("{{ reason }}{{ output }}{{ findings | join }}{{ plan_text }}", "retry") == []
    assert tried("{{ findings[0] }}", "retry") == [
        'planning/PROMPT_TEMPLATE_5.md:1:1: the template can\'t be filled: there is no part "0" here'
    ]


def test_a_long_plan_is_tried_as_far_as_is_useful() -> None:
    late = spec(f"1.x{MOST_TASKS}", tier="frontier")
    whole = plan(*(spec(f"1.x{number}") for number in range(MOST_TASKS)), late)
    template = Template("{% if task.tier == 'frontier' %}{{ none }}{% endif %}", "t")
    assert trial_problems(template, whole, Conventions()) == ()
