"""AlterShareGroupOffsets: set where an empty share group reads on (KIP-932).

Generated from protocol_specs/91_alter_share_group_offsets by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, ZERO_UUID, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_ih = Struct(">ih").pack
pack_iqx = Struct(">iqx").pack
pack_u = Struct(">16s").pack
unpack_ihB = Struct(">ihB").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class AlterShareGroupOffsetsRequestPartition(Data):
    __slots__ = FIELDS = ("partition_index", "start_offset")

    def __init__(
        self,
        partition_index: int = 0,
        start_offset: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset


class AlterShareGroupOffsetsRequestTopic(Data):
    __slots__ = FIELDS = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[AlterShareGroupOffsetsRequestPartition] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions


class AlterShareGroupOffsetsRequest(Message):
    API_KEY = 91
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: list[AlterShareGroupOffsetsRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics


class AlterShareGroupOffsetsResponsePartition(Data):
    __slots__ = FIELDS = ("partition_index", "error_code", "error_message")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message


class AlterShareGroupOffsetsResponseTopic(Data):
    __slots__ = FIELDS = ("topic_name", "topic_id", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[AlterShareGroupOffsetsResponsePartition] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class AlterShareGroupOffsetsResponse(Message):
    API_KEY = 91
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[AlterShareGroupOffsetsResponseTopic] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = [] if responses is UNSET else responses


def _read_alter_share_group_offsets_request_v0(b: bytes, at: int) -> tuple[AlterShareGroupOffsetsRequest, int]:
    size = len(b)
    m = new(AlterShareGroupOffsetsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[AlterShareGroupOffsetsRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(AlterShareGroupOffsetsRequestTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 13 > size - at:
            raise fault_length("partitions", n)
        partitions: list[AlterShareGroupOffsetsRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(AlterShareGroupOffsetsRequestPartition)
            partition.partition_index, partition.start_offset, tags = unpack_iqB(b, at)
            at += 13
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
        raise ProtocolError(f"AlterShareGroupOffsetsRequest is {at - size} bytes short")
    return m, at


def _write_alter_share_group_offsets_request_v0(m: AlterShareGroupOffsetsRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        topic_name = topic.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_iqx(partition.partition_index, partition.start_offset)
        out.append(0)
    out.append(0)


def _read_alter_share_group_offsets_response_v0(b: bytes, at: int) -> tuple[AlterShareGroupOffsetsResponse, int]:
    size = len(b)
    m = new(AlterShareGroupOffsetsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 19 > size - at:
        raise fault_length("responses", n)
    responses: list[AlterShareGroupOffsetsResponseTopic] = []
    m.responses = responses
    for _ in range(n):
        response = new(AlterShareGroupOffsetsResponseTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        response.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 8 > size - at:
            raise fault_length("partitions", n)
        partitions: list[AlterShareGroupOffsetsResponsePartition] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(AlterShareGroupOffsetsResponsePartition)
            partition.partition_index, partition.error_code, n = unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.error_message = None
            else:
                end = at + n - 1
                partition.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
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
        raise ProtocolError(f"AlterShareGroupOffsetsResponse is {at - size} bytes short")
    return m, at


def _write_alter_share_group_offsets_response_v0(m: AlterShareGroupOffsetsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        topic_name = response.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partitions = response.partitions
        out += pack_u(response.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            error_message2 = partition.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            out += pack_ih(partition.partition_index, partition.error_code)
            n = 0 if error_message2 is None else len(error_message_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes2
            out.append(0)
        out.append(0)
    out.append(0)


AlterShareGroupOffsetsRequest.READERS = {
    0: _read_alter_share_group_offsets_request_v0,
}
AlterShareGroupOffsetsRequest.WRITERS = {
    0: _write_alter_share_group_offsets_request_v0,
}
AlterShareGroupOffsetsResponse.READERS = {
    0: _read_alter_share_group_offsets_response_v0,
}
AlterShareGroupOffsetsResponse.WRITERS = {
    0: _write_alter_share_group_offsets_response_v0,
}
