"""The facts of a round: processes by their turn folders, landings by their refs, jobs by what this call started."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.engine.hosted import is_hosted, turn_state, where
from orchestrator.engine.landed import Landings, all_landings, due_revert
from orchestrator.engine.line import is_behind
from orchestrator.engine.lost_landings import refuse_lost_landings
from orchestrator.engine.probing import probe_folder
from orchestrator.engine.run import Run
from orchestrator.engine.site import Site
from orchestrator.engine.turn_bounds import so_far
from orchestrator.engine.turns import turn_folder
from orchestrator.model.facts import Facts, TaskFacts, Turn, Used
from orchestrator.model.heads import commits_in, commits_words, is_at
from orchestrator.model.ids import TaskKey
from orchestrator.model.judgement import awaits_judgement
from orchestrator.model.stage import Stage, Standing
from orchestrator.model.status import WaveStatus
from orchestrator.model.waves import pick
from orchestrator.nouns import replace
from orchestrator.process.running import Alive, Ended, Lost, end, look


def gather(run: Run) -> Facts:
    """The facts about the tasks of the wave being worked on."""
    heads = heads_now(run)
    facts = Facts(head=commits_words(heads), had_workers=run.had_workers, checked=_still_checked(run, heads))
    wave = pick(run.orchestration, facts).current
    landed = unrecorded_landings(run)
    tasks = {key: _task_facts(run, key, landed.get(key, "")) for key in (wave.tasks if wave else ())}
    return replace(facts, tasks=tasks)


def heads_now(run: Run) -> dict[str, str]:
    """Repository → commit of its integration branch. Raises UserError where it is gone, or was rewritten in this call
    and lost what had landed."""
    heads = run.heads()
    if any(site.is_rewritten for site in run.sites()):
        refuse_lost_landings(run.session, run.session.planning.orchestration)
        for site in run.sites():
            site.is_rewritten = False
    return heads


def _still_checked(run: Run, heads: Mapping[str, str]) -> frozenset[int]:
    """The open waves since whose suites only tasks of other waves have landed; those waves' ends look after that."""
    found = set()
    for row in run.state.waves:
        then = commits_in(row.commit)
        is_behind_head = row.status is WaveStatus.OPEN and row.commit and not is_at(row.commit, commits_words(heads))
        if is_behind_head and then.keys() == heads.keys():
            sites = [run.site_named(name) for name in heads]
            if all(_others_landed(site, row.number, then[site.name], heads[site.name]) for site in sites):
                found.add(row.number)
    return frozenset(found)


def _others_landed(site: Site, number: int, then: str, head: str) -> bool:
    """Whether all commits between two heads are landings of tasks of other waves, or what took such back."""
    since = site.repository.resolve(then)
    if since is None:
        return False
    others = {
        commit
        for key, there in all_landings(site.run, site).items()
        if key.wave != number
        for commit in (*there.landed.values(), *there.reverted.values())
    }
    return all(commit.id in others for commit in site.repository.commits(since, head))


def _task_facts(run: Run, key: TaskKey, landed: str) -> TaskFacts:
    turn = Turn.NONE
    quiet = 0.0
    used: Used | None = None
    now = run.standing(key)
    hosted = ""
    if now.is_in_flight and is_hosted(run, key):
        turn, hosted = turn_state(run, key, now), where(run, key, now)
    elif probe := now.service.probe:
        turn, _ = _at_work(probe_folder(run.layout, key, now), probe.marker)
    elif now.is_in_flight:
        turn, quiet = _at_work(turn_folder(run, key, now), run.task(key).marker)
        if turn is Turn.ALIVE:
            used = so_far(run, key, now)
        elif turn is Turn.NEVER_STARTED and run.task(key).pid:
            # A pid on record says that it was spawned: its folder is gone, and with it its end.
            turn = Turn.LOST
    return TaskFacts(
        turn=turn,
        hosted=hosted,
        quiet_for=quiet,
        used=used,
        landed="" if now.stage is Stage.LANDED else landed,
        in_the_way=run.in_the_way.get(key),
        revert_due=due_revert(run, key) is not None,
        trouble=run.trouble.get(key),
        is_busy=key in run.jobs
        or (_may_land(run, now) and is_behind(run, key))
        or (now.stage is Stage.WORK_ENDED and not run.may_test),
    )


def _at_work(folder: Path, marker: str) -> tuple[Turn, float]:
    """What has become of a turn or of a question to a service, and for how many seconds one at work has been silent."""
    seen = look(folder, marker)
    if isinstance(seen, Alive) and not seen.guarded:
        # Its shim is gone: nothing keeps its limits any more, and its end would never be on record.
        end(folder, marker)
        seen = look(folder, marker)
    match seen:
        case Alive():
            return Turn.ALIVE, seen.quiet_for
        case Ended():
            return Turn.ENDED, 0.0
        case Lost():
            return Turn.LOST, 0.0
    return Turn.NEVER_STARTED, 0.0


def _may_land(run: Run, now: Standing) -> bool:
    """Whether nothing but its place in the line keeps a task from landing; what is to be judged is judged at once."""
    return now.stage is Stage.VERIFIED and not awaits_judgement(run.settings, now, is_attended=run.limits.is_attended)


def unrecorded_landings(run: Run) -> dict[TaskKey, str]:
    """Landings that stand in git, are on the integration branch, and in no todo file."""
    found: dict[TaskKey, str] = {}
    for key in run.plan.in_waves():
        site = run.site(key)
        if site.known_landings is None:
            site.known_landings = all_landings(run, site)
        there = site.known_landings.get(key, Landings())
        newest = max(there.landed, default=0)
        if newest == 0 or newest in there.reverted:
            continue
        task, last = run.task(key), there.landed[newest]
        if any(last.startswith(commit) for commit in (*task.landed, *task.reverted)):
            continue
        if site.holds(last):
            found[key] = last
    return found
