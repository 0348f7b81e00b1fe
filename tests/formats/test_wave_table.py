"""The wave table, found by its columns and read in the forms people give it."""

from __future__ import annotations

from orchestrator.formats.plan_file import read_plan
from orchestrator.markdown.document import Document
from tests.support.planning import told


def waves(text: str) -> tuple[list[tuple[int, str, str, tuple[int, ...]]], str]:
    found = read_plan(Document.parse(text, "plan.md"), 5)
    rows = [(one.number, one.theme, " ".join(map(str, one.tasks)), one.depends_on) for one in found.value.waves]
    return rows, told(found.problems)


def test_columns_stand_in_any_order_with_others_between() -> None:
    text = (
        "## Wave / dependency table\n\n"
        "| Owner | Dependency rule | **Tasks** | `Wave` | Focus |\n| --- | --- | --- | --- | --- |\n"
        "| Ana | none | `5.1.1`, `5.1.2` | **Wave 1** | Core |\n"
        "| Ben | depends on `5.1.1` | 5.2.1 | 2 | |\n"
    )
    assert waves(text) == ([(1, "Core", "5.1.1 5.1.2", ()), (2, "", "5.2.1", (1,))], "")


def test_without_a_dependency_column_each_wave_waits_for_all_earlier_ones() -> None:
    text = "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 1 | 5.1.1 |\n| 2 | 5.2.1 |\n| 4 | 5.4.1 |\n"
    assert waves(text) == ([(1, "", "5.1.1", ()), (2, "", "5.2.1", (1,)), (4, "", "5.4.1", (1, 2))], "")


def test_an_empty_dependency_cell_means_none_even_in_a_short_row() -> None:
    text = "## Waves\n\n| Wave | Tasks | Depends on |\n| --- | --- | --- |\n| 1 | 5.1.1 | |\n| 2 | 5.2.1 |\n"
    assert waves(text) == ([(1, "", "5.1.1", ()), (2, "", "5.2.1", ())], "")


def test_a_wave_also_waits_for_the_waves_of_its_tasks_dependencies() -> None:
    text = (
        "## Waves\n\n| Wave | Tasks | Depends on |\n| --- | --- | --- |\n| 1 | a |—|\n| 2 | b |—|\n| 3 | c, d | 2 |\n\n"
        "### 5.3.c — C\n\n- Depends on: a\n\n### 5.3.d — D\n\n- Depends on: 5.3.c, wave 2\n"
    )
    assert waves(text)[0] == [(1, "", "5.1.1", ()), (2, "", "5.2.1", ()), (3, "", "5.3.c 5.3.d", (1, 2))]


def test_tasks_are_whole_keys_short_keys_local_ids_and_ranges() -> None:
    text = (
        "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n"
        "| 1 | 5.1.1–5.1.3 (easy), 1.x; parse + and 7<br>8 |\n| 2 Second | none |\n"
    )
    assert waves(text) == (
        [(1, "", "5.1.1 5.1.2 5.1.3 5.1.x 5.1.5 5.1.6 5.1.7", ()), (2, "Second", "", (1,))],
        "",
    )


def test_rows_are_sorted_by_number_and_two_rows_of_one_wave_are_told() -> None:
    text = "## Waves\n\n| Wave | Tasks |\n| --- | --- |\n| 2 | 5.2.1 |\n| 1 | 5.1.1 |\n| 2 | 5.2.2 |\n"
    assert waves(text) == (
        [(1, "", "5.1.1", ()), (2, "", "5.2.1 5.2.2", (1,))],
        "7:3 <2> item duplicate-wave: wave 2 has two rows, the first in line 5\n"
        "    put its tasks in one row, separated by commas\n",
    )


def test_the_table_under_waves_comes_before_others_and_two_of_one_rank_are_told() -> None:
    table = "| Wave | Tasks |\n| --- | --- |\n| 1 | 5.1.1 |\n"
    other = "| Wave | Tasks |\n| --- | --- |\n| 1 | 12 passed |\n"
    assert waves(f"## Test counts\n\n{other}\n## Waves\n\n{table}")[0] == [(1, "", "5.1.1", ())]
    assert waves(f"## Wave counts\n\n{other}\n## Waves\n\n{table}")[0] == [(1, "", "5.1.1", ())]
    assert waves(f"## Wave counts\n\n{other}\n## Wave plan\n\n{table}") == (
        [],
        "3:1 <| Wave | Tasks |> file ambiguous-waves: the tables in lines 3, 9 could all be the wave table\n"
        '    put the right one alone under a heading "Waves"\n',
    )


def test_what_stands_in_a_fence_a_comment_or_a_quote_is_no_table() -> None:
    table = "| Wave | Tasks |\n| --- | --- |\n| 1 | 5.1.1 |\n"
    for wrapped in (f"```\n{table}```\n", f"<!--\n{table}-->\n", "> " + table.replace("\n", "\n> ")):
        assert waves(f"## Waves\n\n{wrapped}") == ([], "")
