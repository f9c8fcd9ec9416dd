"""Turn: how long work of many steps may keep the event loop before others get it."""

from __future__ import annotations

from time import perf_counter
from typing import Final

import trio

TURN_S: Final = 0.002
"""Beside ten such tasks a request still waits for no more than 20 ms; a checkpoint costs 1 % of it."""


class Turn:
    """Call `give_way` after each short step: it lets other tasks run when the turn has taken its time."""

    __slots__ = ("_ends",)

    def __init__(self) -> None:
        self._ends = perf_counter() + TURN_S

    def restart(self) -> None:
        """Others have just run."""
        self._ends = perf_counter() + TURN_S

    @property
    def is_over(self) -> bool:
        """Whether others have waited for long enough."""
        return perf_counter() >= self._ends

    async def give_way(self) -> None:
        """Let other tasks run if the turn is over; else return at once."""
        if perf_counter() >= self._ends:
            await trio.lowlevel.checkpoint()
            self._ends = perf_counter() + TURN_S
