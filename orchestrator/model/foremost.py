"""What most needs a person, of all that a decision leaves: the one rule behind every `next:`.

Pure, and the same from the files alone as after a call that has just ended. Must not know how it is printed.
"""

from __future__ import annotations

from orchestrator.model.actions import Action, Decision, Wait, Why
from orchestrator.model.judgement import stop_remedy
from orchestrator.model.next_actions import red_remedy
from orchestrator.model.orchestration import Orchestration
from orchestrator.model.remedies import ANEW, steps
from orchestrator.model.stage import standing

JUDGED = (Why.GATE, Why.DIFF, Why.QUESTION)
"""Waits for a word: it may be given whatever else is the matter, and holds up the most."""
_MENDED = (Why.FILE, Why.CELL, Why.CHECKOUT, Why.TROUBLE, Why.NEEDS_INPUT)
"""Waits for something small that is in the way."""
_LATER = (Why.HELD, Why.BUDGET)
"""Waits that matter once there is nothing else to do."""
_AT_WORK = (Why.WORKING, Why.TESTING, Why.PROBING)
_BEGUN = (*_AT_WORK, Why.HOSTED, Why.CHECKOUT, Why.TROUBLE)
"""Waits of what is begun already: the next call goes on with it, whether there is a stop or not."""
_SHOWN = 8


def foremost(orchestration: Orchestration, decision: Decision) -> str:
    """The remedy that comes first; a stop is taken out besides where the next call could do nothing before that."""
    remedy, stop = _foremost(orchestration, decision), stop_remedy(orchestration)
    first, following = steps(remedy)
    goes_on = bool(decision.actions) or any(wait.why in _BEGUN for wait in decision.waits)
    if not decision.stop or goes_on or not first or following != ANEW or remedy == stop:
        return remedy
    return f"{first}, and {stop}"


def _foremost(orchestration: Orchestration, decision: Decision) -> str:
    """The remedy that comes first: words to be given, then what is in the way, then what has failed, then whatever orch
    does by itself, then turns that were handed out, then a stop, then the rest. `orch next-wave` where nobody has to
    do anything."""
    if any(wait.why in JUDGED for wait in decision.waits):
        return "orch gate"
    if found := _first(decision, _MENDED):
        return found
    if decision.red:
        return red_remedy(orchestration, decision.red[0])
    if found := _first(decision, (Why.BLOCKED,)):
        return found
    if decision.actions:
        return _failed_before(orchestration, decision.actions) or ANEW
    handed_out = decision.waits_for(Why.HOSTED)
    if handed_out:
        return hosted_remedy(handed_out)
    if any(wait.why in _AT_WORK for wait in decision.waits):
        return ANEW
    if decision.stop:
        return stop_remedy(orchestration)
    return _first(decision, _LATER) or ANEW


def hosted_remedy(handed_out: tuple[Wait, ...]) -> str:
    """What a session does with turns that were handed out to it."""
    first, *others = [str(wait.key) for wait in handed_out[:_SHOWN]]
    more = f" ({', '.join(others)}{', …' if len(handed_out) > _SHOWN else ''} alike)" if others else ""
    return f"have a worker of yours do what orch prompt {first} prints{more}, then run {ANEW}"


def _first(decision: Decision, whys: tuple[Why, ...]) -> str:
    return next((wait.remedy for wait in decision.waits if wait.why in whys and wait.remedy), "")


def _failed_before(orchestration: Orchestration, actions: tuple[Action, ...]) -> str:
    """What to do about steps of orch's own that failed when they were last tried, where only such are left to do."""
    fixes = [standing(orchestration.task(action.key).log).paused for action in actions if action.key is not None]
    if len(fixes) < len(actions):
        return ""
    known = [fix[1] for fix in fixes if fix is not None and fix[1]]
    return known[0] if len(known) == len(actions) else ""
