"""Making the commit that is to land: in memory, or with the repository's commit hooks where it has some.

Owns which hooks run and from where: those of the main checkout, never one that lies in a workspace.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.errors import ToolError
from orchestrator.nouns import dataclass
from orchestrator.vcs.command import Git
from orchestrator.vcs.environment import FIXED, KEPT
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
TAIL = 4000


# What a signing program needs to find its keys and its agent.
SIGNERS = frozenset({"GNUPGHOME", "GPG_AGENT_INFO", "SSH_AUTH_SOCK"})

# Of what this room sets for every git, hooks get only what keeps them from waiting for a person: a hook uses patterns
# for paths, for example, which are off elsewhere.
NEEDED = frozenset(
    {"GIT_TERMINAL_PROMPT", "SSH_ASKPASS_REQUIRE", "GIT_EDITOR", "GIT_MERGE_AUTOEDIT", "GIT_PAGER", "LC_ALL"}
)


class HookError(ToolError):
    """A commit hook refused the commit or took too long. `output` is the end of what it printed."""


class SigningError(ToolError):
    """The commit is to be signed, and the signing program failed or took too long."""


@dataclass(frozen=True, slots=True)
class CommitRules:
    """How this repository's commits are made: where hooks lie, which of the commit hooks there are, whether commits
    are signed."""

    hooks: Path
    names: tuple[str, ...]
    is_signed: bool


def commit_rules(repository: Repository) -> CommitRules:
    """Read from the configuration and the disk, now. A relative core.hooksPath is one of the main checkout."""
    pattern = r"^(core\.hookspath|commit\.gpgsign)$"
    out = repository.git("config", "--show-scope", "--type=path", "-z", "--get-regexp", pattern, ok=None).fields
    values: dict[str, str] = {}
    for scope, setting in zip(out[::2], out[1::2], strict=False):
        # The scope `command` is this room's own option that switches hooks off.
        if scope != "command":
            name, equals, value = setting.partition("\n")
            values[name] = value if equals else "true"
    named = values.get("core.hookspath")
    folder = repository.root / named if named else repository.common_dir / "hooks"
    names = tuple(name for name in COMMIT_HOOKS if (folder / name).is_file() and os.access(folder / name, os.X_OK))
    return CommitRules(folder, names, values.get("commit.gpgsign", "").lower() in ("true", "yes", "on", "1"))


def commit(
    repository: Repository,
    *,
    tree: str,
    parent: str,
    message: str,
    workspace: Workspace | None = None,
    environ: Mapping[str, str] | None = None,
    timeout: float = 300.0,
    rules: CommitRules | None = None,
) -> str:
    """One commit of `tree` on top of `parent`, on no branch, by the person whose repository it is, signed if they
    sign. Where there are commit hooks it is made in `workspace`, whose files are replaced; the hooks see only the
    variables in `environ` (None: all), and may have changed message and files: look at what came out. `timeout`
    is in seconds, `rules` are those just read. Raises HookError, SigningError or ToolError; no ref is moved either
    way."""
    rules = rules or commit_rules(repository)
    if not rules.names:
        return _in_memory(repository, tree, parent, message, timeout, is_signed=rules.is_signed)
    if workspace is None:
        raise ValueError("a repository with commit hooks needs a workspace to commit in")
    return _with_hooks(workspace, rules.hooks, tree, parent, message, environ, timeout)


def _in_memory(repository: Repository, tree: str, parent: str, message: str, timeout: float, *, is_signed: bool) -> str:
    args = ["commit-tree", tree, "-p", parent, "-F", "-"]
    if is_signed:
        args.append("-S")
    try:
        return repository.git(*args, input=_ended(message), timeout=timeout).text
    except ToolError as error:
        raise _named(error, may_be_hook=False) from error


def _with_hooks(
    workspace: Workspace,
    hooks: Path,
    tree: str,
    parent: str,
    message: str,
    environ: Mapping[str, str] | None,
    timeout: float,
) -> str:
    repository = workspace.repository
    fresh = Workspaces(repository).reset(workspace, parent, tree=tree)
    # Found from the folder, as in any checkout: a hook must see what it always sees.
    command = Git(str(fresh.path))
    given = dict(os.environ) if environ is None else environ
    without = sorted((set(os.environ) | set(FIXED)) - set(given) - KEPT - SIGNERS - NEEDED)
    extra = {name: value for name, value in given.items() if os.environ.get(name) != value}
    try:
        command.run(
            *("commit", "-q", "-F", "-", "--cleanup=whitespace"),
            input=_ended(message),
            env={**extra, "LC_ALL": "C.UTF-8"},
            timeout=timeout,
            hooks=str(hooks),
            without=without,
        )
    except ToolError as error:
        raise _named(error, may_be_hook=True) from error
    made, made_tree, *parents = command.run("log", "-1", "--no-show-signature", "--format=%H %T %P").text.split(" ")
    if parents != [parent]:
        raise HookError(
            "the commit hooks made something other than one commit on the integration branch",
            output=f"parents: {' '.join(parents) or 'none'}, expected {parent}",
            code="hook",
        )
    if made_tree != tree and made_tree == repository.tree_of(parent):
        raise HookError("the commit hooks left nothing of the change to commit", code="hook")
    repository.git(
        *("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules"),
        str(fresh.path / ".git"),
        "HEAD",
    )
    return made


def _ended(message: str) -> str:
    return message if message.endswith("\n") else message + "\n"


def _named(error: ToolError, *, may_be_hook: bool) -> ToolError:
    """The same failure under the name of its cause."""
    said = error.output.lower()
    kind: type[ToolError] = ToolError
    if "tell me who you are" in said or "ident name" in said or "auto-detect" in said:
        message, code = "git doesn't know who commits", "no-identity"
        hint = 'git config user.name "…" && git config user.email "…"'
    elif "failed to sign" in said or "gpg failed" in said or (not may_be_hook and error.code == "git-timeout"):
        kind, message, code = SigningError, f"the commit couldn't be signed: {error.message}", "signing"
        hint = "see that the signing program works without a terminal, or unset commit.gpgSign"
    elif may_be_hook and (error.status or 0) >= 0 and error.status != 137:
        what = "took too long" if error.code == "git-timeout" else "refused the commit"
        kind, message, code = HookError, f"the repository's commit hooks {what}", "hook"
        hint = "the hook's output says why"
    else:
        return error
    output = error.output[-TAIL:]
    return kind(message, argv=error.argv, status=error.status, output=output, hint=hint, code=code)
