"""`orch init`: planning/ and ORCH.md, with what the repository seems to need. Never overwrites."""

from __future__ import annotations

import json
import os
from pathlib import Path

from orchestrator.engine.outcome import Outcome
from orchestrator.engine.session import Session, refuse_worker
from orchestrator.engine.taking_over import checked_out
from orchestrator.formats.settings_file import new_settings_text
from orchestrator.store.planning_set import load_settings
from orchestrator.store.text_files import create, read

AGENTS = ("claude", "codex", "gemini", "opencode", "qwen", "copilot")


def init_project(session: Session) -> Outcome:
    """Make planning/, planning/tasks/ and ORCH.md where they aren't there; says what was found and made."""
    refuse_worker(session, "init")
    layout = session.layout
    test = detected_test(layout.root)
    branch = checked_out(session)
    agents = tuple(name for name in AGENTS if _on_path(name, session.environ.get("PATH", "")))
    layout.tasks.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    path = layout.settings_path
    made = not path.exists()
    if made:
        create(path, new_settings_text(base=branch, suites={"unit": test} if test else None), shown=layout.shown(path))
        lines.append(f"made {layout.shown(path)}")
    else:
        lines.append(f"{layout.shown(path)} is there already and was left as it is")
    lines.append(f"test command: {test}" if test else "no test command found: set suites: in planning/ORCH.md")
    lines.append(f"base branch: {branch}" if branch else "HEAD is detached: set base: in planning/ORCH.md")
    lines.append(f"agent programs found: {', '.join(agents)}" if agents else "no agent program found on PATH")
    has_workers = not made and bool(load_settings(path, layout.root).value.workers)
    if not has_workers:
        such = f", such as small: {{driver: {agents[0]}}}" if agents else ""
        lines.append(f"workers: say under workers: in {layout.shown(path)} how a worker is run{such}")
    if not agents and not has_workers:
        lines.append("or small: {driver: manual}, and you give each turn to a worker of your own")
    return Outcome(
        outcome="done",
        next='orch new "TITLE"',
        lines=tuple(lines),
        data={"made": made, "settings": layout.shown(path), "test": test, "base": branch, "agents": list(agents)},
    )


def detected_test(root: Path) -> str:
    """The command that runs the repository's own tests, by the files it has; empty if none is known."""
    is_python = any((root / name).is_file() for name in ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini"))
    if is_python and any((root / name).is_dir() for name in ("tests", "test")):
        return "python -m pytest -q" if _uses_pytest(root) else "python -m unittest discover -q"
    if (root / "package.json").is_file() and _has_npm_test(root / "package.json"):
        return "npm test"
    if (root / "go.mod").is_file():
        return "go test ./..."
    if (root / "Cargo.toml").is_file():
        return "cargo test"
    makefile = read(root / "Makefile") if (root / "Makefile").is_file() else None
    if makefile and any(line.startswith("test:") for line in makefile.split("\n")):
        return "make test"
    if (root / "tests").is_dir() and any((root / "tests").glob("test_*.py")):
        return "python -m unittest discover -q"
    return ""


def _uses_pytest(root: Path) -> bool:
    named = ("pyproject.toml", "setup.cfg", "tox.ini", "requirements-dev.txt", "dev-requirements.txt")
    if any((root / name).is_file() for name in ("pytest.ini", "conftest.py", "tests/conftest.py")):
        return True
    return any("pytest" in (read(root / name) or "") for name in named if (root / name).is_file())


def _has_npm_test(path: Path) -> bool:
    try:
        scripts = json.loads(read(path) or "{}").get("scripts", {})
    except (ValueError, AttributeError):
        return False
    return isinstance(scripts, dict) and "no test specified" not in str(scripts.get("test", "no test specified"))


def _on_path(name: str, path: str) -> bool:
    return any(os.access(Path(folder) / name, os.X_OK) for folder in path.split(os.pathsep) if folder)
