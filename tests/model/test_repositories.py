"""Which repository a word in a plan means, and the commits of several in one cell."""

from __future__ import annotations

import pytest

from orchestrator.model.heads import commits_in, commits_words, is_at
from orchestrator.model.repositories import RepoNames

NAMES = RepoNames(
    frozenset({"api", "shop-api"}),
    {"ui": frozenset({"../web", "web", "shop-web"}), "docs": frozenset({"../web/docs", "api"})},
)


@pytest.mark.parametrize(
    ("word", "meanings"),
    [
        ("", (".",)),
        (".", (".",)),
        ("./", (".",)),
        ("shop-api", (".",)),
        ("ui", ("ui",)),
        (" web ", ("ui",)),
        ("../web", ("ui",)),
        ("../web/", ("ui",)),
        ("./../web", ("ui",)),
        ("shop-web", ("ui",)),
        ("../web/docs", ("docs",)),
        ("api", (".", "docs")),
        ("UI", ()),
        ("elsewhere", ()),
    ],
)
def test_a_repository_is_named_by_name_path_folder_or_origin(word: str, meanings: tuple[str, ...]) -> None:
    assert NAMES.meanings(word) == meanings


def test_the_commits_of_several_repositories_stand_in_one_cell() -> None:
    heads = {".": "77aa012" + "0" * 33, "ui": "9f8e7d6" + "1" * 33}
    assert commits_words(heads, 7) == "77aa012, ui 9f8e7d6"
    assert commits_in("77aa012, ui 9f8e7d6") == {".": "77aa012", "ui": "9f8e7d6"}
    assert commits_in("") == {".": ""}


@pytest.mark.parametrize(
    ("cell", "is_there"),
    [
        ("77aa012, ui 9f8e7d6", True),
        ("77aa012,ui 9f8e", True),
        ("77aa012", False),
        ("77aa012, ui 9f8e7d7", False),
        ("77aa013, ui 9f8e7d6", False),
        ("77aa012, ui ", False),
        ("77aa012, ui 9f8e7d6, docs 1234567", False),
        ("", False),
    ],
)
def test_a_wave_was_checked_at_these_heads_only_if_its_cell_names_them_all(cell: str, is_there: bool) -> None:
    assert is_at(cell, "77aa012" + "0" * 33 + ", ui 9f8e7d6" + "1" * 33) is is_there


def test_one_repository_alone_needs_no_names() -> None:
    assert is_at("77aa012", "77aa012" + "0" * 33)
    assert not is_at("77aa013", "77aa012" + "0" * 33)
    assert not is_at("", "77aa012")
