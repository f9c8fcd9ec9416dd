"""Requests that are delayed: appended one after the other, and completed when their records are committed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from trio.testing import wait_all_tasks_blocked

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.coordinator.runtime_harness import RuntimeHarness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import trio


@pytest.fixture
async def harness(nursery: trio.Nursery) -> AsyncIterator[RuntimeHarness]:
    """One partition, loaded."""
    yield await RuntimeHarness.started(nursery, delays=True)
    nursery.cancel_scope.cancel()


async def test_delayed_requests_of_one_caller_are_appended_without_a_wait(harness: RuntimeHarness) -> None:
    partition = harness.served[0]
    partition.high_watermark = 0
    completed: list[Any] = []
    for request in ("a", "b", "look"):
        delayed = harness.runtime.request_or_delay(0, request)
        assert isinstance(delayed, DelayedRequest)
        delayed.respond = lambda pending: completed.append(pending.outcome())
    assert partition.appended == [[b"a"], [b"b"]]
    assert completed == []
    partition.commit(1)
    assert len(completed) == 1
    partition.commit(2)
    assert completed[2:] == [["a", "b"]]


async def test_an_append_that_has_to_wait_is_queued_with_those_behind_it(harness: RuntimeHarness) -> None:
    partition = harness.served[0]
    partition.has_full_segment = True
    completed: list[Any] = []
    for request in ("a", "b", "look"):
        delayed = harness.runtime.request_or_delay(0, request)
        assert isinstance(delayed, DelayedRequest)
        delayed.respond = lambda pending: completed.append(pending.outcome())
    assert (partition.appended, completed) == ([], [])
    await wait_all_tasks_blocked()
    assert partition.appended == [[b"a"], [b"b"]]
    assert completed == [["a"], ["a", "b"], ["a", "b"]]


async def test_an_append_that_fails_at_once_fails_the_request(harness: RuntimeHarness) -> None:
    harness.served[0].fault = ApiError(ErrorCode.NOT_ENOUGH_REPLICAS)
    with pytest.raises(ApiError) as refused:
        harness.runtime.request_or_delay(0, "a")
    assert refused.value.code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    with pytest.raises(ApiError) as refused:
        harness.runtime.request_or_delay(0, "b")
    assert refused.value.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


async def test_a_delayed_request_whose_connection_is_closed_is_answered_to_nobody(harness: RuntimeHarness) -> None:
    partition = harness.served[0]
    partition.high_watermark = 0
    delayed = harness.runtime.request_or_delay(0, "short")
    assert isinstance(delayed, DelayedRequest)
    assert delayed.is_pending
    delayed.respond = lambda _: pytest.fail("the connection is closed")
    delayed.cancel()
    assert not delayed.is_pending
    partition.commit(1)
    harness.runtime.unload(0)
