"""LogDirExecutor: appends run inline while the disk is fast, and in order in every mode."""

from __future__ import annotations

import math
import threading

import pytest
import trio
import trio.lowlevel
import trio.testing

from wirebroker.inbox import InboxClosed
from wirebroker.replication.log_dir_executor import (
    FAST_WRITES,
    SLOW_BUDGET_S,
    SLOW_WRITE_S,
    LogDirExecutor,
    PendingWork,
    WorkKind,
    open_executors,
)
from wirebroker.storage.errors import WouldBlock

pytestmark = pytest.mark.real_executors


def append(done: list[int], number: int, may_wait: bool = True) -> int:
    """Stands for an append; returns the thread that it ran in."""
    done.append(number)
    return threading.get_ident()


class Reading:
    """Stands for a function that reads a clock or a counter."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


async def test_disk_work_runs_in_a_thread_even_while_appends_run_inline() -> None:
    executor = LogDirExecutor("d")
    async with open_executors([executor]):
        assert await executor.submit(WorkKind.DISK, None, threading.get_ident) != threading.get_ident()
        assert await executor.submit(WorkKind.MEMORY, None, threading.get_ident) == threading.get_ident()
        assert await executor.submit(WorkKind.APPEND, None, append, [], 1) == threading.get_ident()
        assert executor.inline


async def test_appends_that_were_queued_behind_a_thread_run_inline() -> None:
    """Under load something is always queued, and each hop to a thread costs more than ten appends."""
    executor, log = LogDirExecutor("d"), PendingWork()
    may_end = threading.Event()
    done: list[int] = []
    threads: list[int] = []

    async def caller(number: int) -> None:
        threads.append(await executor.submit(WorkKind.APPEND, log, append, done, number))

    async with open_executors([executor]), trio.open_nursery() as callers:
        callers.start_soon(executor.submit, WorkKind.DISK, log, may_end.wait)
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


async def test_work_of_a_log_that_changes_executors_keeps_its_order() -> None:
    previous, executor, log = LogDirExecutor("d"), LogDirExecutor("e"), PendingWork()
    may_end = threading.Event()
    done: list[int] = []
    async with open_executors([previous, executor]), trio.open_nursery() as callers:
        callers.start_soon(previous.submit, WorkKind.DISK, log, may_end.wait)
        await trio.testing.wait_all_tasks_blocked()
        callers.start_soon(previous.submit, WorkKind.APPEND, log, append, done, 0)
        await trio.testing.wait_all_tasks_blocked()
        callers.start_soon(executor.take_over, log, previous)
        for number in range(1, 400):  # more than an inbox has room for
            await trio.testing.wait_all_tasks_blocked()
            callers.start_soon(executor.submit, WorkKind.APPEND, log, append, done, number)
        await trio.testing.wait_all_tasks_blocked()
        assert await executor.submit(WorkKind.MEMORY, None, lambda: "another log's") == "another log's"
        assert executor.append_inline(log, lambda may_wait: "appended") is None
        assert not done
        may_end.set()
    assert done == list(range(400))
    assert (log.queued, log.held) == (0, None)


async def test_work_that_is_held_for_a_closed_executor_fails() -> None:
    previous, executor, log = LogDirExecutor("d"), LogDirExecutor("e"), PendingWork()
    may_end = threading.Event()
    failed: list[InboxClosed] = []

    async def submit() -> None:
        try:
            await executor.submit(WorkKind.MEMORY, log, may_end.is_set)
        except InboxClosed as closed:
            failed.append(closed)

    async def take_over() -> None:
        with pytest.raises(InboxClosed):
            await executor.take_over(log, previous)

    async with open_executors([previous]), trio.open_nursery() as callers:
        callers.start_soon(previous.submit, WorkKind.DISK, log, may_end.wait)
        await trio.testing.wait_all_tasks_blocked()
        callers.start_soon(take_over)
        await trio.testing.wait_all_tasks_blocked()
        callers.start_soon(submit)
        await trio.testing.wait_all_tasks_blocked()
        executor.close()
        may_end.set()
    assert len(failed) == 1
    assert (log.queued, log.held) == (0, None)


@pytest.mark.parametrize("inline", [True, False])
async def test_an_append_with_a_roll_runs_in_a_thread_and_is_not_timed(inline: bool, nursery: trio.Nursery) -> None:
    executor, log = LogDirExecutor("d"), PendingWork()
    executor.inline = inline
    threads: list[int] = []

    def roll(may_wait: bool = True) -> str:
        threads.append(threading.get_ident())
        if not may_wait:
            raise WouldBlock
        return "rolled"

    assert executor.append_inline(log, roll) is None
    threads.clear()
    nursery.start_soon(executor.run)
    assert await executor.submit(WorkKind.APPEND, log, roll) == "rolled"
    assert len(threads) == 2
    assert threads[1] != threading.get_ident()
    assert executor.inline == inline
    assert log.queued == 0


async def test_an_append_runs_inline_unless_other_work_of_its_log_is_queued(nursery: trio.Nursery) -> None:
    executor, log = LogDirExecutor("d"), PendingWork()
    may_end = threading.Event()
    nursery.start_soon(executor.run)
    async with trio.open_nursery() as callers:
        callers.start_soon(executor.submit, WorkKind.DISK, log, may_end.wait)
        await trio.testing.wait_all_tasks_blocked()
        assert executor.append_inline(log, lambda may_wait: "appended") is None
        assert executor.append_inline(PendingWork(), lambda may_wait: "appended") == "appended"
        may_end.set()
    assert executor.append_inline(log, lambda may_wait: f"may wait: {may_wait}") == "may wait: False"
    executor.inline = False
    assert executor.append_inline(log, lambda may_wait: "appended") is None


async def test_slow_inline_appends_use_up_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.0, 0.0, SLOW_BUDGET_S * 2, SLOW_BUDGET_S * 2])
    monkeypatch.setattr("wirebroker.replication.log_dir_executor.perf_counter", lambda: next(seconds))
    executor = LogDirExecutor("d")
    assert executor.append_inline(PendingWork(), lambda may_wait: 1) == 1
    assert not executor.inline


@pytest.mark.parametrize(("ran_late_s", "inline"), [(0.0, False), (SLOW_BUDGET_S * 1.99, True)])
async def test_waits_for_a_processor_are_no_slow_writes(
    ran_late_s: float, inline: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a write may take long because others run meanwhile, which says nothing of the disk."""
    clock, waited = Reading(), Reading()
    monkeypatch.setattr("wirebroker.replication.log_dir_executor.perf_counter", clock)
    monkeypatch.setattr("wirebroker.replication.run_delay.perf_counter", clock)
    monkeypatch.setattr("wirebroker.replication.run_delay.RunDelay.waited_s", lambda _: waited())
    executor = LogDirExecutor("d")
    clock.seconds = waited.seconds = 100.0  # while nothing was written

    def write(may_wait: bool) -> int:
        clock.seconds += SLOW_BUDGET_S * 2
        waited.seconds += ran_late_s
        return 1

    assert executor.append_inline(PendingWork(), write) == 1
    assert executor.inline is inline
    if inline:  # the waits of the first write do not excuse the second
        waited.seconds, ran_late_s = 200.0, 0.0
        assert executor.append_inline(PendingWork(), write) == 1
        assert not executor.inline


