"""A budget given out among turns that are at work at once: what is promised to one is no other's.

Owns the arithmetic, in whole units of one kind (tokens, or ten-thousandths of a dollar). Knows no task and no file.
"""

from __future__ import annotations

from orchestrator.nouns import dataclass


@dataclass(slots=True)
class Purse:
    """One limit over all tasks. As long as no turn uses more than its portion, `spent` and all that is promised never
    come to more than the limit."""

    limit: int
    spent: int
    """What ended turns have used."""
    promised: int = 0
    """To turns at work whose end is waited for: their portions, or what they have used if that is more."""
    away: int = 0
    """The same for turns at work that nobody waits for now: they don't end by waiting."""

    @property
    def left(self) -> int:
        return self.limit - self.spent - self.promised - self.away

    def portion(self, *, usual: int, sharers: int) -> int | None:
        """What one more turn may use; None if there is too little for it, until another one has ended where any is at
        work.

        usual: what such turns have used so far, 0 for not known. sharers: how many turns may be at work besides those
        that are, this one too: each is to have its share, unless that is less than usual. Where nothing is promised
        there is nothing to wait for, and the turn gets what is left, if that is half of the usual.
        """
        share = max(self.left // max(1, sharers), usual, 1)
        if share <= self.left:
            return share
        if self.promised or self.left <= 0:
            return None
        # A turn with less than half of what such turns use would be cut off, and what it had used be lost.
        return self.left if 2 * self.left >= usual else None
