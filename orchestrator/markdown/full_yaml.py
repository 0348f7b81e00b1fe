"""The general reader of front matter: PyYAML's nodes, every scalar as a string, spans from its marks.

Owns the use of PyYAML, loaded only when this reader is needed. Its errors come out as places and words; the way to
a Problem is the front matter's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.markdown.source import Span
from orchestrator.markdown.values import NULLS, Entry, Value
from orchestrator.patterns import regex

if TYPE_CHECKING:
    import yaml

ALIAS = "an unquoted `*` begins a YAML alias"
QUOTE = "put the value in quotes"
_MAX_DEPTH = 50
_BRACKET = regex(r"[\[\]{}]")
_MAX_BRACKETS = 200
"""Open at once, those in quotes included: what is open is gone through anew for every word."""
_LONGEST = 32_768
"""Characters, for which the library takes a third of a second; what people write takes some hundreds."""


class YamlFault(Exception):
    """Why the text can't be read, where (offset into it), and what would help. `is_long`: it wasn't tried."""

    def __init__(self, message: str, offset: int, hint: str, *, is_long: bool = False) -> None:
        super().__init__(message)
        self.is_long = is_long
        self.message = message
        self.offset = offset
        self.hint = hint


def read_full(body: str, offset: int) -> list[Entry]:
    """The entries of a YAML mapping, spans shifted by `offset`; a key that comes twice is there twice.

    Raises YamlFault for broken YAML, aliases and anything that isn't a mapping.
    """
    if len(body) > _LONGEST:
        message = (
            f"front matter of {len(body):,} characters; beyond {_LONGEST:,} only plain `key: value` lines are read"
        )
        raise YamlFault(message, offset, "move long text below it", is_long=True)
    depth = 0
    for bracket in _BRACKET.finditer(body):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > _MAX_BRACKETS:
            raise YamlFault("too deeply nested", offset + bracket.start(), "use fewer levels")
    # PyYAML costs more than all the rest of a read: plain front matter, the usual case, never comes here.
    import yaml

    class Strict(yaml.BaseLoader):
        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise YamlFault(ALIAS, mark.index, QUOTE)
            return super().compose_node(parent, index)

    try:
        node = Strict(body).get_single_node()
        if node is None:
            return []
        if not isinstance(node, yaml.MappingNode):
            hint = "write each value as `key: value`"
            raise YamlFault("front matter must be `key: value` lines", node.start_mark.index, hint)
        return [_entry(key, value, body, offset, 0) for key, value in node.value]
    except YamlFault as fault:
        raise YamlFault(fault.message, offset + fault.offset, fault.hint) from None
    except yaml.reader.ReaderError as error:
        place = error.position if isinstance(error.position, int) else 0
        message = f"the character U+{ord(body[place]):04X}, which YAML doesn't allow"
        raise YamlFault(message, offset + place, "take it out, or escape it in double quotes") from None
    except yaml.MarkedYAMLError as error:
        raise _fault(error, body, offset) from None
    except RecursionError:
        raise YamlFault("too deeply nested", offset, "use fewer levels") from None


def _fault(error: yaml.MarkedYAMLError, body: str, offset: int) -> YamlFault:
    problem = (error.problem or "broken YAML").strip()
    context = error.context or ""
    mark = error.problem_mark or error.context_mark
    # A key without colon, a quote without end: the place to look at is where they begin.
    if error.context_mark is not None and ("alias" in context or "expected ':'" in problem or "quoted" in context):
        mark = error.context_mark
    never_closed = "<stream end>" in problem and error.context_mark is not None and "flow" in context
    if never_closed:
        mark = error.context_mark
    place = min(mark.index, len(body)) if mark else 0
    if never_closed:
        return YamlFault(f"a `{body[place : place + 1]}` that is never closed", offset + place, "close it, or " + QUOTE)
    if "alias" in context:
        return YamlFault(ALIAS, offset + place, QUOTE)
    if "mapping values are not allowed" in problem:
        return YamlFault("a second `: ` in one value", offset + place, QUOTE)
    if "cannot start any token" in problem:
        char = body[place : place + 1]
        if char == "\t":
            return YamlFault("a tab where YAML wants spaces", offset + place, "use spaces")
        return YamlFault(f"a value can't begin with `{char}`", offset + place, QUOTE)
    if "expected ':'" in problem:
        return YamlFault(
            "a line that is neither `key: value` nor goes on with a value", offset + place, "add the colon, or quotes"
        )
    if "quoted" in context:
        return YamlFault("a quote that never ends", offset + place, "close it on the same line")
    return YamlFault(f"broken YAML: {problem}", offset + place, "put values with special characters in quotes")


def _entry(key: yaml.Node, node: yaml.Node, body: str, offset: int, depth: int) -> Entry:
    import yaml

    if not isinstance(key, yaml.ScalarNode):
        raise YamlFault("a key must be a word", key.start_mark.index, "use a plain word as key")
    value, span, inner = _value(node, body, offset, depth)
    return Entry(str(key.value), _span(key, offset), value, span, inner)


def _span(node: yaml.Node, offset: int) -> Span:
    return Span(offset + node.start_mark.index, offset + node.end_mark.index)


def _value(node: yaml.Node, body: str, offset: int, depth: int) -> tuple[Value, Span, tuple[Entry, ...]]:
    import yaml

    span = _span(node, offset)
    if depth > _MAX_DEPTH:
        raise YamlFault("too deeply nested", node.start_mark.index, "use fewer levels")
    if isinstance(node, yaml.ScalarNode):
        if node.style in ("|", ">"):
            # The end mark of a block scalar lies at the start of what comes next.
            covered = body[span.start - offset : span.end - offset]
            span = Span(span.start, span.start + len(covered.rstrip()))
        text = str(node.value)
        return ("" if node.style is None and text in NULLS else text), span, ()
    if isinstance(node, yaml.SequenceNode):
        inner = []
        for number, one in enumerate(node.value):
            value, place, below = _value(one, body, offset, depth + 1)
            inner.append(Entry(str(number), place, value, place, below))
        if not node.flow_style and inner:
            span = Span(span.start, inner[-1].span.end)
        return tuple(entry.value for entry in inner), span, tuple(inner)
    assert isinstance(node, yaml.MappingNode)
    pairs = [_entry(key, one, body, offset, depth + 1) for key, one in node.value]
    if not node.flow_style and pairs:
        span = Span(span.start, pairs[-1].span.end)
    return {entry.key: entry.value for entry in pairs}, span, tuple(pairs)
