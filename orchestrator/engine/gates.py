"""Gates: suites that run only where changed paths ask for them, at a wave's end or before a task lands.

A gate is measured at the fork the first time it is red: what it held against the tree there is no task's fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.engine.failing import fail, one_line
from orchestrator.engine.guilty import wave_start
from orchestrator.engine.run import Run
from orchestrator.engine.suite_runs import Laid, clear_reports, lay_tree, result_from, set_up_now
from orchestrator.engine.suites import held_against_baseline, measure_red
from orchestrator.model.baseline import shown
from orchestrator.model.changes import Change
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import ScopePath
from orchestrator.model.scope import covers
from orchestrator.model.settings import Gate, Suite
from orchestrator.process.invocation import Invocation
from orchestrator.process.running import Ended, tail
from orchestrator.process.running import run as run_process


def wave_gates(run: Run, number: int, heads: Mapping[str, str]) -> tuple[Suite, ...]:
    """The gates that the wave's diff asks for at its end."""
    gates = [gate for gate in run.settings.gates if gate.when == "wave"]
    if not gates:
        return ()
    found: list[Suite] = []
    for site in run.sites():
        mine = [gate for gate in gates if gate.suite.repo == site.name]
        if mine:
            head = heads[site.name]
            changes = site.repository.changes(wave_start(site, number, head), head)
            found += [gate.suite for gate in mine if _is_asked(gate, changes)]
    return tuple(found)


def land_gates(run: Run, key: TaskKey, changes: Iterable[Change]) -> tuple[Gate, ...]:
    """The gates that a task's diff asks for before it lands."""
    changes = tuple(changes)
    mine = [gate for gate in run.settings.gates if gate.when == "land" and gate.suite.repo == run.site(key).name]
    return tuple(gate for gate in mine if _is_asked(gate, changes))


def _is_asked(gate: Gate, changes: Iterable[Change]) -> bool:
    patterns = [ScopePath(path) for path in gate.paths]
    return any(covers(patterns, path) for change in changes for path in (change.path, change.old_path) if path)


def lay_gate(run: Run, suite: Suite, tree: str, slot: int) -> Laid:
    """Put a tree into a verify workspace for a gate."""
    return lay_tree(run.site_named(suite.repo), tree, slot)


def gate_in(laid: Laid, suite: Suite) -> Invocation:
    """How a gate is run in a verify workspace that is set up."""
    clear_reports(laid.path, suite)
    return laid.site.run.shell(suite.run, laid.path, timeout=suite.timeout)


def setup_failed(run: Run, key: TaskKey, ended: Ended) -> None:
    """The setup failed on the tree that would land: a failed acceptance, for the same setup made the workspace."""
    why = f"the setup failed on the tree that would land: {run.site(key).worktree.setup}"
    output = run.foreign(tail(ended.stdout) + "\n" + tail(ended.stderr)).strip()
    fail(run, key, "accept", one_line(why), turn="retry", findings=f"- {one_line(why)}\n\n{output[-4000:]}")


def stands_gate(run: Run, key: TaskKey, suite: Suite, slot: int, ended: Ended) -> bool:
    """Whether a gate found nothing new on a task's tree; records the failed acceptance if it did."""
    result = result_from(suite, run.site_named(suite.repo).verify_dir(slot), ended)
    measure_red(run, [suite], [result])
    (found,) = held_against_baseline(run, [result])
    for warning in (result.warning, found.warning):
        if warning:
            run.degrade(warning)
    if not found.is_new_failure:
        return True
    why = one_line(f"the gate {suite.name} fails: {shown(found.new)}" if found.new else f"a gate: {found.reason}")
    output = run.foreign(tail(ended.stdout) + "\n" + tail(ended.stderr)).strip()
    fail(run, key, "accept", why, turn="retry", findings=f"- {why}\n\n{output[-4000:]}")
    return False


def stands_now(run: Run, key: TaskKey, suite: Suite, tree: str) -> bool:
    """The same, running the gate on a tree and waiting for its end."""
    slot = run.free_slot()
    laid = lay_gate(run, suite, tree, slot)
    folder = run.layout.run / "tests" / f"{key}.gate"
    ended = set_up_now(laid, folder)
    if ended is not None:
        setup_failed(run, key, ended)
        return False
    ended = run_process(gate_in(laid, suite), folder, run.session.random_name(16))
    return stands_gate(run, key, suite, slot, ended)
