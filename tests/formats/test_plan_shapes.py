"""One plan in any shape: however waves, names, fields, lists and line endings are written, it reads the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.formats.plan_file import read_plan
from orchestrator.formats.plan_outline import read_outline
from orchestrator.markdown.document import Document
from orchestrator.model.ids import TaskKey
from tests.formats.test_plan_outline import seen
from tests.support.planning import told


@dataclass(frozen=True)
class Task:
    wave: int
    place: int
    waits: tuple[tuple[int, int], ...]
    edit: tuple[str, ...]
    create: tuple[str, ...]
    acceptance: tuple[str, ...]
    test: str

    @property
    def at(self) -> tuple[int, int]:
        return (self.wave, self.place)


NAMES: dict[str, Callable[[int, int], str]] = {
    "key": lambda wave, place: f"5.{wave}.{place}",
    "short": lambda wave, place: f"{wave}.{place}",
    "slug": lambda wave, place: f"T{wave}.{place}-some-words",
    "number": lambda wave, place: f"FEAT-{wave * 100 + place:03}",
    "other": lambda wave, place: f"1.{wave}.{place}",
    "letter": lambda wave, place: f"{wave}{chr(96 + place)}",
}
SEPARATORS = (" — ", " – ", ": ", " - ", " -- ")
PATHS = ("src/a.py", "src/[id].tsx", "docs/{a,b}.md", "lib/**", "x y.txt")
CRITERIA = ("it works", "every test in `a.py` passes", "A1 holds | or not", "no more, no less")
TESTS = ("make", "pytest -q -k 'a or b' | tail", 'python -c "print(1, 2)"', "a && b; c")


@st.composite
def plans(draw: st.DrawFn) -> list[Task]:
    tasks: list[Task] = []
    for wave in range(1, draw(st.integers(1, 3)) + 1):
        earlier = [task.at for task in tasks]
        for place in range(1, draw(st.integers(1, 3)) + 1):
            waits = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=3)) if earlier else []
            tasks.append(
                Task(
                    *(wave, place, tuple(sorted(waits))),
                    edit=tuple(draw(st.lists(st.sampled_from(PATHS), unique=True, min_size=1, max_size=3))),
                    create=tuple(draw(st.lists(st.just("new/b.py"), max_size=1))),
                    acceptance=tuple(draw(st.lists(st.sampled_from(CRITERIA), unique=True, min_size=1, max_size=2))),
                    test=draw(st.sampled_from(TESTS)),
                )
            )
    return tasks


class Writer:
    """Writes a plan down, each choice drawn anew."""

    def __init__(self, draw: st.DrawFn, tasks: list[Task]) -> None:
        self.draw = draw
        self.tasks = tasks
        self.style = draw(st.sampled_from(sorted(NAMES)))
        self.waves = draw(st.sampled_from(("row a wave", "row a task", "headings", "boxes")))
        self.level = draw(st.sampled_from(("###", "####")))
        if self.waves in ("headings", "boxes") and self.style == "short":
            self.style = "slug"

    def one_of(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def name(self, at: tuple[int, int]) -> str:
        return NAMES[self.style](*at)

    def whole(self) -> str:
        numbers = sorted({task.wave for task in self.tasks})
        text = "# Execution plan 5 — X\n\n## Goal\n\nNone.\n\n"
        if self.waves.startswith("row"):
            text += self.table(numbers) + "\n## Tasks\n\n"
            return text + "".join(self.section(task) for task in self.tasks)
        for number in numbers:
            mine = [task for task in self.tasks if task.wave == number]
            text += f"## Wave {number}{self.one_of('', ': Theme', ' — Theme')}\n\n"
            if self.waves == "boxes":
                text += "".join(f"- [ ] `{self.name(task.at)}`{self.one_of(' — T', ' (open) — T')}\n" for task in mine)
                text += "\n"
            text += "".join(self.section(task) for task in mine)
        return text

    def table(self, numbers: list[int]) -> str:
        if self.waves == "row a wave":
            columns = ["Wave", self.one_of("Tasks", "Task IDs"), "Depends on", "Owner"]
            lines = []
            for number in numbers:
                names = [self.name(task.at) for task in self.tasks if task.wave == number]
                if self.draw(st.booleans()):
                    names = [f"`{name}`" for name in names]
                cells = [self.wave(number), self.one_of(", ", " + ", "; ", "<br>").join(names), "—", "Ana"]
                lines.append(dict(zip(columns, cells, strict=True)))
        else:
            columns = ["Wave", self.one_of("Task", "Task ID", "ID"), "Dependencies", "Description"]
            lines = [
                dict(zip(columns, [self.wave(task.wave), self.bold(self.name(task.at)), "", "T"], strict=True))
                for task in self.tasks
            ]
        order = self.draw(st.permutations(columns))
        rows = [order, ["---"] * len(order), *([line[name] for name in order] for line in lines)]
        return "## Waves\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)

    def wave(self, number: int) -> str:
        return self.one_of(f"{number}", f"Wave {number}", f"**Wave {number}**", f"{number} Theme")

    def bold(self, word: str) -> str:
        return self.one_of(word, f"`{word}`", f"**{word}**")

    def section(self, task: Task) -> str:
        name = self.one_of(self.name(task.at), f"Task {self.name(task.at)}", f"`{self.name(task.at)}`")
        heading = f"{self.level} {name}{self.one_of(*SEPARATORS)}T\n\n"
        form = self.one_of("list", "list", "lines", "table", "group")
        labelled = [
            (self.one_of("Must edit", "must-edit", "Target files"), self.paths(task.edit)),
            (self.one_of("Can create", "new files", "Create"), self.paths(task.create)),
            (self.one_of("Depends on", "deps", "Blocked by", "After"), self.waits(task)),
            (self.one_of("Test", "Acceptance command", "targeted test command"), f"`{task.test}`"),
        ]
        criteria = (self.one_of("Acceptance", "Done when", "acceptance criteria"), task.acceptance)
        return heading + getattr(self, f"as_{form}")(labelled, criteria) + "\nProse, at last.\n\n"

    def paths(self, paths: tuple[str, ...]) -> str:
        return ", ".join(f"`{path}`" for path in paths) or self.one_of("none", "—")

    def waits(self, task: Task) -> str:
        names = [self.bold(self.name(at)) for at in task.waits]
        return self.one_of(", ", " + ", "; ", " and ").join(names) or self.one_of("none", "None", "n/a", "start")

    def as_list(self, labelled: list[tuple[str, str]], criteria: tuple[str, tuple[str, ...]]) -> str:
        marker = self.one_of("-", "*")
        bold = self.draw(st.booleans())
        lines = [
            f"{marker} **{label}:** {value}" if bold else f"{marker} {label}: {value}" for label, value in labelled
        ]
        lines += [f"{marker} {criteria[0]}:", *(f"  - {one}" for one in criteria[1])]
        return "".join(f"{line}\n" for line in lines)

    def as_lines(self, labelled: list[tuple[str, str]], criteria: tuple[str, tuple[str, ...]]) -> str:
        between = self.one_of("\n", "\n\n")
        bold = self.draw(st.booleans())
        lines = [f"**{label}:** {value}" if bold else f"{label}: {value}" for label, value in labelled]
        return between.join(lines) + f"\n\n**{criteria[0]}:**\n" + "".join(f"- {one}\n" for one in criteria[1])

    def as_table(self, labelled: list[tuple[str, str]], criteria: tuple[str, tuple[str, ...]]) -> str:
        rows = [*labelled, (criteria[0], "<br>".join(criteria[1]))]
        lines = [f"| {self.bold(label)} | {value.replace('|', chr(92) + '|')} |\n" for label, value in rows]
        return "| Field | Value |\n| --- | --- |\n" + "".join(lines)

    def as_group(self, labelled: list[tuple[str, str]], criteria: tuple[str, tuple[str, ...]]) -> str:
        (edit, create), rest = labelled[:2], labelled[2:]
        lines = ["- files-in-scope:", f"  - {edit[0]}: {edit[1]}", f"  - {create[0]}: {create[1]}"]
        lines += [f"- {label}: {value}" for label, value in rest]
        lines += [f"- {criteria[0]}:", *(f"  - {one}" for one in criteria[1])]
        return "".join(f"{line}\n" for line in lines)


@st.composite
def written(draw: st.DrawFn) -> tuple[list[Task], str]:
    tasks = draw(plans())
    text = Writer(draw, tasks).whole()
    form = draw(st.sampled_from(("lf", "lf", "crlf", "bom", "no end")))
    changed = {"lf": text, "crlf": text.replace("\n", "\r\n"), "bom": f"\ufeff{text}", "no end": text.rstrip("\n")}
    return tasks, changed[form]


@settings(max_examples=60)
@given(written())
def test_any_shape_of_a_plan_reads_the_same(pair: tuple[list[Task], str]) -> None:
    tasks, text = pair
    found = read_plan(Document.parse(text, "p"), 5)
    assert told(found.problems) == ""
    read = [
        Task(
            *(
                spec.key.wave,
                int(spec.key.id),
                tuple(sorted((one.wave, int(one.id)) for one in waits(spec.depends_on))),
            ),
            edit=tuple(path.pattern for path in spec.must_edit),
            create=tuple(path.pattern for path in spec.can_create),
            acceptance=spec.acceptance,
            test=spec.test,
        )
        for spec in found.value.specs
    ]
    assert read == tasks
    assert {spec.title for spec in found.value.specs} == {"T"}
    outline = read_outline(text, "p", 5)
    if outline is not None:
        assert seen(outline) == seen(found.value)


def waits(found: object) -> list[TaskKey]:
    return [one.task for one in found if one.task]  # type: ignore[attr-defined]
