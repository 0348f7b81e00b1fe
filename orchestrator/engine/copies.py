"""The worker's own todo file: read as what an untrusted program left there, written only where it really lies.

A worker may turn any folder of its workspace into a symlink; a path that leads out of the workspace is neither
read nor written.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.effects import effect
from orchestrator.engine.run import Run
from orchestrator.formats.large_copy import shortened
from orchestrator.formats.own_lines import masked_but_own
from orchestrator.formats.task_file import empty_copy_text, worker_copy_text
from orchestrator.model.ids import TaskKey
from orchestrator.store.layout import Layout
from orchestrator.store.places import workspace_dir
from orchestrator.store.text_files import replace_text
from orchestrator.vcs.removing import clear_way, remove_tree

LARGEST = 1 << 20
"""A todo file beyond this many bytes isn't one; what is above is not read."""


def copy_name(key: TaskKey) -> str:
    """Where the worker's todo file lies, relative to the top of its workspace."""
    return f"planning/tasks/{key}.todo.md"


def copy_path(run: Run, key: TaskKey) -> Path:
    """The worker's own todo file, in its workspace."""
    return copy_in(run.layout, key)


def copy_in(layout: Layout, key: TaskKey) -> Path:
    """As copy_path, for who has no run."""
    return workspace_dir(layout, key) / copy_name(key)


def read_copy(run: Run, key: TaskKey) -> str:
    """The text of the worker's todo file; empty where there is none, or none that may be read. A very long one is cut.

    Secrets are masked: what is read here is written down. Bytes that aren't UTF-8 come as replacement characters: a
    worker's bad byte must not stop orch.
    """
    return masked_copy(run, key, text_in(run.layout, key))


def masked_copy(run: Run, key: TaskKey, text: str) -> str:
    """What a worker says its todo file is, without secrets; lines of orch's own file come as they stand there."""
    document = run.session.planning.task_document(key) if text else None
    if document is None:
        return run.mask(text)
    return masked_but_own(text, worker_copy_text(document, key, run.spec(key).title), run.mask)


def text_in(layout: Layout, key: TaskKey) -> str:
    """As read_copy, for who has no run: nothing is masked, so that it is for looking alone."""
    return shortened(plain_text(workspace_dir(layout, key), copy_in(layout, key)))


def is_plain_file(top: Path, path: Path) -> bool:
    """Whether `path`, below `top`, is a file that is reached without a symlink."""
    return _is_plain(top, path) and path.is_file() and not path.is_symlink()


def plain_text(top: Path, path: Path) -> str:
    """The text of a plain file below `top` that is reached without a symlink; empty for anything else."""
    if not is_plain_file(top, path):
        return ""
    try:
        with path.open("rb") as handle:
            data = handle.read(LARGEST)
    except OSError:
        return ""
    return data.decode("utf-8", errors="replace").replace("\0", "\ufffd")


def write_copy(run: Run, key: TaskKey, *, is_fresh: bool) -> None:
    """Lay the worker's todo file: empty for a first plan, else goal, steps and answers as the main file has them."""
    title = run.spec(key).title
    document = run.session.planning.task_document(key)
    text = empty_copy_text(key, title) if is_fresh or document is None else worker_copy_text(document, key, title)
    top = workspace_dir(run.layout, key)
    path = top / copy_name(key)
    clear_way(top, path)
    if path.is_dir() or path.is_symlink():
        remove_tree(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Made beside the workspace and moved in: what a kill leaves behind must not look like the worker's doing.
    beside = top.with_name(f"{top.name}.copy")
    replace_text(beside, text)
    with effect("replace", str(path)):
        beside.replace(path)


def _is_plain(top: Path, path: Path) -> bool:
    """Whether no folder between the workspace's top and the file is a symlink."""
    folder = path.parent
    while folder != top:
        if folder.is_symlink():
            return False
        folder = folder.parent
    return True
