"""What `worktree:` copies and links from a checkout into a place that somebody may have worked in before.

Owns that nothing is written outside of the place: what stands in the way, a link above all, goes, and isn't followed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from orchestrator.effects import effect
from orchestrator.engine.confining import empty_scratch
from orchestrator.engine.site import Site
from orchestrator.vcs.removing import clear_for_folder, clear_way, remove_tree
from orchestrator.vcs.walking import walk


def fill(site: Site, path: Path) -> None:
    """Copy and link what `worktree:` names from the repository's checkout, and empty the temporary folder that belongs
    to the place; what isn't in the checkout is a degradation."""
    empty_scratch(site.run, path)
    for source, target in _named(site, path, "copy", site.worktree.copy):
        _make_room(source, target)
        with effect("create", str(target)):
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target, follow_symlinks=False)
    for source, target in _named(site, path, "link", site.worktree.link):
        if not os.path.lexists(target):
            with effect("create", str(target)):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(source)


def _named(site: Site, place: Path, what: str, names: Sequence[str]) -> Iterator[tuple[Path, Path]]:
    """What there is of these names in the checkout, and where it goes: by then nothing stands in the way there."""
    root = site.repository.root
    for name in names:
        source = root / name
        if not source.exists():
            site.run.degrade(f"worktree: {what} names {name}, which isn't in the checkout{site.words}")
            continue
        target = place / _without_links(root, name)
        clear_way(place, target)
        yield source, target


def _without_links(root: Path, name: str) -> Path:
    """Where `name` really lies below the checkout, whose own links lead there; as it is if they lead out of it."""
    folder = (root / name).parent.resolve()
    top = root.resolve()
    return folder.relative_to(top) / Path(name).name if folder.is_relative_to(top) else Path(name)


def _make_room(source: Path, target: Path) -> None:
    """Take away whatever the copy of `source` would be written through or into: all but folders that stay folders."""
    if not source.is_dir():
        remove_tree(target)
        return
    for base, _, others in walk(source):
        clear_for_folder(target / base)
        for name in others:
            remove_tree(target / base / name)
