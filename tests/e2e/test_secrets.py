"""What a worker, its program or a test lets slip: nowhere in the files, prompts and answers of orch, by whole calls."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.masking import MASK
from tests.e2e.test_hosted import MANUAL, handed_out
from tests.e2e.test_life_of_a_task import landed, todo
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


PLAIN = Task("1", ("a.dat",))
SECRETS = {"by shape": "AK" + "IA" + "IOSFODNN7EXAMPLE", "by value": KEY}


def of_ones_own(secret: str) -> str:
    """A micro-plan that a person writes, with a secret in its goal and in a step."""
    text = plan_text(PLAIN, steps=[f"Create `a.dat`: refuse {secret}", "Run `true`"])
    return text.replace("Do task 1.", f"Refuse {secret}.")


def taken_over(tmp_path: Path, text: str, env: dict[str, str]) -> tuple[Path, Path, Path]:
    """The repository, the worktree and the prompt of a task whose plan was taken over, with its turn handed out."""
    folder = planned(tmp_path / "repo", [PLAIN], worker=MANUAL, settings="gate: stop\n")
    _, worktree, _ = handed_out(run_orch(folder, "next-wave", env=env))[PLAIN.key]
    copy_of(worktree).write_text(plan_text(PLAIN), "utf-8")
    assert run_orch(folder, "next-wave", env=env).code == 3
    own = tmp_path / "own.md"
    own.write_text(text, "utf-8")
    assert run_orch(folder, "takeover", PLAIN.key, "--file", str(own), env=env).code == 0
    turn, worktree, prompt = handed_out(run_orch(folder, "next-wave", env=env))[PLAIN.key]
    assert turn == "takeover"
    return folder, worktree, prompt


def copy_of(worktree: Path) -> Path:
    return worktree / "planning" / "tasks" / f"{PLAIN.key}.todo.md"


def work(worktree: Path, text: str) -> None:
    (worktree / "a.dat").write_text("x\n", "utf-8")
    told = text.replace("- [ ]", "- [x]").partition("## Report")[0]
    copy_of(worktree).write_text(f"{told}\n## Report\n{report_text(['a.dat'])}", "utf-8")


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("how", ["as it was laid", "as it was shown", "as it was shown, printed"])
def test_a_plan_of_ones_own_with_a_secret_is_done_by_a_worker_that_is_shown_the_mask(
    tmp_path: Path, secret: str, how: str
) -> None:
    env = {"MY_KEY": KEY}
    folder, worktree, prompt = taken_over(tmp_path, of_ones_own(secret), env)
    told = prompt.read_text("utf-8")
    assert secret not in told and f"refuse {MASK}" in told
    laid = copy_of(worktree).read_text("utf-8")
    work(worktree, laid if how == "as it was laid" else laid.replace(secret, MASK))
    if how.endswith("printed"):
        said = tmp_path / "said.md"
        said.write_text(copy_of(worktree).read_text("utf-8"), "utf-8")
        copy_of(worktree).write_text(laid, "utf-8")
        assert run_orch(folder, "report", PLAIN.key, "--file", str(said), env=env).code == 0
    done = run_orch(folder, "next-wave", "--auto", env=env)
    assert (done.code, landed(folder)) == (0, ["feat: task 1"]), done
    kept = todo(folder, PLAIN.key)
    assert f"Refuse {secret}." in kept and f"- [x] 1. Create `a.dat`: refuse {secret}" in kept and MASK not in kept


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_changed_step_with_a_mask_is_blamed_once_and_a_retry_as_told_is_taken(tmp_path: Path, secret: str) -> None:
    env = {"MY_KEY": KEY}
    folder, worktree, _ = taken_over(tmp_path, of_ones_own(secret), env)
    laid = copy_of(worktree).read_text("utf-8")
    work(worktree, laid.replace("`a.dat`: refuse", "`a.dat`: allow"))
    again = run_orch(folder, "next-wave", "--auto", env=env)
    turn, worktree, prompt = handed_out(again)[PLAIN.key]
    told = prompt.read_text("utf-8")
    assert turn == "retry" and secret not in told + again.out + again.err
    blame = f"step 1 isn't the one approved: `Create 'a.dat': allow {MASK}` (`{MASK}` stands for a secret: leave it"
    assert blame in told
    assert secret not in todo(folder, PLAIN.key).partition("## Findings")[2]
    work(worktree, laid.replace(secret, MASK))
    done = run_orch(folder, "next-wave", "--auto", env=env)
    assert (done.code, landed(folder)) == (0, ["feat: task 1"]), done


@pytest.mark.parametrize("is_shown", [False, True])
def test_what_a_person_wrote_stays_though_the_plan_goes_back_to_its_worker(tmp_path: Path, is_shown: bool) -> None:
    env, secret = {"MY_KEY": KEY}, SECRETS["by shape"]
    folder = planned(tmp_path / "repo", [PLAIN], worker=MANUAL, settings="gate: stop\n")
    _, worktree, _ = handed_out(run_orch(folder, "next-wave", env=env))[PLAIN.key]
    copy_of(worktree).write_text(plan_text(PLAIN).replace("## Notes\n", f"## Notes\n- mine: {TOKEN}\n"), "utf-8")
    run_orch(folder, "next-wave", env=env)
    path = folder / "planning" / "tasks" / f"{PLAIN.key}.todo.md"
    text = path.read_text("utf-8").replace("- mine:", f"- a person's: {secret} and {KEY}\n- mine:")
    path.write_text(text.replace("Create `a.dat`", f"Create `a.dat`, not {KEY}"), "utf-8")
    assert run_orch(folder, "revise", PLAIN.key, "-m", f"mention {KEY}", env=env).code == 0
    _, worktree, prompt = handed_out(run_orch(folder, "next-wave", env=env))[PLAIN.key]
    assert KEY not in prompt.read_text("utf-8")
    laid = copy_of(worktree).read_text("utf-8").replace("Do task 1.", f"Do it, {KEY} or not.")
    copy_of(worktree).write_text(laid.replace(secret, MASK).replace(KEY, MASK) if is_shown else laid, "utf-8")
    assert run_orch(folder, "next-wave", env=env).code == 3
    kept = todo(folder, PLAIN.key)
    assert f"- a person's: {secret} and {KEY}\n- mine: {MASK}\n" in kept
    assert f"1. Create `a.dat`, not {KEY}\n" in kept and f"Do it, {MASK} or not." in kept


def test_a_value_that_is_a_plain_word_or_stands_in_a_path_of_the_scope_breaks_nothing(tmp_path: Path) -> None:
    task = Task("1", ("orders-v2.dat",))
    folder = planned(tmp_path / "repo", [task])
    state = tmp_path / "state"
    env = {"FOO_API_KEY": "planning", "ORDERS_TOKEN": "orders-v2", "XDG_STATE_HOME": str(state)}
    done = run_orch(folder, "next-wave", "--auto", env=env)
    assert (done.code, landed(folder)) == (0, ["feat: task 1"]), done
    assert "planning" in run_orch(folder, "show", task.key, env=env).out
    written = [*texts(folder / "planning"), *(one for one in texts(state) if one[0].name == "prompt.md")]
    assert len(written) > 4
    assert [path for path, text in written if MASK in text] == []


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
