"""Real agent programs whose model's service hangs, or is down and comes back: what ends them, and what is asked."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from orchestrator.process.carriers import carriers
from orchestrator.process.signs import Signs, matching
from tests.agents.test_whole_orchestrations import TELLS_NO_TOKENS, prepared, rules, script, start_orch, todo
from tests.e2e.test_agent_workers import take_out_until
from tests.support.agents import PINNED, serving
from tests.support.orch import run_orch

pytestmark = [pytest.mark.agents, pytest.mark.parametrize("name", PINNED)]

HANGS = {"rules": [{"name": "hangs", "reply": {"steps": ["never"], "delay": 600}}]}
SILENT = ("qwen", "opencode")
"""Those that try again for longer than a test may take where the service fails; where it refuses them they tell."""
ASKED = {"name": "asked", "when": {"last_user": "Answer with the one word OK"}, "reply": "OK"}


def down(name: str) -> dict[str, object]:
    return {"rules": [{"name": "down", "reply": {"status": 401 if name in SILENT else 503, "message": "no luck"}}]}


def up(name: str) -> dict[str, object]:
    made = script(name)
    first = made["rules"]
    assert isinstance(first, list)
    return {"rules": [*first[:2], ASKED, *first[2:]]}


def until(folder: Path, env: Mapping[str, str], pattern: str) -> None:
    """Have orch at work until its log says so, and kill it."""
    with start_orch(folder, env) as running:
        limit = time.monotonic() + 120
        while not (has_begun(folder) and re.search(pattern, todo(folder))) and time.monotonic() < limit:
            time.sleep(0.2)
        running.kill()
    assert re.search(pattern, todo(folder)), todo(folder)


def has_begun(folder: Path) -> bool:
    return (folder / "planning" / "tasks" / "1.1.1.todo.md").exists()


def markers(folder: Path) -> set[str]:
    return set(re.findall(r"marker[=:] ?(\w+)", todo(folder)))


def test_a_program_whose_service_hangs_shows_no_sign_of_life_and_is_ended(tmp_path: Path, name: str) -> None:
    with serving(HANGS) as fake:
        folder, env = prepared(tmp_path, name, fake.url, stall="8s")
        left = run_orch(folder, "next-wave", "--auto", env=env)
        assert left.code == 4, left
        assert "hangs" in rules(fake)
    why = r'why="the plan turn ended as limit: no sign of life for 8s \(`stall`\)"'
    assert len(re.findall(rf" failed kind=died next=(?:plan|blocked) {why}", todo(folder))) == 2, todo(folder)
    assert [carriers(marker) for marker in markers(folder)] == [[]]
    (turn,) = re.findall(r"its output is in (\S+)", todo(folder))
    transcripts = matching(Signs(turn, 0.0).transcript())
    # gemini names it by the minute in which a turn begins, so two turns of one session may have two.
    assert 1 <= len(transcripts) <= (2 if name == "gemini" else 1) if name != "opencode" else transcripts == []
    assert all(Path(path).exists() for path in transcripts)


def test_a_service_that_is_down_is_asked_until_it_is_up_and_then_the_turn_is_taken(tmp_path: Path, name: str) -> None:
    with serving(down(name)) as fake:
        folder, env = prepared(tmp_path, name, fake.url)
        until(folder, env, r" ended turn=plan outcome=(api-error|quota) .*then=probe")
        take_out_until(folder)
        until(folder, env, r" probed driver=\w+ outcome=(api-error|quota) ")
        take_out_until(folder)
        fake.use(up(name))
        left = run_orch(folder, "next-wave", env=env)

        assert left.code == 3, left
        assert rules(fake) == ["asked", "plan"]
    assert " failed " not in todo(folder)
    (answered,) = re.findall(r" probed driver=\w+ outcome=finished(.*)", todo(folder))
    assert name in TELLS_NO_TOKENS or re.search(r" in=\d+ out=\d+", answered)
    assert "- [ ] 1. Create `a.dat`" in todo(folder)
    assert [carriers(marker) for marker in markers(folder)] == [[]] * len(markers(folder))
