"""What is seen of a workspace's files: a table of changes, hidden ones included, and the trees made of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.model.changes import Change, ChangeKind
from orchestrator.vcs import changes as module
from orchestrator.vcs.changes import keep, look, tree
from orchestrator.vcs.diffs import Entry
from orchestrator.vcs.history import commit_changes
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.snapshots import Snapshot, changes, snapshot
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces
from tests.support.git_repo import GitRepo

A, M, D, R, T = ChangeKind.ADDED, ChangeKind.MODIFIED, ChangeKind.DELETED, ChangeKind.RENAMED, ChangeKind.TYPE
LONG = "".join(f"line {n}\n" for n in range(40))
FILES = {
    "a.txt": LONG,
    "b.txt": "b\n",
    "src/c.txt": "c\n",
    "src/d.txt": "d\n",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": "*.log\n/build/\n!keep.log\n",
    "src/.gitignore": "local\n",
    'odd "é\n -> x.txt': "odd\n",
}


@dataclass(frozen=True)
class Scene:
    main: GitRepo
    workspaces: Workspaces
    workspace: Workspace
    inside: GitRepo
    base: str
    known: Snapshot

    def seen(self, **options: object) -> tuple[Change, ...]:
        return changes(self.workspace, self.base, known=self.known, **options)  # type: ignore[arg-type]

    def contents(self, rev: str) -> dict[str, str]:
        return {
            name: self.main.git("cat-file", "blob", f"{rev}:{name}") for name in self.main.files(rev) if name != "sub"
        }


def lay(tmp_path: Path, setup: Callable[[GitRepo], object] = lambda inside: None) -> Scene:
    main = GitRepo.create(tmp_path / "main", FILES)
    (main.path / "link").symlink_to("b.txt")
    main.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    main.git("add", "link")
    main.git("commit", "-q", "-m", "with a link and a submodule")
    workspaces = Workspaces(Repository.open(main.path))
    workspace = workspaces.create(tmp_path / "run" / "w", branch="orch/5.1.1", commit=main.head())
    inside = GitRepo(workspace.path)
    setup(inside)
    return Scene(main, workspaces, workspace, inside, main.head(), snapshot(workspace))


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return lay(tmp_path)


def do_nothing(inside: GitRepo) -> None:
    pass


def rename(inside: GitRepo) -> None:
    (inside.path / "a.txt").rename(inside.path / "src" / "moved.txt")


def executable(inside: GitRepo) -> None:
    (inside.path / "run.sh").chmod(0o755)


def retype(inside: GitRepo) -> None:
    (inside.path / "b.txt").unlink()
    (inside.path / "b.txt").symlink_to("/etc/passwd")
    (inside.path / "link").unlink()
    inside.write("link", "no link\n")


def file_to_folder(inside: GitRepo) -> None:
    (inside.path / "b.txt").unlink()
    inside.write("b.txt/inner", "x\n")


def folder_to_file(inside: GitRepo) -> None:
    (inside.path / "src" / "c.txt").unlink()
    (inside.path / "src" / "d.txt").unlink()
    (inside.path / "src" / ".gitignore").unlink()
    (inside.path / "src").rmdir()
    inside.write("src", "a file\n")


def odd_names(inside: GitRepo) -> None:
    inside.write('odd "é\n -> x.txt', "changed\n")
    inside.write("-dash", "x\n")
    inside.write(":(top)x", "x\n")
    inside.write("*", "x\n")
    inside.write("tail ", "x\n")
    inside.write("back\\slash", "x\n")


def not_utf8(inside: GitRepo) -> None:
    with open(os.path.join(os.fsencode(inside.path), b"caf\xe9"), "w") as file:  # noqa: PTH118, PTH123
        file.write("x\n")


def same_size_same_time(inside: GitRepo) -> None:
    path = inside.path / "b.txt"
    before = path.stat()
    path.write_text("B\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def touched_only(inside: GitRepo) -> None:
    os.utime(inside.path / "a.txt", (1, 1))


def pipe(inside: GitRepo) -> None:
    os.mkfifo(inside.path / "pipe")


def pipe_for_a_file(inside: GitRepo) -> None:
    (inside.path / "b.txt").unlink()
    os.mkfifo(inside.path / "b.txt")


def pipe_for_attributes(inside: GitRepo) -> None:
    os.mkfifo(inside.path / "src" / ".gitattributes")
    inside.write("b.txt", "B\n")


def hole(inside: GitRepo) -> None:
    inside.write("big", "")
    os.truncate(inside.path / "big", 2 << 30)


def submodule_moved(inside: GitRepo) -> None:
    nested = GitRepo.create(inside.path / "sub", {"x": "x\n"})
    nested.commit("inner")


TABLE: dict[str, tuple[Callable[[GitRepo], object], tuple[Change, ...]]] = {
    "nothing": (do_nothing, ()),
    "only touched": (touched_only, ()),
    "an edit": (lambda inside: inside.write("b.txt", "B\n"), (Change(M, "b.txt"),)),
    "an edit of the same size and time": (same_size_same_time, (Change(M, "b.txt"),)),
    "an untracked file": (lambda inside: inside.write("new/n.txt", "n\n"), (Change(A, "new/n.txt"),)),
    "an empty folder": (lambda inside: (inside.path / "empty").mkdir(), ()),
    "a deletion": (lambda inside: (inside.path / "b.txt").unlink(), (Change(D, "b.txt"),)),
    "a rename": (rename, (Change(R, "src/moved.txt", old_path="a.txt"),)),
    "an executable bit": (executable, (Change(T, "run.sh"),)),
    "file and link change places": (retype, (Change(T, "b.txt", is_symlink=True), Change(T, "link", is_symlink=True))),
    "a file becomes a folder": (file_to_folder, (Change(D, "b.txt"), Change(A, "b.txt/inner"))),
    "a folder becomes a file": (
        folder_to_file,
        (Change(A, "src"), Change(D, "src/.gitignore"), Change(D, "src/c.txt"), Change(D, "src/d.txt")),
    ),
    "odd names": (
        odd_names,
        (
            Change(A, "*"),
            Change(A, "-dash"),
            Change(A, ":(top)x"),
            Change(A, "back\\slash"),
            Change(M, 'odd "é\n -> x.txt'),
            Change(A, "tail "),
        ),
    ),
    "a name that is no UTF-8": (not_utf8, (Change(A, "caf\udce9"),)),
    "a pipe": (pipe, ()),
    "a pipe for a file": (pipe_for_a_file, (Change(A, "b.txt", refusal="a pipe"),)),
    "a file that its attributes have no use for": (
        lambda inside: [
            inside.write(".gitattributes", "b.txt working-tree-encoding=UTF-16\n"),
            inside.write("b.txt", "B"),
        ],
        (
            Change(A, ".gitattributes"),
            Change(A, "b.txt", refusal="BOM is required in 'b.txt' if encoded as UTF-16"),
        ),
    ),
    "a file of nothing but a hole": (
        hole,
        (Change(A, "big", refusal="2147483648 bytes are more than the 1073741824 that orch takes"),),
    ),
    "a submodule at another commit": (submodule_moved, (Change(M, "sub", is_submodule=True),)),
    "names that git refuses": (
        lambda inside: [inside.write("git~1/x", "x\n"), inside.write("ok.txt", "x\n"), inside.write("GIT~1", "x\n")],
        (
            Change(A, "GIT~1", refusal="git takes no file of this name"),
            Change(A, "git~1/x", refusal="git takes no file of this name"),
            Change(A, "ok.txt"),
        ),
    ),
    "an ignored file": (lambda inside: inside.write("x.log", "x\n"), (Change(A, "x.log", is_ignored=True),)),
    "an ignored folder": (lambda inside: inside.write("build/a/b", "x\n"), (Change(A, "build/", is_ignored=True),)),
    "a file that a rule takes back": (lambda inside: inside.write("keep.log", "x\n"), (Change(A, "keep.log"),)),
    "a rule of a deeper folder": (
        lambda inside: [inside.write("src/local", "x\n"), inside.write("local", "x\n")],
        (Change(A, "local"), Change(A, "src/local", is_ignored=True)),
    ),
}


@pytest.mark.parametrize("name", TABLE, ids=lambda name: name.replace(" ", "-"))
def test_what_is_seen(name: str, scene: Scene) -> None:
    act, expected = TABLE[name]
    act(scene.inside)
    assert scene.seen() == tuple(sorted(expected, key=lambda change: change.path))
    assert scene.seen() == tuple(sorted(expected, key=lambda change: change.path)), "a second look differs"


def test_a_pipe_that_git_would_wait_for_is_taken_away_and_named(scene: Scene) -> None:
    pipe_for_attributes(scene.inside)
    assert scene.seen() == (Change(M, "b.txt"), Change(A, "src/.gitattributes", refusal="a pipe"))
    assert not os.path.lexists(scene.workspace.path / "src" / ".gitattributes")
    assert scene.seen() == (Change(M, "b.txt"),)


def test_what_lies_a_thousand_folders_deep_is_seen(scene: Scene) -> None:
    script = "import os\nfor _ in range(1100):\n os.mkdir('d')\n os.chdir('d')\nopen('f', 'w').close()"
    subprocess.run([sys.executable, "-c", script], cwd=scene.workspace.path, check=True)
    try:
        assert scene.seen() == (Change(A, "d/" * 1100 + "f"),)
    finally:
        # pytest can't.
        scene.workspaces.discard(scene.workspace.path)


def test_what_is_taken_back_is_seen_no_more(scene: Scene) -> None:
    scene.inside.write("b.txt", "B\n")
    scene.inside.write("new.txt", "n\n")
    assert len(scene.seen()) == 2
    scene.inside.write("b.txt", "b\n")
    (scene.inside.path / "new.txt").unlink()
    assert scene.seen() == ()
    assert look(scene.workspace).tree() == scene.main.tree()


def test_what_setup_made_is_nobodys_work_until_it_is_changed(tmp_path: Path) -> None:
    def setup(inside: GitRepo) -> None:
        inside.write("lock.json", "{}\n")
        inside.write("b.txt", "set up\n")
        inside.write("build/out", "x\n")

    scene = lay(tmp_path, setup)
    assert Snapshot.from_data(scene.known.as_data()) == scene.known
    assert scene.seen() == ()
    scene.inside.write("build/more", "x\n")
    scene.inside.write("c.txt", "work\n")
    assert scene.seen() == (Change(A, "c.txt"),)
    made = scene.known.made
    assert scene.contents(tree(scene.workspace, scene.base, made=made))["b.txt"] == "b"
    scene.inside.write("lock.json", "{1}\n")
    assert scene.seen() == (Change(A, "c.txt"), Change(A, "lock.json"))
    landed = scene.contents(tree(scene.workspace, scene.base, made=made))
    assert (landed["lock.json"], landed["b.txt"]) == ("{1}", "b")


def test_exempt_paths_are_left_out(scene: Scene) -> None:
    for name in ("planning/tasks/5.1.1.todo.md", "planning/STATE_5.md", "planning/other.md", "x.log"):
        scene.inside.write(name, "x\n")
    exempt = ["planning/tasks/", "planning/STATE_5.md", "x.log"]
    assert scene.seen(exempt=exempt) == (Change(A, "planning/other.md"),)


def test_commits_of_the_worker_change_nothing_in_what_is_seen(scene: Scene) -> None:
    scene.inside.write("b.txt", "B\n")
    scene.inside.commit("one")
    scene.inside.write("c.txt", "c\n")
    scene.inside.git("add", "c.txt")
    assert scene.seen() == (Change(M, "b.txt"), Change(A, "c.txt"))


def test_the_tree_to_land_has_what_is_wanted_and_nothing_else(scene: Scene) -> None:
    scene.inside.write("b.txt", "B\n")
    scene.inside.write("planning/x.md", "x\n")
    scene.inside.write("out.log", "ignored\n")
    scene.inside.write("fixed.log", "named\n")
    (scene.inside.path / "src" / "c.txt").rename(scene.inside.path / "src" / "moved.txt")
    landed = scene.main.files(
        tree(scene.workspace, scene.base, leave_out=["planning/", "src/c.txt"], also=["fixed.log", "missing.log"])
    )
    assert sorted(landed) == sorted([*scene.main.files(), "fixed.log", "src/moved.txt"])
    assert scene.seen()[0] == Change(M, "b.txt"), "making a tree has changed what is seen"


def test_many_files_that_go_back_are_not_compared_with_each_other(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        scene.inside.write(f"left/{number}.txt", f"{number}\n")
        scene.inside.write(f"new/{number}.txt", f"{number}\n")
    compared: list[object] = []

    def equal(one: Entry, other: object) -> bool:
        compared.append(other)
        return one is other

    monkeypatch.setattr(Entry, "__eq__", equal)
    landed = scene.main.files(tree(scene.workspace, scene.base, leave_out=["left/"]))
    assert sorted(landed) == sorted([*scene.main.files(), *(f"new/{number}.txt" for number in range(40))])
    assert len(compared) < 80, "more than one for each entry"


def test_a_kept_state_is_a_commit_of_everything_but_ignored_files(scene: Scene) -> None:
    scene.inside.write("b.txt", "B\n")
    scene.inside.write("new.txt", "n\n")
    scene.inside.write("x.log", "x\n")
    kept = keep(scene.workspace, scene.base, "turn 1\n\nkept")
    assert sorted(scene.main.files(kept)) == sorted([*scene.main.files(), "new.txt"])
    assert scene.main.git("log", "-1", "--format=%an %P %B", kept) == f"orch {scene.base} turn 1\n\nkept\n"
    assert scene.main.git("for-each-ref", "--contains", kept) == ""


def test_keeping_needs_no_name_of_the_person(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    scene.main.git("config", "user.useConfigOnly", "true")
    assert scene.main.tree(keep(scene.workspace, scene.base, "kept")) == scene.main.tree()


def test_line_ranges_are_those_of_the_new_text(scene: Scene) -> None:
    lines = LONG.split("\n")
    lines[4:6] = ["changed", "+++ not a header", "@@ -1 +1 @@ nor this"]
    del lines[20]
    scene.inside.write("a.txt", "\n".join(lines))
    scene.inside.write('new "é\n.txt', "one\ntwo\n")
    (scene.inside.path / "b.txt").unlink()
    kept = keep(scene.workspace, scene.base, "kept")
    found = {change.path: change.lines for change in commit_changes(scene.workspaces.repository, kept) if change.lines}
    assert found == {"a.txt": ((5, 7),), 'new "é\n.txt': ((1, 2),)}


def test_the_persons_own_ignore_rules_count_and_the_workspaces_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ignore").write_text("*.swp\n")
    main = GitRepo.create(tmp_path / "main", FILES)
    main.git("config", "core.excludesFile", str(tmp_path / "ignore"))
    (main.path / ".git" / "info").mkdir(exist_ok=True)
    (main.path / ".git" / "info" / "exclude").write_text("*.mine\n")
    workspace = Workspaces(Repository.open(main.path)).create(tmp_path / "w", branch="x", commit=main.head())
    inside = GitRepo(workspace.path)
    (tmp_path / "ignore").write_text("*\n")
    for name in ("a.swp", "b.mine", "c.txt"):
        inside.write(name, "x\n")
    inside.write(".git/info/exclude", "*\n")
    assert [change.path for change in changes(workspace, main.head())] == ["c.txt"]


def test_a_file_that_git_takes_for_changed_right_after_a_checkout_is_nobodys_work(tmp_path: Path) -> None:
    main = GitRepo.create(tmp_path / "main", {"dos.txt": "a\r\nb\r\n", "b.txt": "b\n"})
    base = main.commit("now they are to be normalised", {".gitattributes": "* text=auto\n"})
    assert main.git("cat-file", "-s", "HEAD:dos.txt") == "6", "git has normalised it already"
    workspaces = Workspaces(Repository.open(main.path))
    workspace = workspaces.create(tmp_path / "w", branch="x", commit=base)
    known = snapshot(workspace)
    (workspace.path / "b.txt").write_text("work\n")
    assert changes(workspace, base, known=known) == (Change(M, "b.txt"),)
    landed = tree(workspace, base, made=known.made)
    assert main.git("diff", "--name-only", base, landed) == "b.txt"
    workspaces.reset(workspace, base)
    assert (workspace.path / "dos.txt").read_bytes() == b"a\r\nb\r\n"


def test_a_large_checkout_is_read_once_and_no_change_in_it_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGE_INDEX", 0)
    main = GitRepo.create(tmp_path / "main", {f"{n}.txt": f"{n}\n" for n in range(10, 30)})
    workspace = Workspaces(Repository.open(main.path)).create(tmp_path / "w", branch="x", commit=main.head())
    known = snapshot(workspace, is_fresh=True)
    assert known == snapshot(workspace)
    (workspace.path / "10.txt").write_text("ab\n")
    assert changes(workspace, main.head(), known=known) == (Change(M, "10.txt"),)
    written = workspace.index.stat()
    while int(time.time()) <= int(written.st_mtime):
        time.sleep(0.05)
    (workspace.path / "11.txt").write_text("ab\n")
    assert changes(workspace, main.head(), known=known) == (Change(M, "10.txt"), Change(M, "11.txt"))
    assert not (workspace.side / "fresh").exists()
    assert changes(workspace, main.head(), known=known) == (Change(M, "10.txt"), Change(M, "11.txt"))
