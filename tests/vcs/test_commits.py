"""The commit that is to land: hooks that pass, fail, rewrite and hang, relative and absolute hook paths, signing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.errors import ToolError
from orchestrator.vcs.commits import SigningError, commit
from orchestrator.vcs.hooks import HookError, commit_rules
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces
from tests.support.git_repo import GitRepo
from tests.vcs.killing import every_kill

FILES = {"a.txt": "a\n", "gone.txt": "gone\n"}
MESSAGE = "feat: change a\n\nWhy: because.\n# not a comment"


@dataclass(frozen=True)
class Bench:
    repo: GitRepo
    repository: Repository
    parent: str
    tree: str
    workspace: Workspace

    def commit(self, **options: object) -> str:
        return commit(
            self.repository,
            tree=self.tree,
            parent=self.parent,
            message=MESSAGE,
            workspace=self.workspace,
            **options,  # type: ignore[arg-type]
        )

    def shown(self, made: str) -> dict[str, str]:
        return {name: self.repo.git("cat-file", "blob", f"{made}:{name}") for name in self.repo.files(made)}


def bench(tmp_path: Path, arrange: Callable[[GitRepo], object] = lambda repo: None) -> Bench:
    repo = GitRepo.create(tmp_path / "main", FILES)
    (repo.path / "gone.txt").unlink()
    tree = repo.tree(repo.commit("scratch", {"a.txt": "changed\n", "dir/new.txt": "new\n"}))
    repo.git("reset", "-q", "--hard", "HEAD~1")
    arrange(repo)
    parent = repo.head()
    repository = Repository.open(repo.path)
    workspace = Workspaces(repository).create(tmp_path / "run" / "landing", branch="orch/1-x", commit=parent)
    return Bench(repo, repository, parent, tree, workspace)


def test_without_hooks_it_is_made_in_memory(tmp_path: Path) -> None:
    one = bench(tmp_path)
    before = one.repo.git("for-each-ref")
    made = commit(one.repository, tree=one.tree, parent=one.parent, message=MESSAGE)
    assert (one.repo.tree(made), one.repo.head(f"{made}^")) == (one.tree, one.parent)
    assert one.repo.git("log", "-1", "--format=%an <%ae>%n%B", made) == f"Test Person <test@example.org>\n{MESSAGE}\n"
    assert (one.repo.git("for-each-ref"), one.repo.status()) == (before, [])


PASSING = {
    "pre-commit passes": ("pre-commit", "exit 0", {}),
    "pre-commit rewrites and stages": (
        "pre-commit",
        "printf 'formatted\\n' > a.txt && git add a.txt",
        {"a.txt": "formatted"},
    ),
    "pre-commit adds a file": ("pre-commit", "echo extra > extra.txt && git add extra.txt", {"extra.txt": "extra"}),
    "pre-commit rewrites without staging": ("pre-commit", "echo unstaged > a.txt", {}),
    "post-commit amends": (
        "post-commit",
        "test -e .git/once || { touch .git/once; git commit -q --amend --no-edit; }",
        {},
    ),
    "a hook leaves a process behind": ("pre-commit", "sleep 30 & exit 0", {}),
    "a hook prints much": ("pre-commit", "head -c 3000000 /dev/zero | tr '\\0' x", {}),
    "post-commit fails": ("post-commit", "exit 1", {}),
    "a hook moves the branch it sees": ("post-commit", "git branch -f main HEAD; git tag mine", {}),
}


@pytest.mark.parametrize("name", PASSING, ids=lambda name: name.replace(" ", "-"))
def test_hooks_that_let_it_pass(name: str, tmp_path: Path) -> None:
    hook, script, differs = PASSING[name]
    one = bench(tmp_path, lambda repo: repo.hook(hook, script))
    made = one.commit()
    expected = {**one.shown(one.tree), **differs}
    assert one.shown(made) == expected
    assert one.repo.head(f"{made}^") == one.parent
    assert one.repo.git("log", "-1", "--format=%an%n%B", made) == f"Test Person\n{MESSAGE}\n"
    assert one.repo.git("for-each-ref", "--format=%(refname) %(objectname)") == f"refs/heads/main {one.parent}"
    assert one.repo.status() == []


def test_message_hooks_may_change_the_message(tmp_path: Path) -> None:
    def arrange(repo: GitRepo) -> None:
        repo.hook("prepare-commit-msg", 'printf "%s\\n" "$2" > .git/source')
        repo.hook("commit-msg", 'printf "\\nChange-Id: 7\\n" >> "$1"')

    one = bench(tmp_path, arrange)
    assert commit_rules(one.repository).names == ("prepare-commit-msg", "commit-msg")
    made = one.commit()
    assert one.repo.git("log", "-1", "--format=%B", made) == f"{MESSAGE}\n\nChange-Id: 7\n"


@pytest.mark.parametrize("hook", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_a_hook_that_fails_refuses_the_commit_with_its_output(hook: str, tmp_path: Path) -> None:
    one = bench(tmp_path, lambda repo: repo.hook(hook, "echo on standard output\necho 'line 7: too long' >&2\nexit 3"))
    with pytest.raises(HookError, match="refused the commit") as caught:
        one.commit()
    assert caught.value.output == "on standard output\nline 7: too long\n"
    assert (one.repo.head(), one.repo.status()) == (one.parent, [])


def test_a_hook_that_never_ends_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", "echo began >&2; sleep 600"))
    with pytest.raises(HookError, match="took too long") as caught:
        one.commit(timeout=0.5)
    assert caught.value.output == "began\n"


def test_a_hook_that_leaves_nothing_to_commit_is_named(tmp_path: Path) -> None:
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", "git read-tree HEAD"))
    with pytest.raises(HookError, match="left nothing"):
        one.commit()


def test_a_hook_that_makes_more_than_one_commit_is_refused(tmp_path: Path) -> None:
    script = "test -e .git/once || { touch .git/once; git commit -q --allow-empty -m more; }"
    one = bench(tmp_path, lambda repo: repo.hook("post-commit", script))
    with pytest.raises(HookError, match="other than one commit"):
        one.commit()


def test_a_relative_hooks_path_is_the_main_checkouts_never_the_trees(tmp_path: Path) -> None:
    def arrange(repo: GitRepo) -> None:
        repo.git("config", "core.hooksPath", ".husky")
        repo.write(".husky/pre-commit", "#!/bin/sh\nexit 0\n", executable=True)
        repo.commit("hooks in the tree")

    one = bench(tmp_path, arrange)
    one.repo.write(".husky/pre-commit", f"#!/bin/sh\necho planted >> {tmp_path}/mark\n", executable=True)
    tree = one.repo.tree(one.repo.commit("a tree with another hook"))
    one.repo.git("reset", "-q", "--hard", one.parent)
    assert commit_rules(one.repository).hooks == one.repo.path / ".husky"
    made = commit(one.repository, tree=tree, parent=one.parent, message=MESSAGE, workspace=one.workspace)
    assert one.repo.tree(made) == tree
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("where", ["absolute", "home"])
def test_a_hooks_path_elsewhere_is_followed(where: str, tmp_path: Path) -> None:
    folder = tmp_path / "hooks" if where == "absolute" else Path.home() / "hooks"
    folder.mkdir(exist_ok=True)
    (folder / "commit-msg").write_text("#!/bin/sh\nexit 1\n")
    (folder / "commit-msg").chmod(0o755)
    value = str(folder) if where == "absolute" else "~/hooks"
    one = bench(tmp_path, lambda repo: repo.git("config", "core.hooksPath", value))
    assert commit_rules(one.repository).names == ("commit-msg",)
    with pytest.raises(HookError):
        one.commit()


def test_messages_are_utf_8_whatever_encoding_is_configured(tmp_path: Path) -> None:
    one = bench(tmp_path, lambda repo: repo.git("config", "i18n.commitEncoding", "ISO-8859-1"))
    made = commit(one.repository, tree=one.tree, parent=one.parent, message="über alles\n")
    assert one.repo.git("log", "-1", "--encoding=UTF-8", "--format=%s", made) == "über alles"
    assert one.repository.commits(one.parent, made)[0].subject == "über alles"


def test_a_hooks_path_in_the_environment_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = bench(tmp_path)
    program = tmp_path / "hooks" / "commit-msg"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    for name, value in (("COUNT", "1"), ("KEY_0", "core.hooksPath"), ("VALUE_0", str(program.parent))):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert commit_rules(one.repository).names == ("commit-msg",)


def test_a_hook_that_may_not_be_executed_is_none(tmp_path: Path) -> None:
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", "exit 1").chmod(0o644))
    assert commit_rules(one.repository).names == ()


def test_hooks_see_only_the_variables_they_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", f"env > {tmp_path}/seen"))
    one.commit(environ={**{name: os.environ[name] for name in ("PATH", "HOME")}, "GIVEN": "yes"})
    seen = dict(line.split("=", 1) for line in (tmp_path / "seen").read_text().splitlines() if "=" in line)
    assert "SECRET_TOKEN" not in seen
    assert (seen["GIVEN"], seen["HOME"]) == ("yes", os.environ["HOME"])


def test_hooks_may_use_patterns_for_paths_and_print_any_text(tmp_path: Path) -> None:
    script = f"git diff --cached --name-only -- '*.txt' > {tmp_path}/seen; locale charmap >> {tmp_path}/seen"
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", script))
    one.commit(environ={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]})
    assert (tmp_path / "seen").read_text() == "a.txt\ndir/new.txt\ngone.txt\nUTF-8\n"


def test_hooks_run_on_a_branch_of_the_integration_branchs_name(tmp_path: Path) -> None:
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", f"git symbolic-ref --short HEAD > {tmp_path}/seen"))
    one.commit()
    assert (tmp_path / "seen").read_text() == "orch/1-x\n"


def signer(script: str) -> Callable[[GitRepo], object]:
    def arrange(repo: GitRepo) -> None:
        program = repo.path.parent / "signer"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        repo.git("config", "gpg.program", str(program))

    return arrange


def signing(script: str, *, hook: bool) -> Callable[[GitRepo], object]:
    def arrange(repo: GitRepo) -> None:
        signer(script)(repo)
        if hook:
            repo.hook("pre-commit", "exit 0")

    return arrange


SIGNS = (
    "echo '[GNUPG:] SIG_CREATED ' >&2; cat > /dev/null;"
    " echo -----BEGIN PGP SIGNATURE-----; echo -----END PGP SIGNATURE-----"
)


@pytest.mark.parametrize("hook", [False, True], ids=["in-memory", "with-hooks"])
def test_it_is_signed_where_commits_are_signed(hook: bool, tmp_path: Path) -> None:
    one = bench(tmp_path, signing(SIGNS, hook=hook))
    one.repo.git("config", "commit.gpgSign", "true")
    assert "BEGIN PGP SIGNATURE" in one.repo.git("cat-file", "commit", one.commit())


@pytest.mark.parametrize("hook", [False, True], ids=["in-memory", "with-hooks"])
def test_a_signer_that_fails_is_named(hook: bool, tmp_path: Path) -> None:
    one = bench(tmp_path, signing("echo 'no secret key' >&2; exit 2", hook=hook))
    one.repo.git("config", "commit.gpgSign", "true")
    with pytest.raises(SigningError, match="couldn't be signed") as caught:
        one.commit()
    assert "gpg failed to sign" in caught.value.output


def test_a_signer_that_waits_for_ever_is_ended_at_the_time_limit(tmp_path: Path) -> None:
    one = bench(tmp_path, signing("exec sleep 999", hook=False))
    one.repo.git("config", "commit.gpgSign", "true")
    with pytest.raises(SigningError, match=r"longer than 0\.5 seconds"):
        one.commit(timeout=0.5)


@pytest.mark.parametrize("hook", [False, True], ids=["in-memory", "with-hooks"])
def test_without_an_identity_the_remedy_is_named(hook: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", "exit 0") if hook else None)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    one.repo.git("config", "user.useConfigOnly", "true")
    with pytest.raises(ToolError, match="doesn't know who commits") as caught:
        one.commit()
    assert "user.email" in caught.value.hint
    assert one.repository.identity_fault() != ""


def test_a_commit_with_hooks_that_was_killed_at_any_step_can_be_made_again(tmp_path: Path) -> None:
    one = bench(tmp_path, lambda repo: repo.hook("pre-commit", "echo formatted > a.txt; git add a.txt"))
    for _ in every_kill(lambda: one.commit):
        assert (one.repo.head(), one.repo.status()) == (one.parent, [])
        found = Workspaces(one.repository).create(one.workspace.path, branch="orch/1-x", commit=one.parent)
        again = Bench(one.repo, one.repository, one.parent, one.tree, found)
        assert one.shown(again.commit())["a.txt"] == "formatted"
