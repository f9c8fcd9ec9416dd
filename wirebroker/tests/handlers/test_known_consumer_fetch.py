"""The fast path of Fetch for consumers: it answers as the general path does, or leaves the request to that."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.fetch_fast_path import MAX_CONSUMER_PARTITIONS, MAX_KNOWN
from wirebroker.handlers.routes import BoundRoute, RouteTable
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic, ReplicaState
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.record.compression import Codec
from wirebroker.server.delayed_responses import DelayedResponses
from wirebroker.server.dispatch import read_request, serve
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.handlers.fetch_harness import FetchHarness
from wirebroker.tests.storage.fakes.logs import marker

if TYPE_CHECKING:
    from trio.testing import MockClock

FETCH = 1
VERSIONS = (4, 5, 7, 9, 10, 11, 12, 13, 15, 17, 18)
At = tuple[str, int]


class Consumer:
    """The connection of a consumer to a broker, with the fast path; each request is served without it, too."""

    def __init__(self, harness: FetchHarness, version: int, isolation_level: int = 0) -> None:
        self.harness, self.version, self.isolation_level = harness, version, isolation_level
        self.context = RequestContext(harness.services, routes=RouteTable())
        self.known = self.correlation_id = 0
        """The number of requests that the fast path has served; the id of the last request."""

    def frame(self, wanted: dict[At, int], **more: Any) -> bytes:
        """Return a request for partitions and offsets; *more* are fields of the request or its partitions."""
        by_id, topics = self.version >= 13, self.harness.metadata.image.topics
        of_partition = {name: more.pop(name) for name in list(more) if name in FetchPartition.__slots__}
        by_topic: dict[str, list[FetchPartition]] = {}
        for (topic, index), offset in wanted.items():
            fields = {"partition_max_bytes": 1 << 20, **of_partition}
            by_topic.setdefault(topic, []).append(FetchPartition(index, fetch_offset=offset, **fields))
        request = FetchRequest(
            max_wait_ms=0,
            min_bytes=1,
            max_bytes=10 << 20,
            isolation_level=self.isolation_level,
            session_epoch=-1,
            topics=[
                FetchTopic("" if by_id else topic, topics[topic].topic_id if by_id else bytes(16), each)
                for topic, each in by_topic.items()
            ],
        )
        for name, value in more.items():
            setattr(request, name, value)
        self.correlation_id += 1
        out = bytearray()
        write_request_header(out, FETCH, self.version, self.correlation_id, "consumer")
        request.write(out, self.version)
        return bytes(out)

    async def fetch(self, wanted: dict[At, int], **more: Any) -> FetchResponse:
        """Return the response to a request, which both paths answer and count alike."""
        frame = self.frame(wanted, **more)
        before = self.counts()
        expected = await self.serve(frame, is_fast=False)
        between = self.counts()
        answer = await self.serve(frame, is_fast=True)
        assert answer == expected
        assert _difference(self.counts(), between) == _difference(between, before)
        assert int.from_bytes(answer[:4], "big") == len(answer) - 4
        response, end = FetchResponse.read(memoryview(answer), 9 if self.version >= 12 else 8, self.version)
        assert end == len(answer)
        return response

    async def serve(self, frame: bytes, *, is_fast: bool) -> bytes:
        received, out, context = memoryview(bytearray(frame)), WireBuffer(), self.context
        if is_fast and context.serve_known is not None:
            served = context.serve_known(received, context, out)
            if served is not None:
                assert isinstance(served, BoundRoute)
                assert (context.api_key, context.version, context.client_id) == (FETCH, self.version, "consumer")
                self.known += 1
                return out.joined()
            assert not out
        responses = DelayedResponses(out)
        request = read_request(received, context, out)
        assert request is not None
        delayed = await serve(request, context, out)
        assert delayed is None
        assert not responses
        if is_fast:
            assert request.route.remember is not None
            request.route.remember(context, received, request.body)
        return out.joined()

    def counts(self) -> list[int]:
        """Return what metrics show of the partitions."""
        stats = [each.stats for each in self.harness.replicas.partitions()]
        return [*(each.bytes_out for each in stats), *(each.fetch_requests for each in stats)]


def _difference(after: list[int], before: list[int]) -> list[int]:
    return [one - other for one, other in zip(after, before, strict=True)]


async def begun(version: int = 17, isolation_level: int = 0) -> Consumer:
    """Return a consumer whose requests for partition 0 of t, which has three records, are known."""
    harness = FetchHarness({"t": 2})
    for number in range(3):
        await harness.append(0, b"%d" % number)
    consumer = Consumer(harness, version, isolation_level)
    await consumer.fetch({("t", 0): 0})
    assert not consumer.known
    return consumer


@pytest.mark.parametrize("isolation_level", [0, 1])
@pytest.mark.parametrize("version", VERSIONS)
async def test_requests_that_differ_in_offsets_are_known(version: int, isolation_level: int) -> None:
    harness = FetchHarness({"t": 3, "other": 2})
    for index in range(3):
        await harness.append(index, b"x" * 100 * index)
        await harness.append(index, b"y")
    await harness.append(1, b"z", topic="other")
    consumer = Consumer(harness, version, isolation_level)
    wanted = {("t", 2): 0, ("t", 0): 0, ("other", 1): 0, ("other", 0): 0}
    await consumer.fetch(wanted)
    for offsets in ((1, 0, 0, 0), (1, 1, 1, 0), (2, 1, 0, 0), (2, 2, 0, 0)):
        response = await consumer.fetch(dict(zip(wanted, offsets, strict=True)))
        records = [bool(each.records) for topic in response.responses for each in topic.partitions]
        assert records == [offset < end for offset, end in zip(offsets, (2, 2, 1, 0), strict=True)]
    assert consumer.known == 4


@pytest.mark.parametrize("size", [0, 40, 60, 61, 62, 63, 64, 127, 128, 16_250, 16_400, 70_000])
@pytest.mark.parametrize("version", [11, 17])
async def test_records_of_every_size_are_answered_as_by_the_general_path(version: int, size: int) -> None:
    consumer = await begun(version)
    await consumer.harness.append(0, b"x" * size)
    await consumer.fetch({("t", 0): 3})
    assert consumer.known == 1


async def test_partitions_share_the_limits_of_the_request() -> None:
    harness = FetchHarness({"t": 3})
    for index in range(3):
        for _ in range(3):
            await harness.append(index, b"x" * 1000)
    consumer = Consumer(harness, 17)
    wanted = {("t", index): 0 for index in range(3)}
    for number, limits in enumerate(
        (
            {"max_bytes": 10},
            {"max_bytes": 1500},
            {"max_bytes": 3500},
            {"partition_max_bytes": 10},
            {"partition_max_bytes": 1500},
        )
    ):
        await consumer.fetch(wanted, **limits)
        await consumer.fetch(wanted, **limits)
        assert consumer.known == number + 1


async def other_epoch(consumer: Consumer) -> None:
    await consumer.harness.partition().make_leader(LeaderAndIsr(0, 1, (0,), 1, (0,)))


async def no_leader(consumer: Consumer) -> None:
    consumer.harness.partition().make_follower(LeaderAndIsr(2, 1, (0, 2), 2, (0, 2)))


async def deleted_topic(consumer: Consumer) -> None:
    await consumer.harness.delete("t")


async def recreated_topic(consumer: Consumer) -> None:
    await consumer.harness.delete("t")
    consumer.harness.create("t", 2)
    await consumer.harness.append(0, b"new", b"new")


async def throttled_clients(consumer: Consumer) -> None:
    consumer.harness.services.quotas.fetch.enabled = True


async def unsettled_member(consumer: Consumer) -> None:
    consumer.context.routes.is_settled = lambda: False


async def deleted_records(consumer: Consumer) -> None:
    await consumer.harness.partition().delete_records(2)


@pytest.mark.parametrize(
    "change",
    [other_epoch, no_leader, deleted_topic, recreated_topic, throttled_clients, unsettled_member, deleted_records],
)
async def test_the_unusual_is_left_to_the_general_path(change: Any) -> None:
    consumer = await begun()
    frames = {offset: consumer.frame({("t", 0): offset}, current_leader_epoch=0) for offset in (0, 1)}
    assert await consumer.serve(frames[0], is_fast=True)
    await consumer.serve(frames[1], is_fast=True)
    assert consumer.known == 1
    await change(consumer)
    out = WireBuffer()
    before = consumer.counts()
    assert consumer.context.serve_known is not None
    assert consumer.context.serve_known(memoryview(frames[1]), consumer.context, out) is None
    assert not out
    assert not out.detached
    assert consumer.counts() == before


@pytest.mark.parametrize("offset", [3, 4, -1])
async def test_an_offset_without_records_is_left_to_the_general_path(offset: int) -> None:
    consumer = await begun()
    await consumer.fetch({("t", 0): offset})
    assert not consumer.known


async def test_a_request_that_wants_more_than_there_is_waits(autojump_clock: MockClock) -> None:
    consumer = await begun()
    wanted = {("t", 0): 0}
    await consumer.fetch(wanted, min_bytes=100, max_wait_ms=10)
    await consumer.fetch(wanted, min_bytes=100, max_wait_ms=10)
    assert consumer.known == 1
    await consumer.fetch(wanted, min_bytes=10_000, max_wait_ms=10)
    await consumer.fetch(wanted, min_bytes=10_000, max_wait_ms=10)
    assert consumer.known == 1


async def test_aborted_records_are_left_to_the_general_path() -> None:
    consumer = await begun(isolation_level=1)
    harness = consumer.harness
    await harness.append(0, b"a", producer=(7, 0, 0), transactional=True)
    response = await consumer.fetch({("t", 0): 2})
    assert consumer.known == 1
    assert response.responses[0].partitions[0].last_stable_offset == 3
    await consumer.fetch({("t", 0): 3})
    assert consumer.known == 1, "a record of an open transaction was read"
    await harness.partition().append_batch(marker(7, 0, committed=False), 1, AppendOrigin.COORDINATOR)
    response = await consumer.fetch({("t", 0): 2})
    assert response.responses[0].partitions[0].aborted_transactions
    assert consumer.known == 1


@pytest.mark.parametrize(("version", "known"), [(9, 1), (10, 2)])
async def test_zstd_is_left_to_the_general_path_for_old_consumers(
    version: int, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    consumer = await begun(version)
    await consumer.fetch({("t", 0): 0})
    assert consumer.known == 1
    monkeypatch.setattr(consumer.harness.partition().rules, "codec", Codec.ZSTD)
    await consumer.fetch({("t", 0): 0})
    assert consumer.known == known


async def test_consumers_that_are_sent_to_their_rack_use_the_general_path() -> None:
    consumer = await begun()
    await consumer.fetch({("t", 0): 0}, rack_id="a")
    await consumer.fetch({("t", 0): 1}, rack_id="a")
    assert consumer.known == 1
    consumer.harness.replicas.selects_by_rack = True
    await consumer.fetch({("t", 0): 1}, rack_id="a")
    assert consumer.known == 1
    await consumer.fetch({("t", 0): 1}, rack_id="")
    assert consumer.known == 2


@pytest.mark.parametrize(
    "more",
    [
        {"isolation_level": 2},
        {"replica_state": ReplicaState(-2, -1)},
        {"replica_state": ReplicaState(-3, -1)},
        {"session_id": 5},
        {"session_epoch": 0},
        {"last_fetched_epoch": 0},
    ],
)
async def test_requests_with_other_fields_are_not_remembered(more: dict[str, Any]) -> None:
    consumer = Consumer(FetchHarness(), 17)
    await consumer.harness.append(0, b"a")
    for _ in range(2):
        await consumer.serve(consumer.frame({("t", 0): 0}, **more), is_fast=True)
    assert not consumer.known


async def test_requests_of_many_partitions_are_not_remembered() -> None:
    for count, known in ((MAX_CONSUMER_PARTITIONS, 1), (MAX_CONSUMER_PARTITIONS + 1, 0)):
        consumer = Consumer(FetchHarness({"t": count}), 17)
        await consumer.harness.append(0, b"a")
        for _ in range(2):
            await consumer.fetch({("t", index): 0 for index in range(count)})
        assert consumer.known == known


async def test_a_partition_that_is_named_twice_is_left_to_the_general_path() -> None:
    harness = FetchHarness()
    await harness.append(0, b"a")
    consumer = Consumer(harness, 11)
    entry = FetchPartition(0, fetch_offset=0, partition_max_bytes=1000)
    for _ in range(2):
        await consumer.serve(consumer.frame({}, topics=[FetchTopic("t", bytes(16), [entry, entry])]), is_fast=True)
    assert not consumer.known


async def test_requests_that_are_never_repeated_are_not_remembered_for_ever() -> None:
    consumer = await begun()
    for number in range(2 * MAX_KNOWN):
        await consumer.fetch({("t", 0): 0}, max_bytes=10_000 + number)
    known = consumer.context.known_fetches
    assert known is not None
    assert not known.allowance
    assert len(known.by_constants) == MAX_KNOWN
    await consumer.fetch({("t", 0): 0}, max_bytes=10_000)
    assert (consumer.known, known.allowance) == (1, 1)


@pytest.mark.parametrize("seed", range(30))
async def test_whatever_happens_both_paths_answer_the_same(seed: int) -> None:
    chance = random.Random(seed)
    harness = FetchHarness({"t": 3, "u": 2})
    consumer = Consumer(harness, chance.choice(VERSIONS), chance.choice((0, 1)))
    places = [("t", 0), ("t", 1), ("t", 2), ("u", 0), ("u", 1)]
    sequences = dict.fromkeys(places, 0)
    open_transactions: set[At] = set()
    for _ in range(150):
        step, at = chance.random(), chance.choice(places)
        if step < 0.35:
            await harness.append(at[1], b"x" * chance.randrange(300), topic=at[0])
        elif step < 0.45:
            await harness.append(at[1], b"t", topic=at[0], producer=(7, 0, sequences[at]), transactional=True)
            sequences[at] += 1
            open_transactions.add(at)
        elif step < 0.5 and open_transactions:
            at = open_transactions.pop()
            end = marker(7, 0, committed=chance.random() < 0.6)
            await harness.partition(at[1], at[0]).append_batch(end, 1, AppendOrigin.COORDINATOR)
        elif step < 0.52:
            partition = harness.partition(at[1], at[0])
            await partition.delete_records(chance.randrange(partition.high_watermark + 1))
        else:
            named = places[: chance.choice((1, 2, 5))]
            ends = {each: harness.partition(each[1], each[0]).high_watermark for each in named}
            await consumer.fetch({each: chance.randrange(max(0, ends[each] - 5), ends[each] + 2) for each in named})
    assert consumer.known
