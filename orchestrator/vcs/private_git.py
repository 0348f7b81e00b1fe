"""The private git directory of a workspace: made by hand, so that it is always the same and costs no process.

Owns its layout (see gitrepository-layout(5)). It borrows the repository's objects, copies the names of its
branches and tags, reads its configuration, and can write to none of them.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from orchestrator.effects import effect, naming
from orchestrator.vcs.command import encode
from orchestrator.vcs.removing import remove_if_possible, remove_tree
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.workspace import folds_case

_COPIED = ("refs/heads/", "refs/tags/", "refs/remotes/")


def build_private_git(repository: Repository, top: Path, side: Path, *, branch: str | None, commit: str) -> None:
    """Put a fresh `.git` into the folder `top`, whatever stood there before, with the index of `side`."""
    made = side / "git"
    remove_tree(made)
    with effect("create", str(made)):
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"):
            (made / folder).mkdir(parents=True)
        for name, text in _files(repository, branch, commit, folds=folds_case(side)).items():
            file = made / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with naming(file):
                file.write_bytes(encode(text))
        for name in ("info/exclude", "info/attributes", "shallow"):
            source = repository.common_dir / name
            if source.is_file():
                shutil.copyfile(source, made / name)
        # With its times kept: git takes an index that is older than a file for proof of nothing.
        shutil.copy2(side / "index", made / "index")
    old, target = side / "git.old", top / ".git"
    remove_tree(old)
    with effect("replace", str(target)):
        if target.is_symlink() or target.exists():
            target.rename(old)
        made.rename(target)
    remove_if_possible(old)


def _files(repository: Repository, branch: str | None, commit: str, *, folds: bool) -> dict[str, str]:
    head = f"refs/heads/{branch}" if branch is not None else ""
    files = {
        "HEAD": f"ref: {head}\n" if head else f"{commit}\n",
        "config": _config(repository, folds=folds),
        "objects/info/alternates": f"{_quoted(repository.common_dir / 'objects')}\n",
        "packed-refs": _packed_refs(repository, head),
    }
    if head:
        files[head] = f"{commit}\n"
    return files


def _packed_refs(repository: Repository, head: str) -> str:
    lines = ["# pack-refs with: sorted \n"]
    refs = {name: value for prefix in _COPIED for name, value in repository.refs(prefix).items()}
    for name, value in sorted(refs.items(), key=lambda pair: encode(pair[0])):
        clashes = head and (name == head or name.startswith(head + "/") or head.startswith(name + "/"))
        if not clashes:
            lines.append(f"{value} {name}\n")
    return "".join(lines)


def _quoted(path: Path) -> str:
    text = str(path).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text}"'


def _config(repository: Repository, *, folds: bool) -> str:
    """The repository's own configuration, included, with what ties it to that checkout overridden."""
    sha256 = repository.object_format != "sha1"
    extensions = f"[extensions]\n\tobjectFormat = {repository.object_format}\n" if sha256 else ""
    return (
        f"[core]\n\trepositoryFormatVersion = {int(sha256)}\n{extensions}"
        f"[include]\n\tpath = {_quoted(repository.common_dir / 'config')}\n"
        "[core]\n\tbare = false\n\tworktree = ..\n\thooksPath = /dev/null\n\tfsmonitor = false\n"
        "\tsparseCheckout = false\n\tsplitIndex = false\n\tlogAllRefUpdates = true\n"
        f"\tignoreCase = {str(folds).lower()}\n"
        "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    )


_BAD = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|^[/.-]|[/.]$|^@$")


def ref_name_fault(name: str) -> str:
    """Why git wouldn't take `name` as a full ref name; empty if it would. See git-check-ref-format(1)."""
    match = _BAD.search(name)
    if match:
        return f"{match[0]!r} may not stand at this place" if match[0] else "it is empty"
    if any(part.startswith("-") for part in name.split("/")[2:3]):
        return "it starts with '-'"
    return ""


def branch_name_fault(name: str) -> str:
    """Why git wouldn't take `name` for a branch, or would take it for something else; empty if it would."""
    if name in ("HEAD", "@"):
        return "git means what is checked out by it"
    return ref_name_fault(f"refs/heads/{name}")
