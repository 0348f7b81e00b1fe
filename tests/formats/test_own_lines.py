"""A worker's todo file masked: what orch's own file has stays, all else is masked, wherever it stands."""

from __future__ import annotations

import re

import pytest

from orchestrator.formats.own_lines import masked_but_own

OWN = "## Goal\n\nUse k1.\n\n- [ ] 1. Send k2 twice: k2\n- [ ] 2. Run `t`\n\nkey k3\nkey k4\n"


def mask(text: str) -> str:
    return re.sub(r"k\d(\n\+)?", "[masked]", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OWN, OWN),
        (mask(OWN), OWN),
        ("- [x] 1. Send [masked] twice: k2", "- [x] 1. Send k2 twice: k2"),
        ("  * [X]  1. Send [masked] twice: k2", "  * [X]  1. Send k2 twice: k2"),
        ("- [x] 1. Send [masked] thrice: k2", "- [x] 1. Send [masked] thrice: [masked]"),
        ("Use [masked].\nUse k5 too.\nk6\n+ goes on", "Use k1.\nUse [masked] too.\n[masked] goes on"),
        ("key k4\nkey k3", "key k4\nkey k3"),
        ("key [masked]\nkey [masked]\nkey [masked]", "key k3\nkey k4\nkey k4"),
        ("no secret", "no secret"),
        ("", ""),
    ],
)
def test_lines_of_orchs_own_file_come_as_they_stand_there(text: str, expected: str) -> None:
    assert masked_but_own(text, OWN, mask) == expected


def test_against_a_file_without_secrets_everything_is_masked() -> None:
    assert masked_but_own("a k1\nk2\n+ b", "a [masked]\nb", mask) == "a [masked]\n[masked] b"
