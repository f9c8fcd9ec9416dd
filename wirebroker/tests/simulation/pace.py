"""Pace: when the clients of a simulation are busy, and when they rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    import random

LEAD_S: Final = 2.0
"""How long before a fault the clients become busy again, so that it meets requests."""
_REST_S: Final = 6.0
"""How long a client that rests pauses on average."""
_STRETCH: Final = 4.0
"""How much longer clients that may rest pause between two requests when they are busy."""


class Pace:
    """Lets clients be busy around faults, and rest otherwise, as hours of a cluster's life are mostly quiet."""

    def __init__(self, busy_s: float = math.inf) -> None:
        """Let clients be busy for *busy_s* seconds after each beginning and end of a fault; always by default."""
        self._busy_s = busy_s
        self._rests_from = busy_s
        self._woken = trio.Event()

    @property
    def may_rest(self) -> bool:
        """Whether clients ever rest."""
        return math.isfinite(self._busy_s)

    def wake(self) -> None:
        """Have the clients be busy for a while from now on."""
        self._rests_from = trio.current_time() + self._busy_s
        self._woken.set()
        self._woken = trio.Event()

    async def pause(self, seconds: float, generator: random.Random, longest_s: float = math.inf) -> None:
        """Sleep *seconds*, as a busy client does between two requests; longer, up to *longest_s*, if clients rest."""
        rest_s = min(generator.uniform(0.5, 1.5) * _REST_S, longest_s)
        if trio.current_time() >= self._rests_from:
            with trio.move_on_after(rest_s):
                await self._woken.wait()
        await trio.sleep(seconds * _STRETCH if self.may_rest else seconds)
