"""The mechanical part of the gate: what speaks against a micro-plan, before anyone judges it.

Owns the rules and their severities: an error sends the plan back, a warning parks it under `auto`, a note is only
shown. Must not run, read or write anything: what is there comes in as questions and values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from orchestrator.code_spans import code_spans
from orchestrator.errors import Severity
from orchestrator.model.changes import Change
from orchestrator.model.gate_paths import is_in_scope, named_paths, outside_scope, wrong_about_existence
from orchestrator.model.ids import TaskKey
from orchestrator.model.micro_plan import MicroPlan, Step
from orchestrator.model.paths_in_text import paths_in
from orchestrator.model.plan import Spec
from orchestrator.model.scope import canonical, is_literal
from orchestrator.model.step_paths import CHANGES, Role, mentions
from orchestrator.name_lists import some
from orchestrator.nouns import dataclass, replace
from orchestrator.patterns import regex

MOST_STEPS = 12
MOST_QUESTIONS = 5
BIG_FILE = 800
"""Lines above which a file is to be entered by an anchor."""

_NUMBERED = regex(r"(?<![\w-])A(\d{1,9})(?!\w)")
_KEY_FORM = regex(r"(?<![\w.])\d+\.\d+\.[A-Za-z0-9][\w-]*")
_NONE = regex(r"\W*(none|no|nothing|n/a|no questions?|keine)\W*", re.IGNORECASE)
_TEST_WORDS = regex(
    r"\b(targeted|acceptance)\b.*\b(tests?|checks?|commands?|modules?|suites?|pytest|lint)\b", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing held against a micro-plan or a piece of work. `step` counts from 1; None for the whole."""

    code: str
    message: str
    severity: Severity
    step: int | None = None

    @property
    def is_error(self) -> bool:
        return self.severity in (Severity.FILE, Severity.ITEM)

    @property
    def is_warning(self) -> bool:
        return self.severity is Severity.WARNING

    @property
    def is_note(self) -> bool:
        return self.severity is Severity.NOTE


def gate_findings(
    spec: Spec,
    micro: MicroPlan,
    changes: tuple[Change, ...],
    *,
    other_findings: tuple[Finding, ...] = (),
    exists: Callable[[str], bool],
    dependency_files: Mapping[TaskKey, Collection[str]] | None = None,
    line_count: Callable[[str], int | None] | None = None,
) -> tuple[Finding, ...]:
    """Everything the rules hold against a micro-plan: errors first, then warnings, then notes.

    changes: what differs from the base in the worktree, the todo copy apart. other_findings: what was seen of refs,
    hooks and the like, passed on. exists: whether a file or folder (no slash at the end) is there at the base.
    dependency_files: what the reports of the tasks it depends on list. line_count: lines of a file at the base.
    """
    found = [
        *_form(spec, micro),
        *_scope(spec, micro, exists),
        *_written_early(changes),
        *other_findings,
        *_open_questions(micro),
        *_unplanned_files(spec, micro),
        *_unnamed_acceptance(spec, micro),
        *_dependency_steps(spec, micro, dependency_files or {}),
        *_big_files(spec, micro, line_count),
        *_existence(spec, micro, exists),
    ]
    order = {Severity.FILE: 0, Severity.ITEM: 0, Severity.WARNING: 1, Severity.NOTE: 2}
    return tuple(sorted(found, key=lambda finding: order[finding.severity]))


def missing_test_step(spec: Spec, micro: MicroPlan) -> str:
    """The text of the step that runs the targeted test; empty if a step names it already or there is no test."""
    command = " ".join(spec.test.split())
    if not command or any(names_test(spec, step) for step in micro.steps):
        return ""
    ticks = "``" if "`" in command else "`"
    pad = " " if "`" in command else ""
    return f"Run {ticks}{pad}{command}{pad}{ticks}"


def with_test_step(spec: Spec, micro: MicroPlan) -> MicroPlan:
    """The micro-plan with the step that `missing_test_step` asks for at its end; itself if it asks for none."""
    text = missing_test_step(spec, micro)
    if not text:
        return micro
    number = max((step.number for step in micro.steps), default=0) + 1
    return replace(micro, steps=(*micro.steps, Step(number, text, " ")))


def names_test(spec: Spec, step: Step) -> bool:
    """Whether a step names the targeted test: its command, or in words ("run the targeted tests")."""
    text = " ".join(step.text.split())
    command = " ".join(spec.test.split())
    return bool(command and command in text) or bool(_TEST_WORDS.search(text))


def _form(spec: Spec, micro: MicroPlan) -> Iterator[Finding]:
    heading = " ".join(micro.heading.split())
    key = str(spec.key)
    own = re.search(rf"(?<![\w.-]){re.escape(key)}(?![\w-])(?!\.\w)", heading)
    if own is None and spec.local_id:
        own = re.match(rf"(?:task )?{re.escape(spec.local_id)}(?![\w-])(?!\.\w)", heading, re.IGNORECASE)
    if not heading:
        yield Finding("no-title", f"it has no title; the first line is `# {key} — …`", Severity.ITEM)
    elif not own:
        other = _KEY_FORM.search(heading)
        says = f"names {other[0]}" if other else f"doesn't name {key}"
        yield Finding("wrong-key", f"its title {says}; this is task {key}", Severity.ITEM)
    elif not re.search(r"\w", heading[: own.start()] + heading[own.end() :]):
        yield Finding("no-title", f"its title is only the key; the first line is `# {key} — …`", Severity.ITEM)
    if not micro.goal.strip():
        yield Finding("no-goal", "it has no goal: one sentence under `## Goal`", Severity.ITEM)
    if not micro.steps:
        yield Finding("no-steps", "it has no step: 1 to 12 boxes under `## TODO items`", Severity.ITEM)
    elif len(micro.steps) > MOST_STEPS:
        yield Finding("too-many-steps", f"it has {len(micro.steps)} steps, {MOST_STEPS} at most", Severity.ITEM)
    for step in micro.steps:
        if not step.is_open:
            what = "ticked" if step.is_ticked else f"marked `[{step.mark}]`"
            yield Finding("step-ticked", f"step {step.number} is {what} before approval", Severity.ITEM, step.number)
    asked = [question for question in micro.questions if not _NONE.fullmatch(question.text)]
    if len(asked) > MOST_QUESTIONS:
        yield Finding("too-many-questions", f"it asks {len(asked)} questions, {MOST_QUESTIONS} at most", Severity.ITEM)


