"""LeadershipDoubt with a mock clock that jumps, as the clock of a process that was stopped."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from wirebroker.zookeeper.doubt import LeadershipDoubt

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LIMIT_S = 4.0


class Confirmation:
    """The read of the own registration: waits for `answer`, counts calls."""

    def __init__(self) -> None:
        self.calls = 0
        self.is_there = True
        self.may_answer = trio.Event()

    async def __call__(self) -> bool:
        self.calls += 1
        await self.may_answer.wait()
        return self.is_there


@asynccontextmanager
async def running(confirmation: Confirmation) -> AsyncIterator[LeadershipDoubt]:
    doubt = LeadershipDoubt(lambda: LIMIT_S, confirmation)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(doubt.run)
        await wait_all_tasks_blocked()
        yield doubt
        nursery.cancel_scope.cancel()


async def run_normally(clock: MockClock, seconds: float) -> None:
    for _ in range(round(seconds * 10)):
        clock.jump(0.1)
        await wait_all_tasks_blocked()


async def test_no_doubt_while_the_loop_runs(mock_clock: MockClock) -> None:
    confirmation = Confirmation()
    async with running(confirmation) as doubt:
        await run_normally(mock_clock, 30)
        assert not doubt.is_in_doubt
        await doubt.wait_settled()
    assert confirmation.calls == 0


async def test_a_pause_is_doubted_from_its_first_moment_until_a_read_succeeds(mock_clock: MockClock) -> None:
    confirmation = Confirmation()
    async with running(confirmation) as doubt:
        mock_clock.jump(LIMIT_S + 0.1)
        assert doubt.is_in_doubt  # before any task ran
        await wait_all_tasks_blocked()
        assert doubt.is_in_doubt
        assert confirmation.calls == 1
        confirmation.may_answer.set()
        await doubt.wait_settled()
        assert not doubt.is_in_doubt
        await run_normally(mock_clock, 10)
        assert confirmation.calls == 1


async def test_a_waiter_that_runs_before_the_pause_is_noticed_waits(mock_clock: MockClock) -> None:
    confirmation = Confirmation()
    async with running(confirmation) as doubt, trio.open_nursery() as nursery:
        mock_clock.jump(LIMIT_S + 0.1)
        settled: list[bool] = []

        async def wait() -> None:
            await doubt.wait_settled()
            settled.append(doubt.is_in_doubt)

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        assert settled == []
        confirmation.may_answer.set()
        await wait_all_tasks_blocked()
        assert settled == [False]


async def test_a_registration_that_is_gone_settles_nothing(mock_clock: MockClock) -> None:
    confirmation = Confirmation()
    confirmation.may_answer.set()
    confirmation.is_there = False
    async with running(confirmation) as doubt:
        doubt.begin("the session has expired")
        await run_normally(mock_clock, 1)
        assert doubt.is_in_doubt
        assert confirmation.calls > 1
        confirmation.is_there = True
        await run_normally(mock_clock, 0.2)
        assert not doubt.is_in_doubt


async def test_an_answer_across_a_second_pause_does_not_count(mock_clock: MockClock) -> None:
    confirmation = Confirmation()
    async with running(confirmation) as doubt:
        doubt.begin("the session has expired")
        await wait_all_tasks_blocked()
        confirmation.may_answer.set()
        mock_clock.jump(LIMIT_S + 0.1)
        await wait_all_tasks_blocked()
        assert doubt.is_in_doubt
        await run_normally(mock_clock, 0.2)
        assert not doubt.is_in_doubt
        assert confirmation.calls == 2
