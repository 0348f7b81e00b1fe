"""Repositories, settings and environments as people have them: the same orchestration comes to the same end in each."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.endings import git
from tests.support.git_repo import GitRepo
from tests.support.one_life import EDITED, FILES, LINES, MADE, Life, assert_lived, new_life, tasks
from tests.support.planned import Task, planning, report_text, working

Arrange = Callable[[Path], Life]
ROWS: dict[str, Arrange] = {}


def row(arrange: Arrange) -> Arrange:
    """One repository in which nothing but the end is looked at."""
    ROWS[arrange.__name__.replace("_", " ")] = arrange
    return arrange


@row
def settings_that_change_what_git_does_and_prints(top: Path) -> Life:
    life = new_life(top)
    (top / "template").write_text("TEMPLATE\n")
    never = "!echo an alias ran >&2; false"
    life.config(*(f"alias.{name}={never}" for name in ("commit", "status", "update-index", "read-tree", "commit-tree")))
    life.config(f"commit.template={top}/template", f"diff.orderFile={top}/template")
    life.config("commit.cleanup=scissors", "commit.verbose=true", "i18n.commitEncoding=ISO-8859-1")
    life.config("merge.conflictStyle=zdiff3", "merge.ff=only", "merge.renames=false", "rerere.enabled=true")
    life.config("diff.noprefix=true", "diff.renames=false", "diff.external=false", "diff.ignoreSubmodules=all")
    life.config("color.ui=always", "core.pager=false", "core.editor=false", "core.commentChar=;", "core.abbrev=4")
    life.config("log.showSignature=true", "log.date=relative", "log.decorate=full", "format.pretty=oneline")
    life.config("status.short=true", "status.showUntrackedFiles=no", "core.whitespace=cr-at-eol")
    life.config("core.splitIndex=true", "core.untrackedCache=true", "index.version=4", "feature.manyFiles=true")
    life.config("core.fileMode=false", "core.symlinks=false", "core.sharedRepository=group", "gc.auto=1")
    life.config("submodule.recurse=true", "transfer.fsckObjects=true", "user.useConfigOnly=true")
    return life


@row
def lines_that_end_as_on_windows(top: Path) -> Life:
    life = new_life(top)
    # The last one refuses what a plain `git add` would only warn of: files whose ending wouldn't come back.
    life.config("core.autocrlf=true", "core.eol=crlf", "core.safecrlf=true")
    life.tasks = [*tasks(eol="\r\n")[:1], *tasks()[1:]]
    return life


@row
def attributes_that_turn_files_into_something_else(top: Path) -> Life:
    rules = "*.txt text eol=crlf filter=nobody-has-it merge=nobody-has-it diff=nobody-has-it\nREADME.md ident\n"
    return new_life(top, {".gitattributes": rules, "README.md": "$Id$\n"})


@row
def a_shallow_clone(top: Path) -> Life:
    far = new_life(top / "far")
    far.repo.commit("second", {"more.txt": "more\n"})
    git(top, "clone", "-q", "--depth=1", f"file://{far.folder}", "repo")
    return Life(top / "repo")


@row
def a_git_folder_that_lies_elsewhere_all_packed_and_a_branch_called_trunk(top: Path) -> Life:
    far = new_life(top / "far", branch="trunk").folder
    git(far, "clone", "-q", "--separate-git-dir", str(top / "apart"), ".", str(top / "repo"))
    life = Life(top / "repo")
    life.repo.git("pack-refs", "--all")
    life.repo.git("gc", "-q", "--aggressive")
    return life


@pytest.mark.parametrize("name", ROWS)
def test_the_same_end_with(name: str, tmp_path: Path) -> None:
    life = ROWS[name](tmp_path)
    life.live()
    assert_lived(life)


def test_variables_of_the_environment_lead_nowhere_else(tmp_path: Path) -> None:
    life, victim = new_life(tmp_path), GitRepo.create(tmp_path / "victim")
    index = victim.path / ".git" / "index"
    before = (victim.git("for-each-ref"), index.read_bytes(), sorted(victim.path.rglob("*")))
    life.env = {"GIT_DIR": str(victim.path / ".git"), "GIT_WORK_TREE": str(victim.path), "GIT_INDEX_FILE": str(index)}
    life.env |= {"GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"), "GIT_NAMESPACE": "other", "GIT_PREFIX": "src/"}
    life.env |= dict.fromkeys(("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "GIT_PAGER"), "false")
    life.env |= dict.fromkeys(("GIT_TRACE", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP"), str(tmp_path / "trace"))
    life.env |= {"GIT_EXTERNAL_DIFF": "false", "GIT_DEFAULT_HASH": "sha256", "GIT_ICASE_PATHSPECS": "1"}
    life.env |= {"GIT_CONFIG_PARAMETERS": "'core.bare=true'", "LANG": "de_DE.UTF-8", "LANGUAGE": "de", "LC_ALL": ""}
    # What a machine's environment says in place of a file is the person's own word.
    life.env |= {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "Whoever"}
    life.env |= {"GIT_CONFIG_KEY_1": "alias.commit", "GIT_CONFIG_VALUE_1": "!false"}
    life.live()
    assert_lived(life)
    assert (victim.git("for-each-ref"), index.read_bytes(), sorted(victim.path.rglob("*"))) == before
    assert not (tmp_path / "trace").exists()
    assert life.repo.git("log", "-1", "--format=%cn", life.branch) == "Whoever"


def partial(top: Path) -> Life:
    """A clone without file contents, checked out in part, beside the repository it was made from."""
    far = new_life(top / "far", {"deep/down.txt": "down\n"})
    far.config("uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true")
    git(top, "clone", "-q", "--filter=blob:none", "--sparse", f"file://{far.folder}", "repo")
    return Life(top / "repo")


def test_a_partial_clone_gets_what_it_lacks_from_its_remote(tmp_path: Path) -> None:
    life = partial(tmp_path)
    life.live()
    assert_lived(life)
    assert sorted(path.name for path in life.folder.iterdir()) == [".git", "README.md", "gone.txt", "planning"]


def test_a_partial_clone_whose_remote_is_gone_rests_with_that_reason_and_goes_on_when_it_is_back(
    tmp_path: Path,
) -> None:
    life = partial(tmp_path)
    (tmp_path / "far").rename(tmp_path / "away")
    left = life.next_wave()
    assert left.code == 1, left
    assert "promisor remote" in left.out
    assert "first: this clone is partial (git clone --filter): see that git fetch works here" in left.out, left.out
    assert life.board == ("pending",) * 3
    (tmp_path / "away").rename(tmp_path / "far")
    assert life.next_wave().code == 0


def test_a_name_that_changes_in_case_alone_is_seen_whatever_the_settings_say_of_the_disk(tmp_path: Path) -> None:
    move = Task("1", ("Guide.md",), extra="- **Can delete:** `guide.md`")
    moved = working(move, files={}, run="mv guide.md Guide.md", report=report_text(["guide.md", "Guide.md"]))
    hides = Task("2", ("b.txt",))
    hid = working(hides, run="echo hidden > readme.md; mkdir SRC; echo hidden > SRC/old.txt")
    undone = working(hides, turn="retry", run="rm -rf readme.md SRC")
    life = new_life(tmp_path, {"guide.md": LINES})
    life.config("core.ignoreCase=true")
    life.tasks = [replace(move, turns=(planning(move), moved)), replace(hides, turns=(planning(hides), hid, undone))]
    left = life.next_wave()
    assert left.code == 0, (left, life.logs())
    assert life.repo.git("diff", "--name-status", "-M", "main", life.branch).split("\n") == [
        "R100\tguide.md\tGuide.md",
        "A\tb.txt",
    ]
    assert "creates `SRC/old.txt`, out of scope; creates `readme.md`, out of scope" in life.logs()


def test_who_commits_is_asked_before_anything_is_begun(tmp_path: Path) -> None:
    life = new_life(tmp_path)
    (tmp_path / "nobody").write_text("[user]\n\tuseConfigOnly = true\n")
    life.env = {"GIT_CONFIG_GLOBAL": str(tmp_path / "nobody")}
    left = life.next_wave()
    assert (left.code, left.out) == (1, "")
    assert left.err == (
        'error: git doesn\'t know who commits\nhint: git config user.name "…" && git config user.email "…"\n'
    )
    assert life.repo.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert not (life.folder / "planning" / "STATE_1.md").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to somebody else")
def test_a_repository_of_somebody_else_is_refused_until_it_is_called_safe(tmp_path: Path) -> None:
    life = new_life(tmp_path)
    subprocess.run(["chown", "-R", "12345", str(life.folder)], check=True)
    left = life.next_wave()
    assert (left.code, left.out) == (1, "")
    assert f"error: git refuses {life.folder}: it belongs to another user\n" in left.err
    assert f"hint: git config --global --add safe.directory {life.folder}\n" in left.err
    # As containers and CI do it.
    life.env = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": str(life.folder)}
    left = life.next_wave()
    assert left.code == 0, left


@pytest.mark.skipif(not os.environ.get("ORCH_SLOW"), reason="a minute; ORCH_SLOW=1 runs it")
@pytest.mark.timeout(1800)
def test_twenty_thousand_files(tmp_path: Path) -> None:
    life = new_life(tmp_path, {f"many/{number % 200}/{number}.txt": f"{number}\n" for number in range(20000)})
    life.patience = 800.0
    life.live()
    assert_lived(life)


def test_files_that_were_committed_with_windows_endings_are_no_whole_file_diffs(tmp_path: Path) -> None:
    life = new_life(tmp_path, {name: text.replace("\n", "\r\n") for name, text in FILES.items()})
    # Said after they were committed as they are: git leaves such a file alone until somebody renormalises it.
    life.config("core.autocrlf=true")
    life.tasks = tasks(eol="\r\n")
    left = life.next_wave()
    assert left.code == 0, (left, life.logs())
    shown = git(life.folder, "diff-tree", "-r", "--numstat", "main", life.branch).replace("\t", " ")
    assert shown.split("\n") == ["0 1 gone.txt", "1 0 src/new.txt", "1 1 src/text.txt"]
    assert life.blob("src/text.txt") == EDITED.replace("\n", "\r\n")
    assert life.blob("src/new.txt") == MADE
