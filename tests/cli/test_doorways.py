"""Every command is a doorway: its options reach one call of the engine, and its help says what the table says."""

import shlex
import sys
from pathlib import Path

import click
import pytest

from orchestrator.cli.group import COMMANDS, group, run
from orchestrator.engine.outcome import Outcome
from orchestrator.errors import Exit


def _command(name: str) -> click.Command:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_the_command_says(name: str) -> None:
    help_text = _command(name).help
    assert help_text is not None
    assert help_text.split("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_shared_options_and_an_example(name: str) -> None:
    command = _command(name)
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"-n", "--json"} <= options
    assert command.epilog is not None
    examples = command.epilog.removeprefix("\b\nExample:\n").split("\n")
    assert all(f"orch {name}" in line for line in examples)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_shown_with_its_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"Usage: orch {name} ")
    assert f"Example:\n    orch {name}" in out


CALLS = [
    ("init", "init_project", ("session None",), {}),
    ("new 'Event triggers'", "new_orchestration", ("session None", "Event triggers"), {}),
    ("check -n 4", "check_files", ("session 4",), {"form": "text"}),
    ("check --format sarif", "check_files", ("session None",), {"form": "sarif"}),
    (
        "next-wave",
        "next_wave",
        ("session None",),
        {"auto": False, "dry_run": False, "jobs": None, "wave": None, "until": None},
    ),
    (
        "next-wave --auto --dry-run --jobs 8 --wave 2 --until plan -n 3",
        "next_wave",
        ("session 3",),
        {"auto": True, "dry_run": True, "jobs": 8, "wave": 2, "until": "plan"},
    ),
    ("gate", "show_gate", ("session None", ()), {}),
    ("gate 5.1.2 1.3", "show_gate", ("session None", ("5.1.2", "1.3")), {}),
    (
        "approve 5.1.1 5.1.2",
        "approve",
        ("session None", ("5.1.1", "5.1.2")),
        {"answers": {}, "force": False, "why": "", "by": "session"},
    ),
    (
        "approve 5.1.1 --answer 1='drop it = now' --answer 3=no --force --why 'a typo'",
        "approve",
        ("session None", ("5.1.1",)),
        {"answers": {1: "drop it = now", 3: "no"}, "force": True, "why": "a typo", "by": "session"},
    ),
    ("revise 5.1.2 -m 'leave step 2 out'", "revise", ("session None", "5.1.2", "leave step 2 out"), {"by": "session"}),
    ("status", "status", ("session None",), {}),
    ("resume -n 2", "resume", ("session 2",), {}),
    ("show 5.1.2", "show", ("session None", "5.1.2", ()), {}),
    ("show 5.1.2 --log --spec --diff", "show", ("session None", "5.1.2", ("log", "spec", "diff")), {}),
    ("show 5.1.2 --plan --report --prompt", "show", ("session None", "5.1.2", ("plan", "report", "prompt")), {}),
]


class NamedSession(str):
    """What stands for the session of a call: which orchestration was named."""

    by = "session"


@pytest.mark.parametrize(("line", "function", "arguments", "named"), CALLS)
def test_options_reach_one_call_of_the_engine(
    line: str,
    function: str,
    arguments: tuple[object, ...],
    named: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = shlex.split(line)
    module = sys.modules[_command(words[0]).callback.__module__]  # type: ignore[union-attr]
    calls = []

    def engine(*args: object, **kwargs: object) -> Outcome:
        calls.append((args, kwargs))
        return Outcome("waiting", Exit.WAITING, "orch gate", ("one line",))

    monkeypatch.setattr(module, function, engine)
    monkeypatch.setattr(module, "open_here", lambda number: NamedSession(f"session {number}"))
    assert run(words) == 3
    assert calls == [(arguments, named)]
    assert capsys.readouterr().out == "one line\nnext: orch gate\n"


def test_the_demo_is_told_where_and_how_far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module = sys.modules[_command("demo").callback.__module__]  # type: ignore[union-attr]
    calls = []

    def engine(environ: object, **kwargs: object) -> Outcome:
        calls.append({name: value for name, value in kwargs.items() if name != "emit"})
        return Outcome("done")

    monkeypatch.setattr(module, "demo", engine)
    assert run(["demo", "--keep", str(tmp_path), "--stop-at", "gate"]) == 0
    assert run(["demo"]) == 0
    assert calls == [{"keep": tmp_path, "stop_at": "gate"}, {"keep": None, "stop_at": None}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["new"], "missing argument 'TITLE'"),
        (["new", " "], "the title is empty"),
        (["new", "One", "-n", "3"], "-n doesn't go with this command: a new planning set takes the next number"),
        (["init", "-n", "3"], "-n doesn't go with this command: ORCH.md is shared by all orchestrations"),
        (["demo", "-n", "3"], "-n doesn't go with this command: the demo makes an orchestration of its own"),
        (["status", "-n", "0"], "invalid value for '-n': 0 is not in the range x>=1"),
        (["next-wave", "--jobs", "many"], "invalid value for '--jobs': 'many' is not a valid integer range"),
        (["next-wave", "--until", "lunch"], "invalid value for '--until': 'lunch' is not 'plan'"),
        (["approve"], "missing argument 'TASK...'"),
        (["approve", "5.1.1", "--answer", "yes"], "invalid value for '--answer': \"yes\" isn't of the form 1=text"),
        (["approve", "5.1.1", "--answer", "1= "], "invalid value for '--answer': \"1= \" isn't of the form 1=text"),
        (
            ["approve", "5.1.1", "--answer", "1=a", "--answer", "1=b"],
            "invalid value for '--answer': question 1 is answered twice",
        ),
        (
            ["approve", "5.1.1", "5.1.2", "--answer", "1=a"],
            "--answer goes with one task at a time: its numbers are those of one plan",
        ),
        (["approve", "5.1.1", "--force"], "--force and --why go together: an approval by force needs its reason"),
        (["approve", "5.1.1", "--why", "x"], "--force and --why go together: an approval by force needs its reason"),
        (["revise", "5.1.1"], "missing option '-m' / '--message'"),
        (["revise", "5.1.1", "-m", " "], "the message is empty; the worker needs to know what to change"),
        (["show"], "missing argument 'TASK'"),
        (["status", "5.1.1"], "got unexpected extra argument (5.1.1)"),
    ],
)
def test_a_wrong_command_line_exits_2_and_says_what_is_wrong(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    # Newer click puts the one word in quotes, older one doesn't.
    assert err.replace("('5.1.1')", "(5.1.1)") == f"error: {message}\nhint: orch {words[0]} --help\n"
