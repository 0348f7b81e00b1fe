"""The rules of the house that the import contract in pyproject.toml can't say, and that the contract itself bites."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "orchestrator"
PURE = ("errors.py", "markdown", "model", "formats", "views")
"""Text and values in, text and values out."""
FOLLOWS_ARGUMENTS = (*PURE, "prompts")
"""Rooms that get time, chance and environment as arguments."""
GENERIC = ("markdown", "vcs")
"""Rooms that don't speak the product's language."""

DRAWERS = re.compile(r"(^|_)(utils?|helpers?|commons?|misc|managers?|base|core|stuff|tools?|lib)(_|$)")
PRODUCT_WORDS = re.compile(
    r"(?<![a-z])(waves?|workers?|tasks?|plans?|orchestrations?)(?![a-z])|(Wave|Worker|Task|Plan|Orchestration)s?(?=[A-Z_])",
    re.IGNORECASE,
)
LONGEST = 400

# Modules that start processes, send signals or move files, each going through orchestrator.effects. To add one, make
# its every effect pass `effect(…)` first: a test that kills at each numbered step can't see what doesn't.
THROUGH_THE_DOOR = {
    "engine/copies.py",
    "engine/filling.py",
    "engine/places.py",
    "engine/selftest.py",
    "engine/trial_folder.py",
    "process/calling.py",
    "process/carriers.py",
    "process/halting.py",
    "process/running.py",
    "store/kept_trees.py",
    "store/pointer.py",
    "store/replacing.py",
    "store/sweeping.py",
    "store/text_files.py",
    "vcs/coming.py",
    "vcs/command.py",
    "vcs/index_lock.py",
    "vcs/kept_aside.py",
    "vcs/objects.py",
    "vcs/placing.py",
    "vcs/private_git.py",
    "vcs/products.py",
    "vcs/removing.py",
    "vcs/repair.py",
    "vcs/workspaces.py",
}
# Programs of their own, which no door of this process could number; and the door.
OUTSIDE = {"effects.py", "process/landlock.py", "process/shim.py", "drivers/scripted_worker.py"}

EFFECTS = re.compile(
    r"os\.(kill|killpg|rename|replace|renames|link|symlink|fork|forkpty|posix_spawnp?|system|popen|exec\w+|spawn\w+)"
    r"|signal\.pidfd_send_signal|subprocess\.\w+|shutil\.(move|rmtree)"
)
BEGINS_ANEW = ("cli/main.py", "os.execv")
"""Before anything is done, in place of the process itself."""
EFFECTS_ON_PATHS = {"rename", "hardlink_to", "symlink_to", "rmdir", "write_text", "write_bytes"}


def modules(*rooms: str) -> Iterator[Path]:
    for room in rooms or ("",):
        path = PACKAGE / room
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def named(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def dotted(node: ast.expr) -> str:
    """`a.b.c` for a name or attribute, else the attribute's own name after `.`."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ""


def calls(path: Path) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield node, dotted(node.func)


