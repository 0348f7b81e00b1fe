"""Secrets taken out of text: values that are known, and what has the shape of one.

The only place that knows the library of shapes (detect-secrets). It is loaded when a text holds something long enough
to be a secret, and not before: that takes longer than `orch status` takes in all. Beside it stand the shapes of model
providers' keys that it lacks. Entropy, keywords and addresses of its other detectors are left out: they take ids,
hashes and names of settings for secrets, and a report full of holes is worth nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from orchestrator.patterns import regex

if TYPE_CHECKING:
    Detector = Any

MASK = "[masked]"
_LEAST = 8
"""Shorter values are left alone: they would be found inside of other words."""
_NAMES = frozenset("KEY APIKEY TOKEN SECRET PASSWORD PASSWD PASSPHRASE CREDENTIALS PAT".split())
_SURE = ("_API_KEY", "_AUTH_TOKEN", "_OAUTH_TOKEN", "_ACCESS_TOKEN")
"""Ends of names whose values are secrets, but for plain words."""
_LONGEST_WORD = 20
"""Letters of one case beyond that many are a key, not a word."""
_PLACES = ("HOME", "PWD")
_LEFT_OUT = frozenset(("ip_public", "private_key", "keyword", "high_entropy_strings"))

_LONG = regex(r"[A-Za-z0-9_+/=.~-]{16,}")
_HARMLESS = regex(r"[0-9a-f-]+|(?=.*[a-z_./=~+-])[^0-9]+|[^A-Za-z]+")
"""Hashes, UUIDs, and what holds no figure or no letter, but words of capitals."""
_PLACEHOLDERS = frozenset("password passwd pass pwd secret token key user pw".split())
"""What stands for a secret in examples."""
_LOGIN = regex(r"://[^\s/]+:[^\s/]+@")
_BLOCK = regex(
    # Whole, also in one line of JSON; or cut off behind lines that can only be its body.
    r"-----BEGIN (?P<kind>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:[\sA-Za-z0-9+/=:,.\\-]*?-----END (?P=kind)-----|(?:(?:\s|\\[rn])+[A-Za-z0-9+/=]{16,})+)"
)
_PROVIDERS = regex(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{20,}"  # many providers of models
    r"|AIza[0-9A-Za-z_-]{35}"
    r"|(?:github_pat|hf|xai|gsk|npm)_[A-Za-z0-9_]{20,}|xai-[A-Za-z0-9]{40,}"
    r")|(?i:\b(?:bearer|x-api-key:|api-key:)\s+)(?P<value>(?=[^\s\"']*\d)[A-Za-z0-9._~+/-]{16,}=*)"
)


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables whose names say that they are secrets, the longest first.

    A path isn't taken for one, nor a plain word, which stands in for a key and would be found in ordinary text, in
    names of folders and of states; numbers and other letters only under names that leave no doubt. Neither is what
    stands in the path of the folder one works in: it is shown everywhere, and no command could be pasted without it.
    """
    found = set()
    places = [environ.get(place, "") for place in _PLACES]
    for name, value in environ.items():
        name = name.upper()
        if len(value) < _LEAST or _NAMES.isdisjoint(name.split("_")) or value.startswith(("/", "~/")):
            continue
        if _is_word(value) or any(value in place for place in places):
            continue
        if name.endswith(_SURE) or not (value.isalpha() or value.isdigit()):
            found.add(value)
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def _is_word(value: str) -> bool:
    """Whether it is letters alone, as words are written, and not too many of them."""
    return value.isalpha() and len(value) <= _LONGEST_WORD and (value[1:].islower() or value.isupper())


def mask_values(text: str, values: Iterable[str]) -> str:
    """The text without these values, wherever they stand in it."""
    for value in values:
        if value in text:
            text = text.replace(value, MASK)
    return text


def mask(text: str, values: Iterable[str] = ()) -> str:
    """The text without these values and without what has the shape of a secret. The rest stays as it is."""
    text = mask_values(text, values)
    if "PRIVATE KEY" in text:
        text = _BLOCK.sub(MASK, text)
    if not _may_hold(text):
        return text
    spans = sorted((*_provider_spans(text), *_library_spans(text)))
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        if start >= end:
            pieces += [text[end:start], MASK]
        end = max(end, stop)
    return "".join((*pieces, text[end:]))


def holds_key(text: str) -> bool:
    """Whether the text holds what has the shape of a model provider's key. Quick: it asks no library."""
    return bool(_PROVIDERS.search(text))


def _may_hold(text: str) -> bool:
    """Whether anything in the text is long and mixed enough for a secret."""
    if "://" in text and _LOGIN.search(text):
        return True
    return any(not _HARMLESS.fullmatch(found[0]) for found in _LONG.finditer(text))


def _provider_spans(text: str) -> Iterator[tuple[int, int]]:
    for found in _PROVIDERS.finditer(text):
        yield found.span("value") if found["value"] else found.span()


def _library_spans(text: str) -> Iterator[tuple[int, int]]:
    for detector in _detectors():
        for pattern in detector.denylist:
            for found in pattern.finditer(text):
                for start, stop in _groups(found):
                    while start < stop and text[start] in " \t\r\n\"'=:":
                        start += 1
                    while start < stop and text[stop - 1] in " \t\r\n\"'":
                        stop -= 1
                    told = text[start:stop]
                    if told.strip("<>${}*").casefold() in _PLACEHOLDERS:
                        continue
                    # The detector has a say of its own, such as whether a token can be decoded.
                    if told and any(True for _ in detector.analyze_string(found[0])):
                        while stop < len(text) and (text[stop].isalnum() or text[stop] in "_-"):
                            # What a lazy pattern left of it.
                            stop += 1
                        yield start, stop


def _groups(found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """What of a match is the secret: the groups of the pattern, or all where it has none or one names a prefix."""
    spans = [found.span(number) for number in range(1, len(found.groups()) + 1) if found[number]]
    if not found.re.groups or any(start == found.start() for start, _ in spans):
        spans = [found.span()]
    yield from spans


@contextmanager
def _left_unloaded(name: str) -> Iterator[None]:
    """Inside, importing this module gives an empty one: the library's client for asking services whether a secret is
    valid, which is never done here, takes twice as long to load as all the rest of it."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = _Unloaded(name)
    try:
        yield
    finally:
        del sys.modules[name]


class _Unloaded(ModuleType):
    """Has every name that a type or an exception could have."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return object


@cache
def _detectors() -> tuple[Detector, ...]:
    with _left_unloaded("requests"):
        # Here and not above: it loads two hundred modules.
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

        every: Iterable[Any] = get_mapping_from_secret_type_to_class().values()
    chosen = [one for one in every if one.__module__.rpartition(".")[2] not in _LEFT_OUT]
    return tuple(one() for one in sorted(chosen, key=lambda one: str(one.__name__)))
