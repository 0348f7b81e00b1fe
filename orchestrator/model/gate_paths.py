"""The paths of a step held against a scope and a tree: what lies outside, what isn't there.

Owns how freely a worker may write a path (a bare name, a part of it, a folder) and still be understood. Built for
few false alarms. Must not read a tree: whether a path exists comes in as a question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from orchestrator.model.paths_in_text import PathInText, paths_in
from orchestrator.model.plan import ScopePath, Spec
from orchestrator.model.scope import canonical, claims, expand, fold, is_literal, may_meet
from orchestrator.model.step_paths import CHANGES, Role, mentions


def outside_scope(spec: Spec, step: str, exists: Callable[[str], bool]) -> tuple[str, ...]:
    """The paths that a step says it changes and that the scope (scratch included) can't be meant to hold."""
    scope = (*claims(spec), *spec.scratch)
    found = [
        mention.path.path
        for mention in mentions(step)
        if mention.role in CHANGES
        and not _is_protocol(mention.path.path)
        and not is_in_scope(scope, mention.path.path, is_exact=mention.path.is_bare_name and exists(mention.path.path))
        and _is_surely_a_path(mention.path, exists)
    ]
    return tuple(dict.fromkeys(found))


def is_in_scope(scope: Iterable[ScopePath], path: str, *, is_exact: bool = False) -> bool:
    """Whether a path as a worker writes it can be meant by a scope.

    In full, as the end of a scope's path (`trigger.go`), with something before it (an absolute path), or as a
    folder or pattern that meets the scope. Letter case is folded: git decides exactly, later. is_exact: a bare name
    is a file at the top, not one somewhere beneath a folder of the scope.
    """
    name = fold(path)
    for each in scope:
        pattern = canonical(each.pattern)
        if may_meet(pattern, name):
            return True
        for alternative in expand(fold(pattern)):
            whole = alternative.rstrip("/")
            if f"/{whole}".endswith(f"/{name.rstrip('/')}") or f"/{name}".endswith(f"/{whole}"):
                return True
            if f"/{whole}/" in f"/{name}" and alternative.endswith("/"):
                return True
            # `*.test.ts` beneath a folder: a bare name is judged by the last segment alone.
            if not is_exact and "/" not in name and may_meet(alternative.rsplit("/", 1)[-1] or "**", name):
                return True
    return False


def named_paths(text: str) -> tuple[str, ...]:
    """All paths that stand in a text, in any role."""
    return tuple(dict.fromkeys(each.path for each in paths_in(text)))


def wrong_about_existence(
    spec: Spec, step: str, exists: Callable[[str], bool], made: set[str]
) -> Iterator[tuple[str, str]]:
    """(code, what is wrong) for each full path that a step takes to exist and doesn't, or creates though it does.

    `made` holds what earlier steps change: what they make isn't missed, nor is what the scope names.
    """
    scope = (*claims(spec), *spec.scratch)
    for mention in mentions(step):
        path = mention.path.path
        if not mention.path.has_suffix or mention.path.is_bare_name or not is_literal(path) or _is_protocol(path):
            continue
        if mention.role is Role.CREATED and exists(path):
            yield "creates-existing", f"creates `{path}`, which exists"
            continue
        is_expected = mention.role in (Role.READ, Role.NAMED, Role.EDITED, Role.DELETED)
        if is_expected and path not in made and not is_in_scope(scope, path) and not exists(path):
            yield "path-not-found", f"names `{path}`, which doesn't exist"


def _is_protocol(path: str) -> bool:
    """The worker's own todo file and its copy of the state file: writing there is part of the protocol."""
    name = path.rsplit("/", 1)[-1].casefold()
    return name.endswith(".todo.md") or (name.startswith("state_") and name.endswith(".md"))


def _is_surely_a_path(path: PathInText, exists: Callable[[str], bool]) -> bool:
    """Whether a word that looks like a path is one: it names a file, or something that is there."""
    if path.has_suffix or path.path.endswith("/"):
        return True
    return is_literal(path.path) and exists(path.path)
