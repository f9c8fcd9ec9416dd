"""Requests to ZooKeeper of which many are under way at once."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.kafka_controller.pipelined import OPERATIONS_PER_MULTI, REQUESTS_AT_ONCE, chunks, pipelined


async def test_requests_are_under_way_together_up_to_a_limit_and_keep_their_order() -> None:
    asked: list[int] = []
    results: list[int] = []
    answers = [trio.Event() for _ in range(2 * REQUESTS_AT_ONCE)]

    async def request(number: int) -> int:
        asked.append(number)
        await answers[number].wait()
        return -number

    async def run() -> None:
        results.extend(await pipelined(range(len(answers)), request))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await wait_all_tasks_blocked()
        assert sorted(asked) == list(range(REQUESTS_AT_ONCE))
        answers[5].set()
        await wait_all_tasks_blocked()
        assert asked[-1] == REQUESTS_AT_ONCE, "the next one takes the place of one that is answered"
        for each in reversed(answers):
            each.set()
    assert results == [-number for number in range(len(answers))]


async def test_the_first_failure_ends_the_others_and_is_raised() -> None:
    ended: list[int] = []

    async def request(number: int) -> None:
        try:
            await trio.sleep_forever() if number else await trio.lowlevel.checkpoint()
        finally:
            ended.append(number)
        raise ValueError(number)

    with pytest.raises(ValueError, match="0"):
        await pipelined(range(10), request)
    assert sorted(ended) == list(range(10))


async def test_nothing_to_ask_and_a_single_request() -> None:
    async def request(number: int) -> int:
        await trio.lowlevel.checkpoint()
        return number + 1

    assert await pipelined((), request) == []
    assert await pipelined((4,), request) == [5]


def test_chunks_have_a_bounded_size() -> None:
    found = list(chunks(range(2 * OPERATIONS_PER_MULTI + 1)))
    assert [len(each) for each in found] == [OPERATIONS_PER_MULTI, OPERATIONS_PER_MULTI, 1]
    assert [number for each in found for number in each] == list(range(2 * OPERATIONS_PER_MULTI + 1))
