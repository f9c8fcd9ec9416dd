"""AlterPartitionReassignments: reassign partitions to other brokers, or cancel reassignments (KIP-455).

v1  allow_replication_factor_change (KIP-860)

Generated from protocol_specs/45_alter_partition_reassignments by tools/codegen: do not edit.
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

_iter_i = Struct(">i").iter_unpack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_it = Struct(">i?").pack
_pack_ith = Struct(">i?h").pack
_pack_list_i = array_packer("i")
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_itB = Struct(">i?B").unpack_from
_unpack_ithB = Struct(">i?hB").unpack_from


class ReassignablePartition(Data):
    """An element of `ReassignableTopic.partitions`."""

    partition_index: int = 0
    replicas: list[int] | None = None
    """Null: cancel the reassignment."""


class ReassignableTopic(Data):
    """An element of `AlterPartitionReassignmentsRequest.topics`."""

    name: str = ""
    partitions: list[ReassignablePartition] = []


class AlterPartitionReassignmentsRequest(ReadableMessage, WritableMessage):
    API_KEY = 45
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    timeout_ms: int = 60000
    """How long to wait for the operation to complete."""
    allow_replication_factor_change: bool = True  # v1+
    """Whether the number of replicas may change."""
    topics: list[ReassignableTopic] = []


class ReassignablePartitionResponse(Data):
    """An element of `ReassignableTopicResponse.partitions`."""

    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReassignableTopicResponse(Data):
    """An element of `AlterPartitionReassignmentsResponse.responses`."""

    name: str = ""
    partitions: list[ReassignablePartitionResponse] = []


class AlterPartitionReassignmentsResponse(ReadableMessage, WritableMessage):
    API_KEY = 45
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    allow_replication_factor_change: bool = True  # v1+
    """Whether the number of replicas may change."""
    error_code: int = 0
    error_message: str | None = ""
    responses: list[ReassignableTopicResponse] = []


def _read_alter_partition_reassignments_request_v0_1(b: bytes, at: int, version: int) -> tuple[AlterPartitionReassignmentsRequest, int]:
    size = len(b)
    m = new(AlterPartitionReassignmentsRequest)
    if version >= 1:
        m.timeout_ms, m.allow_replication_factor_change, n = _unpack_itB(b, at)
        at += 6
    else:
        m.allow_replication_factor_change = True
        m.timeout_ms, n = _unpack_iB(b, at)
        at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[ReassignableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ReassignableTopic)
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
        if n < 0 or n * 6 > size - at:
            raise count_error("partitions", n)
        partitions: list[ReassignablePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ReassignablePartition)
            partition.partition_index, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0:
                partition.replicas = None
            else:
                if n * 4 > size - at:
                    raise count_error("replicas", n)
                end = at + n * 4
                partition.replicas = [each for (each,) in _iter_i(b[at:end])]
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
        raise ProtocolError(f"AlterPartitionReassignmentsRequest is {at - size} bytes short")
    return m, at


AlterPartitionReassignmentsRequest.READERS = dict.fromkeys(range(0, 2), _read_alter_partition_reassignments_request_v0_1)


def _write_alter_partition_reassignments_request_v0_1(m: AlterPartitionReassignmentsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if version >= 1:
        out += _pack_it(m.timeout_ms, m.allow_replication_factor_change)
    else:
        if not m.allow_replication_factor_change:
            raise absent_field_error("allow_replication_factor_change")
        out += _pack_i(m.timeout_ms)
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
            n = 0 if replicas is None else len(replicas) + 1
            if n > 127:
                out += _pack_i(partition.partition_index)
                write_uvarint(out, n)
            else:
                out += _pack_iB(partition.partition_index, n)
            if replicas is not None:
                out += _pack_list_i(replicas)
            out.append(0)
        out.append(0)
    out.append(0)


AlterPartitionReassignmentsRequest.WRITERS = dict.fromkeys(range(0, 2), _write_alter_partition_reassignments_request_v0_1)


def _read_alter_partition_reassignments_response_v0_1(b: bytes, at: int, version: int) -> tuple[AlterPartitionReassignmentsResponse, int]:
    size = len(b)
    m = new(AlterPartitionReassignmentsResponse)
    if version >= 1:
        m.throttle_time_ms, m.allow_replication_factor_change, m.error_code, n = _unpack_ithB(b, at)
        at += 8
    else:
        m.allow_replication_factor_change = True
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
        raise count_error("responses", n)
    responses: list[ReassignableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(ReassignableTopicResponse)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 8 > size - at:
            raise count_error("partitions", n)
        partitions: list[ReassignablePartitionResponse] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(ReassignablePartitionResponse)
            partition.partition_index, partition.error_code, n = _unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                partition.error_message = None
            else:
                end = at + n - 1
                partition.error_message = b[at:end].decode("utf-8", "replace")
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
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterPartitionReassignmentsResponse is {at - size} bytes short")
    return m, at


AlterPartitionReassignmentsResponse.READERS = dict.fromkeys(range(0, 2), _read_alter_partition_reassignments_response_v0_1)


def _write_alter_partition_reassignments_response_v0_1(m: AlterPartitionReassignmentsResponse, out: bytearray, version: int) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if version >= 1:
        out += _pack_ith(m.throttle_time_ms, m.allow_replication_factor_change, m.error_code)
    else:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        name = response.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = response.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            error_message2 = partition.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            n = 0 if error_message2 is None else len(error_message_bytes2) + 1
            if n > 127:
                out += _pack_ih(partition.partition_index, partition.error_code)
                write_uvarint(out, n)
            else:
                out += _pack_ihB(partition.partition_index, partition.error_code, n)
            out += error_message_bytes2
            out.append(0)
        out.append(0)
    out.append(0)


AlterPartitionReassignmentsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_alter_partition_reassignments_response_v0_1)
