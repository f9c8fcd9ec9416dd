"""Turns: lets a task that goes through thousands of things give the event loop to others in between."""

from __future__ import annotations

from time import perf_counter
from typing import Final

import trio

TURN_S: Final = 0.005
"""How long one task may keep the loop: a tenth of the lag that the benchmark allows."""


class Turns:
    """The turns of one task; the first one begins when this is made."""

    __slots__ = ("_ends", "taken")

    def __init__(self) -> None:
        self._ends = perf_counter() + TURN_S
        self.taken = 0
        """How many turns are over."""

    async def yield_if_due(self) -> None:
        """Let others run if this turn is over; cheap enough to be called for every item."""
        if perf_counter() >= self._ends:
            self.taken += 1
            await trio.lowlevel.checkpoint()
            self._ends = perf_counter() + TURN_S

    def charge(self, seconds: float) -> None:
        """Shorten this turn by what is still to be done for an item later, such as its part of the encoding."""
        self._ends -= seconds
