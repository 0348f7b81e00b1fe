"""Verified changes that wait for a judgement before they land: what each changed, what was found, how to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.model.ids import TaskKey
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.stage import standing
from orchestrator.views.called import place_of
from orchestrator.views.folding import counted
from orchestrator.views.gate import found_lines
from orchestrator.views.printable import one_line

Json = dict[str, object]
Sizes = Sequence[tuple[str, int, int]]
"""Path, lines added, lines deleted, a file each; -1 for both where it isn't text."""

MOST_FILES = 30


def change_lines(orchestration: Orchestration, sizes: Mapping[TaskKey, Sizes], *, number: int | None) -> list[str]:
    """The digests of these tasks' changes, a blank line after each, then the commands to answer them."""
    lines: list[str] = []
    for key, files in sizes.items():
        lines += [*_digest(orchestration, key, files), ""]
    return [*lines, *change_answers(tuple(sizes), number=number)]


def change_answers(keys: Sequence[TaskKey], *, number: int | None) -> list[str]:
    """The commands that answer: one that lets all of them land, one that sends the first back."""
    which = f" -n {number}" if number is not None else ""
    return [f"orch approve {' '.join(str(key) for key in keys)}{which}", f'orch revise {keys[0]} -m "..."{which}']


def change_document(orchestration: Orchestration, key: TaskKey, files: Sizes) -> Json:
    """One change: the tree that would land, the commit it would land on, the files."""
    task = orchestration.task(key)
    now = standing(task.log)
    return {
        "task": str(key),
        "title": orchestration.plan.spec(key).title,
        "tree": now.verified_tree,
        "head": now.verified_head,
        "files": [{"path": path, "added": added, "deleted": deleted} for path, added, deleted in files],
        "findings": [line.removeprefix("- ") for line in task.findings.split("\n") if line.strip()],
        "unanswered": now.unanswered or None,
    }


def _digest(orchestration: Orchestration, key: TaskKey, files: Sizes) -> list[str]:
    task = orchestration.task(key)
    now = standing(task.log)
    spec = orchestration.plan.spec(key)
    added = sum(max(one, 0) for _, one, _ in files)
    deleted = sum(max(one, 0) for _, _, one in files)
    size = f"{counted(len(files), 'file')} +{added} -{deleted}"
    lines = [f"{key} {one_line(spec.title, 80)}{place_of(orchestration, key)}: verified, {size}"]
    lines += [f"accept A{number}: {one_line(text, 160)}" for number, text in enumerate(spec.acceptance, 1)]
    lines += [_size(*size) for size in files[:MOST_FILES]]
    if len(files) > MOST_FILES:
        lines.append(f"and {counted(len(files) - MOST_FILES, 'more file')}")
    report = task.micro_plan.report
    if report is not None:
        told = (("deviations", report.deviations), ("gotchas", report.gotchas))
        lines += [f"{name}: {one_line(text, 200)}" for name, text in told if text.strip().lower() not in ("", "none")]
    lines += [f"found {line.removeprefix('- ')}" for line in found_lines(task)[0]]
    if now.unanswered:
        lines.append(one_line(now.unanswered, 600))
    return [*lines, f"the whole: orch show {key} --diff"]


def _size(path: str, added: int, deleted: int) -> str:
    return f"binary {path}" if added < 0 else f"+{added} -{deleted} {path}"
