"""A lane writes in the loop while its disk is quick, and in order whatever happens."""

from __future__ import annotations

import math
import threading

import pytest
import trio
import trio.lowlevel
import trio.testing

from wirebroker.replication.disk_lane import PATIENCE_S, QUICK_WRITES, SLOW_S, DiskLane, Kind, LogWork, open_lanes
from wirebroker.storage.faults import MustWait

pytestmark = pytest.mark.real_lanes


def append(done: list[int], number: int, may_wait: bool = True) -> int:
    """Stands for an append; returns the thread that it ran in."""
    done.append(number)
    return threading.get_ident()


async def test_what_touches_the_disk_runs_in_a_thread_however_quick_the_lane_is() -> None:
    lane = DiskLane("d")
    async with open_lanes([lane]):
        assert await lane.run(Kind.DISK, None, threading.get_ident) != threading.get_ident()
        assert await lane.run(Kind.MEMORY, None, threading.get_ident) == threading.get_ident()
        assert await lane.run(Kind.APPEND, None, append, [], 1) == threading.get_ident()
        assert lane.quick


async def test_appends_that_waited_for_a_thread_run_in_the_loop_again() -> None:
    """Under load something is always queued, and each hop to a thread costs more than ten appends."""
    lane, log = DiskLane("d"), LogWork()
    may_end = threading.Event()
    done: list[int] = []
    threads: list[int] = []

    async def caller(number: int) -> None:
        threads.append(await lane.run(Kind.APPEND, log, append, done, number))

    async with open_lanes([lane]), trio.open_nursery() as callers:
        callers.start_soon(lane.run, Kind.DISK, log, may_end.wait)
        await trio.testing.wait_all_tasks_blocked()
        for number in range(50):
            callers.start_soon(caller, number)
            await trio.testing.wait_all_tasks_blocked()
        assert log.queued == 51
        assert not done
        may_end.set()
    assert done == list(range(50))
    assert set(threads) == {threading.get_ident()}
    assert log.queued == 0


async def test_an_append_that_must_wait_is_run_in_a_thread_and_says_nothing_of_the_disk() -> None:
    lane, log = DiskLane("d"), LogWork()
    threads: list[int] = []

    def roll(may_wait: bool = True) -> None:
        threads.append(threading.get_ident())
        if not may_wait:
            raise MustWait

    for quick in (True, False):
        lane.quick = quick
        threads.clear()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lane.own)
            await lane.run(Kind.APPEND, log, roll)
            nursery.cancel_scope.cancel()
        assert len(threads) == 2
        assert threads[1] != threading.get_ident()
        assert lane.quick == quick
        assert log.queued == 0


async def test_a_flush_that_takes_long_leaves_the_lane_quick() -> None:
    lane = DiskLane("d")
    done = threading.Event()
    async with open_lanes([lane]):
        await lane.run(Kind.DISK, None, done.wait, PATIENCE_S * 2)
        assert lane.quick


async def test_a_slow_write_now_and_then_is_forgiven() -> None:
    lane = DiskLane("d")
    for _ in range(int(PATIENCE_S / (SLOW_S * 2))):
        lane.took(SLOW_S * 1.5)
    assert lane.quick
    for _ in range(int(PATIENCE_S / SLOW_S)):
        lane.took(SLOW_S * 1.5)
    assert not lane.quick


async def test_a_stall_moves_writes_to_a_thread_until_they_are_quick_again() -> None:
    lane = DiskLane("d")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lane.own)
        lane.took(PATIENCE_S * 2)
        assert not lane.quick
        idents = [await lane.run(Kind.APPEND, None, append, [], n) for n in range(QUICK_WRITES)]
        assert all(ident != threading.get_ident() for ident in idents)
        await trio.testing.wait_all_tasks_blocked()
        assert lane.quick
        assert await lane.run(Kind.APPEND, None, append, [], 1) == threading.get_ident()
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("quick", [False, True])
async def test_a_group_keeps_its_order(quick: bool) -> None:
    lane, log = DiskLane("d"), LogWork()
    lane.quick = quick
    done: list[int] = []
    async with trio.open_nursery() as nursery:
        for i in range(50):
            if i % 7 == 3:
                nursery.start_soon(lane.run, Kind.DISK, log, done.append, i)
            elif i % 7 == 4:
                nursery.start_soon(lane.run, Kind.MEMORY, log, done.append, i)
            else:
                nursery.start_soon(lane.run, Kind.APPEND, log, append, done, i)
            await trio.testing.wait_all_tasks_blocked()
        async with trio.open_nursery() as owner:
            owner.start_soon(lane.own)
            while len(done) < 50:
                await trio.testing.wait_all_tasks_blocked()
            owner.cancel_scope.cancel()
    assert done == list(range(50))


@pytest.mark.parametrize("slow", [False, True])
async def test_errors_reach_the_caller(slow: bool) -> None:
    lane = DiskLane("d")

    def fail() -> None:
        raise OSError(28, "no space")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(lane.own)
        if slow:
            lane.took(PATIENCE_S * 2)
        with pytest.raises(OSError, match="no space"):
            await lane.run(Kind.DISK, None, fail)
        nursery.cancel_scope.cancel()


async def test_a_cancelled_caller_waits_for_work_that_looks_at_its_buffer() -> None:
    lane = DiskLane("d")
    lane.took(PATIENCE_S * 2)
    buffer = bytearray(b"before")
    seen: list[bytes] = []

    scope = trio.CancelScope()

    async def caller() -> None:
        with scope:
            await lane.run(Kind.DISK, None, lambda: seen.append(bytes(buffer)))
        buffer[:] = b"reused"

    async with trio.open_nursery() as nursery:
        nursery.start_soon(caller)
        await trio.testing.wait_all_tasks_blocked()
        scope.cancel()
        await trio.testing.wait_all_tasks_blocked()
        assert buffer == b"before"
        nursery.start_soon(lane.own)
        while buffer != b"reused":
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert seen == [b"before"]


async def test_a_caller_that_is_cancelled_already_writes_nothing() -> None:
    lane, log = DiskLane("d"), LogWork()
    done: list[int] = []
    with trio.CancelScope() as scope:
        scope.cancel()
        await lane.run(Kind.DISK, log, done.append, 1)
    assert scope.cancelled_caught
    assert not done
    assert log.queued == 0


@pytest.mark.parametrize("cancelled", ["the callers", "everything"])
async def test_lanes_end_after_callers_that_write_while_they_are_cancelled(cancelled: str) -> None:
    lane = DiskLane("d")
    lane.quick = False
    may_write = threading.Event()
    done: list[int] = []

    def write(number: int) -> None:
        may_write.wait()
        done.append(number)

    async def caller(number: int) -> None:
        for each in range(number, number + 3):
            await lane.run(Kind.DISK, None, write, each)

    async def release() -> None:
        await trio.testing.wait_all_tasks_blocked()
        scopes[cancelled].cancel()
        await trio.testing.wait_all_tasks_blocked()
        may_write.set()

    scopes: dict[str, trio.CancelScope] = {}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(release)
        with trio.move_on_after(math.inf) as scopes["everything"]:
            async with open_lanes([lane]), trio.open_nursery() as callers:
                scopes["the callers"] = callers.cancel_scope
                callers.start_soon(caller, 10)
                callers.start_soon(caller, 20)
                await trio.sleep_forever()
    assert sorted(done) == [10, 20]  # what was queued is written, nothing else is begun
