"""Records of __remote_log_metadata: the segments in remote storage (KIP-405).

A record has no key.  Its value is framed by three unsigned varints: 1, the record's type, and its version; the type
numbers, and those of the states, are in wirebroker/cli/dump/remote_log_metadata.py.

Generated from protocol_specs/internal/remote_log_metadata by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, default_of
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    count_error,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
)

_unpack_bB = Struct(">bB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_iqbB = Struct(">iqbB").unpack_from
_unpack_qqiqqB = Struct(">qqiqqB").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_uiB = Struct(">16siB").unpack_from
_unpack_uqqiqqB = Struct(">16sqqiqqB").unpack_from


class TopicIdPartitionEntry(Data):
    """The value of `RemoteLogSegmentIdEntry.topic_id_partition`."""

    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


DEFAULT_TopicIdPartitionEntry = default_of(TopicIdPartitionEntry)


class RemoteLogSegmentIdEntry(Data):
    """The value of `RemoteLogSegmentMetadataRecord.remote_log_segment_id`."""

    topic_id_partition: TopicIdPartitionEntry = DEFAULT_TopicIdPartitionEntry
    id: bytes = ZERO_UUID


DEFAULT_RemoteLogSegmentIdEntry = default_of(RemoteLogSegmentIdEntry)


class SegmentLeaderEpochEntry(Data):
    """An element of `RemoteLogSegmentMetadataRecord.segment_leader_epochs`."""

    leader_epoch: int = 0
    offset: int = 0


class RemoteLogSegmentMetadataRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    remote_log_segment_id: RemoteLogSegmentIdEntry = DEFAULT_RemoteLogSegmentIdEntry
    start_offset: int = 0
    end_offset: int = 0
    broker_id: int = 0
    max_timestamp_ms: int = 0
    event_timestamp_ms: int = 0
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    segment_size_in_bytes: int = 0
    custom_metadata: bytes | None = None
    """Custom metadata of the remote storage plugin."""
    remote_log_segment_state: int = 0
    txn_index_empty: bool = False
    """True if the segment has no transaction index (4.0)."""


class UpdatedTopicIdPartition(Data):
    """The value of `UpdatedSegmentId.topic_id_partition`."""

    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


DEFAULT_UpdatedTopicIdPartition = default_of(UpdatedTopicIdPartition)


class UpdatedSegmentId(Data):
    """The value of `RemoteLogSegmentMetadataUpdateRecord.remote_log_segment_id`."""

    topic_id_partition: UpdatedTopicIdPartition = DEFAULT_UpdatedTopicIdPartition
    id: bytes = ZERO_UUID


DEFAULT_UpdatedSegmentId = default_of(UpdatedSegmentId)


class RemoteLogSegmentMetadataUpdateRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    remote_log_segment_id: UpdatedSegmentId = DEFAULT_UpdatedSegmentId
    broker_id: int = 0
    event_timestamp_ms: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0


class DeletedTopicIdPartition(Data):
    """The value of `RemotePartitionDeleteMetadataRecord.topic_id_partition`."""

    name: str = ""
    id: bytes = ZERO_UUID
    partition: int = 0


DEFAULT_DeletedTopicIdPartition = default_of(DeletedTopicIdPartition)


class RemotePartitionDeleteMetadataRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    topic_id_partition: DeletedTopicIdPartition = DEFAULT_DeletedTopicIdPartition
    broker_id: int = 0
    event_timestamp_ms: int = 0
    remote_partition_delete_state: int = 0


class SnapshotLeaderEpochEntry(Data):
    """An element of `RemoteLogSegmentMetadataSnapshotRecord.segment_leader_epochs`."""

    leader_epoch: int = 0
    offset: int = 0


class RemoteLogSegmentMetadataSnapshotRecord(ReadableMessage):
    """A segment in the snapshot of one partition, which is not named again."""

    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    segment_id: bytes = ZERO_UUID
    start_offset: int = 0
    end_offset: int = 0
    broker_id: int = 0
    max_timestamp_ms: int = 0
    event_timestamp_ms: int = 0
    segment_leader_epochs: list[SnapshotLeaderEpochEntry] = []
    segment_size_in_bytes: int = 0
    custom_metadata: bytes | None = None
    remote_log_segment_state: int = 0
    txn_index_empty: bool = False


def _read_remote_log_segment_metadata_record_v0(b: bytes, at: int, version: int) -> tuple[RemoteLogSegmentMetadataRecord, int]:
    size = len(b)
    m = new(RemoteLogSegmentMetadataRecord)
    m.txn_index_empty = False
    remote_log_segment_id = new(RemoteLogSegmentIdEntry)
    topic_id_partition = new(TopicIdPartitionEntry)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    topic_id_partition.name = b[at:end].decode("utf-8", "replace")
    at = end
    topic_id_partition.id, topic_id_partition.partition, tags = _unpack_uiB(b, at)
    at += 21
    if tags:
        at = skip_tagged_fields(b, at, tags)
    remote_log_segment_id.topic_id_partition = topic_id_partition
    remote_log_segment_id.id, tags = _unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tagged_fields(b, at, tags)
    m.remote_log_segment_id = remote_log_segment_id
    m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms, n = _unpack_qqiqqB(b, at)
    at += 37
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 13 > size - at:
        raise count_error("segment_leader_epochs", n)
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    m.segment_leader_epochs = segment_leader_epochs
    for _ in range(n):
        segment_leader_epoch = new(SegmentLeaderEpochEntry)
        segment_leader_epoch.leader_epoch, segment_leader_epoch.offset, tags = _unpack_iqB(b, at)
        at += 13
        if tags:
            at = skip_tagged_fields(b, at, tags)
        segment_leader_epochs.append(segment_leader_epoch)
    m.segment_size_in_bytes, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.custom_metadata = None
    else:
        end = at + n - 1
        m.custom_metadata = b[at:end]
        at = end
    m.remote_log_segment_state, tags = _unpack_bB(b, at)
    at += 2
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.txn_index_empty = _unpack_t(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"RemoteLogSegmentMetadataRecord is {at - size} bytes short")
    return m, at


RemoteLogSegmentMetadataRecord.READERS = dict.fromkeys(range(0, 1), _read_remote_log_segment_metadata_record_v0)


def _read_remote_log_segment_metadata_update_record_v0(b: bytes, at: int, version: int) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
    size = len(b)
    m = new(RemoteLogSegmentMetadataUpdateRecord)
    remote_log_segment_id = new(UpdatedSegmentId)
    topic_id_partition = new(UpdatedTopicIdPartition)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    topic_id_partition.name = b[at:end].decode("utf-8", "replace")
    at = end
    topic_id_partition.id, topic_id_partition.partition, tags = _unpack_uiB(b, at)
    at += 21
    if tags:
        at = skip_tagged_fields(b, at, tags)
    remote_log_segment_id.topic_id_partition = topic_id_partition
    remote_log_segment_id.id, tags = _unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tagged_fields(b, at, tags)
    m.remote_log_segment_id = remote_log_segment_id
    m.broker_id, m.event_timestamp_ms, n = _unpack_iqB(b, at)
    at += 13
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.custom_metadata = None
    else:
        end = at + n - 1
        m.custom_metadata = b[at:end]
        at = end
    m.remote_log_segment_state, tags = _unpack_bB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoteLogSegmentMetadataUpdateRecord is {at - size} bytes short")
    return m, at


RemoteLogSegmentMetadataUpdateRecord.READERS = dict.fromkeys(range(0, 1), _read_remote_log_segment_metadata_update_record_v0)


def _read_remote_partition_delete_metadata_record_v0(b: bytes, at: int, version: int) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
    size = len(b)
    m = new(RemotePartitionDeleteMetadataRecord)
    topic_id_partition = new(DeletedTopicIdPartition)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    topic_id_partition.name = b[at:end].decode("utf-8", "replace")
    at = end
    topic_id_partition.id, topic_id_partition.partition, tags = _unpack_uiB(b, at)
    at += 21
    if tags:
        at = skip_tagged_fields(b, at, tags)
    m.topic_id_partition = topic_id_partition
    m.broker_id, m.event_timestamp_ms, m.remote_partition_delete_state, tags = _unpack_iqbB(b, at)
    at += 14
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemotePartitionDeleteMetadataRecord is {at - size} bytes short")
    return m, at


RemotePartitionDeleteMetadataRecord.READERS = dict.fromkeys(range(0, 1), _read_remote_partition_delete_metadata_record_v0)


def _read_remote_log_segment_metadata_snapshot_record_v0(b: bytes, at: int, version: int) -> tuple[RemoteLogSegmentMetadataSnapshotRecord, int]:
    size = len(b)
    m = new(RemoteLogSegmentMetadataSnapshotRecord)
    m.txn_index_empty = False
    m.segment_id, m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms, n = _unpack_uqqiqqB(b, at)
    at += 53
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 13 > size - at:
        raise count_error("segment_leader_epochs", n)
    segment_leader_epochs: list[SnapshotLeaderEpochEntry] = []
    m.segment_leader_epochs = segment_leader_epochs
    for _ in range(n):
        segment_leader_epoch = new(SnapshotLeaderEpochEntry)
        segment_leader_epoch.leader_epoch, segment_leader_epoch.offset, tags = _unpack_iqB(b, at)
        at += 13
        if tags:
            at = skip_tagged_fields(b, at, tags)
        segment_leader_epochs.append(segment_leader_epoch)
    m.segment_size_in_bytes, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.custom_metadata = None
    else:
        end = at + n - 1
        m.custom_metadata = b[at:end]
        at = end
    m.remote_log_segment_state, tags = _unpack_bB(b, at)
    at += 2
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.txn_index_empty = _unpack_t(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"RemoteLogSegmentMetadataSnapshotRecord is {at - size} bytes short")
    return m, at


RemoteLogSegmentMetadataSnapshotRecord.READERS = dict.fromkeys(range(0, 1), _read_remote_log_segment_metadata_snapshot_record_v0)
