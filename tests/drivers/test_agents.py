"""What holds for every driver of an agent program, by whole turns of a stub that replays what such programs say."""

from __future__ import annotations

import os
import re
import shlex
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.base import TurnOrder, TurnResult, traits_of
from orchestrator.model.settings import Worker
from orchestrator.process.carriers import carriers
from tests.drivers.recorded import AGENTS, HANGS, NAMES, NOTHING, begun, cut, with_chatter
from tests.drivers.turns import new_order, take
from tests.support.recordings import SAID, SESSION, STAYS, Recorded

TELLS_NO_TOKENS = ("copilot",)
every_agent = pytest.mark.parametrize("name", NAMES)


def stub(folder: Path, recorded: Recorded) -> str:
    """A program that notes how it was called, says what was recorded, and leaves as was recorded."""
    (folder / "stream").write_text(recorded.out)
    (folder / "chatter").write_text(recorded.err)
    place = shlex.quote(str(folder))
    program = folder / "stub"
    program.write_text(
        f"#!/bin/sh\ncd {place}\ncat > prompt-seen\nprintf '%s\\n' \"$@\" > argv\nenv > env\n"
        f"cat stream\ncat chatter >&2\n{recorded.leaving}"
    )
    program.chmod(0o755)
    return str(program)


def order_for(
    name: str, folder: Path, recorded: Recorded, *, timeout: float = 20.0, resumes: bool = False, **changes: object
) -> TurnOrder:
    worker = Worker(
        "small", name, model="model-1", timeout=timeout, stall=0.0, options={"program": stub(folder, recorded)}
    )
    is_chosen = traits_of(registry.find(name)).sessions == "chosen"
    session = SESSION if is_chosen or resumes else ""
    return new_order(folder, worker, session=session, is_resumed=resumes, **changes)


def take_of(name: str, folder: Path, recorded: Recorded, **changes: object) -> TurnResult:
    return take(registry.find(name), order_for(name, folder, recorded, **changes))


def first_of(result: TurnResult) -> str:
    """The first line of the message: below it is chatter."""
    return result.message.split("\n")[0]


@every_agent
@pytest.mark.parametrize("kind", ["finished", "retries", "chatter"])
def test_a_finished_turn_tells_what_was_said_its_session_and_its_tokens(name: str, kind: str, tmp_path: Path) -> None:
    result = take_of(name, tmp_path, with_chatter(name) if kind == "chatter" else AGENTS[name][kind])
    assert (result.outcome, result.message, result.session) == ("finished", "", SESSION)
    assert result.text.splitlines()[-1] == SAID
    if name not in TELLS_NO_TOKENS:
        assert (result.usage["in"], result.usage["out"]) == (1000, 20)


@every_agent
def test_an_end_without_the_word_that_says_so_is_no_answer(name: str, tmp_path: Path) -> None:
    result = take_of(name, tmp_path, begun(name))
    assert (result.outcome, result.session) == ("no-answer", SESSION)
    assert result.text.endswith(SAID)


@every_agent
def test_no_output_at_all_is_no_answer(name: str, tmp_path: Path) -> None:
    result = take_of(name, tmp_path, NOTHING)
    assert (result.outcome, result.text) == ("no-answer", "")


@every_agent
def test_a_line_that_was_cut_is_left_out(name: str, tmp_path: Path) -> None:
    result = take_of(name, tmp_path, cut(name))
    assert result.outcome == "failed"
    assert result.text.endswith(SAID)
    assert result.is_partial == bool(result.usage)
    # Of opencode the steps before it have told their price.
    assert ("usd" in result.usage) == (name == "opencode")


@every_agent
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_program_that_dies_by_a_signal_failed_and_keeps_its_session(
    name: str, signum: signal.Signals, tmp_path: Path
) -> None:
    result = take_of(name, tmp_path, replace(begun(name), code=-signum))
    assert (result.outcome, first_of(result)) == ("failed", f"ended by signal {int(signum)} ({signum.name})")
    assert result.session == SESSION


@every_agent
@pytest.mark.parametrize("kind", ["begun", "nothing"])
def test_a_program_that_hangs_meets_its_limit(name: str, kind: str, tmp_path: Path) -> None:
    recorded = replace(begun(name), then=STAYS) if kind == "begun" else HANGS
    result = take_of(name, tmp_path, recorded, timeout=1.0)
    assert (result.outcome, first_of(result)) == ("limit", "not over after 1s (`timeout`)")
    assert result.session == (SESSION if kind == "begun" else "")


@every_agent
@pytest.mark.parametrize("resumes", [False, True], ids=["new", "resumed"])
@pytest.mark.parametrize(
    ("recorded", "keeps"),
    [(HANGS, True), (replace(NOTHING, code=-signal.SIGKILL), True), (replace(NOTHING, code=1), False)],
    ids=["hung", "killed", "gave up"],
)
def test_a_turn_that_ends_before_its_first_word_leaves_the_session_of_the_turns_before(
    name: str, recorded: Recorded, keeps: bool, resumes: bool, tmp_path: Path
) -> None:
    result = take_of(name, tmp_path, recorded, timeout=0.5 if recorded is HANGS else 20.0, resumes=resumes)
    assert result.session == (SESSION if keeps and resumes else "")


@every_agent
def test_a_stream_that_stalls_meets_the_limit_of_silence(name: str, tmp_path: Path) -> None:
    order = order_for(name, tmp_path, replace(begun(name), then=STAYS))
    result = take(registry.find(name), replace(order, worker=replace(order.worker, stall=0.5)))
    assert (result.outcome, first_of(result)) == ("limit", "no sign of life for 0.5s (`stall`)")


