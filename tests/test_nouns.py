"""The package's own `dataclass` against the standard one: what is written with it behaves the same."""

from __future__ import annotations

import copy
import dataclasses
from types import SimpleNamespace
from typing import Any, Generic, TypeVar

import pytest

from orchestrator import nouns

T = TypeVar("T")


def classes(room: Any) -> SimpleNamespace:
    """The same classes made with the standard decorator or with ours."""

    @room.dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = 0
        label: str = room.field(default="here", compare=False)
        parts: list[int] = room.field(default_factory=list, compare=False)
        _kept: dict[str, int] = room.field(default_factory=dict, init=False, repr=False, compare=False)

        @property
        def total(self) -> int:
            return self.x + self.y

    @room.dataclass(frozen=True, slots=True)
    class One:
        only: str

    @room.dataclass(frozen=True, slots=True)
    class Nothing:
        """No field at all."""

    @room.dataclass(frozen=True, slots=True)
    class Box(Generic[T]):
        inside: T

    @room.dataclass(slots=True)
    class Loose:
        a: int = 1
        b: tuple[int, ...] = ()

    found = SimpleNamespace(Point=Point, One=One, Nothing=Nothing, Box=Box, Loose=Loose)
    for name, cls in vars(found).items():
        cls.__qualname__ = name
    return found


OURS, THEIRS = classes(nouns), classes(dataclasses)
BOTH = pytest.mark.parametrize("room", [OURS, THEIRS], ids=["ours", "theirs"])


def both(*calls: Any) -> None:
    """Each call gives the same, or fails with the same words, for both kinds of class."""
    for call in calls:
        assert outcome(call, OURS) == outcome(call, THEIRS)


def outcome(call: Any, room: SimpleNamespace) -> object:
    try:
        return call(room)
    except Exception as error:
        return type(error), str(error).removeprefix("classes.<locals>.")


def test_instances_are_made_and_shown_as_the_standard_ones() -> None:
    both(
        lambda room: repr(room.Point(1)),
        lambda room: repr(room.Point(1, 2, "there", [3])),
        lambda room: repr(room.Point(x=1, parts=[4])),
        lambda room: repr(room.One("a")),
        lambda room: repr(room.Nothing()),
        lambda room: repr(room.Box(room.Loose(b=(1,)))),
        lambda room: room.Point(1, 2).total,
        lambda room: room.Point(1, _kept={}),
        lambda room: room.Point(),
        lambda room: room.Point(1, 2, "a", [], 5),
        lambda room: room.Point(1, z=1),
        lambda room: room.Point(1, x=1),
    )


@pytest.mark.parametrize("before", [0, 1, 100])
def test_wrong_calls_are_refused_whether_few_or_many_were_made_before(before: int) -> None:
    fresh = classes(nouns)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        fresh.Point()
    fresh = classes(nouns)
    for number in range(before):
        assert repr(fresh.Point(number)) == repr(THEIRS.Point(number))
    with pytest.raises(TypeError, match="got multiple values for argument 'x'"):
        fresh.Point(1, x=1)
    assert repr(fresh.Point(1, label="x")) == repr(THEIRS.Point(1, label="x"))


@BOTH
def test_equal_fields_make_equal_instances_of_one_class(room: SimpleNamespace) -> None:
    assert room.Point(1, 2) == room.Point(1, 2, "other", [7])
    assert room.Point(1, 2) != room.Point(1, 3)
    assert room.Point(1) != room.One("1")
    assert room.One(("a",)) != ("a",)
    assert room.Nothing() == room.Nothing()
    assert len({room.Point(1), room.Point(1, 0, "x"), room.One("a"), room.One("a"), room.Nothing()}) == 3
    assert room.Loose() == room.Loose(1)
    with pytest.raises(TypeError, match="unhashable type: 'Loose'"):
        hash(room.Loose())


@BOTH
def test_frozen_is_frozen_and_slots_hold_nothing_else(room: SimpleNamespace) -> None:
    point, loose = room.Point(1), room.Loose()
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    loose.a = 5
    assert loose == room.Loose(5)
    with pytest.raises(AttributeError):
        loose.other = 1
    assert not hasattr(point, "__dict__")


@BOTH
def test_every_instance_gets_factory_values_of_its_own(room: SimpleNamespace) -> None:
    first, second = room.Point(1), room.Point(1)
    first._kept["a"] = 1
    first.parts.append(1)
    assert (second._kept, second.parts) == ({}, [])


@BOTH
@pytest.mark.parametrize("replace", [nouns.replace, dataclasses.replace], ids=["own", "standard"])
@pytest.mark.parametrize("before", [0, 100])
def test_a_copy_with_changes_keeps_the_rest(room: SimpleNamespace, replace: Any, before: int) -> None:
    point = room.Point(1, 2, "there")
    for number in range(before):
        assert replace(point, x=number) == room.Point(number, 2)
    point._kept["a"] = 1
    changed = replace(point, y=5)
    assert (changed.x, changed.y, changed.label, changed._kept) == (1, 5, "there", {})
    assert changed.parts is point.parts
    with pytest.raises(TypeError):
        replace(point, z=1)


@BOTH
def test_the_standard_library_knows_the_fields(room: SimpleNamespace) -> None:
    point = room.Point(1, parts=[2])
    assert dataclasses.is_dataclass(room.Point)
    assert [(one.name, one.init, one.repr, one.compare) for one in dataclasses.fields(point)] == [
        ("x", True, True, True),
        ("y", True, True, True),
        ("label", True, True, False),
        ("parts", True, True, False),
        ("_kept", False, False, False),
    ]
    assert dataclasses.asdict(point) == {"x": 1, "y": 0, "label": "here", "parts": [2], "_kept": {}}


@BOTH
def test_instances_are_copied_and_matched_by_place(room: SimpleNamespace) -> None:
    point = room.Point(1, 2, "there", [3])
    assert repr(copy.copy(point)) == repr(copy.deepcopy(point)) == repr(point)
    match point:
        case room.Point(1, y, label):
            assert (y, label) == (2, "there")
        case _:
            pytest.fail("it wasn't matched")


def test_a_class_without_slots_is_refused() -> None:
    with pytest.raises(TypeError, match="a dataclass of this package has slots"):
        nouns.dataclass(slots=False)
