"""Produce: append record batches to partitions that the asked broker leads.

v1  throttle_time_ms (KIP-13)
v2  log_append_time_ms (KIP-31/32)
v3  transactional_id, and from here on one batch of magic 2 per partition (KIP-98)
v4  may answer KAFKA_STORAGE_ERROR (KIP-112)
v5  log_start_offset
v6  answers before it throttles (KIP-219)
v7  zstd (KIP-110)
v8  record_errors, error_message (KIP-467)
v9  flexible
v10 current_leader, node_endpoints (KIP-951)
v11 may answer TRANSACTION_ABORTABLE (KIP-890)
v12 adds partitions to the transaction by itself (KIP-890)
v13 topic_id in place of name (KIP-516)

acks=0 is never answered.

Generated from protocol_specs/00_produce by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import (
    BUFFERS,
    UNSET,
    ZERO_UUID,
    detach,
    fault_absent,
    fault_length,
    long_uvarint,
    put_uvarint,
    read_uvarint,
    skip_tags,
)

new = object.__new__
iter_ihq = Struct(">ihq").iter_unpack
iter_ihqq = Struct(">ihqq").iter_unpack
iter_ihqqq = Struct(">ihqqq").iter_unpack
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_hii = Struct(">hii").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihq = Struct(">ihq").pack
pack_ihqq = Struct(">ihqq").pack
pack_ihqqq = Struct(">ihqqq").pack
pack_ihqqqi = Struct(">ihqqqi").pack
pack_ii = Struct(">ii").pack
pack_iix = Struct(">iix").pack
pack_ix = Struct(">ix").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_hiB = Struct(">hiB").unpack_from
unpack_hii = Struct(">hii").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihqqqB = Struct(">ihqqqB").unpack_from
unpack_ihqqqi = Struct(">ihqqqi").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class PartitionProduceData(Data):
    __slots__ = FIELDS = ("index", "records")

    def __init__(
        self,
        index: int = 0,
        records: memoryview | None = None,
    ) -> None:
        self.index = index
        self.records = records


class TopicProduceData(Data):
    __slots__ = FIELDS = ("name", "topic_id", "partition_data")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_data: list[PartitionProduceData] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_data = [] if partition_data is UNSET else partition_data


class ProduceRequest(Message):
    API_KEY = 0
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9
    HAS_RECORDS = True
    __slots__ = FIELDS = ("transactional_id", "acks", "timeout_ms", "topic_data")

    def __init__(
        self,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: list[TopicProduceData] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = [] if topic_data is UNSET else topic_data


class BatchIndexAndErrorMessage(Data):
    """which records of a refused batch were at fault"""

    __slots__ = FIELDS = ("batch_index", "batch_index_error_message")

    def __init__(
        self,
        batch_index: int = 0,
        batch_index_error_message: str | None = None,
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message


class LeaderIdAndEpoch(Data):
    """set when the client should go there instead"""

    __slots__ = FIELDS = ("leader_id", "leader_epoch")

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


DEFAULT_LeaderIdAndEpoch = default_of(LeaderIdAndEpoch)


class PartitionProduceResponse(Data):
    __slots__ = FIELDS = (
        "index",
        "error_code",
        "base_offset",
        "log_append_time_ms",
        "log_start_offset",
        "record_errors",
        "error_message",
        "current_leader",
    )

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        base_offset: int = 0,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: list[BatchIndexAndErrorMessage] = UNSET,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = DEFAULT_LeaderIdAndEpoch,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = [] if record_errors is UNSET else record_errors
        self.error_message = error_message
        self.current_leader = current_leader


class TopicProduceResponse(Data):
    __slots__ = FIELDS = ("name", "topic_id", "partition_responses")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_responses: list[PartitionProduceResponse] = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_responses = [] if partition_responses is UNSET else partition_responses


class NodeEndpoint(Data):
    """addresses of all brokers that current_leader fields name"""

    __slots__ = FIELDS = ("node_id", "host", "port", "rack")

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class ProduceResponse(Message):
    API_KEY = 0
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9
    __slots__ = FIELDS = ("responses", "throttle_time_ms", "node_endpoints")

    def __init__(
        self,
        responses: list[TopicProduceResponse] = UNSET,
        throttle_time_ms: int = 0,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.responses = [] if responses is UNSET else responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints


def _read_produce_request_v0_2(b: memoryview, at: int) -> tuple[ProduceRequest, int]:
    size = len(b)
    m = new(ProduceRequest)
    m.transactional_id = None
    m.acks, m.timeout_ms, n = unpack_hii(b, at)
    at += 10
    if n < 0 or n * 6 > size - at:
        raise fault_length("topic_data", n)
    topic_data: list[TopicProduceData] = []
    m.topic_data = topic_data
    for _ in range(n):
        topic_data_item = new(TopicProduceData)
        topic_data_item.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic_data_item.name = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise fault_length("partition_data", n)
        partition_data: list[PartitionProduceData] = []
        topic_data_item.partition_data = partition_data
        for _ in range(n):
            partition_data_item = new(PartitionProduceData)
            partition_data_item.index, n = unpack_ii(b, at)
            at += 8
            if n < 0:
                partition_data_item.records = None
            else:
                end = at + n
                partition_data_item.records = b[at:end]
                at = end
            partition_data.append(partition_data_item)
        topic_data.append(topic_data_item)
    if at > size:
        raise ProtocolError(f"ProduceRequest is {at - size} bytes short")
    return m, at


def _read_produce_request_v3_8(b: memoryview, at: int) -> tuple[ProduceRequest, int]:
    size = len(b)
    m = new(ProduceRequest)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.transactional_id = None
    else:
        end = at + n
        m.transactional_id = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
    m.acks, m.timeout_ms, n = unpack_hii(b, at)
    at += 10
    if n < 0 or n * 6 > size - at:
        raise fault_length("topic_data", n)
    topic_data: list[TopicProduceData] = []
    m.topic_data = topic_data
    for _ in range(n):
        topic_data_item = new(TopicProduceData)
        topic_data_item.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic_data_item.name = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise fault_length("partition_data", n)
        partition_data: list[PartitionProduceData] = []
        topic_data_item.partition_data = partition_data
        for _ in range(n):
            partition_data_item = new(PartitionProduceData)
            partition_data_item.index, n = unpack_ii(b, at)
            at += 8
            if n < 0:
                partition_data_item.records = None
            else:
                end = at + n
                partition_data_item.records = b[at:end]
                at = end
            partition_data.append(partition_data_item)
        topic_data.append(topic_data_item)
    if at > size:
        raise ProtocolError(f"ProduceRequest is {at - size} bytes short")
    return m, at


def _read_produce_request_v9_12(b: memoryview, at: int) -> tuple[ProduceRequest, int]:
    size = len(b)
    m = new(ProduceRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id = None
    else:
        end = at + n - 1
        m.transactional_id = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
    m.acks, m.timeout_ms, n = unpack_hiB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topic_data", n)
    topic_data: list[TopicProduceData] = []
    m.topic_data = topic_data
    for _ in range(n):
        topic_data_item = new(TopicProduceData)
        topic_data_item.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic_data_item.name = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("partition_data", n)
        partition_data: list[PartitionProduceData] = []
        topic_data_item.partition_data = partition_data
        for _ in range(n):
            partition_data_item = new(PartitionProduceData)
            partition_data_item.index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition_data_item.records = None
            else:
                end = at + n - 1
                partition_data_item.records = b[at:end]
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partition_data.append(partition_data_item)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_data.append(topic_data_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ProduceRequest is {at - size} bytes short")
    return m, at


def _read_produce_request_v13(b: memoryview, at: int) -> tuple[ProduceRequest, int]:
    size = len(b)
    m = new(ProduceRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id = None
    else:
        end = at + n - 1
        m.transactional_id = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
    m.acks, m.timeout_ms, n = unpack_hiB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topic_data", n)
    topic_data: list[TopicProduceData] = []
    m.topic_data = topic_data
    for _ in range(n):
        topic_data_item = new(TopicProduceData)
        topic_data_item.name = ""
        topic_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("partition_data", n)
        partition_data: list[PartitionProduceData] = []
        topic_data_item.partition_data = partition_data
        for _ in range(n):
            partition_data_item = new(PartitionProduceData)
            partition_data_item.index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition_data_item.records = None
            else:
                end = at + n - 1
                partition_data_item.records = b[at:end]
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partition_data.append(partition_data_item)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_data.append(topic_data_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ProduceRequest is {at - size} bytes short")
    return m, at


def _write_produce_request_v0_2(m: ProduceRequest, out: bytearray) -> None:
    if m.transactional_id is not None:
        raise fault_absent("transactional_id")
    topic_data = m.topic_data
    out += pack_hii(m.acks, m.timeout_ms, len(topic_data))
    for topic_data_item in topic_data:
        name = topic_data_item.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_data = topic_data_item.partition_data
        out += pack_i(len(partition_data))
        for partition_data_item in partition_data:
            records = partition_data_item.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_ii(partition_data_item.index, n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_produce_request_v3_8(m: ProduceRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    out += pack_h(-1 if transactional_id is None else len(transactional_id_bytes))
    out += transactional_id_bytes
    topic_data = m.topic_data
    out += pack_hii(m.acks, m.timeout_ms, len(topic_data))
    for topic_data_item in topic_data:
        name = topic_data_item.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_data = topic_data_item.partition_data
        out += pack_i(len(partition_data))
        for partition_data_item in partition_data:
            records = partition_data_item.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_ii(partition_data_item.index, n)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_produce_request_v9_12(m: ProduceRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    n = 0 if transactional_id is None else len(transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    topic_data = m.topic_data
    out += pack_hi(m.acks, m.timeout_ms)
    n = len(topic_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_data_item in topic_data:
        name = topic_data_item.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partition_data = topic_data_item.partition_data
        n = len(partition_data) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_data_item in partition_data:
            records = partition_data_item.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(partition_data_item.index)
            put_uvarint(out, n + 1)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            out.append(0)
        out.append(0)
    out.append(0)


def _write_produce_request_v13(m: ProduceRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    n = 0 if transactional_id is None else len(transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    topic_data = m.topic_data
    out += pack_hi(m.acks, m.timeout_ms)
    n = len(topic_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_data_item in topic_data:
        partition_data = topic_data_item.partition_data
        out += pack_u(topic_data_item.topic_id)
        n = len(partition_data) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_data_item in partition_data:
            records = partition_data_item.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_i(partition_data_item.index)
            put_uvarint(out, n + 1)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            out.append(0)
        out.append(0)
    out.append(0)


def _read_produce_response_v0(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.throttle_time_ms = 0
    m.node_endpoints = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        end = at + n * 14
        for values in iter_ihq(b[at:end]):
            partition_response = new(PartitionProduceResponse)
            partition_response.log_append_time_ms = -1
            partition_response.log_start_offset = -1
            partition_response.record_errors = []
            partition_response.error_message = None
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset = values
            partition_responses.append(partition_response)
        at = end
        responses.append(response)
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v1(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        end = at + n * 14
        for values in iter_ihq(b[at:end]):
            partition_response = new(PartitionProduceResponse)
            partition_response.log_append_time_ms = -1
            partition_response.log_start_offset = -1
            partition_response.record_errors = []
            partition_response.error_message = None
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset = values
            partition_responses.append(partition_response)
        at = end
        responses.append(response)
    m.throttle_time_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v2_4(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 22 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        end = at + n * 22
        for values in iter_ihqq(b[at:end]):
            partition_response = new(PartitionProduceResponse)
            partition_response.log_start_offset = -1
            partition_response.record_errors = []
            partition_response.error_message = None
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms = values
            partition_responses.append(partition_response)
        at = end
        responses.append(response)
    m.throttle_time_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v5_7(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 30 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        end = at + n * 30
        for values in iter_ihqqq(b[at:end]):
            partition_response = new(PartitionProduceResponse)
            partition_response.record_errors = []
            partition_response.error_message = None
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset = values
            partition_responses.append(partition_response)
        at = end
        responses.append(response)
    m.throttle_time_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v8(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 36 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        for _ in range(n):
            partition_response = new(PartitionProduceResponse)
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, n = unpack_ihqqqi(b, at)
            at += 34
            if n < 0 or n * 6 > size - at:
                raise fault_length("record_errors", n)
            record_errors: list[BatchIndexAndErrorMessage] = []
            partition_response.record_errors = record_errors
            for _ in range(n):
                record_error = new(BatchIndexAndErrorMessage)
                record_error.batch_index, n = unpack_ih(b, at)
                at += 6
                if n < 0:
                    record_error.batch_index_error_message = None
                else:
                    end = at + n
                    record_error.batch_index_error_message = b[at:end].decode("utf-8", "replace")
                    at = end
                record_errors.append(record_error)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                partition_response.error_message = None
            else:
                end = at + n
                partition_response.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            partition_responses.append(partition_response)
        responses.append(response)
    m.throttle_time_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v9(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
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
        if n < 0 or n * 33 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        for _ in range(n):
            partition_response = new(PartitionProduceResponse)
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, n = unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 6 > size - at:
                raise fault_length("record_errors", n)
            record_errors: list[BatchIndexAndErrorMessage] = []
            partition_response.record_errors = record_errors
            for _ in range(n):
                record_error = new(BatchIndexAndErrorMessage)
                record_error.batch_index, n = unpack_iB(b, at)
                at += 5
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    record_error.batch_index_error_message = None
                else:
                    end = at + n - 1
                    record_error.batch_index_error_message = b[at:end].decode("utf-8", "replace")
                    at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                record_errors.append(record_error)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition_response.error_message = None
            else:
                end = at + n - 1
                partition_response.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partition_responses.append(partition_response)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v10_12(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
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
        if n < 0 or n * 33 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        for _ in range(n):
            partition_response = new(PartitionProduceResponse)
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, n = unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 6 > size - at:
                raise fault_length("record_errors", n)
            record_errors: list[BatchIndexAndErrorMessage] = []
            partition_response.record_errors = record_errors
            for _ in range(n):
                record_error = new(BatchIndexAndErrorMessage)
                record_error.batch_index, n = unpack_iB(b, at)
                at += 5
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    record_error.batch_index_error_message = None
                else:
                    end = at + n - 1
                    record_error.batch_index_error_message = b[at:end].decode("utf-8", "replace")
                    at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                record_errors.append(record_error)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition_response.error_message = None
            else:
                end = at + n - 1
                partition_response.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                if tags > 127:
                    tags, at = long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        current_leader = new(LeaderIdAndEpoch)
                        current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
                        at += 9
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition_response.current_leader = current_leader
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partition_responses.append(partition_response)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 11 > size - at:
                    raise fault_length("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                m.node_endpoints = node_endpoints
                for _ in range(n):
                    node_endpoint = new(NodeEndpoint)
                    node_endpoint.node_id, n = unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("host is null")
                    end = at + n - 1
                    node_endpoint.host = b[at:end].decode("utf-8", "replace")
                    at = end
                    node_endpoint.port, n = unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        node_endpoint.rack = None
                    else:
                        end = at + n - 1
                        node_endpoint.rack = b[at:end].decode("utf-8", "replace")
                        at = end
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tags(b, at, tags)
                    node_endpoints.append(node_endpoint)
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v13(b: bytes, at: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.name = ""
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise fault_length("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        for _ in range(n):
            partition_response = new(PartitionProduceResponse)
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, n = unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 6 > size - at:
                raise fault_length("record_errors", n)
            record_errors: list[BatchIndexAndErrorMessage] = []
            partition_response.record_errors = record_errors
            for _ in range(n):
                record_error = new(BatchIndexAndErrorMessage)
                record_error.batch_index, n = unpack_iB(b, at)
                at += 5
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    record_error.batch_index_error_message = None
                else:
                    end = at + n - 1
                    record_error.batch_index_error_message = b[at:end].decode("utf-8", "replace")
                    at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                record_errors.append(record_error)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition_response.error_message = None
            else:
                end = at + n - 1
                partition_response.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                if tags > 127:
                    tags, at = long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0:
                        current_leader = new(LeaderIdAndEpoch)
                        current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
                        at += 9
                        if tags:
                            at = skip_tags(b, at, tags)
                        partition_response.current_leader = current_leader
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partition_responses.append(partition_response)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    m.throttle_time_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 11 > size - at:
                    raise fault_length("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                m.node_endpoints = node_endpoints
                for _ in range(n):
                    node_endpoint = new(NodeEndpoint)
                    node_endpoint.node_id, n = unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("host is null")
                    end = at + n - 1
                    node_endpoint.host = b[at:end].decode("utf-8", "replace")
                    at = end
                    node_endpoint.port, n = unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = long_uvarint(b, at, n)
                    if n == 0:
                        node_endpoint.rack = None
                    else:
                        end = at + n - 1
                        node_endpoint.rack = b[at:end].decode("utf-8", "replace")
                        at = end
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tags(b, at, tags)
                    node_endpoints.append(node_endpoint)
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _write_produce_response_v0(m: ProduceResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_i(len(responses))
    for response in responses:
        name = response.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_responses = response.partition_responses
        out += pack_i(len(partition_responses))
        for partition_response in partition_responses:
            if (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            out += pack_ihq(partition_response.index, partition_response.error_code, partition_response.base_offset)


def _write_produce_response_v1(m: ProduceResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_i(len(responses))
    for response in responses:
        name = response.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_responses = response.partition_responses
        out += pack_i(len(partition_responses))
        for partition_response in partition_responses:
            if (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            out += pack_ihq(partition_response.index, partition_response.error_code, partition_response.base_offset)
    out += pack_i(m.throttle_time_ms)


def _write_produce_response_v2_4(m: ProduceResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_i(len(responses))
    for response in responses:
        name = response.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_responses = response.partition_responses
        out += pack_i(len(partition_responses))
        for partition_response in partition_responses:
            if (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            out += pack_ihqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms)
    out += pack_i(m.throttle_time_ms)


def _write_produce_response_v5_7(m: ProduceResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_i(len(responses))
    for response in responses:
        name = response.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_responses = response.partition_responses
        out += pack_i(len(partition_responses))
        for partition_response in partition_responses:
            if (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            out += pack_ihqqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset)
    out += pack_i(m.throttle_time_ms)


def _write_produce_response_v8(m: ProduceResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
    responses = m.responses
    out += pack_i(len(responses))
    for response in responses:
        name = response.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partition_responses = response.partition_responses
        out += pack_i(len(partition_responses))
        for partition_response in partition_responses:
            if (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            record_errors = partition_response.record_errors
            out += pack_ihqqqi(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, len(record_errors))
            for record_error in record_errors:
                batch_index_error_message = record_error.batch_index_error_message
                batch_index_error_message_bytes = b"" if batch_index_error_message is None else batch_index_error_message.encode()
                out += pack_ih(record_error.batch_index, -1 if batch_index_error_message is None else len(batch_index_error_message_bytes))
                out += batch_index_error_message_bytes
            error_message = partition_response.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            out += pack_h(-1 if error_message is None else len(error_message_bytes))
            out += error_message_bytes
    out += pack_i(m.throttle_time_ms)


def _write_produce_response_v9(m: ProduceResponse, out: bytearray) -> None:
    if m.node_endpoints:
        raise fault_absent("node_endpoints")
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
        partition_responses = response.partition_responses
        n = len(partition_responses) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_response in partition_responses:
            if (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch):
                raise fault_absent("current_leader")
            record_errors = partition_response.record_errors
            out += pack_ihqqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset)
            n = len(record_errors) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for record_error in record_errors:
                batch_index_error_message = record_error.batch_index_error_message
                batch_index_error_message_bytes = b"" if batch_index_error_message is None else batch_index_error_message.encode()
                out += pack_i(record_error.batch_index)
                n = 0 if batch_index_error_message is None else len(batch_index_error_message_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += batch_index_error_message_bytes
                out.append(0)
            error_message = partition_response.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes
            out.append(0)
        out.append(0)
    out += pack_ix(m.throttle_time_ms)


def _write_produce_response_v10_12(m: ProduceResponse, out: bytearray) -> None:
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
        partition_responses = response.partition_responses
        n = len(partition_responses) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_response in partition_responses:
            record_errors = partition_response.record_errors
            out += pack_ihqqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset)
            n = len(record_errors) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for record_error in record_errors:
                batch_index_error_message = record_error.batch_index_error_message
                batch_index_error_message_bytes = b"" if batch_index_error_message is None else batch_index_error_message.encode()
                out += pack_i(record_error.batch_index)
                n = 0 if batch_index_error_message is None else len(batch_index_error_message_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += batch_index_error_message_bytes
                out.append(0)
            error_message = partition_response.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes
            has_current_leader = (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch)
            out.append(has_current_leader)
            if has_current_leader:
                part = bytearray()
                current_leader = partition_response.current_leader
                part += pack_iix(current_leader.leader_id, current_leader.leader_epoch)
                put_uvarint(out, 0)
                put_uvarint(out, len(part))
                out += part
        out.append(0)
    out += pack_i(m.throttle_time_ms)
    has_node_endpoints = bool(m.node_endpoints)
    out.append(has_node_endpoints)
    if has_node_endpoints:
        part2 = bytearray()
        node_endpoints = m.node_endpoints
        n = len(node_endpoints) + 1
        if n > 127:
            put_uvarint(part2, n)
        else:
            part2.append(n)
        for node_endpoint in node_endpoints:
            host = node_endpoint.host
            host_bytes = host.encode()
            part2 += pack_i(node_endpoint.node_id)
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(part2, n)
            else:
                part2.append(n)
            part2 += host_bytes
            rack = node_endpoint.rack
            rack_bytes = b"" if rack is None else rack.encode()
            part2 += pack_i(node_endpoint.port)
            n = 0 if rack is None else len(rack_bytes) + 1
            if n > 127:
                put_uvarint(part2, n)
            else:
                part2.append(n)
            part2 += rack_bytes
            part2.append(0)
        put_uvarint(out, 0)
        put_uvarint(out, len(part2))
        out += part2


def _write_produce_response_v13(m: ProduceResponse, out: bytearray) -> None:
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        partition_responses = response.partition_responses
        out += pack_u(response.topic_id)
        n = len(partition_responses) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_response in partition_responses:
            record_errors = partition_response.record_errors
            out += pack_ihqqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset)
            n = len(record_errors) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for record_error in record_errors:
                batch_index_error_message = record_error.batch_index_error_message
                batch_index_error_message_bytes = b"" if batch_index_error_message is None else batch_index_error_message.encode()
                out += pack_i(record_error.batch_index)
                n = 0 if batch_index_error_message is None else len(batch_index_error_message_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += batch_index_error_message_bytes
                out.append(0)
            error_message = partition_response.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes
            has_current_leader = (partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch)
            out.append(has_current_leader)
            if has_current_leader:
                part = bytearray()
                current_leader = partition_response.current_leader
                part += pack_iix(current_leader.leader_id, current_leader.leader_epoch)
                put_uvarint(out, 0)
                put_uvarint(out, len(part))
                out += part
        out.append(0)
    out += pack_i(m.throttle_time_ms)
    has_node_endpoints = bool(m.node_endpoints)
    out.append(has_node_endpoints)
    if has_node_endpoints:
        part2 = bytearray()
        node_endpoints = m.node_endpoints
        n = len(node_endpoints) + 1
        if n > 127:
            put_uvarint(part2, n)
        else:
            part2.append(n)
        for node_endpoint in node_endpoints:
            host = node_endpoint.host
            host_bytes = host.encode()
            part2 += pack_i(node_endpoint.node_id)
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(part2, n)
            else:
                part2.append(n)
            part2 += host_bytes
            rack = node_endpoint.rack
            rack_bytes = b"" if rack is None else rack.encode()
            part2 += pack_i(node_endpoint.port)
            n = 0 if rack is None else len(rack_bytes) + 1
            if n > 127:
                put_uvarint(part2, n)
            else:
                part2.append(n)
            part2 += rack_bytes
            part2.append(0)
        put_uvarint(out, 0)
        put_uvarint(out, len(part2))
        out += part2


ProduceRequest.READERS = {
    0: _read_produce_request_v0_2,
    1: _read_produce_request_v0_2,
    2: _read_produce_request_v0_2,
    3: _read_produce_request_v3_8,
    4: _read_produce_request_v3_8,
    5: _read_produce_request_v3_8,
    6: _read_produce_request_v3_8,
    7: _read_produce_request_v3_8,
    8: _read_produce_request_v3_8,
    9: _read_produce_request_v9_12,
    10: _read_produce_request_v9_12,
    11: _read_produce_request_v9_12,
    12: _read_produce_request_v9_12,
    13: _read_produce_request_v13,
}
ProduceRequest.WRITERS = {
    0: _write_produce_request_v0_2,
    1: _write_produce_request_v0_2,
    2: _write_produce_request_v0_2,
    3: _write_produce_request_v3_8,
    4: _write_produce_request_v3_8,
    5: _write_produce_request_v3_8,
    6: _write_produce_request_v3_8,
    7: _write_produce_request_v3_8,
    8: _write_produce_request_v3_8,
    9: _write_produce_request_v9_12,
    10: _write_produce_request_v9_12,
    11: _write_produce_request_v9_12,
    12: _write_produce_request_v9_12,
    13: _write_produce_request_v13,
}
ProduceResponse.READERS = {
    0: _read_produce_response_v0,
    1: _read_produce_response_v1,
    2: _read_produce_response_v2_4,
    3: _read_produce_response_v2_4,
    4: _read_produce_response_v2_4,
    5: _read_produce_response_v5_7,
    6: _read_produce_response_v5_7,
    7: _read_produce_response_v5_7,
    8: _read_produce_response_v8,
    9: _read_produce_response_v9,
    10: _read_produce_response_v10_12,
    11: _read_produce_response_v10_12,
    12: _read_produce_response_v10_12,
    13: _read_produce_response_v13,
}
ProduceResponse.WRITERS = {
    0: _write_produce_response_v0,
    1: _write_produce_response_v1,
    2: _write_produce_response_v2_4,
    3: _write_produce_response_v2_4,
    4: _write_produce_response_v2_4,
    5: _write_produce_response_v5_7,
    6: _write_produce_response_v5_7,
    7: _write_produce_response_v5_7,
    8: _write_produce_response_v8,
    9: _write_produce_response_v9,
    10: _write_produce_response_v10_12,
    11: _write_produce_response_v10_12,
    12: _write_produce_response_v10_12,
    13: _write_produce_response_v13,
}
