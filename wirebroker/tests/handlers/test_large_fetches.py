"""Fetch requests of thousands of partitions: what happens between the parts in which they are read and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest
import trio
import trio.testing

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.fetch import handle_fetch
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchRequest
from wirebroker.tests.handlers.fetch_harness import NEWEST, FetchHarness, answers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from wirebroker.loop_budget import LoopBudget
    from wirebroker.protocol.messages.fetch import FetchResponse

T = TypeVar("T")
N = 20


class Yields:
    """A loop budget that yields at every item, and has *action* run at one of these."""

    def __init__(self, at: int = -1, action: Callable[[], Awaitable[None]] | None = None) -> None:
        self.yields = 0
        self._at = at
        self._action = action

    async def yield_if_due(self) -> None:
        if self.yields == self._at and self._action is not None:
            await self._action()
        self.yields += 1
        await trio.lowlevel.checkpoint()

    async def collect(self, items: Iterable[T]) -> list[T]:
        return [*items]


@pytest.fixture(autouse=True)
def _one_partition_in_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wirebroker.replication.large_fetch.PARTITIONS_PER_CHECK", 1)
    monkeypatch.setattr("wirebroker.handlers.fetch_context._PARTITIONS_PER_CHECK", 1)


async def ask_in_parts(
    harness: FetchHarness, request: FetchRequest, budget: Yields, version: int = NEWEST
) -> FetchResponse:
    context = RequestContext(harness.services, routes=RouteTable())
    context.api_key, context.version, context.client_id = FetchRequest.API_KEY, version, "c"
    context.loop_budget = cast("LoopBudget", budget)
    return await handle_fetch(context, request)


def listeners(harness: FetchHarness, partitions: int) -> int:
    return sum(len(harness.partition(index).listeners) for index in range(partitions))


@pytest.mark.parametrize("readable", [(), (2,)])
@pytest.mark.parametrize("at", range(12))
async def test_a_record_that_comes_between_two_parts_is_in_this_response_or_the_next(
    at: int, readable: tuple[int, ...], autojump_clock: trio.testing.MockClock
) -> None:
    harness = FetchHarness()
    for index in readable:
        await harness.append(index, b"before")
    budget = Yields(at, lambda: harness.append(0, b"v"))
    request = harness.request({0: 0, 1: 0, 2: 0}, session_epoch=0, max_wait_ms=1000)
    first = await ask_in_parts(harness, request, budget)
    assert budget.yields > at
    if answers(first)[0].records:
        return
    second = await harness.ask(harness.request(session_id=first.session_id, session_epoch=1))
    assert answers(second)[0].records


@pytest.mark.parametrize("at", range(9))
async def test_a_record_that_comes_between_two_parts_of_an_incremental_request(
    at: int, autojump_clock: trio.testing.MockClock
) -> None:
    harness = FetchHarness()
    opened = await harness.ask(harness.request({0: 0, 1: 0, 2: 0}, session_epoch=0))
    budget = Yields(at, lambda: harness.append(0, b"v"))
    more: dict[str, Any] = {"session_id": opened.session_id}
    first = await ask_in_parts(
        harness, harness.request({0: 0, 1: 0, 2: 0}, session_epoch=1, max_wait_ms=1000, **more), budget
    )
    assert budget.yields > at
    known = answers(first)
    if 0 in known and known[0].records:
        return
    second = await harness.ask(harness.request(session_epoch=2, **more))
    assert answers(second)[0].records


@pytest.mark.parametrize("at", range(10))
async def test_a_topic_that_is_deleted_between_two_parts(at: int, autojump_clock: trio.testing.MockClock) -> None:
    harness = FetchHarness()
    budget = Yields(at, lambda: harness.delete("t"))
    request = harness.request({0: 0, 1: 0, 2: 0}, session_epoch=0, max_wait_ms=1000)
    first = await ask_in_parts(harness, request, budget)
    assert budget.yields > at
    if answers(first)[0].error_code:
        return
    second = await harness.ask(harness.request(session_id=first.session_id, session_epoch=1))
    assert answers(second)[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


async def test_every_step_yields(autojump_clock: trio.testing.MockClock) -> None:
    harness, budget = FetchHarness({"t": N}), Yields()
    request = harness.request(dict.fromkeys(range(N), 0), session_epoch=0, max_wait_ms=1000)
    response = await ask_in_parts(harness, request, budget)
    assert budget.yields >= 5 * N  # read, sorted, added to the session, put into the response, left by the operation
    (topic,) = response.responses
    assert [each.partition_index for each in topic.partitions] == [*range(N)]
    assert listeners(harness, N) == N


async def test_a_large_session_is_closed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    harness, budget = FetchHarness({"t": N}), Yields()
    opened = await harness.ask(harness.request(dict.fromkeys(range(N), 0), session_epoch=0))
    assert listeners(harness, N) == N
    monkeypatch.setattr("wirebroker.replication.fetch_session_cache._LARGE", N)
    monkeypatch.setattr("wirebroker.replication.fetch_session_cache.LoopBudget", lambda: budget)
    await harness.ask(harness.request(session_id=opened.session_id, session_epoch=-1))
    assert budget.yields == N
    assert not listeners(harness, N)
    assert not len(harness.sessions)


async def test_nothing_is_listened_to_after_a_request_without_a_session(
    autojump_clock: trio.testing.MockClock,
) -> None:
    harness = FetchHarness()
    request = harness.request({0: 0, 1: 0, 2: 0}, session_epoch=-1, max_wait_ms=1000)
    assert answers(await ask_in_parts(harness, request, Yields())).keys() == {0, 1, 2}
    assert not listeners(harness, 3)
    assert not harness.replicas.purgatories.fetch.num_delayed


async def test_nothing_is_listened_to_when_the_peer_has_left(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    harness = FetchHarness()
    request = harness.request({0: 0, 1: 0, 2: 0}, session_epoch=0, max_wait_ms=60_000)
    nursery.start_soon(ask_in_parts, harness, request, Yields())
    await trio.testing.wait_all_tasks_blocked()
    assert listeners(harness, 3) == 3
    nursery.cancel_scope.cancel()
    with trio.CancelScope(shield=True):
        await trio.testing.wait_all_tasks_blocked()
    assert not listeners(harness, 3)
    assert not harness.replicas.purgatories.fetch.num_delayed
