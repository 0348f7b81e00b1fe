"""A recording: what a scripted worker does in each turn, read from YAML and picked by the turn's number.

docs/scripted.md describes the format for people; this module owns it. A mapping of task keys to lists of turns:

    5.1.1:
      - turn: plan              # only for this kind of turn: plan, execute, retry, takeover or review
        plan: |                 # the whole text of the todo copy
          # 5.1.1 — Parse triggers
          ...
      - turn: execute
        print: looking around   # text for standard output
        delay: 0.2              # seconds
        files: {src/a.py: "A = 1\\n"}
        append: {src/b.py: "B = 2\\n"}
        delete: [src/c.py]
        run: python tools/gen.py
        tick: all               # or [1, 3]: boxes in the todo copy
        report: |               # the text below `## Report` in the todo copy
          ...
        exit: 0

All keys are optional and are carried out in this order. The n-th turn of a task plays the n-th entry. Where that
one is for another kind of turn, the next one that fits is played, else the last before it that fits: so a turn that
is started again after its worker was lost plays what it played. Nothing is remembered between turns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NoReturn

from orchestrator.errors import Location, UserError
from orchestrator.markdown.full_yaml import YamlFault, read_full
from orchestrator.markdown.source import Source
from orchestrator.markdown.values import Value
from orchestrator.nouns import dataclass, field
from orchestrator.whole_numbers import whole_number

KINDS = ("plan", "execute", "retry", "takeover", "review")
KEYS = ("turn", "print", "delay", "files", "append", "delete", "run", "plan", "tick", "report", "exit")


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens in one turn. `tick` holds step numbers, 0 for all of them; `exit` is None if not given."""

    turn: str = ""
    say: str = ""
    delay: float = 0.0
    files: Mapping[str, str] = field(default_factory=dict)
    append: Mapping[str, str] = field(default_factory=dict)
    delete: tuple[str, ...] = ()
    run: str = ""
    plan: str = ""
    tick: tuple[int, ...] = ()
    report: str = ""
    exit: int | None = None


Recording = Mapping[str, tuple[Scene, ...]]


def read_recording(text: str, name: str, before_yaml: Callable[[], object] = lambda: None) -> Recording:
    """The recording in a YAML text. Raises UserError with the place for anything that isn't one.

    before_yaml: called before YAML's own reader is loaded, which JSON, a part of YAML, is read without.
    """
    source = Source(text, name)
    with suppress(ValueError, UserError):
        # A fault in it is told below, with its place.
        found = _from_json(json.loads(text, parse_int=str, parse_float=str, parse_constant=str))
        if isinstance(found, dict):
            return {key: _scenes(key, value, Location(name)) for key, value in found.items()}
    before_yaml()
    try:
        entries = read_full(text, 0)
    except YamlFault as fault:
        raise UserError(
            f"the recording can't be read: {fault.message}", at=source.location(fault.offset), hint=fault.hint
        ) from None
    return {entry.key: _scenes(entry.key, entry.value, source.location(entry.key_span.start)) for entry in entries}


def _from_json(value: object) -> Value:
    if isinstance(value, dict):
        return {str(key): _from_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return tuple(_from_json(one) for one in value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def pick(recording: Recording, key: str, kind: str, attempt: int) -> Scene:
    """The scene that the `attempt`-th turn of a task plays. Raises UserError if the recording has none for it."""
    scenes = recording.get(key)
    if not scenes:
        raise UserError(f'the recording has no task "{key}"', hint=f"it has {', '.join(recording) or 'none'}")
    later, earlier = scenes[attempt - 1 :], scenes[: attempt - 1]
    for scene in (*later, *reversed(earlier)):
        if scene.turn in ("", kind) or (kind == "takeover" and scene.turn == "execute"):
            return scene
    raise UserError(f"the recording has no {kind} turn for {key}", hint=f"add one with `turn: {kind}`")


def _scenes(key: str, value: Value, at: Location) -> tuple[Scene, ...]:
    if not isinstance(value, tuple):
        raise UserError(f"{key} holds no list of turns", at=at, hint="write each turn as a list item below it")
    return tuple(_scene(f"turn {number} of {key}", one, at) for number, one in enumerate(value, 1))


def _scene(what: str, value: Value, at: Location) -> Scene:
    keys = value if isinstance(value, dict) else {"": value} if value else {}
    unknown = [key for key in keys if key not in KEYS]
    if unknown:
        raise UserError(f'{what} holds "{unknown[0]}"', at=at, hint=f"a turn has {', '.join(KEYS)}")
    read = _Reader(what, keys, at)
    if read.text("turn") not in ("", *KINDS):
        raise UserError(f'{what} is of the kind "{read.text("turn")}"', at=at, hint=f"kinds are {', '.join(KINDS)}")
    return Scene(
        turn=read.text("turn"),
        say=read.text("print"),
        delay=read.number("delay"),
        files=read.texts("files"),
        append=read.texts("append"),
        delete=read.words("delete"),
        run=read.text("run"),
        plan=read.text("plan"),
        tick=(0,) if keys.get("tick") == "all" else tuple(read.whole("tick", word) for word in read.words("tick")),
        report=read.text("report"),
        exit=read.whole("exit", read.text("exit")) if "exit" in keys else None,
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """The keys of one turn, each read as what it has to be."""

    what: str
    keys: Mapping[str, Value]
    at: Location

    def text(self, key: str) -> str:
        value = self.keys.get(key, "")
        return value if isinstance(value, str) else self._refuse(key, "text")

    def texts(self, key: str) -> Mapping[str, str]:
        value = self.keys.get(key) or {}
        if not isinstance(value, dict):
            self._refuse(key, "a mapping of paths to texts")
        return {
            path: text if isinstance(text, str) else self._refuse(key, "text for each path")
            for path, text in value.items()
        }

    def words(self, key: str) -> tuple[str, ...]:
        value = self.keys.get(key) or ()
        items: Sequence[Value] = value if isinstance(value, tuple) else (value,)
        return tuple(item if isinstance(item, str) else self._refuse(key, "a list of words") for item in items)

    def number(self, key: str) -> float:
        try:
            return float(self.text(key) or "0")
        except ValueError:
            self._refuse(key, "a number of seconds")

    def whole(self, key: str, word: str) -> int:
        number = whole_number(word)
        return self._refuse(key, "a whole number") if number is None else number

    def _refuse(self, key: str, wanted: str) -> NoReturn:
        raise UserError(f"`{key}` in {self.what} isn't {wanted}", at=self.at, hint=f"write {wanted} there")
