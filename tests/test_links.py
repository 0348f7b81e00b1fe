"""The project's documents: every link leads somewhere, every path they name exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)? *$", re.MULTILINE)
FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]*`")
MODULE = re.compile(r"`((?:orchestrator|tests|templates|docs|benchmarks)/[\w./-]+)`")


def documents() -> Iterator[Path]:
    yield from sorted(ROOT.glob("*.md"))
    yield from sorted((ROOT / "docs").rglob("*.md"))


def anchors(path: Path) -> set[str]:
    """The fragments by which the headings of a document are linked to."""
    found = set()
    for title in HEADING.findall(FENCE.sub("", path.read_text())):
        words = re.sub(r"[^\w\- ]", "", title.lower())
        found.add(words.replace(" ", "-"))
    return found


def test_every_link_of_the_documents_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for path in documents():
        for target in LINK.findall(CODE_SPAN.sub("", FENCE.sub("", path.read_text()))):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, fragment = target.partition("#")
            there = (path.parent / name).resolve() if name else path
            if not there.exists() or (fragment and fragment not in anchors(there)):
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_every_path_of_the_project_that_a_document_names_exists() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in documents()
        for name in MODULE.findall(FENCE.sub("", path.read_text()))
        # A stem in capitals stands for a name to choose.
        if not (ROOT / name).exists() and not Path(name).stem.isupper()
    ]
    assert missing == []


def test_the_readme_marks_the_commands_that_are_run_as_pasted() -> None:
    text = (ROOT / "README.md").read_text()
    for marker in ("test-command", "demo-command"):
        assert len(re.findall(rf"<!-- {marker} -->\n```sh\n.+\n```\n", text)) == 1, marker
