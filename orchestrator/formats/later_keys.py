"""Keys of ORCH.md whose part isn't built yet: read and validated, then refused.

A key that would change what runs is an error, since leaving it out of account would be a surprise. The place to take
a key from, once its part is built.
"""

from __future__ import annotations

from orchestrator.formats.typed_keys import TypedKeys

LATER = ("sandbox",)


def check_later(keys: TypedKeys) -> None:
    """Report those of these keys that are set to something orch can't do yet."""
    if keys.word("sandbox", default="off") not in ("off", "false", "no", "none"):
        # Whoever asks for a sandbox must not be left to think there is one.
        keys.report_key("`sandbox` is not available yet", "sandbox", hint="take it out", code="not-available")
