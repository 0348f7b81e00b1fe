"""Every shipped template, rendered whole for a realistic task, is what lies in tests/data/prompts.

After a wanted change of a template, write the files anew and read the difference:
    ORCH_WRITE_GOLDEN=1 pytest tests/prompts/test_shipped_templates.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrator.prompts import locations, messages
from orchestrator.prompts.context import own_slots
from orchestrator.prompts.render import template_problems
from tests.support.prompt_data import PLAN_TEXT, bare_data, task_data

# Read here, because each test begins with a clean environment.
WRITE = bool(os.environ.get("ORCH_WRITE_GOLDEN"))
GOLDEN = Path(__file__).resolve().parents[1] / "data" / "prompts"

FINDINGS = (
    "step 2 edits `pkg/api/api.go`, which is out of scope",
    "no step names the acceptance point A2\n(`pkg/store/trigger_test.go`)",
)
OUTPUT = "--- FAIL: TestTriggerMany (0.00s)\n    trigger_test.go:41: got 1, want 3\n```\nFAIL\n"
DIFF = "--- a/pkg/store/store.go\n+++ b/pkg/store/store.go\n@@ -210 +210,2 @@\n \tfunc Save\n+\tsaveTriggers()\n"

RENDERED: dict[str, Callable[[], str]] = {
    "worker-plan": lambda: messages.worker_prompt(task_data()),
    "worker-plan-bare": lambda: messages.worker_prompt(bare_data()),
    "worker-execute": lambda: messages.worker_prompt(task_data("execute")),
    "approval": lambda: messages.approval_message(task_data("execute"), plan_text=PLAN_TEXT),
    "approval-without-session": lambda: messages.approval_message(
        bare_data("execute"), plan_text=PLAN_TEXT, prompt=messages.worker_prompt(bare_data("execute"))
    ),
    "revise": lambda: messages.revise_message(
        task_data(), findings=FINDINGS, message="Split step 2.\n\nKeep the rest.\n"
    ),
    "revise-without-session": lambda: messages.revise_message(
        bare_data(), message="Split step 2.", plan_text=PLAN_TEXT, prompt="(the whole worker prompt)\n"
    ),
    "retry": lambda: messages.retry_message(
        task_data("retry"), reason="`go test ./pkg/store -run Trigger` ended with 1", output=OUTPUT
    ),
    "retry-without-session": lambda: messages.retry_message(
        bare_data("retry"),
        reason="files out of scope were changed",
        findings=FINDINGS,
        plan_text=PLAN_TEXT,
        prompt="(the whole worker prompt)\n",
    ),
    "continue": lambda: messages.continue_message(
        task_data("execute"), seen="ended by signal 9 after 12 minutes", prompt="(what it was told)\n"
    ),
    "takeover": lambda: messages.takeover_message(task_data("execute"), plan_text=PLAN_TEXT),
    "plan_review": lambda: messages.plan_review_prompt(task_data(), plan_text=PLAN_TEXT, findings=FINDINGS),
    "diff_review": lambda: messages.diff_review_prompt(
        task_data(),
        plan_text=PLAN_TEXT,
        diff=DIFF,
        report="- **Status:** done\n",
        output="14 passed\n",
        findings=FINDINGS,
    ),
}


@pytest.mark.parametrize("name", RENDERED)
def test_a_shipped_template_says_exactly_what_its_golden_file_says(name: str) -> None:
    text = RENDERED[name]()
    file = GOLDEN / f"{name}.md"
    if WRITE:
        file.write_text(text, encoding="utf-8", newline="")
    assert text == file.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_rendered_text() -> None:
    assert sorted(file.stem for file in GOLDEN.glob("*.md")) == sorted(RENDERED)


def test_every_template_in_the_folder_has_a_name_and_is_pinned() -> None:
    files = sorted(file.name.removesuffix(locations.SUFFIX) for file in locations.shipped_folder().glob("*.j2"))
    assert files == sorted(locations.NAMES)
    assert {name.split("-")[0] for name in RENDERED} == set(locations.NAMES)


@pytest.mark.parametrize("name", locations.NAMES)
def test_a_shipped_template_has_no_problem(name: str) -> None:
    template = locations.shipped(name)
    assert template_problems(template.text, template.path, name) == ()


@pytest.mark.parametrize("name", locations.NAMES)
def test_a_shipped_template_uses_every_slot_that_is_its_own(name: str) -> None:
    """A message that is given findings and doesn't show them would lose them without a sound."""
    text = locations.shipped(name).text
    assert [slot for slot in own_slots(name) if slot not in text] == []


def test_the_plan_turn_and_the_later_turns_differ_only_in_what_to_do_now() -> None:
    plan, execute = messages.worker_prompt(task_data()), messages.worker_prompt(task_data("execute"))
    differing = [pair for pair in zip(plan.split("\n"), execute.split("\n"), strict=True) if pair[0] != pair[1]]
    assert differing == [
        ("This is the plan turn.", "This is the execute turn."),
        (
            "Do part 1 and part 2 below. Then end your turn. Parts 3 and 4 are for later.",
            "Your plan is approved. Do part 3 and part 4 below.",
        ),
    ]


def test_the_words_of_a_prompt_are_short_and_its_sentences_too() -> None:
    """A small model reads them: what a template itself says, without slots, code and the spec."""
    for name in locations.NAMES:
        text = re.sub(r"\{[{%].*?[}%]\}|```.*?```|`[^`]*`", " ", locations.shipped(name).text, flags=re.DOTALL)
        for sentence in re.split(r"[.:?!]\s|\n\s*\n|\n\s*(?:-|#+|\d+\.)\s", text):
            words = re.findall(r"[A-Za-z']+", sentence)
            assert len(words) <= 26, (name, sentence)
        words = re.findall(r"[A-Za-z']+", text)
        assert sum(len(word) for word in words) / len(words) < 4.9, name
        assert sum(len(word) > 9 for word in words) <= len(words) // 20, name
