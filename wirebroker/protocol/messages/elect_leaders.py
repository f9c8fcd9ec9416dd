"""ElectLeaders: have the controller elect leaders now (KIP-183).

v1  election_type, error_code for the whole answer (KIP-460)
v2  flexible

Generated from protocol_specs/43_elect_leaders by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_b = Struct(">b").pack
pack_bi = Struct(">bi").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihh = Struct(">ihh").pack
pack_ihi = Struct(">ihi").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
unpack_bB = Struct(">bB").unpack_from
unpack_bi = Struct(">bi").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihh = Struct(">ihh").unpack_from
unpack_ihi = Struct(">ihi").unpack_from
unpack_ii = Struct(">ii").unpack_from


class TopicPartitions(Data):
    """null: all"""

    __slots__ = FIELDS = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions


class ElectLeadersRequest(Message):
    API_KEY = 43
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("election_type", "topic_partitions", "timeout_ms")

    def __init__(
        self,
        election_type: int = 0,
        topic_partitions: list[TopicPartitions] | None = UNSET,
        timeout_ms: int = 60000,
    ) -> None:
        self.election_type = election_type
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions
        self.timeout_ms = timeout_ms


class PartitionResult(Data):
    __slots__ = FIELDS = ("partition_id", "error_code", "error_message")

    def __init__(
        self,
        partition_id: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
    ) -> None:
        self.partition_id = partition_id
        self.error_code = error_code
        self.error_message = error_message


class ReplicaElectionResult(Data):
    __slots__ = FIELDS = ("topic", "partition_result")

    def __init__(
        self,
        topic: str = "",
        partition_result: list[PartitionResult] = UNSET,
    ) -> None:
        self.topic = topic
        self.partition_result = [] if partition_result is UNSET else partition_result


class ElectLeadersResponse(Message):
    API_KEY = 43
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "replica_election_results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        replica_election_results: list[ReplicaElectionResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results = [] if replica_election_results is UNSET else replica_election_results


def _read_elect_leaders_request_v0(b: bytes, at: int) -> tuple[ElectLeadersRequest, int]:
    size = len(b)
    m = new(ElectLeadersRequest)
    m.election_type = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 6 > size - at:
            raise fault_length("topic_partitions", n)
        topic_partitions: list[TopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(TopicPartitions)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            topic_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            topic_partitions.append(topic_partition)
    m.timeout_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ElectLeadersRequest is {at - size} bytes short")
    return m, at


def _read_elect_leaders_request_v1(b: bytes, at: int) -> tuple[ElectLeadersRequest, int]:
    size = len(b)
    m = new(ElectLeadersRequest)
    m.election_type, n = unpack_bi(b, at)
    at += 5
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 6 > size - at:
            raise fault_length("topic_partitions", n)
        topic_partitions: list[TopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(TopicPartitions)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            topic_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            topic_partitions.append(topic_partition)
    m.timeout_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ElectLeadersRequest is {at - size} bytes short")
    return m, at


def _read_elect_leaders_request_v2(b: bytes, at: int) -> tuple[ElectLeadersRequest, int]:
    size = len(b)
    m = new(ElectLeadersRequest)
    m.election_type, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topic_partitions = None
    else:
        if n * 3 > size - at:
            raise fault_length("topic_partitions", n)
        topic_partitions: list[TopicPartitions] = []
        m.topic_partitions = topic_partitions
        for _ in range(n):
            topic_partition = new(TopicPartitions)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            topic_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topic_partitions.append(topic_partition)
    m.timeout_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ElectLeadersRequest is {at - size} bytes short")
    return m, at


def _write_elect_leaders_request_v0(m: ElectLeadersRequest, out: bytearray) -> None:
    if m.election_type != 0:
        raise fault_absent("election_type")
    topic_partitions = m.topic_partitions
    out += pack_i(-1 if topic_partitions is None else len(topic_partitions))
    if topic_partitions is not None:
        for topic_partition in topic_partitions:
            topic = topic_partition.topic
            topic_bytes = topic.encode()
            out += pack_h(len(topic_bytes))
            out += topic_bytes
            partitions = topic_partition.partitions
            out += pack_i(len(partitions))
            out += b"".join(map(pack_i, partitions))
    out += pack_i(m.timeout_ms)


def _write_elect_leaders_request_v1(m: ElectLeadersRequest, out: bytearray) -> None:
    topic_partitions = m.topic_partitions
    out += pack_bi(m.election_type, -1 if topic_partitions is None else len(topic_partitions))
    if topic_partitions is not None:
        for topic_partition in topic_partitions:
            topic = topic_partition.topic
            topic_bytes = topic.encode()
            out += pack_h(len(topic_bytes))
            out += topic_bytes
            partitions = topic_partition.partitions
            out += pack_i(len(partitions))
            out += b"".join(map(pack_i, partitions))
    out += pack_i(m.timeout_ms)


def _write_elect_leaders_request_v2(m: ElectLeadersRequest, out: bytearray) -> None:
    topic_partitions = m.topic_partitions
    out += pack_b(m.election_type)
    n = 0 if topic_partitions is None else len(topic_partitions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topic_partitions is not None:
        for topic_partition in topic_partitions:
            topic = topic_partition.topic
            topic_bytes = topic.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
            partitions = topic_partition.partitions
            n = len(partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partitions))
            out.append(0)
    out += pack_ix(m.timeout_ms)


def _read_elect_leaders_response_v0(b: bytes, at: int) -> tuple[ElectLeadersResponse, int]:
    size = len(b)
    m = new(ElectLeadersResponse)
    m.error_code = 0
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    m.replica_election_results = replica_election_results
    for _ in range(n):
        replica_election_result = new(ReplicaElectionResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        replica_election_result.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise fault_length("partition_result", n)
        partition_result: list[PartitionResult] = []
        replica_election_result.partition_result = partition_result
        for _ in range(n):
            partition_result_item = new(PartitionResult)
            partition_result_item.partition_id, partition_result_item.error_code, n = unpack_ihh(b, at)
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


def _read_elect_leaders_response_v1(b: bytes, at: int) -> tuple[ElectLeadersResponse, int]:
    size = len(b)
    m = new(ElectLeadersResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihi(b, at)
    at += 10
    if n < 0 or n * 6 > size - at:
        raise fault_length("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    m.replica_election_results = replica_election_results
    for _ in range(n):
        replica_election_result = new(ReplicaElectionResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        replica_election_result.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise fault_length("partition_result", n)
        partition_result: list[PartitionResult] = []
        replica_election_result.partition_result = partition_result
        for _ in range(n):
            partition_result_item = new(PartitionResult)
            partition_result_item.partition_id, partition_result_item.error_code, n = unpack_ihh(b, at)
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


def _read_elect_leaders_response_v2(b: bytes, at: int) -> tuple[ElectLeadersResponse, int]:
    size = len(b)
    m = new(ElectLeadersResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("replica_election_results", n)
    replica_election_results: list[ReplicaElectionResult] = []
    m.replica_election_results = replica_election_results
    for _ in range(n):
        replica_election_result = new(ReplicaElectionResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic is null")
        end = at + n - 1
        replica_election_result.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 8 > size - at:
            raise fault_length("partition_result", n)
        partition_result: list[PartitionResult] = []
        replica_election_result.partition_result = partition_result
        for _ in range(n):
            partition_result_item = new(PartitionResult)
            partition_result_item.partition_id, partition_result_item.error_code, n = unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition_result_item.error_message = None
            else:
                end = at + n - 1
                partition_result_item.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partition_result.append(partition_result_item)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        replica_election_results.append(replica_election_result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ElectLeadersResponse is {at - size} bytes short")
    return m, at


def _write_elect_leaders_response_v0(m: ElectLeadersResponse, out: bytearray) -> None:
    if m.error_code != 0:
        raise fault_absent("error_code")
    replica_election_results = m.replica_election_results
    out += pack_ii(m.throttle_time_ms, len(replica_election_results))
    for replica_election_result in replica_election_results:
        topic = replica_election_result.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partition_result = replica_election_result.partition_result
        out += pack_i(len(partition_result))
        for partition_result_item in partition_result:
            error_message = partition_result_item.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            out += pack_ihh(partition_result_item.partition_id, partition_result_item.error_code, -1 if error_message is None else len(error_message_bytes))
            out += error_message_bytes


def _write_elect_leaders_response_v1(m: ElectLeadersResponse, out: bytearray) -> None:
    replica_election_results = m.replica_election_results
    out += pack_ihi(m.throttle_time_ms, m.error_code, len(replica_election_results))
    for replica_election_result in replica_election_results:
        topic = replica_election_result.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partition_result = replica_election_result.partition_result
        out += pack_i(len(partition_result))
        for partition_result_item in partition_result:
            error_message = partition_result_item.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            out += pack_ihh(partition_result_item.partition_id, partition_result_item.error_code, -1 if error_message is None else len(error_message_bytes))
            out += error_message_bytes


def _write_elect_leaders_response_v2(m: ElectLeadersResponse, out: bytearray) -> None:
    replica_election_results = m.replica_election_results
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(replica_election_results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for replica_election_result in replica_election_results:
        topic = replica_election_result.topic
        topic_bytes = topic.encode()
        n = len(topic_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_bytes
        partition_result = replica_election_result.partition_result
        n = len(partition_result) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_result_item in partition_result:
            error_message = partition_result_item.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            out += pack_ih(partition_result_item.partition_id, partition_result_item.error_code)
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes
            out.append(0)
        out.append(0)
    out.append(0)


ElectLeadersRequest.READERS = {
    0: _read_elect_leaders_request_v0,
    1: _read_elect_leaders_request_v1,
    2: _read_elect_leaders_request_v2,
}
ElectLeadersRequest.WRITERS = {
    0: _write_elect_leaders_request_v0,
    1: _write_elect_leaders_request_v1,
    2: _write_elect_leaders_request_v2,
}
ElectLeadersResponse.READERS = {
    0: _read_elect_leaders_response_v0,
    1: _read_elect_leaders_response_v1,
    2: _read_elect_leaders_response_v2,
}
ElectLeadersResponse.WRITERS = {
    0: _write_elect_leaders_response_v0,
    1: _write_elect_leaders_response_v1,
    2: _write_elect_leaders_response_v2,
}
