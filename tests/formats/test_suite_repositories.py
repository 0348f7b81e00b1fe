"""Which repository a suite or a gate of ORCH.md runs in, by the words people call it."""

from __future__ import annotations

import pytest

from orchestrator.formats.settings_file import read_settings
from orchestrator.markdown.document import Document
from orchestrator.model.settings import Settings
from tests.support.planning import told


def read(keys: str) -> tuple[Settings, str]:
    found = read_settings(Document.parse(f"---\n{keys}---\n", "planning/ORCH.md"), "planning/ORCH.md")
    return found.value, told(found.problems)


@pytest.mark.parametrize("word", ["ui", "../shop-ui", "../shop-ui/", "shop-ui"])
def test_a_suite_and_a_gate_call_a_repository_by_its_name_its_path_or_its_folder(word: str) -> None:
    suites = f"suites: {{d: {{run: y, repo: {word}}}}}\ngates: {{lint: {{paths: ['*.ts'], run: x, repo: {word}}}}}"
    for repos in ("ui: ../shop-ui", "ui: {path: ../shop-ui/}", "ui: ../shop-ui, api: ../shop-api"):
        settings, problems = read(f"repos: {{{repos}}}\n{suites}\n")
        assert problems == ""
        assert (settings.suites[0].repo, settings.gates[0].suite.repo) == ("ui", "ui")


def test_a_folders_name_that_two_repositories_have_is_told() -> None:
    _, problems = read("repos: {a: ../x/ui, b: ../y/ui}\nsuites: {d: {run: y, repo: ui}}\n")
    assert problems == ('3:28 <ui> item wrong-value: `repo`: "ui" could be a or b\n    write its name in `repos`\n')
