"""Templates are found in the user's folder, in a checkout, an editable install and a wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from orchestrator.errors import DocumentError
from orchestrator.prompts import locations

ROOT = Path(__file__).resolve().parents[2]


def test_in_a_checkout_the_templates_lie_beside_the_package() -> None:
    assert locations.shipped_folder() == ROOT / "templates"


def test_an_installed_folder_inside_the_package_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("site/orchestrator/templates", "site/templates"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "worker.md.j2").touch()
    monkeypatch.setattr(locations, "__file__", str(tmp_path / "site/orchestrator/prompts/locations.py"))
    assert locations.shipped_folder() == (tmp_path / "site/orchestrator/templates").resolve()


@pytest.fixture
def planning(tmp_path: Path) -> Path:
    (tmp_path / "planning/templates").mkdir(parents=True)
    return tmp_path / "planning"


def test_a_template_of_the_users_own_comes_before_the_shipped_one(planning: Path) -> None:
    (planning / "templates/revise.md.j2").write_bytes("Überarbeiten\r\n".encode())
    assert locations.find("revise", planning) == locations.Template(
        "Überarbeiten\r\n", "planning/templates/revise.md.j2", "revise"
    )
    assert locations.find("retry", planning) == locations.shipped("retry")
    assert locations.own_names(planning) == ("revise",)


def test_a_folder_that_is_not_there_holds_no_template(tmp_path: Path) -> None:
    assert locations.find("worker", tmp_path / "none") == locations.shipped("worker")
    assert locations.own_names(tmp_path / "none") == ()


def test_a_name_that_no_template_has_is_refused(planning: Path) -> None:
    (planning / "secret.md.j2").touch()
    with pytest.raises(KeyError):
        locations.find("../secret", planning)


def test_a_template_that_is_not_utf_8_is_a_problem_with_its_line(planning: Path) -> None:
    (planning / "templates/retry.md.j2").write_bytes(b"one\ntwo \xff\n")
    with pytest.raises(DocumentError) as caught:
        locations.find("retry", planning)
    assert (caught.value.message, str(caught.value.at)) == (
        "byte 0xff isn't UTF-8",
        "planning/templates/retry.md.j2:2:5",
    )


def test_a_wheel_holds_the_templates_and_finds_them_there(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", reason="needs setuptools to build a wheel without network")
    pytest.importorskip("wheel", reason="needs the package wheel to build a wheel without network")
    source, target = tmp_path / "source", tmp_path / "installed"
    source.mkdir()
    # Built from a copy: a build leaves folders behind in its source.
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source / name)
    for name in ("orchestrator", "templates"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    built = subprocess.run([sys.executable, "-c", build, str(tmp_path)], cwd=source, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        inside = [name for name in wheel.namelist() if name.startswith("orchestrator/templates/")]
        wheel.extractall(target)
    shipped = [path.relative_to(ROOT).as_posix() for path in (ROOT / "templates").rglob("*") if path.is_file()]
    assert sorted(inside) == sorted(f"orchestrator/{name}" for name in shipped)

    program = (
        "from orchestrator.prompts import locations\n"
        "print(locations.shipped_folder())\n"
        "print(sum(len(locations.shipped(name).text) for name in locations.NAMES))"
    )
    # Away from the checkout, with the unpacked wheel in front of whatever is installed.
    environment = os.environ | {"PYTHONPATH": str(target)}
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    total = sum(len(locations.shipped(name).text) for name in locations.NAMES)
    assert found.stdout == f"{(target / 'orchestrator' / 'templates').resolve()}\n{total}\n"
