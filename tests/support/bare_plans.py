"""Plans with waves and names alone, for tests of the files beside the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.errors import Location
from orchestrator.model.ids import TaskKey, parse_key
from orchestrator.model.plan import Plan, Spec, Wave


def bare_plan(waves: Mapping[int, Sequence[str]], *, number: int = 1, titles: Mapping[str, str] | None = None) -> Plan:
    """A plan of these names in these waves: a whole key stands for itself, any other is a local id of N.W.k."""
    found: list[Wave] = []
    specs: list[Spec] = []
    for wave, names in waves.items():
        keys = []
        for place, name in enumerate(names, 1):
            key = parse_key(name)
            local = "" if key else name
            key = key or TaskKey(number, wave, str(place))
            title = (titles or {}).get(name, f"Title of {name}")
            specs.append(Spec(key, title, Location("plan.md"), "", local_id=local))
            keys.append(key)
        found.append(Wave(wave, "", tuple(keys), tuple(range(1, wave))))
    return Plan(number, "Things", "plan.md", waves=tuple(found), specs=tuple(specs))
