"""What looks like a path in prose."""

from __future__ import annotations

import pytest

from orchestrator.model.paths_in_text import path_of, paths_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Edit `src/a.py` now", ["src/a.py"]),
        ("Edit src/a.py, README.md and docs/x.rst.", ["src/a.py", "README.md", "docs/x.rst"]),
        ("in `pkg/jobdef` and `lib/`", ["pkg/jobdef", "lib/"]),
        ("`Makefile`, `go.mod`, Dockerfile", ["Makefile", "go.mod", "Dockerfile"]),
        (
            "`src/a.py:12`, `src/b.py:12-30`, `src/c.py#L3`, `t/d.py::test_x`",
            ["src/a.py", "src/b.py", "src/c.py", "t/d.py"],
        ),
        ("`./src//a.py` and `src\\b.py`", ["src/a.py", "src/b.py"]),
        ("`app/[id]/page.tsx` and `src/*.py` and `{a,b}/c.ts`", ["app/[id]/page.tsx", "src/*.py", "{a,b}/c.ts"]),
        ("see [the guide](docs/guide.md)", ["docs/guide.md"]),
        ("**src/a.py** and _src/b.py_ and __init__.py", ["src/a.py", "src/b.py", "__init__.py"]),
        ("(src/a.py)", ["src/a.py"]),
        ("`.gitignore` and `.github/workflows/ci.yml`", [".github/workflows/ci.yml"]),
        ("and/or, read/write, 24/7, USD/RUB", []),
        ("Node.js, next.js, `Vue.js`, e.g. this, i.e. that, 3.11", []),
        ("`https://example.org/a.py` and https://example.org/b.py", []),
        ("`/etc/passwd`, `~/x.py`, `$HOME/x.py`, `@scope/pkg`", []),
        ("`python -m pytest tests/a.py`", []),
        ("`--flag`, `-x`, `a()`, `List[str]`, `x = y`, `foo.bar`, `np.array`", []),
        ("`../up.py` and `a/../b.py`", []),
        ("`src/.../x.py`", []),
        ("`*` and `**` and `*/`", []),
        ("`blame.Cmd` and `README.MD`", ["README.MD"]),
        ("", []),
    ],
)
def test_paths_are_told_from_words(text: str, found: list[str]) -> None:
    assert [each.path for each in paths_in(text)] == found


def test_a_path_knows_where_it_stands_and_how_it_was_written() -> None:
    first, second = paths_in("Edit `./a.py:3` or **b.py**")
    assert (first.written, first.path, first.start, first.is_quoted) == ("./a.py:3", "a.py", 5, True)
    assert (second.written, second.path, second.start, second.is_quoted) == ("b.py", "b.py", 21, False)


@pytest.mark.parametrize(
    ("word", "has_suffix", "is_bare_name"),
    [("`a.py`", True, True), ("`src/a.py`", True, False), ("`pkg/jobdef`", False, False), ("`Makefile`", True, True)],
)
def test_what_is_known_of_a_path(word: str, has_suffix: bool, is_bare_name: bool) -> None:
    (path,) = paths_in(word)
    assert (path.has_suffix, path.is_bare_name) == (has_suffix, is_bare_name)


def test_what_can_be_no_path_is_empty() -> None:
    words = ["", " ", "-x", "a b", "x=1", "C:\\x", "http://x/y", "..", ".", "./", "a/../b"]
    assert [path_of(word) for word in words] == [""] * len(words)
