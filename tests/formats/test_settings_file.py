"""ORCH.md: every key with its type, defaults for everything, problems at their line."""

from __future__ import annotations

from orchestrator.formats.settings_file import new_settings_text, read_settings
from orchestrator.markdown.document import Document
from orchestrator.model.settings import Gate, Repo, Sandbox, Settings, Suite, Surface, Worker, WorkspaceSettings
from orchestrator.model.status import Status
from tests.support.planning import canonical_document, told


def read(keys: str, body: str = "") -> tuple[Settings, str]:
    found = read_settings(Document.parse(f"---\n{keys}---\n{body}", "planning/ORCH.md"), "planning/ORCH.md")
    return found.value, told(found.problems)


def test_the_canonical_settings_read_whole_and_without_a_problem() -> None:
    found = read_settings(canonical_document("ORCH.md"), "planning/ORCH.md")
    assert found.problems == ()
    assert found.value == Settings(
        exists=True,
        base="main",
        branch="orch/{n}-{slug}",
        gate="stop",
        jobs=4,
        conventions=("AGENTS.md",),
        body="Write small functions. Never touch generated files.",
        workers=(
            Worker(
                "small",
                "command",
                timeout=1200.0,
                stall=900.0,
                env=("API_KEY",),
                options={
                    "plan": ("python3", "tools/worker.py", "plan"),
                    "execute": ("python3", "tools/worker.py", "execute"),
                },
            ),
            Worker("mid", "scripted", model="larger", options={"script": "tools/recording.yaml"}),
        ),
        suites=(
            Suite("unit", "go test ./..."),
            Suite("ui", "npm --prefix ui test", timeout=1800.0, junit="out/junit.xml"),
        ),
        worktree=WorkspaceSettings(setup="npm ci", copy=(".env",), link=("node_modules",)),
    )


def test_without_a_file_or_keys_everything_has_its_default() -> None:
    assert read_settings(None, "planning/ORCH.md").value == Settings()
    workers = read("workers:\n  small: {driver: claude, start: 2m}\n  mid: {driver: claude}\n")[0].workers
    assert [worker.start for worker in workers] == [120.0, None]
    assert read_settings(Document.parse("Be kind.\n"), "planning/ORCH.md").value == Settings(
        exists=True, body="Be kind."
    )
    assert read("gate:\njobs:\nworkers: {}\n") == (Settings(exists=True), "")


def test_values_are_read_by_type_in_any_form_of_yaml() -> None:
    keys = (
        "gate: auto\njobs: '2'\nconventions: AGENTS.md\nbranch: current\ntest_timeout: 90s\n"
        "workers:\n  small:\n    driver: command\n    turns: 40\n    env:\n      - A\n"
        "      - B\n    plan: [a, '{{ x }}']\n"
        "suites:\n  unit: >-\n    python -m pytest\n    -q\nworktree:\n  reuse: no\n  keep: yes\n  root: ../trees\n"
    )
    assert read(keys, "\n\nBody.\n\n") == (
        Settings(
            exists=True,
            branch="current",
            gate="auto",
            jobs=2,
            conventions=("AGENTS.md",),
            body="Body.",
            workers=(Worker("small", "command", turns=40, env=("A", "B"), options={"plan": ("a", "{{ x }}")}),),
            suites=(Suite("unit", "python -m pytest -q"),),
            worktree=WorkspaceSettings(reuse=False, root="../trees", keep=True),
            test_timeout=90.0,
        ),
        "",
    )


def test_every_wrong_value_is_an_error_at_its_line_and_reads_as_the_default() -> None:
    settings, problems = read(
        "base: [main]\nbranch: orch/{number}\ngate: atuo\njobs: many\nconventions: {a: b}\ntest_timeout: 10\n"
        "workers:\n  small: {model: haiku}\n  tiny: {driver: command}\n"
        "  mid: {driver: command, timeout: soon, turns: 0}\n"
        "suites: pytest\nworktree: {reuse: maybe, copy: {a: b}}\njob: 3\nmine: x\n"
    )
    assert settings == Settings(exists=True, workers=(Worker("mid", "command"),))
    assert (
        problems
        == """\
2:7 <[main]> item wrong-value: `base` takes one value, not a list or a map
    base: VALUE
3:9 <orch/{number}> item wrong-value: `branch` has a slot {number} that there isn't
    the slots are {n} and {slug}
4:7 <atuo> item wrong-value: `gate` is stop, auto or review, not "atuo"
    did you mean "auto"?
5:7 <many> item wrong-value: `jobs`: "many" is no whole number from 1 up
    jobs: 4
6:14 <{a: b}> item wrong-value: `conventions` takes a list
    conventions: [a, b]
7:15 <10> item wrong-value: `test_timeout`: "10" is no duration such as 90s, 20m or 6h
    test_timeout: 10m
9:10 <{model: haiku}> item wrong-value: the worker `small` has no driver
    small: {driver: command, …}
10:3 <tiny> item wrong-value: "tiny" is no tier
    the tiers are small, mid, frontier, besides them review
11:35 <soon> item wrong-value: `timeout`: "soon" is no duration such as 90s, 20m or 6h
    timeout: 20m
11:48 <0> item wrong-value: `turns`: "0" is no whole number from 1 up
    turns: 4
12:9 <pytest> item wrong-value: `suites` takes names with a value each
    suites: {a: b}
13:19 <maybe> item wrong-value: `reuse`: "maybe" is neither true nor false
    reuse: true
13:32 <{a: b}> item wrong-value: `copy` takes a list
    copy: [a, b]
14:1 <job> warning unknown-key: "job" is no key that orch knows
    did you mean "jobs"?
"""
    )


