"""Time that passes on a mock clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trio.testing import wait_all_tasks_blocked

from wirebroker.timer.timer import CATCH_UP_S

if TYPE_CHECKING:
    from trio.testing import MockClock


async def let_pass(clock: MockClock, seconds: float) -> None:
    """Let time pass and have timers run that are due then: after a standstill a Timer gives sockets a moment first."""
    clock.jump(seconds)
    await wait_all_tasks_blocked()
    clock.jump(CATCH_UP_S)
    await wait_all_tasks_blocked()
