"""The texts that go to workers: the prompt of a turn, and the messages that open, send back, retry and go on.

Owns which template serves which message and what it is given. Where the words themselves are: templates/. Must not
know sessions, drivers or files besides templates. `folder` is the planning folder, whose own templates come first;
`prompt` is the whole worker prompt, for a worker that has no memory
of its plan turn; a worker whose session goes on gets the message without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orchestrator.prompts.context import Data
from orchestrator.prompts.locations import Template, find
from orchestrator.prompts.render import render

APPROVED = "APPROVED -- execute the plan as written."
FAILED = "FAILED VERIFICATION: "


def worker_prompt(data: Data, template: Template | None = None, *, folder: Path | None = None) -> str:
    """The prompt of a turn, from the set's own template or else the one found by name.

    Raises DocumentError with file and line for a template that can't be filled.
    """
    chosen = template or find("worker", folder)
    return render(chosen.text, chosen.path, data)


def approval_message(data: Data, *, plan_text: str, prompt: str = "", folder: Path | None = None) -> str:
    """What opens execution: the line APPROVED, the answers in `data`, the fixed plan."""
    return _opened(_message("approval", data, folder, plan_text=plan_text, prompt=prompt))


def takeover_message(data: Data, *, plan_text: str, prompt: str = "", folder: Path | None = None) -> str:
    """What opens execution of a plan that the orchestrator wrote."""
    return _opened(_message("takeover", data, folder, plan_text=plan_text, prompt=prompt))


def revise_message(
    data: Data,
    *,
    findings: Sequence[str] = (),
    message: str = "",
    plan_text: str = "",
    prompt: str = "",
    folder: Path | None = None,
) -> str:
    """What sends a micro-plan back: findings of the checks, and the words of whoever judged it."""
    return _message(
        "revise", data, folder, findings=_items(findings), message=message, plan_text=plan_text, prompt=prompt
    )


def retry_message(
    data: Data,
    *,
    reason: str,
    findings: Sequence[str] = (),
    output: str = "",
    plan_text: str = "",
    prompt: str = "",
    folder: Path | None = None,
) -> str:
    """What asks for the one retry. `reason` becomes one line; `output` is the end of what the test printed."""
    line = " ".join(reason.split())
    text = _message(
        "retry",
        data,
        folder,
        reason=line,
        findings=_items(findings),
        output=output,
        plan_text=plan_text,
        prompt=prompt,
    )
    # The line is part of the protocol, whatever a template of the user's own says.
    return text if f"\n{FAILED}" in f"\n{text}" else f"{FAILED}{line}\n\n{text}"


def continue_message(data: Data, *, seen: str = "", prompt: str = "", folder: Path | None = None) -> str:
    """What a new worker gets after one that died. `prompt` is all that the dead one was told in its turn."""
    return _message("continue", data, folder, seen=seen, prompt=prompt)


def plan_review_prompt(data: Data, *, plan_text: str, findings: Sequence[str] = (), folder: Path | None = None) -> str:
    """What a reviewer of a micro-plan is asked."""
    return _message("plan_review", data, folder, plan_text=plan_text, findings=_items(findings))


def diff_review_prompt(
    data: Data,
    *,
    plan_text: str,
    diff: str,
    report: str = "",
    output: str = "",
    findings: Sequence[str] = (),
    folder: Path | None = None,
) -> str:
    """What a reviewer of a finished change is asked."""
    return _message(
        "diff_review",
        data,
        folder,
        plan_text=plan_text,
        diff=diff,
        report=report,
        output=output,
        findings=_items(findings),
    )


def _message(name: str, data: Data, folder: Path | None, **more: object) -> str:
    template = find(name, folder)
    return render(template.text, template.path, data | more)


def _items(findings: Sequence[str]) -> list[str]:
    # Findings are often lines of a list already; the template makes the list.
    return [finding.removeprefix("- ") for finding in findings]


def _opened(text: str) -> str:
    # Nothing else opens execution, so a template of the user's own can't lose the line.
    return text if text.split("\n", 1)[0].rstrip("\r") == APPROVED else f"{APPROVED}\n\n{text}"
