"""Local ids beside keys: how short they may be said, and that a list with them stays readable and cheap."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.model.orchestration import Orchestration
from orchestrator.views.called import called, named
from orchestrator.views.folding import keys_text
from orchestrator.views.resume import resume_lines
from orchestrator.views.status import status_lines
from tests.support.sample_orchestration import decide, key, orchestration
from tests.support.tokens import tokens


def with_ids(whole: Orchestration, *words: str) -> Orchestration:
    """The same plan calling its tasks by these ids, in the order of its waves."""
    ids = dict(zip(words, whole.plan.in_waves(), strict=True))
    specs = tuple(replace(spec, local_id=word) for word, spec in zip(words, whole.plan.specs, strict=True))
    return replace(whole, plan=replace(whole.plan, local_ids=ids, specs=specs))


def test_a_local_id_is_said_as_far_as_it_names_one_task_alone() -> None:
    whole = with_ids(orchestration({1: ["pending"] * 4}), "T1.1-scaffold", "T1.2-list", "api-read", "api-write")
    assert [named(one, called(whole.plan)) for one in whole.plan.in_waves()] == [
        "5.1.1 T1.1",
        "5.1.2 T1.2",
        "5.1.3 api-read",
        "5.1.4 api-write",
    ]
    assert called(orchestration({1: ["pending"]}).plan) == {}


def test_lists_of_keys_name_both() -> None:
    names = {key(f"5.1.{number}"): f"T{number}" for number in range(1, 7)}
    keys = list(names)
    assert keys_text(keys[:1], names=names) == "5.1.1 T1"
    assert keys_text([keys[0], keys[2]], names=names) == "5.1.1 T1, 5.1.3 T3"
    assert keys_text(keys, names=names) == "5.1.1 T1 to 5.1.6 T6 (6)"
    assert keys_text([keys[0], keys[2], keys[4]], limit=2, names=names) == "5.1.1 T1, 5.1.3 T3 and 1 more"


def test_status_and_resume_show_both() -> None:
    whole = orchestration({1: ["plan-ready", "running", "pending"]})
    whole = with_ids(whole, "T1-parse", "T2-store", "T3-show")
    decision = decide(whole, jobs=1)
    assert [line.split(": ")[0] for line in status_lines(whole, decision)[2:]] == [
        "5.1.1 T1 plan-ready Parse trigger definitions",
        "5.1.2 T2 running Store triggers",
        "5.1.3 T3 pending Show triggers in the list",
    ]
    assert [line for line in resume_lines(whole, decision) if "5.1." in line] == [
        "plans to judge: 5.1.1 T1",
        "at work: 5.1.2 T2",
        "waiting for a slot: 5.1.3 T3",
    ]


def test_resume_stays_within_its_budget_with_ids_too() -> None:
    whole = orchestration({wave: ["plan-ready", "running", "blocked"] * 4 for wave in range(1, 30)})
    words = [f"T{number}.{number % 7}-a-long-name-of-its-own" for number, _ in enumerate(whole.plan.in_waves())]
    whole = with_ids(whole, *words)
    assert tokens("\n".join(resume_lines(whole, decide(whole)))) <= 400
