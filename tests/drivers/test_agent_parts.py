"""What drivers of agent programs share, and what is each one's own: counters, models, words of errors."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from orchestrator.drivers import registry
from orchestrator.drivers.agent import is_same_model
from orchestrator.drivers.base import reason_in
from orchestrator.drivers.streams import events, number, part, text, texts
from orchestrator.drivers.weather import classify, told_wait
from orchestrator.model.settings import Worker
from tests.drivers.recorded import AGENTS, begun
from tests.drivers.test_agents import order_for
from tests.drivers.turns import take
from tests.support.recordings import SESSION, STAYS


@pytest.mark.parametrize(
    ("wanted", "used", "same"),
    [
        ("gpt-5.5", "gpt-5.5", True),
        ("claude-opus-4-1", "claude-opus-4-1-20250805", True),
        ("sonnet", "claude-sonnet-5-5", True),
        ("fake/model-1", "model-1", True),
        ("", "anything", True),
        ("claude-opus-4-1", "claude-opus-5-5", False),
        ("gemini-2.5-pro", "gemini-2.5-flash", False),
        ("haiku", "claude-sonnet-5-5", False),
    ],
)
def test_a_model_is_the_one_asked_for_by_name_alias_or_date(wanted: str, used: str, same: bool) -> None:
    assert is_same_model(wanted, used) is same


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 20s.", 20.0),
        ("try again in 1m 30s", 90.0),
        ("Try again in 2 hours", 7200.0),
        ("retry after 1.5 minutes", 90.0),
        ("limit resets in 3h, 5m", 11100.0),
        ("retry in 900 ms", 0.9),
        ("wait and try again later", 0.0),
        ("try again in 90 days", 604800.0),
        ("step 3 hit an error", 0.0),
    ],
)
def test_the_time_that_a_service_asks_for_is_read(message: str, seconds: float) -> None:
    assert told_wait(message) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("or try again at 3:05 PM.", 3900.0),
        ("limit resets 3pm", 3600.0),
        ("try again at 2:00 PM.", 86400.0),
        ("try again at 12:30 AM.", 37800.0),
        ("try again at May 5th, 2026 12:00 PM.", 338400.0),
        ("try again at Jan 1st, 2100 12:00 AM.", 604800.0),
        ("try again at Jan 1st, 2000 12:00 AM.", 0.0),
        ("try again at Foo 99th, 2026 99:00 AM.", 0.0),
        ("try again in 1m, not at 3:05 PM", 60.0),
        ("try again later", 0.0),
    ],
)
def test_a_time_of_day_that_a_service_names_is_the_next_one_of_its_kind(message: str, seconds: float) -> None:
    now = datetime(2026, 5, 1, 14, 0).timestamp()
    assert told_wait(message, now) == pytest.approx(seconds)
    assert told_wait("try again at 3:05 PM.") == 0.0


@pytest.mark.parametrize(
    ("message", "status", "outcome"),
    [
        ("You've hit your usage limit. Upgrade to go on.", 0, "quota"),
        ("RESOURCE_EXHAUSTED", 0, "quota"),
        ("no words", 402, "quota"),
        ("Invalid API key provided", 0, "quota"),
        ("upstream: authentication handshake failed", 503, "api-error"),
        ("socket hang up", 0, "api-error"),
        ("Server error mid-response", 0, "api-error"),
        ("prompt is too long", 400, "failed"),
        ("max_tokens must be at most 100", 0, "failed"),
        ("timeout is no valid parameter", 400, "failed"),
    ],
)
def test_an_error_is_the_accounts_the_services_or_the_requests(message: str, status: int, outcome: str) -> None:
    assert classify(message, status)[0] == outcome


def test_a_stream_is_read_past_bytes_and_lines_that_are_none_of_it(tmp_path: Path) -> None:
    file = tmp_path / "stream"
    file.write_bytes(b'\xff\xfe noise\n{"a": "\xff"}\n[1]\n{"b": 1\n  {"type": "x", "n": true, "m": {"k": 2}}\n{"cut')
    first, second = events(file)
    assert (text(first, "a"), text(first, "b")) == ("\ufffd", "")
    assert (number(second, "n"), number(second, "m", "k"), number(second, "m", "k", "j")) == (0.0, 2.0, 0.0)
    assert (part(second, "m", "k"), texts(second, "m", "k")) == ({}, "")
    assert list(events(tmp_path / "none")) == []


def test_codex_counts_over_the_thread_so_the_turns_before_are_taken_off(tmp_path: Path) -> None:
    order = order_for(
        "codex", tmp_path, AGENTS["codex"]["finished"], resumes=True, spent={"in": 300.0, "cached": 40.0, "out": 5.0}
    )
    assert take(registry.find("codex"), order).usage == {"in": 700.0, "cached": 60.0, "out": 15.0}


def test_a_price_over_the_whole_session_is_told_from_one_of_the_turn(tmp_path: Path) -> None:
    driver = registry.find("claude")
    order = order_for("claude", tmp_path, AGENTS["claude"]["finished"], spent={"in": 500.0, "usd": 0.001})
    assert take(driver, order).usage["usd"] == 0.00201

    last = AGENTS["claude"]["finished"].lines[-1]
    assert isinstance(last, dict)
    whole = {**last, "modelUsage": {"model-1": {"inputTokens": 1500, "outputTokens": 40}}}
    (tmp_path / "two").mkdir()
    order = order_for(
        "claude", tmp_path / "two", replace(AGENTS["claude"]["finished"], lines=(whole,)), spent=order.spent
    )
    assert take(driver, order).usage["usd"] == pytest.approx(0.00101)


def test_the_model_that_wrote_is_named_and_not_the_one_that_the_program_asked_for(tmp_path: Path) -> None:
    last = AGENTS["claude"]["finished"].lines[-1]
    assert isinstance(last, dict)
    moved = {**last, "modelUsage": {"helper": {"outputTokens": 1}, "model-2": {"outputTokens": 20}}}
    begun = AGENTS["claude"]["finished"].lines[0]
    order = order_for("claude", tmp_path, replace(AGENTS["claude"]["finished"], lines=(begun, moved)))
    assert take(registry.find("claude"), order).model == "model-2"


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("claude", {}, ["--permission-mode", "acceptEdits", "--allowedTools=Bash"]),
        ("claude", {"allow": ("Bash(pytest *)", "WebFetch")}, ["--allowedTools=Bash(pytest *),WebFetch"]),
        ("claude", {"permissions": "all"}, ["--permission-mode", "bypassPermissions"]),
        ("claude", {"budget": "2.5"}, ["--max-budget-usd", "2.5"]),
        ("codex", {}, ['sandbox_mode="workspace-write"']),
        ("codex", {"permissions": "all"}, ['sandbox_mode="danger-full-access"']),
        ("codex", {"network": "true"}, ["sandbox_workspace_write.network_access=true"]),
        ("gemini", {}, ["--approval-mode", "yolo"]),
        ("gemini", {"permissions": "edits"}, ["--approval-mode", "auto_edit"]),
        ("gemini", {"args": ("--flag", "x")}, ["--flag", "x"]),
        ("qwen", {}, ["--approval-mode", "yolo"]),
        ("qwen", {"permissions": "edits"}, ["--approval-mode", "auto-edit"]),
        ("copilot", {}, ["--allow-all-tools"]),
        ("copilot", {"permissions": "edits"}, ["--allow-tool=write"]),
        ("opencode", {}, ["--agent", "build"]),
    ],
)
def test_a_key_of_the_settings_reaches_the_command_line(
    name: str, options: dict[str, object], words: list[str], tmp_path: Path
) -> None:
    order = order_for(name, tmp_path, AGENTS["claude"]["finished"], turn="execute")
    driver = registry.find(name)
    worker = replace(order.worker, options=options)
    assert driver.problems(worker) == ()
    argv = driver.invocation(replace(order, worker=worker)).argv
    at = argv.index(words[0])
    assert list(argv[at : at + len(words)]) == words


@pytest.mark.parametrize("budget", ["²", "nan", "1e3", "-1", "two", "1.2.3"])
def test_a_budget_that_is_no_sum_of_money_is_a_problem(budget: str) -> None:
    (fault,) = registry.find("claude").problems(Worker("small", "claude", options={"budget": budget}))
    assert fault == f"`budget: {budget}` is no number: write dollars for one turn, such as `budget: 2.5`"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("ended by signal 9 (SIGKILL)\na warning", "ended by signal 9 (SIGKILL)"),
        ("API Error: overloaded\nPlease wait", "API Error: overloaded"),
        ("exit code 7\nreading\nno luck", "no luck"),
        ("exit code 7", ""),
        ("", ""),
    ],
)
def test_the_reason_of_an_end_is_told_by_one_line(message: str, reason: str) -> None:
    assert reason_in(message) == reason


def test_a_turn_that_waits_for_its_account_until_it_is_ended_leaves_the_account_at_rest(tmp_path: Path) -> None:
    waits = replace(AGENTS["codex"]["429-wait"], then=STAYS)
    result = take(registry.find("codex"), order_for("codex", tmp_path, waits, timeout=1.0))
    assert (result.outcome, result.message.split("\n")) == (
        "quota",
        [
            "Reconnecting... 1/1 (exceeded retry limit, last status: 429 Too Many Requests)",
            "not over after 1s (`timeout`)",
        ],
    )
    # It went on, and hung later: that was no matter of the account.
    goes_on = replace(waits, lines=(*waits.lines, *begun("codex").lines[2:]))
    (tmp_path / "two").mkdir()
    result = take(registry.find("codex"), order_for("codex", tmp_path / "two", goes_on, timeout=1.0))
    assert (result.outcome, result.message) == ("limit", "not over after 1s (`timeout`)")


@pytest.mark.parametrize("name", ["codex", "gemini", "copilot", "opencode"])
def test_a_limit_of_turns_that_a_program_does_not_keep_is_a_problem(name: str) -> None:
    (fault,) = registry.find(name).problems(Worker("small", name, turns=40))
    assert fault.startswith(f"`turns` can't be kept by {name}: take it out")


def test_the_program_behind_the_launcher_of_npm_is_started(tmp_path: Path) -> None:
    scope = tmp_path / "node_modules" / "@openai"
    launcher = scope / "codex" / "bin" / "codex.js"
    native = scope / "codex-any" / "vendor" / "some-target" / "bin" / "codex"
    for file in (launcher, native):
        file.parent.mkdir(parents=True)
        file.write_text("#!/bin/sh\n")
        file.chmod(0o755)
    (tmp_path / "codex").symlink_to(launcher)
    order = order_for("codex", tmp_path, AGENTS["codex"]["finished"])
    order = replace(order, worker=replace(order.worker, options={}), environ={"PATH": str(tmp_path)})
    assert registry.find("codex").invocation(order).argv[0] == str(native)
    assert SESSION not in registry.find("codex").invocation(order).argv


def test_qwen_counts_over_the_session_so_the_turns_before_are_taken_off(tmp_path: Path) -> None:
    spent = {"in": 300.0, "cached": 40.0, "out": 5.0}
    order = order_for("qwen", tmp_path, AGENTS["qwen"]["finished"], resumes=True, spent=spent)
    assert take(registry.find("qwen"), order).usage == {"in": 700.0, "cached": 60.0, "out": 15.0}


def test_the_messages_of_a_qwen_turn_that_was_cut_off_are_its_own(tmp_path: Path) -> None:
    order = order_for("qwen", tmp_path, begun("qwen"), resumes=True, spent={"in": 300.0, "out": 5.0})
    cut = take(registry.find("qwen"), order)
    assert (cut.usage, cut.is_partial) == ({"in": 1000.0, "cached": 100.0, "out": 20.0}, True)


def test_what_gemini_thought_counts_as_written(tmp_path: Path) -> None:
    *lines, last = AGENTS["gemini"]["finished"].lines
    assert isinstance(last, dict)
    stats = {"total_tokens": 1120, "input_tokens": 1000, "output_tokens": 20, "cached": 300}
    thought = replace(AGENTS["gemini"]["finished"], lines=(*lines, {**last, "stats": stats}))
    usage = take(registry.find("gemini"), order_for("gemini", tmp_path, thought)).usage
    assert usage == {"in": 1000.0, "cached": 300.0, "out": 120.0}


def test_opencode_adds_its_steps_up_and_of_one_that_was_cut_off_knows_the_least(tmp_path: Path) -> None:
    driver = registry.find("opencode")
    whole = take(driver, order_for("opencode", tmp_path, AGENTS["opencode"]["finished"]))
    assert (whole.usage, whole.is_partial) == ({"in": 1000.0, "cached": 100.0, "out": 20.0, "usd": 0.003}, False)
    (tmp_path / "two").mkdir()
    cut = take(driver, order_for("opencode", tmp_path / "two", begun("opencode")))
    assert (cut.usage, cut.is_partial) == ({"in": 500.0, "cached": 50.0, "out": 10.0, "usd": 0.0015}, True)


def test_opencode_keeps_the_settings_that_are_passed_on_and_decides_what_may_be_done(tmp_path: Path) -> None:
    order = order_for("opencode", tmp_path, AGENTS["opencode"]["finished"])
    given = {"provider": {"mine": {}}, "permission": {"bash": "allow"}, "agent": {"other": {}, "plan": {"x": 1}}}
    named = replace(order.worker, env=("OPENCODE_CONFIG_CONTENT",))
    order = replace(order, worker=named, environ={"OPENCODE_CONFIG_CONTENT": json.dumps(given)})
    env = registry.find("opencode").invocation(order).env
    config = json.loads(env["OPENCODE_CONFIG_CONTENT"])
    assert config["provider"] == {"mine": {}}
    assert config["agent"] == {"other": {}, "plan": {"permission": {"edit": "deny", "bash": "deny"}}}
    assert config["permission"]["external_directory"] == "deny"
    assert env["TMPDIR"] == order.folder


@pytest.mark.parametrize("name", ["gemini", "qwen"])
def test_what_is_fixed_for_a_program_wins_over_what_every_worker_inherits_unless_the_settings_name_it(
    name: str, tmp_path: Path
) -> None:
    order = replace(order_for(name, tmp_path, AGENTS[name]["finished"]), environ={"TERM": "dumb", "LANG": "C"})
    driver = registry.find(name)
    env = driver.invocation(order).env
    assert (env["TERM"], env["LANG"]) == ("xterm-256color", "C")
    named = replace(order, worker=replace(order.worker, env=("TERM",)))
    assert driver.invocation(named).env["TERM"] == "dumb"
