"""What changed in a repository's own checkout while workers were at work in their workspaces.

It may be a person's doing, or that of a worker which reached out of its workspace. Nobody can tell, so it is said and
holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.engine.site import Site
from orchestrator.errors import OrchError
from orchestrator.name_lists import some
from orchestrator.nouns import dataclass

if TYPE_CHECKING:
    from orchestrator.engine.run import Run


@dataclass(frozen=True, slots=True)
class Picture:
    """The branch of a checkout, and its files that aren't as they were committed: path → size and time."""

    branch: str
    files: dict[str, tuple[int, int]]


def picture(site: Site) -> Picture:
    """The checkout as it stands, the planning folder left out: people and orch write there all the time."""
    planning = site.run.layout.shown(site.run.layout.planning).rstrip("/") + "/"
    files: dict[str, tuple[int, int]] = {}
    for path in site.repository.dirty():
        if path.startswith(planning):
            continue
        try:
            now = (site.repository.root / path).lstat()
        except OSError:
            files[path] = (-1, 0)
        else:
            files[path] = (now.st_size, now.st_mtime_ns)
    return Picture(site.repository.head_branch() or "a detached HEAD", files)


def changed_beside(run: Run) -> Iterator[str]:
    """A sentence for each checkout that isn't as it was when the call began, if workers were at work in it."""
    for name, before in run.beside.items() if run.ever_had_workers else ():
        site = run.site_named(name)
        try:
            now = picture(site)
        except OrchError:
            # What the call came to has to be told in any case.
            continue
        changed = [run.foreign(path) for path, how in now.files.items() if before.files.get(path) != how]
        if changed:
            yield (
                f"files of the checkout{site.words} changed while workers were at work: "
                f"{some(changed)}; look at them if it wasn't you"
            )
        if now.branch != before.branch:
            yield (
                f"the checkout{site.words} is on {now.branch} now, it was on {before.branch}; "
                "look at it if it wasn't you"
            )
