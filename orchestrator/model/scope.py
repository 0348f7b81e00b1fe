"""The scope algebra: canonical paths, what may stand in a scope, membership, and whether two patterns can meet.

A pattern is a literal path, `dir/` for everything beneath, `*` and `?` inside one segment, `**` across segments,
braces with a comma for alternatives; square brackets are literal. Membership is exact in letter case, overlap folds
it. Must know nothing of git, of the disk and of how a plan is written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from orchestrator.model.plan import ScopePath, Spec
from orchestrator.patterns import regex

PLANNING = "planning"
MOST_ALTERNATIVES = 256
"""How many paths the braces of one pattern may stand for."""

# The common case, told without taking a path apart: plain ASCII segments that don't start with a dot.
_IS_CANONICAL = regex(r"[\w{}*?\[\]@+-][\w{}*?\[\]@+.-]*(?:/[\w{}*?\[\]@+-][\w{}*?\[\]@+.-]*)*/?", re.ASCII)

# One token is (kind, character). The loops stay where they are on every character they take; _OPEN takes none and
# leads to the folders of a `**/` or past them.
_Token = tuple[str, str]
_CHAR, _ONE, _STAR, _DEEP, _OPEN = "char", "one", "star", "deep", "open"
_LOOPS = (_STAR, _DEEP)


def canonical(path: str) -> str:
    """The one spelling of a path or pattern: `/` for `\\`, no `.` segment, no doubled slash, Unicode form NFC.

    A slash at the end stays (it means a folder), a leading one too (it is a fault), `..` is left as it stands.
    What comes to nothing (`./`) is `.`, the whole tree; letter case isn't touched.
    """
    text = path.strip()
    if _IS_CANONICAL.fullmatch(text):
        return text
    text = unicodedata.normalize("NFC", text).replace("\\", "/")
    if not text:
        return ""
    segments = [segment for segment in text.split("/") if segment not in ("", ".")]
    if not segments:
        return "/" if text.startswith("/") else "."
    is_folder = text.endswith(("/", "/."))
    joined = ("/" if text.startswith("/") else "") + "/".join(segments) + ("/" if is_folder else "")
    # What was taken off may have laid bare a blank at either end.
    return joined if joined == path else canonical(joined)


@lru_cache(maxsize=8192)
def scope_fault(pattern: str) -> str | None:
    """Why `pattern` may not stand in a scope, as the end of a sentence that starts with it; None if it may."""
    path = canonical(pattern)
    if not path:
        return "is empty"
    if path == ".":
        return "claims the whole tree, which only an explicit `**` does"
    if not path.isprintable() and any(unicodedata.category(character) == "Cc" for character in path):
        return "holds a control character"
    alternatives = expand(path)
    if not alternatives:
        return f"stands for more than {MOST_ALTERNATIVES} paths"
    for alternative in alternatives:
        fault = _path_fault(alternative)
        if fault:
            return fault
    return None


def _path_fault(path: str) -> str | None:
    if path in ("", "."):
        return "claims the whole tree, which only an explicit `**` does"
    if path.startswith(("/", "~")) or (path[1:2] == ":" and path[0].isascii() and path[0].isalpha()):
        return "is absolute; paths count from the repository's top folder"
    segments = path.split("/")
    if ".." in segments:
        return "leads upwards with `..`"
    if any(segment.casefold() == ".git" for segment in segments):
        return "lies in git's own folder"
    if segments[0].casefold() == PLANNING:
        return f"lies under `{PLANNING}/`, which no task changes"
    return None


def is_literal(pattern: str) -> bool:
    """Whether a pattern names exactly one file: no folder, no wildcard, no alternatives."""
    return not pattern.endswith(("/", "\\")) and not _has_wildcard(pattern) and len(expand(pattern)) == 1


def claims(spec: Spec) -> tuple[ScopePath, ...]:
    """What a task holds against the others of its wave: must edit, can create and can delete, in this order."""
    return (*spec.must_edit, *spec.can_create, *spec.can_delete)


def covers(patterns: Iterable[ScopePath], path: str) -> bool:
    """Whether one of the patterns covers `path`, a path as git names it; letter case is exact.

    A backslash in `path` is a character of the file's name, never a separator.
    """
    return covering(patterns, path) is not None


def covering(patterns: Iterable[ScopePath], path: str) -> ScopePath | None:
    """The first of the patterns that covers `path`, or None."""
    name = unicodedata.normalize("NFC", path)
    literal = tuple((_CHAR, character) for character in name)
    for pattern in patterns:
        text = canonical(pattern.pattern)
        if text == name and is_literal(text):
            return pattern
        if any(_intersect(tokens, literal) for tokens in _compiled(text)):
            return pattern
    return None


def expressions(pattern: str, besides: str = "") -> tuple[str, ...]:
    """Regular expressions for other programs: a path that the pattern covers is matched whole by one of them.

    They hold no repeated group, which some programs don't take. besides: characters that no wildcard stands for.
    """
    deep, star = rf"[^\x00{besides}]*", rf"[^\x00/{besides}]*"
    written = {_ONE: star[:-1], _STAR: star, _DEEP: deep, _OPEN: "(?:|"}
    found = []
    for tokens in _compiled(canonical(pattern)):
        text = "".join(written.get(kind) or re.escape(character) for kind, character in tokens)
        # Behind an opening there is always its loop and the slash that closes it.
        found.append(text.replace(f"(?:|{deep}/", f"(?:|{deep}/)"))
    return tuple(found)


def may_meet(a: str, b: str) -> bool:
    """Whether two patterns could name one file, letter case folded; a literal path also meets what lies beneath it.

    Conservative: patterns with more alternatives than are allowed count as whatever their braces could hold.
    """
    return folded_may_meet(fold(a), fold(b))


def folded_may_meet(first: str, second: str) -> bool:
    """`may_meet` for patterns that went through `fold`, so that many of them are folded once."""
    if first == second:
        return True
    fixed = min(len(fixed_part(first)), len(fixed_part(second)))
    if first[:fixed] != second[:fixed]:
        return False
    ours, theirs = _alternatives(first), _alternatives(second)
    if any(_lies_beneath(x, y) or _lies_beneath(y, x) for x in ours for y in theirs):
        return True
    return any(_intersect(_tokens(x), _tokens(y)) for x in ours for y in theirs)


def _alternatives(pattern: str) -> tuple[str, ...]:
    return expand(pattern) or (pattern[: pattern.find("{")] + "**",)


def _lies_beneath(pattern: str, path: str) -> bool:
    """Whether all that `pattern` names lies beneath `path`, a literal one: a file and a file in it can't both be."""
    return not _has_wildcard(path) and pattern.startswith(f"{path.rstrip('/')}/")


