"""Programs that git runs for people: hooks, signers, filters; and the submodules beside a repository."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.git_repo import GitRepo
from tests.support.one_life import EDITED, LINES, RESULT, Life, assert_lived, new_life, tasks
from tests.support.planned import Task, planning, report_text, working

ONE = Task("1", (), edits=("src/text.txt",))


def one_task(life: Life, *, again: Mapping[str, object] | None = None, **more: object) -> Life:
    """The life with one task alone, whose worker edits src/text.txt; `again` is what it does besides in a retry."""
    edit = {"files": {"src/text.txt": EDITED}, **more}
    retry = working(ONE, turn="retry", **{**edit, **(again or {})})
    life.tasks = [replace(ONE, turns=(planning(ONE), working(ONE, **edit), retry))]
    return life


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


# -- hooks


def test_a_slow_commit_hook_is_waited_for(tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path))
    life.settings = "test_timeout: 60s\n"
    life.repo.hook("pre-commit", f"sleep 2; echo ran >> {tmp_path}/ran")
    assert life.next_wave().code == 0
    assert (tmp_path / "ran").read_text() == "ran\n"


def test_a_commit_hook_that_takes_longer_than_a_test_may_is_ended_and_the_work_kept(tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path))
    life.settings = "test_timeout: 3s\n"
    life.repo.hook("pre-commit", "echo began >&2; exec sleep 60")
    left = life.next_wave()
    assert left.code == 4, left
    assert "the repository's commit hooks took too long" in left.out
    assert "began" in life.logs()
    assert kept(life) == EDITED


def kept(life: Life) -> str:
    """src/text.txt as the last turn's worker left it."""
    refs = life.repo.git("for-each-ref", "--format=%(refname)", "refs/orch/").split("\n")
    last = max(ref for ref in refs if "/turn-" in ref)
    return life.repo.git("cat-file", "blob", f"{last}:src/text.txt") + "\n"


def test_a_commit_hook_that_refuses_is_told_to_the_worker_whose_retry_lands(tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path), again={"append": {"src/text.txt": "checked\n"}})
    life.repo.hook("pre-commit", "git show :src/text.txt | grep -q checked || { echo 'unchecked text' >&2; exit 1; }")
    left = life.next_wave()
    assert left.code == 0, left
    assert life.blob("src/text.txt") == f"{EDITED}checked\n"
    assert 'why="the repository\'s commit hooks refused the commit"' in life.logs()


def test_of_a_commit_hook_that_refuses_with_megabytes_the_end_is_told_and_the_work_kept(tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path))
    life.repo.hook("pre-commit", "yes 'odd \\377 line' | head -c 10000000; echo no ticket named >&2; exit 1")
    left = life.next_wave()
    assert left.code == 4, left
    assert "the repository's commit hooks refused the commit" in left.out
    assert "no ticket named" in life.logs()
    assert len(life.logs()) < 30_000
    assert life.repo.head(life.branch) == life.repo.head("main")
    assert kept(life) == EDITED


def test_what_a_commit_hook_changes_within_the_scope_lands_and_is_said(tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path))
    life.repo.hook("pre-commit", "echo formatted >> src/text.txt; git add src/text.txt")
    left = life.next_wave()
    assert left.code == 0, left
    assert "degraded: 1.1.1: a commit hook changed the files of the commit; they were tested again\n" in left.out
    assert life.blob("src/text.txt") == f"{EDITED}formatted\n"


def test_what_a_commit_hook_changes_out_of_scope_does_not_land(tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path))
    life.repo.hook("pre-commit", "echo x > generated.txt; git add generated.txt")
    left = life.next_wave()
    assert left.code == 4, left
    assert "a commit hook changed files out of scope: creates `generated.txt`, out of scope" in left.out
    assert life.repo.head(life.branch) == life.repo.head("main")
    assert kept(life) == EDITED