def test_misspelt_keys_are_noticed_inside_maps_too() -> None:
    assert (
        read(
            "workers: {small: {driver: command, timout: 3m, retries: 2}}\nsuites: {unit: {run: x, jnuit: y}}\n"
            "worktree: {set_up: x}\n"
        )[1]
        == """\
2:36 <timout> warning unknown-key: "timout" is no key that orch knows
    did you mean "timeout"?
3:25 <jnuit> warning unknown-key: "jnuit" is no key that orch knows
    did you mean "junit"?
4:12 <set_up> warning unknown-key: "set_up" is no key that orch knows
    did you mean "setup"?
"""
    )


def test_a_suite_needs_a_command_and_a_repository_that_is_named() -> None:
    settings, problems = read("suites: {a: , b: [x], c: {timeout: 1m}, d: {run: y, repo: ui}}\n")
    assert settings.suites == ()
    assert (
        problems
        == """\
2:10 <a> item wrong-value: the suite `a` has no command to run
    a: COMMAND, or a: {run: COMMAND}
2:18 <[x]> item wrong-value: the suite `b` has no command to run
    b: COMMAND, or b: {run: COMMAND}
2:26 <{timeout: 1m}> item wrong-value: the suite `c` has no command to run
    c: COMMAND, or c: {run: COMMAND}
2:59 <ui> item wrong-value: `repo`: "ui" is no repository in `repos`
    name it there: repos: {ui: ../ui}
"""
    )
    settings, problems = read("repos: {ui: ../ui}\nsuites: {d: {run: y, repo: ui}, e: {run: z, repo: .}}\n")
    assert (settings.suites, problems) == ((Suite("d", "y", "ui"), Suite("e", "z")), "")
    gates = "gates: {lint: {paths: ['*.ts'], run: x, repo: ui}}"
    settings, problems = read(f"repos: {{ui: ../ui}}\n{gates}\n")
    assert (settings.gates, problems) == ((Gate(Suite("lint", "x", "ui"), ("*.ts",)),), "")
    assert read(f"repos: {{uj: ../other}}\n{gates}\n")[1].split("\n")[1] == '    did you mean "uj"?'


def test_other_repositories_have_a_path_and_what_differs_there() -> None:
    settings, problems = read(
        "repos:\n  ui: ../ui\n  docs: {path: ~/docs, base: master, branch: current,"
        " worktree: {setup: npm ci, copy: [.env]}}\n"
    )
    recipe = WorkspaceSettings(setup="npm ci", copy=(".env",))
    assert settings.repos == (Repo("ui", "../ui"), Repo("docs", "~/docs", "master", "current", recipe))
    assert problems == ""
    assert settings.repo("docs") == settings.repos[1]
    assert settings.repo("other") is None


def test_a_repository_that_cannot_be_found_or_named_is_refused() -> None:
    broken = 'a: , "b c": ../b, d: [x], e: {base: m}, f: {path: p, branch: "a..b", bsae: m}'
    settings, problems = read(f"repos: {{{broken}}}\n")
    assert settings.repos == (Repo("f", "p"),)
    assert (
        problems
        == """\
2:9 <a> item wrong-value: the repository `a` needs a path
    a: ../a, or a: {path: ../a, base: main}
2:14 <"b c"> item wrong-value: "b c" is no name for a repository
    letters, digits, `-` and `_`
2:30 <[x]> item wrong-value: the repository `d` needs a path
    d: ../d, or d: {path: ../d, base: main}
2:38 <{base: m}> item wrong-value: the repository `e` needs a path
    e: ../e, or e: {path: ../e, base: main}
2:70 <"a..b"> item wrong-value: `branch`: "a..b" can't be the name of a branch
    such as orch/{n}-{slug}
2:78 <bsae> warning unknown-key: "bsae" is no key that orch knows
    did you mean "base"?
"""
    )


