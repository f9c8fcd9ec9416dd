"""SocketSet polls without sleep as long as that is successful."""

from __future__ import annotations

import os
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
