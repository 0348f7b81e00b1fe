"""What the tree that an orchestration forks from says about its plan: all warnings, but a tracked scratch file.

Must not read a tree: what is there comes in as two questions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from orchestrator.code_spans import code_spans
from orchestrator.errors import Problem, Severity
from orchestrator.model.plan import Plan, ScopePath, Spec
from orchestrator.model.scope import canonical, claims, covers, is_literal, scope_fault


def check_against_tree(
    plan: Plan,
    exists: Callable[[str], bool],
    contains: Callable[[str, str], bool],
    *,
    paths: Collection[str] = (),
    submodules: Collection[str] = (),
) -> tuple[Problem, ...]:
    """Must-edit files that aren't there, can-create files that are, anchors and references that aren't found.

    `exists(path)` answers for files and folders (named without a slash at the end); `contains(path, text)` whether
    the file holds the text; `paths` are all files, for hints; `submodules` are the paths of those in the tree. What
    an earlier wave may create, change or delete isn't judged by the fork.
    """
    found: list[Problem] = []
    earlier: list[Spec] = []
    specs = {spec.key: spec for spec in reversed(plan.specs)}
    for wave in sorted(plan.waves, key=lambda each: each.number):
        members = [specs[key] for key in wave.tasks if key in specs]
        for spec in members:
            found += _submodule_warnings(spec, submodules)
            found += _scope_warnings(spec, earlier, exists, paths)
            found += _anchor_warnings(spec, earlier, exists, contains, paths)
        earlier += members
    return tuple(found)


def _submodule_warnings(spec: Spec, submodules: Collection[str]) -> Iterator[Problem]:
    for path in claims(spec):
        around = next((name for name in submodules if canonical(path.pattern).startswith(f"{name}/")), "")
        if around:
            yield Problem(
                "in-submodule",
                f"`{path.pattern}` of task {spec.key} lies in the submodule `{around}`, whose files aren't worked on",
                at=path.at or spec.at,
                hint=f"plan it in that repository, or name `{around}` itself to move it to another commit",
                severity=Severity.WARNING,
                subject=str(spec.key),
            )


def _scope_warnings(
    spec: Spec, earlier: list[Spec], exists: Callable[[str], bool], paths: Collection[str]
) -> Iterator[Problem]:
    for path in spec.must_edit:
        text = _place(path)
        if text and not exists(text) and not _may_be_made(text, earlier):
            yield Problem(
                "must-edit-missing",
                f"`{path.pattern}`, which task {spec.key} must edit, doesn't exist",
                at=path.at or spec.at,
                hint=_meant(text, paths) or "correct the path, commit the file, or list it under Can create",
                severity=Severity.WARNING,
                subject=str(spec.key),
            )
    for path in spec.can_create:
        text = _place(path)
        deleted = any(covers(other.can_delete, text) for other in earlier)
        if is_literal(canonical(path.pattern)) and text and exists(text) and not deleted:
            yield Problem(
                "can-create-exists",
                f"`{path.pattern}`, which task {spec.key} can create, exists already",
                at=path.at or spec.at,
                hint="list it under Must edit if the task changes it",
                severity=Severity.WARNING,
                subject=str(spec.key),
            )
    for path in spec.scratch:
        text = _place(path)
        if text and exists(text):
            yield Problem(
                "scratch-tracked",
                f"`{path.pattern}`, scratch of task {spec.key}, is tracked by git",
                at=path.at or spec.at,
                hint="scratch is never landed: name a path that git doesn't track, or list it under Must edit",
                subject=str(spec.key),
            )


def _meant(path: str, paths: Collection[str]) -> str:
    """A hint that names the one file which is this but for letter case or its folder, or ""."""
    folded, name = path.casefold(), path.rpartition("/")[2]
    same = [one for one in paths if one.casefold() == folded]
    same = same or [one for one in paths if one.rpartition("/")[2] == name]
    return f"did you mean `{same[0]}`?" if len(same) == 1 else ""


def _place(path: ScopePath) -> str:
    """The file or folder that a pattern names, without the slash; empty for wildcards and faulty patterns."""
    text = canonical(path.pattern)
    if scope_fault(text) or not is_literal(text.rstrip("/")):
        return ""
    return text.rstrip("/")


def _may_be_made(path: str, earlier: list[Spec]) -> bool:
    return any(covers(claims(spec), path) or covers(claims(spec), f"{path}/x") for spec in earlier)


def _anchor_warnings(
    spec: Spec,
    earlier: list[Spec],
    exists: Callable[[str], bool],
    contains: Callable[[str, str], bool],
    paths: Collection[str],
) -> Iterator[Problem]:
    for kind, references in (("anchor", spec.anchors), ("reference", spec.references)):
        for reference in references:
            path = canonical(reference.path)
            if not path or scope_fault(path) or not is_literal(path.rstrip("/")):
                continue
            if _may_be_made(path.rstrip("/"), earlier) or covers(spec.can_create, path):
                continue
            if not exists(path.rstrip("/")):
                yield Problem(
                    f"{kind}-missing",
                    f"`{path}`, {'an anchor' if kind == 'anchor' else 'a reference'} of task {spec.key}, doesn't exist",
                    at=reference.at or spec.at,
                    hint=_meant(path, paths) or "correct the path, or take it out",
                    severity=Severity.WARNING,
                    subject=str(spec.key),
                )
                continue
            if kind == "anchor":
                for text in _quoted(reference.text, path):
                    if not contains(path, text):
                        yield Problem(
                            "anchor-not-found",
                            f"the anchor `{text}` of task {spec.key} isn't found in `{path}`",
                            at=reference.at or spec.at,
                            hint="name something that the file holds, letter for letter: a worker searches for it",
                            severity=Severity.WARNING,
                            subject=str(spec.key),
                        )


def _quoted(text: str, path: str) -> Iterator[str]:
    """The code spans of an anchor besides its path."""
    for span in code_spans(text):
        if span.code and path not in canonical(span.code):
            yield span.code