def _has_wildcard(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern


def fold(pattern: str) -> str:
    """The canonical pattern with letter case folded, one character for one."""
    text = canonical(pattern)
    if text.isascii():
        return text.lower()
    folded = "".join(map(_fold_one, text))
    return unicodedata.normalize("NFC", folded)


def _fold_one(character: str) -> str:
    for form in (character.casefold(), character.lower()):
        if len(form) == 1:
            return form
    return character


@lru_cache(maxsize=4096)
def fixed_part(pattern: str) -> str:
    """The start of the pattern up to its first wildcard or brace, which all that it names share."""
    for index, character in enumerate(pattern):
        if character in "*?{":
            return pattern[:index]
    return pattern


@lru_cache(maxsize=4096)
def expand(pattern: str) -> tuple[str, ...]:
    """The pattern once for each choice of its braces; empty when there are more than MOST_ALTERNATIVES.

    Braces without a comma, and unbalanced ones, are literal.
    """
    if "{" not in pattern:
        return (pattern,)
    finished: list[str] = []
    waiting = [(pattern, 0)]
    while waiting:
        if len(finished) + len(waiting) > MOST_ALTERNATIVES:
            return ()
        text, start = waiting.pop()
        group = _first_group(text, start)
        if group is None:
            finished.append(text)
            continue
        begin, end, options = group
        # The last option is pushed first: the alternatives come out in the order they are written.
        waiting.extend((text[:begin] + option + text[end:], begin) for option in reversed(options))
    return tuple(dict.fromkeys(canonical(text) if text != pattern else text for text in finished))


def _first_group(text: str, start: int) -> tuple[int, int, list[str]] | None:
    for begin in range(start, len(text)):
        if text[begin] != "{":
            continue
        depth, cuts = 0, [begin]
        for index in range(begin, len(text)):
            depth += {"{": 1, "}": -1}.get(text[index], 0)
            if text[index] == "," and depth == 1:
                cuts.append(index)
            if depth == 0:
                if len(cuts) > 1:
                    cuts.append(index)
                    options = [text[cuts[n] + 1 : cuts[n + 1]] for n in range(len(cuts) - 1)]
                    return begin, index + 1, options
                break
    return None


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[tuple[_Token, ...], ...]:
    return tuple(_tokens(alternative) for alternative in expand(pattern))


@lru_cache(maxsize=4096)
def _tokens(pattern: str) -> tuple[_Token, ...]:
    """The tokens of a pattern whose braces are expanded (those left are literal)."""
    tokens: list[_Token] = []
    index = 0
    text = pattern + "**" if pattern.endswith("/") else pattern
    while index < len(text):
        character = text[index]
        if character == "*":
            end = index
            while end < len(text) and text[end] == "*":
                end += 1
            starts_segment = index == 0 or text[index - 1] == "/"
            if end - index == 1:
                # A segment is never empty: a lone `*` between slashes takes at least one character.
                if starts_segment and (end == len(text) or text[end] == "/"):
                    tokens.append((_ONE, ""))
                tokens.append((_STAR, ""))
            elif starts_segment and text[end : end + 1] == "/":
                tokens += [(_OPEN, ""), (_DEEP, ""), (_CHAR, "/")]
                end += 1
            else:
                if starts_segment and end == len(text):
                    tokens.append((_ONE, ""))
                tokens.append((_DEEP, ""))
            index = end
            continue
        tokens.append((_ONE, "") if character == "?" else (_CHAR, character))
        index += 1
    return tuple(tokens)


def _intersect(a: tuple[_Token, ...], b: tuple[_Token, ...]) -> bool:
    """Whether some text satisfies both: a walk over pairs of places, so never more work than len(a) × len(b)."""
    seen = {(0, 0)}
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        if i == len(a) and j == len(b):
            return True
        steps: list[tuple[int, int]] = []
        if i < len(a):
            steps += [(i + n, j) for n in _free(a[i])]
        if j < len(b):
            steps += [(i, j + n) for n in _free(b[j])]
        if i < len(a) and j < len(b) and _share_a_character(a[i], b[j]):
            steps.append((i + (a[i][0] not in _LOOPS), j + (b[j][0] not in _LOOPS)))
        for step in steps:
            if step not in seen:
                seen.add(step)
                waiting.append(step)
    return False


def _free(token: _Token) -> tuple[int, ...]:
    """How many tokens can be passed here without taking a character."""
    if token[0] == _OPEN:
        return (1, 3)
    return (1,) if token[0] in _LOOPS else ()


def _share_a_character(a: _Token, b: _Token) -> bool:
    if _OPEN in (a[0], b[0]):
        return False
    if a[0] == _CHAR and b[0] == _CHAR:
        return a[1] == b[1]
    return not any(one[0] == _CHAR and one[1] == "/" and other[0] in (_ONE, _STAR) for one, other in ((a, b), (b, a)))
