"""A wave's end: the suites at the head, who broke them, and what the wave's row says of it."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.engine.gates import wave_gates
from orchestrator.engine.gather import heads_now
from orchestrator.engine.guilty import Verdict, find_guilty
from orchestrator.engine.places import discard_idle
from orchestrator.engine.reverting import broken_words, record_reverts
from orchestrator.engine.run import Run
from orchestrator.engine.suite_runs import output_of
from orchestrator.engine.suites import Checked, check_suites, take_baseline
from orchestrator.formats.state_edits import FLAKE, RAN_AGAIN, kept_notes, set_state_key, set_wave
from orchestrator.markdown.document import Document
from orchestrator.model.baseline import shown
from orchestrator.model.heads import commits_words
from orchestrator.model.status import Status, WaveStatus
from orchestrator.model.wave_note import BLOCKED
from orchestrator.model.waves import effective_status
from orchestrator.views.folding import grouped


def end_wave(run: Run, number: int) -> bool:
    """Every task has ended: run the suites at the head, compare them with the baseline, write the wave's row.

    A task that broke them is put back. True if the wave has come to its end in this call, whatever it came to.
    """
    heads = run.heads()
    row = run.state.wave(number)
    kept = kept_notes(row.note) if row else []
    if row and row.status is WaveStatus.OPEN:
        # Why the suites of an earlier end ran again says nothing of this one.
        kept = [note for note in kept if not note.startswith(RAN_AGAIN)]
    # Suites that were added while the wave ran.
    take_baseline(run)
    run.session.planning.change_state(lambda document: set_wave(document, number, status=WaveStatus.CHECKING))
    checked = check_suites(run, (*run.settings.suites, *wave_gates(run, number, heads)), heads)
    outputs = {one.suite: output_of(run, one.suite) for one in checked.red}
    notes = _with_flakes(run, kept, checked)
    verdict = find_guilty(run, number, heads, checked)
    # Suites take their time: what was checked may not be on the branch any more.
    heads_now(run)
    if verdict.guilty and run.settings.on_regression == "revert":
        names = ", ".join(f"{key} for {broken_words(marks)}" for key, marks in verdict.guilty.items())
        # No commit: the suites haven't run at the head that comes of it.
        _write(run, number, WaveStatus.OPEN, "", checked, [*notes, *verdict.others, f"reverted: {names}"])
        record_reverts(run, verdict, outputs)
        return False
    _close(run, number, heads, checked, notes, verdict)
    return True


def _with_flakes(run: Run, kept: list[str], checked: Checked) -> list[str]:
    """What stays of the wave's note, and what failed only once now."""
    if not checked.flakes:
        return kept
    now = f"{FLAKE}{shown(checked.flakes, 5)}"
    run.degrade(now)
    return list(dict.fromkeys((*kept, now)))


def _close(
    run: Run, number: int, heads: Mapping[str, str], checked: Checked, notes: list[str], verdict: Verdict
) -> None:
    """Write what the wave came to: red with a new failure, open with a blocked task, else done."""
    keys = run.plan.wave(number).tasks
    blocked = [key for key in keys if effective_status(run.orchestration, key) is Status.BLOCKED]
    status = WaveStatus.RED if checked.red else WaveStatus.OPEN if blocked else WaveStatus.DONE
    notes += [f"new failure: {one.words}" for one in checked.red]
    notes += [f"to blame: {key} {verdict.commits[key][:7]}" for key in verdict.guilty]
    notes += verdict.others
    if blocked:
        notes.append(BLOCKED + ", ".join(str(key) for key in blocked))
    times = ((str(key), len(run.task(key).reverted)) for key in keys if key not in blocked)
    for count, same in grouped([one for one in times if one[1]], lambda one: one[1]):
        often = {1: "once", 2: "twice"}.get(count, f"{count} times")
        notes.append(f"reverted {often}: {', '.join(key for key, _ in same)}")
    _write(run, number, status, commits_words(heads, 7), checked, notes)


def _write(run: Run, number: int, status: WaveStatus, commit: str, checked: Checked, notes: list[str]) -> None:
    note = "; ".join(notes)
    others = (wave.number for wave in run.plan.waves if wave.number != number)
    is_last = status is WaveStatus.DONE and all(run.state.is_done(other) for other in others)

    def write(document: Document) -> Document:
        document = set_wave(document, number, status=status, suites=checked.words, commit=commit, note=note)
        return set_state_key(document, "status", "done") if is_last else document

    if is_last:
        # Before it is written that all is done: the next call would find nothing left to do.
        discard_idle(run)
    run.session.planning.change_state(write)
    run.say(f"wave {number}: {status}" + (f" ({note})" if note else ""))
