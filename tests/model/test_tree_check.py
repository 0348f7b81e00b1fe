"""What the tree at the fork says about a plan."""

from __future__ import annotations

from orchestrator.model.plan import Plan, Reference
from orchestrator.model.tree_check import check_against_tree
from tests.support.model_nouns import paths, place, plan, shown, spec

TREE = {"src/a.py": "def parse(): pass", "src/b.py": "", "docs/x.md": "", "cache/x": ""}


def exists(path: str) -> bool:
    return path in TREE or any(name.startswith(f"{path}/") for name in TREE)


def problems_of(whole: Plan) -> list[str]:
    found = check_against_tree(whole, exists, lambda path, text: text in TREE.get(path, ""))
    assert all(problem.hint and problem.subject for problem in found)
    return [shown(problem) for problem in found]


def test_a_plan_that_fits_the_tree() -> None:
    whole = spec(
        edit="src/a.py src/ docs/*.md **/*.zig",
        create="src/new.py docs/",
        scratch=paths(".dev/"),
        anchors=(Reference("`def parse` in `src/a.py` (~1)", "src/a.py", place(13)),),
        references=(Reference("as in `src/b.py`", "src/b.py"), Reference("the wiki")),
    )
    assert problems_of(plan(whole)) == []


def test_what_does_not_fit() -> None:
    whole = spec(
        must_edit=paths("src/gone.py", "lib/", line=11),
        can_create=paths("src/b.py", line=12),
        scratch=paths("cache/", line=15),
        anchors=(
            Reference("`def read` in `src/a.py` (~1)", "src/a.py", place(13)),
            Reference("`x` in `src/c.py`", "src/c.py", place(13, 30)),
        ),
        references=(Reference("`docs/y.md`", "docs/y.md", place(14)),),
    )
    assert problems_of(plan(whole)) == [
        "11:1 warning must-edit-missing: `src/gone.py`, which task 5.1.a must edit, doesn't exist",
        "11:2 warning must-edit-missing: `lib/`, which task 5.1.a must edit, doesn't exist",
        "12:1 warning can-create-exists: `src/b.py`, which task 5.1.a can create, exists already",
        "15:1 item scratch-tracked: `cache/`, scratch of task 5.1.a, is tracked by git",
        "13:1 warning anchor-not-found: the anchor `def read` of task 5.1.a isn't found in `src/a.py`",
        "13:30 warning anchor-missing: `src/c.py`, an anchor of task 5.1.a, doesn't exist",
        "14:1 warning reference-missing: `docs/y.md`, a reference of task 5.1.a, doesn't exist",
    ]


def test_what_an_earlier_wave_may_make_or_delete_is_not_judged_by_the_fork() -> None:
    first = spec("1.a", create="src/new.py lib/", edit="src/a.py", can_delete=paths("src/b.py"))
    second = spec(
        "2.a",
        edit="src/new.py lib/",
        create="src/b.py",
        anchors=(Reference("`def new` in `src/a.py`", "src/a.py"),),
        references=(Reference("`lib/x.py`", "lib/x.py"),),
    )
    assert problems_of(plan(first, second)) == []
    same_wave = spec("1.b", edit="src/new.py")
    assert problems_of(plan(first, same_wave)) == [
        "10:1 warning must-edit-missing: `src/new.py`, which task 5.1.b must edit, doesn't exist"
    ]
