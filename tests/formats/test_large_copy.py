import pytest

from orchestrator.formats.large_copy import MOST, USUAL, shortened
from orchestrator.formats.task_file import read_micro_plan
from orchestrator.markdown.document import Document

HEAD = "# 1.1.1 — T\n\n## Goal\nDo it.\n\n## TODO items\n- [x] 1. Create `a.dat`\n- [ ] 2. Run `true`\n"
REPORT = "## Report\n- Status: done\n- Files: `a.dat`\n- Deviations: none\n- Gotchas: none\n"


def test_a_copy_of_usual_length_stays_as_it_is() -> None:
    text = f"{HEAD}\n## Notes\n{'x' * 20_000}\n\n## Own\n\n{REPORT}"
    assert shortened(text) == text


@pytest.mark.parametrize(
    "long",
    [
        "word\n" * 40_000,
        "x" * 200_000,
        "### h\ntext\n" * 20_000,
        "```\n" + "code\n" * 40_000,
        "<!--\n" + "a\n" * 90_000,
    ],
    ids=["lines", "one line", "headings", "an open fence", "an open comment"],
)
def test_of_a_long_one_each_part_is_cut_by_itself_and_the_others_read_the_same(long: str) -> None:
    # An open fence swallows what is behind it in the worker's own file too, so the report stands before it.
    text = f"{HEAD}\n{REPORT}\n## Notes\n{long}"
    assert len(text) > USUAL
    short = shortened(text)
    # What has to be quoted has a mark before every line.
    assert len(short) < MOST * 2.5
    before, after = (read_micro_plan(Document.parse(one)).value for one in (text, short))
    assert (after.heading, after.goal, after.report) == (before.heading, before.goal, before.report)
    assert [(step.text, step.mark) for step in after.steps] == [(step.text, step.mark) for step in before.steps]
    assert after.notes.endswith("more characters)")
    assert before.notes.startswith(after.notes.rpartition("\n\n(cut: ")[0])
