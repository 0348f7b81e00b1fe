"""The known word that a misspelt one is likely to stand for. Owns the measure; knows no list of words."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str], *, slips: int = 2) -> str:
    """The closest of `known`, or "" where none is close enough to be meant.

    Up to four letters one slip is forgiven, above that `slips`; an exchange of two neighbours is one slip.
    """
    folded = word.casefold()
    limit = 1 if len(folded) <= 4 else slips
    best = ""
    for candidate in known:
        other = candidate.casefold()
        if abs(len(other) - len(folded)) > limit:
            continue
        away = distance(folded, other)
        if away <= limit and away < min(len(folded), len(other)):
            best, limit = candidate, away - 1
            if limit < 0:
                break
    return best


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest known word, or ""."""
    found = nearest(word, known)
    return f'did you mean "{found}"?' if found else ""


def distance(one: str, two: str) -> int:
    """How many letters must be put in, taken out, changed or exchanged with their neighbour."""
    two_above: list[int] = []
    above = list(range(len(two) + 1))
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(two, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (left != right))
            if i > 1 and j > 1 and left == two[j - 2] and one[i - 2] == right:
                cost = min(cost, two_above[j - 2] + 1)
            row.append(cost)
        two_above, above = above, row
    return above[-1]
