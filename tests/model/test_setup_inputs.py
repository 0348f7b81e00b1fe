"""Which setups depend on lock files and manifests alone."""

from __future__ import annotations

import pytest

from orchestrator.model.setup_inputs import is_input, named_files, only_installs

PLAIN = {"package.json": '{"scripts": {"test": "jest", "build": "tsc"}}', "pyproject.toml": "[project]\nname = 'x'\n"}


@pytest.mark.parametrize(
    "command",
    [
        "npm ci",
        "npm ci --silent",
        "npm install",
        "pnpm install --frozen-lockfile",
        "yarn",
        "yarn install --immutable",
        "bun install",
        "python -m venv .venv && .venv/bin/pip install -q -r requirements.txt",
        "python3.11 -m pip install -r requirements/dev.txt",
        "pip install -e .",
        "pip install --editable ./lib",
        "uv sync",
        "uv pip install -r requirements.txt",
        "poetry install",
        "bundle install",
        "go mod download",
        "cargo fetch --locked",
    ],
)
def test_a_plain_installation_depends_on_what_it_installs(command: str) -> None:
    assert only_installs(command, PLAIN.get)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "make deps",
        "sh setup.sh",
        "npm run build",
        "npm ci && npm run build",
        "npm ci; make",
        "npm ci | tee log",
        "npm ci > log",
        "npm ci $EXTRA",
        "cd sub && npm ci",
        "FOO=1 npm ci",
        "npm",
        "npm cite",
        "pip install .",
        "pip install ./lib",
        "pip install -q .",
        "pip download x",
        "python setup.py develop",
        "go build ./...",
        "cargo build",
        "npm ci 'unclosed",
    ],
)
def test_whatever_else_is_run_depends_on_everything(command: str) -> None:
    assert not only_installs(command, PLAIN.get)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("npm ci", {"package.json": '{"scripts": {"prepare": "tsc"}}'}),
        ("npm ci", {"package.json": '{"scripts": {"postinstall" : "node x.js"}}'}),
        ("npm ci", {"binding.gyp": "{}"}),
        ("pip install -e .", {"setup.py": "setup(ext_modules=[...])"}),
        ("pip install -e .", {"pyproject.toml": 'build-backend = "maturin"'}),
        ("uv sync", {"pyproject.toml": 'requires = ["scikit-build-core"]'}),
    ],
)
def test_an_installation_that_builds_something_of_the_project_depends_on_everything(
    command: str, files: dict[str, str]
) -> None:
    assert not only_installs(command, files.get)


def test_lock_files_and_manifests_are_known_in_any_folder() -> None:
    known = ["package-lock.json", "web/package.json", "go.sum", ".npmrc", "constraints.txt"]
    known += ["requirements.txt", "requirements-dev.txt", "a/dev_requirements.txt"]
    assert [path for path in known if not is_input(path)] == []
    assert [path for path in ("notes.txt", "src/package.json.ts", "requirements.md", "lock") if is_input(path)] == []


def test_the_files_that_a_command_names_are_its_words() -> None:
    named = named_files("pip install -r ./req/dev.in --constraint=limits.txt")
    assert {"req/dev.in", "limits.txt"} <= named
    assert named_files("echo 'unclosed") == frozenset()
