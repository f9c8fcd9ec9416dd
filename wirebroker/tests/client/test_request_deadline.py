"""RequestDeadline: requests that take too long end the body, and waits between requests do not."""

from __future__ import annotations

import pytest
import trio

from wirebroker.client.request_deadline import RequestDeadline

TIMEOUT_S = 30.0
SLACK_S = 1.0


@pytest.mark.parametrize("earlier_requests_s", [0.0, 0.5, 0.9, 100.0])
async def test_a_request_that_takes_too_long_ends_the_body(
    earlier_requests_s: float, autojump_clock: trio.testing.MockClock
) -> None:
    deadline = RequestDeadline(TIMEOUT_S)
    began = trio.current_time()
    with deadline.watching():
        ends = began + earlier_requests_s
        while trio.current_time() < ends:
            deadline.begin()
            await trio.sleep(0.1)
        deadline.begin()
        began = trio.current_time()
        await trio.sleep_forever()
    assert TIMEOUT_S <= trio.current_time() - began <= TIMEOUT_S + SLACK_S


async def test_a_request_in_time_is_not_ended_by_the_deadline_of_an_earlier_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    deadline, answered = RequestDeadline(TIMEOUT_S), 0
    with deadline.watching():
        for seconds in (0.9, 29.9, 0.1, 29.9, 29.9):
            deadline.begin()
            await trio.sleep(seconds)
            answered += 1
    assert answered == 5


async def test_waits_after_the_end_of_a_request_are_not_limited(autojump_clock: trio.testing.MockClock) -> None:
    deadline, rested = RequestDeadline(TIMEOUT_S), False
    with deadline.watching():
        deadline.begin()
        deadline.end()
        await trio.sleep(10 * TIMEOUT_S)
        rested = True
        deadline.begin()
        began = trio.current_time()
        await trio.sleep_forever()
    assert rested
    assert TIMEOUT_S <= trio.current_time() - began <= TIMEOUT_S + SLACK_S


async def test_another_body_begins_without_a_deadline(autojump_clock: trio.testing.MockClock) -> None:
    deadline = RequestDeadline(TIMEOUT_S)
    with deadline.watching():
        deadline.begin()
        await trio.sleep_forever()
    rested = False
    with deadline.watching():
        await trio.sleep(10 * TIMEOUT_S)
        rested = True
    assert rested
