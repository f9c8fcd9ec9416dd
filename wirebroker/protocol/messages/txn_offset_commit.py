"""TxnOffsetCommit: commit offsets as part of a transaction (KIP-98).

v1  responds before it throttles (KIP-219)
v2  committed_leader_epoch (KIP-320)
v3  flexible; generation and member (KIP-447)
v4  may return TRANSACTION_ABORTABLE (KIP-890)
v5  the broker adds the group to the transaction (KIP-890)

Generated from protocol_specs/28_txn_offset_commit by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iqh = Struct(">iqh").unpack_from
_unpack_iqiB = Struct(">iqiB").unpack_from
_unpack_iqih = Struct(">iqih").unpack_from
_unpack_qhi = Struct(">qhi").unpack_from
_unpack_qhiB = Struct(">qhiB").unpack_from


class TxnOffsetCommitRequestPartition(Data):
    """An element of `TxnOffsetCommitRequestTopic.partitions`."""

    partition_index: int = 0
    committed_offset: int = 0
    committed_leader_epoch: int = -1  # v2+
    """Leader epoch of the last consumed record; -1 unknown."""
    committed_metadata: str | None = ""
    """Metadata that the client stores with the offset."""


class TxnOffsetCommitRequestTopic(Data):
    """An element of `TxnOffsetCommitRequest.topics`."""

    name: str = ""
    partitions: list[TxnOffsetCommitRequestPartition] = []


class TxnOffsetCommitRequest(ReadableMessage):
    API_KEY = 28
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    transactional_id: str = ""
    group_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    generation_id: int = -1  # v3+
    """Generation: incremented with each rebalance; -1 for consumers that are not members."""
    member_id: str = ""  # v3+
    group_instance_id: str | None = None  # v3+
    """group.instance.id of a static member (KIP-345); null for dynamic members."""
    topics: list[TxnOffsetCommitRequestTopic] = []


class TxnOffsetCommitResponsePartition(Data):
    """An element of `TxnOffsetCommitResponseTopic.partitions`."""

    partition_index: int = 0
    error_code: int = 0


class TxnOffsetCommitResponseTopic(Data):
    """An element of `TxnOffsetCommitResponse.topics`."""

    name: str = ""
    partitions: list[TxnOffsetCommitResponsePartition] = []


class TxnOffsetCommitResponse(WritableMessage):
    API_KEY = 28
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    topics: list[TxnOffsetCommitResponseTopic] = []


def _read_txn_offset_commit_request_v0_2(b: bytes, at: int, version: int) -> tuple[TxnOffsetCommitRequest, int]:
    size = len(b)
    m = new(TxnOffsetCommitRequest)
    m.generation_id = -1
    m.member_id = ""
    m.group_instance_id = None
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, n = _unpack_qhi(b, at)
    at += 14
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[TxnOffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TxnOffsetCommitRequestTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise count_error("partitions", n)
        partitions: list[TxnOffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(TxnOffsetCommitRequestPartition)
            if version >= 2:
                partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = _unpack_iqih(b, at)
                at += 18
            else:
                partition.committed_leader_epoch = -1
                partition.partition_index, partition.committed_offset, n = _unpack_iqh(b, at)
                at += 14
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"TxnOffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_txn_offset_commit_request_v3_5(b: bytes, at: int, version: int) -> tuple[TxnOffsetCommitRequest, int]:
    size = len(b)
    m = new(TxnOffsetCommitRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("transactional_id is null")
    end = at + n - 1
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, m.generation_id, n = _unpack_qhiB(b, at)
    at += 15
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[TxnOffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TxnOffsetCommitRequestTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise count_error("partitions", n)
        partitions: list[TxnOffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(TxnOffsetCommitRequestPartition)
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = _unpack_iqiB(b, at)
            at += 17
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                partition.committed_metadata = None
            else:
                end = at + n - 1
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"TxnOffsetCommitRequest is {at - size} bytes short")
    return m, at


TxnOffsetCommitRequest.READERS = dict.fromkeys(range(0, 3), _read_txn_offset_commit_request_v0_2) | dict.fromkeys(range(3, 6), _read_txn_offset_commit_request_v3_5)


def _write_txn_offset_commit_response_v0_2(m: TxnOffsetCommitResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    out += _pack_ii(m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            out += _pack_ih(partition.partition_index, partition.error_code)


def _write_txn_offset_commit_response_v3_5(m: TxnOffsetCommitResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += _pack_ihx(partition.partition_index, partition.error_code)
        out.append(0)
    out.append(0)


TxnOffsetCommitResponse.WRITERS = dict.fromkeys(range(0, 3), _write_txn_offset_commit_response_v0_2) | dict.fromkeys(range(3, 6), _write_txn_offset_commit_response_v3_5)
