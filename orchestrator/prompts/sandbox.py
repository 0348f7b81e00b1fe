"""The Jinja environment: what a template may do. The one module that imports jinja2 as it is loaded.

Imported only where something is rendered or checked (render.py, slots.py), never on the way to a reading
command: jinja2 costs more to import than such a command may take.

Owns the sandbox, the filters and the source document's own slot. Must not know which slots there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import count

from jinja2 import StrictUndefined, Template
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment

_VERBATIM = ["variable_begin", "task", "spec", "verbatim", "variable_end"]
_TICKS = re.compile(r"`+")


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


def fenced(text: str, language: str = "") -> str:
    """The text inside a code fence that nothing in it can close."""
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(text))])
    body = text.strip("\r\n")
    return f"{fence}{language}\n{body}\n{fence}"


def code(text: str) -> str:
    """The text as inline code that nothing in it can close."""
    runs = {len(run) for run in _TICKS.findall(text)}
    ticks = "`" * next(length for length in count(1) if length not in runs)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{gap}{text}{gap}{ticks}"


@cache
def environment() -> ImmutableSandboxedEnvironment:
    """Strict about undefined names, no escaping, no files, no chance; a block tag's own line leaves nothing."""
    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[_VerbatimSlot],
    )
    # The same data must give the same prompt.
    del made.filters["random"]
    del made.globals["lipsum"]
    made.filters["fenced"] = fenced
    made.filters["code"] = code
    return made


@lru_cache(maxsize=32)
def load(text: str, name: str) -> Template:
    """A template that can be rendered; `name` stands in tracebacks as its file. Raises TemplateSyntaxError.

    Compiled once: a wave renders the same few texts again and again, and compiling takes ten times as long.
    """
    made = environment()
    return Template.from_code(made, made.compile(text, name, name), dict(made.globals))
