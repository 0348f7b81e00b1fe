"""Working copies apart from every checkout: each with files of its own and a git directory of its own.

A workspace is three things: the files; a private `.git` for whoever works there, which borrows the repository's
objects and shares neither refs, stash, hooks nor configuration with it; and, beside the folder, an index and a
list of ignore rules that only this room uses. What was put into a private `.git` is never executed or believed: this
room runs git there for one thing alone, a commit with hooks, in a workspace made anew before, where nobody else works.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Collection
from pathlib import Path

from orchestrator.effects import effect, naming
from orchestrator.errors import ConflictError, UserError
from orchestrator.folders import names_in
from orchestrator.nouns import dataclass, field
from orchestrator.vcs.changes import look
from orchestrator.vcs.ignores import combined
from orchestrator.vcs.listing import touched_paths, untracked_paths
from orchestrator.vcs.private_git import branch_name_fault, build_private_git
from orchestrator.vcs.products import clear, forget_products, read_products
from orchestrator.vcs.removing import remove_if_possible, remove_stoppers, remove_tree
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.submodules import lay_submodules
from orchestrator.vcs.workspace import Workspace, side_folder


@dataclass(frozen=True, slots=True)
class Workspaces:
    """Makes, finds, resets and removes the workspaces of one repository."""

    repository: Repository
    excludes: list[str] = field(default_factory=list, compare=False)
    """What core.excludesFile says, once it was asked."""
    ignore_files: dict[str, list[tuple[str, str]]] = field(default_factory=dict, compare=False)
    """The ignore files of the commits that were asked for last."""

    def create(self, path: Path, *, branch: str | None, commit: str) -> Workspace:
        """A workspace at `path` with `commit` checked out on `branch`. One that is there already is taken as it is
        if it has the same commit and branch, or brought to them if nothing in it would be lost; else ConflictError.
        What lies at `path` without being a workspace is moved aside, never deleted."""
        _check_name(branch)
        found = self.find(path)
        if found is not None:
            if (found.branch, found.commit) == (branch, commit):
                return found
            remove_stoppers(path)
            touched = touched_paths(found.command, found.rules)
            if touched:
                raise ConflictError(
                    f"the workspace {path} holds changes on another commit: {', '.join(sorted(touched)[:10])}",
                    hint="look at them; remove the folder to start afresh",
                    code="workspace-in-use",
                )
        else:
            _clear_place(path)
        path.mkdir(parents=True, exist_ok=True)
        return self._check_out(Workspace(self.repository, path, branch, commit))

    def lay(
        self, path: Path, *, branch: str | None, commit: str, tree: str | None = None, recipe: str = ""
    ) -> Workspace:
        """A workspace at `path` with the files of `commit` (or of `tree`, with HEAD at the commit) on `branch`,
        whatever was there before: only files that differ are written, and everything else in it goes, ignored files
        too, except the products of `recipe` if all of them stand as they were made: then they are on record still. The
        private `.git` is made anew.
        What lies at `path` without being a workspace is moved aside, never deleted."""
        _check_name(branch)
        _clear_place(path)
        path.mkdir(parents=True, exist_ok=True)
        workspace = Workspace(self.repository, path, branch, commit)
        products = read_products(workspace)
        if products is None or products.recipe != recipe:
            forget_products(workspace)
        return self._check_out(workspace, tree=tree, clears=True)

    def find(self, path: Path) -> Workspace | None:
        """The finished workspace of this repository at `path`, or None."""
        try:
            data = json.loads((side_folder(path) / "workspace.json").read_text("utf-8"))
            branch, commit = data["branch"], str(data["commit"])
            owner = data.get("repository", str(self.repository.common_dir))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        if owner != str(self.repository.common_dir):
            return None
        if not path.is_dir() or path.is_symlink():
            return None
        return Workspace(self.repository, path, None if branch is None else str(branch), commit)

    def reset(self, workspace: Workspace, commit: str, *, tree: str | None = None) -> Workspace:
        """Bring the files to `commit` (or to `tree`, with HEAD at the commit) and the private `.git` to its first
        state; every change in it is gone. Ignored files stay."""
        return self._check_out(Workspace(self.repository, workspace.path, workspace.branch, commit), tree=tree)

    def checkout_tree(self, workspace: Workspace, tree: str) -> None:
        """Bring the files to `tree`, which needs no commit; HEAD stays where it is. Untracked files go, ignored ones
        stay."""
        with workspace.held() as handle:
            self._put_tree(workspace, tree, handle)
        theirs = workspace.path / ".git" / "index"
        with effect("replace", str(theirs)):
            # Put into its place whole: what lies there may be a link to anywhere.
            made = workspace.side / "index.given"
            shutil.copy2(workspace.index, made)
            made.replace(theirs)

    def renew_git(self, workspace: Workspace) -> None:
        """A fresh git directory of its own for a workspace whose one was damaged. Its files stay as they are."""
        build_private_git(
            self.repository, workspace.path, workspace.side, branch=workspace.branch, commit=workspace.commit
        )

    def discard(self, path: Path) -> None:
        """Remove what lies at `path`, finished or not, and what lies beside it, whatever is lost by that."""
        doomed = path.with_name(path.name + ".gone")
        remove_tree(doomed)
        with effect("replace", str(path)), contextlib.suppress(FileNotFoundError):
            path.rename(doomed)
        remove_if_possible(side_folder(path))
        remove_if_possible(doomed)

    def sweep(self, folder: Path) -> None:
        """Finish removals in `folder` that were killed half-way."""
        there = [folder / name for name in names_in(folder)]
        for path in there:
            if path.suffix == ".gone":
                remove_if_possible(path)
        for path in there:
            if path.suffix == ".side" and not os.path.lexists(path.with_suffix("")):
                remove_if_possible(path)

    def refuse_loss(self, workspace: Workspace, saved: Collection[str]) -> None:
        """Raises ConflictError, which names what would be lost, unless the workspace is unchanged or its files are
        those of one of the commits or trees in `saved`."""
        if not workspace.path.is_dir():
            return
        remove_stoppers(workspace.path)
        if not touched_paths(workspace.command, workspace.rules) and not workspace.mark.exists():
            return
        seen = look(workspace)
        trees = {self.repository.tree_of(rev) for rev in (*saved, workspace.commit, workspace.laid)}
        if seen.tree() not in trees:
            paths = [entry.path for entry in seen.entries(workspace.commit)]
            raise ConflictError(
                f"the workspace {workspace.path} holds work that is kept nowhere else: {', '.join(paths[:10])}",
                hint="look at it; remove the folder by hand if it isn't wanted",
                code="workspace-dirty",
            )

    def _check_out(self, fresh: Workspace, *, tree: str | None = None, clears: bool = False) -> Workspace:
        record = fresh.side / "workspace.json"
        fresh.side.mkdir(parents=True, exist_ok=True)
        # While the record is missing the workspace is unfinished, and whoever wants it begins it again.
        with effect("remove", str(record)):
            record.unlink(missing_ok=True)
        with fresh.held() as handle:
            self._write_rules(fresh)
            self._put_tree(fresh, tree or fresh.commit, handle, clears=clears)
            self.renew_git(fresh)
        owner = str(self.repository.common_dir)
        text = json.dumps({"branch": fresh.branch, "commit": fresh.commit, "repository": owner})
        with effect("create", str(record)):
            partial = record.with_suffix(".new")
            partial.write_text(text, "utf-8")
            partial.replace(record)
        return fresh

    def _put_tree(self, workspace: Workspace, tree: str, handle: int, *, clears: bool = False) -> None:
        was_empty = next(workspace.path.iterdir(), None) is None
        if was_empty:
            workspace.index.unlink(missing_ok=True)
        if workspace.path.is_symlink():
            raise ConflictError(
                f"the workspace {workspace.path} has become a link to {workspace.path.readlink()}",
                hint="remove the link; the workspace is then made anew",
                code="workspace-link",
            )
        if not was_empty:
            remove_stoppers(workspace.path)
        # Until it is known what lies there nobody may take it for untouched.
        with effect("create", str(workspace.mark)):
            workspace.mark.touch()
        args = ("read-tree", "--reset", "-u", tree)
        if workspace.command.run(*args, ok=None, timeout=900.0, holding=(handle,)).status:
            # The index may be damaged; without one every file is written anew.
            workspace.index.unlink(missing_ok=True)
            workspace.command.run(*args, timeout=900.0, holding=(handle,))
        is_bare = was_empty
        if was_empty:
            forget_products(workspace)
        elif clears:
            is_bare = not clear(workspace, read_products(workspace))
        else:
            self._remove_extra(workspace)
        lay_submodules(self.repository, workspace.path, tree)
        with effect("create", str(workspace.fresh)):
            known = (["new"] if was_empty else []) + (["bare"] if is_bare else [])
            workspace.fresh.write_text(" ".join(known))
            laid = workspace.side / "laid"
            with naming(laid):
                laid.write_text(tree, "utf-8")
        with effect("remove", str(workspace.mark)):
            workspace.mark.unlink(missing_ok=True)

    def _write_rules(self, workspace: Workspace) -> None:
        """Take the ignore rules from the commit: what lies on disk may be anyone's."""
        sources: list[tuple[str, str]] = []
        for file in (self._global_excludes(), self.repository.common_dir / "info" / "exclude"):
            if file is not None and file.is_file():
                sources.append(("", file.read_text("utf-8", "surrogateescape")))
        sources += self._ignore_files(workspace.commit)
        with effect("create", str(workspace.rules)):
            workspace.rules.write_text(combined(sources), "utf-8", "surrogateescape")

    def _ignore_files(self, commit: str) -> list[tuple[str, str]]:
        known = self.ignore_files
        if commit not in known:
            last = next(reversed(known), None)
            # What differs from a commit asked for before is told sooner than all that this one has.
            if last is not None and not any(map(_IGNORE_FILE.search, self.repository.paths_between(last, commit))):
                known[commit] = known[last]
            else:
                names = [name for name in self.repository.paths_at(commit) if _IGNORE_FILE.search(name)]
                known[commit] = [
                    (name.removesuffix(".gitignore").removesuffix("/"), self.repository.file_text(commit, name) or "")
                    for name in sorted(names, key=lambda name: (name.count("/"), name))
                ]
            while len(known) > MOST_KNOWN:
                del known[next(iter(known))]
        return known[commit]

    def _global_excludes(self) -> Path | None:
        if not self.excludes:
            done = self.repository.git("config", "--type=path", "--get", "core.excludesFile", ok=None)
            self.excludes.append(done.text)
        if self.excludes[0]:
            return self.repository.root / self.excludes[0]
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")  # noqa: PTH111, PTH118
        return Path(home) / "git" / "ignore"

    def _remove_extra(self, workspace: Workspace) -> None:
        for path in sorted(untracked_paths(workspace.command, workspace.rules), reverse=True):
            target = workspace.path / path.rstrip("/")
            remove_tree(target)
            _remove_empty_parents(target.parent, workspace.path)


MOST_KNOWN = 32
_IGNORE_FILE = re.compile(r"(^|/)\.gitignore$")


def _check_name(branch: str | None) -> None:
    if branch is not None and (fault := branch_name_fault(branch)):
        raise UserError(f"'{branch}' can't be a branch name: {fault}", code="branch-name")


def _clear_place(path: Path) -> None:
    """Move aside what lies at `path` and is no workspace, not even an unfinished one."""
    if os.path.lexists(path) and (path.is_symlink() or not path.is_dir() or not side_folder(path).exists()):
        _move_aside(path)


def _move_aside(path: Path) -> None:
    for number in range(1, 1000):
        aside = path.with_name(f"{path.name}.old-{number}")
        if not os.path.lexists(aside):
            with effect("replace", str(path)):
                path.rename(aside)
            return


def _remove_empty_parents(folder: Path, top: Path) -> None:
    while folder != top and top in folder.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
