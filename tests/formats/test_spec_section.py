"""Fields of a spec: labels in any dress, aliases, values over several lines and in nested lists."""

from __future__ import annotations

from orchestrator.formats.plan_file import read_plan
from orchestrator.markdown.document import Document
from orchestrator.model.plan import Spec
from tests.support.planning import told


def spec(body: str) -> tuple[Spec, str]:
    text = f"## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | 5.1.1 |\n\n### 5.1.1 — T\n\n{body}"
    found = read_plan(Document.parse(text, "plan.md"), 5)
    return found.value.specs[0], told(found.problems)


def values(found: Spec) -> dict[str, object]:
    """What differs from a spec without any field."""
    empty = spec("")[0]
    names = [name for name in Spec.__slots__ if name not in ("text", "fields", "values", "at", "key", "title")]
    all_values = {name: _bare(getattr(found, name)) for name in names}
    return {name: value for name, value in all_values.items() if value != _bare(getattr(empty, name))}


def _bare(value: object) -> object:
    if isinstance(value, tuple):
        return [getattr(one, "pattern", getattr(one, "text", one)) for one in value]
    return value


def test_every_field_has_its_value() -> None:
    found, problems = spec(
        "- **Repo:** .\n- **Must edit:** `a.py`\n- **Can create:** `b.py`\n- **Can delete:** `c.py`\n"
        "- **Scratch:** `.tmp/`\n- **Anchors:** `f` in `a.py`, `g` in `b.py`; the end of `c.py`\n"
        "- **Reference:** `d.py`\n"
        "- **Acceptance:** it works\n- **Test:** `make test`\n- **Tier:** Mid\n- **Commit:** `fix: it`\n"
        "- **Theme:** API\n- **Plan section:** 3.2\n- **Source:** <https://example.org/1>\n- **Priority:** High\n"
        "- **Size:** 3\n- **Resources:** `db`, port\n- **Constraints:** no new packages\n- **Wave:** 1\n"
    )
    assert problems == ""
    assert values(found) == {
        "must_edit": ["a.py"],
        "can_create": ["b.py"],
        "can_delete": ["c.py"],
        "scratch": [".tmp/"],
        "anchors": ["`f` in `a.py`", "`g` in `b.py`", "the end of `c.py`"],
        "references": ["`d.py`"],
        "acceptance": ["it works"],
        "test": "make test",
        "tier": "mid",
        "commit": "fix: it",
        "theme": "API",
        "plan_section": "3.2",
        "source": "<https://example.org/1>",
        "priority": "high",
        "size": "3",
        "resources": ["db", "port"],
        "constraints": "no new packages",
    }
    assert [one.path for one in found.anchors] == ["a.py", "b.py", "c.py"]


def test_labels_are_blind_to_case_dress_and_hyphens_and_have_aliases() -> None:
    found, problems = spec(
        "- must-edit: `a.py`\n- **NEW FILES**: b.py\n* __Delete__: c.py\n- Temp: d/\n"
        "- **Grep anchors:** `x` in `e.py`\n"
        "- port from: `f.py`\n- Done when: it works\n- *Targeted test command:* make\n- `Repository`: .\n"
    )
    assert problems == ""
    assert values(found) == {
        "must_edit": ["a.py"],
        "can_create": ["b.py"],
        "can_delete": ["c.py"],
        "scratch": ["d/"],
        "anchors": ["`x` in `e.py`"],
        "references": ["`f.py`"],
        "acceptance": ["it works"],
        "test": "make",
    }


def test_lists_may_stand_below_their_label_and_scopes_in_a_group() -> None:
    found, problems = spec(
        "- files-in-scope:\n  - must edit: `a.py`,\n    `b.py`\n  - can create: none\n  - temp: `t/`\n"
        "- Acceptance:\n  - first\n    goes on\n  - second\n- Test: `a &&\n  b`\n"
    )
    assert problems == ""
    assert values(found) == {
        "must_edit": ["a.py", "b.py"],
        "scratch": ["t/"],
        "acceptance": ["first goes on", "second"],
        "test": "a && b",
    }


def test_a_test_command_keeps_its_own_marks() -> None:
    for written, command in [
        ('`pytest -k "a or b" | tail -n 3; echo $?`', 'pytest -k "a or b" | tail -n 3; echo $?'),
        ("``echo `date` ``", "echo `date`"),
        ("pytest -q tests/*_test.py", "pytest -q tests/*_test.py"),
        ("`pytest` (from the top)", "pytest"),
        ("none", ""),
    ]:
        assert spec(f"- **Test:** {written}\n")[0].test == command


def test_labels_of_the_user_are_left_alone_and_labels_under_a_sub_heading_are_prose() -> None:
    found, problems = spec(
        "- **Owner:** Ana\n- **Must edit:** `a.py`\n\nProse: with a colon.\n\n#### More\n\n- Test: not this one\n"
    )
    assert problems == ""
    assert values(found) == {"must_edit": ["a.py"]}


def test_fields_in_fences_comments_and_quotes_are_text() -> None:
    body = "- **Must edit:** `a.py`\n"
    for wrapped in (f"```\n{body}```\n", f"<!--\n{body}-->\n", f"> {body}"):
        assert values(spec(wrapped)[0]) == {}


def test_an_id_that_disagrees_with_the_heading_is_told() -> None:
    assert spec("- id: `5.1.2`\n")[1] == (
        "9:7 <`5.1.2`> item key-mismatch: the heading says 5.1.1, this field 5.1.2\n"
        "    make them agree, or take the line out\n"
    )


