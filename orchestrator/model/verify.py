"""What speaks against a worker's finished work: the diff, the steps, the report. From facts, not from claims.

Owns the rules and their texts. Must not run git or a test: the diff and sizes come in as values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from orchestrator.errors import Severity
from orchestrator.masking import MASK
from orchestrator.model.changes import Change, ChangeKind, shown_path
from orchestrator.model.gate import Finding
from orchestrator.model.micro_plan import MicroPlan, WorkerReport, plan_hash
from orchestrator.model.paths_in_text import paths_in
from orchestrator.model.plan import ScopePath, Spec
from orchestrator.model.scope import PLANNING, canonical, claims, covers, is_literal
from orchestrator.model.status import Status, read_status
from orchestrator.patterns import regex

_SPACE = regex(r"\s+")
_NONE = regex(r"\W*(none|no|nothing|n/a)?\W*", re.IGNORECASE)
_NUMBERS = regex(r"(?<![\w.])(\d{1,2})(?:\s*(?:-|–|to)\s*(\d{1,2}))?(?![\w]|\.\d)")
_REPORTED = regex(r"\s*\((?:[^()]|\([^()]*\))*\)\s*$|(?::\d[\d,–:-]*)$|\s+[-–—]\s.*$")


def scope_findings(spec: Spec, changes: tuple[Change, ...], *, exempt: Collection[str] = ()) -> tuple[Finding, ...]:
    """What a diff does outside the scope, one finding a path. All errors carry the code `scope`.

    Allowed: changes to what must edit, can create or can delete covers; deletions that can delete covers; a rename
    whose source must edit or can delete covers. Scratch and `exempt` (the protocol files) are left out, and files
    that git ignores as long as the scope doesn't name them.
    """
    return tuple(finding for change in changes if change.path not in exempt for finding in _change(spec, change))


MOST_WIDENED = 4
_PLAIN = regex(r"[\w./@%+,=:][\w./@%+,=:-]*")


def widening(spec: Spec, changes: tuple[Change, ...]) -> str:
    """The options of `orch rescope` that would take these changes into the scope; empty where there are too many, or
    a path isn't a plain word, which a shell or a scope would read as something else."""
    outside = [change for change in changes if not _is_planning(change.path) and any(_change(spec, change))]
    if len(outside) > MOST_WIDENED or not all(_PLAIN.fullmatch(change.path) for change in outside):
        return ""
    kinds = {ChangeKind.ADDED: "create", ChangeKind.DELETED: "delete"}
    return " ".join(f"--{kinds.get(change.kind, 'edit')} {change.path}" for change in outside)


def _change(spec: Spec, change: Change) -> Iterator[Finding]:
    def error(text: str) -> Finding:
        return Finding("scope", text, Severity.ITEM)

    scope = claims(spec)
    in_scope = covers(scope, change.path)
    if _is_planning(change.path) or (change.old_path and _is_planning(change.old_path)):
        yield error(f"`{change.shown}` lies under `{PLANNING}/`, which no task changes")
        return
    if not in_scope and covers(spec.scratch, change.path):
        if change.kind is not ChangeKind.ADDED and not change.is_ignored:
            yield error(f"`{change.shown}` is scratch, but git tracks it")
        return
    if change.is_ignored and not in_scope:
        return
    if change.kind is ChangeKind.DELETED:
        if not covers(spec.can_delete, change.path):
            why = "which its scope doesn't let it delete" if in_scope else "out of scope"
            yield error(f"deletes `{change.shown}`, {why}")
        return
    if not in_scope:
        yield error(f"{_VERBS[change.kind]} `{change.shown}`, out of scope")
    if change.kind is ChangeKind.RENAMED and not covers((*spec.must_edit, *spec.can_delete), change.old_path):
        yield error(f"moves `{shown_path(change.old_path)}` away, which its scope doesn't let it delete")
    if change.refusal:
        yield error(f"`{change.shown}` can't be taken into a commit: {shown_path(change.refusal)}")
    if change.is_submodule and in_scope and not _names(scope, change.path):
        yield error(f"`{change.shown}` is a repository of its own; only a scope that names it can hold one")
    if change.is_symlink and in_scope and change.kind in (ChangeKind.ADDED, ChangeKind.TYPE):
        yield Finding("symlink", f"`{change.shown}` is a symbolic link", Severity.WARNING)


