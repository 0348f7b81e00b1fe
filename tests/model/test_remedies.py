"""A remedy taken apart: what is done by hand, and the command after it."""

from __future__ import annotations

import pytest

from orchestrator.model.remedies import steps


@pytest.mark.parametrize(
    ("remedy", "expected"),
    [
        ("", ("", "")),
        ("orch gate 5.1.1", ("", "orch gate 5.1.1")),
        ('git config user.name "…"', ("", 'git config user.name "…"')),
        ("move f away, then run orch next-wave", ("move f away", "orch next-wave")),
        ("mend it, then run orch check", ("mend it", "orch check")),
        ("set the cell back to done", ("set the cell back to done", "orch next-wave")),
        ("look, then run away", ("look, then run away", "orch next-wave")),
        ("a, then run b, then run git status", ("a, then run b", "git status")),
        ("orchestrate", ("orchestrate", "orch next-wave")),
    ],
)
def test_words_come_first_and_a_command_after_them(remedy: str, expected: tuple[str, str]) -> None:
    assert steps(remedy) == expected
