"""The plan's `## Acceptance`, at the end of the last wave: items that are commands are run, the others are told."""

from __future__ import annotations

import re

from orchestrator.engine.run import Run
from orchestrator.engine.suite_runs import checkout_for_suites
from orchestrator.process.running import run as run_process

_COMMAND = re.compile(r"`([^`]+)`\.?")


def judge_acceptance(run: Run) -> tuple[str, ...]:
    """A line for each item: met, unmet with its exit code, or to be judged by hand."""
    commands = {item: match[1] for item in run.plan.acceptance if (match := _COMMAND.fullmatch(item.strip()))}
    if not run.plan.acceptance:
        return ()
    path = checkout_for_suites(run.home, run.home.head()) if commands else None
    lines = []
    for number, item in enumerate(run.plan.acceptance, start=1):
        if path is None or item not in commands:
            lines.append(f"acceptance {number}, to judge by hand: {item}")
            continue
        ended = run_process(
            run.shell(commands[item], path, timeout=run.settings.test_timeout),
            run.layout.suites_dir() / f"acceptance-{number}",
            run.session.random_name(16),
        )
        met = ended.reason == "exit" and ended.exit_code == 0
        how = "" if met else f" ({ended.how})"
        lines.append(f"acceptance {number}, {'met' if met else 'unmet'}{how}: {item}")
    return tuple(lines)