_VERBS = {
    ChangeKind.ADDED: "creates",
    ChangeKind.MODIFIED: "changes",
    ChangeKind.RENAMED: "creates",
    ChangeKind.TYPE: "changes the kind of",
}


def _is_planning(path: str) -> bool:
    return path.split("/", 1)[0].casefold() == PLANNING


def _names(patterns: tuple[ScopePath, ...], path: str) -> bool:
    return any(is_literal(canonical(each.pattern)) and covers((each,), path) for each in patterns)


def landing_changes(spec: Spec, changes: tuple[Change, ...], *, exempt: Collection[str] = ()) -> tuple[Change, ...]:
    """The changes that may land: neither scratch nor exempt, and of ignored files only those can create names."""
    return tuple(
        change
        for change in changes
        if change.path not in exempt
        and (covers(claims(spec), change.path) or not covers(spec.scratch, change.path))
        and (not change.is_ignored or _names(spec.can_create, change.path))
    )


def step_findings(
    approved_hash: str,
    main: MicroPlan,
    copy: MicroPlan,
    *,
    mask: Callable[[str], str] = str,
    has_printed: bool = False,
) -> tuple[Finding, ...]:
    """Steps of the worker's copy that aren't those approved, and unticked ones that its Deviations don't name.

    main: the micro-plan in orch's own file. copy: the worker's, with ticks; the report is the copy's, else main's.
    mask: what was done to the text that the worker was shown. So a mask counts as what it stands for; the approval is
    of the true text, and that is held against main.
    has_printed: the worker printed its report. Who only prints can't tick: where nothing is ticked, Status decides.
    """
    if not copy.steps:
        return (Finding("steps-missing", "the steps are gone from the todo file", Severity.ITEM),)
    found: list[Finding] = []
    if plan_hash(copy) != approved_hash:
        found += _differences(main, copy, mask)
        if not found and plan_hash(main) != approved_hash:
            found.append(Finding("step-changed", "the steps aren't those that were approved", Severity.ITEM))
    report = main.report if has_printed else copy.report or main.report
    explained = _numbers(report.deviations) if report else set()
    # What a worker printed with ticks stands in orch's own file.
    ticked = {step.number for step in (*copy.steps, *main.steps) if step.is_ticked}
    if has_printed and not ticked and report and _says_done(report):
        return tuple(found)
    for step in copy.steps:
        if step.number not in ticked | explained:
            message = f"step {step.number} isn't ticked, and the Deviations don't name it"
            found.append(Finding("step-unticked", message, Severity.ITEM, step.number))
    return tuple(found)


def _says_done(report: WorkerReport) -> bool:
    words = report.status.replace("*", "").split()
    return bool(words) and read_status(words[0].strip(".,;:")) is Status.DONE


def _differences(main: MicroPlan, copy: MicroPlan, mask: Callable[[str], str]) -> Iterator[Finding]:
    goal, goal_now = _folded(mask(main.goal)), _folded(mask(copy.goal))
    if goal != goal_now:
        message = f"the goal isn't the one approved{_mask_hint(goal, goal_now)}"
        yield Finding("goal-changed", message, Severity.ITEM)
    for approved, step in zip(main.steps, copy.steps, strict=False):
        text, now = _folded(mask(approved.text)), _folded(mask(step.text))
        if text != now:
            message = f"step {approved.number} isn't the one approved: `{_short(now)}`{_mask_hint(text, now)}"
            yield Finding("step-changed", message, Severity.ITEM, approved.number)
    for missing in main.steps[len(copy.steps) :]:
        yield Finding(
            "step-missing", f"step {missing.number} is gone from the todo file", Severity.ITEM, missing.number
        )
    for added in copy.steps[len(main.steps) :]:
        message = f"step {added.number} was added after approval: `{_short(_folded(mask(added.text)))}`"
        yield Finding("step-added", message, Severity.ITEM, added.number)


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _mask_hint(*texts: str) -> str:
    """What to do about the mask, where it stands in one of the texts."""
    return f" (`{MASK}` stands for a secret: leave it as it is)" if any(MASK in text for text in texts) else ""


