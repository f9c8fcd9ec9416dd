"""The fast path of Fetch: it answers as the general path does, or leaves the request to it with nothing changed."""

from __future__ import annotations

import random
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.fetch_fast_path import MAX_KNOWN
from wirebroker.handlers.routes import RouteTable
from wirebroker.metrics.request_metrics import RequestCounter
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ALL_REPLICAS, ReplicationQuota
from wirebroker.record.legacy import any_batches
from wirebroker.server.delayed_responses import DelayedResponses
from wirebroker.server.dispatch import read_request, serve
from wirebroker.tests.handlers.fetch_harness import FetchHarness
from wirebroker.tests.storage.fakes.logs import batch

if TYPE_CHECKING:
    from trio.testing import MockClock

FETCH = 1
FOLLOWERS = (2, 3)
MAX_WAIT_MS = 500
VERSIONS = (12, 13, 15, 17, 18)


class Link:
    """The connection of one follower to a leader, served as `Connection` does, with the fast path or without it."""

    def __init__(self, harness: FetchHarness, *, is_fast: bool) -> None:
        self.context = RequestContext(harness.services, routes=RouteTable())
        self.context.holds_responses = True
        self.out = WireBuffer()
        self.responses = DelayedResponses(self.out)
        self.is_fast = is_fast
        self.known = 0
        """The number of requests that the fast path has served."""

    async def send(self, frame: bytes) -> None:
        context, responses, received = self.context, self.responses, memoryview(bytearray(frame))
        if self.is_fast and context.serve_known is not None and responses.rewind():
            served = context.serve_known(received, context, self.out)
            if served is not None:
                self.known += 1
                if not isinstance(served, RequestCounter):
                    responses.served(served)
                return
            assert not self.out
        tail = responses.tail
        request = read_request(received, context, tail)
        assert request is not None
        if request.route.remember is not None:
            request.route.remember(context, received, request.body)
        delayed = await serve(request, context, tail)
        if delayed is not None or tail is not self.out:
            responses.served(delayed)

    def receive(self) -> bytes:
        """Return the responses that are complete."""
        self.responses.move_completed()
        received = self.out.joined()
        self.out.clear()
        self.out.detached.clear()
        return received


class Leader:
    """A leader, and the links of its followers to it."""

    def __init__(self, topics: dict[str, int], *, is_fast: bool) -> None:
        self.harness = FetchHarness(topics)
        self.harness.sessions._random = random.Random(1)  # type: ignore[assignment]
        self.harness.replicas.leader_quota = ReplicationQuota(0, QuotaWindow())
        self.links = {each: Link(self.harness, is_fast=is_fast) for each in FOLLOWERS}

    async def lead(self, epoch: int) -> None:
        for partition in list(self.harness.replicas.partitions()):
            state = LeaderAndIsr(0, epoch, (0, *FOLLOWERS), epoch, (0, *FOLLOWERS))
            await partition.make_leader(state)

    def append_at_once(self, at: tuple[str, int], *values: bytes) -> bool:
        topic, index = at
        records = memoryview(bytearray(batch(*values).buffer))
        return self.harness.partition(index, topic).append_at_once(records, 1, -1, True) is not None

    def state(self) -> list[Any]:
        """Return what later requests depend on, or metrics show."""
        found: list[Any] = []
        for partition in self.harness.replicas.partitions():
            role = partition.leader
            replicas = {} if role is None else {each.broker_id: _fields(each) for each in role.remote_replicas.values()}
            sent = partition.stats.replication_bytes_out
            found.append((partition.topic_partition, partition.high_watermark, replicas, sent))
        for session in self.harness.sessions._sessions.values():
            entries = [(each.topic, _fields(each.requested), each.order, each in session.dirty) for each in session]
            found.append((session.session_id, session.epoch, session.last_fetch_s, len(session.delayed), entries))
        fetches = self.harness.replicas.purgatories.fetch
        return [*found, fetches.num_delayed, fetches.expired, fetches.expired_of_followers]


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


