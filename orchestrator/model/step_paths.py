"""Which paths a step of a micro-plan sets out to change, told from its words.

Owns the verbs and the words that turn a path into something read, compared or run. Built for few false alarms:
a path counts as changed only where a verb of changing governs it; what is missed here is found later, from git.
Must know nothing of scopes and of the disk.
"""

from __future__ import annotations

import re
from enum import StrEnum

from orchestrator.code_spans import without_code
from orchestrator.model.paths_in_text import PathInText, paths_in
from orchestrator.nouns import dataclass
from orchestrator.patterns import regex


class Role(StrEnum):
    """What a step does with a path."""

    EDITED = "edited"
    CREATED = "created"
    DELETED = "deleted"
    READ = "read"
    RUN = "run"
    NAMED = "named"
    """It is named, and no verb says what for."""


CHANGES = (Role.EDITED, Role.CREATED, Role.DELETED)


@dataclass(frozen=True, slots=True)
class Mention:
    path: PathInText
    role: Role


_EDITS = frozenset(
    "adapt add adjust amend append apply bump call change clean comment complete configure convert correct"
    " decorate deduplicate define deprecate disable document drop edit enable enhance expand export expose extend"
    " extract fill finish fix format guard handle harden hook implement improve include inject inline insert"
    " instrument integrate introduce localize make mark merge migrate mock modify move normalize optimize override"
    " parametrize parse patch plumb populate port prepend promote prune put re-export reexport refactor reformat"
    " register relocate rename reorder reorganize replace restructure revise reword rework rewrite set simplify"
    " sort split strip support swap switch thread tidy touch trim unify update upgrade wire wrap".split()
)
_CREATES = frozenset("new create write scaffold generate bootstrap draft author".split())
_DELETES = frozenset("delete remove erase unlink".split())
_READS = frozenset(
    "analyse analyze ask assert audit benchmark browse check cite compare confirm consider consult count debug"
    " decide describe determine diff discover double-check ensure enumerate establish examine explore find follow"
    " gather get grep identify inspect inventory investigate learn list load locate look map mimic mirror note"
    " observe open outline plan preserve probe re-read read recall recheck reference report reproduce reread"
    " research review revisit scan search see skim spot-check study summarize survey test trace understand use"
    " validate verify view walk".split()
)
_RUNS = frozenset("build compile exec execute invoke launch lint re-run rerun run start typecheck type-check".split())

# Behind these, up to the end of the clause, a path is only spoken of.
_ASIDES = frozenset(
    "according after against alongside aren't as based because before beside besides called can't cannot"
    " compatible consistent copied declared defined described documented doesn't don't except existing exists"
    " exported follow following found given if imported including inspired instead isn't keep keeping keeps leave"
    " leaving like lives living matches matching mentioned mirroring mirrors modeled modelled never next no nor"
    " not per plus preserve preserving reading reads referenced referencing see shipped similar since so"
    " specified than that unchanged unless unlike untouched use used uses using via when whenever where whereas"
    " which while with without won't".split()
)
# Behind these too, but a place named right after the path counts again: "tests for `a.py` in `tests/test_a.py`".
_ABOUT = frozenset("for of from about covering on between exercising testing over by".split())
_PLACES = frozenset("in into to inside under within at onto".split())
_POINTERS = frozenset(
    "link links reference references pointer pointers pointing points point refers referring redirect redirects"
    " relative compared equivalent equal corresponding respect import imports symlink symlinks attention calls"
    " delegate delegates belongs path".split()
)
# Behind these, "from" names a place that is changed.
_MOVES = frozenset(
    "call delete drop export expose extract migrate move port re-export relocate remove rename split".split()
)
_OBJECTS = frozenset("the a an its it this that these those new any all every each both remaining missing".split())
_FILLERS = frozenset("then next also first finally now afterwards lastly second third please carefully and".split())

