"""Where templates are found: the user's own folder first, then the shipped ones.

Owns the search for a template by name, in a wheel, an editable install and a checkout. Must not know what the
templates say or how they are rendered.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.errors import DocumentError, Location, Problem, Severity, ToolError
from orchestrator.nouns import dataclass

SUFFIX = ".md.j2"
NAMES = ("worker", "approval", "revise", "retry", "continue", "takeover", "plan_review", "diff_review")


@dataclass(frozen=True, slots=True)
class Template:
    """A template's text. `path` is how problems call the file, `name` says which slots it may use."""

    text: str
    path: str
    name: str = "worker"


def shipped_folder() -> Path:
    """The folder of the shipped templates. Raises ToolError if the installation lacks it."""
    package = Path(__file__).resolve().parents[1]
    # A wheel has them inside the package. An editable install and a checkout have them beside it: setuptools
    # doesn't carry the mapping of the folder into an editable install.
    for folder in (package / "templates", package.parent / "templates"):
        if (folder / f"worker{SUFFIX}").is_file():
            return folder
    raise ToolError("the shipped templates are missing", hint="install orch again", code="templates-missing")


def shipped(name: str) -> Template:
    """The template that comes with orch. Raises KeyError for a name that isn't in NAMES."""
    if name not in NAMES:
        raise KeyError(name)
    return Template(_text(shipped_folder() / f"{name}{SUFFIX}", name + SUFFIX), name + SUFFIX, name)


def find(name: str, planning: Path | None = None) -> Template:
    """The user's template of that name in the folder `templates/` of the planning folder, else the shipped one.

    Raises KeyError for a name that isn't in NAMES, DocumentError for a file that isn't UTF-8.
    """
    if planning and name in NAMES:
        file = _own_file(name, planning)
        if file.is_file():
            shown = f"{planning.name}/templates/{file.name}"
            return Template(_text(file, shown), shown, name)
    return shipped(name)


def own_names(planning: Path) -> tuple[str, ...]:
    """The names of the templates of the user's own that stand in for shipped ones."""
    return tuple(name for name in NAMES if _own_file(name, planning).is_file())


def _own_file(name: str, planning: Path) -> Path:
    return planning / "templates" / f"{name}{SUFFIX}"


def _text(file: Path, shown: str) -> str:
    data = file.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode()
        problem = Problem(
            "not-utf-8",
            f"byte 0x{data[error.start]:02x} isn't UTF-8",
            Location(shown, line, len(before) + 1, 1, before),
            hint="save the file as UTF-8",
            severity=Severity.FILE,
        )
        raise DocumentError([problem]) from error
