"""What people read of an agent program's events: every recording told, line by line."""

from __future__ import annotations

import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.base import traits_of
from orchestrator.drivers.streams import event_in
from tests.drivers.recorded import AGENTS
from tests.support.recordings import SAID, Recorded


def told(name: str, recorded: Recorded) -> list[str]:
    make = traits_of(registry.find(name)).teller
    assert make is not None
    tell = make()
    events = [event for line in recorded.out.splitlines() if (event := event_in(line.encode())) is not None]
    return [line for event in events for line in tell(event).splitlines() if line]


MISSING = "! File not found: /place/worktree/none"
LOOKED = ["I look.", "> read_file none", MISSING]


@pytest.mark.parametrize(
    ("name", "kind", "lines"),
    [
        (
            "claude",
            "finished",
            [
                "I look.",
                "> Read /none",
                "! File does not exist. Note: your current working directory is /place/worktree.",
                SAID,
                "= completed, $0.0020",
            ],
        ),
        ("claude", "retries", ["~ error 529 of the service, try 1", SAID, "= completed, $0.0020"]),
        (
            "claude",
            "429",
            [
                "~ error 429 of the service, try 1",
                "~ error 429 of the service, try 2",
                "~ error 429 of the service, try 3",
                "API Error: Request rejected (429) · no luck (429)",
                "= api_error, $0.0000",
            ],
        ),
        ("claude", "int-model", [SAID, "= aborted_streaming, $0.0019"]),
        (
            "codex",
            "finished",
            ["I look.", "> /bin/bash -lc 'cat none'", "! exit code 1", SAID, "= done"],
        ),
        (
            "codex",
            "429",
            [
                "~ exceeded retry limit, last status: 429 Too Many Requests",
                "= failed: exceeded retry limit, last status: 429 Too Many Requests",
            ],
        ),
        ("gemini", "finished", [*LOOKED, SAID, "= success"]),
        ("gemini", "pieces", [SAID, "= success"]),
        ("gemini", "looped", [*LOOKED * 4, "I look.I look.", "~ Loop detected, stopping execution", "= success"]),
        ("gemini", "429", ["= error: [API Error: no luck (429)]"]),
    ],
)
def test_a_recording_is_told(name: str, kind: str, lines: list[str]) -> None:
    assert told(name, AGENTS[name][kind]) == lines


def test_tools_are_told_with_what_they_are_used_on_in_one_line() -> None:
    uses = {"type": "tool_use", "name": "Bash", "input": {"command": "pytest -q\necho x", "description": "test"}}
    failed = {"type": "tool_result", "is_error": True, "content": "\nno such file\nat all"}
    assert told(
        "claude",
        Recorded(
            (
                {"type": "assistant", "message": {"content": [uses]}},
                {"type": "user", "message": {"content": [failed, {"type": "tool_result", "content": "fine"}]}},
            )
        ),
    ) == ["> Bash pytest -q", "! no such file"]
    command = {"type": "command_execution", "command": "bash -lc 'exit 3'", "exit_code": None}
    changes = [{"path": "a.py", "kind": "add"}, {"path": "b.py", "kind": "update"}]
    assert told(
        "codex",
        Recorded(
            (
                {"type": "item.started", "item": command},
                {"type": "item.completed", "item": {**command, "exit_code": 3}},
                {"type": "item.completed", "item": {"type": "file_change", "changes": changes}},
            )
        ),
    ) == ["> bash -lc 'exit 3'", "! exit code 3", "> add a.py", "> update b.py"]
    call = {"type": "tool_use", "tool_name": "write_file", "parameters": {"file_path": "a.py", "content": "x"}}
    assert told("gemini", Recorded((call,))) == ["> write_file a.py"]


def test_every_recording_can_be_told() -> None:
    for name, recordings in AGENTS.items():
        for recorded in recordings.values():
            told(name, recorded)
    assert told("codex", AGENTS["codex"]["lost"]) == []