def test_the_import_contract_holds() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).parent / "lint-imports"
    return subprocess.run([str(command), "--no-cache"], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("model/ids.py", "import orchestrator.store.layout", "Rooms import downward only"),
        ("vcs/repository.py", "import orchestrator.store.layout", "Rooms import downward only"),
        ("formats/plan_file.py", "import orchestrator.views.status", "Rooms import downward only"),
        ("closet/__init__.py", '"""A room that nobody has placed."""', "Rooms import downward only"),
        ("engine/outcome.py", "def late():\n    import click", "click lives in cli"),
        ("engine/outcome.py", "import git", "GitPython lives in vcs"),
        ("views/status.py", "import jinja2", "jinja2 lives in prompts"),
        ("engine/outcome.py", "import detect_secrets", "Shapes of secrets are known in masking"),
        ("formats/plan_file.py", "import mistune", "YAML and Markdown parsers live in markdown"),
        ("drivers/base.py", "import subprocess", "Processes are started and looked at in process"),
        ("model/ids.py", "import os", "The pure rooms know neither disk nor clock nor chance"),
    ],
)
def test_the_import_contract_finds_a_planted_fault(tmp_path: Path, module: str, line: str, contract: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "orchestrator", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planted = tmp_path / "orchestrator" / module
    planted.parent.mkdir(exist_ok=True)
    with planted.open("a") as handle:
        handle.write(f"\n{line}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{contract} BROKEN" in done.stdout or "closet" in done.stdout


AMBIENT = re.compile(r"os\.(environ|getenv|getcwd)|time\.\w+|(\w+\.)?(datetime|date)\.(now|today|utcnow)|random\.\w+")
ON_DISK = {"read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "is_file", "unlink"}
ENDINGS = {"print", "exit", "quit", "sys.exit", "os._exit", "os.abort", "SystemExit"}


def test_the_pure_rooms_read_no_clock_no_environment_and_no_chance() -> None:
    assert [
        f"{named(path)}:{node.lineno}: {dotted(node)}"
        for path in modules(*FOLLOWS_ARGUMENTS)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute | ast.Name) and AMBIENT.fullmatch(dotted(node))
    ] == []


def test_the_pure_rooms_open_no_file_and_print_nothing() -> None:
    assert [
        f"{named(path)}:{call.lineno}: {name}"
        for path in modules(*PURE)
        for call, name in calls(path)
        if name in ("open", "print", "input", "exec", "eval", "breakpoint") or name.rsplit(".", 1)[-1] in ON_DISK
    ] == []


def test_below_cli_nothing_prints_and_nothing_ends_the_process() -> None:
    assert [
        f"{named(path)}:{call.lineno}: {name}"
        for path in modules()
        if not named(path).startswith("cli/") and named(path) not in OUTSIDE | {"__main__.py"}
        for call, name in calls(path)
        if name in ENDINGS
    ] == []


def effects_of(path: Path) -> list[str]:
    return [
        f"{named(path)}:{call.lineno}: {name}"
        for call, name in calls(path)
        if (EFFECTS.fullmatch(name) and (named(path), name) != BEGINS_ANEW)
        or name.rsplit(".", 1)[-1] in EFFECTS_ON_PATHS
        # Path.replace takes one argument, str.replace two, dataclasses.replace keywords.
        or (name.endswith(".replace") and len(call.args) == 1 and not call.keywords)
    ]


def test_effects_on_the_world_are_made_only_where_the_door_is_known() -> None:
    assert [
        effect for path in modules() if named(path) not in THROUGH_THE_DOOR | OUTSIDE for effect in effects_of(path)
    ] == []


def test_every_module_that_makes_effects_goes_through_the_door() -> None:
    assert {name for name in THROUGH_THE_DOOR | OUTSIDE if not (PACKAGE / name).is_file()} == set()
    assert [
        named(path)
        for path in modules(*sorted(THROUGH_THE_DOOR))
        if not any(name == "effect" for _, name in calls(path))
    ] == []


def test_the_generic_rooms_hold_no_word_of_the_product() -> None:
    assert [
        f"{named(path)}:{number}: {match[0]}"
        for path in modules(*GENERIC)
        for number, line in enumerate([path.stem, *path.read_text().split("\n")])
        for match in PRODUCT_WORDS.finditer(line)
    ] == []


def test_no_module_is_a_drawer() -> None:
    names = {named(path) for path in modules()} | {named(path) for path in PACKAGE.rglob("*") if path.is_dir()}
    assert {name for name in names if DRAWERS.search(Path(name).stem)} - {"drivers/base.py"} == set()


def test_no_python_file_is_longer_than_four_hundred_lines() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): path.read_text().count("\n")
        for folder in ("orchestrator", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_every_module_says_what_it_is_and_packages_hold_nothing_else() -> None:
    assert [named(path) for path in modules() if not ast.get_docstring(tree(path))] == []
    assert [named(path) for path in modules() if path.name == "__init__.py" and len(tree(path).body) != 1] == []


def test_imports_are_absolute_and_bring_no_stars() -> None:
    assert [
        f"{named(path)}:{node.lineno}"
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and (node.level or any(alias.name == "*" for alias in node.names))
    ] == []


def test_every_late_import_says_why() -> None:
    """Once in a module: with a comment above one of them, or in the module's docstring."""
    silent = []
    for path in modules():
        lines = path.read_text().split("\n")
        explained = "loaded only" in (ast.get_docstring(tree(path)) or "")
        late: dict[str, bool] = {}
        for function in ast.walk(tree(path)):
            for node in ast.walk(function) if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) else ():
                if isinstance(node, ast.Import | ast.ImportFrom):
                    name = node.names[0].name if isinstance(node, ast.Import) else node.module or ""
                    why = ast.get_docstring(function) or ""
                    near = "load" in why.lower() or "#" in "".join(lines[max(0, node.lineno - 4) : node.lineno])
                    top = name.split(".")[0]
                    late[top] = late.get(top, explained) or near
        silent.extend(f"{named(path)}: {name}" for name, said in late.items() if not said)
    assert silent == []


def test_every_public_function_says_what_it_does() -> None:
    assert [
        f"{named(path)}:{node.lineno}: {node.name}"
        for path in modules()
        # What a command does is its help text.
        if not named(path).startswith("cli/commands/") and named(path) not in OUTSIDE
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not node.name.startswith("_") and not ast.get_docstring(node)
    ] == []


def test_test_names_are_sentences() -> None:
    assert [
        node.name
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and node.name.count("_") < 3
    ] == []
