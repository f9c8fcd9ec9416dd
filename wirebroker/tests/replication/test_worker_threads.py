"""WorkerThreads: work leaves the loop, and requests take turns at the threads."""

from __future__ import annotations

import threading

import pytest
import trio
import trio.testing

from wirebroker.replication.worker_threads import SearchThreads, WorkerThreads


async def test_work_runs_in_another_thread_and_the_loop_goes_on() -> None:
    looked = threading.Event()

    def wait_for_the_loop() -> int:
        assert looked.wait(60)
        return threading.get_ident()

    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def look() -> None:
            looked.set()

        assert await WorkerThreads().run(wait_for_the_loop) != threading.get_ident()


async def test_every_item_is_worked_on_once_in_order() -> None:
    seen: list[int] = []
    await WorkerThreads(slice_s=0).run_each(seen.append, range(5))
    assert seen == list(range(5))


async def test_a_request_of_one_item_does_not_wait_for_all_of_another_s() -> None:
    workers = WorkerThreads(threads=1, slice_s=0)
    seen: list[str] = []
    both_wait = threading.Event()

    def work(name: str) -> None:
        assert both_wait.wait(60)
        seen.append(name)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(workers.run_each, work, ["many"] * 100)
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(workers.run_each, work, ["one"])
        await trio.testing.wait_all_tasks_blocked()
        both_wait.set()
    assert seen.index("one") == 1


async def test_a_slice_takes_several_items() -> None:
    workers = WorkerThreads(threads=1, slice_s=60)
    threads: set[int] = set()
    await workers.run_each(lambda _: threads.add(threading.get_ident()), range(100))
    assert len(threads) == 1


async def test_a_short_search_does_not_wait_for_long_ones() -> None:
    threads = SearchThreads(running=2, slice_s=0)
    seen: list[str] = []
    is_done = threading.Event()

    def work(name: str) -> None:
        while name == "long" and not is_done.is_set():
            threads.pause()
        seen.append(name)
        if name == "short":
            is_done.set()

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for name in ("long", "long", "long", "short"):
                nursery.start_soon(threads.run_each, work, [name])
    assert sorted(seen) == ["long", "long", "long", "short"]
    assert seen.index("short") == 0


async def test_searches_in_a_slice_that_is_not_over_keep_their_turn() -> None:
    threads = SearchThreads(running=1, slice_s=60)
    seen: list[str] = []
    begun, both_wait = threading.Event(), threading.Event()

    def work(name: str) -> None:
        begun.set()
        assert both_wait.wait(60)
        threads.pause()
        seen.append(name)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(threads.run_each, work, ["first"])
        await trio.to_thread.run_sync(begun.wait)
        nursery.start_soon(threads.run_each, work, ["second"])
        while not threads._waiting:
            await trio.lowlevel.checkpoint()
        both_wait.set()
    assert seen == ["first", "second"]


async def test_a_failed_search_gives_its_turn_back() -> None:
    threads = SearchThreads(running=1)

    def fail(_: int) -> None:
        raise ValueError

    for _ in range(3):
        with pytest.raises(ValueError):  # noqa: PT011 - any of them
            await threads.run_each(fail, [0])
    assert threads._turns_left == 1
