"""A worker template that lost a rule gets a warning; one that says it in other words doesn't."""

from __future__ import annotations

import pytest

from orchestrator.prompts import locations
from orchestrator.prompts.lost_rules import RULES
from orchestrator.prompts.render import template_problems

# The words of the shipped template by which each rule is known. Where the rule is said twice, both go.
LINES = {
    "no code before the plan is approved": [
        "before you may change any code",
        "before your plan is approved",
        "before approval",
    ],
    "no state-changing command before approval": ["state-changing command", "no installs, no migrations"],
    "nothing out of scope": ["Stay in scope."],
    "stop and report": ["stop and report", "Stop and report"],
    "discovered work waits": ["## Discovered"],
    "at most 5 questions": ["at most 5"],
    "the same test failing twice for the same reason: stop": ["fails twice for the same reason"],
    "large files are entered by the anchors": ["anchors"],
    "read the conventions": ["the conventions of", "## Conventions"],
    "read the named plan sections": ["plan sections"],
    "read the reports of the dependencies": ["depends on"],
    "read the reference": ["reference"],
    "only the targeted tests": ["targeted test"],
    "end the turn after the plan": ["END YOUR TURN", "end your turn"],
}

# The same rules in the words of other people's templates.
OTHER_WORDS = """
Do NOT touch any code until the plan has been **approved**. Don't run anything state changing.
Never edit files out of scope: STOP immediately, then report. Put discovered work aside.
Ask no more than five questions. If something fails a second time, stop.
Use the grep anchors. Read AGENTS.md, the sections of the plan named above, what your dependencies reported and the
reference implementation. Run only the tests named in the spec. Write your plan and end your turn.
"""


def lost(text: str) -> list[str]:
    problems = template_problems(text, "planning/PROMPT_TEMPLATE_5.md")
    assert all(problem.code == "lost-rule" and not problem.is_error for problem in problems)
    return [problem.message for problem in problems]


@pytest.mark.parametrize("rule", LINES)
def test_taking_a_rule_out_of_the_shipped_template_is_noticed(rule: str) -> None:
    text = locations.shipped("worker").text
    for words in LINES[rule]:
        assert words in text
        text = text.replace(words, "…")
    assert lost(text) == [f'the worker template no longer says "{rule}"']


def test_every_rule_has_a_case() -> None:
    assert list(LINES) == [rule for rule, _, _ in RULES]


def test_the_sentences_that_the_hints_offer_hold_the_rules() -> None:
    assert lost("\n".join(sentence for _, sentence, _ in RULES)) == []


def test_the_rules_are_known_in_other_words() -> None:
    assert lost(OTHER_WORDS) == []


def test_an_empty_template_lost_them_all() -> None:
    assert len(lost("")) == len(RULES)


def test_a_slot_or_a_comment_is_no_rule() -> None:
    text = "{# anchors, reference, conventions #}{% for d in dependencies %}{{ d.report }}{% endfor %}{{ conventions }}"
    assert len(lost(text)) == len(RULES)


def test_a_template_that_can_not_be_used_is_not_searched_for_rules() -> None:
    assert [problem.code for problem in template_problems("{{ nope }}", "t")] == ["unknown-slot"]
