"""What a worker, its program or a test lets slip: nowhere in the files, prompts and answers of orch, by whole calls."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

from orchestrator.masking import MASK
from tests.support.orch import run_orch
from tests.support.planned import Task, plan_text, planned, report_text
from tests.support.priced import calls, priced

TOKEN = "gh" + "p_" + "A1b2" * 9
KEY = "a-key-of-mine-12345"
TASK = Task("1", ("a.dat",), test="cat a.dat; grep -q right a.dat")


def leaking(tmp_path: Path) -> Path:
    """A repository whose worker says two secrets wherever it can say something."""
    both = f"{TOKEN} {{KEY}}"
    report = report_text(["a.dat"]).replace("**Gotchas:** none", f"**Gotchas:** I used {both} for it")
    events = [{"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": f"I say {both}"}]}}]
    work = {"files": {"a.dat": f"{both}\n"}, "report": report, "text": both, "events": events, "err": f"{both}\n"}
    turns: dict[str, dict[str, object]] = {
        "plan": {"plan": plan_text(TASK).replace("## Notes\n", f"## Notes\n- use {both}\n"), "text": both},
        "execute": work,
        "retry": {**work, "files": {"a.dat": "right\n"}},
    }
    worker = priced(tmp_path / "program", {TASK.key: turns})
    return planned(tmp_path / "repo", [TASK], worker=f"small: {worker}")


def texts(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path, path.read_text("utf-8", errors="replace")


def slipped(text: str) -> bool:
    return TOKEN in text or KEY in text


def test_secrets_stand_in_no_file_of_the_set_in_no_prompt_in_no_command_line_and_in_no_answer(tmp_path: Path) -> None:
    folder = leaking(tmp_path)
    state = tmp_path / "state"
    env = {"ANTHROPIC_API_KEY": KEY, "XDG_STATE_HOME": str(state)}
    left = run_orch(folder, "next-wave", "--auto", env=env)
    assert left.code == 0, left
    assert not slipped(left.out + left.err)

    todo = (folder / "planning" / "tasks" / "1.1.1.todo.md").read_text("utf-8")
    assert f"- use {MASK} {MASK}\n" in todo
    assert [path for path, text in texts(folder / "planning") if slipped(text)] == []
    assert f"I used {MASK} {MASK} for it" in (folder / "planning" / "STATE_1.md").read_text("utf-8")

    run = [(path, text) for path, text in texts(state) if "work" not in path.parts and "verify" not in path.parts]
    prompts = [text for path, text in run if path.name in ("prompt.md", "stdin")]
    assert any("FAILED VERIFICATION" in text and MASK in text for text in prompts)
    assert not any(map(slipped, prompts))
    orders = [text for path, text in run if path.name == "order"]
    assert len(orders) > 3 and not any(map(slipped, orders))
    assert not slipped(json.dumps(calls(tmp_path / "program")))

    shown = run_orch(folder, "log", "1.1.1", env=env)
    assert shown.out.startswith(f"I say {MASK} {MASK}\n"), shown
    words = (("log", "1.1.1"), ("log", "1.1.1", "--raw"), ("log", "1.1.1", "--json"), ("status", "--json"), ("resume",))
    parts = ("--plan", "--report", "--log", "--prompt", "--json")
    for line in (*words, *(("show", "1.1.1", part) for part in parts)):
        answer = run_orch(folder, *line, env=env)
        assert answer.code == 0 and not slipped(answer.out + answer.err), (line, answer)


def test_what_lies_in_the_run_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = leaking(tmp_path)
    state = tmp_path / "state"
    assert run_orch(folder, "next-wave", "--auto", env={"XDG_STATE_HOME": str(state)}).code == 0
    (run,) = (state / "orch").iterdir()
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    turns = list(run.glob("*/turns/*/*"))
    assert len(turns) == 3
    for turn in turns:
        assert stat.S_IMODE(turn.stat().st_mode) == 0o700, turn
        assert {path.name for path in turn.iterdir()} >= {"order", "prompt.md", "stdin", "stdout", "stderr", "exit"}
        for path in turn.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    run.chmod(0o755)
    run_orch(folder, "next-wave", env={"XDG_STATE_HOME": str(state)})
    # Nothing is left to do, so nothing was claimed; the next run closes it again.
    state_file = folder / "planning" / "STATE_1.md"
    state_file.write_text(state_file.read_text("utf-8").replace("| done |", "| open |", 1), "utf-8")
    run_orch(folder, "next-wave", "--auto", env={"XDG_STATE_HOME": str(state)})
    assert stat.S_IMODE(run.stat().st_mode) == 0o700


def test_errors_and_what_failed_beside_the_work_say_no_secret(tmp_path: Path) -> None:
    settings = "worktree: {setup: cat a.env >&2; exit 3}\n"
    folder = planned(tmp_path / "repo", [TASK], settings=settings, files={"a.env": f"{TOKEN}\n"})
    left = run_orch(folder, "next-wave", "--auto", env={"MY_KEY": KEY})
    assert left.code == 1 and MASK in left.out + left.err and TOKEN not in left.out + left.err, left
    assert [path for path, text in texts(folder / "planning" / "tasks") if TOKEN in text] == []
    refused = run_orch(folder, "show", KEY, env={"MY_KEY": KEY})
    assert refused.code == 1 and KEY not in refused.err and MASK in refused.err, refused
