"""ListPartitionReassignments: the reassignments that are in progress (KIP-455).

Generated from protocol_specs/46_list_partition_reassignments by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_list_i = array_packer("i")
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class ListPartitionReassignmentsTopics(Data):
    """An element of `ListPartitionReassignmentsRequest.topics`."""

    name: str = ""
    partition_indexes: list[int] = []


class ListPartitionReassignmentsRequest(ReadableMessage, WritableMessage):
    API_KEY = 46
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    timeout_ms: int = 60000
    """How long to wait for the operation to complete."""
    topics: list[ListPartitionReassignmentsTopics] | None = None
    """Null: all."""


class OngoingPartitionReassignment(Data):
    """An element of `OngoingTopicReassignment.partitions`."""

    partition_index: int = 0
    replicas: list[int] = []
    adding_replicas: list[int] = []
    removing_replicas: list[int] = []


class OngoingTopicReassignment(Data):
    """An element of `ListPartitionReassignmentsResponse.topics`."""

    name: str = ""
    partitions: list[OngoingPartitionReassignment] = []


class ListPartitionReassignmentsResponse(ReadableMessage, WritableMessage):
    API_KEY = 46
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = ""
    topics: list[OngoingTopicReassignment] = []
    """Null: all."""


def _read_list_partition_reassignments_request_v0(b: bytes, at: int, version: int) -> tuple[ListPartitionReassignmentsRequest, int]:
    size = len(b)
    m = new(ListPartitionReassignmentsRequest)
    m.timeout_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[ListPartitionReassignmentsTopics] = []
        m.topics = topics
        for _ in range(n):
            topic = new(ListPartitionReassignmentsTopics)
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
            if n < 0 or n * 4 > size - at:
                raise count_error("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in _iter_i(b[at:end])]
            at = end
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
        raise ProtocolError(f"ListPartitionReassignmentsRequest is {at - size} bytes short")
    return m, at


ListPartitionReassignmentsRequest.READERS = dict.fromkeys(range(0, 1), _read_list_partition_reassignments_request_v0)


def _write_list_partition_reassignments_request_v0(m: ListPartitionReassignmentsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        out += _pack_i(m.timeout_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.timeout_ms, n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            partition_indexes = topic.partition_indexes
            n = len(partition_indexes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(partition_indexes)
            out.append(0)
    out.append(0)


ListPartitionReassignmentsRequest.WRITERS = dict.fromkeys(range(0, 1), _write_list_partition_reassignments_request_v0)


def _read_list_partition_reassignments_response_v0(b: bytes, at: int, version: int) -> tuple[ListPartitionReassignmentsResponse, int]:
    size = len(b)
    m = new(ListPartitionReassignmentsResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[OngoingTopicReassignment] = []
    m.topics = topics
    for _ in range(n):
        topic = new(OngoingTopicReassignment)
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
        if n < 0 or n * 8 > size - at:
            raise count_error("partitions", n)
        partitions: list[OngoingPartitionReassignment] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(OngoingPartitionReassignment)
            partition.partition_index, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("replicas", n)
            end = at + n * 4
            partition.replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("adding_replicas", n)
            end = at + n * 4
            partition.adding_replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("removing_replicas", n)
            end = at + n * 4
            partition.removing_replicas = [each for (each,) in _iter_i(b[at:end])]
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
        raise ProtocolError(f"ListPartitionReassignmentsResponse is {at - size} bytes short")
    return m, at


ListPartitionReassignmentsResponse.READERS = dict.fromkeys(range(0, 1), _read_list_partition_reassignments_response_v0)


def _write_list_partition_reassignments_response_v0(m: ListPartitionReassignmentsResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    out += error_message_bytes
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
            replicas = partition.replicas
            n = len(replicas) + 1
            if n > 127:
                out += _pack_i(partition.partition_index)
                write_uvarint(out, n)
            else:
                out += _pack_iB(partition.partition_index, n)
            out += _pack_list_i(replicas)
            adding_replicas = partition.adding_replicas
            n = len(adding_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(adding_replicas)
            removing_replicas = partition.removing_replicas
            n = len(removing_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(removing_replicas)
            out.append(0)
        out.append(0)
    out.append(0)


ListPartitionReassignmentsResponse.WRITERS = dict.fromkeys(range(0, 1), _write_list_partition_reassignments_response_v0)
