"""What is wrong with a template, found before any worker starts, in untaken branches too.

Owns the walk over a template's syntax tree and the comparison with the vocabulary. Must not know what the slots
hold; context.py does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from difflib import get_close_matches

from jinja2 import TemplateSyntaxError, meta, nodes

from orchestrator.errors import Problem
from orchestrator.prompts.context import vocabulary
from orchestrator.prompts.locations import Template
from orchestrator.prompts.sandbox import environment
from orchestrator.prompts.template_places import bare, fault, place, syntax_fault

_MISSING = object()
_BY_PART = ("selectattr", "rejectattr", "groupby")
"""Filters whose first argument names a part of each item."""


def slot_problems(template: Template) -> tuple[Problem, ...]:
    """Syntax faults, unknown slots, filters and tests, in the order of their lines."""
    try:
        tree = environment().parse(bare(template.text), template.path)
    except TemplateSyntaxError as error:
        return (syntax_fault(error.message or "", template.text, template.path, error.lineno),)
    found = list(_unknown_tools(tree, template))
    known = set(vocabulary(template.name)) | set(environment().globals)
    try:
        unknown = meta.find_undeclared_variables(tree) - known
    except TemplateSyntaxError as error:
        found.append(syntax_fault(error.message or "", template.text, template.path, error.lineno))
        unknown = set()
    found.extend(_Walk(template, unknown).problems(tree))
    ordered = sorted(found, key=lambda problem: (problem.at.line, problem.at.column) if problem.at else (0, 0))
    return tuple(dict.fromkeys(ordered))


def _unknown_tools(tree: nodes.Template, template: Template) -> Iterator[Problem]:
    for kind, word, known in (
        (nodes.Filter, "filter", environment().filters),
        (nodes.Test, "test", environment().tests),
    ):
        for node in tree.find_all(kind):
            if node.name not in known:
                yield _problem(
                    template, f"unknown-{word}", f'unknown {word} "{node.name}"', node.lineno, node.name, known
                )
                # Jinja's own look for names, which comes after this, stops at the first it doesn't know.
                node.name = "string"
    for lookup in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        at = place(template.text, template.path, lookup.lineno, type(lookup).__name__.lower().removeprefix("from"))
        yield fault("template-include", "a template can't take in another file", at, "write its text out here")


class _Walk:
    """Compares each slot and each `slot.part` with the vocabulary, through loops and assignments."""

    def __init__(self, template: Template, unknown: Set[str]) -> None:
        self._template = template
        self._unknown = unknown
        self._found: list[Problem] = []

    def problems(self, tree: nodes.Template) -> list[Problem]:
        self._visit(tree, dict(vocabulary(self._template.name)))
        return self._found

    def _visit(self, node: nodes.Node, scope: dict[str, object]) -> None:
        if isinstance(node, nodes.Name):
            self._check_name(node, scope)
        elif isinstance(node, nodes.Output):
            for shown in node.nodes:
                self._check_text(shown, scope)
        elif isinstance(node, nodes.Getattr | nodes.Getitem):
            self._shape(node, scope, report=True)
        elif isinstance(node, nodes.Filter):
            self._check_attribute(node, scope)
        for child, inner in self._inside(node, scope):
            self._visit(child, inner)

    def _inside(self, node: nodes.Node, scope: dict[str, object]) -> Iterator[tuple[nodes.Node, dict[str, object]]]:
        """The node's parts in order, each with the names that hold in it."""
        if isinstance(node, nodes.For):
            yield node.iter, scope
            inner = scope | self._targets(node.target, self._element(self._shape(node.iter, scope)))
            if node.test:
                yield node.test, inner
            yield from ((child, inner) for child in node.body)
            yield from ((child, scope) for child in node.else_)
        elif isinstance(node, nodes.Assign):
            yield node.node, scope
            scope.update(self._targets(node.target, self._shape(node.node, scope)))
        elif isinstance(node, nodes.Macro):
            inner = scope | {argument.name: _MISSING for argument in node.args}
            yield from ((child, inner) for child in node.body)
        elif isinstance(node, nodes.With):
            inner = dict(scope)
            for target, value in zip(node.targets, node.values, strict=True):
                yield value, scope
                inner |= self._targets(target, self._shape(value, scope))
            yield from ((child, inner) for child in node.body)
        else:
            yield from ((child, scope) for child in node.iter_child_nodes())

    def _check_name(self, node: nodes.Name, scope: Mapping[str, object]) -> None:
        if node.ctx == "load" and node.name in self._unknown and node.name not in scope:
            known = vocabulary(self._template.name)
            self._found.append(
                _problem(self._template, "unknown-slot", f'unknown slot "{node.name}"', node.lineno, node.name, known)
            )

    def _shape(self, node: nodes.Node, scope: Mapping[str, object], *, report: bool = False) -> object:
        """The shape that an expression has, or _MISSING where that can't be told."""
        if isinstance(node, nodes.Name):
            return scope.get(node.name, _MISSING)
        part: object
        if isinstance(node, nodes.Getattr):
            part = node.attr
        elif isinstance(node, nodes.Getitem):
            part = node.arg.value if isinstance(node.arg, nodes.Const) else None
        else:
            return _MISSING
        owner = self._shape(node.node, scope)
        if isinstance(node, nodes.Getitem) and isinstance(owner, tuple):
            return self._element(owner)
        if not isinstance(owner, Mapping) or not isinstance(part, str):
            # Text has methods (`task.title.upper()`), and so have lists; the sandbox looks after those.
            return _MISSING
        if part in owner:
            return owner[part]
        if report and not hasattr(dict, part):
            name = f"{_written(node.node)}.{part}"
            self._found.append(
                _problem(self._template, "unknown-slot", f'unknown slot "{name}"', node.lineno, part, owner)
            )
        return _MISSING

    def _check_text(self, node: nodes.Node, scope: Mapping[str, object]) -> None:
        shape = self._shape(node, scope)
        if isinstance(shape, tuple | Mapping):
            name = _written(node)
            at = place(self._template.text, self._template.path, node.lineno, name)
            if isinstance(shape, tuple):
                fix = f"go through it: {{% for item in {name} %}}…{{% endfor %}}"
            else:
                fix = f"take a part of it: {', '.join(f'{name}.{part}' for part in shape)}"
            self._found.append(fault("slot-not-text", f'the slot "{name}" holds no text', at, fix))

    def _check_attribute(self, node: nodes.Filter, scope: Mapping[str, object]) -> None:
        """The part that `map(attribute="…")` and its like ask of each item."""
        element = self._element(self._shape(node.node, scope)) if node.node is not None else _MISSING
        named = [pair.value for pair in node.kwargs if pair.key == "attribute"]
        named += node.args[:1] if node.name in _BY_PART else []
        for part in named:
            if isinstance(element, Mapping) and isinstance(part, nodes.Const) and isinstance(part.value, str):
                first = part.value.split(".")[0]
                if first not in element:
                    message = f'unknown slot "{first}" of each item'
                    self._found.append(_problem(self._template, "unknown-slot", message, node.lineno, first, element))

    def _targets(self, target: nodes.Node, shape: object) -> dict[str, object]:
        if isinstance(target, nodes.Name):
            return {target.name: shape}
        return {name.name: _MISSING for name in target.find_all(nodes.Name)}

    @staticmethod
    def _element(shape: object) -> object:
        return shape[0] if isinstance(shape, tuple) else _MISSING


def _written(node: nodes.Node) -> str:
    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.Getattr):
        return f"{_written(node.node)}.{node.attr}"
    return "…"


def _problem(template: Template, code: str, message: str, line: int, word: str, known: Mapping[str, object]) -> Problem:
    near = get_close_matches(word, list(known), 1)
    if near:
        hint = f'did you mean "{near[0]}"?'
    elif code == "unknown-slot":
        hint = f"there are: {', '.join(known)}"
    else:
        hint = "there are those of Jinja, and the filters fenced and code"
    return fault(code, message, place(template.text, template.path, line, word), hint)
