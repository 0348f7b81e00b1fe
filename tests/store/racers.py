"""The programs of the race tests, run as `python -m tests.store.racers NAME FILE …`; each forks what it needs.

They print one JSON value. They are no tests themselves.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from orchestrator.store.sweeping import sweep
from orchestrator.store.text_files import update


def fork(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def all_ended_well(pids: list[int]) -> bool:
    statuses = [os.waitpid(pid, 0)[1] for pid in pids]
    return not any(statuses)


def tick(file: Path, count: int) -> bool:
    """`count` processes each tick a box of their own and append a report, at once."""

    def one(number: int) -> None:
        update(file, lambda text: text.replace(f"- [ ] {number}\n", f"- [x] {number}\n"))
        update(file, lambda text: text + f"## report {number}\n\nline\n")

    return all_ended_well([fork(lambda number=number: one(number)) for number in range(count)])


def append(file: Path, writers: int, rounds: int) -> bool:
    """Writers append through update while two shells append with `>>`, at random moments."""

    def ours(number: int) -> None:
        for turn in range(rounds):
            line = f"ours {number} {turn}\n"
            update(file, lambda text, line=line: text + line)

    def theirs(number: int) -> None:
        for turn in range(rounds * 3):
            with file.open("ab", buffering=0) as handle:
                time.sleep(random.random() * 0.0005)
                handle.write(f"theirs {number} {turn}\n".encode())
            time.sleep(random.random() * 0.003)

    pids = [fork(lambda number=number: ours(number)) for number in range(writers)]
    pids += [fork(lambda number=number: theirs(number)) for number in range(2)]
    return all_ended_well(pids)


def person_line(text: str) -> int:
    return int(next(line for line in text.split("\n") if line.startswith("person: ")).removeprefix("person: "))


def save(file: Path, number: int, *, in_place: bool) -> None:
    """A person's save of the file as an editor does it: the whole text, with their line changed."""
    text = file.read_bytes().decode()
    while "person: " not in text or not text.endswith("end\n"):
        text = file.read_bytes().decode()
    text = text.replace(f"person: {person_line(text)}\n", f"person: {number}\n")
    if in_place:
        file.write_text(text)
    else:
        fresh = file.with_name("editor~")
        fresh.write_text(text)
        fresh.replace(file)


def edit(file: Path, writers: int, saves: int) -> dict[str, int]:
    """A person saves again and again while writers count; how many of the saves were lost, and made."""

    def ours(number: int) -> None:
        while not (file.parent / "stop").exists():
            update(file, lambda text: text.replace(f"writer {number}: ", f"writer {number}: |", 1))
            time.sleep(random.random() * 0.002)

    pids = [fork(lambda number=number: ours(number)) for number in range(writers)]
    lost = 0
    for number in range(1, saves + 1):
        save(file, number, in_place=bool(random.getrandbits(1)))
        time.sleep(random.random() * 0.004)
        # For a blink a writer's text stands there, until it notices the save and puts it back.
        deadline = time.monotonic() + 1
        while (seen := person_line(file.read_text() or "person: 0")) != number and time.monotonic() < deadline:
            time.sleep(0.001)
        lost += seen != number
    (file.parent / "stop").touch()
    ended = all_ended_well(pids)
    return {"lost": lost, "saves": saves, "ended well": int(ended)}


def kill(file: Path, times: int) -> dict[str, object]:
    """A writer is killed with SIGKILL at random moments while a person saves; what was found wrong after each."""
    wrong: list[str] = []
    stray = 0
    kept = 0

    def work() -> None:
        while True:
            update(file, lambda text: text.replace("count: ", "count: |", 1))

    for number in range(1, times + 1):
        before = file.read_text().count("|")
        pid = fork(work)
        time.sleep(random.random() * 0.004)
        if number % 2:
            save(file, number, in_place=number % 4 == 1)
        time.sleep(random.random() * 0.002)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        found = file.read_text()
        strays = [path for path in file.parent.iterdir() if path.name.startswith(".orch-")]
        stray += bool(strays)
        kept += len(sweep(file.parent))
        text = file.read_text()
        for what, one in (("killed", found), ("swept", text)):
            if not one.startswith("begin\n") or not one.endswith("\nend\n") or len(one) < 50_000:
                wrong.append(f"{number}: torn after it was {what}: {one[:50]!r}…{one[-50:]!r}")
        if text.count("|") < before and not number % 2:
            wrong.append(f"{number}: a change of ours went back")
        copies = [text, *(path.read_text() for path in file.parent.glob("*.saved-*"))]
        if number % 2 and number not in [person_line(copy) for copy in copies]:
            wrong.append(f"{number}: the person's save is gone")
        if any(path.name.startswith(".orch-") for path in file.parent.iterdir()):
            wrong.append(f"{number}: a stray file is left")
    return {"wrong": wrong, "kills with a stray file": stray, "saves given back": kept}


if __name__ == "__main__":
    random.seed(int(os.environ.get("RACE_SEED", "0")) or None)
    name, target, *numbers = sys.argv[1:]
    program: Callable[..., object] = {"tick": tick, "append": append, "edit": edit, "kill": kill}[name]
    sys.stdout.write(json.dumps(program(Path(target), *map(int, numbers))))
