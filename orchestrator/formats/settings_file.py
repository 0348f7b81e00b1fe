"""ORCH.md → Settings: every key with its type, a default for everything, the body as conventions.

Owns the keys. Suites and gates are in suite_keys, limits and prices in budget_keys, repositories and workspaces in
repo_keys, type errors in typed_keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.errors import Problem, Read
from orchestrator.formats.budget_keys import read_budget, read_price
from orchestrator.formats.faults import in_order, text_faults
from orchestrator.formats.nearest import did_you_mean
from orchestrator.formats.repo_keys import read_branch, read_repos, read_sandbox, read_worktree
from orchestrator.formats.suite_keys import read_gates, read_on_regression, read_suites
from orchestrator.formats.typed_keys import TypedKeys
from orchestrator.formats.units import parse_count, parse_duration
from orchestrator.markdown.document import Document
from orchestrator.markdown.values import Value, as_value, write_value
from orchestrator.model.settings import REVIEW, TIERS, Settings, Surface, Worker
from orchestrator.model.status import Status, read_word, usual_words, words_to_write

KEYS = (
    "base",
    "branch",
    "gate",
    "review_diff",
    "jobs",
    "conventions",
    "workers",
    "suites",
    "gates",
    "on_regression",
    "surfaces",
    "repos",
    "worktree",
    "marks",
    "commit_state",
    "test_timeout",
    "budget",
    "sandbox",
)
_WORKER_KEYS = ("driver", "model", "turns", "timeout", "stall", "start", "env", "price")
_OPTION_KEYS = tuple("plan execute retry review script program args permissions allow budget network".split())
"""Keys of drivers, named only so that their misspellings are noticed."""


def read_settings(doc: Document | None, path: str) -> Read[Settings]:
    """The settings as far as they can be read, and all problems; the defaults for None. `path` is ORCH.md's."""
    if doc is None:
        return Read(Settings(path=path))
    problems: list[Problem] = [*text_faults(doc)]
    keys = TypedKeys(doc.front_matter, problems)
    defaults = Settings()
    settings = Settings(
        exists=True,
        path=path,
        base=keys.word("base"),
        branch=read_branch(keys, defaults.branch, "branch"),
        gate=_gate(keys),
        review_diff=_review_diff(keys),
        jobs=keys.converted(parse_count, defaults.jobs, "jobs"),
        conventions=keys.words("conventions"),
        body=doc.text[doc.front_matter.span.end if doc.front_matter else 0 :].lstrip("\ufeff").strip(),
        workers=_workers(keys),
        suites=read_suites(keys),
        gates=read_gates(keys),
        on_regression=read_on_regression(keys),
        surfaces=_surfaces(keys),
        repos=read_repos(keys),
        worktree=read_worktree(keys, "worktree"),
        sandbox=read_sandbox(keys),
        marks=_marks(keys),
        commit_state=keys.choice(("never", "wave"), "commit_state"),
        test_timeout=keys.converted(parse_duration, defaults.test_timeout, "test_timeout"),
        budget=read_budget(keys),
    )
    keys.check_keys(KEYS)
    return Read(settings, in_order(problems))


def _marks(keys: TypedKeys) -> dict[str, Status]:
    """What box marks besides a blank and an x mean on the board."""
    found = {}
    for mark in keys.mapping("marks"):
        word = keys.word("marks", mark)
        status = read_word(word) if word else None
        if len(mark) != 1 or mark in " xX[]":
            hint = "a mark is the one character between the brackets; [ ] and [x] have their meaning already"
            keys.report(f'"{mark}" is no mark that can be given a meaning', "marks", mark, hint=hint)
        elif status is None:
            hint = did_you_mean(word, words_to_write()) or f"the words are {usual_words()}"
            keys.report(f'"{word}" is no status', "marks", mark, hint=hint)
        else:
            found[mark] = status
    return found


def _gate(keys: TypedKeys) -> str:
    gate = keys.choice(("stop", "auto", "review"), "gate")
    return "stop" if gate == "review" and _lacks_reviewer(keys, "gate", "stop or auto") else gate


def _review_diff(keys: TypedKeys) -> str:
    if keys.value("review_diff") is None:
        return ""
    judge = keys.choice(("none", "stop", "review"), "review_diff")
    return "stop" if judge == "review" and _lacks_reviewer(keys, "review_diff", "stop or none") else judge


