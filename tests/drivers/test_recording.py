from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.drivers.recording import KEYS, Scene, pick, read_recording
from orchestrator.errors import UserError

TEXT = """\
5.1.1:
  - turn: plan
    plan: |
      # 5.1.1 — One
      - [ ] 1. Do it
  - turn: execute
    print: "one: two"
    delay: 0.5
    files:
      src/a.py: |
        A = 1
      b.txt: no
    append: {c.txt: "more\\n"}
    delete: [d.txt]
    run: "true"
    tick: [1, 3]
    report: done
    exit: 3
5.1.10:
  - tick: all
  -
"""


def test_a_recording_is_read_whole() -> None:
    assert read_recording(TEXT, "r.yaml") == {
        "5.1.1": (
            Scene(turn="plan", plan="# 5.1.1 — One\n- [ ] 1. Do it\n"),
            Scene(
                turn="execute",
                say="one: two",
                delay=0.5,
                files={"src/a.py": "A = 1\n", "b.txt": "no"},
                append={"c.txt": "more\n"},
                delete=("d.txt",),
                run="true",
                tick=(1, 3),
                report="done",
                exit=3,
            ),
        ),
        "5.1.10": (Scene(tick=(0,)), Scene()),
    }


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("5.1.1: [", "r.yaml:1:9", "the recording can't be read"),
        ("5.1.1: text", "r.yaml:1:1", "5.1.1 holds no list of turns"),
        ("a:\n  - {}\n5.1.1:\n  - words", "r.yaml:3:1", 'turn 1 of 5.1.1 holds ""'),
        ("5.1.1:\n  - {}\n  - {file: {a: b}}", "r.yaml:1:1", 'turn 2 of 5.1.1 holds "file"'),
        ("5.1.1:\n  - turn: judge", "r.yaml:1:1", 'turn 1 of 5.1.1 is of the kind "judge"'),
        ("5.1.1:\n  - delay: long", "r.yaml:1:1", "`delay` in turn 1 of 5.1.1 isn't a number of seconds"),
        ("5.1.1:\n  - exit: -1", "r.yaml:1:1", "`exit` in turn 1 of 5.1.1 isn't a whole number"),
        ("5.1.1:\n  - tick: some", "r.yaml:1:1", "`tick` in turn 1 of 5.1.1 isn't a whole number"),
        ("5.1.1:\n  - files: [a]", "r.yaml:1:1", "`files` in turn 1 of 5.1.1 isn't a mapping of paths to texts"),
        ("5.1.1:\n  - files: {a: [b]}", "r.yaml:1:1", "`files` in turn 1 of 5.1.1 isn't text for each path"),
        ("5.1.1:\n  - plan: [a]", "r.yaml:1:1", "`plan` in turn 1 of 5.1.1 isn't text"),
        ("5.1.1:\n  - delete: [[a]]", "r.yaml:1:1", "`delete` in turn 1 of 5.1.1 isn't a list of words"),
    ],
)
def test_a_faulty_recording_is_refused_at_its_place(text: str, place: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_recording(text, "r.yaml")
    assert caught.value.message.startswith(message)
    assert str(caught.value.at) == place
    assert caught.value.hint


def test_a_recording_in_json_says_the_same_without_the_reader_of_yaml() -> None:
    text = """{"5.1.1": [
      {"turn": "execute", "print": "\\u00e4 \\ud83d\\ude00", "delay": 0.25, "files": {"a": "A\\n"}, "delete": ["b"],
       "tick": [1, 3], "report": null, "exit": 7}, {"tick": "all"}]}"""
    asked: list[str] = []
    assert read_recording(text, "r.yaml", lambda: asked.append("yaml")) == {
        "5.1.1": (
            Scene("execute", "\u00e4 \U0001f600", 0.25, {"a": "A\n"}, delete=("b",), tick=(1, 3), exit=7),
            Scene(tick=(0,)),
        )
    }
    assert asked == []
    read_recording("5.1.1: [{tick: all}]", "r.yaml", lambda: asked.append("yaml"))
    assert asked == ["yaml"]


def test_a_fault_in_json_is_told_at_its_place_too() -> None:
    with pytest.raises(UserError) as caught:
        read_recording('{"t": [],\n "u": [{"turn": "judge"}]}', "r.yaml")
    assert str(caught.value.at) == "r.yaml:2:2"


SCENES = """\
t:
  - {turn: plan, print: plan 1}
  - {turn: plan, print: plan 2}
  - {turn: execute, print: execute}
  - {turn: retry, print: retry}
"""


@pytest.mark.parametrize(
    ("kind", "attempt", "played"),
    [
        ("plan", 1, "plan 1"),
        ("plan", 2, "plan 2"),
        ("execute", 3, "execute"),
        ("retry", 4, "retry"),
        ("execute", 2, "execute"),  # the plan passed at once: the turn comes early
        ("execute", 4, "execute"),  # a lost turn was counted: it comes late
        ("retry", 9, "retry"),
        ("plan", 3, "plan 2"),
    ],
)
def test_the_turns_number_picks_the_scene(kind: str, attempt: int, played: str) -> None:
    assert pick(read_recording(SCENES, "r.yaml"), "t", kind, attempt).say == played


def test_a_turn_that_is_not_on_record_is_refused() -> None:
    recording = read_recording("t:\n  - turn: plan\n", "r.yaml")
    with pytest.raises(UserError, match="no execute turn for t"):
        pick(recording, "t", "execute", 1)
    with pytest.raises(UserError, match='no task "u"'):
        pick(recording, "u", "plan", 1)


def test_the_documentation_has_every_key_and_an_example_that_can_be_read() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/scripted.md").read_text("utf-8")
    table = text[text.index("<!-- keys: recording -->") :]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == KEYS
    example = text[text.index("<!-- recording -->") :].split("```yaml\n")[1].split("```")[0]
    scenes = read_recording(example, "docs/scripted.md")["5.1.1"]
    assert [scene.turn for scene in scenes] == ["plan", "execute"]
    assert scenes[1].files == {"greet.py": 'def greet(name):\n    return f"Hello, {name}!"\n'}
