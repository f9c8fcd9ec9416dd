"""Fetch: read records, as a consumer or as a follower.

v1  throttle_time_ms (KIP-13)
v2  the client supports magic 1 (KIP-31/32)
v3  max_bytes; the order of partitions matters (KIP-74)
v4  isolation_level, last_stable_offset, aborted_transactions; the client supports magic 2 (KIP-98)
v5  log_start_offset (KIP-107)
v6  may return KAFKA_STORAGE_ERROR (KIP-112)
v7  sessions (KIP-227)
v8  responds before it throttles (KIP-219)
v9  current_leader_epoch (KIP-320)
v10 the client supports zstd (KIP-110)
v11 rack_id, preferred_read_replica (KIP-392)
v12 flexible; last_fetched_epoch, diverging_epoch, current_leader, snapshot_id (KIP-595)
v13 topic_id in place of topic (KIP-516)
v14 may return OFFSET_MOVED_TO_TIERED_STORAGE (KIP-405)
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

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage, default_of
from wirebroker.protocol.primitives import (
    BUFFERS,
    ZERO_UUID,
    absent_field_error,
    array_packer,
    count_error,
    detach,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

if TYPE_CHECKING:
    from wirebroker.protocol.primitives import RecordData

_iter_i = Struct(">i").iter_unpack
_iter_iiqqi = Struct(">iiqqi").iter_unpack
_iter_iqi = Struct(">iqi").iter_unpack
_iter_iqqi = Struct(">iqqi").iter_unpack
_iter_qq = Struct(">qq").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihi = Struct(">ihi").pack
_pack_ihiB = Struct(">ihiB").pack
_pack_ihii = Struct(">ihii").pack
_pack_ihqi = Struct(">ihqi").pack
_pack_ihqqi = Struct(">ihqqi").pack
_pack_ihqqq = Struct(">ihqqq").pack
_pack_ihqqqB = Struct(">ihqqqB").pack
_pack_ihqqqi = Struct(">ihqqqi").pack
_pack_ii = Struct(">ii").pack
_pack_iiibii = Struct(">iiibii").pack
_pack_iiii = Struct(">iiii").pack
_pack_iiiibi = Struct(">iiiibi").pack
_pack_iiiibii = Struct(">iiiibii").pack
_pack_iiiibiii = Struct(">iiiibiii").pack
_pack_iiiii = Struct(">iiiii").pack
_pack_iiqiqi = Struct(">iiqiqi").pack
_pack_iiqqi = Struct(">iiqqi").pack
_pack_iix = Struct(">iix").pack
_pack_iqi = Struct(">iqi").pack
_pack_iqqi = Struct(">iqqi").pack
_pack_iqx = Struct(">iqx").pack
_pack_list_i = array_packer("i")
_pack_q = Struct(">q").pack
_pack_qix = Struct(">qix").pack
_pack_qq = Struct(">qq").pack
_pack_qqx = Struct(">qqx").pack
_pack_u = Struct(">16s").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihiB = Struct(">ihiB").unpack_from
_unpack_ihii = Struct(">ihii").unpack_from
_unpack_ihqi = Struct(">ihqi").unpack_from
_unpack_ihqqi = Struct(">ihqqi").unpack_from
_unpack_ihqqqB = Struct(">ihqqqB").unpack_from
_unpack_ihqqqi = Struct(">ihqqqi").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iiibiiB = Struct(">iiibiiB").unpack_from
_unpack_iiii = Struct(">iiii").unpack_from
_unpack_iiiibi = Struct(">iiiibi").unpack_from
_unpack_iiiibiiB = Struct(">iiiibiiB").unpack_from
_unpack_iiiibiii = Struct(">iiiibiii").unpack_from
_unpack_iiiii = Struct(">iiiii").unpack_from
_unpack_iiqiqiB = Struct(">iiqiqiB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qiB = Struct(">qiB").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from
_unpack_u = Struct(">16s").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class ReplicaState(Data):
    """The value of `FetchRequest.replica_state`."""

    replica_id: int = -1
    """Broker id of the follower; -1 for consumers."""
    replica_epoch: int = -1
    """The follower's broker epoch."""


DEFAULT_ReplicaState = default_of(ReplicaState)


