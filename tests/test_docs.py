"""The documents name every command, option, slot and word that there is, and no other; test_links.py has the paths."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from pathlib import Path

import click
import pytest

from orchestrator.cli.group import COMMANDS
from orchestrator.drivers.base import TurnOrder, turn_environment
from orchestrator.drivers.command import SLOTS
from orchestrator.errors import Exit
from orchestrator.formats.settings_file import KEYS
from orchestrator.model.log import EVENTS
from orchestrator.model.settings import Worker
from orchestrator.model.status import Status, WaveStatus
from orchestrator.prompts.context import own_slots, vocabulary
from orchestrator.prompts.locations import NAMES
from tests.support.documents import DOCUMENTS, ROOT, marked, table_below, text_of

COMMANDS_PAGE = "docs/commands.md"


def name(document: Path) -> str:
    return str(document.relative_to(ROOT))


def test_architecture_is_one_page() -> None:
    assert text_of("ARCHITECTURE.md").count("\n") < 100


def test_the_readme_has_the_two_commands_for_a_fresh_machine() -> None:
    commands = {part.kind: part.text for part in marked("README.md") if part.kind.endswith("-command")}
    assert commands == {
        "demo-command": "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/orch demo\n",
        "test-command": "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest -n 3\n",
    }


def test_every_command_named_in_a_document_exists() -> None:
    """In fences and in backticks; what is said to be not yet there is left out."""
    for document in DOCUMENTS:
        text = re.sub(r"## Not yet\n.*?\n## ", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        named = set(re.findall(r"(?:^|`|/)orch ([a-z][a-z-]+)", text, re.MULTILINE))
        assert named - set(COMMANDS) == set(), name(document)


def sections() -> Mapping[str, str]:
    parts = re.split(r"^## orch ([a-z-]+)$", text_of(COMMANDS_PAGE), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_has_a_section_and_in_the_order_of_the_help() -> None:
    assert list(sections()) == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_documented_and_no_other(command: str) -> None:
    module = importlib.import_module(f"orchestrator.cli.commands.{command.replace('-', '_')}")
    assert isinstance(module.command, click.Command)
    there = {
        flag
        for parameter in module.command.params
        if isinstance(parameter, click.Option)
        for flag in (*parameter.opts, *parameter.secondary_opts)
    } - {"-n", "--json"}
    listed = re.findall(r"^- (`-.*?`):", sections()[command], re.MULTILINE)
    documented = {flag for item in listed for flag in re.findall(r"`(--?[a-z-]+)", item)}
    assert documented == there


def test_every_exit_code_is_documented_and_no_other() -> None:
    table = text_of(COMMANDS_PAGE).split("| exit | meaning |", 1)[1].split("\n\n", 1)[0]
    codes = [int(code) for row in table.split("\n| ")[1:] for code in re.findall(r"\d+", row.split("|")[0])]
    assert sorted(codes) == sorted(code.value for code in Exit)


def flat(shape: object, prefix: str = "") -> list[str]:
    if not isinstance(shape, Mapping):
        return [prefix]
    return [part for key, below in shape.items() for part in flat(below, f"{prefix}.{key}" if prefix else key)]


def test_every_slot_of_a_template_is_documented_and_no_other() -> None:
    assert sorted(table_below("docs/file-formats.md", "slots: worker")) == sorted(flat(vocabulary("worker")))


def test_every_slot_of_a_message_is_documented_and_no_other() -> None:
    table = text_of("docs/file-formats.md").split("| file | sent | own slots |", 1)[1].split("\n\n", 1)[0]
    rows = [row.split("|")[1:4] for row in table.split("\n")[2:]]
    documented = {file.strip(" `").removesuffix(".md.j2"): set(re.findall(r"`(\w+)`", own)) for file, _, own in rows}
    assert documented == {template: set(own_slots(template)) for template in NAMES}


def test_every_slot_and_variable_of_the_command_driver_is_documented_and_no_other() -> None:
    assert sorted(table_below("docs/drivers.md", "slots: command")) == sorted(SLOTS)
    order = TurnOrder(
        key="5.1.1",
        title="",
        turn="plan",
        prompt="",
        prompt_path="",
        worktree="",
        todo_path="",
        repo="",
        marker="",
        worker=Worker("small", "command"),
        environ={},
    )
    assert sorted(table_below("docs/drivers.md", "variables")) == sorted(turn_environment(order))


def test_every_setting_is_documented_and_no_other() -> None:
    assert sorted(table_below("docs/file-formats.md", "settings")) == sorted(KEYS)


def test_every_status_word_and_every_log_event_is_documented() -> None:
    text = text_of("docs/file-formats.md")
    words = re.search(r"The words: (.*?);", text)
    assert words and re.findall(r"`([^`]+)`", words[1]) == [str(status) for status in Status]
    waves = re.search(r"wave's own state:\*\* (.*?)\. ", text)
    assert waves and re.findall(r"`([a-z]+)`", waves[1]) == [str(status) for status in WaveStatus]
    table = text.partition("| event | what it tells |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.split("\n")[2:]]
    assert {word for cell in cells for word in re.findall(r"`([a-z]+)`", cell)} == EVENTS
