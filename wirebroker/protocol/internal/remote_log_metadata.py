"""Records of __remote_log_metadata: what is where in remote storage (KIP-405).

A record has no key.  Its value is framed by three unsigned varints: 1, the record's type, and its version; the type
numbers, and those of the states, are in wirebroker/cli/dump_remote.py.

Generated from protocol_specs/internal/remote_log_metadata by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_length,
    long_uvarint,
    put_uvarint,
    read_uvarint,
    skip_tags,
)

new = object.__new__
pack_b = Struct(">b").pack
pack_bx = Struct(">bx").pack
pack_i = Struct(">i").pack
pack_iqx = Struct(">iqx").pack
pack_t = Struct(">?").pack
pack_uixiqbx = Struct(">16sixiqbx").pack
pack_uixuxiq = Struct(">16six16sxiq").pack
pack_uixuxqqiqq = Struct(">16six16sxqqiqq").pack
pack_uqqiqq = Struct(">16sqqiqq").pack
unpack_bB = Struct(">bB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_iqbB = Struct(">iqbB").unpack_from
unpack_qqiqqB = Struct(">qqiqqB").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_uB = Struct(">16sB").unpack_from
unpack_uiB = Struct(">16siB").unpack_from
unpack_uqqiqqB = Struct(">16sqqiqqB").unpack_from


class TopicIdPartitionEntry(Data):
    __slots__ = FIELDS = ("name", "id", "partition")

    def __init__(
        self,
        name: str = "",
        id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition


DEFAULT_TopicIdPartitionEntry = default_of(TopicIdPartitionEntry)


class RemoteLogSegmentIdEntry(Data):
    __slots__ = FIELDS = ("topic_id_partition", "id")

    def __init__(
        self,
        topic_id_partition: TopicIdPartitionEntry = DEFAULT_TopicIdPartitionEntry,
        id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.id = id


DEFAULT_RemoteLogSegmentIdEntry = default_of(RemoteLogSegmentIdEntry)


class SegmentLeaderEpochEntry(Data):
    __slots__ = FIELDS = ("leader_epoch", "offset")

    def __init__(
        self,
        leader_epoch: int = 0,
        offset: int = 0,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset


class RemoteLogSegmentMetadataRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "remote_log_segment_id",
        "start_offset",
        "end_offset",
        "broker_id",
        "max_timestamp_ms",
        "event_timestamp_ms",
        "segment_leader_epochs",
        "segment_size_in_bytes",
        "custom_metadata",
        "remote_log_segment_state",
        "txn_index_empty",
    )

    def __init__(
        self,
        remote_log_segment_id: RemoteLogSegmentIdEntry = DEFAULT_RemoteLogSegmentIdEntry,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[SegmentLeaderEpochEntry] = UNSET,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
    ) -> None:
        self.remote_log_segment_id = remote_log_segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = [] if segment_leader_epochs is UNSET else segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty


class UpdatedTopicIdPartition(Data):
    __slots__ = FIELDS = ("name", "id", "partition")

    def __init__(
        self,
        name: str = "",
        id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition


DEFAULT_UpdatedTopicIdPartition = default_of(UpdatedTopicIdPartition)


class UpdatedSegmentId(Data):
    __slots__ = FIELDS = ("topic_id_partition", "id")

    def __init__(
        self,
        topic_id_partition: UpdatedTopicIdPartition = DEFAULT_UpdatedTopicIdPartition,
        id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.id = id


DEFAULT_UpdatedSegmentId = default_of(UpdatedSegmentId)


class RemoteLogSegmentMetadataUpdateRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "remote_log_segment_id",
        "broker_id",
        "event_timestamp_ms",
        "custom_metadata",
        "remote_log_segment_state",
    )

    def __init__(
        self,
        remote_log_segment_id: UpdatedSegmentId = DEFAULT_UpdatedSegmentId,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
    ) -> None:
        self.remote_log_segment_id = remote_log_segment_id
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state


class DeletedTopicIdPartition(Data):
    __slots__ = FIELDS = ("name", "id", "partition")

    def __init__(
        self,
        name: str = "",
        id: bytes = ZERO_UUID,
        partition: int = 0,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition


DEFAULT_DeletedTopicIdPartition = default_of(DeletedTopicIdPartition)


class RemotePartitionDeleteMetadataRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topic_id_partition", "broker_id", "event_timestamp_ms", "remote_partition_delete_state")

    def __init__(
        self,
        topic_id_partition: DeletedTopicIdPartition = DEFAULT_DeletedTopicIdPartition,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        remote_partition_delete_state: int = 0,
    ) -> None:
        self.topic_id_partition = topic_id_partition
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.remote_partition_delete_state = remote_partition_delete_state


class SnapshotLeaderEpochEntry(Data):
    __slots__ = FIELDS = ("leader_epoch", "offset")

    def __init__(
        self,
        leader_epoch: int = 0,
        offset: int = 0,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset


class RemoteLogSegmentMetadataSnapshotRecord(Message):
    """in snapshots of one partition, which need not say which"""

    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "segment_id",
        "start_offset",
        "end_offset",
        "broker_id",
        "max_timestamp_ms",
        "event_timestamp_ms",
        "segment_leader_epochs",
        "segment_size_in_bytes",
        "custom_metadata",
        "remote_log_segment_state",
        "txn_index_empty",
    )

    def __init__(
        self,
        segment_id: bytes = ZERO_UUID,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[SnapshotLeaderEpochEntry] = UNSET,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
    ) -> None:
        self.segment_id = segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = [] if segment_leader_epochs is UNSET else segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty


def _read_remote_log_segment_metadata_record_v0(b: bytes, at: int) -> tuple[RemoteLogSegmentMetadataRecord, int]:
    size = len(b)
    m = new(RemoteLogSegmentMetadataRecord)
    m.txn_index_empty = False
    remote_log_segment_id = new(RemoteLogSegmentIdEntry)
    topic_id_partition = new(TopicIdPartitionEntry)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    topic_id_partition.name = b[at:end].decode("utf-8", "replace")
    at = end
    topic_id_partition.id, topic_id_partition.partition, tags = unpack_uiB(b, at)
    at += 21
    if tags:
        at = skip_tags(b, at, tags)
    remote_log_segment_id.topic_id_partition = topic_id_partition
    remote_log_segment_id.id, tags = unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    m.remote_log_segment_id = remote_log_segment_id
    m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms, n = unpack_qqiqqB(b, at)
    at += 37
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 13 > size - at:
        raise fault_length("segment_leader_epochs", n)
    segment_leader_epochs: list[SegmentLeaderEpochEntry] = []
    m.segment_leader_epochs = segment_leader_epochs
    for _ in range(n):
        segment_leader_epoch = new(SegmentLeaderEpochEntry)
        segment_leader_epoch.leader_epoch, segment_leader_epoch.offset, tags = unpack_iqB(b, at)
        at += 13
        if tags:
            at = skip_tags(b, at, tags)
        segment_leader_epochs.append(segment_leader_epoch)
    m.segment_size_in_bytes, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.custom_metadata = None
    else:
        end = at + n - 1
        m.custom_metadata = b[at:end]
        at = end
    m.remote_log_segment_state, tags = unpack_bB(b, at)
    at += 2
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.txn_index_empty = unpack_t(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"RemoteLogSegmentMetadataRecord is {at - size} bytes short")
    return m, at


def _write_remote_log_segment_metadata_record_v0(m: RemoteLogSegmentMetadataRecord, out: bytearray) -> None:
    remote_log_segment_id = m.remote_log_segment_id
    topic_id_partition = remote_log_segment_id.topic_id_partition
    name = topic_id_partition.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    segment_leader_epochs = m.segment_leader_epochs
    out += pack_uixuxqqiqq(topic_id_partition.id, topic_id_partition.partition, remote_log_segment_id.id, m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms)
    n = len(segment_leader_epochs) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for segment_leader_epoch in segment_leader_epochs:
        out += pack_iqx(segment_leader_epoch.leader_epoch, segment_leader_epoch.offset)
    custom_metadata = m.custom_metadata
    out += pack_i(m.segment_size_in_bytes)
    n = 0 if custom_metadata is None else len(custom_metadata) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if custom_metadata is not None:
        out += custom_metadata
    out += pack_b(m.remote_log_segment_state)
    has_txn_index_empty = m.txn_index_empty
    out.append(has_txn_index_empty)
    if has_txn_index_empty:
        part = bytearray()
        part += pack_t(m.txn_index_empty)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_remote_log_segment_metadata_update_record_v0(b: bytes, at: int) -> tuple[RemoteLogSegmentMetadataUpdateRecord, int]:
    size = len(b)
    m = new(RemoteLogSegmentMetadataUpdateRecord)
    remote_log_segment_id = new(UpdatedSegmentId)
    topic_id_partition = new(UpdatedTopicIdPartition)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    topic_id_partition.name = b[at:end].decode("utf-8", "replace")
    at = end
    topic_id_partition.id, topic_id_partition.partition, tags = unpack_uiB(b, at)
    at += 21
    if tags:
        at = skip_tags(b, at, tags)
    remote_log_segment_id.topic_id_partition = topic_id_partition
    remote_log_segment_id.id, tags = unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    m.remote_log_segment_id = remote_log_segment_id
    m.broker_id, m.event_timestamp_ms, n = unpack_iqB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.custom_metadata = None
    else:
        end = at + n - 1
        m.custom_metadata = b[at:end]
        at = end
    m.remote_log_segment_state, tags = unpack_bB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoteLogSegmentMetadataUpdateRecord is {at - size} bytes short")
    return m, at


def _write_remote_log_segment_metadata_update_record_v0(m: RemoteLogSegmentMetadataUpdateRecord, out: bytearray) -> None:
    remote_log_segment_id = m.remote_log_segment_id
    topic_id_partition = remote_log_segment_id.topic_id_partition
    name = topic_id_partition.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    custom_metadata = m.custom_metadata
    out += pack_uixuxiq(topic_id_partition.id, topic_id_partition.partition, remote_log_segment_id.id, m.broker_id, m.event_timestamp_ms)
    n = 0 if custom_metadata is None else len(custom_metadata) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if custom_metadata is not None:
        out += custom_metadata
    out += pack_bx(m.remote_log_segment_state)


def _read_remote_partition_delete_metadata_record_v0(b: bytes, at: int) -> tuple[RemotePartitionDeleteMetadataRecord, int]:
    size = len(b)
    m = new(RemotePartitionDeleteMetadataRecord)
    topic_id_partition = new(DeletedTopicIdPartition)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    topic_id_partition.name = b[at:end].decode("utf-8", "replace")
    at = end
    topic_id_partition.id, topic_id_partition.partition, tags = unpack_uiB(b, at)
    at += 21
    if tags:
        at = skip_tags(b, at, tags)
    m.topic_id_partition = topic_id_partition
    m.broker_id, m.event_timestamp_ms, m.remote_partition_delete_state, tags = unpack_iqbB(b, at)
    at += 14
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemotePartitionDeleteMetadataRecord is {at - size} bytes short")
    return m, at


def _write_remote_partition_delete_metadata_record_v0(m: RemotePartitionDeleteMetadataRecord, out: bytearray) -> None:
    topic_id_partition = m.topic_id_partition
    name = topic_id_partition.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    out += pack_uixiqbx(topic_id_partition.id, topic_id_partition.partition, m.broker_id, m.event_timestamp_ms, m.remote_partition_delete_state)


def _read_remote_log_segment_metadata_snapshot_record_v0(b: bytes, at: int) -> tuple[RemoteLogSegmentMetadataSnapshotRecord, int]:
    size = len(b)
    m = new(RemoteLogSegmentMetadataSnapshotRecord)
    m.txn_index_empty = False
    m.segment_id, m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms, n = unpack_uqqiqqB(b, at)
    at += 53
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 13 > size - at:
        raise fault_length("segment_leader_epochs", n)
    segment_leader_epochs: list[SnapshotLeaderEpochEntry] = []
    m.segment_leader_epochs = segment_leader_epochs
    for _ in range(n):
        segment_leader_epoch = new(SnapshotLeaderEpochEntry)
        segment_leader_epoch.leader_epoch, segment_leader_epoch.offset, tags = unpack_iqB(b, at)
        at += 13
        if tags:
            at = skip_tags(b, at, tags)
        segment_leader_epochs.append(segment_leader_epoch)
    m.segment_size_in_bytes, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.custom_metadata = None
    else:
        end = at + n - 1
        m.custom_metadata = b[at:end]
        at = end
    m.remote_log_segment_state, tags = unpack_bB(b, at)
    at += 2
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.txn_index_empty = unpack_t(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"RemoteLogSegmentMetadataSnapshotRecord is {at - size} bytes short")
    return m, at


def _write_remote_log_segment_metadata_snapshot_record_v0(m: RemoteLogSegmentMetadataSnapshotRecord, out: bytearray) -> None:
    segment_leader_epochs = m.segment_leader_epochs
    out += pack_uqqiqq(m.segment_id, m.start_offset, m.end_offset, m.broker_id, m.max_timestamp_ms, m.event_timestamp_ms)
    n = len(segment_leader_epochs) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for segment_leader_epoch in segment_leader_epochs:
        out += pack_iqx(segment_leader_epoch.leader_epoch, segment_leader_epoch.offset)
    custom_metadata = m.custom_metadata
    out += pack_i(m.segment_size_in_bytes)
    n = 0 if custom_metadata is None else len(custom_metadata) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if custom_metadata is not None:
        out += custom_metadata
    out += pack_b(m.remote_log_segment_state)
    has_txn_index_empty = m.txn_index_empty
    out.append(has_txn_index_empty)
    if has_txn_index_empty:
        part = bytearray()
        part += pack_t(m.txn_index_empty)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


RemoteLogSegmentMetadataRecord.READERS = {
    0: _read_remote_log_segment_metadata_record_v0,
}
RemoteLogSegmentMetadataRecord.WRITERS = {
    0: _write_remote_log_segment_metadata_record_v0,
}
RemoteLogSegmentMetadataUpdateRecord.READERS = {
    0: _read_remote_log_segment_metadata_update_record_v0,
}
RemoteLogSegmentMetadataUpdateRecord.WRITERS = {
    0: _write_remote_log_segment_metadata_update_record_v0,
}
RemotePartitionDeleteMetadataRecord.READERS = {
    0: _read_remote_partition_delete_metadata_record_v0,
}
RemotePartitionDeleteMetadataRecord.WRITERS = {
    0: _write_remote_partition_delete_metadata_record_v0,
}
RemoteLogSegmentMetadataSnapshotRecord.READERS = {
    0: _read_remote_log_segment_metadata_snapshot_record_v0,
}
RemoteLogSegmentMetadataSnapshotRecord.WRITERS = {
    0: _write_remote_log_segment_metadata_snapshot_record_v0,
}
