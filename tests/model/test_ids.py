"""Task keys: made by parsing, written back as they were, in natural order."""

from __future__ import annotations

from itertools import pairwise

import pytest

from orchestrator.model.ids import TaskKey, parse_key


def key(text: str) -> TaskKey:
    found = parse_key(text)
    assert found is not None
    return found


@pytest.mark.parametrize("text", ["5.1.1", "12.3.mailer-41", "1.1.a_b", "1.10.007"])
def test_a_key_is_written_as_it_was_read(text: str) -> None:
    assert str(key(text)) == text


@pytest.mark.parametrize(
    "text", ["", "5.1", "5.1.", "0.1.1", "5.01.1", "5.1.-a", "5.1.a b", "5.1.1.1", "a.1.1", "5.1.ä"]
)
def test_anything_else_is_no_key(text: str) -> None:
    assert parse_key(text) is None


def test_keys_stand_in_natural_order_whatever_asks() -> None:
    texts = ["5.1.2", "5.1.9", "5.1.10", "5.1.a2", "5.1.a10", "5.2.1", "5.10.1", "10.1.1"]
    keys = [key(text) for text in texts]
    mixed = keys[::-1]
    assert sorted(mixed) == sorted(mixed, key=TaskKey.order) == keys
    assert (min(keys), max(keys)) == (keys[0], keys[-1])
    for before, after in pairwise(keys):
        assert before < after and after > before and before <= after and after >= before
        assert not (after < before or before > after or after <= before or before >= after)


def test_equal_keys_are_one_in_a_set() -> None:
    assert {key("5.1.1"), key("5.1.1"), TaskKey(5, 1, "1")} == {key("5.1.1")}
    assert key("5.1.1") != key("5.1.01")