class FetchPartition(Data):
    """An element of `FetchTopic.partitions`."""

    partition: int = 0
    current_leader_epoch: int = -1  # v9+
    """Leader epoch that the client knows; another one is refused; -1: not checked."""
    fetch_offset: int = 0
    last_fetched_epoch: int = -1  # v12+
    """Leader epoch of the follower's last record."""
    log_start_offset: int = -1  # v5+
    """Log start offset of the follower; -1 for consumers."""
    partition_max_bytes: int = 0
    """Limit for this partition; the first batch is returned even if it is larger."""
    replica_directory_id: bytes = ZERO_UUID  # v17+
    """directory.id of the follower's log directory (KRaft)."""
    high_watermark: int = 9223372036854775807  # v18+
    """High watermark that the follower knows."""


class FetchTopic(Data):
    """An element of `FetchRequest.topics`."""

    topic: str = ""  # v0-12
    topic_id: bytes = ZERO_UUID  # v13+
    partitions: list[FetchPartition] = []


class ForgottenTopic(Data):
    """An element of `FetchRequest.forgotten_topics_data`."""

    topic: str = ""  # v7-12
    topic_id: bytes = ZERO_UUID  # v13+
    partitions: list[int] = []


class FetchRequest(ReadableMessage, WritableMessage):
    API_KEY = 1
    VERSIONS = range(0, 19)
    FLEXIBLE_FROM = 12

    cluster_id: str | None = None  # v12+
    """Checked by KRaft controllers only."""
    replica_id: int = -1  # v0-14
    """Broker id of the follower; -1 for consumers."""
    replica_state: ReplicaState = DEFAULT_ReplicaState  # v15+
    """The follower that fetches; replaces replica_id (KIP-903)."""
    max_wait_ms: int = 0
    """How long to wait for min_bytes."""
    min_bytes: int = 0
    """Respond as soon as this many bytes are available."""
    max_bytes: int = 2147483647  # v3+
    """Limit for the whole response; the first batch is returned even if it is larger."""
    isolation_level: int = 0  # v4+
    """0 read uncommitted, 1 read committed."""
    session_id: int = 0  # v7+
    """Id of the incremental fetch session; 0: no session (KIP-227)."""
    session_epoch: int = -1  # v7+
    """0 creates a fetch session, -1 fetches without one."""
    topics: list[FetchTopic] = []
    forgotten_topics_data: list[ForgottenTopic] = []  # v7+
    """Partitions to remove from the session."""
    rack_id: str = ""  # v11+
    """client.rack, to select a preferred read replica."""


class EpochEndOffset(Data):
    """The value of `PartitionData.diverging_epoch`."""

    epoch: int = -1
    end_offset: int = -1


DEFAULT_EpochEndOffset = default_of(EpochEndOffset)


class LeaderIdAndEpoch(Data):
    """The value of `PartitionData.current_leader`."""

    leader_id: int = -1
    leader_epoch: int = -1
    """Leader epoch, incremented with each leader election; -1 unknown."""


DEFAULT_LeaderIdAndEpoch = default_of(LeaderIdAndEpoch)


class SnapshotId(Data):
    """The value of `PartitionData.snapshot_id`."""

    end_offset: int = -1
    epoch: int = -1


DEFAULT_SnapshotId = default_of(SnapshotId)


class AbortedTransaction(Data):
    """An element of `PartitionData.aborted_transactions`."""

    producer_id: int = 0
    first_offset: int = 0
    """First offset of the aborted transaction."""


class PartitionData(Data):
    """An element of `FetchableTopicResponse.partitions`."""

    partition_index: int = 0
    error_code: int = 0
    high_watermark: int = 0
    last_stable_offset: int = -1  # v4+
    """Last stable offset, up to which read_committed consumers read; -1 unknown."""
    log_start_offset: int = -1  # v5+
    """Log start offset; -1 unknown."""
    diverging_epoch: EpochEndOffset = DEFAULT_EpochEndOffset  # v12+
    """Where the follower's log diverges: the largest common epoch, its end offset."""
    current_leader: LeaderIdAndEpoch = DEFAULT_LeaderIdAndEpoch  # v12+
    """The current leader of the partition, if it is another broker."""
    snapshot_id: SnapshotId = DEFAULT_SnapshotId  # v12+
    """Fetch this snapshot instead (KRaft)."""
    aborted_transactions: list[AbortedTransaction] | None = []  # v4+
    """Null unless isolation_level is read_committed."""
    preferred_read_replica: int = -1  # v11+
    """Replica that the consumer should fetch from; -1 none."""
    records: RecordData | None = None


