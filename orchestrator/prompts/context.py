"""What a template may name: nouns turned into plain text, numbers, lists and mappings.

Owns the vocabulary of templates, documented in docs/file-formats.md. A renamed field of a noun must not break a user's
template, so nothing but plain data passes. Must not know Jinja.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.model.micro_plan import Question
from orchestrator.model.plan import Plan, ScopePath, Spec
from orchestrator.model.state import ReportSection
from orchestrator.nouns import dataclass

Data = dict[str, object]

# A shape is what may stand behind a slot: None for text or a number, a list of one shape, or named parts.
Shape = Mapping[str, "Shape"] | tuple["Shape"] | None

_TEXTS: Shape = (None,)

_WORKER: dict[str, Shape] = {
    "id": None,
    "title": None,
    "turn": None,
    "task": {
        "key": None,
        "title": None,
        "spec": None,
        "wave": None,
        "repo": None,
        "depends_on": _TEXTS,
        "must_edit": _TEXTS,
        "can_create": _TEXTS,
        "can_delete": _TEXTS,
        "scratch": _TEXTS,
        "anchors": _TEXTS,
        "references": _TEXTS,
        "acceptance": _TEXTS,
        "test": None,
        "tier": None,
        "commit": None,
        "theme": None,
        "plan_section": None,
        "source": None,
        "constraints": None,
    },
    "plan": {"number": None, "title": None, "goal": None, "path": None},
    "wave": {"number": None, "theme": None, "tasks": _TEXTS},
    "conventions": None,
    "convention_files": _TEXTS,
    "dependencies": ({"key": None, "title": None, "report": None},),
    "learnings": _TEXTS,
    "answers": ({"number": None, "question": None, "answer": None},),
    "paths": {"todo": None, "worktree": None, "prompt": None},
}

_EXTRA: dict[str, dict[str, Shape]] = {
    "worker": {},
    "approval": {"plan_text": None, "prompt": None},
    "takeover": {"plan_text": None, "prompt": None},
    "revise": {"plan_text": None, "prompt": None, "findings": _TEXTS, "message": None},
    "retry": {"plan_text": None, "prompt": None, "findings": _TEXTS, "reason": None, "output": None},
    "continue": {"prompt": None, "seen": None},
    "plan_review": {"plan_text": None, "findings": _TEXTS},
    "diff_review": {"plan_text": None, "findings": _TEXTS, "diff": None, "report": None, "output": None},
}


@dataclass(frozen=True, slots=True)
class Paths:
    """Where a worker works, as absolute paths."""

    todo: str
    worktree: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Conventions:
    """`text` is the body of ORCH.md; `files` is what else every worker reads, relative to the worktree."""

    text: str = ""
    files: tuple[str, ...] = ()


def vocabulary(name: str) -> dict[str, Shape]:
    """Every slot that the template of that name may use. Raises KeyError for an unknown name."""
    return _WORKER | _EXTRA[name]


def own_slots(name: str) -> tuple[str, ...]:
    """The slots that only the template of that name has. Raises KeyError for an unknown name."""
    return tuple(_EXTRA[name])


def worker_data(
    *,
    plan: Plan,
    spec: Spec,
    turn: str,
    paths: Paths,
    conventions: Conventions,
    dependencies: Sequence[ReportSection] = (),
    learnings: Sequence[str] = (),
    answers: Sequence[Question] = (),
) -> Data:
    """The data that every template is rendered with; questions without an answer are left out of it.

    Raises KeyError if the plan lacks the task's wave.
    """
    wave = plan.wave(spec.key.wave)
    return {
        "id": str(spec.key),
        "title": spec.title,
        "turn": turn,
        "task": _task(spec),
        "plan": {"number": plan.number, "title": plan.title, "goal": plan.goal, "path": plan.path},
        "wave": {"number": wave.number, "theme": wave.theme, "tasks": [str(key) for key in wave.tasks]},
        "conventions": conventions.text,
        "convention_files": list(conventions.files),
        "dependencies": [
            {"key": str(report.key), "title": report.title, "report": report.text} for report in dependencies
        ],
        "learnings": list(learnings),
        "answers": [
            {"number": question.number, "question": question.text, "answer": question.answer}
            for question in answers
            if question.answer
        ],
        "paths": {"todo": paths.todo, "worktree": paths.worktree, "prompt": paths.prompt},
    }


def _task(spec: Spec) -> Data:
    return {
        "key": str(spec.key),
        "title": spec.title,
        "spec": spec.text,
        "wave": spec.key.wave,
        "repo": spec.repo,
        "depends_on": [dependency.text for dependency in spec.depends_on],
        "must_edit": _patterns(spec.must_edit),
        "can_create": _patterns(spec.can_create),
        "can_delete": _patterns(spec.can_delete),
        "scratch": _patterns(spec.scratch),
        "anchors": [anchor.text for anchor in spec.anchors],
        "references": [reference.text for reference in spec.references],
        "acceptance": list(spec.acceptance),
        "test": spec.test,
        "tier": spec.tier,
        "commit": spec.commit,
        "theme": spec.theme,
        "plan_section": spec.plan_section,
        "source": spec.source,
        "constraints": spec.constraints,
    }


def _patterns(scope: Sequence[ScopePath]) -> list[str]:
    return [path.pattern for path in scope]
