"""CreatePartitions: increase the number of partitions of topics (KIP-195).

v1  responds before it throttles (KIP-219)
v2  flexible
v3  may return THROTTLING_QUOTA_EXCEEDED (KIP-599)

Generated from protocol_specs/37_create_partitions by tools/codegen: do not edit.
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
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_it = Struct(">i?").pack
_pack_itx = Struct(">i?x").pack
_pack_list_i = array_packer("i")
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_it = Struct(">i?").unpack_from
_unpack_itB = Struct(">i?B").unpack_from


class CreatePartitionsAssignment(Data):
    """An element of `CreatePartitionsTopic.assignments`."""

    broker_ids: list[int] = []


class CreatePartitionsTopic(Data):
    """An element of `CreatePartitionsRequest.topics`."""

    name: str = ""
    count: int = 0
    """The new total number of partitions."""
    assignments: list[CreatePartitionsAssignment] | None = []
    """Replicas of each new partition; null: the controller assigns them."""


class CreatePartitionsRequest(ReadableMessage, WritableMessage):
    API_KEY = 37
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    topics: list[CreatePartitionsTopic] = []
    timeout_ms: int = 0
    """How long to wait for the operation to complete."""
    validate_only: bool = False
    """Validate the request, but change nothing."""


class CreatePartitionsTopicResult(Data):
    """An element of `CreatePartitionsResponse.results`."""

    name: str = ""
    error_code: int = 0
    error_message: str | None = None


class CreatePartitionsResponse(ReadableMessage, WritableMessage):
    API_KEY = 37
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    results: list[CreatePartitionsTopicResult] = []


def _read_create_partitions_request_v0_1(b: bytes, at: int, version: int) -> tuple[CreatePartitionsRequest, int]:
    size = len(b)
    m = new(CreatePartitionsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise count_error("topics", n)
    topics: list[CreatePartitionsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatePartitionsTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.count, n = _unpack_ii(b, at)
        at += 8
        if n < 0:
            topic.assignments = None
        else:
            if n * 4 > size - at:
                raise count_error("assignments", n)
            assignments: list[CreatePartitionsAssignment] = []
            topic.assignments = assignments
            for _ in range(n):
                assignment = new(CreatePartitionsAssignment)
                n = _unpack_i(b, at)[0]
                at += 4
                if n < 0 or n * 4 > size - at:
                    raise count_error("broker_ids", n)
                end = at + n * 4
                assignment.broker_ids = [each for (each,) in _iter_i(b[at:end])]
                at = end
                assignments.append(assignment)
        topics.append(topic)
    m.timeout_ms, m.validate_only = _unpack_it(b, at)
    at += 5
    if at > size:
        raise ProtocolError(f"CreatePartitionsRequest is {at - size} bytes short")
    return m, at


def _read_create_partitions_request_v2_3(b: bytes, at: int, version: int) -> tuple[CreatePartitionsRequest, int]:
    size = len(b)
    m = new(CreatePartitionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise count_error("topics", n)
    topics: list[CreatePartitionsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatePartitionsTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.count, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            topic.assignments = None
        else:
            if n * 2 > size - at:
                raise count_error("assignments", n)
            assignments: list[CreatePartitionsAssignment] = []
            topic.assignments = assignments
            for _ in range(n):
                assignment = new(CreatePartitionsAssignment)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise count_error("broker_ids", n)
                end = at + n * 4
                assignment.broker_ids = [each for (each,) in _iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                assignments.append(assignment)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    m.timeout_ms, m.validate_only, tags = _unpack_itB(b, at)
    at += 6
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreatePartitionsRequest is {at - size} bytes short")
    return m, at


CreatePartitionsRequest.READERS = dict.fromkeys(range(0, 2), _read_create_partitions_request_v0_1) | dict.fromkeys(range(2, 4), _read_create_partitions_request_v2_3)


def _write_create_partitions_request_v0_1(m: CreatePartitionsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        assignments = topic.assignments
        out += _pack_ii(topic.count, -1 if assignments is None else len(assignments))
        if assignments is not None:
            for assignment in assignments:
                broker_ids = assignment.broker_ids
                out += _pack_i(len(broker_ids))
                out += _pack_list_i(broker_ids)
    out += _pack_it(m.timeout_ms, m.validate_only)


def _write_create_partitions_request_v2_3(m: CreatePartitionsRequest, out: bytearray, version: int) -> None:
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
        assignments = topic.assignments
        n = 0 if assignments is None else len(assignments) + 1
        if n > 127:
            out += _pack_i(topic.count)
            write_uvarint(out, n)
        else:
            out += _pack_iB(topic.count, n)
        if assignments is not None:
            for assignment in assignments:
                broker_ids = assignment.broker_ids
                n = len(broker_ids) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += _pack_list_i(broker_ids)
                out.append(0)
        out.append(0)
    out += _pack_itx(m.timeout_ms, m.validate_only)


CreatePartitionsRequest.WRITERS = dict.fromkeys(range(0, 2), _write_create_partitions_request_v0_1) | dict.fromkeys(range(2, 4), _write_create_partitions_request_v2_3)


def _read_create_partitions_response_v0_1(b: bytes, at: int, version: int) -> tuple[CreatePartitionsResponse, int]:
    size = len(b)
    m = new(CreatePartitionsResponse)
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise count_error("results", n)
    results: list[CreatePartitionsTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(CreatePartitionsTopicResult)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        result.name = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, n = _unpack_hh(b, at)
        at += 4
        if n < 0:
            result.error_message = None
        else:
            end = at + n
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        results.append(result)
    if at > size:
        raise ProtocolError(f"CreatePartitionsResponse is {at - size} bytes short")
    return m, at


def _read_create_partitions_response_v2_3(b: bytes, at: int, version: int) -> tuple[CreatePartitionsResponse, int]:
    size = len(b)
    m = new(CreatePartitionsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise count_error("results", n)
    results: list[CreatePartitionsTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(CreatePartitionsTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        result.name = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            result.error_message = None
        else:
            end = at + n - 1
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreatePartitionsResponse is {at - size} bytes short")
    return m, at


CreatePartitionsResponse.READERS = dict.fromkeys(range(0, 2), _read_create_partitions_response_v0_1) | dict.fromkeys(range(2, 4), _read_create_partitions_response_v2_3)


def _write_create_partitions_response_v0_1(m: CreatePartitionsResponse, out: bytearray, version: int) -> None:
    results = m.results
    out += _pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        name = result.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += _pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes


def _write_create_partitions_response_v2_3(m: CreatePartitionsResponse, out: bytearray, version: int) -> None:
    results = m.results
    n = len(results) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for result in results:
        name = result.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            out += _pack_h(result.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(result.error_code, n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


CreatePartitionsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_create_partitions_response_v0_1) | dict.fromkeys(range(2, 4), _write_create_partitions_response_v2_3)