def _lacks_reviewer(keys: TypedKeys, key: str, instead: str) -> bool:
    if keys.value("workers", REVIEW):
        return False
    hint = f"workers: {{review: {{driver: …}}}}; or write {instead}"
    keys.report(f"`{key}: review` needs a worker `review`", key, hint=hint, code="no-reviewer")
    return True


def _workers(keys: TypedKeys) -> tuple[Worker, ...]:
    found = []
    default = Worker("", "")
    for tier, value in keys.mapping("workers").items():
        at = ("workers", tier)
        if tier not in (*TIERS, REVIEW):
            words = (*TIERS, REVIEW)
            hint = did_you_mean(tier, words) or f"the tiers are {', '.join(TIERS)}, besides them review"
            keys.report_key(f'"{tier}" is no tier', *at, hint=hint)
            continue
        driver = keys.word(*at, "driver") if isinstance(value, dict) else ""
        if not driver:
            keys.report(f"the worker `{tier}` has no driver", *at, hint=f"{tier}: {{driver: command, …}}")
            continue
        keys.check_keys((*_WORKER_KEYS, *_OPTION_KEYS), *at)
        options = {key: one for key, one in keys.mapping(*at).items() if key not in _WORKER_KEYS}
        found.append(
            Worker(
                tier=tier,
                driver=driver,
                model=keys.word(*at, "model"),
                turns=keys.converted(parse_count, default.turns, *at, "turns"),
                timeout=keys.converted(parse_duration, default.timeout, *at, "timeout"),
                stall=keys.converted(parse_duration, default.stall, *at, "stall"),
                start=keys.converted(parse_duration, default.start, *at, "start"),
                env=keys.words(*at, "env"),
                price=read_price(keys, *at, "price"),
                options=dict(options),
                at=keys.location(*at, "driver"),
            )
        )
    return tuple(found)


def _surfaces(keys: TypedKeys) -> tuple[Surface, ...]:
    named = keys.mapping("surfaces")
    if not named:
        return ()
    # Here and not above: few settings name a surface, and commands that look are to be quick.
    from orchestrator.model.scope import scope_fault

    found = []
    for name in named:
        patterns = keys.words("surfaces", name)
        hint = f'{name}: ["plugins/*/**"]'
        faults = [
            f"`{pattern}` in the surface `{name}` {fault}" for pattern in patterns if (fault := scope_fault(pattern))
        ]
        if faults:
            keys.report(faults[0], "surfaces", name, hint=f"write paths from the repository's top folder: {hint}")
        elif patterns:
            found.append(Surface(name, patterns, keys.location("surfaces", name)))
        elif not keys.value("surfaces", name):
            keys.report(f"the surface `{name}` needs a list of patterns", "surfaces", name, hint=hint)
    return tuple(found)


def new_settings_text(
    *,
    base: str = "",
    conventions: Sequence[str] = (),
    suites: Mapping[str, str] | None = None,
    workers: Mapping[str, Mapping[str, Value]] | None = None,
) -> str:
    """The text of a new ORCH.md with what was detected; what wasn't stands there as a comment to fill in.

    suites: name → command line; workers: tier → its keys, `driver` among them.
    """
    lines = ["---"]
    lines.append(f"base: {write_value(base)}" if base else "# base: main")
    lines.append("gate: stop")
    lines.append("jobs: 4")
    if conventions:
        lines.append(f"conventions: {write_value(tuple(conventions))}")
    lines += _block(
        "workers",
        workers or {},
        'small: {driver: command, plan: ["…"], execute: ["…"]}   # or {driver: manual}: you start them yourself',
    )
    lines += _block("suites", suites or {}, "unit: python -m pytest -q")
    lines += ["---", "Conventions that every worker reads: style, what never to do, where things are.", ""]
    return "\n".join(lines)


def _block(key: str, entries: Mapping[str, Value | Mapping[str, Value]], example: str) -> list[str]:
    if not entries:
        return [f"# {key}:", f"#   {example}"]
    return [f"{key}:", *(f"  {write_value(name)}: {write_value(as_value(value))}" for name, value in entries.items())]
