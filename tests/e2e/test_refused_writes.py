"""A disk that refuses one change of a file, or every one from there on, in whole orchestrations and every verb.

Nothing is half-written, the refusal is told with file, cause and remedy, and once the disk takes writes again the same
calls bring the same end. By default a seeded sample of the changes is refused; ORCH_REFUSE_STEPS=all refuses every
change with everything it can be refused with, once and lasting; ORCH_REFUSE_STEPS=40 that many of each course.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.courses import COURSES, Course, Place
from tests.support.orch import Left
from tests.support.refusing import KINDS

pytestmark = pytest.mark.crash

WANTED = os.environ.get("ORCH_REFUSE_STEPS", "2")
SEED = os.environ.get("ORCH_CRASH_SEED", "1")

Case = tuple[int, int, str, bool]
"""The call, the number of the change in it, what it is refused with, and whether later ones are too."""


SET = {"STATE_1.md", ".todo.md", "EXECUTION_PLAN_1.md", "ORCH.md", "PROMPT_TEMPLATE_1.md"}


def lines_of(log: Path) -> list[list[object]]:
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def cases_of(changes: Mapping[int, list[tuple[int, str, str]]]) -> list[Case]:
    """Everything that can be refused."""
    return [
        (index, number, name, stays)
        for index, found in changes.items()
        for number, kind, _ in found
        for name in KINDS[kind]
        for stays in ((False, True) if name in ("ENOSPC", "EROFS", "EACCES") else (False,))
    ]


def chosen(every: list[Case], changes: Mapping[int, list[tuple[int, str, str]]]) -> list[Case]:
    """The cases of this run: half of a sample are changes of the planning set, which are few among all."""
    if WANTED == "all":
        return every
    draw = random.Random(SEED)
    paths = {(index, number): path for index, found in changes.items() for number, _, path in found}
    near = [case for case in every if "/planning/" in paths[case[:2]] or "/kept/" in paths[case[:2]]]
    count = min(int(WANTED), len(every))
    return draw.sample(near, min(count - count // 2, len(near))) + draw.sample(every, count // 2)


def digests(folder: Path) -> dict[str, str]:
    """The real file behind every name of the planning set, and what it holds."""
    found = (path for path in folder.rglob("*.md") if path.is_file() and not path.name.startswith("."))
    return {os.path.realpath(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def names_of(path: str) -> set[str]:
    """How a message may name a file: by its own name; one that is only there until it takes another's place, by a file
    of its folder."""
    file = Path(path)
    if file.name.startswith(".orch-"):
        # Of the set: through which link it was reached can't be told from its place.
        return SET if file.parent.name in ("planning", "tasks", "kept") else {f"{file.parent.name}/"}
    return {file.name, file.with_suffix(".json").name} if file.suffix in (".new", ".link") else {file.name}


def missing_in(left: Left, hit: list[list[object]], name: str) -> list[str]:
    """What is missing in what was said of the refusal."""
    said = " ".join((left.out + left.err).split())
    cause = os.strerror(getattr(errno, name)).lower()
    causes = {
        "ENOSPC": "the disk is full",
        "EDQUOT": "the disk quota is used up",
        "EROFS": "the file system is read-only",
        "EIO": "input/output error",
        "EPERM": "not permitted",
    }
    remedies = ("make room", "mount it for writing", "give yourself write permission", "look at the disk")
    missing = []
    files = set().union(*(names_of(str(path)) for _, _, path in hit))
    if not any(one in said for one in files):
        missing.append(f"names none of {sorted(files)}")
    if cause not in said.lower() and causes.get(name, cause) not in said:
        missing.append(f"doesn't say {cause!r}")
    if not any(one in said for one in remedies) and name != "EAGAIN":
        missing.append("offers no remedy")
    return missing


def wrong_after(place: Place, left: Left, case: Case, before: Mapping[str, str], code: int) -> list[str]:
    """What is wrong right after the call in which something was refused."""
    lines = lines_of(place.folder / "refused.log")
    hit = [line for line in lines if line[0] != "text"]
    wrong = []
    if not hit:
        return ["nothing was refused"] if left.code != code else []
    if left.code not in (0, 1, 3, 4, 5, 6) or "Traceback" in left.err or list(place.now.rglob("crash-*")):
        wrong.append(f"left with {left.code}")
    elif left.code != code:
        wrong += missing_in(left, hit, case[2])
    meant = {(str(path), str(digest)) for kind, path, digest in lines if kind == "text"}
    for path, digest in digests(place.repository / "planning").items():
        if before.get(path) != digest and (path, digest) not in meant:
            wrong.append(f"{path} holds neither what it held nor what was meant for it")
    wrong += [f"{path} is gone" for path in before if not Path(path).exists()]
    if not any(kind == "remove" for _, kind, _ in hit):
        wrong += [f"{path} lies about" for path in (place.now).rglob(".orch-*") if "/work/" not in str(path)]
        locks = (path for path in (place.repository / ".git").rglob("*.lock") if "orch-" not in path.name)
        wrong += [f"{path} lies about" for path in locks]
    return wrong


@pytest.mark.timeout(360000)
@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.name)
def test_a_refused_change_is_told_and_made_good(tmp_path: Path, course: Course) -> None:
    place = Place(tmp_path)
    changes: dict[int, list[tuple[int, str, str]]] = {}
    for index, call in place.undisturbed(course, "before"):
        log = tmp_path / "changes.log"
        log.unlink(missing_ok=True)
        left = place.call(call, refuse={"log": str(log)})
        assert left.code == call.code, (call.words, left)
        changes[index] = [(int(str(n)), str(kind), str(path)) for n, kind, path in lines_of(log) if n != "text"]
    expected = place.facts()
    every = cases_of(changes)
    wrong: list[str] = []
    for number, case in enumerate(chosen(every, changes), start=1):
        index, step, name, stays = case
        place.lay_back(f"before-{index}")
        log = tmp_path / "refused.log"
        log.unlink(missing_ok=True)
        call = course.calls[index]
        before = digests(place.repository / "planning")
        left = place.call(call, refuse={"log": str(log), "at": step, "errno": name, "stays": stays})
        found = wrong_after(place, left, case, before, call.code)
        try:
            place.go_on(course, index, left.code)
            facts = place.facts()
            # No run follows there, which would sweep away what couldn't be removed.
            may_lie = course.name == "begun" and any(line[1] == "remove" for line in lines_of(log))
            if facts != expected and not may_lie:
                found += _differences(expected, facts)
        except Exception as error:  # the next case is to be tried all the same
            found.append(f"afterwards: {error!r}")
        if found:
            what = next(line for line in changes[index] if line[0] == step)
            where = f"{' '.join(call.words)}, {name}{' from' if stays else ' at'} {what}"
            wrong.append(f"{where}: {'; '.join(found)}\n    left {left.code}: {left.err[-300:]!r} {left.out[-300:]!r}")
            (tmp_path / "wrong").write_text("\n".join(wrong), "utf-8")
        (tmp_path / "tried").write_text(f"{number} of {len(every)} tried, {len(wrong)} wrong\n", "utf-8")
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong)


def _differences(expected: tuple[object, object], found: tuple[object, object]) -> list[str]:
    one, other = expected[0], found[0]
    parts = list(one.differences(other)) if hasattr(one, "differences") else [f"{one!r} became {other!r}"]
    return parts + ([f"{expected[1]} became {found[1]}"] if expected[1] != found[1] else [])
