"""AlterPartitionReassignments: move partitions to other brokers, or stop doing so (KIP-455).

v1  allow_replication_factor_change (KIP-860)

Generated from protocol_specs/45_alter_partition_reassignments by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_it = Struct(">i?").pack
pack_ith = Struct(">i?h").pack
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_itB = Struct(">i?B").unpack_from
unpack_ithB = Struct(">i?hB").unpack_from


class ReassignablePartition(Data):
    __slots__ = FIELDS = ("partition_index", "replicas")

    def __init__(
        self,
        partition_index: int = 0,
        replicas: list[int] | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.replicas = replicas


class ReassignableTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[ReassignablePartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class AlterPartitionReassignmentsRequest(Message):
    API_KEY = 45
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("timeout_ms", "allow_replication_factor_change", "topics")

    def __init__(
        self,
        timeout_ms: int = 60000,
        allow_replication_factor_change: bool = True,
        topics: list[ReassignableTopic] = UNSET,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.topics = [] if topics is UNSET else topics


class ReassignablePartitionResponse(Data):
    __slots__ = FIELDS = ("partition_index", "error_code", "error_message")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message


class ReassignableTopicResponse(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[ReassignablePartitionResponse] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class AlterPartitionReassignmentsResponse(Message):
    API_KEY = 45
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "throttle_time_ms",
        "allow_replication_factor_change",
        "error_code",
        "error_message",
        "responses",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        allow_replication_factor_change: bool = True,
        error_code: int = 0,
        error_message: str | None = "",
        responses: list[ReassignableTopicResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.error_code = error_code
        self.error_message = error_message
        self.responses = [] if responses is UNSET else responses


def _read_alter_partition_reassignments_request_v0(b: bytes, at: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
    size = len(b)
    m = new(AlterPartitionReassignmentsRequest)
    m.allow_replication_factor_change = True
    m.timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[ReassignableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ReassignableTopic)
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
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ReassignablePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ReassignablePartition)
            partition.partition_index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.replicas = None
            else:
                if n * 4 > size - at:
                    raise fault_length("replicas", n)
                end = at + n * 4
                partition.replicas = [each for (each,) in iter_i(b[at:end])]
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
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterPartitionReassignmentsRequest is {at - size} bytes short")
    return m, at


def _read_alter_partition_reassignments_request_v1(b: bytes, at: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
    size = len(b)
    m = new(AlterPartitionReassignmentsRequest)
    m.timeout_ms, m.allow_replication_factor_change, n = unpack_itB(b, at)
    at += 6
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[ReassignableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ReassignableTopic)
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
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ReassignablePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ReassignablePartition)
            partition.partition_index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.replicas = None
            else:
                if n * 4 > size - at:
                    raise fault_length("replicas", n)
                end = at + n * 4
                partition.replicas = [each for (each,) in iter_i(b[at:end])]
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
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterPartitionReassignmentsRequest is {at - size} bytes short")
    return m, at


def _write_alter_partition_reassignments_request_v0(m: AlterPartitionReassignmentsRequest, out: bytearray) -> None:
    if not m.allow_replication_factor_change:
        raise fault_absent("allow_replication_factor_change")
    topics = m.topics
    out += pack_i(m.timeout_ms)
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
            replicas = partition.replicas
            out += pack_i(partition.partition_index)
            n = 0 if replicas is None else len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            if replicas is not None:
                out += b"".join(map(pack_i, replicas))
            out.append(0)
        out.append(0)
    out.append(0)


def _write_alter_partition_reassignments_request_v1(m: AlterPartitionReassignmentsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_it(m.timeout_ms, m.allow_replication_factor_change)
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
            replicas = partition.replicas
            out += pack_i(partition.partition_index)
            n = 0 if replicas is None else len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            if replicas is not None:
                out += b"".join(map(pack_i, replicas))
            out.append(0)
        out.append(0)
    out.append(0)


def _read_alter_partition_reassignments_response_v0(b: bytes, at: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    size = len(b)
    m = new(AlterPartitionReassignmentsResponse)
    m.allow_replication_factor_change = True
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
    if n < 0 or n * 3 > size - at:
        raise fault_length("responses", n)
    responses: list[ReassignableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(ReassignableTopicResponse)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 8 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ReassignablePartitionResponse] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(ReassignablePartitionResponse)
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
        raise ProtocolError(f"AlterPartitionReassignmentsResponse is {at - size} bytes short")
    return m, at


def _read_alter_partition_reassignments_response_v1(b: bytes, at: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    size = len(b)
    m = new(AlterPartitionReassignmentsResponse)
    m.throttle_time_ms, m.allow_replication_factor_change, m.error_code, n = unpack_ithB(b, at)
    at += 8
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
    if n < 0 or n * 3 > size - at:
        raise fault_length("responses", n)
    responses: list[ReassignableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(ReassignableTopicResponse)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 8 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ReassignablePartitionResponse] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(ReassignablePartitionResponse)
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
        raise ProtocolError(f"AlterPartitionReassignmentsResponse is {at - size} bytes short")
    return m, at


def _write_alter_partition_reassignments_response_v0(m: AlterPartitionReassignmentsResponse, out: bytearray) -> None:
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
        name = response.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = response.partitions
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


def _write_alter_partition_reassignments_response_v1(m: AlterPartitionReassignmentsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ith(m.throttle_time_ms, m.allow_replication_factor_change, m.error_code)
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
        name = response.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = response.partitions
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


AlterPartitionReassignmentsRequest.READERS = {
    0: _read_alter_partition_reassignments_request_v0,
    1: _read_alter_partition_reassignments_request_v1,
}
AlterPartitionReassignmentsRequest.WRITERS = {
    0: _write_alter_partition_reassignments_request_v0,
    1: _write_alter_partition_reassignments_request_v1,
}
AlterPartitionReassignmentsResponse.READERS = {
    0: _read_alter_partition_reassignments_response_v0,
    1: _read_alter_partition_reassignments_response_v1,
}
AlterPartitionReassignmentsResponse.WRITERS = {
    0: _write_alter_partition_reassignments_response_v0,
    1: _write_alter_partition_reassignments_response_v1,
}
