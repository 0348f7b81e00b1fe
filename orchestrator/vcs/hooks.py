"""Which of the repository's hooks there are, where they lie, and what they see.

Owns that they are those of the main checkout, never one that lies in a workspace.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.errors import ToolError
from orchestrator.nouns import dataclass
from orchestrator.vcs.environment import FIXED, is_kept
from orchestrator.vcs.refs import Guard
from orchestrator.vcs.repository import Repository

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
REF_HOOK = "reference-transaction"

# What a signing program needs to find its keys and its agent.
_SIGNERS = frozenset({"GNUPGHOME", "GPG_AGENT_INFO", "SSH_AUTH_SOCK"})

# Of what this room sets for every git, hooks get only what keeps them from waiting for a person: a hook uses patterns
# for paths, for example, which are off elsewhere.
_NEEDED = frozenset(
    "GIT_TERMINAL_PROMPT SSH_ASKPASS_REQUIRE GIT_EDITOR GIT_MERGE_AUTOEDIT GIT_PAGER LC_ALL LANGUAGE".split()
)


class HookError(ToolError):
    """A commit hook refused the commit or took too long. `output` is the end of what it printed."""


@dataclass(frozen=True, slots=True)
class CommitRules:
    """How this repository's commits are made: where hooks lie, which of the commit hooks there are, whether commits
    are signed, whether a hook watches over refs."""

    hooks: Path
    names: tuple[str, ...]
    is_signed: bool
    guards_refs: bool = False

    def guard(self, environ: Mapping[str, str] | None = None) -> Guard | None:
        """What a change of branches has to pass; its hook sees the variables in `environ` (None: all)."""
        return Guard(str(self.hooks), *hook_world(environ)) if self.guards_refs else None


def commit_rules(repository: Repository) -> CommitRules:
    """Read from the configuration and the disk, now. A relative core.hooksPath is one of the main checkout."""
    pattern = r"^(core\.hookspath|commit\.gpgsign)$"
    out = repository.git("config", "--type=path", "-z", "--get-regexp", pattern, ok=None).fields
    settings = [setting.partition("\n") for setting in out]
    # The last one is this room's own option that switches hooks off.
    own = max((at for at, (name, _, _) in enumerate(settings) if name == "core.hookspath"), default=-1)
    values = {name: value if equals else "true" for at, (name, equals, value) in enumerate(settings) if at != own}
    named = values.get("core.hookspath")
    folder = repository.root / named if named else repository.common_dir / "hooks"
    names = tuple(name for name in COMMIT_HOOKS if _may_run(folder / name))
    is_signed = values.get("commit.gpgsign", "").lower() in ("true", "yes", "on", "1")
    return CommitRules(folder, names, is_signed, _may_run(folder / REF_HOOK))


def _may_run(hook: Path) -> bool:
    return hook.is_file() and os.access(hook, os.X_OK)


def hook_world(environ: Mapping[str, str] | None) -> tuple[tuple[str, ...], dict[str, str]]:
    """What to leave out of git's environment, and what to set in it, so that hooks see the variables in `environ`
    (None: all), who commits, and what keeps them from waiting for a person."""
    given = dict(os.environ) if environ is None else environ
    names = (set(os.environ) | set(FIXED)) - set(given) - _SIGNERS - _NEEDED
    extra = {name: value for name, value in given.items() if os.environ.get(name) != value}
    return tuple(sorted(name for name in names if not is_kept(name))), {**extra, "LC_ALL": "C.UTF-8"}
