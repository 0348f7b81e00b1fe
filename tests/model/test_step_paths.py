"""What a step does with the paths it names."""

from __future__ import annotations

import pytest

from orchestrator.model.step_paths import mentions


@pytest.mark.parametrize(
    ("step", "roles"),
    [
        # Changes.
        ("Create `pkg/a.go` with the `Trigger` type and its parser", {"pkg/a.go": "created"}),
        ("Call it from `ParseDefinition` in `pkg/b.go`", {"pkg/b.go": "edited"}),
        ("Create `t/a_test.go`: valid, empty, unknown kind (A1)", {"t/a_test.go": "created"}),
        ("Update `src/__init__.py` to re-export the new names.", {"src/__init__.py": "edited"}),
        ("Modify `a.py`, `b.py` and `c.py`", {"a.py": "edited", "b.py": "edited", "c.py": "edited"}),
        ("Edit src/a.py and README.md.", {"src/a.py": "edited", "README.md": "edited"}),
        ("Rename `a.py` to `b.py`", {"a.py": "edited", "b.py": "edited"}),
        ("Move `x` from `a.py` to `b.py`", {"a.py": "edited", "b.py": "edited"}),
        ("Delete `old.py`", {"old.py": "deleted"}),
        ("Remove `foo` from `a.py`", {"a.py": "edited"}),
        ("Create a helper in `a.py`", {"a.py": "edited"}),
        ("Export `X` from `index.ts`", {"index.ts": "edited"}),
        ("In `a.py`, add a function", {"a.py": "edited"}),
        ("`a.py`: add a function", {"a.py": "edited"}),
        ("`a.py` — add a function", {"a.py": "edited"}),
        ("**Update** `a.py:12-30`", {"a.py": "edited"}),
        ("A1: Replace the call in `a.py`", {"a.py": "edited"}),
        ("T068A [P] [US1] Add a field to `a.py`", {"a.py": "edited"}),
        ("First, edit `a.py`", {"a.py": "edited"}),
        ("New `a.py`", {"a.py": "created"}),
        ("Write tests in t/a.py; then edit src/z.py", {"t/a.py": "edited", "src/z.py": "edited"}),
        ("Add tests for `a.py` in `t/test_a.py`", {"a.py": "named", "t/test_a.py": "edited"}),
        ("Add a link to `docs/x.md` in `README.md`", {"docs/x.md": "named", "README.md": "edited"}),
        # Reading, and what comes after it.
        ("Read the helpers in `a.py`", {"a.py": "read"}),
        ("Look at `a.py` and check `b.py`", {"a.py": "read", "b.py": "read"}),
        ("Verify that adding works in `a.py`", {"a.py": "read"}),
        ("Read `a.py` and update `b.py`", {"a.py": "read", "b.py": "edited"}),
        ("Read `a.py`, then fix the parser in `b.py`", {"a.py": "read", "b.py": "edited"}),
        ("Check create and update paths in `a.py`", {"a.py": "read"}),
        # Commands.
        ("Run `pytest tests/a.py`", {}),
        ("Run the linter on `src/a.py`", {"src/a.py": "run"}),
        ("Build `web/app`", {"web/app": "run"}),
        # Talk.
        ("Update `a.py` following the pattern in `b.py`", {"a.py": "edited", "b.py": "named"}),
        ("Add a function to `a.py` like the one in `b.py`", {"a.py": "edited", "b.py": "named"}),
        ("Update `a.py` (see `b.md`)", {"a.py": "edited", "b.md": "named"}),
        (
            "Update `a.py` (e.g. as `b.md` says) and the index in `c.py`",
            {"a.py": "edited", "b.md": "named", "c.py": "edited"},
        ),
        ("Update `a.py` without changing `b.py`", {"a.py": "edited", "b.py": "named"}),
        ("Replace calls in `a.py` with the helper from `b.py`", {"a.py": "edited", "b.py": "named"}),
        ("Update `a.py` or `b.py`", {"a.py": "edited", "b.py": "named"}),
        ("Add tests for the parser in `a.py`", {"a.py": "named"}),
        ("Add a command to scaffold `a.yaml`", {"a.yaml": "named"}),
        ("Do not touch `a.py`", {"a.py": "named"}),
        ("Never edit `a.py`", {"a.py": "named"}),
        ("Don't change `a.py`", {"a.py": "named"}),
        ("Leave `a.py` unchanged", {"a.py": "named"}),
        ("Handle the flow — a.md has a section", {"a.md": "named"}),
        ("`a.py` gains two fields", {"a.py": "named"}),
        ("Implement the routes (DELETE `x/y.md`)", {"x/y.md": "named"}),
        ("`a.py`", {"a.py": "named"}),
        ("`a.py` を更新する", {"a.py": "named"}),
        ("No path here", {}),
    ],
)
def test_the_verb_that_governs_a_path_says_what_is_done_with_it(step: str, roles: dict[str, str]) -> None:
    assert {mention.path.path: str(mention.role) for mention in mentions(step)} == roles


def test_each_nested_item_stands_for_itself_and_wrapped_lines_belong_together() -> None:
    step = (
        "Create `a.py` with:\n"
        "- [ ] `parse()`: reads `fixtures/x.json`\n"
        "- [ ] Update `b.py`\n"
        "  - Converts what `c.py` returns, so that we can\n"
        "    update `d.py` later\n"
    )
    assert [(mention.path.path, str(mention.role)) for mention in mentions(step)] == [
        ("a.py", "created"),
        ("fixtures/x.json", "named"),
        ("b.py", "edited"),
        ("c.py", "named"),
        ("d.py", "named"),
    ]


def test_what_stands_in_a_fence_is_no_instruction() -> None:
    step = "Create `a.py`:\n```sh\nedit src/b.py\n```\nand delete `c.py`\n~~~\ndelete d.py"
    assert [(mention.path.path, str(mention.role)) for mention in mentions(step)] == [
        ("a.py", "created"),
        ("c.py", "deleted"),
    ]


def test_a_hostile_step_costs_no_more_than_its_length() -> None:
    for text in ("`" * 3000, "[" * 5000, "[a](" * 3000, "add src/a.py " * 2000, "(" * 8000, "a:" * 5000):
        mentions(f"Edit {text}")
