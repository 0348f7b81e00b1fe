"""Problems of a text as a whole, and problems in the order in which a person meets them.

Owns the rule that a file with a fence or comment that never ends can't be trusted: what follows it is hidden, and
what is written behind it would be hidden too.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.errors import DocumentError, Problem, Severity
from orchestrator.markdown.document import Document
from orchestrator.nouns import replace


def text_faults(doc: Document) -> tuple[Problem, ...]:
    """The problems of the text itself; those that hide what follows reach to the whole file."""
    return tuple(
        replace(problem, severity=Severity.FILE) if problem.code.startswith("unclosed-") else problem
        for problem in doc.problems
    )


def trusted(doc: Document) -> Document:
    """The document, if it can be written to. Raises DocumentError for a text with a problem of the whole file."""
    faults = [problem for problem in text_faults(doc) if problem.severity is Severity.FILE]
    if faults:
        raise DocumentError(faults)
    return doc


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems by line and column; those of the file as a whole come first."""
    return tuple(sorted(problems, key=lambda one: (one.at.line, one.at.column) if one.at else (0, 0)))
