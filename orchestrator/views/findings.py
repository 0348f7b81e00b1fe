"""What the gate or a verification holds against a piece of work, as text; the one home of that form.

The same lines stand in the `## Findings` of a todo file and in a digest.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.errors import Severity
from orchestrator.model.gate import Finding

_WORDS = {Severity.FILE: "error", Severity.ITEM: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_ORDER = ("error", "warning", "note")


def finding_line(finding: Finding) -> str:
    """`error, step 3: it edits pkg/other.go, which is out of scope`."""
    step = f", step {finding.step}" if finding.step is not None else ""
    return f"{_WORDS[finding.severity]}{step}: {finding.message}"


def findings_text(findings: Iterable[Finding]) -> str:
    """A Markdown list, errors first, without a final newline; empty for none."""
    ordered = sorted(findings, key=lambda finding: _ORDER.index(_WORDS[finding.severity]))
    return "\n".join(f"- {finding_line(finding)}" for finding in ordered)
