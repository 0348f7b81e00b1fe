"""Which settings are loosened by a change, and what counts in their place."""

from __future__ import annotations

import pytest

from orchestrator.formats.settings_file import read_settings
from orchestrator.markdown.document import Document
from orchestrator.model.loosening import Loosened, held
from orchestrator.model.settings import Settings

OWN, REVIEWER = "  small: {driver: manual}\n", "  review: {driver: claude}\n"


def settings(keys: str, workers: str = "  small: {driver: claude}\n" + REVIEWER) -> Settings:
    read = read_settings(Document.parse(f"---\n{keys}workers:\n{workers}---\n"), "planning/ORCH.md")
    assert read.problems == ()
    return read.value


@pytest.mark.parametrize(
    ("had", "says", "told"),
    [
        ("gate: stop\n", "gate: review\n", Loosened("gate", "stop", "review")),
        ("", "gate: auto\n", Loosened("gate", "stop", "auto")),
        ("gate: review\n", "gate: auto\n", Loosened("gate", "review", "auto")),
        ("review_diff: stop\n", "review_diff: review\n", Loosened("review_diff", "stop", "review")),
        ("review_diff: review\n", "", Loosened("review_diff", "review", "unset")),
        ("sandbox: on\n", "", Loosened("sandbox", "on", "off")),
        (
            "sandbox: {write: [/a]}\n",
            "sandbox: {write: [/a, /b]}\n",
            Loosened("sandbox", "on, write: /a", "on, write: /a, /b"),
        ),
    ],
)
def test_what_asks_fewer_or_confines_less_is_held_and_what_tightens_isnt(had: str, says: str, told: Loosened) -> None:
    before, after = settings(had), settings(says)
    assert held(before, after) == (before, (told,))
    assert held(before, after, only={told.key}) == (before, (told,))
    assert held(before, after, only=()) == (after, ())
    assert held(after, before) == (before, ())
    more = settings(f"jobs: 2\n{says}")
    assert held(before, more) == (settings(f"jobs: 2\n{had}"), (told,))


def test_changes_of_own_workers_wait_for_a_word_until_the_settings_say_none() -> None:
    before, after = settings("", OWN), settings("review_diff: none\n", OWN)
    assert held(before, after) == (before, (Loosened("review_diff", "unset", "none"),))
    assert held(settings(""), settings("review_diff: none\n"))[1] == ()


def test_a_guard_that_is_switched_off_stays_on_for_that_worker() -> None:
    before = settings("", "  small: {driver: claude}\n  mid: {driver: claude, guard: off}\n")
    after = settings("", "  small: {driver: claude, guard: off}\n  mid: {driver: codex, guard: off}\n")
    kept, told = held(before, after)
    assert told == (Loosened("guard of the worker small", "on", "off"),)
    assert [(one.driver, one.options) for one in kept.workers] == [("claude", {}), ("codex", {"guard": "off"})]