class FetchableTopicResponse(Data):
    """An element of `FetchResponse.responses`."""

    topic: str = ""  # v0-12
    topic_id: bytes = ZERO_UUID  # v13+
    partitions: list[PartitionData] = []


class NodeEndpoint(Data):
    """An element of `FetchResponse.node_endpoints`."""

    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class FetchResponse(ReadableMessage, WritableMessage):
    API_KEY = 1
    VERSIONS = range(0, 19)
    FLEXIBLE_FROM = 12
    HAS_RECORDS = True

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0  # v7+
    session_id: int = 0  # v7+
    """Id of the incremental fetch session; 0: no session (KIP-227)."""
    responses: list[FetchableTopicResponse] = []
    node_endpoints: list[NodeEndpoint] = []  # v16+
    """Endpoints of the brokers that are named in current_leader fields."""


def _read_fetch_request_v0_11(b: bytes, at: int, version: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    if version >= 7:
        m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = _unpack_iiiibiii(b, at)
        at += 29
    elif version >= 4:
        m.session_id = 0
        m.session_epoch = -1
        m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, n = _unpack_iiiibi(b, at)
        at += 21
    elif version >= 3:
        m.isolation_level = 0
        m.session_id = 0
        m.session_epoch = -1
        m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, n = _unpack_iiiii(b, at)
        at += 20
    else:
        m.max_bytes = 2147483647
        m.isolation_level = 0
        m.session_id = 0
        m.session_epoch = -1
        m.replica_id, m.max_wait_ms, m.min_bytes, n = _unpack_iiii(b, at)
        at += 16
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id = ZERO_UUID
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        topic.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 16 > size - at:
            raise count_error("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        if version >= 9:
            end = at + n * 28
            for values in _iter_iiqqi(b[at:end]):
                partition = new(FetchPartition)
                partition.last_fetched_epoch = -1
                partition.replica_directory_id = ZERO_UUID
                partition.high_watermark = 9223372036854775807
                partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes = values
                partitions.append(partition)
        elif version >= 5:
            end = at + n * 24
            for values in _iter_iqqi(b[at:end]):
                partition = new(FetchPartition)
                partition.current_leader_epoch = -1
                partition.last_fetched_epoch = -1
                partition.replica_directory_id = ZERO_UUID
                partition.high_watermark = 9223372036854775807
                partition.partition, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes = values
                partitions.append(partition)
        else:
            end = at + n * 16
            for values in _iter_iqi(b[at:end]):
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
    if version >= 7:
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise count_error("forgotten_topics_data", n)
        forgotten_topics_data: list[ForgottenTopic] = []
        m.forgotten_topics_data = forgotten_topics_data
        for _ in range(n):
            forgotten_topics_data_item = new(ForgottenTopic)
            forgotten_topics_data_item.topic_id = ZERO_UUID
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            forgotten_topics_data_item.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            forgotten_topics_data_item.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            forgotten_topics_data.append(forgotten_topics_data_item)
        if version >= 11:
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("rack_id is null")
            end = at + n
            m.rack_id = b[at:end].decode("utf-8", "replace")
            at = end
        else:
            m.rack_id = ""
    else:
        m.forgotten_topics_data = []
        m.rack_id = ""
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


def _read_fetch_request_v12_18(b: bytes, at: int, version: int) -> tuple[FetchRequest, int]:
    size = len(b)
    m = new(FetchRequest)
    m.cluster_id = None
    m.replica_state = DEFAULT_ReplicaState
    if version >= 15:
        m.replica_id = -1
        m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = _unpack_iiibiiB(b, at)
        at += 22
    else:
        m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, n = _unpack_iiiibiiB(b, at)
        at += 26
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        if version >= 13:
            topic.topic = ""
            topic.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            topic.topic = b[at:end].decode("utf-8", "replace")
            at = end
            topic.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise count_error("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.replica_directory_id = ZERO_UUID
            partition.high_watermark = 9223372036854775807
            partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes, tags = _unpack_iiqiqiB(b, at)
            at += 33
            if tags:
                if tags > 127:
                    tags, at = read_long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0 and version >= 17:
                        partition.replica_directory_id = _unpack_u(b, at)[0]
                        at += 16
                    elif tag == 1 and version >= 18:
                        partition.high_watermark = _unpack_q(b, at)[0]
                        at += 8
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        if version >= 13:
            forgotten_topics_data_item.topic = ""
            forgotten_topics_data_item.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            forgotten_topics_data_item.topic = b[at:end].decode("utf-8", "replace")
            at = end
            forgotten_topics_data_item.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise count_error("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in _iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("rack_id is null")
    end = at + n - 1
    m.rack_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    m.cluster_id = None
                else:
                    end = at + n - 1
                    m.cluster_id = b[at:end].decode("utf-8", "replace")
                    at = end
            elif tag == 1 and version >= 15:
                replica_state = new(ReplicaState)
                replica_state.replica_id, replica_state.replica_epoch, tags = _unpack_iqB(b, at)
                at += 13
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                m.replica_state = replica_state
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchRequest is {at - size} bytes short")
    return m, at


FetchRequest.READERS = dict.fromkeys(range(0, 12), _read_fetch_request_v0_11) | dict.fromkeys(range(12, 19), _read_fetch_request_v12_18)


def _write_fetch_request_v0_11(m: FetchRequest, out: bytearray, version: int) -> None:
    if m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState:
        raise absent_field_error("replica_state")
    topics = m.topics
    if version >= 7:
        out += _pack_iiiibiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch, len(topics))
    elif version >= 4:
        out += _pack_iiiibi(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, len(topics))
    elif version >= 3:
        out += _pack_iiiii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, len(topics))
    else:
        out += _pack_iiii(m.replica_id, m.max_wait_ms, m.min_bytes, len(topics))
    for topic in topics:
        topic2 = topic.topic
        topic_bytes = topic2.encode()
        out += _pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            if partition.last_fetched_epoch != -1:
                raise absent_field_error("last_fetched_epoch")
            if version >= 9:
                out += _pack_iiqqi(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes)
            elif version >= 5:
                out += _pack_iqqi(partition.partition, partition.fetch_offset, partition.log_start_offset, partition.partition_max_bytes)
            else:
                out += _pack_iqi(partition.partition, partition.fetch_offset, partition.partition_max_bytes)
    if version >= 7:
        forgotten_topics_data = m.forgotten_topics_data
        out += _pack_i(len(forgotten_topics_data))
        for forgotten_topics_data_item in forgotten_topics_data:
            topic3 = forgotten_topics_data_item.topic
            topic_bytes2 = topic3.encode()
            out += _pack_h(len(topic_bytes2))
            out += topic_bytes2
            partitions2 = forgotten_topics_data_item.partitions
            out += _pack_i(len(partitions2))
            out += _pack_list_i(partitions2)
        if version >= 11:
            rack_id = m.rack_id
            rack_id_bytes = rack_id.encode()
            out += _pack_h(len(rack_id_bytes))
            out += rack_id_bytes
    else:
        if m.forgotten_topics_data:
            raise absent_field_error("forgotten_topics_data")


def _write_fetch_request_v12_18(m: FetchRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if version >= 15:
        if m.replica_id != -1:
            raise absent_field_error("replica_id")
        out += _pack_iiibii(m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    else:
        out += _pack_iiiibii(m.replica_id, m.max_wait_ms, m.min_bytes, m.max_bytes, m.isolation_level, m.session_id, m.session_epoch)
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        if version >= 13:
            out += _pack_u(topic.topic_id)
        else:
            topic2 = topic.topic
            topic_bytes = topic2.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += _pack_iiqiqi(partition.partition, partition.current_leader_epoch, partition.fetch_offset, partition.last_fetched_epoch, partition.log_start_offset, partition.partition_max_bytes)
            has_replica_directory_id = partition.replica_directory_id != ZERO_UUID and version >= 17
            has_high_watermark = partition.high_watermark != 9223372036854775807 and version >= 18
            n = has_replica_directory_id + has_high_watermark
            out.append(n)
            if n:
                if has_replica_directory_id:
                    part = bytearray()
                    part += _pack_u(partition.replica_directory_id)
                    write_uvarint(out, 0)
                    write_uvarint(out, len(part))
                    out += part
                if has_high_watermark:
                    part2 = bytearray()
                    part2 += _pack_q(partition.high_watermark)
                    write_uvarint(out, 1)
                    write_uvarint(out, len(part2))
                    out += part2
        out.append(0)
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        if version >= 13:
            out += _pack_u(forgotten_topics_data_item.topic_id)
        else:
            topic3 = forgotten_topics_data_item.topic
            topic_bytes2 = topic3.encode()
            n = len(topic_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes2
        partitions2 = forgotten_topics_data_item.partitions
        n = len(partitions2) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += _pack_list_i(partitions2)
        out.append(0)
    rack_id = m.rack_id
    rack_id_bytes = rack_id.encode()
    n = len(rack_id_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += rack_id_bytes
    has_cluster_id = m.cluster_id is not None
    has_replica_state = m.replica_state is not DEFAULT_ReplicaState and m.replica_state != DEFAULT_ReplicaState
    n = has_cluster_id + has_replica_state
    out.append(n)
    if n:
        if has_cluster_id:
            part3 = bytearray()
            cluster_id = m.cluster_id
            cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
            n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
            if n > 127:
                write_uvarint(part3, n)
            else:
                part3.append(n)
            part3 += cluster_id_bytes
            write_uvarint(out, 0)
            write_uvarint(out, len(part3))
            out += part3
        if has_replica_state:
            if version <= 14:
                raise absent_field_error("replica_state")
            part4 = bytearray()
            replica_state = m.replica_state
            part4 += _pack_iqx(replica_state.replica_id, replica_state.replica_epoch)
            write_uvarint(out, 1)
            write_uvarint(out, len(part4))
            out += part4


FetchRequest.WRITERS = dict.fromkeys(range(0, 12), _write_fetch_request_v0_11) | dict.fromkeys(range(12, 19), _write_fetch_request_v12_18)


def _read_fetch_response_v0_11(b: memoryview, at: int, version: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.node_endpoints = []
    if version >= 7:
        m.throttle_time_ms, m.error_code, m.session_id, n = _unpack_ihii(b, at)
        at += 14
    elif version >= 1:
        m.error_code = 0
        m.session_id = 0
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        m.error_code = 0
        m.session_id = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        response.topic_id = ZERO_UUID
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        response.topic = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise count_error("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            if version >= 4:
                if version >= 5:
                    partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = _unpack_ihqqqi(b, at)
                    at += 34
                else:
                    partition.log_start_offset = -1
                    partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, n = _unpack_ihqqi(b, at)
                    at += 26
                if n < 0:
                    partition.aborted_transactions = None
                else:
                    if n * 16 > size - at:
                        raise count_error("aborted_transactions", n)
                    aborted_transactions: list[AbortedTransaction] = []
                    partition.aborted_transactions = aborted_transactions
                    end = at + n * 16
                    for values in _iter_qq(b[at:end]):
                        aborted_transaction = new(AbortedTransaction)
                        aborted_transaction.producer_id, aborted_transaction.first_offset = values
                        aborted_transactions.append(aborted_transaction)
                    at = end
                if version >= 11:
                    partition.preferred_read_replica, n = _unpack_ii(b, at)
                    at += 8
                else:
                    partition.preferred_read_replica = -1
                    n = _unpack_i(b, at)[0]
                    at += 4
            else:
                partition.aborted_transactions = []
                partition.last_stable_offset = -1
                partition.log_start_offset = -1
                partition.preferred_read_replica = -1
                partition.partition_index, partition.error_code, partition.high_watermark, n = _unpack_ihqi(b, at)
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


def _read_fetch_response_v12_18(b: memoryview, at: int, version: int) -> tuple[FetchResponse, int]:
    size = len(b)
    m = new(FetchResponse)
    m.node_endpoints = []
    m.throttle_time_ms, m.error_code, m.session_id, n = _unpack_ihiB(b, at)
    at += 11
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("responses", n)
    responses: list[FetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(FetchableTopicResponse)
        if version >= 13:
            response.topic = ""
            response.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            response.topic = b[at:end].tobytes().decode("utf-8", "replace")
            at = end
            response.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 37 > size - at:
            raise count_error("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.diverging_epoch = DEFAULT_EpochEndOffset
            partition.current_leader = DEFAULT_LeaderIdAndEpoch
            partition.snapshot_id = DEFAULT_SnapshotId
            partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n = _unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.aborted_transactions = None
            else:
                if n * 17 > size - at:
                    raise count_error("aborted_transactions", n)
                aborted_transactions: list[AbortedTransaction] = []
                partition.aborted_transactions = aborted_transactions
                for _ in range(n):
                    aborted_transaction = new(AbortedTransaction)
                    aborted_transaction.producer_id, aborted_transaction.first_offset, tags = _unpack_qqB(b, at)
                    at += 17
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    aborted_transactions.append(aborted_transaction)
            partition.preferred_read_replica, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
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
                    tags, at = read_long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        diverging_epoch = new(EpochEndOffset)
                        diverging_epoch.epoch, diverging_epoch.end_offset, tags = _unpack_iqB(b, at)
                        at += 13
                        if tags:
                            at = skip_tagged_fields(b, at, tags)
                        partition.diverging_epoch = diverging_epoch
                    elif tag == 1:
                        current_leader = new(LeaderIdAndEpoch)
                        current_leader.leader_id, current_leader.leader_epoch, tags = _unpack_iiB(b, at)
                        at += 9
                        if tags:
                            at = skip_tagged_fields(b, at, tags)
                        partition.current_leader = current_leader
                    elif tag == 2:
                        snapshot_id = new(SnapshotId)
                        snapshot_id.end_offset, snapshot_id.epoch, tags = _unpack_qiB(b, at)
                        at += 13
                        if tags:
                            at = skip_tagged_fields(b, at, tags)
                        partition.snapshot_id = snapshot_id
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0 and version >= 16:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 11 > size - at:
                    raise count_error("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                m.node_endpoints = node_endpoints
                for _ in range(n):
                    node_endpoint = new(NodeEndpoint)
                    node_endpoint.node_id, n = _unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("host is null")
                    end = at + n - 1
                    node_endpoint.host = b[at:end].tobytes().decode("utf-8", "replace")
                    at = end
                    node_endpoint.port, n = _unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    if n == 0:
                        node_endpoint.rack = None
                    else:
                        end = at + n - 1
                        node_endpoint.rack = b[at:end].tobytes().decode("utf-8", "replace")
                        at = end
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    node_endpoints.append(node_endpoint)
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"FetchResponse is {at - size} bytes short")
    return m, at


FetchResponse.READERS = dict.fromkeys(range(0, 12), _read_fetch_response_v0_11) | dict.fromkeys(range(12, 19), _read_fetch_response_v12_18)


def _write_fetch_response_v0_11(m: FetchResponse, out: bytearray, version: int) -> None:
    if m.node_endpoints:
        raise absent_field_error("node_endpoints")
    responses = m.responses
    if version >= 7:
        out += _pack_ihii(m.throttle_time_ms, m.error_code, m.session_id, len(responses))
    elif version >= 1:
        if m.session_id != 0:
            raise absent_field_error("session_id")
        out += _pack_ii(m.throttle_time_ms, len(responses))
    else:
        if m.session_id != 0:
            raise absent_field_error("session_id")
        out += _pack_i(len(responses))
    for response in responses:
        topic = response.topic
        topic_bytes = topic.encode()
        out += _pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = response.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            if partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset:
                raise absent_field_error("diverging_epoch")
            if partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch:
                raise absent_field_error("current_leader")
            if partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId:
                raise absent_field_error("snapshot_id")
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            if version >= 4:
                aborted_transactions = partition.aborted_transactions
                if version >= 5:
                    out += _pack_ihqqqi(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, -1 if aborted_transactions is None else len(aborted_transactions))
                else:
                    out += _pack_ihqqi(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, -1 if aborted_transactions is None else len(aborted_transactions))
                if aborted_transactions is not None:
                    for aborted_transaction in aborted_transactions:
                        out += _pack_qq(aborted_transaction.producer_id, aborted_transaction.first_offset)
                if version >= 11:
                    out += _pack_ii(partition.preferred_read_replica, n)
                else:
                    if partition.preferred_read_replica != -1:
                        raise absent_field_error("preferred_read_replica")
                    out += _pack_i(n)
            else:
                if partition.preferred_read_replica != -1:
                    raise absent_field_error("preferred_read_replica")
                out += _pack_ihqi(partition.partition_index, partition.error_code, partition.high_watermark, n)
            if records is not None and n > 0:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_fetch_response_v12_18(m: FetchResponse, out: bytearray, version: int) -> None:
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        out += _pack_ihi(m.throttle_time_ms, m.error_code, m.session_id)
        write_uvarint(out, n)
    else:
        out += _pack_ihiB(m.throttle_time_ms, m.error_code, m.session_id, n)
    for response in responses:
        if version >= 13:
            out += _pack_u(response.topic_id)
        else:
            topic = response.topic
            topic_bytes = topic.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
        partitions = response.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            aborted_transactions = partition.aborted_transactions
            n = 0 if aborted_transactions is None else len(aborted_transactions) + 1
            if n > 127:
                out += _pack_ihqqq(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset)
                write_uvarint(out, n)
            else:
                out += _pack_ihqqqB(partition.partition_index, partition.error_code, partition.high_watermark, partition.last_stable_offset, partition.log_start_offset, n)
            if aborted_transactions is not None:
                for aborted_transaction in aborted_transactions:
                    out += _pack_qqx(aborted_transaction.producer_id, aborted_transaction.first_offset)
            records = partition.records
            if records is None:
                n = 0
            elif isinstance(records, BUFFERS):
                n = len(records) + 1
            else:
                n = records.size_bytes + 1
            if n > 127:
                out += _pack_i(partition.preferred_read_replica)
                write_uvarint(out, n)
            else:
                out += _pack_iB(partition.preferred_read_replica, n)
            if records is not None and n > 1:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            has_diverging_epoch = partition.diverging_epoch is not DEFAULT_EpochEndOffset and partition.diverging_epoch != DEFAULT_EpochEndOffset
            has_current_leader = partition.current_leader is not DEFAULT_LeaderIdAndEpoch and partition.current_leader != DEFAULT_LeaderIdAndEpoch
            has_snapshot_id = partition.snapshot_id is not DEFAULT_SnapshotId and partition.snapshot_id != DEFAULT_SnapshotId
            n = has_diverging_epoch + has_current_leader + has_snapshot_id
            out.append(n)
            if n:
                if has_diverging_epoch:
                    part = bytearray()
                    diverging_epoch = partition.diverging_epoch
                    part += _pack_iqx(diverging_epoch.epoch, diverging_epoch.end_offset)
                    write_uvarint(out, 0)
                    write_uvarint(out, len(part))
                    out += part
                if has_current_leader:
                    part2 = bytearray()
                    current_leader = partition.current_leader
                    part2 += _pack_iix(current_leader.leader_id, current_leader.leader_epoch)
                    write_uvarint(out, 1)
                    write_uvarint(out, len(part2))
                    out += part2
                if has_snapshot_id:
                    part3 = bytearray()
                    snapshot_id = partition.snapshot_id
                    part3 += _pack_qix(snapshot_id.end_offset, snapshot_id.epoch)
                    write_uvarint(out, 2)
                    write_uvarint(out, len(part3))
                    out += part3
        out.append(0)
    if m.node_endpoints:
        if version <= 15:
            raise absent_field_error("node_endpoints")
        out.append(1)
        part4 = bytearray()
        node_endpoints = m.node_endpoints
        n = len(node_endpoints) + 1
        if n > 127:
            write_uvarint(part4, n)
        else:
            part4.append(n)
        for node_endpoint in node_endpoints:
            host = node_endpoint.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                part4 += _pack_i(node_endpoint.node_id)
                write_uvarint(part4, n)
            else:
                part4 += _pack_iB(node_endpoint.node_id, n)
            part4 += host_bytes
            rack = node_endpoint.rack
            rack_bytes = b"" if rack is None else rack.encode()
            n = 0 if rack is None else len(rack_bytes) + 1
            if n > 127:
                part4 += _pack_i(node_endpoint.port)
                write_uvarint(part4, n)
            else:
                part4 += _pack_iB(node_endpoint.port, n)
            part4 += rack_bytes
            part4.append(0)
        write_uvarint(out, 0)
        write_uvarint(out, len(part4))
        out += part4
    else:
        out.append(0)


FetchResponse.WRITERS = dict.fromkeys(range(0, 12), _write_fetch_response_v0_11) | dict.fromkeys(range(12, 19), _write_fetch_response_v12_18)
