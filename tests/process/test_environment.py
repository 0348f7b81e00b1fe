from __future__ import annotations

import pytest

from orchestrator.process.environment import worker_environment

KEPT = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "LANG": "el_GR.UTF-8",
    "LC_MESSAGES": "C",
    "TMPDIR": "/tmp",
    "XDG_CACHE_HOME": "/cache",
    "VIRTUAL_ENV": "/venv",
    "PYTHONPATH": "/lib",
    "SSL_CERT_FILE": "/cert",
    "https_proxy": "http://proxy",
    "GOPATH": "/go",
}
LEFT = (
    "GIT_DIR GIT_INDEX_FILE GIT_AUTHOR_NAME GIT_CONFIG_PARAMETERS ORCH_EFFECTS ORCH_RUN_ID ORCH_TASK"
    " OPENAI_API_KEY ANTHROPIC_BASE_URL ANTHROPIC_CUSTOM_HEADERS GITHUB_TOKEN AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK"
    " PYTHONSTARTUP PYTHONBREAKPOINT LD_PRELOAD CLAUDECODE XDGX"
).split()


def test_the_list_passes_and_everything_else_stays_behind() -> None:
    assert worker_environment({**KEPT, **dict.fromkeys(LEFT, "x")}) == KEPT


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "GIT_AUTHOR_NAME", "GIT_CONFIG_GLOBAL", "CLAUDECODE"])
def test_a_named_variable_passes(name: str) -> None:
    assert worker_environment({name: "x", "OTHER": "y"}, [name, "NOT_SET"]) == {name: "x"}


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "ORCH_RUN_ID", "ORCH_EFFECTS"])
def test_what_would_mislead_git_or_orch_never_passes(name: str) -> None:
    assert worker_environment({name: "x"}, [name]) == {}
