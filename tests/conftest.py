"""Isolation for every test: own HOME and git configuration, no inherited settings, an empty working directory."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Before hypothesis is imported: its files belong into the checkout's ignored folder, wherever the tests run.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(ROOT / ".hypothesis"))

import hypothesis  # noqa: E402
import pytest  # noqa: E402

hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")

GIT_CONFIG = """\
[user]
\tname = Test Person
\temail = test@example.org
[init]
\tdefaultBranch = main
[commit]
\tgpgSign = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
[advice]
\tdetachedHead = false
"""

_DROPPED_PREFIXES = ("GIT_", "ORCH_", "XDG_", "CLAUDE", "CODEX", "GEMINI", "PYTEST_ADDOPTS")
_KEPT = ("ORCH_SHARED",)


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment that every test starts with, set at once: what a module shares is made in it too."""
    home = tmp_path_factory.mktemp("home")
    (home / "gitconfig").write_text(GIT_CONFIG)
    environment = {
        name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith(_DROPPED_PREFIXES)
    }
    # Without the compiled files every process that a test starts would compile the whole package anew.
    for name in (
        "EDITOR",
        "VISUAL",
        "PAGER",
        "FORCE_COLOR",
        "CLICOLOR_FORCE",
        "PYTHONWARNINGS",
        "PYTHONDONTWRITEBYTECODE",
    ):
        environment.pop(name, None)
    environment |= {
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    _set_environment(environment)
    return environment


@pytest.fixture(scope="session")
def empty_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("working-directory")


@pytest.fixture(autouse=True)
def isolated(clean_environment: dict[str, str], empty_folder: Path) -> Iterator[None]:
    """Each test begins in an empty folder with the clean environment, and must leave that folder empty."""
    _set_environment(clean_environment)
    os.chdir(empty_folder)
    yield
    _set_environment(clean_environment)
    left = sorted(path.name for path in empty_folder.iterdir())
    if left:
        shutil.rmtree(empty_folder)
        empty_folder.mkdir()
    assert not left, f"the test wrote into its working directory: {left}"


def _set_environment(wanted: dict[str, str]) -> None:
    # pytest keeps the name of the running test in the environment; it is its own to remove.
    for name in [name for name in os.environ if name not in wanted and name != "PYTEST_CURRENT_TEST"]:
        del os.environ[name]
    os.environ.update(wanted)


@pytest.fixture
def hang_ups_are_heard() -> Iterator[None]:
    """What is started here takes a hang-up as usual, also where the tests themselves run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