def _open_questions(micro: MicroPlan) -> Iterator[Finding]:
    """An open question never sends a plan back: it waits for its answer. So it is a warning."""
    for question in micro.questions:
        if not question.answer.strip() and not _NONE.fullmatch(question.text):
            yield Finding("open-question", f"question {question.number} is open", Severity.WARNING)


def _scope(spec: Spec, micro: MicroPlan, exists: Callable[[str], bool]) -> Iterator[Finding]:
    for step in micro.steps:
        for path in outside_scope(spec, step.text, exists):
            message = f"step {step.number} changes `{path}`, which is out of scope"
            yield Finding("out-of-scope", message, Severity.ITEM, step.number)


def _written_early(changes: tuple[Change, ...]) -> Iterator[Finding]:
    if changes:
        shown = some([f"`{change.shown}`" for change in changes])
        yield Finding("written-before-approval", f"it changed {shown} before approval", Severity.ITEM)


def _unplanned_files(spec: Spec, micro: MicroPlan) -> Iterator[Finding]:
    text = "\n".join(step.text for step in micro.steps)
    if not text:
        return
    named = named_paths(text)
    for path in spec.must_edit:
        pattern = canonical(path.pattern)
        if pattern in text or any(is_in_scope((path,), name, is_exact=True) for name in named):
            continue
        if is_literal(pattern) and re.search(rf"(?<![\w/]){re.escape(pattern.rsplit('/', 1)[-1])}(?!\w)", text):
            continue
        yield Finding("must-edit-unplanned", f"no step names `{pattern}`, which must be edited", Severity.WARNING)


def _unnamed_acceptance(spec: Spec, micro: MicroPlan) -> Iterator[Finding]:
    """A criterion is named by its number (A1), by a path or a command that it holds, or by the targeted test.

    One that holds neither path nor command can only be named by its number; that is asked for where the plan
    numbers any criterion, else the targeted test stands for it.
    """
    text = " ".join(" ".join(step.text.split()) for step in micro.steps)
    if not text:
        return
    numbers = {int(match[1]) for match in _NUMBERED.finditer(text)}
    has_test = any(names_test(spec, step) for step in micro.steps) or bool(spec.test.strip())
    test = " ".join(spec.test.split())
    for number, criterion in enumerate(spec.acceptance, 1):
        if number in numbers:
            continue
        paths = [each.path for each in paths_in(criterion)]
        spans = [" ".join(span.code.split()) for span in code_spans(criterion)]
        handles = [*paths, *spans]
        if not handles and (has_test and not numbers):
            continue
        if any(handle in text or handle.rsplit("/", 1)[-1] in text for handle in handles):
            continue
        if has_test and any(handle in test for handle in handles):
            continue
        yield Finding("acceptance-unnamed", f"no step names acceptance A{number}", Severity.WARNING)


def _dependency_steps(
    spec: Spec, micro: MicroPlan, dependency_files: Mapping[TaskKey, Collection[str]]
) -> Iterator[Finding]:
    owner = {canonical(path): key for key, paths in dependency_files.items() for path in paths}
    for step in micro.steps:
        for mention in mentions(step.text):
            path = mention.path.path
            if path not in owner or is_in_scope((*spec.must_edit, *spec.can_create, *spec.can_delete), path):
                continue
            # What it says it changes is an error already; what it reads or runs is no step on the file.
            if mention.role is Role.NAMED:
                message = f"step {step.number} names `{path}`, which {owner[path]} changed and this scope doesn't hold"
                yield Finding("dependency-file", message, Severity.WARNING, step.number)


def _big_files(spec: Spec, micro: MicroPlan, line_count: Callable[[str], int | None] | None) -> Iterator[Finding]:
    for path in spec.must_edit if line_count else ():
        pattern = canonical(path.pattern)
        lines = line_count(pattern) if line_count and is_literal(pattern) else None
        if not lines or lines <= BIG_FILE or any(canonical(anchor.path) == pattern for anchor in spec.anchors):
            continue
        steps = [
            step.text for step in micro.steps if any(is_in_scope((path,), name) for name in named_paths(step.text))
        ]
        if steps and not any(_has_anchor(text) for text in steps):
            message = f"`{pattern}` has {lines} lines, and no step says where to enter it"
            yield Finding("no-anchor", message, Severity.WARNING)


def _has_anchor(text: str) -> bool:
    """A line number, or a name in backticks that is no path."""
    if re.search(r"(:|\bL|\blines?\s)\s*~?\d+", text):
        return True
    places = {each.start for each in paths_in(text)}
    return any(span.start not in places for span in code_spans(text))


def _existence(spec: Spec, micro: MicroPlan, exists: Callable[[str], bool]) -> Iterator[Finding]:
    made: set[str] = set()
    for step in micro.steps:
        for code, wrong in wrong_about_existence(spec, step.text, exists, made):
            yield Finding(code, f"step {step.number} {wrong}", Severity.NOTE, step.number)
        made |= {mention.path.path for mention in mentions(step.text) if mention.role in CHANGES}
