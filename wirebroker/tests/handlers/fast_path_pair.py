"""Two leaders and their followers, to compare the fast path of Fetch with the general one in answers and state."""

from __future__ import annotations

import random
from typing import Any

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.routes import RouteTable
from wirebroker.metrics.request_metrics import RequestCounter
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ReplicaState,
)
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.quota.rate import QuotaWindow
from wirebroker.quota.replication_quota import ReplicationQuota
from wirebroker.record.legacy import any_batches
from wirebroker.server.delayed_responses import DelayedResponses
from wirebroker.server.dispatch import read_request, serve
from wirebroker.tests.handlers.fetch_harness import FetchHarness
from wirebroker.tests.storage.fakes.logs import batch

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
