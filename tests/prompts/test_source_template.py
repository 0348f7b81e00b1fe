"""The worker prompt of the document that this product comes from works as a template, word for word."""

from __future__ import annotations

import pytest

from orchestrator.prompts import messages
from orchestrator.prompts.locations import Template
from orchestrator.prompts.render import template_problems
from tests.support.prompt_data import SPEC_TEXT, bare_data
from tests.support.shared import shared


@pytest.fixture
def source() -> str:
    text = shared("seeds", "3-plan-gated-waves.txt").read_text(encoding="utf-8")
    begin = text.index("You are implementing exactly one scoped task")
    return text[begin : text.index("Spawn with the cheapest", begin)]


def test_its_slots_are_filled(source: str) -> None:
    prompt = messages.worker_prompt(bare_data(), Template(source, "planning/PROMPT_TEMPLATE_5.md"))
    expected = source.replace("{{id}}", "5.2.1").replace("{{title}}", "Store triggers")
    assert prompt == expected.replace("{{task spec verbatim}}", SPEC_TEXT)


def test_it_has_no_fault_and_lost_no_rule(source: str) -> None:
    assert template_problems(source, "planning/PROMPT_TEMPLATE_5.md") == ()
