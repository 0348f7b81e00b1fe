"""Rules of git that are kept here as code of our own, held against git itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.vcs.ignores import combined
from orchestrator.vcs.private_git import branch_name_fault, ref_name_fault
from tests.support.git_repo import GitRepo

SOME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

NAMES = st.text(alphabet="ab.-/@{~^:?*[\\ \x01\x7fé", max_size=8)


def git_takes(name: str) -> bool:
    return subprocess.run(["git", "check-ref-format", name], capture_output=True).returncode == 0


@SOME
@given(NAMES)
def test_a_ref_name_is_taken_exactly_if_git_takes_it(name: str) -> None:
    full = f"refs/heads/{name}"
    # git refuses branches that begin with a dash only in its porcelain; here they are refused always.
    expected = git_takes(full) and not name.startswith("-")
    assert (ref_name_fault(full) == "") == expected


@pytest.mark.parametrize("name", ["HEAD", "@", "-", "-x", "a", "HEAD/a", "a/HEAD", "a/@", "a/-x", "", "a b"])
def test_a_branch_is_taken_exactly_if_git_takes_it(tmp_path: Path, name: str) -> None:
    repo = GitRepo.create(tmp_path / "repo")
    done = subprocess.run(["git", "branch", "--", name, "HEAD"], cwd=repo.path, capture_output=True)
    # Some versions of git make a branch of that name, and none can name it afterwards: @ is what is checked out.
    expected = done.returncode == 0 and name != "@"
    assert (branch_name_fault(name) == "") == expected


FOLDERS = ("", "d", "d/e", "[x]")
FILES = (
    "a",
    "b.log",
    "d/a",
    "d/b.log",
    "d/e/a",
    "d/e/c",
    "d/e/f/a",
    "[x]/a",
    "[x]/e/b.log",
    "e/a",
    "x/a",
    "#a",
    "!a",
    "a ",
)
PATTERNS = st.sampled_from(
    [
        *("a", "/a", "*.log", "e/", "e", "/e/", "e/a", "**/a", "f/**", "!a", "!/a", "!b.log", "d", "*", "!*/", "?"),
        *("[ab]", "d/e", "\\#a", "\\!a", "# comment", "", "a\\ ", "a ", "e/**/a", "**", "!e/", "a\r", "/*", "!/d/"),
    ]
)


@SOME
@given(rules=st.dictionaries(st.sampled_from(FOLDERS), st.lists(PATTERNS, min_size=1, max_size=4), max_size=4))
def test_one_list_of_rules_ignores_what_the_ignore_files_of_all_folders_ignore(
    rules: dict[str, list[str]], ignored_by_git: IgnoredByGit
) -> None:
    assert ignored_by_git.by_list(rules) == ignored_by_git.by_files(rules)


class IgnoredByGit:
    def __init__(self, top: Path) -> None:
        self.repo = GitRepo.create(top / "repo", {})
        self.list = top / "rules"
        for name in FILES:
            self.repo.write(name, "x\n")

    def _untracked(self, *options: str) -> list[str]:
        out = self.repo.git("ls-files", "-z", "-o", *options)
        return sorted(name for name in out.split("\0") if name and not name.endswith(".gitignore"))

    def by_files(self, rules: dict[str, list[str]]) -> list[str]:
        for folder, patterns in rules.items():
            self.repo.write(f"{folder}/.gitignore".removeprefix("/"), "\n".join(patterns))
        try:
            return self._untracked("--exclude-standard")
        finally:
            for folder in rules:
                (self.repo.path / folder / ".gitignore").unlink()

    def by_list(self, rules: dict[str, list[str]]) -> list[str]:
        sources = sorted(rules.items(), key=lambda pair: (pair[0].count("/") + bool(pair[0]), pair[0]))
        self.list.write_text(combined((folder, "\n".join(patterns)) for folder, patterns in sources))
        return self._untracked("-X", str(self.list))


@pytest.fixture(scope="module")
def ignored_by_git(tmp_path_factory: pytest.TempPathFactory) -> IgnoredByGit:
    return IgnoredByGit(tmp_path_factory.mktemp("ignores"))


def test_a_byte_order_mark_and_comments_are_no_rules() -> None:
    assert combined([("", "\ufeff*.log\r\n# no rule\n\n"), ("d", "x\n")]) == "*.log\n/d/**/x\n"
