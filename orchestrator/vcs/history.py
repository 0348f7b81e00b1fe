"""What a commit did, for readers: its changes with line ranges, the sizes of files in a tree."""

from __future__ import annotations

from orchestrator.model.changes import Change
from orchestrator.nouns import replace
from orchestrator.vcs.diffs import ALL_SUBMODULES, change_of, line_ranges, raw_entries
from orchestrator.vcs.repository import Repository

_PLAIN = ("--no-ext-diff", "--no-textconv", ALL_SUBMODULES)
_PATCH = ("-U0", "--no-color", *_PLAIN, "-M", "--src-prefix=a/", "--dst-prefix=b/")


def commit_changes(repository: Repository, commit: str, known: tuple[Change, ...] | None = None) -> tuple[Change, ...]:
    """What a commit changed against its first parent, sorted by path, with the line ranges of the new texts.

    known: the same without line ranges, where the caller has it.
    """
    pair = (f"{commit}^1", commit)
    if known is None:
        raw = repository.git("diff-tree", "-r", "--raw", "-z", "-M", "--no-abbrev", ALL_SUBMODULES, *pair, "--")
        known = tuple(change_of(entry) for entry in raw_entries(raw.fields))
    lines = line_ranges(repository.git("diff-tree", "-r", "-p", *_PATCH, *pair, "--").out)
    return tuple(
        replace(change, lines=lines.get(change.path, ())) for change in sorted(known, key=lambda one: one.path)
    )


def patch(repository: Repository, old: str, new: str) -> str:
    """The difference between two commits or trees as a patch for people."""
    return repository.git("diff", "--no-color", *_PLAIN, "-M", old, new, "--").text


def sizes(repository: Repository, old: str, new: str) -> tuple[tuple[str, int, int], ...]:
    """What differs between two commits or trees, sorted by path: path, lines added, lines deleted; -1 for both where
    it isn't text. A rename is a deletion and an addition."""
    args = ("diff-tree", "-r", "--numstat", "-z", "--no-renames", *_PLAIN, old, new, "--")
    rows = [field.split("\t", 2) for field in repository.git(*args).fields]
    return tuple((path, _count(added), _count(deleted)) for added, deleted, path in rows)


def commits_between(repository: Repository, old: str, new: str, *, beside: str = "") -> list[tuple[str, str]]:
    """The commits of `new` that `old` hasn't, newest first, with their subjects. Left out are those that change
    nothing but files of the folder `beside`."""
    where = ["--", f":(top,exclude,literal){beside}"] if beside else ["--"]
    # The one pathspec that isn't a path.
    magic = {"GIT_LITERAL_PATHSPECS": "0"}
    args = ("log", "--no-show-signature", "-z", "--format=%H %s", f"{old}..{new}", *where)
    done = repository.git(*args, env=magic, ok=None)
    pairs = (line.partition(" ") for line in done.fields) if done.status == 0 else ()
    return [(commit, subject) for commit, _, subject in pairs]


def _count(word: str) -> int:
    return -1 if word == "-" else int(word)


def patch_id(repository: Repository, commit: str) -> str:
    """What names a commit's change whatever it stands on; empty for a commit that isn't there or changes nothing."""
    patch = repository.git("diff-tree", "-p", *_PLAIN, "--root", commit, "--", ok=None)
    if patch.status:
        return ""
    return repository.git("patch-id", "--stable", input=patch.out).text.split(" ")[0]


def file_size(repository: Repository, tree: str, path: str) -> int | None:
    """The size in bytes of a file in a commit or tree; None where there is no such file."""
    done = repository.git("cat-file", "-s", f"{tree}:{path}", ok=None)
    return int(done.text) if done.status == 0 and done.text.isdigit() else None