def test_a_hook_that_protects_the_branch_is_asked_and_what_it_refuses_waits_with_its_words(tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path))
    guards = f'while read old new ref; do case "$1 $ref" in "prepared refs/heads/{life.branch}")'
    refuses = f'test -e {tmp_path}/$old-may-move || {{ echo "$ref is frozen" >&2; exit 1; }};; esac; done'
    hook = life.repo.hook("reference-transaction", f"{guards} {refuses}")
    left = life.next_wave()
    assert (left.code, left.out) == (1, "")
    assert left.err == (
        f"error: the hook reference-transaction in {hook.parent} refuses to change refs/heads/{life.branch}\n"
        f"    refs/heads/{life.branch} is frozen\nhint: let that hook pass the branch\n"
    )
    (tmp_path / f"{'0' * 40}-may-move").touch()
    left = life.next_wave()
    assert left.code == 1, left
    assert life.board == ("verified",)
    assert "is frozen" in life.logs()
    assert "first: let that hook pass the branch\nnext: orch next-wave\n" in left.out
    assert life.repo.head(life.branch) == life.repo.head("main")
    (tmp_path / f"{life.repo.head('main')}-may-move").touch()
    assert life.next_wave().code == 0
    assert life.blob("src/text.txt") == EDITED


# -- signing


def test_commits_are_signed_with_an_ssh_key_and_verify(tmp_path: Path) -> None:
    life, key = new_life(tmp_path), tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (tmp_path / "allowed").write_text(f"* {key.with_suffix('.pub').read_text()}")
    life.config("gpg.format=ssh", f"user.signingKey={key}.pub", "commit.gpgSign=true")
    life.config(f"gpg.ssh.allowedSignersFile={tmp_path}/allowed")
    life.live()
    assert_lived(life)
    assert life.repo.git("log", "--no-show-signature", "--format=%G?", f"main..{life.branch}") == "G\nG\nG"


@pytest.mark.parametrize("signer", ["echo no key >&2; exit 2", "echo pin >/dev/tty; read pin </dev/tty; exit 3"])
def test_a_signer_that_fails_or_asks_on_the_terminal_leaves_the_work_verified(signer: str, tmp_path: Path) -> None:
    life = one_task(new_life(tmp_path))
    life.config("commit.gpgSign=true", f"gpg.program={program(tmp_path / 'signer', signer)}")
    works = "cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo -----BEGIN PGP SIGNATURE-----"
    left = life.next_wave()
    assert left.code == 1, left
    assert life.board == ("verified",)
    hint = "see that the signing program works without a terminal, or unset commit.gpgSign"
    assert f"first: {hint}\nnext: orch next-wave\n" in left.out
    program(tmp_path / "signer", f"{works}; echo -----END PGP SIGNATURE-----")
    assert life.next_wave().code == 0
    assert life.board == ("done",)


# -- filters


def lfs(top: Path) -> tuple[Life, dict[str, str]]:
    """A repository whose texts a stand-in for git-lfs keeps elsewhere, and the PATH on which it is found."""
    script = (
        'case $1 in clean) cat > "$LFS/new"; sum=$(sha256sum "$LFS/new" | cut -d" " -f1); size=$(wc -c < "$LFS/new");'
        ' mv "$LFS/new" "$LFS/$sum"; printf "version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n"'
        ' $sum $size;; smudge) cat "$LFS/$(sed -n "s/^oid sha256://p")";; esac'
    )
    program(top / "bin" / "git-lfs", script.replace("$LFS", str(top / "store")))
    (top / "store").mkdir()
    path = {"PATH": f"{top}/bin{os.pathsep}{os.environ['PATH']}"}
    life = new_life(top)
    life.config("filter.lfs.clean=git-lfs clean -- %f", "filter.lfs.smudge=git-lfs smudge -- %f")
    life.config("filter.lfs.required=true")
    life.repo.write(".gitattributes", "src/*.txt filter=lfs diff=lfs merge=lfs -text\n")
    for words in (["add", "--renormalize", "."], ["add", "-A"], ["commit", "-q", "-m", "lfs"]):
        subprocess.run(["git", *words], cwd=life.folder, env={**os.environ, **path}, check=True)
    return life, path


def pointer(text: str) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(text)}\n"


