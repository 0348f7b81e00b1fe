"""JUnit XML → counts and ids of failing tests. The code under test wrote the file: nothing in it is trusted.

No entity of its own is expanded and nothing outside it is read. Owns how a test is named in such a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.parsers import expat

from orchestrator.model.run_counts import RunCounts, as_ids
from orchestrator.nouns import dataclass, field
from orchestrator.patterns import regex

_FAILED = ("failure", "error")
_ROOTS = ("testsuites", "testsuite")
_ILLEGAL = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCE = regex(r"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,10}));")


class JUnitError(ValueError):
    """The text is no JUnit XML; the message says why, as the end of a sentence."""


@dataclass(slots=True)
class _Case:
    name: str
    is_failed: bool = False
    is_skipped: bool = False


@dataclass(slots=True)
class _Found:
    """What has been read so far."""

    suites: list[str] = field(default_factory=list)
    depth: int = 0
    case: _Case | None = None
    cases: list[_Case] = field(default_factory=list)

    def start(self, tag: str, given: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if self.depth == 0 and tag not in _ROOTS:
            raise JUnitError(f"begins with <{tag[:40]}>, not with <testsuites> or <testsuite>")
        self.depth += 1
        if tag == "testsuite":
            self.suites.append(given.get("name", ""))
        elif tag == "testcase":
            self.case = _Case(_id(given, self.suites))
        elif self.case is not None and tag in _FAILED:
            self.case.is_failed = True
        elif self.case is not None and tag == "skipped":
            self.case.is_skipped = True

    def end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        self.depth -= 1
        if tag == "testsuite" and self.suites:
            self.suites.pop()
        elif tag == "testcase" and self.case is not None:
            self.cases.append(self.case)
            self.case = None

    def counts(self) -> RunCounts:
        failing = as_ids(case.name for case in self.cases if case.is_failed)
        passed = sum(not (case.is_failed or case.is_skipped) for case in self.cases)
        return RunCounts(passed, len(failing), failing)


def read_junit(data: bytes) -> RunCounts:
    """What the file says: failures and errors count as failed. Raises JUnitError for what is no JUnit XML, isn't
    whole, or declares entities.

    An id is `file::Class::test` where the file is given, `class::test` where only that is, else the suites' names.
    """
    try:
        return _read(data)
    except JUnitError:
        raise
    except (expat.ExpatError, LookupError, ValueError):
        # Reporters copy what tests print: control characters and half characters are what most often breaks a file,
        # and the encoding it names needn't be one.
        pass
    try:
        return _read(_mended(data), encoding="utf-8")
    except expat.ExpatError as error:
        words = expat.errors.messages[error.code]
        raise JUnitError(f"isn't whole XML: {words} in line {error.lineno}") from error


def merged(parts: Sequence[RunCounts]) -> RunCounts:
    """Several files of one run taken together."""
    failing = as_ids(name for part in parts for name in part.failing)
    return RunCounts(sum(part.passed or 0 for part in parts), len(failing), failing)


def _read(data: bytes, encoding: str | None = None) -> RunCounts:
    found = _Found()
    parser = expat.ParserCreate(encoding)
    parser.StartElementHandler = found.start
    parser.EndElementHandler = found.end
    parser.EntityDeclHandler = _refuse_entities
    parser.Parse(data, True)
    return found.counts()


def _refuse_entities(*_: object) -> None:
    raise JUnitError("declares entities, which no test report needs")


def _mended(data: bytes) -> bytes:
    """The same without the characters that XML doesn't allow."""
    wide = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = _ILLEGAL.sub("\ufffd", data.decode("utf-16" if wide else "utf-8", "replace"))
    return _REFERENCE.sub(_legal, text).encode("utf-8", "replace")


def _legal(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    is_legal = code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return match[0] if is_legal else "\ufffd"


def _id(given: dict[str, str], suites: Sequence[str]) -> str:
    name = " ".join(given.get("name", "").split())
    group = " ".join(given.get("classname", "").split())
    file = given.get("file", "").strip().replace("\\", "/").removeprefix("./")
    if file:
        module = re.sub(r"\.\w+$", "", file).replace("/", ".")
        if name == module:
            return file
        within = group.removeprefix(module).lstrip(".") if group.startswith(module) else group
        parts = [file, *([within.replace(".", "::") if within != group else within] if within else []), name]
    elif "classname" in given:
        parts = [group, name]
    else:
        parts = [*suites, name]
    kept = [part for part in parts if part]
    # Some reporters give the whole name twice.
    return kept[0] if len(set(kept)) == 1 else "::".join(kept)