def _short(text: str) -> str:
    text = text.replace("`", "'")
    return text if len(text) <= 60 else text[:59] + "…"


def _numbers(text: str) -> set[int]:
    """The step numbers that a text names, ranges (`3–5`) included."""
    found: set[int] = set()
    for match in _NUMBERS.finditer(text):
        first = int(match[1])
        found |= set(range(first, int(match[2] or first) + 1))
    return found


_STOPPED = regex(r"(?:stopped|blocked|failed|aborted|gave up|incomplete|unfinished|partial\w*|not (?:done|finished))\b")


def stopped_because(report: WorkerReport | None) -> str:
    """What a worker says that stopped it, where its report's Status is that it isn't done; else empty."""
    status = " ".join(report.status.split()).strip("*_` ") if report else ""
    return status if _STOPPED.match(status.casefold()) else ""


def report_findings(
    report: WorkerReport | None, changes: tuple[Change, ...], *, mask: Callable[[str], str] = str
) -> tuple[Finding, ...]:
    """A report that isn't there, lacks a field, or whose Files aren't the paths of `changes`, those that land.

    mask: what was done to the report, so that a path in it may be masked.
    """
    if report is None:
        needs = "Status, Files, Deviations, Gotchas"
        return (Finding("no-report", f"there is no `## Report` ({needs})", Severity.ITEM),)
    found: list[Finding] = []
    if report.missing:
        fields = ", ".join(report.missing)
        found.append(Finding("report-incomplete", f"the report lacks {fields}", Severity.ITEM))
    if "files" not in {field.casefold() for field in report.missing}:
        found += _files_findings(report.files, changes, mask)
    return tuple(found)


def _files_findings(
    files: tuple[str, ...], changes: tuple[Change, ...], mask: Callable[[str], str]
) -> Iterator[Finding]:
    claimed = dict.fromkeys(path for path in (mask(_reported_path(file)) for file in files) if path)
    # As they would be reported: a name may be such that no text can hold it.
    really = {mask(canonical(change.shown)): mask(change.shown) for change in changes}
    moved = {mask(canonical(shown_path(change.old_path))) for change in changes if change.old_path}
    for path in sorted(really.keys() - claimed.keys()):
        yield Finding("report-files", f"the report's Files leave out `{really[path]}`, which changed", Severity.ITEM)
    for path in claimed:
        if path not in really and path not in moved:
            yield Finding("report-files", f"the report's Files name `{path}`, which didn't change", Severity.ITEM)


def _reported_path(text: str) -> str:
    """The path of an entry as a report writes it: no backticks, ranges, remarks; empty for `none`."""
    written = text.replace("`", "").strip()
    if _NONE.fullmatch(written):
        return ""
    while (shorter := _REPORTED.sub("", written).strip()) != written and shorter:
        written = shorter
    return canonical(written)


def acceptance_files(spec: Spec) -> tuple[str, ...]:
    """The files that the acceptance names and that the task must edit or can create."""
    scope = (*spec.must_edit, *spec.can_create)
    named = [each.path for criterion in spec.acceptance for each in paths_in(criterion)]
    return tuple(dict.fromkeys(path for path in named if is_literal(path) and covers(scope, path)))


MAY_BE_EMPTY = ("__init__.py", "py.typed", ".gitkeep", ".keep")
"""Names of files that say all they have to say by being there."""


def missing_acceptance_files(spec: Spec, size: Callable[[str], int | None]) -> tuple[str, ...]:
    """A sentence for each file of the acceptance that isn't there or is empty. `size` is in bytes, None if absent."""
    found: list[str] = []
    for path in acceptance_files(spec):
        bytes_ = size(path)
        if bytes_ is None:
            found.append(f"`{path}`, which the acceptance names, doesn't exist")
        elif bytes_ == 0 and path.rpartition("/")[2] not in MAY_BE_EMPTY:
            found.append(f"`{path}`, which the acceptance names, is empty")
    return tuple(found)
