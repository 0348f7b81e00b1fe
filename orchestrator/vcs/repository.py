"""One git repository as seen from one checkout of it: its branches, commits, trees and files.

Owns reading and the one way refs are changed. Knows nothing of why anyone wants to know.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from orchestrator.disk_faults import refusal, refusal_of
from orchestrator.errors import ConflictError, ToolError, UserError
from orchestrator.model.changes import Change
from orchestrator.nouns import dataclass, field
from orchestrator.vcs.command import Completed, Git, encode
from orchestrator.vcs.diffs import ALL_SUBMODULES, Entry, change_of, raw_entries
from orchestrator.vcs.environment import scrub
from orchestrator.vcs.filters import FILTERS, filters_at
from orchestrator.vcs.objects import TreeEntry, commit_content, read_loose, tree_content, tree_entries, write_object
from orchestrator.vcs.refs import Guard, RefChange, list_refs, read_ref, symbolic_head, update_ref_input

OLDEST = (2, 38)
MOVED = "ref-moved"
"""The code of the error for a ref that isn't where it was any more."""
KEEPER = "orch <orch@localhost>"
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_ONE = ("--path-format=absolute",)
_ABOUT = (*_ONE, "--is-bare-repository", "--show-object-format")
_FOLDERS = ("--git-dir", "--git-common-dir", "--show-toplevel")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, as `commits` lists it."""

    id: str
    tree: str
    parents: tuple[str, ...]
    subject: str
    author: str
    message: str


@dataclass(frozen=True, slots=True)
class Repository:
    """All paths are absolute. `root` is the top of the checkout, `git_dir` that checkout's own git directory,
    `common_dir` the one that all checkouts share."""

    root: Path
    git_dir: Path
    common_dir: Path
    version: tuple[int, ...]
    object_format: str
    command: Git
    _trees: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    _tops: dict[str, tuple[TreeEntry, ...]] = field(default_factory=dict, repr=False, compare=False)
    _filters: list[tuple[str, ...]] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def open(cls, root: Path) -> Repository:
        """The repository whose checkout `root` lies in. Raises UserError where there is none, it is bare or has
        no commit yet, ToolError where git is missing or too old."""
        scrub(os.environ)
        bare = Git(str(root))
        version = _version(bare.run("version").text)
        if version < OLDEST:
            raise ToolError(
                f"git {'.'.join(map(str, version))} is too old: merging without a checkout needs 2.38",
                hint="install git 2.38 or newer",
                code="old-git",
            )
        asked = bare.run("rev-parse", *_ABOUT, *_FOLDERS, ok=None)
        answers = asked.text.split("\n")
        if asked.status and answers[0] == "true":
            raise UserError(
                f"{root} is a bare repository: it has no files to work on",
                hint="call it in a clone with a checkout",
                code="bare-repository",
            )
        if asked.status and "dubious ownership" in asked.err:
            raise ToolError(
                f"git refuses {root}: it belongs to another user",
                hint=f"git config --global --add safe.directory {root}",
                output=asked.err,
                code="dubious-ownership",
            )
        if asked.status or len(answers) < 5:
            raise UserError(
                f"{root} isn't in a git repository",
                hint="run `git init` and make a first commit, or call it in a repository",
                code="no-repository",
            )
        object_format = answers[1]
        # A path may hold newlines; then each is asked for by itself.
        folders = answers[2:] if len(answers) == 5 else [bare.run("rev-parse", *_ONE, name).text for name in _FOLDERS]
        git_dir, common_dir, top = folders
        command = Git(top).using(GIT_DIR=git_dir, GIT_COMMON_DIR=common_dir, GIT_WORK_TREE=top)
        repository = cls(Path(top), Path(git_dir), Path(common_dir), version, object_format, command)
        if repository.resolve("HEAD") is None:
            raise UserError(
                f"the repository at {top} has no commit yet",
                hint='git add -A && git commit --allow-empty -m "First commit"',
                code="unborn-branch",
            )
        return repository

    @property
    def filters(self) -> tuple[str, ...]:
        """Options under which the person's filters run in this checkout, whatever tree git works on."""
        if not self._filters:
            self._filters.append(filters_at(self.root, self.git(*FILTERS, ok=(0, 1))))
        return self._filters[0]

    def git(
        self,
        *args: str,
        input: bytes | str | None = None,
        env: dict[str, str] | None = None,
        ok: Sequence[int] | None = (0,),
        timeout: float = 300.0,
    ) -> Completed:
        """Any git command in this checkout, with hooks off; see `Git.run`."""
        return self.command.run(*args, input=input, env=env, ok=ok, timeout=timeout)

    # -- refs

    def head_branch(self) -> str | None:
        """The branch that is checked out here, short form; None when HEAD is detached."""
        target = symbolic_head(self.git_dir)
        return target.removeprefix("refs/heads/") if target else None

    def resolve(self, rev: str) -> str | None:
        """The commit that `rev` means, in full; None if there is none. Costs no process for a full ref or HEAD."""
        name = rev
        if rev == "HEAD":
            target = symbolic_head(self.git_dir)
            if target is None or target.startswith("refs/heads/"):
                name = target or ""
        if name.startswith("refs/heads/"):
            known, value = read_ref(self.common_dir, name)
            if known:
                return value
        done = self.git("rev-parse", "-q", "--verify", "--end-of-options", f"{rev}^{{commit}}", ok=None)
        return done.text if done.status == 0 and done.text else None

    def refs(self, prefix: str = "") -> dict[str, str]:
        """Every ref below `prefix` (a whole path component, `refs/heads/` say) and the object it names."""
        prefix = prefix.rstrip("/")
        read = list_refs(self.common_dir, f"{prefix or 'refs'}/")
        if read is not None:
            return dict(sorted(read.items()))
        args = ["for-each-ref", "--format=%(objectname) %(refname)"]
        out = self.git(*args, *([prefix] if prefix else [])).text
        pairs = (line.split(" ", 1) for line in out.split("\n") if line)
        return {name: value for value, name in pairs}

    def update_refs(self, changes: Sequence[RefChange], guard: Guard | None = None) -> None:
        """Change several refs, all or none. Raises ConflictError when one isn't at its old value any more, ToolError
        when the hook of `guard` refuses."""
        args, text = ("update-ref", "--stdin", "-z"), update_ref_input(changes)
        if guard is None:
            done = self.git(*args, input=text, ok=None)
        else:
            done = self.command.run(*args, input=text, ok=None, hooks=guard.hooks, without=guard.without, env=guard.env)
        names = ", ".join(change.name for change in changes)
        if done.status and guard is not None and "aborted by hook" in done.err:
            raise ToolError(
                f"the hook reference-transaction in {guard.hooks} refuses to change {names}",
                output=done.err.rpartition("fatal:")[0],
                hint="let that hook pass the branch",
                code="ref-hook",
            )
        if done.status:
            raise ConflictError(
                f"the refs {names} can't be changed: {done.err.strip()}",
                hint="another program moved one of them; run the command again to look anew",
                code=MOVED,
            )

    # -- commits and trees

    def tree_of(self, rev: str) -> str:
        """The tree of a commit (or of a tree itself)."""
        known = self._trees.get(rev)
        if known is None:
            known = self.git("rev-parse", "-q", "--verify", "--end-of-options", f"{rev}^{{tree}}").text
            if _ID.fullmatch(rev):
                # What an object id names never changes.
                self._trees[rev] = known
        return known

    def trees_of(self, *revs: str) -> tuple[str, ...]:
        """The trees of several commits, with one process."""
        out = self.git("rev-parse", "--end-of-options", *(f"{rev}^{{tree}}" for rev in revs)).text
        return tuple(line for line in out.split("\n") if not line.startswith("--"))

    def is_ancestor(self, ancestor: str, descendant: str) -> bool:
        """Whether the first commit is in the history of the second; a commit is its own ancestor."""
        if ancestor == descendant:
            return True
        return self.git("merge-base", "--is-ancestor", ancestor, descendant, ok=(0, 1)).status == 0

    def diff(self, old: str, new: str) -> tuple[Entry, ...]:
        """What differs between two commits or trees, renames as deletion and addition, sorted by path."""
        args = ("diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", ALL_SUBMODULES, old, new, "--")
        return raw_entries(self.git(*args).fields)

    def paths_between(self, old: str, new: str) -> tuple[str, ...]:
        """The paths at which two commits or trees differ, sorted; a rename is two of them."""
        args = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", ALL_SUBMODULES, old, new, "--")
        return self.git(*args).fields

    def changes(self, old: str, new: str) -> tuple[Change, ...]:
        """What differs between two commits or trees, with renames found, sorted by path."""
        args = ("diff-tree", "-r", "--raw", "-z", "-M", "--no-abbrev", ALL_SUBMODULES, old, new, "--")
        return tuple(change_of(entry) for entry in raw_entries(self.git(*args).fields))

    def commits(self, old: str, new: str) -> tuple[Commit, ...]:
        """The commits of `new` that aren't in `old`, newest first."""
        form = "--format=%H%x00%T%x00%P%x00%s%x00%an <%ae>%x00%B%x00"
        fields = self.git("log", "--no-show-signature", form, new, f"^{old}", "--").fields
        rows = [fields[at : at + 6] for at in range(0, len(fields) - 5, 6)]
        return tuple(
            Commit(row[0].strip("\n"), row[1], tuple(row[2].split()), row[3], row[4], row[5].rstrip("\n"))
            for row in rows
        )

    def kept_commit(self, tree: str, parents: Sequence[str], message: str) -> str:
        """A commit object on no branch, by nobody in particular; returns its id. Costs no process.

        Who kept a state isn't anyone's claim to it, and must not need the user's name to be set.
        """
        text = message if message.endswith("\n") else message + "\n"
        made = self._write("commit", commit_content(tree, parents, text, KEEPER))
        self.note_tree(made, tree)
        return made

    def _write(self, kind: str, content: bytes) -> str:
        try:
            return write_object(self.common_dir / "objects", kind, content, is_sha1=self.object_format == "sha1")
        except OSError as error:
            raise refusal_of(error) or refusal(error, str(self.common_dir / "objects"), doing="write to") from error

    def with_tops_of(self, tree: str, other: str, names: Collection[str]) -> str:
        """The tree in which what stands at the top under each of `names` is as in the tree `other`."""
        wanted = {encode(name) for name in names}
        entries = [entry for entry in self._top(tree) if entry.name not in wanted]
        entries += [entry for entry in self._top(other) if entry.name in wanted]
        return self._write("tree", tree_content(entries))

    def _top(self, tree: str) -> tuple[TreeEntry, ...]:
        if tree not in self._tops:
            held = read_loose(self.common_dir / "objects", tree)
            content = held[1] if held and held[0] == "tree" else self.git("cat-file", "tree", tree).out
            self._tops[tree] = tree_entries(content, is_sha1=self.object_format == "sha1")
        return self._tops[tree]

    def note_tree(self, commit: str, tree: str) -> None:
        """Remember the tree of a commit that was just made, which saves asking git for it."""
        self._trees[commit] = tree

    # -- files at a commit

    def file_text(self, rev: str, path: str) -> str | None:
        """A file's text at a commit; None if there is no such file."""
        done = self.git("cat-file", "blob", f"{rev}:{path}", ok=None)
        if done.status:
            return None
        return done.out.decode("utf-8", "surrogateescape")

    def exists_at(self, rev: str, path: str) -> bool:
        """Whether a file or a directory of that name is in the commit."""
        return self.git("cat-file", "-e", f"{rev}:{path}", ok=None).status == 0

    def paths_at(self, rev: str) -> frozenset[str]:
        """Every file of a commit (submodules too), relative to the top."""
        return frozenset(self.git("ls-tree", "-r", "-z", "--name-only", "--full-tree", rev).fields)

    def objects_at(self, rev: str) -> dict[str, str]:
        """The object of every file of a commit or tree, by its path."""
        entries = self.git("ls-tree", "-r", "-z", "--full-tree", rev).fields
        return {path: about.split(" ")[2] for about, _, path in (entry.partition("\t") for entry in entries)}

    def submodules(self, rev: str) -> tuple[str, ...]:
        """The paths of a commit's submodules, sorted."""
        entries = self.git("ls-tree", "-r", "-z", "--full-tree", rev).fields
        return tuple(sorted(entry.partition("\t")[2] for entry in entries if entry.startswith("160000 ")))

    def dirty(self) -> tuple[str, ...]:
        """Paths of this checkout that differ from HEAD, untracked ones included (folders as `dir/`), sorted."""
        out = self.git("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal").fields
        return tuple(sorted(entry[3:] for entry in out))

    def identity_fault(self) -> str:
        """Why git can't tell who commits, in git's words; empty if it can."""
        done = self.git("var", "GIT_COMMITTER_IDENT", ok=None)
        return done.err.strip() if done.status else ""


def _version(text: str) -> tuple[int, ...]:
    """`git version 2.39.5 (Apple Git-154)` → (2, 39, 5)."""
    words = text.split()
    numbers: list[int] = []
    for part in (words[2] if len(words) > 2 else "").split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)