class Follower:
    """The knowledge of a follower, and its requests."""

    def __init__(self, broker_id: int, version: int) -> None:
        self.broker_id, self.version = broker_id, version
        self.session_id = self.epoch = self.correlation_id = 0
        self.is_waiting = False
        self.leader_epoch = 1
        self.offsets: dict[tuple[str, int], int] = {}
        self.named: dict[tuple[str, int], int] = {}
        """The offsets of the last requests."""

    def request(self, topic_ids: dict[str, bytes], named: dict[tuple[str, int], int], **more: Any) -> bytes:
        by_topic: dict[str, list[FetchPartition]] = {}
        for (topic, index), offset in named.items():
            wanted = FetchPartition(index, self.leader_epoch, offset, log_start_offset=0, partition_max_bytes=1 << 20)
            if self.version >= 12 and offset:
                wanted.last_fetched_epoch = self.leader_epoch
            by_topic.setdefault(topic, []).append(wanted)
        by_id = self.version >= 13
        topics = [
            FetchTopic("" if by_id else topic, topic_ids[topic] if by_id else bytes(16), partitions)
            for topic, partitions in by_topic.items()
        ]
        request = FetchRequest(
            max_wait_ms=MAX_WAIT_MS,
            min_bytes=1,
            max_bytes=10 << 20,
            session_id=self.session_id,
            session_epoch=self.epoch,
            topics=topics,
        )
        if self.version >= 15:
            request.replica_state = ReplicaState(self.broker_id, -1)
        else:
            request.replica_id = self.broker_id
        for name, value in more.items():
            setattr(request, name, value)
        self.correlation_id += 1
        self.named.update(named)
        out = bytearray()
        write_request_header(out, FETCH, self.version, self.correlation_id, f"broker-{self.broker_id}-fetcher-0")
        request.write(out, self.version)
        return bytes(out)

    def take(self, answer: bytes, topic_names: dict[bytes, str]) -> FetchResponse:
        """Take a response into account."""
        assert int.from_bytes(answer[:4], "big") == len(answer) - 4
        assert int.from_bytes(answer[4:8], "big") == self.correlation_id
        response, end = FetchResponse.read(memoryview(answer), 9, self.version)
        assert end == len(answer)
        self.is_waiting = False
        if response.error_code:
            self.session_id = self.epoch = 0
            return response
        self.session_id, self.epoch = response.session_id, self.epoch + 1
        for topic in response.responses:
            name = topic_names[topic.topic_id] if self.version >= 13 else topic.topic
            for data in topic.partitions:
                at = (name, data.partition_index)
                if data.error_code or data.diverging_epoch.epoch >= 0:
                    self.offsets[at] = 0
                assert isinstance(data.records, memoryview)
                for each in any_batches(data.records):
                    self.offsets[at] = each.last_offset + 1
        return response


