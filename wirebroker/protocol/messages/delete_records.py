"""DeleteRecords: give up the records below an offset (KIP-107).

v1  answers before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/21_delete_records by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_iq = Struct(">iq").iter_unpack
iter_iqh = Struct(">iqh").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_iq = Struct(">iq").pack
pack_iqh = Struct(">iqh").pack
pack_iqhx = Struct(">iqhx").pack
pack_iqx = Struct(">iqx").pack
pack_ix = Struct(">ix").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_iqhB = Struct(">iqhB").unpack_from


class DeleteRecordsPartition(Data):
    __slots__ = FIELDS = ("partition_index", "offset")

    def __init__(
        self,
        partition_index: int = 0,
        offset: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.offset = offset


class DeleteRecordsTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[DeleteRecordsPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class DeleteRecordsRequest(Message):
    API_KEY = 21
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("topics", "timeout_ms")

    def __init__(
        self,
        topics: list[DeleteRecordsTopic] = UNSET,
        timeout_ms: int = 0,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms


class DeleteRecordsPartitionResult(Data):
    __slots__ = FIELDS = ("partition_index", "low_watermark", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        low_watermark: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.low_watermark = low_watermark
        self.error_code = error_code


class DeleteRecordsTopicResult(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[DeleteRecordsPartitionResult] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class DeleteRecordsResponse(Message):
    API_KEY = 21
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[DeleteRecordsTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_delete_records_request_v0_1(b: bytes, at: int) -> tuple[DeleteRecordsRequest, int]:
    size = len(b)
    m = new(DeleteRecordsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[DeleteRecordsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 12 > size - at:
            raise fault_length("partitions", n)
        partitions: list[DeleteRecordsPartition] = []
        topic.partitions = partitions
        end = at + n * 12
        for values in iter_iq(b[at:end]):
            partition = new(DeleteRecordsPartition)
            partition.partition_index, partition.offset = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    m.timeout_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"DeleteRecordsRequest is {at - size} bytes short")
    return m, at


def _read_delete_records_request_v2(b: bytes, at: int) -> tuple[DeleteRecordsRequest, int]:
    size = len(b)
    m = new(DeleteRecordsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[DeleteRecordsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 13 > size - at:
            raise fault_length("partitions", n)
        partitions: list[DeleteRecordsPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(DeleteRecordsPartition)
            partition.partition_index, partition.offset, tags = unpack_iqB(b, at)
            at += 13
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.timeout_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteRecordsRequest is {at - size} bytes short")
    return m, at


def _write_delete_records_request_v0_1(m: DeleteRecordsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_iq(partition.partition_index, partition.offset)
    out += pack_i(m.timeout_ms)


def _write_delete_records_request_v2(m: DeleteRecordsRequest, out: bytearray) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iqx(partition.partition_index, partition.offset)
        out.append(0)
    out += pack_ix(m.timeout_ms)


def _read_delete_records_response_v0_1(b: bytes, at: int) -> tuple[DeleteRecordsResponse, int]:
    size = len(b)
    m = new(DeleteRecordsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[DeleteRecordsTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopicResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partitions", n)
        partitions: list[DeleteRecordsPartitionResult] = []
        topic.partitions = partitions
        end = at + n * 14
        for values in iter_iqh(b[at:end]):
            partition = new(DeleteRecordsPartitionResult)
            partition.partition_index, partition.low_watermark, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"DeleteRecordsResponse is {at - size} bytes short")
    return m, at


def _read_delete_records_response_v2(b: bytes, at: int) -> tuple[DeleteRecordsResponse, int]:
    size = len(b)
    m = new(DeleteRecordsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[DeleteRecordsTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteRecordsTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 15 > size - at:
            raise fault_length("partitions", n)
        partitions: list[DeleteRecordsPartitionResult] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(DeleteRecordsPartitionResult)
            partition.partition_index, partition.low_watermark, partition.error_code, tags = unpack_iqhB(b, at)
            at += 15
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteRecordsResponse is {at - size} bytes short")
    return m, at


def _write_delete_records_response_v0_1(m: DeleteRecordsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ii(m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_iqh(partition.partition_index, partition.low_watermark, partition.error_code)


def _write_delete_records_response_v2(m: DeleteRecordsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.throttle_time_ms)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iqhx(partition.partition_index, partition.low_watermark, partition.error_code)
        out.append(0)
    out.append(0)


DeleteRecordsRequest.READERS = {
    0: _read_delete_records_request_v0_1,
    1: _read_delete_records_request_v0_1,
    2: _read_delete_records_request_v2,
}
DeleteRecordsRequest.WRITERS = {
    0: _write_delete_records_request_v0_1,
    1: _write_delete_records_request_v0_1,
    2: _write_delete_records_request_v2,
}
DeleteRecordsResponse.READERS = {
    0: _read_delete_records_response_v0_1,
    1: _read_delete_records_response_v0_1,
    2: _read_delete_records_response_v2,
}
DeleteRecordsResponse.WRITERS = {
    0: _write_delete_records_response_v0_1,
    1: _write_delete_records_response_v0_1,
    2: _write_delete_records_response_v2,
}
