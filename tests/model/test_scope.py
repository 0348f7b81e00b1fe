"""The scope algebra, as tables of cases."""

from __future__ import annotations

import pytest

from orchestrator.model.scope import (
    canonical,
    claims,
    covering,
    covers,
    expand,
    expressions,
    is_literal,
    may_meet,
    scope_fault,
)
from tests.support.model_nouns import paths, spec


@pytest.mark.parametrize(
    ("written", "one_spelling"),
    [
        ("src/a.js", "src/a.js"),
        ("./src//a.js", "src/a.js"),
        ("src\\a.js", "src/a.js"),
        (" src/a.js ", "src/a.js"),
        ("src/./lib/", "src/lib/"),
        ("src/.", "src/"),
        ("src//", "src/"),
        ("", ""),
        (".", "."),
        ("./", "."),
        ("/", "/"),
        ("/etc//passwd", "/etc/passwd"),
        ("../x", "../x"),
        ("a/../b", "a/../b"),
        ("Src/A.js", "Src/A.js"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        ("[id].tsx", "[id].tsx"),
        ("-rf", "-rf"),
    ],
)
def test_a_path_has_one_spelling(written: str, one_spelling: str) -> None:
    assert canonical(written) == one_spelling
    assert canonical(one_spelling) == one_spelling


WHOLE_TREE = "claims the whole tree, which only an explicit `**` does"
ABSOLUTE = "is absolute; paths count from the repository's top folder"


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("src/a.py", None),
        ("src/", None),
        ("**", None),
        ("*", None),
        ("**/*.py", None),
        ("-rf", None),
        (".github/workflows/ci.yml", None),
        (".gitignore", None),
        ("with blank.py", None),
        ("planning.md", None),
        ("docs/planning/x.md", None),
        ("a{b}c{d", None),
        ("..a/b..", None),
        ("", "is empty"),
        ("  ", "is empty"),
        (".", WHOLE_TREE),
        ("./", WHOLE_TREE),
        ("{.,a}", WHOLE_TREE),
        ("{,a}", WHOLE_TREE),
        ("..", "leads upwards with `..`"),
        ("a/../b", "leads upwards with `..`"),
        ("a\\..\\b", "leads upwards with `..`"),
        ("{..,a}/b", "leads upwards with `..`"),
        ("/etc/passwd", ABSOLUTE),
        ("~/x", ABSOLUTE),
        ("C:\\x", ABSOLUTE),
        (".git/config", "lies in git's own folder"),
        ("sub/.GIT/hooks/", "lies in git's own folder"),
        ("planning/STATE_5.md", "lies under `planning/`, which no task changes"),
        ("Planning/", "lies under `planning/`, which no task changes"),
        ("a\0b", "holds a control character"),
        ("a\nb", "holds a control character"),
        ("{a,b}" * 9, "stands for more than 256 paths"),
    ],
)
def test_what_may_stand_in_a_scope(pattern: str, fault: str | None) -> None:
    assert scope_fault(pattern) == fault


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("src/a.py", ["src/a.py"], ["src/a.pyc", "src/b.py", "src/a.py/x", "Src/a.py", "a.py"]),
        ("src/", ["src/a.py", "src/x/y/z", "src/.hidden"], ["src", "srcx/a", "Src/a", "lib/src/a"]),
        ("src/*.py", ["src/a.py", "src/.py"], ["src/x/a.py", "src/a.pyc", "src/"]),
        ("src/?.py", ["src/a.py", "src/é.py"], ["src/ab.py", "src/.py"]),
        ("*", ["README.md", ".env"], ["a/b"]),
        ("*/x", ["a/x"], ["x", "/x", "a/b/x"]),
        ("**", ["a", "a/b", ".x/y"], [""]),
        ("**/*.py", ["a.py", "a/b.py", "a/b/c.py"], ["a.pyc"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "srcx/a"]),
        ("src/**/b.py", ["src/b.py", "src/a/b.py", "src/a/c/b.py"], ["src/ab.py", "b.py"]),
        ("src/**.py", ["src/a.py", "src/x/a.py"], ["src/a.js"]),
        ("a**b", ["ab", "axb", "a/x/b"], ["a/x/c"]),
        ("{src,lib}/a.py", ["src/a.py", "lib/a.py"], ["{src,lib}/a.py", "x/a.py"]),
        ("engine{,.adversarial}.test.ts", ["engine.test.ts", "engine.adversarial.test.ts"], ["engine.x.test.ts"]),
        ("{a,{b,c}d}e", ["ae", "bde", "cde"], ["be"]),
        ("{a/b,c}/d", ["a/b/d", "c/d"], ["a/d"]),
        ("src/{a}.py", ["src/{a}.py"], ["src/a.py"]),
        ("src/{a,b", ["src/{a,b"], ["src/a"]),
        ("[id].tsx", ["[id].tsx"], ["i.tsx", "d.tsx"]),
        ("app/[[...slug]]/page.tsx", ["app/[[...slug]]/page.tsx"], ["app/s/page.tsx"]),
        ("./src//a.py", ["src/a.py"], ["./src//a.py"]),
        ("src\\a.py", ["src/a.py"], ["src\\a.py"]),
        ("src/", ["src/a\\b"], ["src\\b"]),
        ("cafe\u0301/x", ["caf\u00e9/x", "cafe\u0301/x"], ["cafe/x"]),
        ("a.py", ["a.py"], ["axpy"]),
        ("a+(b)|c$.py", ["a+(b)|c$.py"], ["aab.py"]),
    ],
)
def test_what_a_pattern_covers(pattern: str, inside: list[str], outside: list[str]) -> None:
    assert [path for path in (*inside, *outside) if covers(paths(pattern), path)] == inside


