"""SocketSet polls without sleep as long as that is successful."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.server import socket_wait
from wirebroker.server.socket_wait import BusyPoll, PollSuccess, SocketSet

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_polls_that_find_nothing_are_given_up() -> None:
    success = PollSuccess()
    polls = 0
    while success.ratio >= 0.8:
        assert success.may_poll()
        success.found_nothing()
        polls += 1
    assert 10 <= polls <= 20
    tried = [success.may_poll() for _ in range(1280)]
    assert sum(tried) == 80, "some are tried, to find out"


def test_polls_begin_anew_when_those_that_are_tried_find_something() -> None:
    success = PollSuccess()
    for _ in range(1000):
        success.found_nothing()
    waits = 0
    while success.ratio < 0.8:
        waits += 1
        if success.may_poll():
            success.found()
    assert waits < 2000
    assert all(success.may_poll() for _ in range(1000))


@pytest.mark.parametrize(("found", "goes_on"), [(19, True), (9, True), (2, False), (1, False)])
def test_one_poll_in_five_may_find_nothing(found: int, goes_on: bool) -> None:
    success = PollSuccess()
    for _ in range(200):
        for _ in range(found):
            success.found()
        success.found_nothing()
    assert (success.ratio >= 0.8) is goes_on


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


async def test_a_wait_after_unsuccessful_polls_sleeps_at_once(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here each poll ends before a byte comes, which another task writes."""
    readable, writable = pipe
    yields = 0

    def sched_yield() -> None:
        nonlocal yields
        yields += 1

    now = 0.0

    def perf_counter() -> float:
        nonlocal now
        now += 0.00001
        return now

    monkeypatch.setattr(socket_wait, "sched_yield", sched_yield)
    monkeypatch.setattr(socket_wait, "perf_counter", perf_counter)
    sockets = SocketSet(BusyPoll(readable_s=0.0001))
    sockets.open()
    sockets.add(readable)
    polls: list[bool] = []
    for _ in range(40):
        before = yields

        async def write() -> None:
            await trio.testing.wait_all_tasks_blocked()
            os.write(writable, b"x")

        async with trio.open_nursery() as nursery:
            await trio.lowlevel.checkpoint()
            nursery.start_soon(write)
            assert [fd for fd, _ in await sockets.wait()] == [readable]
        os.read(readable, 1)
        polls.append(yields > before)
    sockets.close()
    assert polls[2], "requests come fast"
    first = polls.index(False, 2)
    assert first <= 25
    assert sum(polls[first:]) <= 8


class DirectWaits:
    """Counts the waits of a SocketSet that enter the event loop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, sockets: SocketSet) -> None:
        self.in_loop = 0
        wait_readable = trio.lowlevel.wait_readable

        async def count(fd: int) -> None:
            self.in_loop += 1
            await wait_readable(fd)

        monkeypatch.setattr(trio.lowlevel, "wait_readable", count)
        sockets.open()


async def test_requests_that_come_soon_do_not_enter_the_event_loop(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    readable, writable = pipe
    monkeypatch.setattr(socket_wait, "_SOON_S", 60.0)
    monkeypatch.setattr(socket_wait, "_DIRECT_WAIT_MS", 60_000)
    monkeypatch.setattr(socket_wait, "TIMERS_S", 60.0)
    sockets = SocketSet(BusyPoll(0.0, 0.0))
    waits = DirectWaits(monkeypatch, sockets)
    sockets.add(readable)
    go_on = threading.Semaphore(0)

    def write() -> None:
        for _ in range(10):
            go_on.acquire()
            os.write(writable, b"x")

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(10):
        go_on.release()
        assert [fd for fd, _ in await sockets.wait()] == [readable]
        os.read(readable, 1)
    writer.join()
    sockets.close()
    assert waits.in_loop <= 1, "only the first one"


async def test_tasks_threads_and_timers_run_during_waits_without_the_event_loop(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing comes on the socket until all of them have run."""
    readable, writable = pipe
    monkeypatch.setattr(socket_wait, "_DIRECT_WAIT_MS", 60_000)
    sockets = SocketSet(BusyPoll(0.0, 0.0))
    DirectWaits(monkeypatch, sockets)
    sockets.add(readable)
    sockets._soon = True
    ran: list[str] = []

    async def task() -> None:
        for _ in range(3):
            await trio.lowlevel.checkpoint()
        ran.append("task")
        await trio.to_thread.run_sync(ran.append, "thread")
        await trio.sleep(0.001)
        ran.append("timer")
        os.write(writable, b"x")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(task)
        assert [fd for fd, _ in await sockets.wait()] == [readable]
    sockets.close()
    assert ran == ["task", "thread", "timer"]


