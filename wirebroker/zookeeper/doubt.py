"""LeadershipDoubt: whether this process may have slept so long that other brokers lead its partitions by now.

A process that is stopped (SIGSTOP, a suspended virtual machine, a swapped-out page) for longer than its session wakes
up as the leader of partitions that were given to others, and would serve until it hears of that.  So after any pause of
the event loop of more than half the session, and after the end of a session, leadership is in doubt until one read of
the own registration has succeeded.  Silence of ZooKeeper alone is no reason to doubt: Kafka serves on, too, as without
ZooKeeper nobody else can be elected.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)

_TICKS_PER_LIMIT: Final = 4
_RETRY_S: Final = 0.1


class LeadershipDoubt:
    """The time since the event loop was last seen running, and whether leadership was confirmed since a pause.

    Args:
        limit_s: returns half the session timeout of now.
        confirm: reads the own registration; true if this broker leads what it believes to lead.  It waits for as long
            as ZooKeeper does not answer.
    """

    def __init__(self, limit_s: Callable[[], float], confirm: Callable[[], Awaitable[bool]]) -> None:
        self._limit_s, self._confirm = limit_s, confirm
        self._now_s: Callable[[], float] = trio.current_time
        self._last_tick = trio.current_time()
        self._is_doubted = False
        self._settled = trio.Event()
        self._settled.set()
        self._doubted = trio.Event()

    @property
    def is_in_doubt(self) -> bool:
        """Whether whatever needs leadership has to wait; true from the first moment after a pause on."""
        return self._is_doubted or self._now_s() - self._last_tick > self._limit_s()

    async def wait_settled(self) -> None:
        """Wait until there is no doubt; returns at once if there is none."""
        while self.is_in_doubt:
            self.begin("the event loop has paused")
            await self._settled.wait()

    def begin(self, reason: str) -> None:
        """Doubt leadership until a read of the registration succeeds."""
        self._last_tick = trio.current_time()
        if not self._is_doubted:
            logger.warning(
                "leadership is in doubt: %s; waiting for a read of the own registration in ZooKeeper", reason
            )
            self._is_doubted = True
            self._settled = trio.Event()
            self._doubted.set()

    async def run(self) -> None:
        """Look for pauses, and confirm leadership after each, until cancelled."""
        self._now_s = trio.lowlevel.current_clock().current_time  # half the price of trio.current_time
        self._last_tick = trio.current_time()
        while True:
            with trio.move_on_after(self._limit_s() / _TICKS_PER_LIMIT):
                await self._doubted.wait()
            now = trio.current_time()
            pause_s, self._last_tick = now - self._last_tick, now
            if pause_s > self._limit_s():
                self.begin(f"the event loop has paused for {pause_s:.1f} s")
            if self._is_doubted:
                await self._settle()

    async def _settle(self) -> None:
        while True:
            began = trio.current_time()
            # a read that took long may have been answered before another pause
            if await self._confirm() and trio.current_time() - began <= self._limit_s():
                break
            await trio.sleep(_RETRY_S)
        self._is_doubted = False
        self._doubted = trio.Event()
        self._last_tick = trio.current_time()
        self._settled.set()
        logger.warning("leadership is confirmed: requests go on")
