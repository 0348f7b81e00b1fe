"""Making the commit that is to land: in memory, or with the repository's commit hooks where it has some."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.errors import ToolError
from orchestrator.vcs.command import Git
from orchestrator.vcs.hooks import CommitRules, HookError, commit_rules, hook_world
from orchestrator.vcs.repository import Repository
from orchestrator.vcs.workspace import Workspace
from orchestrator.vcs.workspaces import Workspaces

TAIL = 4000


class SigningError(ToolError):
    """The commit is to be signed, and the signing program failed or took too long."""


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
    without, extra = hook_world(environ)
    try:
        command.run(
            *("commit", "-q", "-F", "-", "--cleanup=whitespace"),
            input=_ended(message),
            env=extra,
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
