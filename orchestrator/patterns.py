"""Regular expressions that are compiled when they are first used, not when their module is loaded.

Compiling one takes a tenth of a millisecond to a few; the modules that a short command loads hold a hundred and
fifty, of which it uses a fifth. A pattern that is wrong is found by its first use, so a test compiles them all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def regex(text: str, flags: int = 0) -> re.Pattern[str]:
        """The pattern, as from re.compile."""
else:

    def regex(text: str, flags: int = 0) -> _Late:
        """The pattern, as from re.compile."""
        return _Late(text, flags)


_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")


class _Late:
    """Stands for a pattern. From the first use on its methods are those of the compiled one, without a way round."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern = text
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        # Reached only for what isn't there yet.
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