_FENCE = regex(r"\s*(?:[-*+]\s+)?(`{3,}|~{3,})")
_ITEM = regex(r"\s*(?:[-*+]|\d+[.)])\s")
_CODE = "\x01"
_TOKEN = regex(r"\x01|[A-Za-z][\w'’-]*|[.;:!?](?=\s|$)|[,()（）：；，。]|[—–]|\s-\s")
_WIDE = {"（": "(", "）": ")", "：": ":", "；": ";", "，": ",", "。": "."}
_LABEL = regex(
    r"\s*(?:\*\*|__)?(?:\(?[A-Za-z]{0,4}(?:-[A-Z]*)?\d+(?:\.\d+)*[A-Za-z]?\)?(?:\*\*|__)?[.:)]?\s+)?(?:\[[^\]\n]{1,12}\]\s*)*"
)
_MARKER = regex(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[.\]\s+)?")


def mentions(step: str) -> tuple[Mention, ...]:
    """Every path in a step's text and what the step does with it. Each line, nested items too, stands for itself."""
    found: list[Mention] = []
    for line in _logical_lines(step):
        if line.strip():
            found += _in_line(line)
    return tuple(found)


def _logical_lines(step: str) -> list[str]:
    """One entry a list item, its wrapped lines joined; what stands in code fences is left out."""
    lines: list[str] = []
    fence = ""
    for line in re.split(r"\r\n?|\n", step):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            continue
        elif not lines or not line.strip() or _ITEM.match(line) or not lines[-1].strip():
            lines.append(line)
        else:
            lines[-1] += " " + line.strip()
    return lines


def _dressed_down(line: str) -> str:
    """The line with list marker, box, label and emphasis blanked, so that offsets stay."""
    marker = _MARKER.match(line)
    end = marker.end() if marker else 0
    label = _LABEL.match(line, end)
    end = label.end() if label else end
    return " " * end + line[end:].replace("**", "  ").replace("__", "  ")


def _in_line(line: str) -> list[Mention]:
    paths = paths_in(line)
    if not paths:
        return []
    # Code can't be a verb: blank it, but keep one mark where it stood.
    text = without_code(_dressed_down(line), _CODE)
    events: list[tuple[int, str | PathInText]] = [(path.start, path) for path in paths]
    starts = {path.start for path in paths}
    parts: list[str] = []
    at = 0
    for path in paths:
        # A bare path's own words aren't words of the sentence.
        if not path.is_quoted and path.start >= at:
            parts += [text[at : path.start], " " * len(path.written)]
            at = path.start + len(path.written)
    text = "".join([*parts, text[at:]])
    for token in _TOKEN.finditer(text):
        if token[0] != _CODE:
            events.append((token.start(), _WIDE.get(token[0], token[0].strip())))
        elif token.start() not in starts:
            events.append((token.start(), _CODE))
    reader = _Clauses()
    ordered = [event for _, event in sorted(events, key=lambda each: each[0])]
    for index, event in enumerate(ordered):
        following = ordered[index + 1] if index + 1 < len(ordered) else ""
        if isinstance(event, PathInText):
            reader.path(event)
        else:
            # DELETE and GET are methods of HTTP, not verbs.
            word = event if event.isupper() and len(event) > 1 else event.lower()
            reader.word(word.replace("’", "'"), following)
    return reader.found()


