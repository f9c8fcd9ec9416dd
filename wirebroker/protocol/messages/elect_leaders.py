"""ElectLeaders: trigger the election of partition leaders (KIP-183).

v1  election_type, error_code for the whole response (KIP-460)
v2  flexible

Generated from protocol_specs/43_elect_leaders by tools/codegen: do not edit.
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
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bi = Struct(">bi").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_pack_ihi = Struct(">ihi").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack
_pack_list_i = array_packer("i")
_unpack_bB = Struct(">bB").unpack_from
_unpack_bi = Struct(">bi").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihh = Struct(">ihh").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from
_unpack_ii = Struct(">ii").unpack_from


class TopicPartitions(Data):
    """An element of `ElectLeadersRequest.topic_partitions`."""

    topic: str = ""
    partitions: list[int] = []


class ElectLeadersRequest(ReadableMessage, WritableMessage):
    API_KEY = 43
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    election_type: int = 0  # v1+
    """ElectionType: 0 preferred, 1 unclean."""
    topic_partitions: list[TopicPartitions] | None = []
    """Null: all."""
    timeout_ms: int = 60000
    """How long to wait for the operation to complete."""


class PartitionResult(Data):
    """An element of `ReplicaElectionResult.partition_result`."""

    partition_id: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReplicaElectionResult(Data):
    """An element of `ElectLeadersResponse.replica_election_results`."""

    topic: str = ""
    partition_result: list[PartitionResult] = []


class ElectLeadersResponse(ReadableMessage, WritableMessage):
    API_KEY = 43
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0  # v1+
    replica_election_results: list[ReplicaElectionResult] = []


def _read_elect_leaders_request_v0_1(b: bytes, at: int, version: int) -> tuple[ElectLeadersRequest, int]:
    size = len(b)
    m = new(ElectLeadersRequest)
    if version >= 1:
        m.election_type, n = _unpack_bi(b, at)
        at += 5
    else:
        m.election_type = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 6 > size - at:
            raise count_error("topic_partitions", n)
        topic_partitions: list[TopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(TopicPartitions)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            topic_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            topic_partitions.append(topic_partition)
    m.timeout_ms = _unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ElectLeadersRequest is {at - size} bytes short")
    return m, at


def _read_elect_leaders_request_v2(b: bytes, at: int, version: int) -> tuple[ElectLeadersRequest, int]:
    size = len(b)
    m = new(ElectLeadersRequest)
    m.election_type, n = _unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 3 > size - at:
            raise count_error("topic_partitions", n)
        topic_partitions: list[TopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(TopicPartitions)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            topic_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topic_partitions.append(topic_partition)
    m.timeout_ms, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ElectLeadersRequest is {at - size} bytes short")
    return m, at


ElectLeadersRequest.READERS = dict.fromkeys(range(0, 2), _read_elect_leaders_request_v0_1) | dict.fromkeys(range(2, 3), _read_elect_leaders_request_v2)


def _write_elect_leaders_request_v0_1(m: ElectLeadersRequest, out: bytearray, version: int) -> None:
    topic_partitions = m.topic_partitions
    if version >= 1:
        out += _pack_bi(m.election_type, -1 if topic_partitions is None else len(topic_partitions))
    else:
        if m.election_type != 0:
            raise absent_field_error("election_type")
        out += _pack_i(-1 if topic_partitions is None else len(topic_partitions))
    if topic_partitions is not None:
        for topic_partition in topic_partitions:
            topic = topic_partition.topic
            topic_bytes = topic.encode()
            out += _pack_h(len(topic_bytes))
            out += topic_bytes
            partitions = topic_partition.partitions
            out += _pack_i(len(partitions))
            out += _pack_list_i(partitions)
    out += _pack_i(m.timeout_ms)


def _write_elect_leaders_request_v2(m: ElectLeadersRequest, out: bytearray, version: int) -> None:
    topic_partitions = m.topic_partitions
    n = 0 if topic_partitions is None else len(topic_partitions) + 1
    if n > 127:
        out += _pack_b(m.election_type)
        write_uvarint(out, n)
    else:
        out += _pack_bB(m.election_type, n)
    if topic_partitions is not None:
        for topic_partition in topic_partitions:
            topic = topic_partition.topic
            topic_bytes = topic.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
            partitions = topic_partition.partitions
            n = len(partitions) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(partitions)
            out.append(0)
    out += _pack_ix(m.timeout_ms)


ElectLeadersRequest.WRITERS = dict.fromkeys(range(0, 2), _write_elect_leaders_request_v0_1) | dict.fromkeys(range(2, 3), _write_elect_leaders_request_v2)


def _read_elect_leaders_response_v0_1(b: bytes, at: int, version: int) -> tuple[ElectLeadersResponse, int]:
    size = len(b)
    m = new(ElectLeadersResponse)
    if version >= 1:
        m.throttle_time_ms, m.error_code, n = _unpack_ihi(b, at)
        at += 10
    else:
        m.error_code = 0
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    if n < 0 or n * 6 > size - at:
        raise count_error("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    m.replica_election_results = replica_election_results
    for _ in range(n):
        replica_election_result = new(ReplicaElectionResult)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        replica_election_result.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise count_error("partition_result", n)
        partition_result: list[PartitionResult] = []
        replica_election_result.partition_result = partition_result
        for _ in range(n):
            partition_result_item = new(PartitionResult)
            partition_result_item.partition_id, partition_result_item.error_code, n = _unpack_ihh(b, at)
            at += 8
            if n < 0:
                partition_result_item.error_message = None
            else:
                end = at + n
                partition_result_item.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            partition_result.append(partition_result_item)
        replica_election_results.append(replica_election_result)
    if at > size:
        raise ProtocolError(f"ElectLeadersResponse is {at - size} bytes short")
    return m, at


def _read_elect_leaders_response_v2(b: bytes, at: int, version: int) -> tuple[ElectLeadersResponse, int]:
    size = len(b)
    m = new(ElectLeadersResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    m.replica_election_results = replica_election_results
    for _ in range(n):
        replica_election_result = new(ReplicaElectionResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        replica_election_result.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 8 > size - at:
            raise count_error("partition_result", n)
        partition_result: list[PartitionResult] = []
        replica_election_result.partition_result = partition_result
        for _ in range(n):
            partition_result_item = new(PartitionResult)
            partition_result_item.partition_id, partition_result_item.error_code, n = _unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                partition_result_item.error_message = None
            else:
                end = at + n - 1
                partition_result_item.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partition_result.append(partition_result_item)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        replica_election_results.append(replica_election_result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ElectLeadersResponse is {at - size} bytes short")
    return m, at


ElectLeadersResponse.READERS = dict.fromkeys(range(0, 2), _read_elect_leaders_response_v0_1) | dict.fromkeys(range(2, 3), _read_elect_leaders_response_v2)


def _write_elect_leaders_response_v0_1(m: ElectLeadersResponse, out: bytearray, version: int) -> None:
    replica_election_results = m.replica_election_results
    if version >= 1:
        out += _pack_ihi(m.throttle_time_ms, m.error_code, len(replica_election_results))
    else:
        if m.error_code != 0:
            raise absent_field_error("error_code")
        out += _pack_ii(m.throttle_time_ms, len(replica_election_results))
    for replica_election_result in replica_election_results:
        topic = replica_election_result.topic
        topic_bytes = topic.encode()
        out += _pack_h(len(topic_bytes))
        out += topic_bytes
        partition_result = replica_election_result.partition_result
        out += _pack_i(len(partition_result))
        for partition_result_item in partition_result:
            error_message = partition_result_item.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            out += _pack_ihh(partition_result_item.partition_id, partition_result_item.error_code, -1 if error_message is None else len(error_message_bytes))
            out += error_message_bytes


def _write_elect_leaders_response_v2(m: ElectLeadersResponse, out: bytearray, version: int) -> None:
    replica_election_results = m.replica_election_results
    n = len(replica_election_results) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    for replica_election_result in replica_election_results:
        topic = replica_election_result.topic
        topic_bytes = topic.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partition_result = replica_election_result.partition_result
        n = len(partition_result) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition_result_item in partition_result:
            error_message = partition_result_item.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                out += _pack_ih(partition_result_item.partition_id, partition_result_item.error_code)
                write_uvarint(out, n)
            else:
                out += _pack_ihB(partition_result_item.partition_id, partition_result_item.error_code, n)
            out += error_message_bytes
            out.append(0)
        out.append(0)
    out.append(0)


ElectLeadersResponse.WRITERS = dict.fromkeys(range(0, 2), _write_elect_leaders_response_v0_1) | dict.fromkeys(range(2, 3), _write_elect_leaders_response_v2)
