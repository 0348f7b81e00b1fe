"""What a program may do to git from the folder it works in: a table, and what it comes to in two kinds of folder.

private: a workspace of this package (own git directory, borrowed objects). linked: `git worktree add`.

`found` says what `changes` and `differences` tell of the private workspace afterwards: paths, and kinds of
difference. `harm` says which parts of the person's repository are different after the same act in a linked
checkout; "none" stands for nothing. Result: in the private kind no act changes the person's repository, unless it
names that repository by its path (the last three), and then the comparison shows it; and what is found there can
only have come from the folder. In the linked kind seventeen acts do harm, some of which a person's own git then
runs, and none of which can be told from a person's doing. Hence the private kind is the only one there is.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Act:
    """`script` is run by sh in the folder, with MAIN, OUTSIDE and MARK (a file that planted programs write) set."""

    name: str
    script: str
    found: tuple[str, ...]
    harm: tuple[str, ...] = ("none",)
    shared: tuple[str, ...] = ()
    """Kinds of difference found in the person's repository, in the private kind."""


PLANTED = 'printf "#!/bin/sh\\necho ran >> $MARK\\ncat\\n" > $OUTSIDE/planted && chmod +x $OUTSIDE/planted'

ACTS = (
    Act("commit", "echo x >> a.txt && git commit -qam work", ("M a.txt", "commit")),
    Act("stash", "echo x >> a.txt && git stash -q", ("stash",), ("stash",)),
    Act("move another branch", "git branch -f other HEAD", ("ref",), ("ref refs/heads/other",)),
    Act("move the integration branch", "git update-ref refs/heads/main HEAD~1", ("ref",), ("ref refs/heads/main",)),
    Act("delete a branch", "git branch -qD other", ("ref",), ("ref refs/heads/other",)),
    Act("tag", "git tag v9", ("ref",), ("ref refs/tags/v9",)),
    Act("fsmonitor", f"{PLANTED} && git config core.fsmonitor $OUTSIDE/planted", ("config",), ("config", "runs it")),
    Act("hooks path", "git config core.hooksPath $OUTSIDE", ("config",), ("config",)),
    Act(
        "filter driver",
        f"{PLANTED} && git config filter.evil.clean $OUTSIDE/planted && git config filter.evil.smudge $OUTSIDE/planted"
        " && echo '* filter=evil' > .gitattributes && echo x >> a.txt",
        ("A .gitattributes", "M a.txt", "config"),
        ("config",),
    ),
    Act(
        "hook",
        'mkdir -p "$(git rev-parse --git-common-dir)/hooks" && '
        'printf "#!/bin/sh\\necho ran >> $MARK\\n" > "$(git rev-parse --git-common-dir)/hooks/pre-commit" && '
        'chmod +x "$(git rev-parse --git-common-dir)/hooks/pre-commit"',
        ("hook",),
        ("hook",),
    ),
    Act(
        "ignore file that hides itself",
        "mkdir new && echo '*' > new/.gitignore && echo x > new/hidden.txt"
        " && echo '*' > src/.gitignore && echo x > src/h.txt",
        ("A new/.gitignore", "A new/hidden.txt", "A src/.gitignore", "A src/h.txt"),
    ),
    Act(
        "info/exclude",
        'mkdir -p "$(git rev-parse --git-common-dir)/info" && '
        'echo "*.py" > "$(git rev-parse --git-common-dir)/info/exclude" && echo x > b.py',
        ("A b.py", "ignore"),
        ("file info/exclude",),
    ),
    Act(
        "assume-unchanged and skip-worktree",
        "git update-index --assume-unchanged a.txt && git update-index --skip-worktree src/b.txt"
        " && echo x >> a.txt && echo x >> src/b.txt",
        ("M a.txt", "M src/b.txt"),
    ),
    Act("reset to another commit", "git reset -q --hard HEAD~1", ("D second.txt", "commit")),
    Act("another branch", "git checkout -q -B other", ("head", "ref"), ("ref refs/heads/other",)),
    Act("detach", "git checkout -q --detach", ("head",)),
    Act("orphan branch", "git checkout -q --orphan lost && git rm -rfq .", ("ALL DELETED", "head")),
    Act("delete the git directory", "rm -rf .git", (".git is gone",)),
    Act(
        "own repository",
        "rm -rf .git && git init -q --template= && git add -A && git commit -qm mine",
        ("config", "head", "ignore", "objects", "ref"),
    ),
    Act(
        "gc",
        "git reflog expire --expire=now --all && git gc -q --prune=now",
        (),
        ("the commit a person wanted back",),
    ),
    Act(
        "remove a sibling", "git worktree remove --force $SIBLING 2>/dev/null; git worktree prune", (), ("the sibling",)
    ),
    Act(
        "folder becomes a link to outside",
        "rm -r src && ln -s $OUTSIDE src && echo x > src/b.txt",
        ("A src", "D src/b.txt"),
    ),
    Act(
        "git file that points elsewhere",
        "rm -rf .git && echo 'gitdir: '$OUTSIDE/other/.git > .git",
        (".git is a file",),
    ),
    Act(
        "alternates",
        'mkdir -p "$(git rev-parse --git-common-dir)/objects/info" && '
        'echo /nowhere > "$(git rev-parse --git-common-dir)/objects/info/alternates"',
        ("objects",),
        ("file objects/info/alternates",),
    ),
    Act("replace", "git replace HEAD HEAD~1", ("ref",), ("ref refs/replace/HEAD",)),
    Act(
        "grafts",
        'mkdir -p "$(git rev-parse --git-common-dir)/info" && '
        'git rev-parse HEAD > "$(git rev-parse --git-common-dir)/info/grafts"',
        ("ignore",),
        ("file info/grafts",),
    ),
    Act("nested repository", "git init -q sub && echo x > sub/hidden.txt", ("A sub/hidden.txt",)),
    Act("nested bare-looking folder", "mkdir deep && git init -q deep/er && echo x > deep/y", ("A deep/y",)),
    Act(
        "sparse checkout", "git sparse-checkout set --no-cone nothing", ("ALL DELETED", "config", "ignore"), ("config",)
    ),
    Act("merge under way", "git merge -q --no-commit --no-ff other 2>/dev/null; echo x > .git/MERGE_HEAD", ("other",)),
    Act(
        "a pipe for a hook",
        'mkdir -p "$(git rev-parse --git-common-dir)/hooks" && mkfifo "$(git rev-parse --git-common-dir)/hooks/x"',
        ("hook",),
        ("hook",),
    ),
    Act(
        "a pipe for the attributes",
        "mkfifo src/.gitattributes && echo x >> src/b.txt",
        ("A src/.gitattributes", "M src/b.txt"),
    ),
    Act(
        "pipes and holes for git's files",
        "cd .git && rm -f HEAD config && mkfifo HEAD config && truncate -s 400G big",
        ("config", "head", "other"),
    ),
    Act("refs that never end", "cd .git && ln -sf /dev/zero packed-refs", ("other", "ref")),
    Act("by path: a branch", "git -C $MAIN branch -f other HEAD", (), ("ref refs/heads/other",), ("ref",)),
    Act("by path: configuration", "git -C $MAIN config core.pager evil", (), ("config",), ("config",)),
    Act("by push", "git push -q $MAIN HEAD:refs/heads/pushed", (), ("ref refs/heads/pushed",), ("ref",)),
)
