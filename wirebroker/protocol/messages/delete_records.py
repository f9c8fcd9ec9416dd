"""DeleteRecords: delete the records below an offset (KIP-107).

v1  responds before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/21_delete_records by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_iter_iq = Struct(">iq").iter_unpack
_iter_iqh = Struct(">iqh").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iq = Struct(">iq").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqhx = Struct(">iqhx").pack
_pack_iqx = Struct(">iqx").pack
_pack_ix = Struct(">ix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_iqhB = Struct(">iqhB").unpack_from


class DeleteRecordsPartition(Data):
    """An element of `DeleteRecordsTopic.partitions`."""

    partition_index: int = 0
    offset: int = 0
    """Delete the records below this offset; -1: up to the high watermark."""


class DeleteRecordsTopic(Data):
    """An element of `DeleteRecordsRequest.topics`."""

    name: str = ""
    partitions: list[DeleteRecordsPartition] = []


class DeleteRecordsRequest(ReadableMessage, WritableMessage):
    API_KEY = 21
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    topics: list[DeleteRecordsTopic] = []
    timeout_ms: int = 0
    """How long to wait for the operation to complete."""


class DeleteRecordsPartitionResult(Data):
    """An element of `DeleteRecordsTopicResult.partitions`."""

    partition_index: int = 0
    low_watermark: int = 0
    """Low watermark: the smallest log start offset of the replicas; -1 after an error."""
    error_code: int = 0


class DeleteRecordsTopicResult(Data):
    """An element of `DeleteRecordsResponse.topics`."""

    name: str = ""
    partitions: list[DeleteRecordsPartitionResult] = []


class DeleteRecordsResponse(ReadableMessage, WritableMessage):
    API_KEY = 21
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    topics: list[DeleteRecordsTopicResult] = []


def _read_delete_records_request_v0_1(b: bytes, at: int, version: int) -> tuple[DeleteRecordsRequest, int]:
    size = len(b)
    m = new(DeleteRecordsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[DeleteRecordsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopic)
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
        partitions: list[DeleteRecordsPartition] = []
        topic.partitions = partitions
        end = at + n * 12
        for values in _iter_iq(b[at:end]):
            partition = new(DeleteRecordsPartition)
            partition.partition_index, partition.offset = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    m.timeout_ms = _unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"DeleteRecordsRequest is {at - size} bytes short")
    return m, at


def _read_delete_records_request_v2(b: bytes, at: int, version: int) -> tuple[DeleteRecordsRequest, int]:
    size = len(b)
    m = new(DeleteRecordsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[DeleteRecordsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopic)
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
        if n < 0 or n * 13 > size - at:
            raise count_error("partitions", n)
        partitions: list[DeleteRecordsPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(DeleteRecordsPartition)
            partition.partition_index, partition.offset, tags = _unpack_iqB(b, at)
            at += 13
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    m.timeout_ms, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteRecordsRequest is {at - size} bytes short")
    return m, at


DeleteRecordsRequest.READERS = dict.fromkeys(range(0, 2), _read_delete_records_request_v0_1) | dict.fromkeys(range(2, 3), _read_delete_records_request_v2)


def _write_delete_records_request_v0_1(m: DeleteRecordsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            out += _pack_iq(partition.partition_index, partition.offset)
    out += _pack_i(m.timeout_ms)


def _write_delete_records_request_v2(m: DeleteRecordsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
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
            out += _pack_iqx(partition.partition_index, partition.offset)
        out.append(0)
    out += _pack_ix(m.timeout_ms)


DeleteRecordsRequest.WRITERS = dict.fromkeys(range(0, 2), _write_delete_records_request_v0_1) | dict.fromkeys(range(2, 3), _write_delete_records_request_v2)


def _read_delete_records_response_v0_1(b: bytes, at: int, version: int) -> tuple[DeleteRecordsResponse, int]:
    size = len(b)
    m = new(DeleteRecordsResponse)
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise count_error("topics", n)
    topics: list[DeleteRecordsTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopicResult)
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
        partitions: list[DeleteRecordsPartitionResult] = []
        topic.partitions = partitions
        end = at + n * 14
        for values in _iter_iqh(b[at:end]):
            partition = new(DeleteRecordsPartitionResult)
            partition.partition_index, partition.low_watermark, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"DeleteRecordsResponse is {at - size} bytes short")
    return m, at


def _read_delete_records_response_v2(b: bytes, at: int, version: int) -> tuple[DeleteRecordsResponse, int]:
    size = len(b)
    m = new(DeleteRecordsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[DeleteRecordsTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopicResult)
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
        if n < 0 or n * 15 > size - at:
            raise count_error("partitions", n)
        partitions: list[DeleteRecordsPartitionResult] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(DeleteRecordsPartitionResult)
            partition.partition_index, partition.low_watermark, partition.error_code, tags = _unpack_iqhB(b, at)
            at += 15
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
        raise ProtocolError(f"DeleteRecordsResponse is {at - size} bytes short")
    return m, at


DeleteRecordsResponse.READERS = dict.fromkeys(range(0, 2), _read_delete_records_response_v0_1) | dict.fromkeys(range(2, 3), _read_delete_records_response_v2)


def _write_delete_records_response_v0_1(m: DeleteRecordsResponse, out: bytearray, version: int) -> None:
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
            out += _pack_iqh(partition.partition_index, partition.low_watermark, partition.error_code)


def _write_delete_records_response_v2(m: DeleteRecordsResponse, out: bytearray, version: int) -> None:
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
            out += _pack_iqhx(partition.partition_index, partition.low_watermark, partition.error_code)
        out.append(0)
    out.append(0)


DeleteRecordsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_delete_records_response_v0_1) | dict.fromkeys(range(2, 3), _write_delete_records_response_v2)
