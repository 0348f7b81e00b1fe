"""Turns of the manual driver: handed out as prompt and worktree, taken in when their worker has left its word.

A turn is over when its todo copy was saved since it was laid there, and holds what was asked for; or when a final
message was handed in. Must not know what a turn's result is judged by.
"""

from __future__ import annotations

from pathlib import Path

from orchestrator.digests import sha256
from orchestrator.engine.copies import copy_in, copy_name, plain_text, text_in
from orchestrator.engine.run import Run
from orchestrator.formats.task_file import read_micro_plan
from orchestrator.markdown.document import Document
from orchestrator.model.facts import Turn
from orchestrator.model.ids import TaskKey
from orchestrator.model.settings import MANUAL
from orchestrator.model.stage import Standing
from orchestrator.store.layout import Layout
from orchestrator.store.places import workspace_dir
from orchestrator.store.text_files import replace_text

SAID, LAID, PROMPT = "said.md", "laid", "prompt.md"
ANSWER = "answer.md"
"""Where a reviewer may write its answer, in the folder of its turn."""


def is_hosted(run: Run, key: TaskKey) -> bool:
    """Whether the task's last turn was given to a worker of the session's own."""
    return (run.standing(key).driver or run.task(key).driver) == MANUAL


def hand_out(run: Run, key: TaskKey, folder: Path, prompt: str) -> None:
    """Leave the prompt where the session finds it, and note what the worker's todo file said before."""
    (folder / SAID).unlink(missing_ok=True)
    replace_text(folder / LAID, _mark(run.layout, key))
    # Last: where it lies the turn has been handed out.
    replace_text(folder / PROMPT, prompt)


def turn_state(run: Run, key: TaskKey, now: Standing) -> Turn:
    """What has become of a turn that was handed out: alive until its worker has left its word."""
    return state_in(run.layout, key, now)


def state_in(layout: Layout, key: TaskKey, now: Standing) -> Turn:
    """As turn_state, for who has no run."""
    folder = layout.turn_dir(key, now.turns, now.turn)
    if not (folder / PROMPT).is_file():
        return Turn.NEVER_STARTED
    if _said_in(folder):
        return Turn.ENDED
    if now.turn == "review":
        return Turn.ENDED if plain_text(folder, folder / ANSWER).strip() else Turn.ALIVE
    try:
        laid = (folder / LAID).read_text("utf-8")
    except OSError:
        laid = ""
    if _mark(layout, key) == laid:
        return Turn.ALIVE
    micro = read_micro_plan(Document.parse(text_in(layout, key), copy_name(key))).value
    has_word = bool(micro.steps) if now.turn == "plan" else micro.report is not None
    return Turn.ENDED if has_word else Turn.ALIVE


def said(run: Run, key: TaskKey, now: Standing) -> str:
    """The final message that was handed in for the turn; empty if there is none."""
    return run.mask(_said_in(_folder(run, key, now)))


def _said_in(folder: Path) -> str:
    try:
        return (folder / SAID).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def where(run: Run, key: TaskKey, now: Standing) -> str:
    """The line that the session needs: worktree and prompt of the turn."""
    layout = run.layout
    worktree = layout.review_dir(key) if now.turn == "review" else workspace_dir(layout, key)
    return f"worktree {worktree}, prompt {_folder(run, key, now) / PROMPT}"


def _folder(run: Run, key: TaskKey, now: Standing) -> Path:
    return run.layout.turn_dir(key, now.turns, now.turn)


def _mark(layout: Layout, key: TaskKey) -> str:
    """What the todo copy says and when it was saved: a worker may find that its plan should stay as it is."""
    try:
        saved = copy_in(layout, key).lstat().st_mtime_ns
    except OSError:
        saved = 0
    return f"{sha256(text_in(layout, key).encode('utf-8')).hexdigest()} {saved}"
