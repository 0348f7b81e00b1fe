"""Real agent programs against the scripted model server: where they are, and what each needs to meet it.

The programs are installed by `python -m tests.support.install_agents` into a folder outside the checkout; the server is
part of the shared material. A test that finds one of the two missing is skipped, with the reason.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pwd
import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.shared import shared

PINNED = {
    "claude": ("@anthropic-ai/claude-code", "2.1.332"),
    "codex": ("@openai/codex", "0.171.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "qwen": ("@qwen-code/qwen-code", "0.15.10"),
    "copilot": ("@github/copilot", "1.0.102"),
    "opencode": ("opencode-ai", "1.18.33"),
}
"""By driver: package and version."""
IN_CI = ("claude", "codex", "gemini")
"""Those that every run of CI installs. The others are large and slow: installed by name, and run where asked for."""
MORE = "ORCH_AGENTS_MORE"
_IS_MORE = bool(os.environ.get(MORE))
_KEPT = {
    "qwen": (".qwen",),
    "copilot": (".copilot", ".cache/copilot"),
    "opencode": (".cache/opencode", ".config/opencode", ".local/share/opencode", ".local/state/opencode"),
}
"""Folders below HOME that are there once somebody has used the program."""
KEY = "fake-key"
PLACE = "${find:Work only inside this folder: .(/[^`]+)}"
"""The worktree, from the prompt of the plan turn: in later turns only a session that goes on holds it."""
_GEMINI = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False, "maxAttempts": 2},
}
# Before the tests set a HOME of their own.
_HOME = Path(os.environ.get("ORCH_AGENTS") or Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "orch", "agents"))


def prefix(name: str) -> Path:
    """Where the pinned version of a program is, or would be, installed."""
    return _HOME / f"{name}-{PINNED[name][1]}"


def program_in(folder: Path, name: str) -> Path:
    """Where a program lies that npm has installed into the folder."""
    return folder / "node_modules" / ".bin" / name


def installed(name: str) -> Path:
    """The program; skips the test where it isn't installed, or takes long and isn't asked for."""
    if name not in IN_CI and not _IS_MORE:
        pytest.skip(f"{name} takes minutes: {MORE}=1 runs it")
    found = program_in(prefix(name), name)
    if not found.exists():
        pytest.skip(f"{name} {PINNED[name][1]} isn't installed (python -m tests.support.install_agents)")
    return found


def fakemodel() -> ModuleType:
    """The scripted model server; skips the test where the shared material isn't there."""
    path = shared("fakemodel", "fakemodel.py")
    if "fakemodel" not in sys.modules:
        spec = importlib.util.spec_from_file_location("fakemodel", path)
        assert spec and spec.loader
        sys.modules["fakemodel"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules["fakemodel"]


def serving(script: object) -> AbstractContextManager[Any]:
    """A server with that script, on a port of loopback that is free."""
    running: AbstractContextManager[Any] = fakemodel().Running(script, key=KEY)
    return running


@dataclass(frozen=True, slots=True)
class Agent:
    """How a worker of this kind is set up in ORCH.md, and the environment orch gets for it."""

    name: str
    worker: dict[str, object]
    env: dict[str, str] = field(default_factory=dict)


def agent(name: str, url: str, home: Path) -> Agent:
    """The program of that driver, set to ask the server at `url`. `home` is a folder for its own files."""
    program = str(installed(name))
    home.mkdir(parents=True, exist_ok=True)
    env = {"HOME": str(home)}
    for kept in _KEPT.get(name, ()):
        (home / kept).mkdir(parents=True, exist_ok=True)
    worker: dict[str, object] = {"driver": name, "program": program}
    match name:
        case "claude":
            env |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}
            worker |= {"model": "claude-sonnet-5-5", "env": ["ANTHROPIC_BASE_URL"]}
        case "codex":
            env |= {"CODEX_HOME": str(home / "codex"), "FAKE_KEY": KEY}
            (home / "codex").mkdir(exist_ok=True)
            provider = (
                f'model_providers.fake={{name="fake",base_url="{url}/v1",env_key="FAKE_KEY",wire_api="responses",'
                "request_max_retries=1,stream_max_retries=1}"
            )
            args = ["-c", 'model_provider="fake"', "-c", provider]
            worker |= {"model": "gpt-5.5", "env": ["FAKE_KEY"], "args": args}
        case "gemini":
            env |= {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": KEY}
            settings = home / ".gemini" / "settings.json"
            settings.parent.mkdir(exist_ok=True)
            settings.write_text(json.dumps(_GEMINI), "utf-8")
            worker |= {"model": "gemini-2.5-pro", "env": ["GOOGLE_GEMINI_BASE_URL"]}
        case "qwen":
            env |= {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": KEY}
            worker |= {"model": "fake-model", "env": ["OPENAI_BASE_URL"], "args": ["--auth-type", "openai"]}
        case "copilot":
            env |= {"COPILOT_PROVIDER_BASE_URL": f"{url}/v1", "COPILOT_PROVIDER_API_KEY": KEY}
            env |= {"COPILOT_OFFLINE": "true"}
            worker |= {"model": "fake-model", "env": ["COPILOT_PROVIDER_BASE_URL", "COPILOT_OFFLINE"]}
        case "opencode":
            env |= {"OPENCODE_CONFIG_CONTENT": json.dumps(_opencode(url)), "OPENCODE_DISABLE_MODELS_FETCH": "1"}
            env |= {"FAKE_KEY": KEY}
            names = ["FAKE_KEY", "OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_MODELS_FETCH"]
            worker |= {"model": "fake/fake-model", "env": names}
    return Agent(name, worker, env)


def shell(command: str) -> dict[str, list[object]]:
    """By program: the tool call that runs a command."""
    more = {"description": "run", "is_background": False}
    return {
        "claude": [{"tool": "Bash", "input": {"command": command, "description": "run"}}],
        "codex": [{"tool": "exec_command", "input": {"cmd": command}}],
        "gemini": [{"tool": "run_shell_command", "input": {"command": command, **more}}],
        "qwen": [{"tool": "run_shell_command", "input": {"command": command, **more}}],
        "copilot": [{"tool": "bash", "input": {"command": command, "description": "run"}}],
        "opencode": [{"tool": "bash", "input": {"command": command, "description": "run"}}],
    }


def write(path: str, text: str, *, top: str = f"{PLACE}/") -> dict[str, list[object]]:
    """By program: the tool call that writes a file. The others write over none that they haven't read.

    top: what stands before the path, in programs that take absolute ones.
    """
    patch = f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch\n"
    given = {"file_path": f"{top}{path}", "content": f"{text}\n"}
    return {
        "claude": [{"tool": "Write", "input": given}],
        "codex": [{"tool": "apply_patch", "input": patch}],
        "gemini": [{"tool": "write_file", "input": given}],
    }


def _opencode(url: str) -> dict[str, object]:
    """A provider of its own for the server."""
    limit, cost = {"context": 200000, "output": 8000}, {"input": 3, "output": 15}
    options = {"baseURL": f"{url}/v1", "apiKey": "{env:FAKE_KEY}"}
    models = {"fake-model": {"limit": limit, "cost": cost}}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": models}
    return {"small_model": "fake/fake-model", "provider": {"fake": provider}}
