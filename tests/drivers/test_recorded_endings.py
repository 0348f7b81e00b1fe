"""What each driver makes of every ending that was recorded with its real program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from orchestrator.drivers.base import Outcome
from tests.drivers.recorded import NAMES
from tests.drivers.telling import result_of, told
from tests.support.agents import PINNED
from tests.support.normalising import normaliser
from tests.support.recordings import FOLDER, SAID, SESSION, index, recordings

OUTCOMES: dict[str, Outcome] = {
    "finished": "finished",
    "pieces": "finished",
    "retries": "finished",
    "tool-left": "finished",
    "refused": "refused",
    "quota": "quota",
    "used-up": "quota",
    "no-key": "quota",
    "401": "quota",
    "403": "quota",
    "429": "quota",
    "429-wait": "quota",
    "storm": "api-error",
    "500": "api-error",
    "503": "api-error",
    "unreachable": "api-error",
    "dropped": "api-error",
    "stream-error": "api-error",
    "400": "failed",
    "404": "failed",
    "bad-flag": "failed",
    "looped": "failed",
    "turns": "limit",
    "budget": "limit",
    "stalled": "limit",
    "silent": "limit",
    "lost": "no-session",
    "kill-model": "failed",
    "kill-tool": "failed",
    "segv": "failed",
    "abort": "failed",
}
"""By ending: what it is, whatever the program."""
ITS_OWN: dict[tuple[str, str], Outcome] = {
    **{("qwen", ending): "limit" for ending in ("429", "429-wait", "500", "503", "quota", "storm")},
    **{("opencode", ending): "limit" for ending in ("429", "500", "dropped", "unreachable")},
    ("qwen", "refused"): "finished",
    ("copilot", "refused"): "finished",
}
"""What can't be told with some program: it tries again without a word until it is ended, or gives a refusal out as its
answer."""
STOPPED = {"term-model", "term-tool", "int-model", "int-tool"}
"""Endings at a signal that a program may take in its own way: anything but finished, and nobody else is to blame."""
every_ending = pytest.mark.parametrize(("name", "ending"), [(name, one) for name in NAMES for one in recordings(name)])


@every_ending
def test_an_ending_is_what_it_is_with_every_program(name: str, ending: str, tmp_path: Path) -> None:
    result = result_of(name, ending, tmp_path)
    if ending in STOPPED:
        assert result.outcome in ("failed", "killed", "no-answer")
    else:
        assert result.outcome == ITS_OWN.get((name, ending), OUTCOMES[ending])
    assert bool(result.message) is (result.outcome != "finished")
    if result.outcome == "finished" and ending != "refused":
        assert (result.text.splitlines()[-1], result.session) == (SAID, SESSION)


@pytest.mark.parametrize("name", NAMES)
def test_every_part_of_a_result_is_as_it_was_read_through_once(name: str, tmp_path: Path) -> None:
    assert told(name, tmp_path) == (FOLDER / name / "told.md").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_recordings_are_of_the_pinned_version_and_each_is_on_the_list(name: str) -> None:
    kept = index(name)
    assert kept["version"] == PINNED[name][1]
    files = {path.name.rpartition(".")[0] for path in (FOLDER / name).iterdir() if path.suffix in (".out", ".err")}
    assert files <= set(kept["endings"])
    assert set(kept["endings"]) <= {*OUTCOMES, *STOPPED}


def test_the_recordings_hold_nothing_of_the_machine_they_were_made_on_and_stay_small() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 500_000
    places = re.compile(
        r"/(?:root|home/(?!somebody)\w+|Users|work|tmp/(?!some\b))\b|fake-key|\b20(?!26-01-01T00:00:00Z)\d\d-\d\d-\d\dT"
    )
    for path in files:
        text = path.read_text("utf-8")
        assert not places.search(text), path
        if path.suffix in (".out", ".err"):
            assert normaliser({SESSION: SESSION})(text) == text, path
