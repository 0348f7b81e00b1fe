"""A dry run checks the specs of plans of usual length as a run does; of a long one it says that it didn't."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from orchestrator.cli.main import run
from orchestrator.engine.next_wave import CHECKED

HEAD = """\
# Execution plan 1 — Parts

## Waves

| Wave | Theme | Tasks | Depends on |
| --- | --- | --- | --- |
| 1 | All | {keys} | — |

## Tasks
"""
# A scope that leaves the repository is an error of the spec's own; the plan's structure is sound.
SPEC = """
### {key} — Part

- **Must edit:** `{path}`
- **Acceptance:** it works
- **Test:** `true`
"""


def repository(folder: Path, tasks: int) -> Path:
    keys = [f"1.1.{number}" for number in range(1, tasks + 1)]
    (folder / "planning").mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    specs = "".join(SPEC.format(key=key, path="../out.py") for key in keys)
    (folder / "planning" / "EXECUTION_PLAN_1.md").write_text(HEAD.format(keys=", ".join(keys)) + specs)
    (folder / "planning" / "ORCH.md").write_text(
        '---\nworkers:\n  small: {driver: command, plan: ["true"], execute: ["true"]}\n---\n'
    )
    return folder


@pytest.mark.parametrize(("tasks", "code"), [(CHECKED, 1), (CHECKED + 1, 0)])
def test_specs_are_checked_up_to_a_length_and_beyond_it_that_is_said(
    tasks: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path, tasks))
    assert run(["next-wave", "--dry-run"]) == code
    out, err = capsys.readouterr()
    if code:
        assert out == ""
        assert "../out.py" in err
    else:
        assert err == ""
        assert "the specs of a plan this long weren't checked: orch check does it" in out.split("\n")
        assert run(["next-wave", "--dry-run", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["checked"] is False
    assert run(["check"]) == 1


def test_an_error_in_the_structure_is_found_at_any_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path, CHECKED + 1))
    plan = tmp_path / "planning" / "EXECUTION_PLAN_1.md"
    plan.write_text(plan.read_text().replace("- **Must edit:**", "- **Depends on:** 1.9.9\n- **Must edit:**", 1))
    assert run(["next-wave", "--dry-run"]) == 1
    assert 'there is no task "1.9.9"' in capsys.readouterr().err
