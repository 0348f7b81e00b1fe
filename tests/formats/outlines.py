"""What the quick look at a plan says, to be compared with what the whole reader says."""

from __future__ import annotations

from orchestrator.model.plan import Plan

UNSEEN = {
    *("unclear-path", "unknown-label", "duplicate-label", "several-commands", "key-mismatch", "wave-mismatch"),
    *("label-in-item", "dependency-in-prose"),
    *("lost-cell", "lost-table", "unknown-section"),
}
"""Problems in a spec's fields and in its prose: what an outline doesn't look for."""


def seen(plan: Plan) -> tuple[object, ...]:
    specs = [
        (one.key, one.title, one.text, one.at, one.hash, [(each.text, each.task, each.wave) for each in one.depends_on])
        for one in plan.specs
    ]
    return (plan.number, plan.title, plan.path, plan.slug, plan.waves, specs)
