"""Cases of tests/data/problems: a small change of a planning set without fault, and what `orch check` then prints.

A file holds cases like this one; `<` is what stands in the set, `>` what stands there instead, a file without `<` is
new as a whole, and below `--` follows the printed text.

    == unknown-dependency: a task that the plan doesn't have
    EXECUTION_PLAN_5.md
    < - **Depends on:** none
    > - **Depends on:** 5.1.9
    --
    planning/EXECUTION_PLAN_5.md:21:19: error: there is no task "5.1.9"

Characters that an editor would change stand as `\\u0301`, in the change and in the printed text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.engine.session import Session, open_session
from tests.support.git_repo import GitRepo

FOLDER = Path(__file__).resolve().parents[1] / "data" / "problems"
SET = FOLDER / "set"

TREE = {
    "AGENTS.md": "Write small functions.\n",
    "pkg/jobdef/definition.go": "package jobdef\n\nfunc ParseDefinition() {}\n",
    "pkg/jobdef/schedule.go": "package jobdef\n",
    "pkg/store/jobs.go": "package store\n",
    "notes/old.txt": "tracked\n",
    ".gitmodules": '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib\n',
}
"""What the repository of every case holds besides planning/."""


@dataclass(frozen=True, slots=True)
class Case:
    """`code` is the problem that the case is for; `swaps` are file, old text ("" for a new file) and new text."""

    code: str
    title: str
    swaps: tuple[tuple[str, str, str], ...]
    printed: str
    file: str

    @property
    def name(self) -> str:
        return f"{self.code}: {self.title}"

    def planning(self) -> Mapping[str, str]:
        """The files of planning/ with the change made. Raises ValueError for a change that can't be made."""
        files = {path.relative_to(SET).as_posix(): _text(path) for path in sorted(SET.rglob("*.md"))}
        for name, old, new in self.swaps:
            if not old:
                files[name] = new
                continue
            if files[name].count(old) < 1:
                raise ValueError(f"{self.name}: {name} doesn't hold {old!r}")
            files[name] = files[name].replace(old, new, 1)
        return files


def cases() -> list[Case]:
    """All cases, by file and in the order of each."""
    return [case for file in sorted(FOLDER.glob("*.txt")) for case in _read(file)]


def make_repo(path: Path) -> GitRepo:
    """A repository for cases: the tree, and a submodule that isn't checked out."""
    repo = GitRepo.create(path, TREE)
    head = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},vendor/lib")
    repo.git("commit", "-q", "-m", "add a submodule")
    return repo


def lay_out(repo: GitRepo, case: Case) -> None:
    """Make planning/ of the repository be that of the case."""
    folder = repo.path / "planning"
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file():
            path.unlink()
    for name, text in case.planning().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))


def open_case(repo: GitRepo, case: Case) -> Session:
    """The session of a call of orch on the case."""
    lay_out(repo, case)
    return open_session(repo.path, None, {}, emit=lambda line: None)


def write_printed(file: Path, printed: Mapping[str, str]) -> None:
    """Write the file's cases anew with these printed texts, by the cases' names."""
    parts = re.split(r"^(?=== )", _text(file), flags=re.MULTILINE)
    for index, part in enumerate(parts):
        name = part.split("\n", 1)[0].removeprefix("== ")
        if name in printed:
            parts[index] = f"{part.partition(chr(10) + '--' + chr(10))[0].rstrip()}\n--\n{printed[name]}\n\n"
    file.write_text("".join(parts).rstrip() + "\n", encoding="utf-8")


def escaped(text: str) -> str:
    """Printed text as a case file holds it."""
    return "".join(f"\\u{ord(one):04x}" if unicodedata.combining(one) else one for one in text)


def _read(file: Path) -> Iterator[Case]:
    for part in re.split(r"^== ", _text(file), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        code, _, title = head.partition(": ")
        change, _, printed = f"{body}\n".partition("\n--\n")
        yield Case(code, title, tuple(_swaps(change)), printed.strip("\n"), file.name)


def _swaps(change: str) -> Iterator[tuple[str, str, str]]:
    name, old, new = "", "", ""
    for line in [*change.split("\n"), ""]:
        mark, text = line[:1], _unescaped(line[2:]) + "\n"
        if (mark == "<" and new) or mark not in ("<", ">"):
            if old or new:
                yield name, old.removesuffix("\n"), new.removesuffix("\n") if old else new
            old, new = "", ""
        if mark == "<":
            old += text
        elif mark == ">":
            new += text
        elif line:
            name = line


def _unescaped(text: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)


def _text(path: Path) -> str:
    return path.read_bytes().decode()
