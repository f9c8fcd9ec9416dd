"""WorkerThreads: work leaves the loop, and requests take turns at the threads."""

from __future__ import annotations

import threading

import trio
import trio.testing

from wirebroker.replication.worker_threads import WorkerThreads


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
