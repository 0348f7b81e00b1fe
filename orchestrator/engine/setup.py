"""The setup of `worktree:`: when it has to run in a workspace, and when what it made there before will do.

A setup's products are known by a recipe: the command, what it depends on as it stands at the commit, and what is
copied and linked from the checkout. They are put on record only after the setup has succeeded, and only if it left
every file that was there before as it was.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from orchestrator.digests import sha256
from orchestrator.engine.site import Site
from orchestrator.model.plan import ScopePath
from orchestrator.model.scope import covers
from orchestrator.model.setup_inputs import is_input, named_files, only_installs
from orchestrator.process.running import Ended
from orchestrator.vcs.listing import touched_paths
from orchestrator.vcs.products import Products, besides, write_products
from orchestrator.vcs.workspace import Workspace


def recipe_for(site: Site, commit: str) -> str:
    """The name of what the setup makes at a commit or tree; empty where there is no setup, or nothing is reused."""
    asked = site.worktree
    if not asked.setup or not asked.reuse:
        return ""
    tree = site.repository.tree_of(commit)
    if tree not in site.recipes:
        copied = [(name, _how_it_stands(site.repository.root / name)) for name in asked.copy]
        parts = [asked.setup, _inputs(site, tree), copied, list(asked.link)]
        site.recipes[tree] = sha256(json.dumps(parts).encode("utf-8", "surrogateescape")).hexdigest()
    return site.recipes[tree]


def _inputs(site: Site, tree: str) -> object:
    """What the setup depends on, in a form that is the same exactly if that is."""
    setup, inputs = site.worktree.setup, [ScopePath(path) for path in site.worktree.inputs]
    if not inputs and not only_installs(setup, lambda path: site.repository.file_text(tree, path)):
        return tree
    named = named_files(setup)
    found = site.repository.objects_at(tree)
    wanted = [path for path in found if is_input(path) or path in named or covers(inputs, path)]
    return [(path, found[path]) for path in sorted(wanted)]


def _how_it_stands(path: Path) -> object:
    """What is copied, by the sizes and times of its files."""
    if not path.is_dir():
        return _stat(path)
    found = [_stat(Path(where) / name) for where, _, names in os.walk(path) for name in names]
    return sorted(found)


def _stat(path: Path) -> list[object]:
    try:
        about = path.lstat()
    except OSError:
        return [str(path)]
    return [str(path), about.st_size, about.st_mtime_ns]


def before_setup(workspace: Workspace) -> dict[str, str]:
    """What lies in a workspace besides its checkout just before its setup is run."""
    return besides(workspace)


def note_setup(site: Site, workspace: Workspace, recipe: str, before: dict[str, str], ended: Ended) -> None:
    """Put on record what a setup made, if it succeeded and changed nothing that was there before."""
    if not recipe or ended.reason != "exit" or ended.exit_code != 0:
        return
    after = besides(workspace)
    if any(after.get(path) != how for path, how in before.items()):
        return
    made = {path: how for path, how in after.items() if path not in before}
    # What the checkout has and is different now can't be put back without running the setup again.
    touched = touched_paths(workspace.command, workspace.rules)
    if all(path.rstrip("/") in after for path in touched):
        write_products(workspace, Products(recipe, made))