class _Turns(trio.abc.Instrument):
    """Counts the turns of the event loop."""

    def __init__(self) -> None:
        self.count = 0

    def after_io_wait(self, timeout: float) -> None:
        self.count += 1


async def test_a_socket_that_is_always_ready_gives_turns_to_nothing_but_what_waits(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    readable, writable = pipe
    monkeypatch.setattr(socket_wait, "LOOP_TURN_S", 0.0)
    monkeypatch.setattr(socket_wait, "TIMERS_S", 60.0)
    sockets = SocketSet(BusyPoll(0.0, 0.0))
    sockets.open()
    sockets.add(readable)
    os.write(writable, b"x")
    await sockets.run_others()
    turns, ran = _Turns(), threading.Event()

    async def wait_for_thread() -> None:
        await trio.to_thread.run_sync(go_on.wait)
        ran.set()

    go_on = threading.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait_for_thread)
        await sockets.wait()
        trio.lowlevel.add_instrument(turns)
        for _ in range(100):
            assert await sockets.wait()
        assert turns.count <= 2, "after the turn in which the task ran"
        go_on.set()
        while not ran.is_set():
            await sockets.wait()
    trio.lowlevel.remove_instrument(turns)
    sockets.close()


async def test_every_task_has_turns_beside_a_socket_that_is_always_ready(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of tasks in a turn is random, so the waiting one may come before those that became runnable earlier."""
    readable, writable = pipe
    monkeypatch.setattr(socket_wait, "TIMERS_S", 60.0)
    sockets = SocketSet(BusyPoll(0.0, 0.0))
    sockets.open()
    sockets.add(readable)
    os.write(writable, b"x")
    ended = 0

    async def checkpoints() -> None:
        nonlocal ended
        for _ in range(5):
            await trio.lowlevel.checkpoint()
        ended += 1

    async with trio.open_nursery() as nursery:
        for count in range(1, 31):
            nursery.start_soon(checkpoints)
            for _ in range(20):
                await sockets.wait()
            assert ended == count
    sockets.close()


async def test_timers_run_beside_a_socket_that_is_always_ready(pipe: tuple[int, int]) -> None:
    readable, writable = pipe
    sockets = SocketSet(BusyPoll(0.0, 0.0))
    sockets.open()
    sockets.add(readable)
    os.write(writable, b"x")
    with trio.move_on_after(0.01) as scope:
        while True:
            await sockets.wait()
    sockets.close()
    assert scope.cancelled_caught


async def test_timers_end_while_requests_come(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread writes as soon as the byte before is read, so no wait is long enough to enter the event loop."""
    readable, writable = pipe
    monkeypatch.setattr(socket_wait, "_SOON_S", 60.0)
    sockets = SocketSet(BusyPoll(0.0, 0.0))
    DirectWaits(monkeypatch, sockets)
    sockets.add(readable)
    go_on, ended = threading.Semaphore(0), False

    def write() -> None:
        while go_on.acquire() and not ended:
            os.write(writable, b"x")

    writer = threading.Thread(target=write)
    writer.start()
    with trio.move_on_after(0.01) as scope:
        for _ in range(100_000):
            go_on.release()
            await sockets.wait()
            os.read(readable, 1)
    ended = True
    go_on.release()
    writer.join()
    sockets.close()
    assert scope.cancelled_caught


async def test_without_the_descriptor_of_the_event_loop_every_wait_is_its_own(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    readable, writable = pipe
    monkeypatch.setattr(socket_wait, "event_loop_fd", lambda: None)
    sockets = SocketSet(BusyPoll(0.0, 0.0))
    waits = DirectWaits(monkeypatch, sockets)
    sockets.add(readable)
    for _ in range(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, os.write, writable, b"x")
            assert [fd for fd, _ in await sockets.wait()] == [readable]
        os.read(readable, 1)
    sockets.close()
    assert waits.in_loop == 5
