from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.drivers import registry
from orchestrator.errors import UserError

OUTSIDE = """\
class Outside:
    name = "outside"
DRIVER = Outside()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package from elsewhere that offers two drivers, one of them broken."""
    (tmp_path / "outside_driver.py").write_text(OUTSIDE)
    about = tmp_path / "outside_driver-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-driver\nVersion: 1.0\n")
    lines = ["[orch.drivers]", "outside = outside_driver:DRIVER", "broken = outside_driver:MISSING", ""]
    (about / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_an_unknown_driver_is_refused_with_those_there_are() -> None:
    with pytest.raises(UserError) as caught:
        registry.find("comand")
    assert caught.value.message == 'there is no driver "comand"'
    assert caught.value.hint == f"drivers here: {', '.join(registry.TABLE)}"
    assert list(registry.TABLE) == sorted(registry.TABLE)
    assert caught.value.code == "unknown-driver"


def test_a_driver_of_another_package_is_found(package: Path) -> None:
    assert registry.find("outside").name == "outside"
    assert registry.names() == (*registry.TABLE, "broken", "outside")


def test_a_driver_that_cannot_be_loaded_says_why(package: Path) -> None:
    with pytest.raises(UserError, match=r"can't be loaded from outside_driver:MISSING: .*MISSING"):
        registry.find("broken")


def test_finding_a_driver_of_the_table_loads_no_package_lists() -> None:
    code = """
import sys
from orchestrator.drivers import registry
registry.find("command")
print("importlib.metadata" in sys.modules)
"""
    root = Path(registry.__file__).parents[2]
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
