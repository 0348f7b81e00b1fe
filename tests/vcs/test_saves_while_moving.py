"""What a person saves while a checkout moves with its branch is never overwritten: it stays, and is named."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable
from multiprocessing import Process
from pathlib import Path

import pytest

from orchestrator import exchange
from orchestrator.errors import ConflictError
from orchestrator.vcs import placing
from orchestrator.vcs.checkout import Place, Repaired, following, holder, repair
from orchestrator.vcs.landing import land
from orchestrator.vcs.placing import Spared
from orchestrator.vcs.repository import Repository
from tests.support.git_repo import GitRepo
from tests.vcs.killing import every_kill
from tests.vcs.situations import left_by_us

BASE = {"code.txt": "one\n", "gone.txt": "to go\n", "other.txt": "other\n", "place": "a file\n"}
Act = Callable[[GitRepo], object]


def laid(path: Path, attributes: str = "") -> tuple[GitRepo, str, str]:
    """A checkout of `main`, its commit, and the one that comes: a file changed, added, gone, and one made a folder."""
    repo = GitRepo.create(path, BASE | ({".gitattributes": attributes} if attributes else {}))
    old = repo.head()
    repo.git("rm", "-q", "gone.txt", "place")
    new = repo.commit("coming", {"code.txt": "ONE\n", "fresh.txt": "fresh\n", "place/in.txt": "in\n"})
    repo.git("reset", "-q", "--hard", old)
    return repo, old, new


def place_of(repo: GitRepo) -> Place:
    place = holder(Repository.open(repo.path), "main")
    assert place is not None
    return place


def moved(repo: GitRepo, old: str, new: str, act: Act = lambda repo: None) -> Spared:
    """Move, with the act of a person after everything was looked at and before the first file is touched."""
    place = place_of(repo)
    with following(place, old, new) as spared:
        land(place.repository, branch="main", old=old, new=new, landing_ref="refs/orch/r/1/landed-1")
        act(repo)
    return spared


def saved(name: str, text: str) -> Act:
    """In place, as many editors do."""
    return lambda repo: repo.write(name, text)


def saved_anew(name: str, text: str) -> Act:
    """By a new file that takes its name, as many editors do."""
    return lambda repo: repo.write("beside", text).rename(repo.path / name)


@pytest.mark.parametrize(
    ("act", "name", "text", "status"),
    [
        (saved("code.txt", "mine\n"), "code.txt", "mine\n", " M code.txt"),
        (saved("code.txt", "sam\n"), "code.txt", "sam\n", " M code.txt"),
        (saved_anew("code.txt", "sam\n"), "code.txt", "sam\n", " M code.txt"),
        (saved("fresh.txt", "mine\n"), "fresh.txt", "mine\n", " M fresh.txt"),
        (saved_anew("fresh.txt", "mine\n"), "fresh.txt", "mine\n", " M fresh.txt"),
        (saved("gone.txt", "mine\n"), "gone.txt", "mine\n", "?? gone.txt"),
        (saved_anew("gone.txt", "sam i\n"), "gone.txt", "sam i\n", "?? gone.txt"),
        (lambda repo: (repo.path / "code.txt").unlink(), "code.txt", None, " D code.txt"),
        (lambda repo: (repo.path / "code.txt").chmod(0o755), "code.txt", "one\n", " M code.txt"),
    ],
)
def test_a_save_after_the_last_look_stays_and_is_named(
    act: Act, name: str, text: str | None, status: str, tmp_path: Path
) -> None:
    repo, old, new = laid(tmp_path / "repo")
    assert moved(repo, old, new, act) == Spared([name])
    assert (repo.read(name) if text is not None else (repo.path / name).exists() or None) == text
    assert (repo.status(), repo.head(), left_by_us(repo)) == ([status], new, [])
    assert repo.read("place/in.txt") == "in\n"


def test_a_save_in_a_file_whose_place_a_folder_takes_stays_and_what_comes_below_it_waits(tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo")
    assert moved(repo, old, new, saved("place", "mine\n")) == Spared(["place", "place/in.txt"])
    assert (repo.read("place"), repo.read("code.txt")) == ("mine\n", "ONE\n")
    assert repo.status() == [" D place/in.txt", "?? place"]


def test_a_file_takes_a_folders_place_unless_somebody_saves_in_it_meanwhile(tmp_path: Path) -> None:
    for act, text in ((None, "file\n"), (saved("d/in.txt", "mine\n"), None), (saved("d/more.txt", "mine\n"), None)):
        repo = GitRepo.create(tmp_path / str(len([*tmp_path.iterdir()])), {"d/in.txt": "in\n", "d/two.txt": "two\n"})
        old = repo.head()
        repo.git("rm", "-qr", "d")
        new = repo.commit("coming", {"d": "file\n"})
        repo.git("reset", "-q", "--hard", old)
        (repo.path / "d" / "empty" / "empty").mkdir(parents=True)
        spared = moved(repo, old, new, act or (lambda repo: None))
        if text:
            assert (spared, repo.read("d"), repo.status()) == (Spared(), text, [])
        else:
            assert spared.left[-1] == "d"
            assert [path.read_text() for path in (repo.path / "d").glob("*.txt")] == ["mine\n"]


def test_what_a_person_deletes_that_is_to_go_needs_no_word(tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo")
    assert moved(repo, old, new, lambda repo: (repo.path / "gone.txt").unlink()) == Spared()
    assert repo.status() == []


def test_a_folder_made_a_link_meanwhile_is_not_written_through(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {"d/a.txt": "a\n"})
    old, new = repo.head(), repo.commit("coming", {"d/a.txt": "A\n", "d/b.txt": "b\n"})
    repo.git("reset", "-q", "--hard", old)

    def act(repo: GitRepo) -> None:
        (repo.path / "d").rename(tmp_path / "elsewhere")
        (repo.path / "d").symlink_to(tmp_path / "elsewhere")

    assert moved(repo, old, new, act) == Spared(["d/a.txt", "d/b.txt"])
    assert {path.name: path.read_text() for path in (tmp_path / "elsewhere").iterdir()} == {"a.txt": "a\n"}


def test_a_file_that_somebody_is_writing_is_left_to_them(tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo")
    with (repo.path / "code.txt").open("a") as editor:
        assert moved(repo, old, new) == Spared(["code.txt"])
        editor.write("two\n")
    assert repo.read("code.txt") == "one\ntwo\n"


def test_where_nobody_can_tell_who_writes_a_file_it_is_moved_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "has_writer", lambda handle: True)
    repo, old, new = laid(tmp_path / "repo")
    assert moved(repo, old, new) == Spared()
    assert repo.status() == []


@pytest.mark.parametrize("count", [1, 2])
def test_a_save_around_the_exchange_itself_stays_and_an_older_one_is_kept(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, old, new = laid(tmp_path / "repo")
    real = placing.exchange
    saves = [f"save {number}\n" for number in range(count)]

    def exchange_after_a_save(one: str, other: str) -> bool:
        if other.endswith("code.txt") and saves:
            saved_anew("code.txt", saves.pop(0))(repo)
        return real(one, other)

    monkeypatch.setattr(placing, "exchange", exchange_after_a_save)
    spared = moved(repo, old, new)
    kept = repo.path / ".git" / "orch-kept" / "1" / "code.txt"
    assert spared == Spared(["code.txt"], [str(kept)] if count == 2 else [])
    assert repo.read("code.txt") == f"save {count - 1}\n"
    assert count == 1 or kept.read_text() == "save 0\n"
    assert repo.status() == [" M code.txt"]


def test_without_an_exchange_the_files_move_and_a_save_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "exchange", lambda one, other: False)
    repo, old, new = laid(tmp_path / "one")
    assert moved(repo, old, new) == Spared()
    assert (repo.status(), repo.read("code.txt")) == ([], "ONE\n")
    repo, old, new = laid(tmp_path / "two")
    assert moved(repo, old, new, saved("code.txt", "mine\n")) == Spared(["code.txt"])
    assert repo.read("code.txt") == "mine\n"


SLOW = "*.txt filter=slow\n"


def saving_filter(repo: GitRepo, name: str, text: str) -> None:
    """A filter in whose time somebody saves a file."""
    repo.git("config", "filter.slow.smudge", f"cat; printf '{text}' > {name}")
    repo.git("config", "filter.slow.clean", "cat")


@pytest.mark.parametrize("name", ["code.txt", "fresh.txt", "gone.txt"])
def test_a_save_while_a_filter_works_keeps_everything_where_it_is(name: str, tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo", SLOW)
    saving_filter(repo, name, "mine")
    with pytest.raises(ConflictError) as caught:
        moved(repo, old, new)
    assert (caught.value.code, name in caught.value.message) == ("checkout-collision", True)
    assert (repo.read(name), repo.head(), left_by_us(repo)) == ("mine", old, [])
    assert repo.status() == [f"{'??' if name == 'fresh.txt' else ' M'} {name}"]


def test_a_filter_that_fails_keeps_everything_where_it_is(tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo", SLOW)
    repo.git("config", "filter.slow.smudge", "false")
    repo.git("config", "filter.slow.clean", "cat")
    repo.git("config", "filter.slow.required", "true")
    with pytest.raises(ConflictError) as caught:
        moved(repo, old, new)
    assert caught.value.code == "checkout-moving"
    assert caught.value.hint == "see that the programs of filter.slow in git's configuration work here"
    assert (repo.head(), left_by_us(repo)) == (old, [])


def test_a_filter_runs_in_the_checkout(tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo", SLOW)
    repo.git("config", "filter.slow.smudge", f"cat; (pwd; echo $GIT_WORK_TREE; echo %f) >> {tmp_path / 'seen'}")
    moved(repo, old, new)
    names = ("code.txt", "fresh.txt", "place/in.txt")
    assert (tmp_path / "seen").read_text() == "".join(f"{repo.path}\n{repo.path}\n{name}\n" for name in names)


@pytest.mark.parametrize("name", ["code.txt", "fresh.txt", "gone.txt"])
@pytest.mark.parametrize("attributes", ["", SLOW])
def test_a_save_outlives_a_kill_at_any_step(name: str, attributes: str, tmp_path: Path) -> None:
    made: list[tuple[GitRepo, str, str]] = []

    def again() -> Callable[[], object]:
        repo, old, new = laid(tmp_path / f"repo-{len(made)}", attributes)
        repo.git("config", "filter.slow.smudge", "sleep 0.01; cat")
        made.append((repo, old, new))
        return lambda: moved(repo, old, new, saved(name, "mine\n"))

    ends = []
    for _ in every_kill(again):
        repo, old, new = made[-1]
        repaired = repair(place_of(repo), old, new)
        texts = {path.name: path.read_text() for path in repo.path.glob("*.txt")}
        is_saved = texts.get(name) == "mine\n"
        assert repaired.kept == ()
        assert (repo.head(), left_by_us(repo)) == (new if repaired.state == "new" else old, [])
        if is_saved:
            assert repaired.left == (name,)
            assert len(repo.status()) == 1
        else:
            # Killed before the person acted.
            assert repo.status() == []
        ends.append((repaired.state, is_saved))
    assert sorted(set(ends)) == [("new", True), ("old", False)]


def test_a_repair_that_is_killed_at_any_step_can_be_repaired(tmp_path: Path) -> None:
    made: list[tuple[GitRepo, str, str]] = []

    def again() -> Callable[[], object]:
        repo, old, new = laid(tmp_path / f"repo-{len(made)}", SLOW)
        made.append((repo, old, new))
        repo.git("update-ref", "refs/heads/main", new)
        repo.write("fresh.txt", "mine\n")
        place = place_of(repo)
        return lambda: repair(place, old, new)

    for _ in every_kill(again):
        repo, old, new = made[-1]
        assert repair(place_of(repo), old, new) == Repaired("new", ("fresh.txt",))
        assert (repo.status(), repo.read("fresh.txt"), left_by_us(repo)) == ([" M fresh.txt"], "mine\n", [])
    assert len(made) > 10


def test_a_save_while_the_filter_of_a_repair_works_stays_and_is_named(tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo", SLOW)
    repo.git("update-ref", "refs/heads/main", new)
    repo.git("config", "filter.slow.clean", "cat")
    repo.git("config", "filter.slow.smudge", "cat; test %f != place/in.txt || printf mine > code.txt")
    assert repair(place_of(repo), old, new) == Repaired("new", ("code.txt",))
    assert (repo.read("code.txt"), repo.status(), left_by_us(repo)) == ("mine", [" M code.txt"], [])


def test_a_save_in_one_of_several_checkouts_is_left_there(tmp_path: Path) -> None:
    repo, old, new = laid(tmp_path / "repo")
    repo.git("worktree", "add", "-q", "-f", str(tmp_path / "again"), "main")
    again = GitRepo(tmp_path / "again")
    assert moved(repo, old, new, lambda _: again.write("code.txt", "mine\n")) == Spared(["code.txt"])
    assert (repo.status(), again.status(), again.read("code.txt")) == ([], [" M code.txt"], "mine\n")


def test_attributes_that_come_with_the_move_hold_for_its_files(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {"a.txt": "a\n", "d/b.txt": "b\n", ".gitattributes": "d/* -text\n"})
    old = repo.head()
    new = repo.commit("coming", {"a.txt": "A\n", "d/b.txt": "B\n", ".gitattributes": "* text eol=crlf\n"})
    repo.git("reset", "-q", "--hard", old)
    assert moved(repo, old, new) == Spared()
    assert (repo.read("a.txt"), repo.read("d/b.txt"), repo.status()) == ("A\r\n", "B\r\n", [])


def test_attributes_that_git_does_not_track_hold_too(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {"d/a.txt": "a\n", ".gitignore": ".gitattributes\n"})
    old, new = repo.head(), repo.commit("coming", {"d/a.txt": "A\n"})
    repo.git("reset", "-q", "--hard", old)
    repo.write("d/.gitattributes", "* text eol=crlf\n")
    assert moved(repo, old, new) == Spared()
    assert (repo.read("d/a.txt"), repo.status()) == ("A\r\n", [])


def test_a_sparse_checkout_stays_sparse_also_after_a_kill(tmp_path: Path) -> None:
    def sparse(path: Path) -> tuple[GitRepo, str, str]:
        repo = GitRepo.create(path, {"in/a.txt": "a\n", "out/b.txt": "b\n", "out/gone.txt": "g\n"})
        old = repo.head()
        repo.git("rm", "-q", "out/gone.txt")
        new = repo.commit("coming", {"in/a.txt": "A\n", "out/b.txt": "B\n", "out/c.txt": "c\n"})
        repo.git("reset", "-q", "--hard", old)
        repo.git("sparse-checkout", "set", "in")
        return repo, old, new

    def seen(repo: GitRepo) -> tuple[list[str], list[str]]:
        files = [path.relative_to(repo.path).as_posix() for path in repo.path.glob("*/*") if path.parts[-2] != ".git"]
        return files, repo.git("ls-files", "-t").split("\n")

    repo, old, new = sparse(tmp_path / "repo")
    assert moved(repo, old, new) == Spared()
    assert seen(repo) == (["in/a.txt"], ["H in/a.txt", "S out/b.txt", "S out/c.txt"])
    made: list[tuple[GitRepo, str, str]] = []

    def again() -> Callable[[], object]:
        made.append(sparse(tmp_path / f"repo-{len(made)}"))
        return lambda: moved(*made[-1])

    for _ in every_kill(again):
        one, *commits = made[-1]
        repaired = repair(place_of(one), *commits)
        assert one.status() == []
        if repaired.state == "new":
            assert seen(one) == seen(repo)


def test_a_git_directory_on_another_disk_has_its_files_written_in_the_checkout(tmp_path: Path) -> None:
    shm = Path("/dev/shm")
    if not shm.is_dir() or shm.stat().st_dev == tmp_path.stat().st_dev or not os.access(shm, os.W_OK):
        pytest.skip("no second file system to write to")
    repo, old, new = laid(tmp_path / "repo")
    folder = shm / f"orch-test-{os.getpid()}"
    statuses: list[list[str]] = []
    try:
        shutil.move(repo.path / ".git", folder)
        (repo.path / ".git").write_text(f"gitdir: {folder}\n")
        assert moved(repo, old, new, lambda repo: statuses.append(repo.status()) or repo.write("code.txt", "m\n")) == (
            Spared(["code.txt"])
        )
        assert not [line for line in statuses[0] if "orch-coming" in line]
        assert (repo.status(), sorted(path.name for path in repo.path.glob(".orch*"))) == ([" M code.txt"], [])
    finally:
        shutil.rmtree(folder)


def hammer(top: Path, seed: int, told: Path) -> None:
    """Save files drawn at random, in place and anew; then write down each one's last text."""
    chance, last = random.Random(seed), dict[str, str]()
    for number in range(60):
        name, text = f"{chance.choice('fg')}{chance.randrange(60)}", f"save {seed} {number}\n"
        if chance.random() < 0.5:
            (top / name).write_text(text)
        else:
            (top / "beside").write_text(text)
            (top / "beside").rename(top / name)
        last[name] = text
        time.sleep(chance.random() * 0.002)
    told.write_text(json.dumps(last))


def test_saves_at_any_moment_of_moves_are_all_there_afterwards(tmp_path: Path) -> None:
    repo = GitRepo.create(tmp_path / "repo", {f"f{number}": "old\n" for number in range(60)})
    old = repo.head()
    for number in range(0, 60, 3):
        (repo.path / f"f{number}").unlink()
    coming = {f"f{number}": "new\n" for number in range(60) if number % 3 == 1}
    new = repo.commit("coming", {**coming, **{f"g{number}": "new\n" for number in range(60)}})
    repo.git("reset", "-q", "--hard", old)
    place, told = place_of(repo), tmp_path / "told"
    for seed in range(12):
        person = Process(target=hammer, args=(repo.path, seed, told))
        with following(place, old, new) as spared:
            repo.git("update-ref", "refs/heads/main", new)
            person.start()
            time.sleep(0.03)
        person.join()
        kept = [Path(name).read_text() for name in spared.kept]
        for name, text in json.loads(told.read_text()).items():
            assert (repo.path / name).read_text() == text or text in kept, (seed, name)
        repo.git("reset", "-q", "--hard", old)
        repo.git("clean", "-fdxq")
