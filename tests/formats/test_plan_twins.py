"""Plans in the shapes people give them, in words of our own: each is read whole, in any line endings."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.plan_outline import read_outline
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Plan, ScopePath, Spec
from orchestrator.model.plan_check import check_plan
from orchestrator.model.settings import Settings, Worker
from tests.support.planning import told

FOLDER = Path(__file__).resolve().parents[1] / "data" / "plans"
SETTINGS = Settings(workers=(Worker("small", "command"),))

ROW_A_TASK = """\
wave 1 after -: 1.1.1 1.1.2
wave 2 after 1: 1.2.1 1.2.2
wave 3 after -: 1.3.1
T1.1-envelope = 1.1.1 Envelope and its parts
  edit pyproject.toml; create mailer/envelope.py mailer/__init__.py
  an envelope with two readers survives a round trip.
  $ python -c "from mailer import Envelope; print('a|b')"
T1.2-clock-and-ids = 1.1.2 Times and ids
  create mailer/clock.py
  ids sort by time
  $ python -m pytest tests/test_clock.py -q
T2.1-render = 1.2.1 Text and HTML bodies
  after 1.1.1
  edit mailer/{text,html}.py
  both bodies say the same
  $ python -m pytest tests/test_render.py -q
T2.2-spool = 1.2.2 The folder of waiting mail
  after 1.1.1 1.1.2
  edit mailer/spool.py
  a killed writer leaves no half mail
  $ python -m pytest tests/test_spool.py -q
T3.1-docs = 1.3.1 README
  edit README.md
  every command in it runs
  $ python -m doctest README.md
"""
OTHER_ORDER = """\
wave 1 after - Foundations: 2.1.1 2.1.2
wave 2 after 1 Sending: 2.2.1
2.1.1 Read hours
  edit src/hours.ts; create src/hours.test.ts
  `22:00-06:00` is read | so is `22-6`
  $ npm test -- hours | tail -n 3
2.1.2 Read zones
  edit src/zone.ts src/index.ts; create src/zone.test.ts
  a zone is read in any case
  $ npm test -- zone
2.2.1 Hold mail back
  after 2.1.1 2.1.2
  edit src/send.ts; scratch .cache/
  nothing leaves at night | all of it leaves in the morning
  $ npm test -- send
"""
WAVE_HEADINGS = """\
wave 1 after - Lamps: 4.1.1 4.1.2
wave 2 after 1 Harbour: 4.2.1
wave 3 after 1,2: 4.3.1
1.1 = 4.1.1 Lamp model
  edit lamps/model.go
  a lamp has a colour
  $ go test ./lamps
3a = 4.1.2 Colours
  create lamps/colour.go
  red isn't green
  $ go test ./lamps -run Colour
1.10 = 4.2.1 Piers
  after 4.1.1 4.1.2
  edit harbour/pier.go
  a pier has lamps
  $ go test ./harbour
dock = 4.3.1 Docks
  after wave1 wave2
  edit harbour/dock.go
  a dock has piers
  $ go test ./harbour -run Dock
"""
BOXES = """\
wave 1 after -: 3.1.1 3.1.2
wave 2 after 1 (later): 3.2.1
parse = 3.1.1 Parse the table, with commas
  edit tool/parse.py
  every row is read
  $ python -m unittest tool.test_parse
count = 3.1.2 Count the rows of a table
  edit tool/count.py
  it equals `wc -l`
  $ python -m unittest tool.test_count
T7 = 3.2.1 Print them
  after wave1
  edit tool/print.py
  columns line up
  $ python -m unittest tool.test_print
"""
TWINS = [
    ("row-a-task.md", 1, ROW_A_TASK),
    ("other-order.md", 2, OTHER_ORDER),
    ("wave-headings.md", 4, WAVE_HEADINGS),
    ("boxes.md", 3, BOXES),
]


def facts(plan: Plan) -> str:
    """Waves and specs, a line a wave, a few lines a spec."""
    lines = []
    for wave in plan.waves:
        theme = f" {wave.theme}" if wave.theme else ""
        lines.append(f"wave {wave.number} after {_joined(wave.depends_on, ',') or '-'}{theme}: {_joined(wave.tasks)}")
    for spec in plan.specs:
        lines += _facts(spec)
    return "".join(f"{line}\n" for line in lines)


def _facts(spec: Spec) -> list[str]:
    scopes = (("edit", spec.must_edit), ("create", spec.can_create), ("delete", spec.can_delete))
    named = [f"{word} {_paths(paths)}" for word, paths in (*scopes, ("scratch", spec.scratch)) if paths]
    waits = _joined(one.task or f"wave{one.wave}" for one in spec.depends_on)
    return [
        f"{f'{spec.local_id} = ' if spec.local_id else ''}{spec.key} {spec.title}",
        *([f"  after {waits}"] if waits else []),
        f"  {'; '.join(named)}",
        f"  {' | '.join(spec.acceptance)}",
        f"  $ {spec.test}",
    ]


def _paths(paths: tuple[ScopePath, ...]) -> str:
    return _joined(path.pattern for path in paths)


def _joined(values: object, between: str = " ") -> str:
    return between.join(map(str, values))  # type: ignore[call-overload]


@pytest.mark.parametrize(("name", "number", "expected"), TWINS)
def test_a_plan_in_a_persons_shape_is_read_whole(name: str, number: int, expected: str) -> None:
    text = (FOLDER / name).read_bytes().decode()
    found = read_plan(Document.parse(text, name), number)
    problems = (*found.problems, *check_plan(found.value, SETTINGS))
    assert told(problems) == ""
    assert facts(found.value) == expected


@pytest.mark.parametrize(("name", "number", "expected"), TWINS)
def test_line_endings_and_a_bom_change_nothing(name: str, number: int, expected: str) -> None:
    text = (FOLDER / name).read_bytes().decode()
    halves = text.partition("\n\n")
    mixed = halves[0].replace("\n", "\r\n") + halves[1] + halves[2].replace("\n\n", "\r\n\r\n")
    for one in (text.replace("\n", "\r\n"), "\ufeff" + text, mixed, text.rstrip("\n")):
        found = read_plan(Document.parse(one, name), number)
        assert (told(found.problems), facts(found.value)) == ("", expected)


@pytest.mark.parametrize(("name", "number", "expected"), TWINS)
def test_the_quick_look_leaves_these_shapes_to_the_whole_reader(name: str, number: int, expected: str) -> None:
    assert read_outline((FOLDER / name).read_bytes().decode(), name, number) is None