class Pair:
    """Two leaders, of which one has the fast path; the same happens to both."""

    def __init__(self, version: int = 17, topics: dict[str, int] | None = None) -> None:
        topics = {"t": 3} if topics is None else topics
        self.fast, self.general = Leader(topics, is_fast=True), Leader(topics, is_fast=False)
        self.leaders = (self.fast, self.general)
        self.followers = {each: Follower(each, version) for each in FOLLOWERS}
        image = self.fast.harness.metadata.image
        self.topic_ids = {name: topic.topic_id for name, topic in image.topics.items()}
        self.topic_names = {topic_id: name for name, topic_id in self.topic_ids.items()}
        self.partitions = [(name, index) for name, count in topics.items() for index in range(count)]
        self.epoch = self.appends = 0

    @property
    def known(self) -> int:
        """The number of requests that the fast path has served."""
        return sum(link.known for link in self.fast.links.values())

    async def lead(self) -> None:
        self.epoch += 1
        for each in self.leaders:
            await each.lead(self.epoch)

    async def append(self, at: tuple[str, int], *values: bytes) -> None:
        """Append a batch, every other one as the fast path of Produce does, which keeps it in memory."""
        self.appends += 1
        for each in self.leaders:
            if self.appends % 2 or not each.append_at_once(at, *values):
                await each.harness.append(at[1], *values, topic=at[0])
        self.receive()

    async def fetch(self, broker_id: int, named: dict[tuple[str, int], int] | None = None, **more: Any) -> None:
        """Send the next request, which names the partitions that have changed, or *named*; nothing waits."""
        follower = self.followers[broker_id]
        assert not follower.is_waiting
        if named is None:
            every = {at: follower.offsets.get(at, 0) for at in self.partitions}
            named = {at: each for at, each in every.items() if not follower.epoch or follower.named.get(at) != each}
        await self.send(broker_id, follower.request(self.topic_ids, named, **more))

    async def send(self, broker_id: int, frame: bytes) -> None:
        self.followers[broker_id].is_waiting = True
        for each in self.leaders:
            await each.links[broker_id].send(frame)
        self.receive()

    def receive(self) -> list[FetchResponse]:
        """Compare the responses and the state of both leaders; return the responses."""
        found = []
        for broker_id, follower in self.followers.items():
            answer, expected = (each.links[broker_id].receive() for each in self.leaders)
            assert answer == expected
            if answer:
                found.append(follower.take(answer, self.topic_names))
        assert self.fast.state() == self.general.state()
        return found

    async def begin(self) -> None:
        """Open the sessions, and have each follower wait in a request that is remembered."""
        await self.lead()
        for broker_id in FOLLOWERS:
            await self.fetch(broker_id)
        for number in range(2):
            await self.append(("t", 0), b"%d" % number)
            for broker_id in FOLLOWERS:
                await self.fetch(broker_id)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_request_that_differs_in_offset_and_epoch_is_known(version: int, autojump_clock: MockClock) -> None:
    pair = Pair(version)
    await pair.begin()
    before = pair.known
    for number in range(5):
        await pair.append(("t", 0), b"x" * number)
        assert not any(each.is_waiting for each in pair.followers.values())
        for broker_id in FOLLOWERS:
            await pair.fetch(broker_id)
    assert pair.known == before + 10
    assert pair.fast.harness.partition().high_watermark == 7