class _Clauses:
    """Reads a line from left to right and remembers which verb governs."""

    def __init__(self) -> None:
        self._mentions: list[Mention] = []
        self._waiting: list[PathInText] = []
        """Paths before any verb: "In `a.py`, add …", "`a.py`: add …"."""
        self._verb = ""
        self._role = Role.NAMED
        self._aside = ""
        """The word that made what follows mere talk; empty if nothing did."""
        self._before = ""
        self._starts_clause = True
        self._depth = 0
        self._after_path = False
        self._has_place = False
        """A word of place stood before the waiting paths: "In `a.py` …"."""

    def found(self) -> list[Mention]:
        self._settle(Role.NAMED)
        return self._mentions

    def path(self, path: PathInText) -> None:
        if not self._verb and not self._aside:
            self._waiting.append(path)
        else:
            self._mentions.append(Mention(path, self._role_here()))
        self._before, self._starts_clause, self._after_path = _CODE, False, True

    def _role_here(self) -> Role:
        if self._role in CHANGES and (self._aside or self._depth):
            return Role.NAMED
        return self._role

    def word(self, word: str, following: str | PathInText) -> None:
        after_path, self._after_path = self._after_path, False
        if word in (".", ";", "!", "?") and not self._depth:
            self._settle(Role.NAMED)
            self._verb, self._role, self._aside, self._starts_clause = "", Role.NAMED, "", True
            self._has_place = False
        elif word == ":":
            # "`a.py`: add …" lets the verb come; "Add tests: `a.py`" goes on; behind a finished object it is talk.
            if self._verb and after_path:
                self._aside = self._aside or word
            self._starts_clause = not self._verb
        elif word in ("—", "–", "-"):
            if self._verb:
                self._aside = self._aside or word
            self._starts_clause = True
        elif word == "(":
            self._depth += 1
            self._starts_clause = False
        elif word == ")":
            self._depth = max(0, self._depth - 1)
            self._after_path = after_path
        elif self._depth:
            pass
        elif word == "or" and after_path:
            # "`a.py` or `b.py`": only the first is said to be changed.
            self._aside = self._aside or word
        elif word in (",", "and", "or", "then", "&"):
            self._starts_clause = True
            self._after_path = after_path
        elif word in _FILLERS:
            self._starts_clause = True
        elif self._starts_clause and self._takes_over(word, following):
            self._begin(word)
        elif word == _CODE:
            self._starts_clause = False
        else:
            if self._waiting and not self._verb and not self._has_place:
                # "`a.py` gains …": the path is the subject, no verb of ours governs it.
                self._settle(Role.NAMED)
            self._has_place = self._has_place or (word in _PLACES and not self._waiting)
            self._starts_clause = False
            self._relate(word, following, after_path)
        self._before = word

    def _takes_over(self, word: str, following: str | PathInText) -> bool:
        if word == "new":
            # "New `a.py`" says create; "new tests in `a.py`" says nothing yet.
            return isinstance(following, PathInText) and not self._verb
        if _role_of(word) is None:
            return False
        if not self._verb or self._before in ("then", ";"):
            return True
        # Inside a clause a verb must have an object: "and update the index", not "create and update paths".
        if isinstance(following, PathInText) or following == _CODE:
            return True
        return following.lower() in _OBJECTS

    def _begin(self, word: str) -> None:
        role = _role_of(word) or Role.NAMED
        self._settle(role)
        self._verb, self._role, self._aside, self._starts_clause = word, role, "", False

    def _settle(self, role: Role) -> None:
        self._mentions += [Mention(path, role) for path in self._waiting]
        self._waiting = []

    def _relate(self, word: str, following: str | PathInText, after_path: bool) -> None:
        if word == "to" and isinstance(following, str) and _role_of(following.lower()):
            # "Add a command to scaffold `a.yaml`": a purpose, not a place.
            self._aside = word
        elif word in _PLACES:
            if after_path and (self._aside in _ABOUT or self._aside == "to"):
                self._aside = ""
            elif word == "to" and self._before in _POINTERS:
                self._aside = "to"
            self._go_inside()
        elif word == "from" and self._verb in _MOVES:
            self._go_inside()
        elif word in _ASIDES:
            self._aside = word
        elif word in _ABOUT:
            self._aside = self._aside or word

    def _go_inside(self) -> None:
        """What is created in a file, or removed from it, changes the file."""
        if self._role in (Role.CREATED, Role.DELETED) and self._verb not in ("delete", "unlink"):
            self._role = Role.EDITED


def _role_of(verb: str) -> Role | None:
    for verbs, role in (
        (_EDITS, Role.EDITED),
        (_CREATES, Role.CREATED),
        (_DELETES, Role.DELETED),
        (_READS, Role.READ),
        (_RUNS, Role.RUN),
    ):
        if verb in verbs:
            return role
    return None
