"""A path put into a scope field stands in the field's own form, and nothing else changes."""

from __future__ import annotations

import pytest

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.scope_edits import add_paths
from orchestrator.markdown.document import Document

HEAD = "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | T1-parse |\n\n### T1-parse — T\n\n"


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("- **Must edit:** `a.py`\n", "- **Must edit:** `a.py`, `b.py`\n"),
        ("Must edit: `a.py`\n", "Must edit: `a.py`, `b.py`\n"),
        (
            "- files-in-scope:\n  - must edit: none\n  - temp: `t/`\n",
            "- files-in-scope:\n  - must edit: `b.py`\n  - temp: `t/`\n",
        ),
        ("- Must edit:\n  - `a.py`\n", "- Must edit:\n  - `a.py`\n  - `b.py`\n"),
        (
            "| Field | Value |\n| --- | --- |\n| Must edit | `a.py` |\n",
            "| Field | Value |\n| --- | --- |\n| Must edit | `a.py`, `b.py` |\n",
        ),
        (
            "| Field | Value |\n| --- | --- |\n| Must edit | `a.py`<br>`c.py` |\n",
            "| Field | Value |\n| --- | --- |\n| Must edit | `a.py`<br>`c.py`, `b.py` |\n",
        ),
    ],
)
def test_a_path_is_added_in_the_form_of_the_field(field: str, changed: str) -> None:
    for ending in ("\n", "\r\n"):
        doc = Document.parse((HEAD + field).replace("\n", ending), "plan.md")
        (spec,) = read_plan(doc, 5).value.specs
        new = add_paths(doc, spec, "must edit", ["b.py"])
        assert new.text == (HEAD + changed).replace("\n", ending)
        paths = [path.pattern for path in read_plan(new, 5).value.specs[0].must_edit]
        assert paths == [*(path.pattern for path in spec.must_edit), "b.py"]
