from hypothesis import given
from hypothesis import strategies as st

from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Wave
from orchestrator.views.folding import counted, grouped, keys_text, numbers_text, tasks_text


def _keys(*ids: str, wave: int = 2) -> list[TaskKey]:
    return [TaskKey(5, wave, id_) for id_ in ids]


def test_few_keys_are_named() -> None:
    assert keys_text(_keys("1", "2", "3")) == "5.2.1 5.2.2 5.2.3"
    assert keys_text([]) == ""


def test_four_in_a_row_are_named_by_the_ends() -> None:
    assert keys_text(_keys("1", "3", "4", "5", "6", "9")) == "5.2.1 5.2.3 to 5.2.6 (4) 5.2.9"


def test_ids_that_are_no_plain_numbers_make_no_row() -> None:
    assert keys_text(_keys("01", "02", "03", "04", "3a", "api-1")) == "5.2.01 5.2.02 5.2.03 5.2.04 5.2.3a 5.2.api-1"


def test_a_row_ends_with_its_wave() -> None:
    assert keys_text([*_keys("1", "2"), *_keys("3", "4", wave=3)]) == "5.2.1 5.2.2 5.3.3 5.3.4"


def test_a_long_list_is_cut_and_says_how_many_are_missing() -> None:
    assert keys_text(_keys(*"acegikmoqs"), limit=3) == "5.2.a 5.2.c 5.2.e and 7 more"


@given(st.lists(st.integers(1, 40), unique=True, max_size=30).map(sorted), st.integers(1, 12))
def test_every_key_is_named_or_counted(numbers: list[int], limit: int) -> None:
    text = keys_text(_keys(*map(str, numbers)), limit=limit)
    total = 0
    words = text.split()
    at = 0
    while at < len(words):
        if words[at] == "and":
            total += int(words[at + 1])
            break
        if words[at + 1 : at + 2] == ["to"]:
            total += int(words[at + 3].strip("()"))
            at += 4
        else:
            total += 1
            at += 1
    assert total == len(numbers)


def test_whole_waves_are_named_as_waves() -> None:
    waves = [Wave(number, "", tuple(_keys("1", "2", "3", "4", wave=number)), ()) for number in (2, 3, 5)]
    keys = [key for wave in waves for key in wave.tasks]
    assert tasks_text(keys, waves) == "waves 2-3, 5 (12 tasks)"
    assert tasks_text(keys[:5], waves) == "wave 2 (4 tasks) 5.3.1"
    assert tasks_text(keys[1:3], waves) == "5.2.2 5.2.3"


def test_numbers_fold_into_ranges() -> None:
    assert numbers_text([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7-8"
    assert numbers_text([]) == ""
    assert numbers_text([1, 3, 5, 6, 8], limit=2) == "1, 3 and 3 more"


def test_groups_come_in_the_order_of_their_first_member() -> None:
    assert grouped("banana", lambda letter: letter) == [("b", ["b"]), ("a", ["a", "a", "a"]), ("n", ["n", "n"])]


def test_a_count_agrees_with_its_noun() -> None:
    assert (counted(1, "task"), counted(0, "task"), counted(2, "task")) == ("1 task", "0 tasks", "2 tasks")
