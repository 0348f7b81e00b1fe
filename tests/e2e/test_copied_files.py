"""What `worktree:` copies and links is laid again over what a worker left in its place, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.orch import run_orch
from tests.support.planned import Task, make_repository, planning, working, write_set

ACTS = [
    "rm -r conf && ln -s {mine} conf",
    "rm conf/in && ln -s {mine}/in conf/in",
    "rm -r conf/deep && ln -s {mine} conf/deep",
    "rm conf/in && ln {mine}/in conf/in",
    "rm -r conf && touch conf",
    "rm conf/in && mkfifo conf/in",
    "chmod 0 conf/deep conf",
    "rm env && ln -s {mine}/in env",
    "rm env && ln -s nowhere/at/all env",
    "rm env && ln -s /dev/full env",
    "rm env && mkdir -p env/full/of",
    "rm env && mkfifo env",
    "rm -r sub && ln -s {mine} sub",
    "rm -r sub && touch sub",
    "rm -r lib && ln -s {mine} lib",
]


@pytest.mark.parametrize("act", ACTS)
def test_what_a_worker_put_there_is_neither_followed_nor_in_the_way(tmp_path: Path, act: str) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "in").write_text("mine\n")
    task = Task("1", ("a.dat",), test="grep -q in conf/in && grep -q x conf/deep/x && grep -q y env && grep -q z sub/z")
    # The hook has the workspace laid anew.
    left_behind = act.format(mine=mine) + "; touch .git/hooks/x"
    turns = (planning(task, run=left_behind), planning(task, run="test -e lib/tool"), working(task))
    folder = tmp_path / "repo"
    make_repository(folder, {".gitignore": "conf\nenv\nsub\nlib\n"})
    for name, text in {"conf/in": "in", "conf/deep/x": "x", "env": "y", "sub/z": "z", "lib/tool": "t"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    settings = "gate: auto\nworktree: {copy: [conf, env, sub/z], link: [lib/tool]}\n"
    write_set(folder, [Task("1", task.creates, test=task.test, turns=turns)], settings=settings)
    before = git(folder, "status", "--porcelain")
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
    assert [(path.name, path.read_text()) for path in mine.iterdir()] == [("in", "mine\n")]
    assert git(folder, "status", "--porcelain") == before


def test_a_link_of_the_repository_on_the_way_to_a_copied_file_stays(tmp_path: Path) -> None:
    folder = make_repository(tmp_path / "repo", {".gitignore": "key\n", "conf/kept": "kept\n"})
    (folder / "etc").symlink_to("conf")
    git(folder, "add", "etc")
    git(folder, "commit", "-qm", "link")
    (folder / "conf" / "key").write_text("k")
    task = Task("1", ("a.dat",), test="test -h etc && grep -q k etc/key && grep -q kept conf/kept")
    write_set(folder, [task], settings="gate: auto\nworktree: {copy: [etc/key]}\n")
    left = run_orch(folder, "next-wave")
    assert left.code == 0, left
