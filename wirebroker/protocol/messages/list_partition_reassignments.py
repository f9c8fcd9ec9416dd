"""ListPartitionReassignments: partitions that are being moved (KIP-455).

Generated from protocol_specs/46_list_partition_reassignments by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from


class ListPartitionReassignmentsTopics(Data):
    """null: all"""

    __slots__ = FIELDS = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes


class ListPartitionReassignmentsRequest(Message):
    API_KEY = 46
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("timeout_ms", "topics")

    def __init__(
        self,
        timeout_ms: int = 60000,
        topics: list[ListPartitionReassignmentsTopics] | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.topics = topics


class OngoingPartitionReassignment(Data):
    __slots__ = FIELDS = ("partition_index", "replicas", "adding_replicas", "removing_replicas")

    def __init__(
        self,
        partition_index: int = 0,
        replicas: list[int] = UNSET,
        adding_replicas: list[int] = UNSET,
        removing_replicas: list[int] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.replicas = [] if replicas is UNSET else replicas
        self.adding_replicas = [] if adding_replicas is UNSET else adding_replicas
        self.removing_replicas = [] if removing_replicas is UNSET else removing_replicas


class OngoingTopicReassignment(Data):
    """null: all"""

    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[OngoingPartitionReassignment] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class ListPartitionReassignmentsResponse(Message):
    API_KEY = 46
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[OngoingTopicReassignment] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.topics = [] if topics is UNSET else topics


def _read_list_partition_reassignments_request_v0(b: bytes, at: int) -> tuple[ListPartitionReassignmentsRequest, int]:
    size = len(b)
    m = new(ListPartitionReassignmentsRequest)
    m.timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[ListPartitionReassignmentsTopics] = []
        m.topics = topics
        for _ in range(n):
            topic = new(ListPartitionReassignmentsTopics)
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
            if n < 0 or n * 4 > size - at:
                raise fault_length("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
            at = end
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
        raise ProtocolError(f"ListPartitionReassignmentsRequest is {at - size} bytes short")
    return m, at


def _write_list_partition_reassignments_request_v0(m: ListPartitionReassignmentsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.timeout_ms)
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            partition_indexes = topic.partition_indexes
            n = len(partition_indexes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partition_indexes))
            out.append(0)
    out.append(0)


def _read_list_partition_reassignments_response_v0(b: bytes, at: int) -> tuple[ListPartitionReassignmentsResponse, int]:
    size = len(b)
    m = new(ListPartitionReassignmentsResponse)
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
        raise fault_length("topics", n)
    topics: list[OngoingTopicReassignment] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OngoingTopicReassignment)
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
        if n < 0 or n * 8 > size - at:
            raise fault_length("partitions", n)
        partitions: list[OngoingPartitionReassignment] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OngoingPartitionReassignment)
            partition.partition_index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("adding_replicas", n)
            end = at + n * 4
            partition.adding_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("removing_replicas", n)
            end = at + n * 4
            partition.removing_replicas = [each for (each,) in iter_i(b[at:end])]
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
        raise ProtocolError(f"ListPartitionReassignmentsResponse is {at - size} bytes short")
    return m, at


def _write_list_partition_reassignments_response_v0(m: ListPartitionReassignmentsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
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
            replicas = partition.replicas
            out += pack_i(partition.partition_index)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            adding_replicas = partition.adding_replicas
            n = len(adding_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, adding_replicas))
            removing_replicas = partition.removing_replicas
            n = len(removing_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, removing_replicas))
            out.append(0)
        out.append(0)
    out.append(0)


ListPartitionReassignmentsRequest.READERS = {
    0: _read_list_partition_reassignments_request_v0,
}
ListPartitionReassignmentsRequest.WRITERS = {
    0: _write_list_partition_reassignments_request_v0,
}
ListPartitionReassignmentsResponse.READERS = {
    0: _read_list_partition_reassignments_response_v0,
}
ListPartitionReassignmentsResponse.WRITERS = {
    0: _write_list_partition_reassignments_response_v0,
}