@every_agent
def test_a_tool_that_is_left_running_is_ended_with_the_turn(name: str, tmp_path: Path) -> None:
    recorded = replace(AGENTS[name]["finished"], then="setsid sleep 300 >/dev/null 2>&1 &")
    order = order_for(name, tmp_path, recorded)
    assert take(registry.find(name), order).outcome == "finished"
    until = time.monotonic() + 5
    while carriers(order.marker) and time.monotonic() < until:
        time.sleep(0.02)
    assert carriers(order.marker) == []


@every_agent
def test_a_program_that_is_not_there_never_ran(name: str, tmp_path: Path) -> None:
    order = order_for(name, tmp_path, NOTHING)
    Path(str(order.worker.options["program"])).unlink()
    result = take(registry.find(name), order)
    assert result.outcome == "never-ran"
    assert "No such file or directory" in result.message


@every_agent
def test_the_prompt_is_on_standard_input_and_nowhere_else(name: str, tmp_path: Path) -> None:
    order = order_for(name, tmp_path, AGENTS[name]["finished"], prompt="a secret thought")
    take(registry.find(name), order)
    assert (tmp_path / "prompt-seen").read_text() == "a secret thought"
    assert "secret" not in (tmp_path / "argv").read_text()


@every_agent
def test_only_turns_after_approval_may_write(name: str, tmp_path: Path) -> None:
    order = order_for(name, tmp_path, NOTHING)
    driver = registry.find(name)
    plan, review, work = (
        " ".join(driver.invocation(replace(order, turn=turn)).argv) for turn in ("plan", "review", "execute")
    )
    closed = re.compile(r"--(?:permission|approval)-mode plan|sandbox_mode=.read-only|--agent plan")
    assert plan == review
    # Copilot allows nothing that isn't allowed.
    assert closed.search(plan) or (name == "copilot" and "--allow" not in plan)
    assert not closed.search(work) and (name != "copilot" or "--allow" in work)


@every_agent
def test_a_later_turn_names_the_session_and_a_first_one_begins_it(name: str, tmp_path: Path) -> None:
    driver = registry.find(name)
    order = order_for(name, tmp_path, NOTHING)
    first = " ".join(driver.invocation(order).argv)
    later = " ".join(driver.invocation(replace(order, session=SESSION, is_resumed=True)).argv)
    assert re.search(f"resume.*{SESSION}|--session {SESSION}", later)
    assert "resume" not in first and later != first


@every_agent
def test_what_a_host_session_leaves_in_the_environment_does_not_reach_the_worker(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = (
        "ANTHROPIC_BASE_URL",
        "OPENAI_BASE_URL",
        "GOOGLE_GEMINI_BASE_URL",
        "ANTHROPIC_CUSTOM_HEADERS",
        "CLAUDECODE",
    )
    for variable in (*hosts, "SOME_API_KEY", "GIT_DIR"):
        monkeypatch.setenv(variable, "leaked")
    monkeypatch.setenv("MY_URL", "wanted")
    order = order_for(name, tmp_path, AGENTS[name]["finished"])
    order = replace(order, environ=dict(os.environ), worker=replace(order.worker, env=("MY_URL",)))
    take(registry.find(name), order)
    seen = (tmp_path / "env").read_text()
    assert "leaked" not in seen
    assert "MY_URL=wanted\n" in seen
    assert f"ORCH_RUN_ID={order.marker}\n" in seen


@every_agent
def test_a_key_reaches_the_program_by_its_environment_and_by_nothing_else(name: str, tmp_path: Path) -> None:
    names = (
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "OPENAI_API_KEY",
        "CODEX_API_KEY",
        "GEMINI_API_KEY",
        "COPILOT_GITHUB_TOKEN",
    )
    keys = {variable: f"value-of-{variable}-1" for variable in names}
    order = order_for(name, tmp_path, AGENTS[name]["finished"])
    order = replace(order, environ={**os.environ, **keys}, turn="execute")
    made = registry.find(name).invocation(order)
    assert any(value in made.env.values() for value in keys.values())
    assert not any(value in word for value in keys.values() for word in (*made.argv, made.stdin))
    take(registry.find(name), order)
    (run,) = tmp_path.glob("turn-*")
    for path in run.iterdir():
        text = path.read_text("utf-8", errors="replace")
        assert not any(value in text for value in keys.values()), path


@every_agent
def test_a_worker_with_nothing_but_its_driver_can_run_and_a_misspelt_key_is_a_problem(name: str) -> None:
    driver = registry.find(name)
    assert driver.problems(Worker("small", name)) == ()
    (fault,) = driver.problems(Worker("small", name, options={"sandbox": "off"}))
    assert fault.startswith(f"`sandbox` is no key of the driver {name}: it has program, args, permissions")
    assert driver.problems(Worker("small", name, options={"permissions": "some"})) == (
        "`permissions: some` isn't known: write edits or all",
    )


@every_agent
def test_a_key_among_the_arguments_is_refused_and_not_said_again(name: str) -> None:
    key = "sk-" + "proj-" + "aB3" * 12
    (fault,) = registry.find(name).problems(Worker("small", name, options={"args": ("--key", key)}))
    assert fault.startswith("`args` holds what looks like a key") and key not in fault


@every_agent
def test_the_order_alone_decides_the_invocation(name: str, tmp_path: Path) -> None:
    order = order_for(name, tmp_path, NOTHING)
    first = registry.find(name).invocation(order)
    os.environ["LANG"] = "changed"
    assert registry.find(name).invocation(order) == first
    assert (first.cwd, first.stdin) == (order.worktree, order.prompt)


@every_agent
def test_the_folder_that_the_environment_names_is_the_workers_own(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PWD", "/the/main/checkout")
    order = order_for(name, tmp_path, AGENTS[name]["finished"])
    assert registry.find(name).invocation(order).env["PWD"] == order.worktree
