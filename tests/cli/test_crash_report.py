from pathlib import Path

import pytest

from orchestrator.cli.crash_report import write_crash_report


def test_the_report_lies_in_the_state_folder(tmp_path: Path) -> None:
    path = write_crash_report(ValueError("x"), ["status"], {"XDG_STATE_HOME": str(tmp_path)})
    assert Path(path).parent == tmp_path / "orch"


def test_without_a_state_folder_it_lies_below_home(tmp_path: Path) -> None:
    path = write_crash_report(ValueError("x"), ["status"], {"HOME": str(tmp_path), "XDG_STATE_HOME": "relative"})
    assert Path(path).parent == tmp_path / ".local" / "state" / "orch"


def test_a_folder_that_cannot_be_made_gives_way_to_the_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    path = write_crash_report(ValueError("x"), ["status"], {"XDG_STATE_HOME": str(blocked)})
    assert Path(path).parent == spare


def test_where_nothing_can_be_written_the_traceback_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr("tempfile.tempdir", str(blocked))
    assert write_crash_report(ValueError("odd"), ["status"], {"XDG_STATE_HOME": str(blocked)}) == ""
    assert "ValueError: odd" in capsys.readouterr().err


def test_the_environment_is_not_in_it(tmp_path: Path) -> None:
    path = write_crash_report(ValueError("x"), [], {"XDG_STATE_HOME": str(tmp_path), "API_TOKEN": "hunter2"})
    assert "hunter2" not in Path(path).read_text()


def test_secrets_that_the_fault_or_the_command_line_holds_are_masked(tmp_path: Path) -> None:
    token = "gh" + "p_" + "A1b2" * 9
    environ = {"XDG_STATE_HOME": str(tmp_path), "MY_TOKEN": "correct-horse-1"}
    path = write_crash_report(ValueError(f"got {token}"), ["ask", "correct-horse-1"], environ)
    text = Path(path).read_text()
    assert token not in text and "correct-horse-1" not in text
    assert "ValueError: got [masked]" in text and "command: ['orch', 'ask', '[masked]']" in text
