"""Offset commits to a coordinator with real logs, on a fake disk, as a connection serves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.coordinator.turn import InternalClient
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.offset_commit_fast_path import (
    KnownDelayedCommit,
)
from wirebroker.handlers.routes import BoundRoute, RouteTable
from wirebroker.model import GROUP_METADATA_TOPIC_NAME, LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.dispatch import DelayedResponse, read_request, serve
from wirebroker.tests.handlers.fetch_harness import FetchHarness

if TYPE_CHECKING:
    from wirebroker.replication.partition import Partition

E = ErrorCode
VERSIONS = range(2, 10)
COMMIT = 8
NOW_MS = 1_700_000_000_000
CLIENT = InternalClient(3, "c", "127.0.0.1")
REPLICATED = LeaderAndIsr(0, 0, (0, 1), 1, (0, 1))


def commit(
    *offsets: tuple[str, int, int],
    group: str = "g",
    member: str = "",
    generation: int = -1,
    instance: str | None = None,
    metadata: str | None = "",
    epoch: int = -1,
) -> OffsetCommitRequest:
    """A request with these topics, partitions and offsets."""
    topics: dict[str, list[OffsetCommitRequestPartition]] = {}
    for topic, index, offset in offsets or (("t", 0, 1),):
        topics.setdefault(topic, []).append(
            OffsetCommitRequestPartition(index, offset, epoch, committed_metadata=metadata)
        )
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member,
        group_instance_id=instance,
        topics=[OffsetCommitRequestTopic(name, partitions=each) for name, each in topics.items()],
    )


def frame(asked: OffsetCommitRequest, version: int, correlation_id: int = 7, client_id: str | None = "c") -> memoryview:
    out = WireBuffer()
    write_request_header(out, COMMIT, version, correlation_id, client_id)
    asked.write(out, version)
    return memoryview(bytearray(out))


class Committer:
    """A coordinator with real logs, and a connection to it, served as `Connection` does."""

    context: RequestContext

    def __init__(self, **settings: Any) -> None:
        self.harness = harness = FetchHarness({GROUP_METADATA_TOPIC_NAME: 1, "t": 4, "u": 1}, **settings)
        self.groups = GroupCoordinator(harness.config, harness.metadata, harness.replicas)
        harness.services.groups, harness.services.zookeeper_offsets = self.groups, None
        self.connect()

    @classmethod
    async def new(cls, **settings: Any) -> Committer:
        """Return a coordinator that has loaded its partition."""
        committer = cls(**settings)
        await committer.groups.runtime.load(0, committer.partition)
        return committer

    def connect(self) -> None:
        """Begin a new connection."""
        self.context = RequestContext(self.harness.services, routes=RouteTable())
        self.context.holds_responses = True

    @property
    def partition(self) -> Partition:
        return self.harness.partition(0, GROUP_METADATA_TOPIC_NAME)

    @property
    def manager(self) -> Any:
        (shard,) = self.groups.runtime.active_shards()
        return shard.manager  # type: ignore[attr-defined]

    def log_bytes(self) -> bytes:
        partition = self.partition
        found = partition.read(0, 1 << 30, committed=False, to_log_end=True, min_one_batch=True)
        return found.records.tobytes()

    async def general(self, received: memoryview) -> bytes | DelayedResponse:
        """Have the general path serve a request, remember it, and return the response."""
        out = WireBuffer()
        read = read_request(received, self.context, out)
        assert read is not None
        delayed = await serve(read, self.context, out)
        assert read.route.remember is not None
        read.route.remember(self.context, received, read.body)
        return bytes(out) if delayed is None else delayed

    def fast(self, received: memoryview) -> bytes | KnownDelayedCommit | None:
        """Return the response of the fast path, None if it leaves the request to the general path."""
        known = self.context.known_commits
        if known is None:
            return None
        out = WireBuffer()
        served = known.serve(received, self.context, out)
        assert isinstance(served, BoundRoute) == bool(out)
        return served if isinstance(served, KnownDelayedCommit) else bytes(out) or None

    async def known(self, received: memoryview) -> None:
        """Have requests like this one be known."""
        for _ in range(2):
            await self.general(received)

    async def join(self) -> tuple[str, int]:
        """Join the group as its only member; return member id and generation."""
        request = JoinGroupRequest(
            "g", 10_000, 30_000, "", None, "consumer", [JoinGroupRequestProtocol("range", b"m")], None
        )
        joined = await self.groups.request("g", request, CLIENT)
        sync = SyncGroupRequest(
            "g",
            joined.generation_id,
            joined.member_id,
            None,
            None,
            None,
            [SyncGroupRequestAssignment(joined.member_id)],
        )
        assert not (await self.groups.request("g", sync, CLIENT)).error_code
        return joined.member_id, joined.generation_id

    async def leave(self, member: str) -> None:
        await self.groups.request("g", LeaveGroupRequest("g", members=[MemberIdentity(member)]), CLIENT)


def decoded(answer: bytes, version: int) -> tuple[int, list[tuple[str, int, int]]]:
    """Return the correlation id and (topic, partition, code) of each partition of an answer, whose size is right."""
    assert int.from_bytes(answer[:4], "big") == len(answer) - 4
    response, end = OffsetCommitResponse.read(memoryview(answer), 9 if version >= 8 else 8, version)
    assert end == len(answer)
    codes = [
        (topic.name, each.partition_index, each.error_code) for topic in response.topics for each in topic.partitions
    ]
    return int.from_bytes(answer[4:8], "big"), codes
