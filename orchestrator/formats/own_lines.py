"""A worker's todo file masked, with the lines of orch's own file as they stand there.

What a person wrote into orch's file is no secret that comes in from outside: it must neither be replaced by the mask,
nor count as changed by a worker that was shown the mask in its place.
"""

from __future__ import annotations

from collections.abc import Callable

from orchestrator.patterns import regex

_LEAD = regex(r"\s*(?:[-*+]\s+\[.\]\s+)?")
"""What a worker changes on a line that it only ticks."""


def masked_but_own(text: str, own: str, mask: Callable[[str], str]) -> str:
    """The text masked, but for lines that `own` has too, as they are or masked: these come as `own` has them.

    Boxes and the spaces in front of a line are the text's.
    """
    forms = _masked_lines(own, mask)
    if not forms:
        return mask(text)
    pieces: list[str] = []
    foreign: list[str] = []
    for line in text.split("\n"):
        lead, body = _parted(line)
        known = forms.get(mask(body))
        if not known:
            foreign.append(line)
            continue
        if foreign:
            # Together: a key may take several lines.
            pieces.append(mask("\n".join(foreign)))
            foreign = []
        at = known.index(body) if body in known else 0
        pieces.append(lead + (known.pop(at) if len(known) > 1 else known[at]))
    if foreign:
        pieces.append(mask("\n".join(foreign)))
    return "\n".join(pieces)


def _masked_lines(own: str, mask: Callable[[str], str]) -> dict[str, list[str]]:
    """Masked line → the lines that look so when they are masked, in their order. Only lines that masking changes."""
    forms: dict[str, list[str]] = {}
    if mask(own) == own:
        return forms
    for line in own.split("\n"):
        body = _parted(line)[1]
        hidden = mask(body)
        if hidden != body:
            forms.setdefault(hidden, []).append(body)
    return forms


def _parted(line: str) -> tuple[str, str]:
    found = _LEAD.match(line)
    end = found.end() if found else 0
    return line[:end], line[end:]
