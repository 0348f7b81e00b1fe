from orchestrator.errors import Severity
from orchestrator.model.gate import Finding
from orchestrator.views.findings import findings_text


def test_findings_are_a_list_with_errors_first() -> None:
    findings = (
        Finding("no-anchor", "`big.py` has 900 lines and no anchor", Severity.WARNING),
        Finding("exists", "`a.py` is said to exist", Severity.NOTE, step=2),
        Finding("out-of-scope", "it edits `b.py`, which is out of scope", Severity.ITEM, step=1),
        Finding("criterion", "no step names A2", Severity.WARNING),
    )
    assert findings_text(findings) == (
        "- error, step 1: it edits `b.py`, which is out of scope\n"
        "- warning: `big.py` has 900 lines and no anchor\n"
        "- warning: no step names A2\n"
        "- note, step 2: `a.py` is said to exist"
    )


def test_no_findings_are_no_text() -> None:
    assert findings_text(()) == ""
