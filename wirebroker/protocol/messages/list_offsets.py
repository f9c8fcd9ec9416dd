"""ListOffsets: offsets by timestamp, or the earliest and latest offset of a log.

v1  one offset with its timestamp in place of a list (KIP-79)
v2  isolation_level, throttle_time_ms (KIP-98, KIP-124)
v3  responds before it throttles (KIP-219)
v4  leader epochs (KIP-320)
v5  may return OFFSET_NOT_AVAILABLE (KIP-207)
v6  flexible
v7  timestamp -3: the record with the largest timestamp (KIP-734)
v8  -4: earliest local offset (KIP-405)
v9  -5: last offset in remote storage (KIP-1005)
v10 timeout_ms (KIP-1075)
v11 -6: earliest not yet uploaded (KIP-1023)

Generated from protocol_specs/02_list_offsets by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    absent_field_error,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_iiq = Struct(">iiq").iter_unpack
_iter_iq = Struct(">iq").iter_unpack
_iter_iqi = Struct(">iqi").iter_unpack
_iter_q = Struct(">q").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ib = Struct(">ib").pack
_pack_ibB = Struct(">ibB").pack
_pack_ibi = Struct(">ibi").pack
_pack_ihi = Struct(">ihi").pack
_pack_ihqq = Struct(">ihqq").pack
_pack_ihqqi = Struct(">ihqqi").pack
_pack_ihqqix = Struct(">ihqqix").pack
_pack_ii = Struct(">ii").pack
_pack_iiq = Struct(">iiq").pack
_pack_iiqx = Struct(">iiqx").pack
_pack_iq = Struct(">iq").pack
_pack_iqi = Struct(">iqi").pack
_pack_ix = Struct(">ix").pack
_pack_list_q = array_packer("q")
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ibB = Struct(">ibB").unpack_from
_unpack_ibi = Struct(">ibi").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from
_unpack_ihqq = Struct(">ihqq").unpack_from
_unpack_ihqqi = Struct(">ihqqi").unpack_from
_unpack_ihqqiB = Struct(">ihqqiB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiqB = Struct(">iiqB").unpack_from


class ListOffsetsPartition(Data):
    """An element of `ListOffsetsTopic.partitions`."""

    partition_index: int = 0
    current_leader_epoch: int = -1  # v4+
    """Leader epoch that the client knows; another one is refused; -1: not checked."""
    timestamp: int = 0
    """In ms; -1 latest, -2 earliest; later versions have more special values."""
    max_num_offsets: int = 1  # v0
    """Maximum number of offsets to return."""


class ListOffsetsTopic(Data):
    """An element of `ListOffsetsRequest.topics`."""

    name: str = ""
    partitions: list[ListOffsetsPartition] = []


class ListOffsetsRequest(ReadableMessage, WritableMessage):
    API_KEY = 2
    VERSIONS = range(0, 12)
    FLEXIBLE_FROM = 6

    replica_id: int = 0
    """Broker id of the follower; -1 for consumers."""
    isolation_level: int = 0  # v2+
    """0 read uncommitted, 1 read committed."""
    topics: list[ListOffsetsTopic] = []
    timeout_ms: int = 0  # v10+
    """How long to wait for an offset from remote storage."""


class ListOffsetsPartitionResponse(Data):
    """An element of `ListOffsetsTopicResponse.partitions`."""

    partition_index: int = 0
    error_code: int = 0
    old_style_offsets: list[int] = []  # v0
    """Base offsets of segments, newest first."""
    timestamp: int = -1  # v1+
    """In ms; -1 latest, -2 earliest; later versions have more special values."""
    offset: int = -1  # v1+
    """-1: there is no such record."""
    leader_epoch: int = -1  # v4+
    """Leader epoch of the offset; -1 unknown."""


class ListOffsetsTopicResponse(Data):
    """An element of `ListOffsetsResponse.topics`."""

    name: str = ""
    partitions: list[ListOffsetsPartitionResponse] = []


class ListOffsetsResponse(ReadableMessage, WritableMessage):
    API_KEY = 2
    VERSIONS = range(0, 12)
    FLEXIBLE_FROM = 6

    throttle_time_ms: int = 0  # v2+
    """Throttle time because of a quota; 0 for none."""
    topics: list[ListOffsetsTopicResponse] = []


def _read_list_offsets_request_v0_5(b: bytes, at: int, version: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.timeout_ms = 0
    if version >= 2:
        m.replica_id, m.isolation_level, n = _unpack_ibi(b, at)
        at += 9
    else:
        m.isolation_level = 0
        m.replica_id, n = _unpack_ii(b, at)
        at += 8
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 12 > size - at:
            raise count_error("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        if version >= 4:
            end = at + n * 16
            for values in _iter_iiq(b[at:end]):
                partition = new(ListOffsetsPartition)
                partition.max_num_offsets = 1
                partition.partition_index, partition.current_leader_epoch, partition.timestamp = values
                partitions.append(partition)
        elif version >= 1:
            end = at + n * 12
            for values in _iter_iq(b[at:end]):
                partition = new(ListOffsetsPartition)
                partition.current_leader_epoch = -1
                partition.max_num_offsets = 1
                partition.partition_index, partition.timestamp = values
                partitions.append(partition)
        else:
            end = at + n * 16
            for values in _iter_iqi(b[at:end]):
                partition = new(ListOffsetsPartition)
                partition.current_leader_epoch = -1
                partition.partition_index, partition.timestamp, partition.max_num_offsets = values
                partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


def _read_list_offsets_request_v6_11(b: bytes, at: int, version: int) -> tuple[ListOffsetsRequest, int]:
    size = len(b)
    m = new(ListOffsetsRequest)
    m.replica_id, m.isolation_level, n = _unpack_ibB(b, at)
    at += 6
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[ListOffsetsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopic)
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
        if n < 0 or n * 17 > size - at:
            raise count_error("partitions", n)
        partitions: list[ListOffsetsPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ListOffsetsPartition)
            partition.max_num_offsets = 1
            partition.partition_index, partition.current_leader_epoch, partition.timestamp, tags = _unpack_iiqB(b, at)
            at += 17
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    if version >= 10:
        m.timeout_ms, tags = _unpack_iB(b, at)
        at += 5
    else:
        m.timeout_ms = 0
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListOffsetsRequest is {at - size} bytes short")
    return m, at


ListOffsetsRequest.READERS = dict.fromkeys(range(0, 6), _read_list_offsets_request_v0_5) | dict.fromkeys(range(6, 12), _read_list_offsets_request_v6_11)


def _write_list_offsets_request_v0_5(m: ListOffsetsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    if version >= 2:
        out += _pack_ibi(m.replica_id, m.isolation_level, len(topics))
    else:
        if m.isolation_level != 0:
            raise absent_field_error("isolation_level")
        out += _pack_ii(m.replica_id, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            if version >= 4:
                if partition.max_num_offsets != 1:
                    raise absent_field_error("max_num_offsets")
                out += _pack_iiq(partition.partition_index, partition.current_leader_epoch, partition.timestamp)
            elif version >= 1:
                if partition.max_num_offsets != 1:
                    raise absent_field_error("max_num_offsets")
                out += _pack_iq(partition.partition_index, partition.timestamp)
            else:
                out += _pack_iqi(partition.partition_index, partition.timestamp, partition.max_num_offsets)


def _write_list_offsets_request_v6_11(m: ListOffsetsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_ib(m.replica_id, m.isolation_level)
        write_uvarint(out, n)
    else:
        out += _pack_ibB(m.replica_id, m.isolation_level, n)
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
            if partition.max_num_offsets != 1:
                raise absent_field_error("max_num_offsets")
            out += _pack_iiqx(partition.partition_index, partition.current_leader_epoch, partition.timestamp)
        out.append(0)
    if version >= 10:
        out += _pack_ix(m.timeout_ms)
    else:
        out.append(0)


ListOffsetsRequest.WRITERS = dict.fromkeys(range(0, 6), _write_list_offsets_request_v0_5) | dict.fromkeys(range(6, 12), _write_list_offsets_request_v6_11)


def _read_list_offsets_response_v0_5(b: bytes, at: int, version: int) -> tuple[ListOffsetsResponse, int]:
    size = len(b)
    m = new(ListOffsetsResponse)
    if version >= 2:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopicResponse)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 10 > size - at:
            raise count_error("partitions", n)
        partitions: list[ListOffsetsPartitionResponse] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ListOffsetsPartitionResponse)
            if version >= 4:
                partition.old_style_offsets = []
                partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch = _unpack_ihqqi(b, at)
                at += 26
            elif version >= 1:
                partition.old_style_offsets = []
                partition.leader_epoch = -1
                partition.partition_index, partition.error_code, partition.timestamp, partition.offset = _unpack_ihqq(b, at)
                at += 22
            else:
                partition.partition_index, partition.error_code, n = _unpack_ihi(b, at)
                at += 10
                if n < 0 or n * 8 > size - at:
                    raise count_error("old_style_offsets", n)
                end = at + n * 8
                partition.old_style_offsets = [each for (each,) in _iter_q(b[at:end])]
                at = end
                partition.timestamp = -1
                partition.offset = -1
                partition.leader_epoch = -1
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"ListOffsetsResponse is {at - size} bytes short")
    return m, at


def _read_list_offsets_response_v6_11(b: bytes, at: int, version: int) -> tuple[ListOffsetsResponse, int]:
    size = len(b)
    m = new(ListOffsetsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[ListOffsetsTopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ListOffsetsTopicResponse)
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
        if n < 0 or n * 27 > size - at:
            raise count_error("partitions", n)
        partitions: list[ListOffsetsPartitionResponse] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ListOffsetsPartitionResponse)
            partition.old_style_offsets = []
            partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch, tags = _unpack_ihqqiB(b, at)
            at += 27
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
        raise ProtocolError(f"ListOffsetsResponse is {at - size} bytes short")
    return m, at


ListOffsetsResponse.READERS = dict.fromkeys(range(0, 6), _read_list_offsets_response_v0_5) | dict.fromkeys(range(6, 12), _read_list_offsets_response_v6_11)


def _write_list_offsets_response_v0_5(m: ListOffsetsResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    if version >= 2:
        out += _pack_ii(m.throttle_time_ms, len(topics))
    else:
        out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            if version >= 4:
                if partition.old_style_offsets:
                    raise absent_field_error("old_style_offsets")
                out += _pack_ihqqi(partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch)
            elif version >= 1:
                if partition.old_style_offsets:
                    raise absent_field_error("old_style_offsets")
                if partition.leader_epoch != -1:
                    raise absent_field_error("leader_epoch")
                out += _pack_ihqq(partition.partition_index, partition.error_code, partition.timestamp, partition.offset)
            else:
                old_style_offsets = partition.old_style_offsets
                out += _pack_ihi(partition.partition_index, partition.error_code, len(old_style_offsets))
                out += _pack_list_q(old_style_offsets)
                if partition.timestamp != -1:
                    raise absent_field_error("timestamp")
                if partition.offset != -1:
                    raise absent_field_error("offset")
                if partition.leader_epoch != -1:
                    raise absent_field_error("leader_epoch")


def _write_list_offsets_response_v6_11(m: ListOffsetsResponse, out: bytearray, version: int) -> None:
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
            if partition.old_style_offsets:
                raise absent_field_error("old_style_offsets")
            out += _pack_ihqqix(partition.partition_index, partition.error_code, partition.timestamp, partition.offset, partition.leader_epoch)
        out.append(0)
    out.append(0)


ListOffsetsResponse.WRITERS = dict.fromkeys(range(0, 6), _write_list_offsets_response_v0_5) | dict.fromkeys(range(6, 12), _write_list_offsets_response_v6_11)