async def test_records_that_are_there_are_answered_at_once(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    await pair.append(("t", 0), b"a")
    await pair.append(("t", 0), b"b" * 5000)
    before = pair.known
    await pair.fetch(2)
    assert pair.known == before + 1
    assert not pair.followers[2].is_waiting
    assert pair.followers[2].offsets["t", 0] == 4


async def test_a_batch_that_is_kept_in_memory_is_sent_to_all_followers(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    replicas, reads = pair.fast.harness.replicas, 0
    for number in range(4):
        before = replicas.last_batch
        await pair.append(("t", 0), b"%d" % number)
        if (kept := replicas.last_batch) is not before:
            assert kept is not None
            end = pair.fast.harness.partition().log.log_end_offset
            assert kept[:3] == (pair.fast.harness.partition().leader, end - 1, end)
            reads += 1
        for broker_id in FOLLOWERS:
            assert pair.followers[broker_id].offsets["t", 0] == 3 + number
            await pair.fetch(broker_id)
    assert reads == 2


@pytest.mark.parametrize("other", ["role", "offset", "end"])
async def test_a_batch_that_is_kept_of_another_role_offset_or_end_is_not_sent(
    other: str, autojump_clock: MockClock
) -> None:
    pair = Pair()
    await pair.begin()
    partition, replicas = pair.fast.harness.partition(), pair.fast.harness.replicas
    role, end = partition.leader, partition.log.log_end_offset
    assert role is not None
    pair.appends, known = 0, pair.known
    replicas.last_batch = {
        "role": (copy(role), end, end + 1, b"other"),
        "offset": (role, end - 1, end + 1, b"other"),
        "end": (role, end, end + 2, b"other"),
    }[other]
    await pair.append(("t", 0), b"a")
    assert replicas.last_batch[3] == b"other"
    for broker_id in FOLLOWERS:
        assert pair.followers[broker_id].offsets["t", 0] == end + 1
        await pair.fetch(broker_id)
    assert pair.known == known + 2


async def test_another_partition_answers_a_request_that_waits(autojump_clock: MockClock) -> None:
    pair = Pair(topics={"t": 2, "other": 1})
    await pair.begin()
    for at in (("t", 1), ("other", 0)):
        await pair.append(at, b"a")
        assert pair.followers[2].offsets[at] == 1
        await pair.fetch(2)
        await pair.fetch(3)
    await pair.append(("t", 0), b"c")
    assert pair.known > 0


async def test_a_request_expires_with_the_new_high_watermark(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    await pair.append(("t", 0), b"a")
    before = pair.known
    await pair.fetch(2)
    await trio.sleep(0.3)
    await pair.fetch(3)
    assert pair.known == before + 2
    await trio.sleep(0.201)
    assert [each.responses[0].partitions[0].high_watermark for each in pair.receive()] == [3]
    assert pair.followers[3].is_waiting
    await trio.sleep(0.3)
    assert len(pair.receive()) == 1
    for broker_id in FOLLOWERS:
        await pair.fetch(broker_id)
    await trio.sleep(0.4)
    assert not pair.receive(), "the timer of an earlier request ends no later one"
    await trio.sleep(0.101)
    assert len(pair.receive()) == 2


async def test_a_waiting_request_is_answered_when_the_leadership_ends(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    for each in pair.leaders:
        each.harness.partition().make_follower(LeaderAndIsr(2, 2, (0, *FOLLOWERS), 2, (0, *FOLLOWERS)))
    found = pair.receive()
    assert [len(each.responses) for each in found] == [1, 1]


async def test_a_waiting_request_is_answered_when_its_partition_is_deleted(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    for each in pair.leaders:
        await each.harness.delete("t")
    assert len(pair.receive()) == 2


async def test_a_connection_that_is_closed_ends_its_request(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    for each in pair.leaders:
        each.links[2].responses.close()
    await pair.append(("t", 0), b"a")
    assert pair.fast.harness.replicas.purgatories.fetch.num_delayed == 0
    await trio.sleep(1)
    assert not pair.receive()


async def unknown_epoch(pair: Pair) -> None:
    pair.followers[2].epoch += 1


async def closed_session(pair: Pair) -> None:
    for each in pair.leaders:
        each.harness.sessions.remove(pair.followers[2].session_id)


async def new_leader_epoch(pair: Pair) -> None:
    await pair.lead()


async def no_leader(pair: Pair) -> None:
    for each in pair.leaders:
        each.harness.partition().make_follower(LeaderAndIsr(2, 2, (0, *FOLLOWERS), 2, (0, *FOLLOWERS)))


async def other_replicas(pair: Pair) -> None:
    for each in pair.leaders:
        await each.harness.partition().make_leader(LeaderAndIsr(0, 1, (0, 3), 2, (0, 3)))


async def offset_above_the_log(pair: Pair) -> None:
    pair.followers[2].offsets["t", 0] += 5


async def unused_quota(pair: Pair) -> None:
    for each in pair.leaders:
        assert each.harness.replicas.leader_quota is not None
        each.harness.replicas.leader_quota.limit = 1_000_000


async def throttled_replica(pair: Pair) -> None:
    for each in pair.leaders:
        log = each.harness.partition().log
        log.config = replace(log.config, leader_replication_throttled_replicas=ALL_REPLICAS)


@pytest.mark.parametrize(
    "change",
    [
        unknown_epoch,
        closed_session,
        new_leader_epoch,
        no_leader,
        other_replicas,
        offset_above_the_log,
        unused_quota,
        throttled_replica,
    ],
)
async def test_the_unusual_is_left_to_the_general_path(change: Any, autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    await pair.append(("t", 0), b"a")
    await change(pair)
    pair.receive()
    before = pair.known
    await pair.fetch(2, {("t", 0): pair.followers[2].offsets["t", 0]})
    assert pair.known == before
    pair.receive()


async def test_requests_of_consumers_and_others_are_not_remembered(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    link, follower = pair.fast.links[2], pair.followers[2]
    known = link.context.known_fetches
    assert known is not None
    count = len(known.by_constants)
    await pair.append(("t", 0), b"a")
    for more in (
        {"min_bytes": 2},
        {"isolation_level": 1},
        {"replica_state": ReplicaState(-1, -1)},
        {"forgotten_topics_data": [ForgottenTopic("", pair.topic_ids["t"], [2])]},
    ):
        named = {("t", 0): follower.offsets["t", 0]}
        await pair.fetch(2, named, **more)
        await pair.append(("t", 0), b"a")
        follower.is_waiting = False
        for each in pair.leaders:
            each.links[2].responses.close()
            each.links[2].responses.rewind()
        assert len(known.by_constants) == count


async def test_the_known_requests_of_a_connection_are_bounded(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    link = pair.fast.links[2]
    known = link.context.known_fetches
    assert known is not None
    for number in range(2 * MAX_KNOWN):
        await pair.append(("t", 0), b"a")
        await pair.fetch(2, max_bytes=1_000_000 + number)
        assert 0 < len(known.by_constants) <= MAX_KNOWN


async def test_a_response_is_encoded_as_by_the_general_path_with_every_size_of_records(
    autojump_clock: MockClock,
) -> None:
    pair = Pair(topics={"t": 1})
    await pair.begin()
    for size in (0, 40, 60, 61, 62, 63, 64, 127, 128, 4000, 4100, 16_250, 16_400, 70_000):
        before = pair.known
        await pair.append(("t", 0), b"x" * size)
        for broker_id in FOLLOWERS:
            await pair.fetch(broker_id)
        assert pair.known == before + 2


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_happens_both_paths_answer_the_same(seed: int, autojump_clock: MockClock) -> None:
    chance = random.Random(seed)
    pair = Pair(chance.choice(VERSIONS), {"t": 3, "u": 2})
    await pair.begin()
    before = pair.known
    for _ in range(200):
        step = chance.random()
        broker_id = chance.choice(FOLLOWERS)
        follower = pair.followers[broker_id]
        if step < 0.4:
            await pair.append(
                chance.choice(pair.partitions[: chance.choice((1, 1, 2, 5))]), b"x" * chance.randrange(300)
            )
        elif step < 0.85:
            if not follower.is_waiting:
                if chance.random() < 0.05:
                    follower.epoch += 1
                if chance.random() < 0.05:
                    follower.offsets[chance.choice(pair.partitions)] = chance.randrange(5)
                await pair.fetch(broker_id)
        elif step < 0.93:
            await trio.sleep(chance.choice((0.01, 0.2, 0.6)))
            pair.receive()
        elif step < 0.94:
            await pair.lead()
            pair.receive()
            for told in pair.followers.values():
                told.leader_epoch = pair.epoch
                told.named.clear()
        elif step < 0.96:
            topic, index = chance.choice(pair.partitions)
            for each in pair.leaders:
                await each.harness.partition(index, topic).delete_records(-1)
            pair.receive()
        else:
            limit = chance.choice((None, None, None, 1_000_000))
            for each in pair.leaders:
                quota = each.harness.replicas.leader_quota
                assert quota is not None
                quota.limit = limit
    assert pair.known > before
