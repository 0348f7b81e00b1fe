"""About forty situations in which a branch moves while it is checked out: a table for several tests.

Every situation starts from the same commit. `coming` makes the commit that the branch moves to, `local` what a
person has in the checkout. `collides` are the paths that must be named; where there are none, `left` is the
person's `git status` afterwards.

Result: every move happens whole, or is refused before anything is touched; killed before any effect and repaired, it
is whole or hasn't begun. What had to be added to `git read-tree -m -u` for that: it overwrites ignored files, empties
folders of them, brings back a tracked file that a person deleted, names one path of many, and takes a file whose
times alone changed for changed. Left to git: odd names, line endings, links, modes, submodule entries.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support.git_repo import GitRepo

ODD = ('a "b".txt', "日本 x.md", "x -> y.md", "-dash", "tab\there", "new\nline", ":(glob)**", "tail ")

BASE = {
    ".gitignore": "*.log\nbuild/\n",
    ".gitattributes": "*.dos text eol=crlf\n",
    "code.txt": "one\ntwo\nthree\n",
    "other.txt": "other\n",
    "gone.txt": "to be deleted\n",
    "place": "a file that becomes a folder\n",
    "folder/in.txt": "a folder that becomes a file\n",
    "run.sh": "#!/bin/sh\n",
    "lines.dos": "a\nb\n",
    "planning/STATE_1.md": "# State\n",
    **{f"odd/{name}": f"{name}\n" for name in ODD},
}


@dataclass(frozen=True)
class Situation:
    name: str
    coming: Callable[[GitRepo], object]
    local: Callable[[GitRepo], object] = lambda repo: None
    collides: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def write(name: str, text: str) -> Callable[[GitRepo], object]:
    return lambda repo: repo.write(name, text)


def steps(*functions: Callable[[GitRepo], object]) -> Callable[[GitRepo], object]:
    def all_of_them(repo: GitRepo) -> None:
        for function in functions:
            function(repo)

    return all_of_them


def stage(name: str) -> Callable[[GitRepo], object]:
    return lambda repo: repo.git("add", "-f", "--", name)


def delete(*names: str) -> Callable[[GitRepo], object]:
    def function(repo: GitRepo) -> None:
        for name in names:
            path = repo.path / name
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    return function


def link(name: str, target: str) -> Callable[[GitRepo], object]:
    return lambda repo: (repo.path / name).symlink_to(target)


def folder(name: str) -> Callable[[GitRepo], object]:
    return lambda repo: (repo.path / name).mkdir(parents=True)


def mark(option: str, name: str) -> Callable[[GitRepo], object]:
    return lambda repo: repo.git("update-index", option, "--", name)


def conflict_under_way(repo: GitRepo) -> None:
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", {"other.txt": "side\n"})
    repo.git("switch", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-commit", "side")


EDIT = write("code.txt", "one\nTWO\nthree\n")
ADD = steps(EDIT, write("fresh.txt", "fresh\n"))
TO_FOLDER = steps(delete("place"), write("place/inside.txt", "inside\n"))
TO_FILE = steps(delete("folder"), write("folder", "now a file\n"))

SITUATIONS = (
    Situation("a clean checkout", ADD),
    Situation("an edit elsewhere", ADD, write("other.txt", "mine\n"), left=(" M other.txt",)),
    Situation("an edit of the same file", ADD, write("code.txt", "mine\n"), ("code.txt",)),
    Situation(
        "an edit staged elsewhere", ADD, steps(write("other.txt", "mine\n"), stage("other.txt")), left=("M  other.txt",)
    ),
    Situation(
        "the same file staged", ADD, steps(write("code.txt", "mine\n"), stage("code.txt")), collides=("code.txt",)
    ),
    Situation("the same change staged already", ADD, steps(EDIT, stage("code.txt"))),
    Situation("a staged file of that name", ADD, steps(write("fresh.txt", "x"), stage("fresh.txt")), ("fresh.txt",)),
    Situation("an untracked file elsewhere", ADD, write("notes.txt", "mine\n"), left=("?? notes.txt",)),
    Situation("an untracked file in the way", ADD, write("fresh.txt", "mine\n"), ("fresh.txt",)),
    Situation(
        "an ignored file in the way", steps(write("x.log", "new\n"), stage("x.log")), write("x.log", "m"), ("x.log",)
    ),
    Situation(
        "an ignored folder in the way",
        steps(write("build", "a file\n"), stage("build")),
        write("build/cache/x", "mine\n"),
        ("build/cache/x",),
    ),
    Situation(
        "an ignored file below a file that becomes a folder",
        TO_FOLDER,
        write("build/x", "mine\n"),
    ),
    Situation("a file where a folder comes", write("docs/a.md", "a\n"), write("docs", "mine\n"), ("docs",)),
    Situation("a link where a folder comes", write("docs/a.md", "a\n"), link("docs", "/tmp"), ("docs",)),
    Situation("an empty folder where a file comes", ADD, folder("fresh.txt")),
    Situation("a file becomes a folder", TO_FOLDER),
    Situation("a folder becomes a file", TO_FILE),
    Situation(
        "a folder with an untracked file becomes a file",
        TO_FILE,
        write("folder/mine.txt", "mine\n"),
        ("folder/mine.txt",),
    ),
    Situation(
        "a folder with an ignored file becomes a file",
        TO_FILE,
        write("folder/mine.log", "mine\n"),
        ("folder/mine.log",),
    ),
    Situation("a deleted file that is edited here", delete("gone.txt"), write("gone.txt", "mine\n"), ("gone.txt",)),
    Situation("a deleted file", delete("gone.txt")),
    Situation("a file deleted here that is edited there", ADD, delete("code.txt"), ("code.txt",)),
    Situation("a rename", lambda repo: repo.git("mv", "code.txt", "moved.txt")),
    Situation("a file becomes a link", steps(delete("code.txt"), link("code.txt", "other.txt"))),
    Situation("a link is added", link("way", "/nowhere")),
    Situation("a file becomes executable", lambda repo: (repo.path / "run.sh").chmod(0o755)),
    Situation("line endings by attribute", write("lines.dos", "a\nB\nc\n")),
    Situation("odd names", lambda repo: [repo.write(f"odd/{name}", "changed\n") for name in ODD]),
    Situation(
        "an odd name in the way", write("odd/new\n name", "x\n"), write("odd/new\n name", "m\n"), ("odd/new\n name",)
    ),
    Situation(
        "a submodule entry", lambda repo: repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    ),
    Situation(
        "the planning folder edited", ADD, write("planning/STATE_1.md", "# mine\n"), left=(" M planning/STATE_1.md",)
    ),
    Situation("a planning file untracked", ADD, write("planning/new.md", "# mine\n"), left=("?? planning/new.md",)),
    Situation(
        "an edit hidden by assume-unchanged",
        ADD,
        steps(mark("--assume-unchanged", "code.txt"), write("code.txt", "mine\n")),
        ("code.txt",),
    ),
    Situation(
        "an edit hidden by skip-worktree",
        ADD,
        steps(mark("--skip-worktree", "code.txt"), write("code.txt", "mine\n")),
        ("code.txt",),
    ),
    Situation("a file only touched", ADD, lambda repo: os.utime(repo.path / "code.txt", (1, 1))),
    Situation("a merge under way", ADD, conflict_under_way, ("a merge is under way in ROOT",)),
    Situation("many files", lambda repo: [repo.write(f"many/{n}.txt", f"{n}\n" * 50) for n in range(20)]),
)


@dataclass(frozen=True)
class Laid:
    """A situation as it lies on disk, with the commits the branch moves between."""

    repo: GitRepo
    old: str
    new: str

    def copied(self, path: Path) -> Laid:
        shutil.copytree(self.repo.path, path, symlinks=True)
        return Laid(GitRepo(path), self.old, self.new)


def lay(situation: Situation, path: Path) -> Laid:
    """The repository of a situation: branch main at the old commit, the new one made, the person's changes there."""
    repo = GitRepo.create(path, BASE)
    old = repo.head()
    (path / "lines.dos").unlink()  # so that git writes it, with the line endings it is to have
    repo.git("checkout", "-q", "--", "lines.dos")
    situation.coming(repo)
    if situation.name == "a submodule entry":
        repo.git("commit", "-q", "-m", "coming")
        new = repo.head()
    else:
        new = repo.commit("coming")
    repo.git("reset", "-q", "--hard", old)
    repo.git("clean", "-fdxq")
    situation.local(repo)
    return Laid(repo, old, new)


def picture(repo: GitRepo) -> dict[str, bytes]:
    """Every file of the checkout, ignored ones too, by its bytes, with mode and link targets."""
    found: dict[str, bytes] = {}
    for where, folders, files in os.walk(repo.path):
        if Path(where) == repo.path:
            folders.remove(".git")
        for name in [*files, *(name for name in folders if (Path(where) / name).is_symlink())]:
            path = Path(where) / name
            kind = b"link " if path.is_symlink() else b"exec " if os.access(path, os.X_OK) else b"file "
            content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(repo.path))] = kind + content
    return found


def left_by_us(repo: GitRepo) -> list[str]:
    """What a move makes in the git directory and must take away again."""
    made = [*(repo.path / ".git").glob("index.*"), *(repo.path / ".git").glob("orch-coming")]
    return sorted(path.name for path in made if path.name != "index.mover")
