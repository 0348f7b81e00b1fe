"""Settings that were loosened while a worker was alive: they don't count for the rest of the call, and it is said.

Any worker without a sandbox can write ORCH.md. Must not know which settings those are.
"""

from __future__ import annotations

from orchestrator.engine.run import Run
from orchestrator.model.loosening import held, stricter_gate
from orchestrator.model.settings import Settings
from orchestrator.nouns import dataclass, field, replace


@dataclass(slots=True)
class HeldSettings:
    """What a call goes by, where that isn't what stands in the file."""

    _read: Settings
    """As they were read last."""
    _valid: Settings
    """As they count."""
    _keys: set[str] = field(default_factory=set)
    """What was loosened with a worker alive, and still is."""

    def look(self, run: Run) -> None:
        """Have the call go by the stricter settings where the file was loosened while a worker was alive."""
        says = run.orchestration.settings
        if says is not self._read:
            self._read, self._valid = says, self._count(run, says)
            if run.limits.is_attended:
                run.limits = replace(run.limits, gate=stricter_gate(run.limits.gate, self._valid.gate))
        if self._valid is not says:
            run.orchestration = replace(run.orchestration, settings=self._valid)

    def _count(self, run: Run, says: Settings) -> Settings:
        # While nobody works a change is a person's; what was held before is held on.
        kept, loosened = held(self._valid, says, None if run.had_workers else self._keys)
        fresh = [one for one in loosened if one.key not in self._keys]
        self._keys = {one.key for one in loosened}
        for one in fresh:
            text = (
                f"{says.path}: {one.key} was changed from {one.had} to {one.says} while a worker was alive, so it may"
                f" be the worker's own doing; this call keeps {one.had}, the next one follows the file"
            )
            run.say(text)
            run.degrade(text)
        return kept