def test_expressions_for_other_programs_hold_no_repeated_group_and_leave_out_what_wildcards_do_not_stand_for() -> None:
    assert expressions("**/a.b/*{c,?}/", '"') == (
        r'(?:|[^\x00"]*/)a\.b/[^\x00/"]*c/[^\x00/"][^\x00"]*',
        r'(?:|[^\x00"]*/)a\.b/[^\x00/"]*[^\x00/"]/[^\x00/"][^\x00"]*',
    )


def test_a_worker_made_name_costs_no_more_than_its_length() -> None:
    assert not covers(paths("*a*a*a*a*a*a*a*a*a*b"), "a" * 240)


def test_the_pattern_that_covers_a_path_is_named() -> None:
    scope = paths("docs/", "src/*.py", "src/a.py")
    assert covering(scope, "src/a.py") is scope[1]
    assert covering(scope, "lib/a.py") is None


@pytest.mark.parametrize(
    ("a", "b", "meet"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "./src//a.py", True),
        ("src/a.py", "src\\a.py", True),
        ("src/a.py", "src/b.py", False),
        ("Src/X.js", "src/x.js", True),
        ("caf\u00e9", "CAFE\u0301", True),
        ("src/", "src/x", True),
        ("src", "src/x", True),
        ("src", "src/", True),
        ("src", "srcx/a", False),
        ("src/", "srcx/a", False),
        ("src/a", "src/ab", False),
        ("src/ui/**", "src/ui/mod.rs", True),
        ("src/*.js", "src/a.kt", False),
        ("src/*.js", "src/a.js", True),
        ("src/*.js", "docs/*.md", False),
        ("src/*.js", "src/x/a.js", False),
        ("src/*", "src/x/a.js", False),
        ("src", "src/*.js", True),
        ("*", "src/x", False),
        ("src/a*", "src/*b", True),
        ("src/a*c", "src/ab*", True),
        ("src/?", "src/??", False),
        ("**/a.py", "a.py", True),
        ("**/a.py", "x/y/a.py", True),
        ("**/a.py", "x/b.py", False),
        ("**/*.py", "docs/", True),
        ("a/**/z", "a/z", True),
        ("a/**/z", "b/**/z", False),
        ("**", "anything", True),
        ("{a,b}/x", "b/x", True),
        ("{a,b}/x", "c/x", False),
        ("[ab].js", "a.js", False),
        ("[ab].js", "[AB].js", True),
        ("a{b", "a{b", True),
        ("{a,b}" * 9, "a" * 9, True),
        ("x/" + "{a,b}" * 9, "y/z", False),
    ],
)
def test_whether_two_patterns_can_meet(a: str, b: str, meet: bool) -> None:
    assert (may_meet(a, b), may_meet(b, a)) == (meet, meet)


@pytest.mark.parametrize(
    ("pattern", "alternatives"),
    [
        ("a", ("a",)),
        ("{a,b}", ("a", "b")),
        ("{a,{b,c}}x{1,2}", ("ax1", "ax2", "bx1", "bx2", "cx1", "cx2")),
        ("{a,a}", ("a",)),
        ("{x}{a,b}", ("{x}a", "{x}b")),
        ("{a,b", ("{a,b",)),
        ("a}{b,c}", ("a}b", "a}c")),
        ("{a,b}" * 9, ()),
    ],
)
def test_braces_stand_for_each_of_their_parts(pattern: str, alternatives: tuple[str, ...]) -> None:
    assert expand(pattern) == alternatives


def test_only_a_plain_path_is_literal() -> None:
    patterns = ["a/b.py", "[id].tsx", "a{b}", "a/", "*.py", "a?", "{a,b}", "**"]
    assert [pattern for pattern in patterns if is_literal(pattern)] == ["a/b.py", "[id].tsx", "a{b}"]


def test_a_task_claims_what_it_edits_creates_and_deletes_but_not_its_scratch() -> None:
    task = spec(edit="a", create="b", can_delete=paths("c"), scratch=paths("d"))
    assert [path.pattern for path in claims(task)] == ["a", "b", "c"]
