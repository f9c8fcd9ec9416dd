"""Fetch: read records, as a client or as a follower.

v1  throttle_time_ms (KIP-13)
v2  the reader knows magic 1 (KIP-31/32)
v3  max_bytes; the order of partitions counts (KIP-74)
v4  isolation_level, last_stable_offset, aborted_transactions; the reader knows magic 2 (KIP-98)
v5  log_start_offset (KIP-107)
v6  may answer KAFKA_STORAGE_ERROR (KIP-112)
v7  sessions (KIP-227)
v8  answers before it throttles (KIP-219)
v9  current_leader_epoch (KIP-320)
v10 the reader knows zstd (KIP-110)
v11 rack_id, preferred_read_replica (KIP-392)
v12 flexible; last_fetched_epoch, diverging_epoch, current_leader, snapshot_id (KIP-595)
v13 topic_id in place of topic (KIP-516)
v14 may answer OFFSET_MOVED_TO_TIERED_STORAGE (KIP-405)
v15 replica_state in place of replica_id (KIP-903)
v16 node_endpoints (KIP-951)
v17 replica_directory_id (KIP-853)
v18 high_watermark of the follower (KIP-1166)

Generated from protocol_specs/01_fetch by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import (
    BUFFERS,
    UNSET,
    ZERO_UUID,
    detach,
    fault_absent,
    fault_length,
    long_uvarint,
    put_uvarint,
    read_uvarint,
    skip_tags,
)

if TYPE_CHECKING:
    from wirebroker.protocol.primitives import RecordData

new = object.__new__
iter_i = Struct(">i").iter_unpack
iter_iiqqi = Struct(">iiqqi").iter_unpack
iter_iqi = Struct(">iqi").iter_unpack
iter_iqqi = Struct(">iqqi").iter_unpack
iter_qq = Struct(">qq").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ihi = Struct(">ihi").pack
pack_ihii = Struct(">ihii").pack
pack_ihqi = Struct(">ihqi").pack
pack_ihqqi = Struct(">ihqqi").pack
pack_ihqqq = Struct(">ihqqq").pack
pack_ihqqqi = Struct(">ihqqqi").pack
pack_ii = Struct(">ii").pack
pack_iiibii = Struct(">iiibii").pack
pack_iiii = Struct(">iiii").pack
pack_iiiibi = Struct(">iiiibi").pack
pack_iiiibii = Struct(">iiiibii").pack
pack_iiiibiii = Struct(">iiiibiii").pack
pack_iiiii = Struct(">iiiii").pack
pack_iiqiqi = Struct(">iiqiqi").pack
pack_iiqiqix = Struct(">iiqiqix").pack
pack_iiqqi = Struct(">iiqqi").pack
pack_iix = Struct(">iix").pack
pack_iqi = Struct(">iqi").pack
pack_iqqi = Struct(">iqqi").pack
pack_iqx = Struct(">iqx").pack
pack_q = Struct(">q").pack
pack_qix = Struct(">qix").pack
pack_qq = Struct(">qq").pack
pack_qqx = Struct(">qqx").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihiB = Struct(">ihiB").unpack_from
unpack_ihii = Struct(">ihii").unpack_from
unpack_ihqi = Struct(">ihqi").unpack_from
unpack_ihqqi = Struct(">ihqqi").unpack_from
unpack_ihqqqB = Struct(">ihqqqB").unpack_from
unpack_ihqqqi = Struct(">ihqqqi").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_iiibiiB = Struct(">iiibiiB").unpack_from
unpack_iiii = Struct(">iiii").unpack_from
unpack_iiiibi = Struct(">iiiibi").unpack_from
unpack_iiiibiiB = Struct(">iiiibiiB").unpack_from
unpack_iiiibiii = Struct(">iiiibiii").unpack_from
unpack_iiiii = Struct(">iiiii").unpack_from
unpack_iiqiqiB = Struct(">iiqiqiB").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qiB = Struct(">qiB").unpack_from
unpack_qqB = Struct(">qqB").unpack_from
unpack_u = Struct(">16s").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class ReplicaState(Data):
    """who fetches; replaced replica_id (KIP-903)"""

    __slots__ = FIELDS = ("replica_id", "replica_epoch")

    def __init__(
        self,
        replica_id: int = -1,
        replica_epoch: int = -1,
    ) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch


DEFAULT_ReplicaState = default_of(ReplicaState)


class FetchPartition(Data):
    __slots__ = FIELDS = (
        "partition",
        "current_leader_epoch",
        "fetch_offset",
        "last_fetched_epoch",
        "log_start_offset",
        "partition_max_bytes",
        "replica_directory_id",
        "high_watermark",
    )

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        fetch_offset: int = 0,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
        partition_max_bytes: int = 0,
        replica_directory_id: bytes = ZERO_UUID,
        high_watermark: int = 9223372036854775807,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id
        self.high_watermark = high_watermark


class FetchTopic(Data):
    __slots__ = FIELDS = ("topic", "topic_id", "partitions")

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[FetchPartition] = UNSET,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class ForgottenTopic(Data):
    """partitions to take out of the session"""

    __slots__ = FIELDS = ("topic", "topic_id", "partitions")

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class FetchRequest(Message):
    API_KEY = 1
    VERSIONS = range(0, 19)
    FLEXIBLE_FROM = 12
    __slots__ = FIELDS = (
        "cluster_id",
        "replica_id",
        "replica_state",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "isolation_level",
        "session_id",
        "session_epoch",
        "topics",
        "forgotten_topics_data",
        "rack_id",
    )

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: ReplicaState = DEFAULT_ReplicaState,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: list[FetchTopic] = UNSET,
        forgotten_topics_data: list[ForgottenTopic] = UNSET,
        rack_id: str = "",
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.replica_state = replica_state
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = [] if topics is UNSET else topics
        self.forgotten_topics_data = [] if forgotten_topics_data is UNSET else forgotten_topics_data
        self.rack_id = rack_id


class EpochEndOffset(Data):
    """where the follower's log leaves the leader's"""

    __slots__ = FIELDS = ("epoch", "end_offset")

    def __init__(
        self,
        epoch: int = -1,
        end_offset: int = -1,
    ) -> None:
        self.epoch = epoch
        self.end_offset = end_offset


DEFAULT_EpochEndOffset = default_of(EpochEndOffset)


class LeaderIdAndEpoch(Data):
    """set when the client should go there instead"""

    __slots__ = FIELDS = ("leader_id", "leader_epoch")

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


DEFAULT_LeaderIdAndEpoch = default_of(LeaderIdAndEpoch)


class SnapshotId(Data):
    """fetch this snapshot instead (KRaft)"""

    __slots__ = FIELDS = ("end_offset", "epoch")

    def __init__(
        self,
        end_offset: int = -1,
        epoch: int = -1,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


DEFAULT_SnapshotId = default_of(SnapshotId)


class AbortedTransaction(Data):
    """null unless the client asked for read_committed"""

    __slots__ = FIELDS = ("producer_id", "first_offset")

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset


class PartitionData(Data):
    __slots__ = FIELDS = (
        "partition_index",
        "error_code",
        "high_watermark",
        "last_stable_offset",
        "log_start_offset",
        "diverging_epoch",
        "current_leader",
        "snapshot_id",
        "aborted_transactions",
        "preferred_read_replica",
        "records",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        high_watermark: int = 0,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        diverging_epoch: EpochEndOffset = DEFAULT_EpochEndOffset,
        current_leader: LeaderIdAndEpoch = DEFAULT_LeaderIdAndEpoch,
        snapshot_id: SnapshotId = DEFAULT_SnapshotId,
        aborted_transactions: list[AbortedTransaction] | None = UNSET,
        preferred_read_replica: int = -1,
        records: RecordData | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.diverging_epoch = diverging_epoch
        self.current_leader = current_leader
        self.snapshot_id = snapshot_id
        self.aborted_transactions = [] if aborted_transactions is UNSET else aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records


class FetchableTopicResponse(Data):
    __slots__ = FIELDS = ("topic", "topic_id", "partitions")

    def __init__(
        self,
        topic: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class NodeEndpoint(Data):
    """addresses of all brokers that current_leader fields name"""

    __slots__ = FIELDS = ("node_id", "host", "port", "rack")

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class FetchResponse(Message):
    API_KEY = 1
    VERSIONS = range(0, 19)
    FLEXIBLE_FROM = 12
    HAS_RECORDS = True
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "session_id", "responses", "node_endpoints")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: list[FetchableTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints


def _read_fetch_request_v0_2(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.max_bytes = 2147483647
    m.isolation_level = 0
    m.session_id = 0
    m.session_epoch = -1
    m.forgotten_topics_data = []
    m.rack_id = ""
    m.replica_id, m.max_wait_ms, m.min_bytes, n = unpack_iiii(b, at)
    at += 16
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        end = at + n * 16
        for values in iter_iqi(b[at:end]):
            partition = new(FetchPartition)
            partition.current_leader_epoch = -1
            partition.last_fetched_epoch = -1
            partition.log_start_offset = -1
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.fetch_offset, partition.partition_max_bytes = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v3(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.isolation_level = 0
    m.session_id = 0
    m.session_epoch = -1
    m.forgotten_topics_data = []
    m.rack_id = ""
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, n = unpack_iiiii(b, at)
    at += 20
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        end = at + n * 16
        for values in iter_iqi(b[at:end]):
            partition = new(FetchPartition)
            partition.current_leader_epoch = -1
            partition.last_fetched_epoch = -1
            partition.log_start_offset = -1
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.fetch_offset, partition.partition_max_bytes = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v4(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.session_id = 0
    m.session_epoch = -1
    m.forgotten_topics_data = []
    m.rack_id = ""
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, n = unpack_iiiibi(b, at)
    at += 21
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        end = at + n * 16
        for values in iter_iqi(b[at:end]):
            partition = new(FetchPartition)
            partition.current_leader_epoch = -1
            partition.last_fetched_epoch = -1
            partition.log_start_offset = -1
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.fetch_offset, partition.partition_max_bytes = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v5_6(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.session_id = 0
    m.session_epoch = -1
    m.forgotten_topics_data = []
    m.rack_id = ""
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, n = unpack_iiiibi(b, at)
    at += 21
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 24 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        end = at + n * 24
        for values in iter_iqqi(b[at:end]):
            partition = new(FetchPartition)
            partition.current_leader_epoch = -1
            partition.last_fetched_epoch = -1
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v7_8(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.rack_id = ""
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiiibiii(b, at)
    at += 29
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 24 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        end = at + n * 24
        for values in iter_iqqi(b[at:end]):
            partition = new(FetchPartition)
            partition.current_leader_epoch = -1
            partition.last_fetched_epoch = -1
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        forgotten_topics_data_item.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        forgotten_topics_data.append(forgotten_topics_data_item)
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v9_10(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.rack_id = ""
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiiibiii(b, at)
    at += 29
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 28 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        end = at + n * 28
        for values in iter_iiqqi(b[at:end]):
            partition = new(FetchPartition)
            partition.last_fetched_epoch = -1
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        forgotten_topics_data_item.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        forgotten_topics_data.append(forgotten_topics_data_item)
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v11(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiiibiii(b, at)
    at += 29
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 28 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        end = at + n * 28
        for values in iter_iiqqi(b[at:end]):
            partition = new(FetchPartition)
            partition.last_fetched_epoch = -1
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        forgotten_topics_data_item.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("rack_id is null")
    end = at + n
    m.rack_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v12(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiiibiiB(b, at)
    at += 26
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes, tags = unpack_iiqiqiB(b, at)
            at += 33
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        forgotten_topics_data_item.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("rack_id is null")
    end = at + n - 1
    m.rack_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    m.cluster_id = None
                else:
                    end = at + n - 1
                    m.cluster_id = b[at:end].decode("utf-8", "replace")
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v13_14(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiiibiiB(b, at)
    at += 26
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes, tags = unpack_iiqiqiB(b, at)
            at += 33
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic = ""
        forgotten_topics_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("rack_id is null")
    end = at + n - 1
    m.rack_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    m.cluster_id = None
                else:
                    end = at + n - 1
                    m.cluster_id = b[at:end].decode("utf-8", "replace")
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v15_16(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_id = -1
    m.replica_state = DEFAULT_ReplicaState
    m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiibiiB(b, at)
    at += 22
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes, tags = unpack_iiqiqiB(b, at)
            at += 33
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic = ""
        forgotten_topics_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("rack_id is null")
    end = at + n - 1
    m.rack_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    m.cluster_id = None
                else:
                    end = at + n - 1
                    m.cluster_id = b[at:end].decode("utf-8", "replace")
                    at = end
            elif tag == 1:
                replica_state = new(ReplicaState)
                replica_state.replica_id, replica_state.replica_epoch, tags = unpack_iqB(b, at)
                at += 13
                if tags:
                    at = skip_tags(b, at, tags)
                m.replica_state = replica_state
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v17(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_id = -1
    m.replica_state = DEFAULT_ReplicaState
    m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiibiiB(b, at)
    at += 22
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes, tags = unpack_iiqiqiB(b, at)
            at += 33
            if tags:
                if tags > 127:
                    tags, at = long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        partition.replica_directory_id = unpack_u(b, at)[0]
                        at += 16
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic = ""
        forgotten_topics_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("rack_id is null")
    end = at + n - 1
    m.rack_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    m.cluster_id = None
                else:
                    end = at + n - 1
                    m.cluster_id = b[at:end].decode("utf-8", "replace")
                    at = end
            elif tag == 1:
                replica_state = new(ReplicaState)
                replica_state.replica_id, replica_state.replica_epoch, tags = unpack_iqB(b, at)
                at += 13
                if tags:
                    at = skip_tags(b, at, tags)
                m.replica_state = replica_state
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v18(b: bytes, at: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_id = -1
    m.replica_state = DEFAULT_ReplicaState
    m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = unpack_iiibiiB(b, at)
    at += 22
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes, tags = unpack_iiqiqiB(b, at)
            at += 33
            if tags:
                if tags > 127:
                    tags, at = long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        partition.replica_directory_id = unpack_u(b, at)[0]
                        at += 16
                    elif tag == 1:
                        partition.high_watermark = unpack_q(b, at)[0]
                        at += 8
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic = ""
        forgotten_topics_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("rack_id is null")
    end = at + n - 1
    m.rack_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    m.cluster_id = None
                else:
                    end = at + n - 1
                    m.cluster_id = b[at:end].decode("utf-8", "replace")
                    at = end
            elif tag == 1:
                replica_state = new(ReplicaState)
                replica_state.replica_id, replica_state.replica_epoch, tags = unpack_iqB(b, at)
                at += 13
                if tags:
                    at = skip_tags(b, at, tags)
                m.replica_state = replica_state
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _write_fetch_request_v0_2(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    if m.forgotten_topics_data:
        raise fault_absent("forgotten_topics_data")
    topics = m.topics
    out += pack_iiii(m.replica_id, m.max_wait_ms, m.min_bytes, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise fault_absent("last_fetched_epoch")
            out += pack_iqi(partition.partition, partition.fetch_offset, partition.partition_max_bytes)


def _write_fetch_request_v3(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    if m.forgotten_topics_data:
        raise fault_absent("forgotten_topics_data")
    topics = m.topics
    out += pack_iiiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise fault_absent("last_fetched_epoch")
            out += pack_iqi(partition.partition, partition.fetch_offset, partition.partition_max_bytes)


def _write_fetch_request_v4(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    if m.forgotten_topics_data:
        raise fault_absent("forgotten_topics_data")
    topics = m.topics
    out += pack_iiiibi(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise fault_absent("last_fetched_epoch")
            out += pack_iqi(partition.partition, partition.fetch_offset, partition.partition_max_bytes)


def _write_fetch_request_v5_6(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    if m.forgotten_topics_data:
        raise fault_absent("forgotten_topics_data")
    topics = m.topics
    out += pack_iiiibi(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise fault_absent("last_fetched_epoch")
            out += pack_iqqi(partition.partition, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes)


def _write_fetch_request_v7_8(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    topics = m.topics
    out += pack_iiiibiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise fault_absent("last_fetched_epoch")
            out += pack_iqqi(partition.partition, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes)
    forgotten_topics_data = m.forgotten_topics_data
    out += pack_i(len(forgotten_topics_data))
    for forgotten_topics_data_item in forgotten_topics_data:
        topic3 = forgotten_topics_data_item.topic
        topic_bytes2 = topic3.encode()
        out += pack_h(len(topic_bytes2))
        out += topic_bytes2
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_i(len(partitions2))
        out += b"".join(map(pack_i, partitions2))


def _write_fetch_request_v9_10(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    topics = m.topics
    out += pack_iiiibiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise fault_absent("last_fetched_epoch")
            out += pack_iiqqi(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes)
    forgotten_topics_data = m.forgotten_topics_data
    out += pack_i(len(forgotten_topics_data))
    for forgotten_topics_data_item in forgotten_topics_data:
        topic3 = forgotten_topics_data_item.topic
        topic_bytes2 = topic3.encode()
        out += pack_h(len(topic_bytes2))
        out += topic_bytes2
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_i(len(partitions2))
        out += b"".join(map(pack_i, partitions2))


def _write_fetch_request_v11(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    topics = m.topics
    out += pack_iiiibiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise fault_absent("last_fetched_epoch")
            out += pack_iiqqi(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes)
    forgotten_topics_data = m.forgotten_topics_data
    out += pack_i(len(forgotten_topics_data))
    for forgotten_topics_data_item in forgotten_topics_data:
        topic3 = forgotten_topics_data_item.topic
        topic_bytes2 = topic3.encode()
        out += pack_h(len(topic_bytes2))
        out += topic_bytes2
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_i(len(partitions2))
        out += b"".join(map(pack_i, partitions2))
    rack_id = m.rack_id
    rack_id_bytes = rack_id.encode()
    out += pack_h(len(rack_id_bytes))
    out += rack_id_bytes


def _write_fetch_request_v12(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    topics = m.topics
    out += pack_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iiqiqix(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes)
        out.append(0)
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        topic3 = forgotten_topics_data_item.topic
        topic_bytes2 = topic3.encode()
        n = len(topic_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes2
        partitions2 = forgotten_topics_data_item.partitions
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    rack_id = m.rack_id
    rack_id_bytes = rack_id.encode()
    n = len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    has_cluster_id = m.cluster_id is not None
    out.append(has_cluster_id)
    if has_cluster_id:
        part = bytearray()
        cluster_id = m.cluster_id
        cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
        n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        part += cluster_id_bytes
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _write_fetch_request_v13_14(m: FetchRequest, out: bytearray) -> None:
    if (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState):
        raise fault_absent("replica_state")
    topics = m.topics
    out += pack_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iiqiqix(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes)
        out.append(0)
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_u(forgotten_topics_data_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    rack_id = m.rack_id
    rack_id_bytes = rack_id.encode()
    n = len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    has_cluster_id = m.cluster_id is not None
    out.append(has_cluster_id)
    if has_cluster_id:
        part = bytearray()
        cluster_id = m.cluster_id
        cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
        n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        part += cluster_id_bytes
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _write_fetch_request_v15_16(m: FetchRequest, out: bytearray) -> None:
    if m.replica_id != -1:
        raise fault_absent("replica_id")
    topics = m.topics
    out += pack_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iiqiqix(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes)
        out.append(0)
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_u(forgotten_topics_data_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    rack_id = m.rack_id
    rack_id_bytes = rack_id.encode()
    n = len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    has_cluster_id = m.cluster_id is not None
    has_replica_state = (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState)
    out.append(has_cluster_id + has_replica_state)
    if has_cluster_id:
        part = bytearray()
        cluster_id = m.cluster_id
        cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
        n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        part += cluster_id_bytes
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_replica_state:
        part2 = bytearray()
        replica_state = m.replica_state
        part2 += pack_iqx(replica_state.replica_id, replica_state.replica_epoch)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2


def _write_fetch_request_v17(m: FetchRequest, out: bytearray) -> None:
    if m.replica_id != -1:
        raise fault_absent("replica_id")
    topics = m.topics
    out += pack_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iiqiqi(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes)
            has_replica_directory_id = partition.replica_directory_id != ZERO_UUID
            out.append(has_replica_directory_id)
            if has_replica_directory_id:
                part = bytearray()
                part += pack_u(partition.replica_directory_id)
                put_uvarint(out, 0)
                put_uvarint(out, len(part))
                out += part
        out.append(0)
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_u(forgotten_topics_data_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    rack_id = m.rack_id
    rack_id_bytes = rack_id.encode()
    n = len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    has_cluster_id = m.cluster_id is not None
    has_replica_state = (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState)
    out.append(has_cluster_id + has_replica_state)
    if has_cluster_id:
        part2 = bytearray()
        cluster_id = m.cluster_id
        cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
        n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
        if n > 127:
            put_uvarint(part2, n)
        else:
            part2.append(n)
        part2 += cluster_id_bytes
        put_uvarint(out, 0)
        put_uvarint(out, len(part2))
        out += part2
    if has_replica_state:
        part3 = bytearray()
        replica_state = m.replica_state
        part3 += pack_iqx(replica_state.replica_id, replica_state.replica_epoch)
        put_uvarint(out, 1)
        put_uvarint(out, len(part3))
        out += part3


def _write_fetch_request_v18(m: FetchRequest, out: bytearray) -> None:
    if m.replica_id != -1:
        raise fault_absent("replica_id")
    topics = m.topics
    out += pack_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iiqiqi(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes)
            has_replica_directory_id = partition.replica_directory_id != ZERO_UUID
            has_high_watermark = partition.high_watermark != 9223372036854775807
            out.append(has_replica_directory_id + has_high_watermark)
            if has_replica_directory_id:
                part = bytearray()
                part += pack_u(partition.replica_directory_id)
                put_uvarint(out, 0)
                put_uvarint(out, len(part))
                out += part
            if has_high_watermark:
                part2 = bytearray()
                part2 += pack_q(partition.high_watermark)
                put_uvarint(out, 1)
                put_uvarint(out, len(part2))
                out += part2
        out.append(0)
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_u(forgotten_topics_data_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    rack_id = m.rack_id
    rack_id_bytes = rack_id.encode()
    n = len(rack_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    has_cluster_id = m.cluster_id is not None
    has_replica_state = (m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState)
    out.append(has_cluster_id + has_replica_state)
    if has_cluster_id:
        part3 = bytearray()
        cluster_id = m.cluster_id
        cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
        n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        part3 += cluster_id_bytes
        put_uvarint(out, 0)
        put_uvarint(out, len(part3))
        out += part3
    if has_replica_state:
        part4 = bytearray()
        replica_state = m.replica_state
        part4 += pack_iqx(replica_state.replica_id, replica_state.replica_epoch)
        put_uvarint(out, 1)
        put_uvarint(out, len(part4))
        out += part4


def _read_fetch_response_v0(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.throttle_time_ms = 0
    m.error_code = 0
    m.session_id = 0
    m.node_endpoints = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.last_stable_offset = -1
            partition.log_start_offset = -1
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.aborted_transactions = []
            partition.preferred_read_replica = -1
            partition.partition_index, partition.error_code, partition.high_watermark, n = unpack_ihqi(b, at)
            at += 18
            if n < 0:
                partition.records = None
            else:
                end = at + n
                partition.records = b[at:end]
                at = end
            partitions.append(partition)
        responses.append(response)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v1_3(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.error_code = 0
    m.session_id = 0
    m.node_endpoints = []
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.last_stable_offset = -1
            partition.log_start_offset = -1
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.aborted_transactions = []
            partition.preferred_read_replica = -1
            partition.partition_index, partition.error_code, partition.high_watermark, n = unpack_ihqi(b, at)
            at += 18
            if n < 0:
                partition.records = None
            else:
                end = at + n
                partition.records = b[at:end]
                at = end
            partitions.append(partition)
        responses.append(response)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v4(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.error_code = 0
    m.session_id = 0
    m.node_endpoints = []
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 30 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.log_start_offset = -1
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.preferred_read_replica = -1
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, n = unpack_ihqqi(b, at)
            at += 26
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 16 > size - at:
                    raise fault_length("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                end = at + n * 16
                for values in iter_qq(b[at:end]):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset = values
                    aborted_transactions.append(aborted_transaction)
                at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                partition.records = None
            else:
                end = at + n
                partition.records = b[at:end]
                at = end
            partitions.append(partition)
        responses.append(response)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v5_6(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.error_code = 0
    m.session_id = 0
    m.node_endpoints = []
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 38 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.preferred_read_replica = -1
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = unpack_ihqqqi(b, at)
            at += 34
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 16 > size - at:
                    raise fault_length("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                end = at + n * 16
                for values in iter_qq(b[at:end]):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset = values
                    aborted_transactions.append(aborted_transaction)
                at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                partition.records = None
            else:
                end = at + n
                partition.records = b[at:end]
                at = end
            partitions.append(partition)
        responses.append(response)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v7_10(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.node_endpoints = []
    m.throttle_time_ms, m.error_code, m.session_id, n = unpack_ihii(b, at)
    at += 14
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 38 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.preferred_read_replica = -1
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = unpack_ihqqqi(b, at)
            at += 34
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 16 > size - at:
                    raise fault_length("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                end = at + n * 16
                for values in iter_qq(b[at:end]):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset = values
                    aborted_transactions.append(aborted_transaction)
                at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0:
                partition.records = None
            else:
                end = at + n
                partition.records = b[at:end]
                at = end
            partitions.append(partition)
        responses.append(response)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v11(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.node_endpoints = []
    m.throttle_time_ms, m.error_code, m.session_id, n = unpack_ihii(b, at)
    at += 14
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 42 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = unpack_ihqqqi(b, at)
            at += 34
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 16 > size - at:
                    raise fault_length("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                end = at + n * 16
                for values in iter_qq(b[at:end]):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset = values
                    aborted_transactions.append(aborted_transaction)
                at = end
            partition.preferred_read_replica, n = unpack_ii(b, at)
            at += 8
            if n < 0:
                partition.records = None
            else:
                end = at + n
                partition.records = b[at:end]
                at = end
            partitions.append(partition)
        responses.append(response)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v12(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.node_endpoints = []
    m.throttle_time_ms, m.error_code, m.session_id, n = unpack_ihiB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 37 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 17 > size - at:
                    raise fault_length("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                for _ in range(n):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset, tags = unpack_qqB(b, at)
                    at += 17
                    if tags:
                        at = skip_tags(b, at, tags)
                    aborted_transactions.append(aborted_transaction)
            partition.preferred_read_replica, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.records = None
            else:
                end = at + n - 1
                partition.records = b[at:end]
                at = end
            tags = b[at]
            at += 1
            if tags:
                if tags > 127:
                    tags, at = long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        diverging_epoch = new(EpochEndOffset)
                        diverging_epoch.epoch, diverging_epoch.end_offset, tags = unpack_iqB(b, at)
                        at += 13
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.diverging_epoch = diverging_epoch
                    elif tag == 1:
                        current_leader = new(LeaderIdAndEpoch)
                        current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
                        at += 9
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.current_leader = current_leader
                    elif tag == 2:
                        snapshot_id = new(SnapshotId)
                        snapshot_id.end_offset, snapshot_id.epoch, tags = unpack_qiB(b, at)
                        at += 13
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.snapshot_id = snapshot_id
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v13_15(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.node_endpoints = []
    m.throttle_time_ms, m.error_code, m.session_id, n = unpack_ihiB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic = ""
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 37 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 17 > size - at:
                    raise fault_length("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                for _ in range(n):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset, tags = unpack_qqB(b, at)
                    at += 17
                    if tags:
                        at = skip_tags(b, at, tags)
                    aborted_transactions.append(aborted_transaction)
            partition.preferred_read_replica, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.records = None
            else:
                end = at + n - 1
                partition.records = b[at:end]
                at = end
            tags = b[at]
            at += 1
            if tags:
                if tags > 127:
                    tags, at = long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        diverging_epoch = new(EpochEndOffset)
                        diverging_epoch.epoch, diverging_epoch.end_offset, tags = unpack_iqB(b, at)
                        at += 13
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.diverging_epoch = diverging_epoch
                    elif tag == 1:
                        current_leader = new(LeaderIdAndEpoch)
                        current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
                        at += 9
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.current_leader = current_leader
                    elif tag == 2:
                        snapshot_id = new(SnapshotId)
                        snapshot_id.end_offset, snapshot_id.epoch, tags = unpack_qiB(b, at)
                        at += 13
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.snapshot_id = snapshot_id
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _read_fetch_response_v16_18(b: memoryview, at: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.node_endpoints = []
    m.throttle_time_ms, m.error_code, m.session_id, n = unpack_ihiB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic = ""
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 37 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 17 > size - at:
                    raise fault_length("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                for _ in range(n):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset, tags = unpack_qqB(b, at)
                    at += 17
                    if tags:
                        at = skip_tags(b, at, tags)
                    aborted_transactions.append(aborted_transaction)
            partition.preferred_read_replica, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.records = None
            else:
                end = at + n - 1
                partition.records = b[at:end]
                at = end
            tags = b[at]
            at += 1
            if tags:
                if tags > 127:
                    tags, at = long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        diverging_epoch = new(EpochEndOffset)
                        diverging_epoch.epoch, diverging_epoch.end_offset, tags = unpack_iqB(b, at)
                        at += 13
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.diverging_epoch = diverging_epoch
                    elif tag == 1:
                        current_leader = new(LeaderIdAndEpoch)
                        current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
                        at += 9
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.current_leader = current_leader
                    elif tag == 2:
                        snapshot_id = new(SnapshotId)
                        snapshot_id.end_offset, snapshot_id.epoch, tags = unpack_qiB(b, at)
                        at += 13
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition.snapshot_id = snapshot_id
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 11 > size - at:
                    raise fault_length("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                m.node_endpoints = node_endpoints
                for _ in range(n):
                    node_endpoint = new(NodeEndpoint)
                    node_endpoint.node_id, n = unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("host is null")
                    end = at + n - 1
                    node_endpoint.host = b[at:end].tobytes().decode("utf-8", "replace")
                    at = end
                    node_endpoint.port, n = unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        node_endpoint.rack = None
                    else:
                        end = at + n - 1
                        node_endpoint.rack = b[at:end].tobytes().decode("utf-8", "replace")
                        at = end
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tags(b, at, tags)
                    node_endpoints.append(node_endpoint)
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


def _write_fetch_response_v0(m: FetchResponse, out: bytearray) -> None:
    if m.session_id != 0:
        raise fault_absent("session_id")
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_i(len(responses))
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = response.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset):
                raise fault_absent("diverging_epoch")
            if (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            if (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId):
                raise fault_absent("snapshot_id")
            if partition.preferred_read_replica != -1:
                raise fault_absent("preferred_read_replica")
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_ihqi(partition.partition_index, partition.error_code, partition.high_watermark, n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_fetch_response_v1_3(m: FetchResponse, out: bytearray) -> None:
    if m.session_id != 0:
        raise fault_absent("session_id")
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_ii(m.throttle_time_ms, len(responses))
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = response.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset):
                raise fault_absent("diverging_epoch")
            if (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            if (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId):
                raise fault_absent("snapshot_id")
            if partition.preferred_read_replica != -1:
                raise fault_absent("preferred_read_replica")
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_ihqi(partition.partition_index, partition.error_code, partition.high_watermark, n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_fetch_response_v4(m: FetchResponse, out: bytearray) -> None:
    if m.session_id != 0:
        raise fault_absent("session_id")
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_ii(m.throttle_time_ms, len(responses))
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = response.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset):
                raise fault_absent("diverging_epoch")
            if (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            if (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId):
                raise fault_absent("snapshot_id")
            if partition.preferred_read_replica != -1:
                raise fault_absent("preferred_read_replica")
            aborted_transactions = partition.aborted_transactions
            out += pack_ihqqi(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, -1 if aborted_transactions is None else len(aborted_transactions))
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += pack_qq(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_fetch_response_v5_6(m: FetchResponse, out: bytearray) -> None:
    if m.session_id != 0:
        raise fault_absent("session_id")
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_ii(m.throttle_time_ms, len(responses))
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = response.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset):
                raise fault_absent("diverging_epoch")
            if (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            if (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId):
                raise fault_absent("snapshot_id")
            if partition.preferred_read_replica != -1:
                raise fault_absent("preferred_read_replica")
            aborted_transactions = partition.aborted_transactions
            out += pack_ihqqqi(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, -1 if aborted_transactions is None else len(aborted_transactions))
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += pack_qq(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_fetch_response_v7_10(m: FetchResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_ihii(m.throttle_time_ms, m.error_code, m.session_id, len(responses))
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = response.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset):
                raise fault_absent("diverging_epoch")
            if (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            if (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId):
                raise fault_absent("snapshot_id")
            if partition.preferred_read_replica != -1:
                raise fault_absent("preferred_read_replica")
            aborted_transactions = partition.aborted_transactions
            out += pack_ihqqqi(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, -1 if aborted_transactions is None else len(aborted_transactions))
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += pack_qq(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_fetch_response_v11(m: FetchResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_ihii(m.throttle_time_ms, m.error_code, m.session_id, len(responses))
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = response.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            if (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset):
                raise fault_absent("diverging_epoch")
            if (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            if (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId):
                raise fault_absent("snapshot_id")
            aborted_transactions = partition.aborted_transactions
            out += pack_ihqqqi(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, -1 if aborted_transactions is None else len(aborted_transactions))
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += pack_qq(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_ii(partition.preferred_read_replica, n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_fetch_response_v12(m: FetchResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partitions = response.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            aborted_transactions = partition.aborted_transactions
            out += pack_ihqqq(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset)
            n = 0 if aborted_transactions is None else len(aborted_transactions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += pack_qqx(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(partition.preferred_read_replica)
            put_uvarint(out, n + 1)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            has_diverging_epoch = (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset)
            has_current_leader = (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch)
            has_snapshot_id = (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId)
            out.append(has_diverging_epoch + has_current_leader + has_snapshot_id)
            if has_diverging_epoch:
                part = bytearray()
                diverging_epoch = partition.diverging_epoch
                part += pack_iqx(diverging_epoch.epoch, diverging_epoch.end_offset)
                put_uvarint(out, 0)
                put_uvarint(out, len(part))
                out += part
            if has_current_leader:
                part2 = bytearray()
                current_leader = partition.current_leader
                part2 += pack_iix(current_leader.leader_id, current_leader.leader_epoch)
                put_uvarint(out, 1)
                put_uvarint(out, len(part2))
                out += part2
            if has_snapshot_id:
                part3 = bytearray()
                snapshot_id = partition.snapshot_id
                part3 += pack_qix(snapshot_id.end_offset, snapshot_id.epoch)
                put_uvarint(out, 2)
                put_uvarint(out, len(part3))
                out += part3
        out.append(0)
    out.append(0)


def _write_fetch_response_v13_15(m: FetchResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        partitions = response.partitions
        out += pack_u(response.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            aborted_transactions = partition.aborted_transactions
            out += pack_ihqqq(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset)
            n = 0 if aborted_transactions is None else len(aborted_transactions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += pack_qqx(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(partition.preferred_read_replica)
            put_uvarint(out, n + 1)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            has_diverging_epoch = (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset)
            has_current_leader = (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch)
            has_snapshot_id = (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId)
            out.append(has_diverging_epoch + has_current_leader + has_snapshot_id)
            if has_diverging_epoch:
                part = bytearray()
                diverging_epoch = partition.diverging_epoch
                part += pack_iqx(diverging_epoch.epoch, diverging_epoch.end_offset)
                put_uvarint(out, 0)
                put_uvarint(out, len(part))
                out += part
            if has_current_leader:
                part2 = bytearray()
                current_leader = partition.current_leader
                part2 += pack_iix(current_leader.leader_id, current_leader.leader_epoch)
                put_uvarint(out, 1)
                put_uvarint(out, len(part2))
                out += part2
            if has_snapshot_id:
                part3 = bytearray()
                snapshot_id = partition.snapshot_id
                part3 += pack_qix(snapshot_id.end_offset, snapshot_id.epoch)
                put_uvarint(out, 2)
                put_uvarint(out, len(part3))
                out += part3
        out.append(0)
    out.append(0)


def _write_fetch_response_v16_18(m: FetchResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_ihi(m.throttle_time_ms, m.error_code, m.session_id)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        partitions = response.partitions
        out += pack_u(response.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            aborted_transactions = partition.aborted_transactions
            out += pack_ihqqq(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset)
            n = 0 if aborted_transactions is None else len(aborted_transactions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += pack_qqx(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(partition.preferred_read_replica)
            put_uvarint(out, n + 1)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            has_diverging_epoch = (partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset)
            has_current_leader = (partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch)
            has_snapshot_id = (partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId)
            out.append(has_diverging_epoch + has_current_leader + has_snapshot_id)
            if has_diverging_epoch:
                part = bytearray()
                diverging_epoch = partition.diverging_epoch
                part += pack_iqx(diverging_epoch.epoch, diverging_epoch.end_offset)
                put_uvarint(out, 0)
                put_uvarint(out, len(part))
                out += part
            if has_current_leader:
                part2 = bytearray()
                current_leader = partition.current_leader
                part2 += pack_iix(current_leader.leader_id, current_leader.leader_epoch)
                put_uvarint(out, 1)
                put_uvarint(out, len(part2))
                out += part2
            if has_snapshot_id:
                part3 = bytearray()
                snapshot_id = partition.snapshot_id
                part3 += pack_qix(snapshot_id.end_offset, snapshot_id.epoch)
                put_uvarint(out, 2)
                put_uvarint(out, len(part3))
                out += part3
        out.append(0)
    has_node_endpoints = bool(m.node_endpoints)
    out.append(has_node_endpoints)
    if has_node_endpoints:
        part4 = bytearray()
        node_endpoints = m.node_endpoints
        n = len(node_endpoints) + 1
        if n > 127:
            put_uvarint(part4, n)
        else:
            part4.append(n)
        for node_endpoint in node_endpoints:
            host = node_endpoint.host
            host_bytes = host.encode()
            part4 += pack_i(node_endpoint.node_id)
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(part4, n)
            else:
                part4.append(n)
            part4 += host_bytes
            rack = node_endpoint.rack
            rack_bytes = b"" if rack is None else rack.encode()
            part4 += pack_i(node_endpoint.port)
            n = 0 if rack is None else len(rack_bytes) + 1
            if n > 127:
                put_uvarint(part4, n)
            else:
                part4.append(n)
            part4 += rack_bytes
            part4.append(0)
        put_uvarint(out, 0)
        put_uvarint(out, len(part4))
        out += part4


FetchRequest.READERS = {
    0: _read_fetch_request_v0_2,
    1: _read_fetch_request_v0_2,
    2: _read_fetch_request_v0_2,
    3: _read_fetch_request_v3,
    4: _read_fetch_request_v4,
    5: _read_fetch_request_v5_6,
    6: _read_fetch_request_v5_6,
    7: _read_fetch_request_v7_8,
    8: _read_fetch_request_v7_8,
    9: _read_fetch_request_v9_10,
    10: _read_fetch_request_v9_10,
    11: _read_fetch_request_v11,
    12: _read_fetch_request_v12,
    13: _read_fetch_request_v13_14,
    14: _read_fetch_request_v13_14,
    15: _read_fetch_request_v15_16,
    16: _read_fetch_request_v15_16,
    17: _read_fetch_request_v17,
    18: _read_fetch_request_v18,
}
FetchRequest.WRITERS = {
    0: _write_fetch_request_v0_2,
    1: _write_fetch_request_v0_2,
    2: _write_fetch_request_v0_2,
    3: _write_fetch_request_v3,
    4: _write_fetch_request_v4,
    5: _write_fetch_request_v5_6,
    6: _write_fetch_request_v5_6,
    7: _write_fetch_request_v7_8,
    8: _write_fetch_request_v7_8,
    9: _write_fetch_request_v9_10,
    10: _write_fetch_request_v9_10,
    11: _write_fetch_request_v11,
    12: _write_fetch_request_v12,
    13: _write_fetch_request_v13_14,
    14: _write_fetch_request_v13_14,
    15: _write_fetch_request_v15_16,
    16: _write_fetch_request_v15_16,
    17: _write_fetch_request_v17,
    18: _write_fetch_request_v18,
}
FetchResponse.READERS = {
    0: _read_fetch_response_v0,
    1: _read_fetch_response_v1_3,
    2: _read_fetch_response_v1_3,
    3: _read_fetch_response_v1_3,
    4: _read_fetch_response_v4,
    5: _read_fetch_response_v5_6,
    6: _read_fetch_response_v5_6,
    7: _read_fetch_response_v7_10,
    8: _read_fetch_response_v7_10,
    9: _read_fetch_response_v7_10,
    10: _read_fetch_response_v7_10,
    11: _read_fetch_response_v11,
    12: _read_fetch_response_v12,
    13: _read_fetch_response_v13_15,
    14: _read_fetch_response_v13_15,
    15: _read_fetch_response_v13_15,
    16: _read_fetch_response_v16_18,
    17: _read_fetch_response_v16_18,
    18: _read_fetch_response_v16_18,
}
FetchResponse.WRITERS = {
    0: _write_fetch_response_v0,
    1: _write_fetch_response_v1_3,
    2: _write_fetch_response_v1_3,
    3: _write_fetch_response_v1_3,
    4: _write_fetch_response_v4,
    5: _write_fetch_response_v5_6,
    6: _write_fetch_response_v5_6,
    7: _write_fetch_response_v7_10,
    8: _write_fetch_response_v7_10,
    9: _write_fetch_response_v7_10,
    10: _write_fetch_response_v7_10,
    11: _write_fetch_response_v11,
    12: _write_fetch_response_v12,
    13: _write_fetch_response_v13_15,
    14: _write_fetch_response_v13_15,
    15: _write_fetch_response_v13_15,
    16: _write_fetch_response_v16_18,
    17: _write_fetch_response_v16_18,
    18: _write_fetch_response_v16_18,
}
