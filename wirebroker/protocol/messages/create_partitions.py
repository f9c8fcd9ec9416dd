"""CreatePartitions: give topics more partitions (KIP-195).

v1  answers before it throttles (KIP-219)
v2  flexible
v3  may answer THROTTLING_QUOTA_EXCEEDED (KIP-599)

Generated from protocol_specs/37_create_partitions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_it = Struct(">i?").pack
pack_itx = Struct(">i?x").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_it = Struct(">i?").unpack_from
unpack_itB = Struct(">i?B").unpack_from


class CreatePartitionsAssignment(Data):
    """one list per new partition; null: the controller places replicas"""

    __slots__ = FIELDS = ("broker_ids",)

    def __init__(
        self,
        broker_ids: list[int] = UNSET,
    ) -> None:
        self.broker_ids = [] if broker_ids is UNSET else broker_ids


class CreatePartitionsTopic(Data):
    __slots__ = FIELDS = ("name", "count", "assignments")

    def __init__(
        self,
        name: str = "",
        count: int = 0,
        assignments: list[CreatePartitionsAssignment] | None = UNSET,
    ) -> None:
        self.name = name
        self.count = count
        self.assignments = [] if assignments is UNSET else assignments


class CreatePartitionsRequest(Message):
    API_KEY = 37
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("topics", "timeout_ms", "validate_only")

    def __init__(
        self,
        topics: list[CreatePartitionsTopic] = UNSET,
        timeout_ms: int = 0,
        validate_only: bool = False,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


class CreatePartitionsTopicResult(Data):
    __slots__ = FIELDS = ("name", "error_code", "error_message")

    def __init__(
        self,
        name: str = "",
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.error_code = error_code
        self.error_message = error_message


class CreatePartitionsResponse(Message):
    API_KEY = 37
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[CreatePartitionsTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results


def _read_create_partitions_request_v0_1(b: bytes, at: int) -> tuple[CreatePartitionsRequest, int]:
    size = len(b)
    m = new(CreatePartitionsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatePartitionsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatePartitionsTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.count, n = unpack_ii(b, at)
        at += 8
        if n < 0:
            topic.assignments = None
        else:
            if n * 4 > size - at:
                raise fault_length("assignments", n)
            assignments: list[CreatePartitionsAssignment] = []
            topic.assignments = assignments
            for _ in range(n):
                assignment = new(CreatePartitionsAssignment)
                n = unpack_i(b, at)[0]
                at += 4
                if n < 0 or n * 4 > size - at:
                    raise fault_length("broker_ids", n)
                end = at + n * 4
                assignment.broker_ids = [each for (each,) in iter_i(b[at:end])]
                at = end
                assignments.append(assignment)
        topics.append(topic)
    m.timeout_ms, m.validate_only = unpack_it(b, at)
    at += 5
    if at > size:
        raise ProtocolError(f"CreatePartitionsRequest is {at - size} bytes short")
    return m, at


def _read_create_partitions_request_v2_3(b: bytes, at: int) -> tuple[CreatePartitionsRequest, int]:
    size = len(b)
    m = new(CreatePartitionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatePartitionsTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatePartitionsTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.count, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            topic.assignments = None
        else:
            if n * 2 > size - at:
                raise fault_length("assignments", n)
            assignments: list[CreatePartitionsAssignment] = []
            topic.assignments = assignments
            for _ in range(n):
                assignment = new(CreatePartitionsAssignment)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise fault_length("broker_ids", n)
                end = at + n * 4
                assignment.broker_ids = [each for (each,) in iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                assignments.append(assignment)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.timeout_ms, m.validate_only, tags = unpack_itB(b, at)
    at += 6
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreatePartitionsRequest is {at - size} bytes short")
    return m, at


def _write_create_partitions_request_v0_1(m: CreatePartitionsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        assignments = topic.assignments
        out += pack_ii(topic.count, -1 if assignments is None else len(assignments))
        if assignments is not None:
            for assignment in assignments:
                broker_ids = assignment.broker_ids
                out += pack_i(len(broker_ids))
                out += b"".join(map(pack_i, broker_ids))
    out += pack_it(m.timeout_ms, m.validate_only)


def _write_create_partitions_request_v2_3(m: CreatePartitionsRequest, out: bytearray) -> None:
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
        assignments = topic.assignments
        out += pack_i(topic.count)
        n = 0 if assignments is None else len(assignments) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        if assignments is not None:
            for assignment in assignments:
                broker_ids = assignment.broker_ids
                n = len(broker_ids) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_i, broker_ids))
                out.append(0)
        out.append(0)
    out += pack_itx(m.timeout_ms, m.validate_only)


def _read_create_partitions_response_v0_1(b: bytes, at: int) -> tuple[CreatePartitionsResponse, int]:
    size = len(b)
    m = new(CreatePartitionsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("results", n)
    results: list[CreatePartitionsTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(CreatePartitionsTopicResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        result.name = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, n = unpack_hh(b, at)
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


def _read_create_partitions_response_v2_3(b: bytes, at: int) -> tuple[CreatePartitionsResponse, int]:
    size = len(b)
    m = new(CreatePartitionsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("results", n)
    results: list[CreatePartitionsTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(CreatePartitionsTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        result.name = b[at:end].decode("utf-8", "replace")
        at = end
        result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            result.error_message = None
        else:
            end = at + n - 1
            result.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreatePartitionsResponse is {at - size} bytes short")
    return m, at


def _write_create_partitions_response_v0_1(m: CreatePartitionsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        name = result.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(result.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes


def _write_create_partitions_response_v2_3(m: CreatePartitionsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_i(m.throttle_time_ms)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        name = result.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        error_message = result.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(result.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


CreatePartitionsRequest.READERS = {
    0: _read_create_partitions_request_v0_1,
    1: _read_create_partitions_request_v0_1,
    2: _read_create_partitions_request_v2_3,
    3: _read_create_partitions_request_v2_3,
}
CreatePartitionsRequest.WRITERS = {
    0: _write_create_partitions_request_v0_1,
    1: _write_create_partitions_request_v0_1,
    2: _write_create_partitions_request_v2_3,
    3: _write_create_partitions_request_v2_3,
}
CreatePartitionsResponse.READERS = {
    0: _read_create_partitions_response_v0_1,
    1: _read_create_partitions_response_v0_1,
    2: _read_create_partitions_response_v2_3,
    3: _read_create_partitions_response_v2_3,
}
CreatePartitionsResponse.WRITERS = {
    0: _write_create_partitions_response_v0_1,
    1: _write_create_partitions_response_v0_1,
    2: _write_create_partitions_response_v2_3,
    3: _write_create_partitions_response_v2_3,
}
