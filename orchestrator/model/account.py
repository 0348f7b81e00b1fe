"""What happened to a task, in words for a reader who has the files and not orch: the account of one that is blocked,
and a line about the way of one that came through.

Owns which events are told, and how. Must not know where that is put. Tells nothing that two runs of the same kind
wouldn't have in common, such as times or refs: the log beside it has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.model.ids import TaskKey
from orchestrator.model.log import FAILURES, LogEntry
from orchestrator.model.report import MOST_LINES, plain_line
from orchestrator.model.stage import FOREIGN, standing

_BY = {"session": "whoever runs orch", "person": "a person", "checks": "the checks", "forced": "whoever runs orch"}
_NO_ATTEMPT = ("died", "plan", FOREIGN)
_TURNS = {"retry": ", told what had failed", "takeover": ", with that plan"}


def blocked_lines(key: TaskKey, why: str, log: Sequence[LogEntry], todo_path: str) -> tuple[str, ...]:
    """The lines of a blocked task's report: why, what happened since it began or began anew, what is kept of it, and
    what can be done. At most MOST_LINES; of a long story the end."""
    story = list(_story(log))
    last = next((entry for entry in reversed(log) if entry.event in FAILURES), None)
    ends = [
        f"- **Kept:** the last output below Findings in `{todo_path}`;"
        f" what was written as commits on no branch: `git for-each-ref 'refs/orch/*/{key}'`",
        f"- **To go on:** {_ways(key, last)}",
    ]
    room = MOST_LINES - 1 - len(ends)
    cut = [f"- **Earlier:** {len(story) - room + 1} steps, in the log of `{todo_path}`"] if len(story) > room else []
    return (f"- **Status:** blocked: {plain_line(why)}", *cut, *story[-(room - len(cut)) :], *ends)


def freed_lines(log: Sequence[LogEntry], todo_path: str) -> tuple[str, ...]:
    """The same for one that was blocked and isn't any more: what became of it, and what happened before."""
    now = standing(log)
    became = f"{now.decided} by hand" if now.decided else "taken up again" if now.cause else "begun anew by hand"
    story = list(_story(log))
    room = MOST_LINES - 2
    cut = [f"- **Earlier:** {len(story) - room} steps, in the log of `{todo_path}`"] if len(story) > room else []
    return (f"- **Status:** was blocked; {became}", *cut, *story[-room:])


def is_of_blocked(text: str) -> bool:
    """Whether a report is the account of a blocked task."""
    return text.lstrip().startswith("- **Status:** blocked")


def way_line(log: Sequence[LogEntry], todo_path: str) -> str:
    """One line about what a landed task went through; empty for one that went through nothing."""
    fresh = _since_begun(log)
    failed = [entry for entry in fresh if entry.event in FAILURES and entry.get("kind") not in _NO_ATTEMPT]
    told = [
        _times("plan sent back", sum(one.event == "revised" and one.get("by") != "spec" for one in fresh)),
        "plan written by whoever runs orch" if any(one.get("takeover") for one in fresh) else "",
        _times("failed attempt", len(failed), is_count=True),
        *(f"up from {one.get('from')} to {one.get('to')}" for one in fresh if one.event == "escalated"),
        _times("tried once more on a diagnosis", sum(one.get("to") == "retry" for one in fresh)),
        _times("scope widened", sum(one.event == "rescoped" for one in fresh)),
    ]
    words = ", ".join(part for part in told if part)
    return f"- **Way:** {words}; see the log of `{todo_path}`" if words else ""


def _times(words: str, count: int, *, is_count: bool = False) -> str:
    if not count:
        return ""
    if is_count:
        return f"1 {words}" if count == 1 else f"{count} {words}s"
    return words if count == 1 else f"{words} {count} times"


def _since_begun(log: Sequence[LogEntry]) -> Sequence[LogEntry]:
    """The entries since the task was last set back to the start by hand."""
    anew = [at for at, one in enumerate(log) if one.event == "decided" and one.get("to") == "pending"]
    return log[anew[-1] + 1 :] if anew else log


def _story(log: Sequence[LogEntry]) -> Iterator[str]:
    tier = turn = ""
    number = 0
    for entry in _since_begun(log):
        why = plain_line(entry.get("why"))
        who = _who(entry.get("by"))
        if entry.event == "started" and entry.get("turn") != "review":
            tier, turn = entry.get("tier"), entry.get("turn")
        elif entry.event == "revised":
            yield f"- **Plan sent back** by {who}: {why}"
        elif entry.event == "approved" and entry.get("takeover"):
            yield f"- **Plan** written by {who}"
        elif entry.event == "approved" and entry.get("by") == "forced":
            yield f"- **Plan** approved in spite of errors: {why}"
        elif entry.event == "approved" and entry.get("by") == "checks":
            yield "- **Plan** passed on the checks alone"
        elif entry.event == "approved" and entry.get("by").startswith("review") and not entry.get("of"):
            yield f"- **Plan** approved by {who}"
        elif entry.event in FAILURES and entry.get("kind") == "died":
            # No attempt: the turn is given to a worker again.
            yield f"- **Worker lost** ({_worker(tier)}): {why}"
        elif entry.event in FAILURES and entry.get("kind") == FOREIGN:
            yield f"- **Log**: {why}"
        elif entry.event in FAILURES:
            number += turn not in ("", "plan")
            yield f"- {_attempt(entry, tier, turn, number)}: {why}"
        elif entry.event == "escalated":
            how = "on the work as it stands" if entry.get("next") == "retry" else "from the start, with a new plan"
            yield f"- **One tier up**, from {entry.get('from')} to {entry.get('to')}, {how}"
        elif entry.event == "decided" and entry.get("to") == "retry":
            yield f"- **One more try**, decided by {who}: {why}"
        elif entry.event == "rescoped":
            yield f"- **Scope changed** by {who}: {why}"


def _attempt(entry: LogEntry, tier: str, turn: str, number: int) -> str:
    if turn in ("", "plan"):
        return f"**Planning** ({_worker(tier)})"
    taken = f", landed as {entry.get('commit')[:7]} and taken back" if entry.event == "reverted" else ""
    return f"**Attempt {number}** ({_worker(tier)}{_TURNS.get(turn, '')}){taken}"


def _worker(tier: str) -> str:
    return f"worker {tier}" if tier else "its worker"


def _who(by: str) -> str:
    return _BY.get(by, f"the reviewer {by.removeprefix('review ')}" if by.startswith("review") else by or "orch")


def _ways(key: TaskKey, last: LogEntry | None) -> str:
    if last is not None and last.get("kind") == "scope":
        first = f'`orch rescope {key} {last.get("fix") or "--edit PATH"} --why "…"` gives it the files'
        first += f', `orch retry {key} --because "…"` has its worker undo that'
    elif last is not None and last.get("kind") == FOREIGN:
        first = f'look at `orch show {key} --log`, then `orch retry {key} --because "…"` begins it anew'
    else:
        first = f'`orch retry {key} --because "…"` gives it one more try'
    return f"{first}; or write on the board: `pending` to begin anew, `skipped` to leave it out, `done` once you did it"
