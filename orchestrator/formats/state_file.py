"""STATE_N.md → State: front matter, baseline, waves, board, discovered work, reports.

Owns how the parts come together and the ways a run is told to stop. The parts are read in board, state_tables and
reports; the edits are in state_edits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orchestrator.errors import Problem, Read, Severity
from orchestrator.formats.board_reading import read_board
from orchestrator.formats.board_status import Marks
from orchestrator.formats.faults import in_order, text_faults
from orchestrator.formats.guest_text import from_item
from orchestrator.formats.misspelt_sections import misspelt_sections
from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.pins import KEY as IDS
from orchestrator.formats.places import place
from orchestrator.formats.questions import QUESTIONS, read_questions
from orchestrator.formats.reports import read_reports
from orchestrator.formats.row_names import names_of
from orchestrator.formats.state_tables import believed_waves, find_waves, read_baseline, read_known_failures, read_waves
from orchestrator.formats.task_names import own_key
from orchestrator.markdown.document import Document
from orchestrator.markdown.front_matter import FrontMatter
from orchestrator.markdown.source import Span
from orchestrator.model.ids import TaskKey
from orchestrator.model.plan import Plan
from orchestrator.model.state import Fork, ReportSection, State
from orchestrator.patterns import regex

KEYS = ("orchestration", "branch", "base", "fork", "status", "run", "repos", "stop", IDS)
_FORK = ("branch", "base", "fork")
STATUSES = ("open", "done", "abandoned")
DISCOVERED = "Discovered"
SECTIONS = ("Baseline", "Waves", "Wave board", QUESTIONS, DISCOVERED)
_STOP = regex(r"[*_`]*STOP[*_`]*(?:\s*[:—–-]\s*|\s+|$)(.*)", re.DOTALL)
_NO = ("", "no", "false", "none", "—", "-")


def read_state(doc: Document | None, plan: Plan, path: str, marks: Marks | None = None) -> Read[State]:
    """The state as far as it can be read, and all problems; a state that doesn't exist for None.

    marks: what box marks besides a blank and an x mean.
    """
    if doc is None:
        return Read(State(plan.number, path))
    problems = [*text_faults(doc), *misspelt_sections(doc, SECTIONS)]
    names = names_of(plan, doc)
    baseline, has_baseline, faults = read_baseline(doc)
    waves, more = read_waves(doc)
    board, rest = read_board(doc, names, marks or {})
    reports = read_reports(doc, names)
    questions, wrong = read_questions(doc, names)
    problems += [*_front_matter_problems(doc, plan.number), *faults, *more, *rest, *_twice(reports), *wrong]
    run = _key(doc, "run")
    if not run and find_waves(doc)[1] is None:
        waves = believed_waves(plan, {row.key: row.status for row in board})
    discovered = doc.section(DISCOVERED)
    state = State(
        number=plan.number,
        path=path,
        exists=True,
        branch=_key(doc, "branch"),
        base=_key(doc, "base"),
        fork=_key(doc, "fork"),
        status=_key(doc, "status").casefold() or "open",
        run=run,
        repos=_repos(doc),
        stop=_stop(doc),
        baseline=baseline,
        has_baseline=has_baseline,
        known_failures=read_known_failures(doc),
        waves=waves,
        board=board,
        reports=reports,
        questions=questions,
        discovered=tuple(from_item(doc, item) for item in doc.items_in(discovered.body)) if discovered else (),
    )
    return Read(state, in_order(problems))


def _key(doc: Document, key: str) -> str:
    value = doc.front_matter.get(key) if doc.front_matter else None
    return value if isinstance(value, str) else ""


def _repos(doc: Document) -> dict[str, Fork]:
    """Where the orchestration stands in other repositories, as far as it is whole."""
    value = doc.front_matter.get("repos") if doc.front_matter else None
    found = {}
    for name, keys in value.items() if isinstance(value, dict) else ():
        words = [keys.get(key) for key in _FORK] if isinstance(keys, dict) else []
        branch, base, fork = (word if isinstance(word, str) else "" for word in words or ("", "", ""))
        if branch and fork:
            found[name] = Fork(branch, base, fork)
    return found


def _stop(doc: Document) -> str:
    """The reason to stop: `stop:` in the front matter, or a line STOP above the first heading; "" to go on."""
    reason = _key(doc, "stop")
    if reason.casefold() not in _NO:
        return reason
    top = doc.headings[0].span.start if doc.headings else len(doc.text)
    if "STOP" not in doc.text[:top]:
        return ""
    for block in doc.paragraphs_in(Span(0, top)):
        text = doc.text[block.span.start : block.span.end]
        for line in re.split(r"[\r\n]+", text):
            match = _STOP.fullmatch(line.strip())
            if match:
                return match[1].strip() or "STOP"
    return ""


def _front_matter_problems(doc: Document, number: int) -> list[Problem]:
    front = doc.front_matter
    if front is None:
        return []
    problems = []
    said = front.get("orchestration")
    if said is not None and said != str(number):
        message = f'the front matter says orchestration "{said}", the file name {number}'
        hint = "make them agree; a set keeps the number of its files"
        where = front.location("orchestration")
        problems.append(Problem("number-mismatch", message, where, hint, Severity.FILE))
    status = front.get("status")
    if status and status not in STATUSES:
        message = f'"{status}" is no status of an orchestration'
        hint = did_you_mean(str(status), STATUSES) or f"the words are {', '.join(STATUSES)}"
        problems.append(Problem("unknown-status", message, front.location("status"), hint))
    for key in front.keys:
        value = front.get(key)
        hint = did_you_mean(key, KEYS) if key not in KEYS else ""
        entry = front.entry(key)
        if hint and entry:
            where = place(doc, entry.key_span)
            problems.append(Problem("unknown-key", f'"{key}" is no key that orch knows', where, hint, Severity.WARNING))
        if key == IDS:
            problems += _pin_problems(front, number)
        elif key == "repos":
            problems += _repo_problems(front)
        elif key in KEYS and not isinstance(value, str):
            message = f"`{key}` takes one value, not a list or a map"
            problems.append(Problem("wrong-type", message, front.location(key), "write it on one line"))
    return problems


def _repo_problems(front: FrontMatter) -> Iterator[Problem]:
    value = front.get("repos")
    form = "{base: main, fork: COMMIT, branch: NAME}"
    if not isinstance(value, dict):
        hint = f"write it on one line: repos: {{ui: {form}}}"
        yield Problem("wrong-type", "`repos` takes a map of names", front.location("repos"), hint)
        return
    for name, keys in value.items():
        there = keys if isinstance(keys, dict) else {}
        missing = [key for key in ("branch", "fork") if not isinstance(there.get(key), str) or not there[key]]
        if missing:
            message = f"the repository `{name}` has no {missing[0]} on record"
            hint = f"write `{name}: {form}`, or take it out: orch forks it anew"
            yield Problem("bad-repo", message, front.location("repos", name), hint, Severity.FILE)


def _pin_problems(front: FrontMatter, number: int) -> Iterator[Problem]:
    value = front.get(IDS)
    if not isinstance(value, dict):
        hint = f"write it on one line: ids: {{T1-first: {number}.1.1}}"
        yield Problem("wrong-type", f"`{IDS}` takes a map of ids to keys", front.location(IDS), hint)
        return
    seen: dict[TaskKey, str] = {}
    for name, word in value.items():
        key = own_key(word, number=number) if isinstance(word, str) else None
        if key is None:
            message = f'"{word}" is no key of plan {number}, so "{name}" stands for no task'
            hint = f"a key is {number}.WAVE.ID, such as {number}.1.1"
            yield Problem("bad-pin", message, front.location(IDS, name), hint)
        elif key in seen:
            message = f'"{seen[key]}" and "{name}" both stand for {key}'
            yield Problem("duplicate-pin", message, front.location(IDS, name), "give each a key of its own")
        else:
            seen[key] = name


def _twice(reports: Sequence[ReportSection]) -> Iterator[Problem]:
    """A task's reports but its first: nothing reads them, and a new one would replace the first."""
    seen: dict[TaskKey, ReportSection] = {}
    for report in reports:
        first = seen.setdefault(report.key, report)
        if first is not report:
            line = first.at.line if first.at else 0
            message = f"{report.key} has two reports, the first in line {line}"
            hint = "only the first is read and replaced; keep one of them"
            yield Problem("duplicate-report", message, report.at, hint, Severity.WARNING)
