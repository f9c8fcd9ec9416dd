"""A lane writes in the loop while its disk is quick, and in order whatever happens."""

from __future__ import annotations

import math
import threading

import pytest
import trio
import trio.lowlevel
import trio.testing

from wirebroker.replication.disk_lane import PATIENCE_S, QUICK_WRITES, SLOW_S, DiskLane, open_lanes


async def test_a_quick_lane_works_in_the_loop() -> None:
    lane = DiskLane("d")
    assert await lane.run(threading.get_ident) == threading.get_ident()


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
        idents = [await lane.run(threading.get_ident) for _ in range(QUICK_WRITES)]
        assert all(ident != threading.get_ident() for ident in idents)
        await trio.testing.wait_all_tasks_blocked()
        assert lane.quick
        assert await lane.run(threading.get_ident) == threading.get_ident()
        nursery.cancel_scope.cancel()


async def test_a_group_keeps_its_order() -> None:
    lane = DiskLane("d")
    lane.took(PATIENCE_S * 2)
    done: list[int] = []
    async with trio.open_nursery() as nursery:
        for i in range(50):
            nursery.start_soon(lane.run, done.append, i)
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
            await lane.run(fail)
        nursery.cancel_scope.cancel()


async def test_a_cancelled_caller_waits_for_work_that_looks_at_its_buffer() -> None:
    lane = DiskLane("d")
    lane.took(PATIENCE_S * 2)
    buffer = bytearray(b"before")
    seen: list[bytes] = []

    scope = trio.CancelScope()

    async def caller() -> None:
        with scope:
            await lane.run(lambda: seen.append(bytes(buffer)))
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
    lane = DiskLane("d")
    lane.quick = False
    done: list[int] = []
    with trio.CancelScope() as scope:
        scope.cancel()
        await lane.run(done.append, 1)
    assert scope.cancelled_caught
    assert not done
    assert lane.is_idle


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
            await lane.run(write, each)

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