def test_beside_a_list_of_fields_a_line_with_a_label_is_prose_unless_it_says_something_more() -> None:
    found, problems = spec(
        "- **Must edit:** `a.py`\n- **Test:** `make`\n\n**Test:** by hand, too.\n\n**Testt:** no\n\n"
        "Acceptance: it works\n"
    )
    assert problems == ""
    assert values(found) == {"must_edit": ["a.py"], "test": "make", "acceptance": ["it works"]}


def test_lines_in_bold_are_fields_of_their_own_right() -> None:
    found, problems = spec("**Must edit:** `a.py`\n**Must edit:** `b.py`\n\n**Acceptnace:** it works\n")
    assert values(found) == {"must_edit": ["a.py"]}
    assert problems == (
        '10:3 <Must edit> item duplicate-label: "must edit" is given twice, first in line 9\n'
        "    keep one; prose with labels belongs under a sub-heading\n"
        '12:3 <Acceptnace> warning unknown-label: "Acceptnace" is no label of a spec\n'
        '    did you mean "acceptance"?\n'
    )


def test_a_test_in_a_fence_is_one_command_besides_comments() -> None:
    fence = "```sh\n# all of it\nmake test\n```\n"
    indented = "".join(f"  {line}\n" for line in fence.splitlines())
    for body in (f"- **Test:**\n{indented}", f"**Test:**\n\n{fence}", f"- Test:\n\n{indented}"):
        found, problems = spec(body)
        assert (found.test, problems) == ("make test", "")
    two = fence.replace("make test\n", "make\nmake test\n")
    assert spec(f"**Test:**\n{two}")[1] == (
        "9:3 <Test> item several-commands: the test is one shell command line, here are several\n"
        "    join them with && inside one pair of backticks\n"
    )


def test_labels_stand_without_a_colon_in_bold_or_above_a_list() -> None:
    found, problems = spec("- **Must edit** `a.py`\n- acceptance\n  - it works\n- Edit it well, please\n- edit\n")
    assert problems == ""
    assert values(found) == {"must_edit": ["a.py"], "acceptance": ["it works"]}


def test_a_known_label_at_a_lines_start_ends_the_list_above_it() -> None:
    found, problems = spec(
        "**Edit:**\n- `a.py`\n- `b.py`\n**Done when:**\n- it is there\n- it is good\n**Tier:** frontier\n"
        "Commit: improve x\n- not a field\n**Resources:** db\n"
    )
    assert problems == ""
    assert values(found) == {
        "must_edit": ["a.py", "b.py"],
        "acceptance": ["it is there", "it is good"],
        "tier": "frontier",
        "commit": "improve x",
        "resources": ["db"],
    }


def test_a_numbered_list_a_nested_one_and_a_quote_are_ended_too() -> None:
    found, problems = spec(
        "**Done when:**\n1. it is there\n2. it is good\n**Test command:**\n```sh\nmake test\n```\n\n"
        "- **Must edit:**\n  - `a.py`\n**Tier:** mid\n\n> said elsewhere\n**Commit:** improve x\n"
    )
    assert problems == ""
    assert values(found) == {
        "must_edit": ["a.py"],
        "acceptance": ["it is there", "it is good"],
        "test": "make test",
        "tier": "mid",
        "commit": "improve x",
    }


def test_endings_and_bytes_of_an_ended_list_are_those_of_the_file() -> None:
    found, problems = spec("**Done when:**\r\n- it is good\r\n**Tier:** frontier\r\n")
    assert (problems, found.acceptance, found.tier) == ("", ("it is good",), "frontier")
    assert (found.values["tier"].line, found.values["tier"].column) == (11, 11)


def test_unknown_words_and_prose_in_a_fence_end_no_list() -> None:
    found, problems = spec("**Done when:**\n- it is good,\nNote: really\n- ```\n  Tier: x\n  ```\n")
    assert problems == ""
    assert values(found) == {"acceptance": ["it is good, Note: really"]}


def test_a_label_that_goes_on_with_an_item_is_told() -> None:
    found, problems = spec("**Done when:**\n- it is good\n  **Tier:** frontier\n1. more\n   Commit: x\n   size: 3\n")
    assert values(found)["acceptance"] == ["it is good **Tier:** frontier"]
    assert problems == (
        '11:5 <Tier> item label-in-item: "Tier" goes on with the item above it and isn\'t read as a field\n'
        "    put a blank line before it, and begin it at the line's start\n"
        '13:4 <Commit> warning label-in-item: "Commit" goes on with the item above it and isn\'t read as a field\n'
        "    put a blank line before it, and begin it at the line's start\n"
    )


def test_what_is_a_field_besides_isnt_told_of_an_item() -> None:
    _, problems = spec("- **Tier:** mid\n- **Acceptance:** it is good\n  **Tier:** frontier, if it is large\n")
    assert problems == ""


def test_labels_that_sound_like_one_that_is_lacking_are_told() -> None:
    _, problems = spec(
        "- **Prerequisites:** 5.1.1\n- **Files to change:** `a.py`\n- **Verify with:** make\n- **Owner:** Ana\n"
    )
    assert problems == (
        '9:5 <Prerequisites> warning unknown-label: "Prerequisites" is no label of a spec\n'
        '    did you mean "Depends on"?\n'
        '10:5 <Files to change> warning unknown-label: "Files to change" is no label of a spec\n'
        '    did you mean "Must edit"?\n'
        '11:5 <Verify with> warning unknown-label: "Verify with" is no label of a spec\n'
        '    did you mean "Test"?\n'
    )


def test_labels_that_sound_like_a_field_which_is_there_are_the_users() -> None:
    _, problems = spec(
        "- **Depends on:** none\n- **Scope:** `a.py`\n- **Test:** make\n- **Prerequisites:** a database\n"
        "- **Files to change:** see above\n- **Test with:** care\n"
    )
    assert problems == ""
