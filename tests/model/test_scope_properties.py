"""The scope algebra against a slow and simple model: regular expressions, and trying every path there is."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st

from orchestrator.model.scope import canonical, covers, expand, expressions, fold, is_literal, may_meet, scope_fault
from tests.support.model_nouns import paths

LETTERS = "ab"
SEGMENTS = ["".join(letters) for length in (1, 2) for letters in product(LETTERS, repeat=length)]
WORLD = [
    "/".join(segments)
    for depth in (1, 2, 3)
    for segments in product(SEGMENTS if depth < 3 else SEGMENTS[:4], repeat=depth)
]
"""Every path of up to three short segments over a small alphabet."""

segment = st.sampled_from(["a", "b", "ab", "*", "?", "a*", "*b", "**", "{a,b}", "a{,b}", "{a,*}", "?b", "B"])
pattern = st.builds(
    lambda parts, end: "/".join(parts) + end,
    st.lists(segment, min_size=1, max_size=3),
    st.sampled_from(["", "/", "/**"]),
)


def as_regex(text: str) -> re.Pattern[str]:
    """The pattern as a regular expression, by the words of the file format."""
    out = ""
    depth = 0
    index = 0
    if text.endswith("/"):
        text += "**"
    while index < len(text):
        rest = text[index:]
        at_start = index == 0 or text[index - 1] == "/"
        if rest.startswith("**/") and at_start:
            out += "(?:.*/)?"
            index += 3
        elif rest.startswith("**"):
            out += ".+" if at_start else ".*"
            index += 2
        elif rest[0] == "*":
            alone = at_start and (len(rest) == 1 or rest[1] == "/")
            out += "[^/]+" if alone else "[^/]*"
            index += 1
        else:
            character = rest[0]
            depth += {"{": 1, "}": -1}.get(character, 0)
            if character == "?":
                out += "[^/]"
            elif character in "{}":
                out += {"{": "(?:", "}": ")"}[character]
            elif character == "," and depth:
                out += "|"
            else:
                out += re.escape(character)
            index += 1
    return re.compile(out, re.DOTALL)


@given(pattern)
@settings(max_examples=60)
def test_membership_is_what_the_regular_expression_says(text: str) -> None:
    expected = as_regex(text)
    assert [path for path in WORLD if covers(paths(text), path)] == [path for path in WORLD if expected.fullmatch(path)]


@given(pattern)
def test_the_expressions_for_other_programs_match_what_the_pattern_covers(text: str) -> None:
    written = [re.compile(one) for one in expressions(text)]
    matched = [path for path in WORLD if any(one.fullmatch(path) for one in written)]
    assert matched == [path for path in WORLD if covers(paths(text), path)]


@given(pattern, pattern)
@settings(max_examples=150)
def test_two_patterns_that_share_a_path_are_never_said_not_to_meet(a: str, b: str) -> None:
    one, other = as_regex(fold(a)), as_regex(fold(b))
    if any(one.fullmatch(path) and other.fullmatch(path) for path in WORLD):
        assert may_meet(a, b)


@given(pattern, pattern)
@settings(max_examples=150)
def test_two_patterns_said_to_meet_share_a_path_or_one_lies_beneath_the_other(a: str, b: str) -> None:
    if may_meet(a, b):
        one, other = as_regex(fold(a)), as_regex(fold(b))
        mine = [path for path in WORLD if one.fullmatch(path)]
        theirs = [path for path in WORLD if other.fullmatch(path)]
        related = any(x == y or y.startswith(f"{x}/") or x.startswith(f"{y}/") for x in mine for y in theirs)
        # Deeper paths than the small world holds are the only excuse.
        assert related or max(a.count("/"), b.count("/")) + a.count("**") + b.count("**") > 2


@given(pattern, pattern)
def test_meeting_has_no_direction(a: str, b: str) -> None:
    assert may_meet(a, b) == may_meet(b, a)


@given(pattern)
def test_every_pattern_meets_itself_and_the_whole_tree(text: str) -> None:
    assert may_meet(text, text)
    assert may_meet(text, "**")


@given(st.text(alphabet="aB./\\*{},? \u0301é\n", max_size=12))
@example(".\\ ?")
def test_one_spelling_is_final_and_nothing_raises(text: str) -> None:
    once = canonical(text)
    assert canonical(once) == once
    scope_fault(text)
    may_meet(text, once)
    covers(paths(text), text)
    if not scope_fault(text) and is_literal(once):
        assert covers(paths(text), once)


@given(pattern)
@settings(max_examples=50)
def test_alternatives_cover_together_what_the_braces_cover(text: str) -> None:
    assert [path for path in WORLD if covers(paths(text), path)] == [
        path for path in WORLD if covers(paths(*expand(canonical(text))), path)
    ]
