"""Produce and Fetch of clients that are over their quotas: throttle times, empty responses, muting and delays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.fetch import handle_fetch
from wirebroker.handlers.produce import handle_produce
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.messages.produce import ProduceRequest
from wirebroker.quota.managers import QuotaManagers
from wirebroker.tests.handlers.fetch_harness import FetchHarness

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.protocol.messages.fetch import FetchResponse
    from wirebroker.protocol.messages.produce import ProduceResponse

USER = (("user", "ANONYMOUS"),)


class ThrottlingHarness(FetchHarness):
    """Requests of one client over a connection, which a test asks for its throttle time."""

    def __init__(self, **quotas: float) -> None:
        super().__init__()
        self.services.quotas.update({USER: quotas})
        self.context = RequestContext(self.services, routes=RouteTable())

    async def produce(self, size_bytes: int, version: int = 11, acks: int = 1) -> ProduceResponse | None:
        self.context.api_key, self.context.version, self.context.request_bytes = ApiKey.PRODUCE, version, size_bytes
        return await handle_produce(self.context, ProduceRequest(acks=acks, timeout_ms=1))

    async def consume(self, offset: int = 0, version: int = 17, **more: Any) -> FetchResponse:
        self.context.api_key, self.context.version = ApiKey.FETCH, version
        return await handle_fetch(self.context, self.request({0: offset}, version=version, **more))


async def test_without_quotas_nothing_is_throttled() -> None:
    harness = ThrottlingHarness()
    answer = await harness.produce(1 << 30)
    assert answer is not None
    assert (answer.throttle_time_ms, harness.context.throttle_ms) == (0, 0)


@pytest.mark.parametrize(("version", "muted_ms", "delay_s"), [(11, 1000, 0), (6, 1000, 0), (5, 0, 1), (1, 0, 1)])
async def test_produce(autojump_clock: MockClock, version: int, muted_ms: int, delay_s: int) -> None:
    harness = ThrottlingHarness(producer_byte_rate=100.0, consumer_byte_rate=1.0)
    started = trio.current_time()
    first = await harness.produce(1000, version)
    assert first is not None
    assert (first.throttle_time_ms, trio.current_time()) == (0, started)
    second = await harness.produce(100, version)
    assert second is not None
    assert second.throttle_time_ms == 1000
    assert harness.context.throttle_ms == muted_ms
    assert trio.current_time() - started == pytest.approx(delay_s)


@pytest.mark.parametrize("version", [3, 11])
async def test_produce_without_an_answer_mutes_in_every_version(autojump_clock: MockClock, version: int) -> None:
    harness = ThrottlingHarness(producer_byte_rate=100.0)
    assert await harness.produce(1100, version, acks=0) is None
    assert harness.context.throttle_ms == 1000


@pytest.mark.parametrize(("version", "muted", "delayed"), [(17, True, False), (8, True, False), (7, False, True)])
async def test_fetch(autojump_clock: MockClock, version: int, muted: bool, delayed: bool) -> None:
    harness = ThrottlingHarness(consumer_byte_rate=100.0)
    await harness.append(0, bytes(600))
    started = trio.current_time()
    first = await harness.consume(version=version)
    assert first.throttle_time_ms == 0
    assert first.responses[0].partitions[0].records
    second = await harness.consume(version=version)
    assert not second.responses
    assert 2500 <= second.throttle_time_ms <= 6000
    assert harness.context.throttle_ms == (second.throttle_time_ms if muted else 0)
    assert (trio.current_time() > started) == delayed
    await trio.sleep(12)  # the empty response did not count
    third = await harness.consume(version=version)
    assert third.responses[0].partitions[0].records


async def test_a_fetch_gets_no_more_than_the_quota_of_a_window(autojump_clock: MockClock) -> None:
    harness = ThrottlingHarness(consumer_byte_rate=100.0)
    for _ in range(30):
        await harness.append(0, bytes(100))
    answer = await harness.consume()
    while answer.throttle_time_ms:  # the rest of the response counts, too
        await trio.sleep(answer.throttle_time_ms / 1000)
        answer = await harness.consume()
    records = answer.responses[0].partitions[0].records
    assert records is not None
    assert 100 < getattr(records, "size_bytes", 0) <= 1000


async def test_a_throttled_session_goes_on(autojump_clock: MockClock) -> None:
    harness = ThrottlingHarness(consumer_byte_rate=100.0)
    opened = await harness.consume(session_epoch=0)
    assert opened.session_id
    await harness.append(0, bytes(600))
    session = {"session_id": opened.session_id}
    assert (await harness.consume(session_epoch=1, **session)).responses
    throttled = await harness.consume(session_epoch=2, **session)
    assert throttled.throttle_time_ms
    assert (throttled.session_id, throttled.responses) == (opened.session_id, [])
    await trio.sleep(12)
    assert (await harness.consume(session_epoch=3, **session)).responses


async def test_followers_are_not_throttled() -> None:
    harness = ThrottlingHarness(consumer_byte_rate=1.0)
    await harness.append(0, bytes(600))
    harness.context.version = 12
    for _ in range(3):
        answer = await handle_fetch(harness.context, harness.request({0: 0}, version=12, replica_id=1))
        assert not answer.throttle_time_ms


def test_the_defaults_of_2_x() -> None:
    assert QuotaManagers(producer_default=5, consumer_default=6).fetch.limit("u", "c") == 6.0