@pytest.mark.parametrize("ran_late_s", [0.0, SLOW_WRITE_S * 1.99])
async def test_writes_in_a_thread_that_waited_for_a_processor_are_fast(
    ran_late_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, waited = Reading(), Reading()
    monkeypatch.setattr("wirebroker.replication.log_dir_executor.perf_counter", clock)
    monkeypatch.setattr("wirebroker.replication.run_delay.perf_counter", clock)
    monkeypatch.setattr("wirebroker.replication.run_delay.RunDelay.waited_s", lambda _: waited())
    executor = LogDirExecutor("d")
    clock.seconds = waited.seconds = 100.0

    def write(may_wait: bool) -> None:
        clock.seconds += SLOW_WRITE_S * 2
        waited.seconds += ran_late_s

    async with trio.open_nursery() as nursery:
        nursery.start_soon(executor.run)
        executor.record_write_time(SLOW_BUDGET_S * 2)
        for _ in range(FAST_WRITES):
            await executor.submit(WorkKind.APPEND, None, write)
        await trio.testing.wait_all_tasks_blocked()
        assert executor.inline is bool(ran_late_s)
        nursery.cancel_scope.cancel()


async def test_a_slow_flush_leaves_the_executor_inline() -> None:
    executor = LogDirExecutor("d")
    done = threading.Event()
    async with open_executors([executor]):
        await executor.submit(WorkKind.DISK, None, done.wait, SLOW_BUDGET_S * 2)
        assert executor.inline


async def test_few_slow_writes_stay_within_the_budget() -> None:
    executor = LogDirExecutor("d")
    for _ in range(int(SLOW_BUDGET_S / (SLOW_WRITE_S * 2))):
        executor.record_write_time(SLOW_WRITE_S * 1.5)
    assert executor.inline
    for _ in range(int(SLOW_BUDGET_S / SLOW_WRITE_S)):
        executor.record_write_time(SLOW_WRITE_S * 1.5)
    assert not executor.inline


async def test_a_stall_moves_appends_to_a_thread_until_writes_are_fast_again() -> None:
    executor = LogDirExecutor("d")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(executor.run)
        executor.record_write_time(SLOW_BUDGET_S * 2)
        assert not executor.inline
        idents = [await executor.submit(WorkKind.APPEND, None, append, [], n) for n in range(FAST_WRITES)]
        assert all(ident != threading.get_ident() for ident in idents)
        await trio.testing.wait_all_tasks_blocked()
        assert executor.inline
        assert await executor.submit(WorkKind.APPEND, None, append, [], 1) == threading.get_ident()
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("inline", [False, True])
async def test_a_group_keeps_its_order(inline: bool) -> None:
    executor, log = LogDirExecutor("d"), PendingWork()
    executor.inline = inline
    done: list[int] = []
    async with trio.open_nursery() as nursery:
        for i in range(50):
            if i % 7 == 3:
                nursery.start_soon(executor.submit, WorkKind.DISK, log, done.append, i)
            elif i % 7 == 4:
                nursery.start_soon(executor.submit, WorkKind.MEMORY, log, done.append, i)
            else:
                nursery.start_soon(executor.submit, WorkKind.APPEND, log, append, done, i)
            await trio.testing.wait_all_tasks_blocked()
        async with trio.open_nursery() as owner:
            owner.start_soon(executor.run)
            while len(done) < 50:
                await trio.testing.wait_all_tasks_blocked()
            owner.cancel_scope.cancel()
    assert done == list(range(50))


@pytest.mark.parametrize("slow", [False, True])
async def test_errors_reach_the_caller(slow: bool) -> None:
    executor = LogDirExecutor("d")

    def fail() -> None:
        raise OSError(28, "no space")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(executor.run)
        if slow:
            executor.record_write_time(SLOW_BUDGET_S * 2)
        with pytest.raises(OSError, match="no space"):
            await executor.submit(WorkKind.DISK, None, fail)
        nursery.cancel_scope.cancel()


async def test_a_cancelled_caller_waits_for_work_that_looks_at_its_buffer() -> None:
    executor = LogDirExecutor("d")
    executor.record_write_time(SLOW_BUDGET_S * 2)
    buffer = bytearray(b"before")
    seen: list[bytes] = []

    scope = trio.CancelScope()

    async def caller() -> None:
        with scope:
            await executor.submit(WorkKind.DISK, None, lambda: seen.append(bytes(buffer)))
        buffer[:] = b"reused"

    async with trio.open_nursery() as nursery:
        nursery.start_soon(caller)
        await trio.testing.wait_all_tasks_blocked()
        scope.cancel()
        await trio.testing.wait_all_tasks_blocked()
        assert buffer == b"before"
        nursery.start_soon(executor.run)
        while buffer != b"reused":
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert seen == [b"before"]


async def test_a_caller_that_is_cancelled_already_writes_nothing() -> None:
    executor, log = LogDirExecutor("d"), PendingWork()
    done: list[int] = []
    with trio.CancelScope() as scope:
        scope.cancel()
        await executor.submit(WorkKind.DISK, log, done.append, 1)
    assert scope.cancelled_caught
    assert not done
    assert log.queued == 0


@pytest.mark.parametrize("cancelled", ["the callers", "everything"])
async def test_executors_end_after_callers_that_write_while_they_are_cancelled(cancelled: str) -> None:
    executor = LogDirExecutor("d")
    executor.inline = False
    may_write = threading.Event()
    done: list[int] = []

    def write(number: int) -> None:
        may_write.wait()
        done.append(number)

    async def caller(number: int) -> None:
        for each in range(number, number + 3):
            await executor.submit(WorkKind.DISK, None, write, each)

    async def release() -> None:
        await trio.testing.wait_all_tasks_blocked()
        scopes[cancelled].cancel()
        await trio.testing.wait_all_tasks_blocked()
        may_write.set()

    scopes: dict[str, trio.CancelScope] = {}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(release)
        with trio.move_on_after(math.inf) as scopes["everything"]:
            async with open_executors([executor]), trio.open_nursery() as callers:
                scopes["the callers"] = callers.cancel_scope
                callers.start_soon(caller, 10)
                callers.start_soon(caller, 20)
                await trio.sleep_forever()
    assert sorted(done) == [10, 20]  # what was queued is written, nothing else is begun
