"""What an error of a model's service means: the account can't be used now, the service fails, or the request is bad.

Owns the words and numbers that services use, and how long they say it will last. Knows no particular program.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from orchestrator.drivers.base import Outcome
from orchestrator.patterns import regex

_QUOTA = regex(
    r"rate.?limit|too many requests|usage limit|limit reached|hit your .{0,20}limit|\bquota\b|insufficient_quota"
    r"|billing|credit balance|out of credits|insufficient.?(?:credits|funds)|payment|resource.?exhausted",
    re.IGNORECASE,
)
_ACCOUNT = regex(
    r"not logged in|please run /login|log ?in again|invalid.{0,12}(?:api.?key|token|credential)"
    r"|missing.{0,12}api.?key|api.?key.{0,20}(?:missing|not found|not valid|invalid)"
    r"|authenticat|unauthori[sz]ed|token.{0,20}expired|missing environment variable",
    re.IGNORECASE,
)
_SERVICE = regex(
    r"overloaded|high demand|server error|bad gateway|service unavailable|gateway time-?out"
    r"|stream disconnected|connection (?:error|refused|reset|closed|aborted)|(?:unable to|could not) connect"
    r"|fetch failed|incomplete json segment|socket hang up|econn\w+|etimedout|enotfound|terminated|network error"
    r"|error sending request|error reading a body|unexpected eof|timed out|timeout",
    re.IGNORECASE,
)
_STATUS = regex(r"(?:status|api error:?|error|code\"?:|\()\W{0,3}([45]\d\d)\b", re.IGNORECASE)
_LENGTH = r"\d+(?:\.\d+)?\s*(?:ms|milliseconds?|d(?:ays?)?|h(?:ours?|r)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)\b[ ,]*"
_WAIT = regex(
    rf"(?:try again|retry|reset\w*|available again|wait)(?: \w+)? (?:after|in|for)?\s*:?\s*((?:{_LENGTH})+)",
    re.IGNORECASE,
)
_AT = regex(
    r"(?:try again|retry|reset\w*|available again|wait)(?: \w+)?,? (?:at|on|until)?\s*:?\s*"
    r"(?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? (?:at )?)?(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\b",
    re.IGNORECASE,
)
"""A time of day where the program runs, with or without its date."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_UNIT = regex(r"(\d+(?:\.\d+)?)\s*(ms|milli|d|h|m|s)", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "milli": 0.001, "d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_LONGEST = 7 * 86400.0


def classify(message: str, status: int = 0, now: float = 0.0) -> tuple[Outcome, float]:
    """The outcome that an error means, and the seconds until it is over where the message says so, else 0.

    status: the HTTP status, 0 where it isn't known apart from the message. now: when the message was said. An error
    that is neither the account's nor the service's is `failed`: the same request would fail again.
    """
    status = status or _status_in(message)
    if status in (401, 402, 403, 429) or _QUOTA.search(message) or (_ACCOUNT.search(message) and status < 500):
        return "quota", told_wait(message, now)
    if status >= 500 or status == 408 or (not status and _SERVICE.search(message)):
        return "api-error", told_wait(message, now)
    return "failed", 0.0


def _status_in(message: str) -> int:
    """The HTTP error status that a message names, else 0."""
    found = _STATUS.search(message)
    return int(found[1]) if found else 0


def told_wait(message: str, now: float = 0.0) -> float:
    """The seconds that a message asks to wait, such as `try again in 1m 30s` or, where it is known when that was said,
    `try again at 3:05 PM`; 0 where it names none."""
    found = _WAIT.search(message)
    if not found:
        return min(max(0.0, _time_in(message, now) - now), _LONGEST) if now else 0.0
    seconds = sum(float(amount) * _SECONDS[unit.casefold()] for amount, unit in _UNIT.findall(found[1]))
    return min(seconds, _LONGEST)


def _time_in(message: str, now: float) -> float:
    """The time of day that a message names, in seconds since 1970: the next one where it names no date. 0 for none."""
    found = _AT.search(message)
    if not found:
        return 0.0
    today = datetime.fromtimestamp(now)
    month, day, year, hour, minute, half = found.groups()
    try:
        time = today.replace(
            hour=int(hour) % 12 + (12 if half in "pP" else 0), minute=int(minute or 0), second=0, microsecond=0
        )
        if month:
            time = time.replace(int(year), _MONTHS.index(month.casefold()) + 1, int(day))
        elif time.timestamp() <= now:
            time += timedelta(days=1)
    except ValueError:
        return 0.0
    return time.timestamp()
