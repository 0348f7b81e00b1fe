"""What each problem code stands for, in one line: the rules of SARIF and the list in docs/problems.md.

The place to add a code. Owns no message: those are made where the problem is found.
"""

from __future__ import annotations

CODES: dict[str, str] = {
    # the text
    "not-utf-8": "The file isn't UTF-8.",
    "broken-front-matter": "The front matter can't be read as YAML.",
    "duplicate-key": "A key of the front matter is given twice.",
    "unclosed-front-matter": "The front matter begins and never ends.",
    "text-above-front-matter": "Text above the opening `---` keeps front matter from being read.",
    "unclosed-fence": "A code fence never ends, so that what follows is read as code.",
    "unclosed-comment": "A comment never ends, so that what follows is read as part of it.",
    "unclosed-html": "An HTML block never ends, so that what follows is read as part of it.",
    "nested-fence": "A fence stands in another one of as many marks and ends it too early.",
    "lost-table": "Header and delimiter row differ in their cells, so that this isn't read as a table.",
    "lost-cell": "A row has more cells than its table has columns.",
    "readers-differ": "Another reader of Markdown or YAML sees this place otherwise.",
    # ids and numbers
    "number-mismatch": "Front matter or heading and file name give different numbers.",
    "key-mismatch": "Two places give one task different keys.",
    "wave-mismatch": "Two places put one task in different waves.",
    "duplicate-task": "Two sections have one key.",
    "other-plan": "A task of another plan is named.",
    "bad-task": "A word where a task is named is none.",
    "ambiguous-task": "A name could stand for several tasks.",
    "bad-pin": "A local id is pinned to what is no key of this plan.",
    "duplicate-pin": "Two local ids are pinned to one key.",
    # waves
    "empty-plan": "The plan holds no wave and no task.",
    "no-waves": "The plan holds no wave.",
    "ambiguous-waves": "Several tables could be the wave table.",
    "no-task-column": "A table of waves has no column for their tasks.",
    "unknown-column": "A column is likely to be a known one misspelt.",
    "bad-wave": "A wave has no number.",
    "duplicate-wave": "Two rows have one number.",
    "empty-wave": "A wave has no task.",
    "wave-numbers": "The waves aren't numbered 1, 2, 3, …",
    "large-wave": "A wave has more than 8 tasks.",
    "no-wave": "A task stands in no wave.",
    "task-in-two-waves": "A task stands in two waves, or twice in one.",
    "wrong-wave": "A task stands in the row of a wave that isn't its key's.",
    "no-section": "A task of a wave has no section.",
    "in-backlog": "A task of a wave has its section below Backlog.",
    # dependencies
    "unknown-dependency": "A task depends on a task that isn't in the plan.",
    "unknown-wave": "A wave is named that isn't in the plan.",
    "not-understood": "Words where tasks or waves are named are neither.",
    "empty-range": "A range of tasks runs backwards.",
    "duplicate-dependency": "A task names a dependency twice.",
    "self-dependency": "A task or wave depends on itself.",
    "same-wave-dependency": "A task depends on one of its own wave.",
    "later-wave-dependency": "A task or wave depends on a later wave.",
    "dependency-cycle": "Tasks wait for each other.",
    # scope
    "no-scope": "A task names no file that it may change.",
    "bad-scope": "A path may not stand in a scope.",
    "unclear-path": "Words in a scope aren't clearly one path.",
    "scope-overlap": "Two tasks of one wave may change one file.",
    "resource-overlap": "Two tasks of one wave hold one resource.",
    "surface-overlap": "Two tasks of one wave touch one surface.",
    "must-edit-missing": "A file that a task must edit doesn't exist where the orchestration starts.",
    "in-submodule": "A path lies in a submodule, whose files aren't worked on.",
    "can-create-exists": "A file that a task can create exists where the orchestration starts.",
    "scratch-tracked": "Scratch is tracked by git.",
    "anchor-missing": "The file of an anchor doesn't exist.",
    "anchor-not-found": "An anchor isn't found in its file.",
    "reference-missing": "A reference doesn't exist.",
    # fields of a spec
    "no-acceptance": "A task has no acceptance.",
    "no-test": "A task has no test command.",
    "several-commands": "A test is several commands.",
    "unknown-label": "A label is likely to be a known one misspelt.",
    "duplicate-label": "A label is given twice.",
    "unknown-tier": "A tier is named that there isn't.",
    "unknown-priority": "A priority is named that there isn't.",
    "unknown-size": "A size is named that there isn't.",
    "commit-message": "A commit message names a task, a wave or an orchestration.",
    "repo-not-available": "A task is for another repository, which isn't available yet.",
    # settings
    "unknown-key": "A key is likely to be a known one misspelt.",
    "wrong-value": "A setting has a value that it can't have.",
    "not-available": "A setting or label whose part isn't built yet.",
    "no-workers": "No worker is set up.",
    "driver": "A worker's driver can't be had.",
    "worker": "A worker can't be run as it is set up.",
    # STATE and todo files
    "ambiguous-board": "Several tables or lists could be the wave board.",
    "no-board": "No table is about the plan's tasks.",
    "board-without-boxes": "A board that is a list has items without boxes.",
    "unknown-status": "A status isn't understood.",
    "reserved-status": "A status that isn't built yet.",
    "unknown-mark": "A box mark has no meaning.",
    "mark-clash": "A box and the word beside it say different things.",
    "duplicate-row": "A task has two rows on the board.",
    "ambiguous-row": "A row could be about several tasks.",
    "stray-row": "A row of the board is about no task of the plan.",
    "unknown-wave-status": "A status of a wave isn't understood.",
    "unknown-result": "A suite's result isn't understood.",
    "wrong-type": "A key of STATE or a todo file has a value of another kind.",
    "duplicate-report": "A task has two reports.",
    "stray-todo-file": "A todo file is about no task of the plan.",
    "unknown-log-line": "A line of a log is no entry.",
    # templates
    "template-syntax": "A template can't be read.",
    "template-include": "A template takes in another file.",
    "template-render": "A template can't be filled.",
    "unknown-slot": "A slot that there isn't.",
    "unknown-filter": "A filter that there isn't.",
    "unknown-test": "A test that there isn't.",
    "slot-not-text": "A slot that holds a list or parts stands where text goes.",
    "lost-rule": "The worker template lost a rule.",
}
"""Code → what it stands for; in the order in which the list shows them."""


def meaning(code: str) -> str:
    """The line for a code; for one that isn't listed the code itself in words."""
    return CODES.get(code) or code.replace("-", " ").capitalize() + "."
