"""The Jinja environment: what a template may do. The one module that imports jinja2 as it is loaded.

Imported only where something is rendered or checked (render.py, slots.py), never on the way to a reading
command: jinja2 costs more to import than such a command may take.

Owns the sandbox, the filters and the source document's own slot. Must not know which slots there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, Undefined, nodes, pass_context
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing
from jinja2.visitor import NodeTransformer

from orchestrator.markdown.code import code, fenced
from orchestrator.prompts.bounds import Steps, bounded, modest, operated, sized

_VERBATIM = ["variable_begin", "task", "spec", "verbatim", "variable_end"]
# Names that no template can write.
_STEPS, _THROUGH, _SIZED = "steps of this rendering", "counted through", "sized"


class _VerbatimSlot(Extension):
    """Reads `{{task spec verbatim}}`, which isn't Jinja, as `{{ task.spec }}`. Exactly these three words in a slot."""

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        window: list[Token] = []
        for token in stream:
            window.append(token)
            if _words(window) == _VERBATIM:
                begin, task, spec, _, end = window
                yield from (begin, task, Token(spec.lineno, "dot", "."), spec, end)
                window.clear()
            while window and _words(window) != _VERBATIM[: len(window)]:
                yield window.pop(0)
        yield from window


def _words(tokens: list[Token]) -> list[str]:
    return [token.value if token.type == "name" else token.type for token in tokens]


class NotTextError(Exception):
    """What should be written into the prompt is no text."""


class _Missing(StrictUndefined):
    """A slot without a value, told in words of templates."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        if self._undefined_hint:
            return self._undefined_hint
        if self._undefined_obj is missing:
            return f'"{self._undefined_name}" has no value here'
        return f'there is no part "{self._undefined_name}" here'


def _written(value: Any) -> Any:
    """What `{{ value }}` writes. Raises NotTextError for a list, a mapping, nothing: Python's spelling helps nobody."""
    if isinstance(value, str | int | float | Undefined):
        return value
    if value is None:
        raise NotTextError("a slot without a value")
    what = "a mapping" if isinstance(value, Mapping) else "a list or a thing of Jinja's"
    raise NotTextError(f"{what} where text goes: join it or go through it with {{% for %}}")


class _Bounding(NodeTransformer):
    """Puts the bounds into a template's syntax tree: every loop counts its turns, joined texts are measured."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.iter = nodes.Filter(node.iter, _THROUGH, [], [], None, None, lineno=node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return nodes.Filter(node, _SIZED, [], [], None, None, lineno=node.lineno)


class _Environment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with bounds for what one rendering may cost."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        return super()._generate(_Bounding().visit(source), *args, **kwargs)

    def call(self, context: Context, obj: Any, *args: Any, **kwargs: Any) -> Any:
        _steps_of(context).take()
        modest(*args, *(value for name, value in kwargs.items() if not name.startswith("_")))
        return sized(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        return operated(
            operator, left, right, lambda: super(_Environment, self).call_binop(context, operator, left, right)
        )


def _steps_of(context: Context) -> Steps:
    steps = context.get(_STEPS)
    return steps if isinstance(steps, Steps) else Steps()


@pass_context
def _counted(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    return _steps_of(context).through(items)


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Strict about undefined names, no escaping, no files, no chance; a block tag's own line leaves nothing."""
    made = _Environment(
        undefined=_Missing,
        finalize=_written,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[_VerbatimSlot],
    )
    # The same data must give the same prompt.
    del made.filters["random"]
    del made.globals["lipsum"]
    for name, filter_ in made.filters.items():
        made.filters[name] = bounded(filter_)
    made.filters["fenced"] = fenced
    made.filters["code"] = code
    made.filters[_THROUGH] = _counted
    made.filters[_SIZED] = sized
    return made


def filled(template: Template, data: Mapping[str, object]) -> str:
    """The template's text with its slots filled, within the bounds of one rendering."""
    return str(sized(template.render({**data, _STEPS: Steps()})))


@lru_cache(maxsize=32)
def load(text: str, name: str) -> Template:
    """A template that can be rendered; `name` stands in tracebacks as its file. Raises TemplateSyntaxError.

    Compiled once: a wave renders the same few texts again and again, and compiling takes ten times as long.
    """
    made = environment()
    return Template.from_code(made, made.compile(text, name, name), dict(made.globals))