def test_a_review_needs_a_worker_for_it() -> None:
    _, problems = read("gate: review\nworkers: {small: {driver: manual}}\n")
    assert (
        problems
        == """\
2:7 <review> item no-reviewer: `gate: review` needs a worker `review`
    workers: {review: {driver: …}}; or write stop or auto
"""
    )
    settings, problems = read("gate: review\nworkers: {review: {driver: manual, model: m}}\n")
    assert (settings.gate, problems) == ("review", "")
    _, problems = read("review_diff: review\nworkers: {small: {driver: manual}}\n")
    assert (
        problems
        == """\
2:14 <review> item no-reviewer: `review_diff: review` needs a worker `review`
    workers: {review: {driver: …}}; or write stop or none
"""
    )
    assert read("review_diff: stop\n")[0].review_diff == "stop"
    assert settings.reviewer is not None
    assert settings.reviewer.model == "m"
    assert settings.worker_for("small") is None, "a reviewer works at no task"


def test_a_sandbox_is_on_off_or_on_with_further_folders() -> None:
    assert [read(f"sandbox: {word}\n")[0].sandbox.is_on for word in ("on", "yes", "off", "no")] == [
        True,
        True,
        False,
        False,
    ]
    settings, problems = read("sandbox: {write: [~/.cache, /opt/x]}\n")
    assert (settings.sandbox, problems) == (Sandbox(is_on=True, write=("~/.cache", "/opt/x")), "")
    settings, problems = read("sandbox: {write: [cache, /x]}\n")
    assert settings.sandbox == Sandbox(is_on=True, write=("/x",))
    assert (
        problems == "2:18 <[cache, /x]> item wrong-value: `cache` is no whole path\n    write: [~/.cache, /opt/cache]\n"
    )
    assert "item wrong-value: `sandbox`" in read("sandbox: landlock\n")[1]


def test_wrong_values_of_nested_keys_are_told_at_their_place() -> None:
    problems = read("review_diff: maybe\nrepos: {ui: [x]}\ngates: {lint: {when: never}}\nsurfaces: {x: ['/a']}\n")[1]
    assert [line for line in problems.split("\n") if "wrong-value" in line] == [
        '2:14 <maybe> item wrong-value: `review_diff` is none, stop or review, not "maybe"',
        "3:13 <[x]> item wrong-value: the repository `ui` needs a path",
        "4:15 <{when: never}> item wrong-value: the gate `lint` needs `paths` and `run`",
        '4:22 <never> item wrong-value: `when` is wave or land, not "never"',
        "5:15 <['/a']> item wrong-value: `/a` in the surface `x` is absolute; paths count from the repository's top"
        " folder",
    ]


def test_gates_are_suites_for_the_paths_they_name() -> None:
    settings, problems = read(
        "on_regression: ask\nsuites:\n  unit: {run: make, junit: out/*.xml}\n"
        "gates:\n  lint: {paths: ['**/*.py', '*.toml'], run: ruff check, when: land, timeout: 2m}\n"
        "  docs: {paths: docs/, run: make docs, junit: docs.xml}\n"
    )
    assert problems == ""
    assert settings.on_regression == "ask"
    assert settings.suites == (Suite("unit", "make", junit="out/*.xml"),)
    assert settings.gates == (
        Gate(Suite("lint", "ruff check", timeout=120.0), ("**/*.py", "*.toml"), "land"),
        Gate(Suite("docs", "make docs", junit="docs.xml"), ("docs/",)),
    )


def test_gates_that_cannot_be_run_are_told_at_their_place() -> None:
    settings, problems = read(
        "on_regression: maybe\nsuites: {unit: {run: make, junit: ../out.xml}}\n"
        "gates:\n  unit: {paths: ['*'], run: make}\n  a: {run: make, pahts: x}\n"
        "  b: {paths: [/etc], run: make, when: never}\n"
    )
    assert settings == Settings(exists=True, suites=(Suite("unit", "make"),))
    assert (
        problems
        == """\
2:16 <maybe> item wrong-value: `on_regression` is revert or ask, not "maybe"
    write revert or ask
3:35 <../out.xml> item wrong-value: `junit`: `../out.xml` leads upwards with `..`
    write a path from the repository's top folder
5:9 <{paths: ['*'], run: make}> item wrong-value: `unit` is the name of a suite too
    results are kept by name: give one of them another
6:6 <{run: make, pahts: x}> item wrong-value: the gate `a` needs `paths` and `run`
    a: {paths: ["**/*.py"], run: COMMAND}
6:18 <pahts> warning unknown-key: "pahts" is no key that orch knows
    did you mean "paths"?
7:14 <[/etc]> item wrong-value: `/etc` in the gate `b` is absolute; paths count from the repository's top folder
    write patterns from the repository's top folder: ["src/**", "*.toml"]
7:39 <never> item wrong-value: `when` is wave or land, not "never"
    write wave or land
"""
    )


