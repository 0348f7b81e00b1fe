"""What both readers of a plan do alike: its title and slug, the form of a task's heading, the waves.

The whole reader is plan_file, the quick one plan_outline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from orchestrator.errors import Problem, Severity
from orchestrator.formats.dependencies import DependencyReader
from orchestrator.formats.wave_line import WaveLine, keys_of, place
from orchestrator.markdown.document import Document
from orchestrator.markdown.plain import plain
from orchestrator.model.ids import ID, TaskKey
from orchestrator.model.plan import Dependency, Spec, Wave
from orchestrator.patterns import regex
from orchestrator.whole_numbers import NUMBER, whole_number

SEPARATOR = r"(?:\s*(?:—|–|:)\s*|\s+--?\s+)"
HEADING = regex(rf"(?:task\s+)?(\d+\.\d+\.{ID})(?:({SEPARATOR})(.*)|(\s+)(.*)|)", re.IGNORECASE | re.DOTALL)
_TITLE = regex(rf"(?:execution\s+)?plan\s+({NUMBER})(?:\s*[—–:-]+\s*(.*))?", re.IGNORECASE | re.DOTALL)
_TITLE_FIRST = regex(rf"(?:execution\s+)?plan\s*[—–:-]\s*(\S.*?)\s*\(plan\s+({NUMBER})\)", re.IGNORECASE | re.DOTALL)
_WAVE = regex(rf"wave\s+#?({NUMBER})(?:{SEPARATOR}(.*)|\s+(\W.*)|)", re.IGNORECASE | re.DOTALL)
_NOT_SLUG = regex(r"[^a-z0-9]+")
_KIND = "-execution-plan-"


def plan_title(doc: Document, number: int, problems: list[Problem]) -> str:
    """The plan's title, from its heading or else its front matter; a number that disagrees is a problem."""
    front = doc.front_matter
    said = front.get("orchestration") if front else None
    if front and said is not None and said != str(number):
        problems.append(
            Problem(
                "number-mismatch",
                f'the front matter says orchestration "{said}", the file name {number}',
                front.location("orchestration"),
                "make them agree; a plan keeps the number of its file",
                Severity.FILE,
            )
        )
    heading = doc.headings[0] if doc.headings else None
    numbered = _numbered(plain(heading.text)) if heading else None
    if heading and numbered and numbered[0] != number:
        problems.append(
            Problem(
                "number-mismatch",
                f"the heading says plan {numbered[0]}, the file name {number}",
                place(doc, heading.text_span),
                "make them agree; a plan keeps the number of its file",
                Severity.FILE,
            )
        )
    named = numbered[1] if numbered else plain(heading.text) if heading and heading.level == 1 else ""
    # A heading that is the name of the file is no title.
    if named and named.casefold().replace("_", " ").strip() != "execution plan":
        return named
    title = front.get("title") if front else None
    return title.strip() if isinstance(title, str) else ""


def _numbered(heading: str) -> tuple[int, str] | None:
    """Number and title of a heading such as `Execution plan 5 — Title`, None for any other."""
    lead = "execution plan "
    if heading[: len(lead)].casefold() == lead:
        # The usual form, told without the pattern: compiling that takes longer than reading a small plan.
        number, dash, title = heading[len(lead) :].partition(" — ")
        counted = whole_number(number)
        if dash and counted is not None and title[:1].isalnum():
            return counted, title.strip()
    match = _TITLE.fullmatch(heading)
    if match:
        return int(match[1]), (match[2] or "").strip()
    match = _TITLE_FIRST.fullmatch(heading)
    return (int(match[2]), match[1]) if match else None


TITLE_LENGTH = 60
_LOOSE = frozenset("a an and as at by existing for from in into of on or so that the to using which with".split())
"""Words that lead on to what was cut off."""
_SENTENCE = regex(r"[.!?;:](?=\s|$)|\n")


def title_from(text: str) -> str:
    """A title for a task that has none: the first sentence of what is to be done, cut between words; "" for none."""
    sentence = plain(_SENTENCE.split(text.strip(), 1)[0]).strip()
    if len(sentence) <= TITLE_LENGTH:
        return sentence
    words = sentence[: TITLE_LENGTH + 1].split(" ")[:-1]
    while words and words[-1].casefold() in _LOOSE:
        words.pop()
    return " ".join(words).rstrip(" ,–—-") or sentence[:TITLE_LENGTH]


def slug_of(title: str) -> str:
    """The title as it can stand in a branch name: at most 40 lower-case letters, digits and hyphens, or "".

    What only repeats the name of the file is left out.
    """
    if not title.isascii():
        # Here and not above: most titles don't need it.
        from unicodedata import normalize

        title = normalize("NFKD", title).encode("ascii", "ignore").decode()
    words = _NOT_SLUG.sub("-", title.casefold()).strip("-")
    # That it is an execution plan is said by the branch's number.
    words = f"-{words}-".removeprefix(_KIND[:-1]).removesuffix(_KIND[1:]).strip("-") if _KIND in f"-{words}-" else words
    return words if len(words) <= 40 else words[:41].rpartition("-")[0] or words[:40]


def wave_of(
    line: WaveLine,
    specs: Mapping[TaskKey, Spec],
    beside: Mapping[TaskKey, Sequence[Dependency]],
    reader: DependencyReader,
    numbers: Sequence[int],
) -> Wave:
    """The wave of a row, waiting for what its cell names and for the waves of its tasks' dependencies.

    `beside` holds the dependencies that tasks have in rows of their own.
    """
    waits: set[int] = set()
    if line.waits is None:
        waits.update(number for number in numbers if number < line.number)
    elif len(line.waits):
        for dependency in reader.read(line.waits, wave=line.number):
            waits.add(dependency.wave or (dependency.task.wave if dependency.task else 0))
    tasks = tuple(keys_of((line,)))
    for key in dict.fromkeys(tasks):
        for dependency in specs[key].depends_on if key in specs else beside.get(key, ()):
            wave = dependency.wave or (dependency.task.wave if dependency.task else 0)
            if wave != line.number:
                waits.add(wave)
    places = {one.key: reader.source.location(one.at.start, max(len(one.at), 1)) for one in line.tasks if one.key}
    waits_at = reader.source.location(line.waits.start, len(line.waits)) if line.waits and len(line.waits) else None
    return Wave(line.number, line.theme, tasks, tuple(sorted(waits - {0})), line.at, waits_at, places)


def in_wave_heading(name: str) -> tuple[int, str] | None:
    """Number and theme in the heading of a wave such as `Wave 2: Frontend`; None for any other heading."""
    if name[:4].casefold() != "wave":
        return None
    match = _WAVE.fullmatch(name)
    return (int(match[1]), (match[2] or match[3] or "").strip()) if match else None
