"""`orch init`: what it offers where it finds an agent program, and where it finds none."""

from __future__ import annotations

from pathlib import Path

from orchestrator.engine.init_project import init_project
from orchestrator.engine.session import open_session
from tests.support.git_repo import GitRepo

OFFER = "or small: {driver: manual}, and you give each turn to a worker of your own"


def printed(repo: GitRepo, path: Path) -> tuple[str, ...]:
    return init_project(open_session(repo.path, None, {"PATH": str(path)}, emit=lambda line: None)).lines


def test_without_an_agent_program_the_manual_driver_is_offered(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo")
    assert printed(repo, tmp_path)[-3:] == (
        "no agent program found on PATH",
        "workers: say under workers: in planning/ORCH.md how a worker is run",
        OFFER,
    )
    assert "or {driver: manual}: you start them yourself" in repo.read("planning/ORCH.md")


def test_with_an_agent_program_it_is_named_and_nothing_else_offered(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo")
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    lines = printed(repo, tmp_path)
    assert "agent programs found: codex" in lines
    assert (
        "workers: say under workers: in planning/ORCH.md how a worker is run, such as small: {driver: codex}" in lines
    )
    assert OFFER not in lines