def test_marks_are_read_in_the_words_of_the_board_and_wrong_ones_are_told() -> None:
    settings, problems = read("marks: {'~': in progress, '-': Dropped, '!': weird, '>>': done, x: pending, '?': ''}\n")
    assert settings.marks == {"~": Status.RUNNING, "-": Status.SKIPPED}
    assert (
        problems
        == """\
2:46 <weird> item wrong-value: "weird" is no status
    the words are pending, approved, done, needs-input, blocked, skipped
2:59 <done> item wrong-value: ">>" is no mark that can be given a meaning
    a mark is the one character between the brackets; [ ] and [x] have their meaning already
2:68 <pending> item wrong-value: "x" is no mark that can be given a meaning
    a mark is the one character between the brackets; [ ] and [x] have their meaning already
2:82 <''> item wrong-value: "" is no status
    the words are pending, approved, done, needs-input, blocked, skipped
"""
    )


def test_surfaces_are_names_with_patterns() -> None:
    settings, problems = read("surfaces: {manifest: ['plugins/*/**'], one: src/a.py, none: []}\n")
    assert settings.surfaces == (Surface("manifest", ("plugins/*/**",)), Surface("one", ("src/a.py",)))
    assert problems == (
        '2:61 <[]> item wrong-value: the surface `none` needs a list of patterns\n    none: ["plugins/*/**"]\n'
    )


def test_the_set_is_committed_at_each_waves_end_only_where_that_is_asked_for() -> None:
    assert read("jobs: 4\n")[0].commit_state == "never"
    assert read("commit_state: wave\n") == (Settings(exists=True, commit_state="wave"), "")
    settings, problems = read("commit_state: always\n")
    assert (settings.commit_state, problems) == (
        "never",
        '2:15 <always> item wrong-value: `commit_state` is never or wave, not "always"\n    write never or wave\n',
    )


def test_values_that_mean_off_are_no_problem() -> None:
    keys = "review_diff: none\nrepos: {}\ngates:\nsandbox: off\ncommit_state: never\non_regression: revert\n"
    assert read(keys) == (Settings(exists=True, review_diff="none"), "")


def test_branch_names_that_git_refuses_are_refused() -> None:
    for branch in ("a b", "-a", "a..b", "a/", "a.lock", "a~1", "a//b", ".a", "a/.b", "{slug} x"):
        assert "can't be the name of a branch" in read(f'branch: "{branch}"\n')[1], branch
    for branch in ("orch/{n}", "{slug}", "a/b-c_d.e", "current"):
        assert read(f'branch: "{branch}"\n') == (Settings(exists=True, branch=branch), "")


def test_broken_front_matter_is_a_problem_of_the_whole_file() -> None:
    problems = read("workers: {small: *x}\n")[1]
    assert problems.startswith("2:18 <*> file broken-front-matter")
    assert "quote" in problems


def test_new_settings_hold_what_was_detected_and_read_back() -> None:
    text = new_settings_text(
        base="main",
        conventions=["AGENTS.md"],
        suites={"unit": "python -m pytest -q", "odd": 'a: "b" # c'},
        workers={"small": {"driver": "command", "plan": ("a", "{{ paths.todo }}"), "execute": ("b",)}},
    )
    assert (
        text
        == """\
---
base: main
gate: stop
jobs: 4
conventions: [AGENTS.md]
workers:
  small: {driver: command, plan: [a, "{{ paths.todo }}"], execute: [b]}
suites:
  unit: python -m pytest -q
  odd: 'a: "b" # c'
---
Conventions that every worker reads: style, what never to do, where things are.
"""
    )
    found = read_settings(Document.parse(text), "planning/ORCH.md")
    assert found.problems == ()
    assert found.value.suites == (Suite("unit", "python -m pytest -q"), Suite("odd", 'a: "b" # c'))
    assert found.value.workers[0].options == {"plan": ("a", "{{ paths.todo }}"), "execute": ("b",)}


def test_what_was_not_detected_stands_as_a_comment() -> None:
    text = new_settings_text()
    assert (
        text.split("---\n")[1]
        == """\
# base: main
gate: stop
jobs: 4
# workers:
#   small: {driver: command, plan: ["…"], execute: ["…"]}   # or {driver: manual}: you start them yourself
# suites:
#   unit: python -m pytest -q
"""
    )
    assert read_settings(Document.parse(text), "planning/ORCH.md").problems == ()
