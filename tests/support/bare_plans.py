"""Plans with waves and names alone, for tests of the files beside the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.errors import Location
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan, Spec, Wave


def bare_plan(
    waves: Mapping[int, Sequence[str]],
    *,
    number: int = 1,
    titles: Mapping[str, str] | None = None,
    pins: Mapping[str, TaskKey] | None = None,
) -> Plan:
    """A plan of these names in these waves: a whole key stands for itself, any other is a local id of N.W.k.

    k is its place in the wave, or the next one that no pin has.
    """
    found: list[Wave] = []
    specs: list[Spec] = []
    for wave, names in waves.items():
        taken = set(pins.values()) if pins else set()
        keys = []
        for place, name in enumerate(names, 1):
            whole = parse_key(name)
            key = whole or (pins or {}).get(name)
            while key is None:
                free = TaskKey(number, wave, str(place))
                key, place = (None if free in taken else free), place + 1
            taken.add(key)
            title = (titles or {}).get(name, f"Title of {name}")
            specs.append(Spec(key, title, Location("plan.md"), "", local_id="" if whole else name))
            keys.append(key)
        found.append(Wave(wave, "", tuple(keys), tuple(range(1, wave))))
    return Plan(number, "Things", "plan.md", waves=tuple(found), specs=tuple(specs))
