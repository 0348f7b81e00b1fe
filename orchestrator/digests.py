"""SHA-256, for names and for telling whether a text has changed.

The standard `hashlib` loads OpenSSL with all that it knows: a twentieth of the start of a short command. Python has
a small one of its own for builds without OpenSSL, which `random` uses in the same way; the digests are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256 as sha256
else:
    try:
        from _sha256 import sha256  # Python 3.11
    except ImportError:
        try:
            from _sha2 import sha256  # from 3.12 on
        except ImportError:
            from hashlib import sha256 as sha256
