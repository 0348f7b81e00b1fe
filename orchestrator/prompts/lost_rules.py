"""The rules that every worker template has to hold, and the words by which each is known.

This is the place to change what counts as a rule. Must not know Jinja: the text is looked at as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from orchestrator.errors import Location, Problem, Severity
from orchestrator.prompts.locations import Template

# Each rule: what is said when it is lost, a sentence that says it, and patterns any of which shows that it is there.
# The patterns are loose on purpose, since a set's template is in its owner's words: a warning for a rule that is there
# would be worse than none.
RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "no code before the plan is approved",
        "Change no code before your plan is approved.",
        (r"(before|until|unless|without|not)\b.{0,40}\bapprov", r"approv\w+ (first|before)"),
    ),
    (
        "no state-changing command before approval",
        "Run no state-changing command before approval.",
        (r"state[- ]changing", r"\binstalls?\b", r"\bmigrations?\b"),
    ),
    (
        "nothing out of scope",
        "Stay in scope: change only the files that the task names.",
        (r"\bscope\b", r"outside (the |of )?.{0,30}files"),
    ),
    (
        "stop and report",
        "If you need another file, stop and report.",
        (r"\bstop(s|ped)?\b.{0,40}\breport", r"report.{0,20}\bstop\b"),
    ),
    (
        "discovered work waits",
        "Write work that you find on the way under `## Discovered` and leave it there.",
        (r"## ?discovered", r"discovered (work|items?)"),
    ),
    (
        "at most 5 questions",
        "Ask at most 5 questions.",
        (r"\b(5|five)\b.{0,20}questions?", r"questions?[^.]{0,40}\b(5|five)\b"),
    ),
    (
        "the same test failing twice for the same reason: stop",
        "If a test fails twice for the same reason, stop and report.",
        (r"\btwice\b", r"second time", r"\btwo times\b", r"same reason"),
    ),
    ("large files are entered by the anchors", "Enter large files by the anchors.", (r"\banchors?\b",)),
    (
        "read the conventions",
        "Read the conventions of the project.",
        (r"\bconventions?\b", r"agents\.md", r"claude\.md"),
    ),
    (
        "read the named plan sections",
        "Read the plan sections that the task names.",
        (r"plan sections?", r"sections? of the plan"),
    ),
    (
        "read the reports of the dependencies",
        "Read the reports of the tasks that yours depends on.",
        (r"\bdependenc(y|ies)\b", r"\bdepends on\b"),
    ),
    ("read the reference", "Read the reference that the task names.", (r"\breferences?\b",)),
    (
        "only the targeted tests",
        "Run only the targeted tests.",
        (r"targeted tests?", r"only (run )?the tests? (named|of)"),
    ),
    (
        "end the turn after the plan",
        "End your turn after the plan.",
        (r"end (your|the) turn.{0,40}(plan|wait)", r"(plan|then|and) .{0,40}end (your|the) turn"),
    ),
)

_COMMENT = r"\{#.*?#\}"
_TAG = r"\{\{.*?\}\}|\{%.*?%\}"
_DRESSING = r"[*_`\s]+"


def lost_rules(template: Template) -> Iterator[Problem]:
    """A warning for every rule that the text doesn't hold."""
    # Slots and comments don't speak to the worker as they are written: `dependencies` in a loop is no rule.
    bare = re.sub(f"{_COMMENT}|{_TAG}", " ", template.text, flags=re.DOTALL)
    flat = re.sub(_DRESSING, " ", bare).casefold()
    for rule, sentence, patterns in RULES:
        if not re.search("|".join(patterns), flat):
            yield Problem(
                "lost-rule",
                f'the worker template no longer says "{rule}"',
                Location(template.path),
                hint=f'put it back in your words, such as "{sentence}"',
                severity=Severity.WARNING,
            )
