"""Lanes of log directories in unit tests: their owner tasks, and disks that are quick, slow or both in turn.

A thread is played by the loop: the work of a lane runs after some checkpoints and its end is told after some more, so
that other tasks run in between, always in the same order, and a virtual clock stands still meanwhile.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal

import trio
import trio.lowlevel

from wirebroker.replication.disk_lane import DiskLane

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

Speed = Literal["quick", "slow", "alternating"]
SPEEDS: Final[tuple[Speed, ...]] = ("quick", "slow", "alternating")
_TURNS: Final = 3
_START, _RUN, _OWN = DiskLane.__init__, DiskLane.run, DiskLane.own


def set_up_lanes(patch: pytest.MonkeyPatch, speed: Speed) -> None:
    """Give every lane an owner task when it is first used, and have its writes take as long as *speed* says.

    quick: no write takes any time.  slow: the lane never leaves its thread.  alternating: one write in the loop makes
    the lane slow, and one in the thread makes it quick again.
    """
    owned: set[DiskLane] = set()
    ticks = count()

    def start(lane: DiskLane, directory: str) -> None:
        _START(lane, directory)
        lane.quick = speed != "slow"

    async def own(lane: DiskLane) -> None:
        owned.add(lane)
        await _OWN(lane)

    async def run(lane: DiskLane, *arguments: Any, **named: Any) -> Any:
        if lane not in owned:
            owned.add(lane)
            trio.lowlevel.spawn_system_task(_OWN, lane)
        return await _RUN(lane, *arguments, **named)

    patch.setattr(DiskLane, "__init__", start)
    patch.setattr(DiskLane, "own", own)
    patch.setattr(DiskLane, "run", run)
    patch.setattr("wirebroker.replication.disk_lane.logger.disabled", speed == "alternating")
    patch.setattr("wirebroker.replication.disk_lane.run_in_thread", _as_in_thread)
    patch.setattr("wirebroker.replication.disk_lane.perf_counter", lambda: 0.0)
    patch.setattr("wirebroker.replication.disk_lane.QUICK_WRITES", 1 if speed == "alternating" else 1 << 60)
    in_loop: Callable[[], float] = (lambda: float(next(ticks))) if speed == "alternating" else (lambda: 0.0)
    patch.setattr("wirebroker.replication.partition.perf_counter", in_loop)


async def _as_in_thread(work: Callable[..., Any], *arguments: Any, limiter: trio.CapacityLimiter) -> Any:
    async with limiter:
        for _ in range(_TURNS):
            await trio.lowlevel.checkpoint()
        try:
            return work(*arguments)
        finally:
            for _ in range(_TURNS):
                await trio.lowlevel.cancel_shielded_checkpoint()