def test_with_lfs_workers_have_contents_and_pointers_land(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    life, path = lfs(tmp_path)
    monkeypatch.setenv("PATH", path["PATH"])
    life.live()
    pointers = {name: pointer(text) for name, text in RESULT.items()}
    # Two pointers are too unlike each other for a rename.
    moved = ("0 3 src/old.txt", "3 0 src/moved.txt")
    diff = ("0 1 gone.txt", "3 0 src/new.txt", *moved, "2 2 src/text.txt")
    assert_lived(life, files=pointers, diff=diff)


def test_without_the_program_that_lfs_needs_no_worker_starts_and_the_filter_is_named(tmp_path: Path) -> None:
    life, path = lfs(tmp_path)
    left = life.next_wave()
    assert left.code == 1, left
    assert "see that the programs of filter.lfs in git's configuration work here" in left.out + left.err
    assert "started" not in life.logs()
    life.env = path
    assert life.next_wave().code == 0


def test_a_filter_that_lies_in_the_tree_is_that_of_the_main_checkout(tmp_path: Path) -> None:
    up, planted = "#!/bin/sh\ntr a-z A-Z\n", f"#!/bin/sh\necho planted >> {tmp_path}/ran\ncat\n"
    life = new_life(tmp_path, {".gitattributes": "src/*.txt filter=up\n"})
    life.repo.write("tools/up", up, executable=True)
    life.repo.commit("a filter")
    life.config("filter.up.clean=./tools/up")
    life.repo.git("add", "--renormalize", ".")
    life.repo.commit("filtered")
    undo = "git checkout tools/up"
    plants = f"printf %s {shlex.quote(planted)} > tools/up"
    life = one_task(life, run=plants, again={"run": undo})
    left = life.next_wave()
    assert left.code == 0, (left, life.logs())
    assert "changes `tools/up`, out of scope" in life.logs()
    assert not (tmp_path / "ran").exists()
    assert life.blob("src/text.txt") == EDITED.upper()


# -- submodules


def with_submodule(top: Path, *, ignore: str = "none") -> tuple[Life, GitRepo]:
    """A repository with a submodule lib/x that holds one submodule more, and what lib/x was cloned from."""
    deep = GitRepo.create(top / "deep", {"deep.txt": "deep\n"})
    far = GitRepo.create(top / "far", {"code.txt": "one\n"})
    life = new_life(top)
    local = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    far.git(*local, "add", str(deep.path), "more")
    far.commit("more")
    life.repo.git(*local, "add", str(far.path), "lib/x")
    life.repo.git(*local, "update", "--init", "--recursive")
    life.repo.git("config", "-f", ".gitmodules", "submodule.lib/x.ignore", ignore)
    life.repo.commit("lib")
    return life, far


def test_tests_find_the_files_of_submodules_and_every_task_finds_them_unchanged(tmp_path: Path) -> None:
    life, far = with_submodule(tmp_path)
    url = f"test $(git -C lib/x remote get-url origin) = {far.path}"
    reads = f"grep -q one lib/x/code.txt && grep -q deep lib/x/more/deep.txt && {url} && test -z $(git status -s lib)"
    life.tasks = [replace(task, test=f"{reads} && {task.test}") for task in tasks(run="echo left > lib/x/code.txt")]
    life.live()
    assert_lived(life)


def test_a_submodule_that_points_elsewhere_is_seen_whatever_gitmodules_ignores(tmp_path: Path) -> None:
    life, far = with_submodule(tmp_path, ignore="all")
    far.commit("two", {"code.txt": "two\n"})
    before = life.repo.git("rev-parse", "HEAD:lib/x")
    moves = "git -C lib/x fetch -q origin main && git -C lib/x checkout -q FETCH_HEAD"
    life = one_task(life, run=moves, again={"run": f"git -C lib/x checkout -q {before}"})
    left = life.next_wave()
    assert left.code == 0, (left, life.logs())
    assert "changes `lib/x`, out of scope" in life.logs()
    assert git(life.folder, "rev-parse", f"{life.branch}:lib/x") == before


def test_a_commit_made_in_a_submodule_in_scope_lands_as_its_pointer_and_is_kept(tmp_path: Path) -> None:
    life, _ = with_submodule(tmp_path)
    task = Task("1", (), edits=("lib/x",), test="grep -q two lib/x/code.txt")
    who = "-c user.name=Worker -c user.email=worker@localhost"
    run = f"cd lib/x && echo two > code.txt && git {who} commit -q -a -m two"
    works = working(task, files={}, run=run, report=report_text(["lib/x"]))
    life.tasks = [replace(task, turns=(planning(task), works))]
    left = life.next_wave()
    assert left.code == 0, (left, life.logs())
    made = git(life.folder, "rev-parse", f"{life.branch}:lib/x")
    assert git(life.folder / "lib" / "x", "show", f"{made}:code.txt") == "two"
    assert git(life.folder / "lib" / "x", "show", "HEAD:code.txt") == "one"
    assert LINES in life.blob("src/text.txt")
