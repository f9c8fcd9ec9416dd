"""Connections that are muted for a quota: not read from, without wake-ups, closed when their peer leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from wirebroker.protocol.messages.heartbeat import HeartbeatResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from wirebroker.handlers.context import RequestContext

    Handler = Callable[[RequestContext, Any], Awaitable[Any]]

from wirebroker.tests.server.processor_harness import (
    HEARTBEAT,
    PRODUCE,
    ProcessorHarness,
    answers,
    heartbeat,
    produce,
    running_processor,
)


@pytest.fixture
async def harness(nursery: trio.Nursery) -> AsyncIterator[ProcessorHarness]:
    async with running_processor(nursery, ProcessorHarness()) as harness:
        yield harness


@pytest.mark.parametrize(("api_key", "request_of"), [(PRODUCE, produce), (HEARTBEAT, heartbeat)])
async def test_a_muted_connection_is_not_read_from_until_its_time_is_over(
    harness: ProcessorHarness,
    autojump_clock: trio.testing.MockClock,
    api_key: int,
    request_of: Callable[[str, int], bytes],
) -> None:
    bound = harness.routes.find(api_key, 3)
    assert bound is not None
    answer = bound.handler

    async def throttling(context: RequestContext, request: Any) -> Any:
        context.throttle_ms = 5000 if context.client_id == "a" else 0
        return await answer(context, request)

    harness.set(api_key, throttling)
    muted, other = harness.connect(), harness.connect()
    muted.send(request_of("a", 1) + request_of("a", 2))
    with trio.move_on_after(1):
        await trio.sleep(0.5)
    assert answers(muted) == [1]
    muted.send(request_of("a", 3))
    wake_ups: list[str] = []
    trio.lowlevel.add_instrument(instrument := _WakeUps(wake_ups))
    await trio.sleep(4)
    trio.lowlevel.remove_instrument(instrument)
    assert len(wake_ups) <= 3  # those of this test, none of the connection
    other.send(request_of("b", 1))
    await trio.sleep(0.1)
    assert (answers(muted), answers(other)) == ([], [1])
    await trio.sleep(1)
    assert answers(muted) == [2]
    await trio.sleep(5)
    assert answers(muted) == [3]


async def test_a_muted_connection_whose_peer_leaves_is_closed(
    harness: ProcessorHarness, autojump_clock: trio.testing.MockClock
) -> None:
    async def throttling(context: RequestContext, _: Any) -> Any:
        context.throttle_ms = 3_600_000
        return HeartbeatResponse()

    harness.set(HEARTBEAT, throttling)
    peer = harness.connect()
    peer.send(heartbeat("a", 1))
    await trio.sleep(0.1)
    assert answers(peer) == [1]
    peer.close()
    await trio.sleep(1)
    assert not harness.processor.connections


class _WakeUps(trio.abc.Instrument):
    """Counts the steps of all tasks but that of the test's clock."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._names.append(task.name)
