"""Produce: append record batches to partitions that this broker leads.

v1  throttle_time_ms (KIP-13)
v2  log_append_time_ms (KIP-31/32)
v3  transactional_id, and from here on one batch of magic 2 per partition (KIP-98)
v4  may return KAFKA_STORAGE_ERROR (KIP-112)
v5  log_start_offset
v6  responds before it throttles (KIP-219)
v7  zstd (KIP-110)
v8  record_errors, error_message (KIP-467)
v9  flexible
v10 current_leader, node_endpoints (KIP-951)
v11 may return TRANSACTION_ABORTABLE (KIP-890)
v12 the broker adds partitions to the transaction (KIP-890)
v13 topic_id in place of name (KIP-516)

acks=0 is never answered.

Generated from protocol_specs/00_produce by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage, default_of
from wirebroker.protocol.primitives import (
    BUFFERS,
    ZERO_UUID,
    absent_field_error,
    count_error,
    detach,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_pack_h = Struct(">h").pack
_pack_hi = Struct(">hi").pack
_pack_hiB = Struct(">hiB").pack
_pack_hii = Struct(">hii").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihq = Struct(">ihq").pack
_pack_ihqq = Struct(">ihqq").pack
_pack_ihqqq = Struct(">ihqqq").pack
_pack_ihqqqB = Struct(">ihqqqB").pack
_pack_ihqqqi = Struct(">ihqqqi").pack
_pack_ii = Struct(">ii").pack
_pack_iix = Struct(">iix").pack
_pack_u = Struct(">16s").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hiB = Struct(">hiB").unpack_from
_unpack_hii = Struct(">hii").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihq = Struct(">ihq").unpack_from
_unpack_ihqq = Struct(">ihqq").unpack_from
_unpack_ihqqq = Struct(">ihqqq").unpack_from
_unpack_ihqqqB = Struct(">ihqqqB").unpack_from
_unpack_ihqqqi = Struct(">ihqqqi").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class PartitionProduceData(Data):
    """An element of `TopicProduceData.partition_data`."""

    index: int = 0
    records: memoryview | None = None
    """One record batch; before version 3 a message set."""


class TopicProduceData(Data):
    """An element of `ProduceRequest.topic_data`."""

    name: str = ""  # v0-12
    topic_id: bytes = ZERO_UUID  # v13+
    partition_data: list[PartitionProduceData] = []


class ProduceRequest(ReadableMessage, WritableMessage):
    API_KEY = 0
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9
    HAS_RECORDS = True

    transactional_id: str | None = None  # v3+
    """Null if the producer is not transactional."""
    acks: int = 0
    """Required acks: 0 none, and no response; 1 the leader's; -1 those of all in-sync replicas."""
    timeout_ms: int = 0
    """How long to wait for the acks of replicas."""
    topic_data: list[TopicProduceData] = []


class BatchIndexAndErrorMessage(Data):
    """An element of `PartitionProduceResponse.record_errors`."""

    batch_index: int = 0
    batch_index_error_message: str | None = None


class LeaderIdAndEpoch(Data):
    """The value of `PartitionProduceResponse.current_leader`."""

    leader_id: int = -1
    leader_epoch: int = -1
    """Leader epoch, incremented with each leader election; -1 unknown."""


DEFAULT_LeaderIdAndEpoch = default_of(LeaderIdAndEpoch)


class PartitionProduceResponse(Data):
    """An element of `TopicProduceResponse.partition_responses`."""

    index: int = 0
    error_code: int = 0
    base_offset: int = 0
    """Offset of the first appended record; -1 after an error."""
    log_append_time_ms: int = -1  # v2+
    """-1 unless message.timestamp.type is LogAppendTime."""
    log_start_offset: int = -1  # v5+
    """Log start offset; -1 unknown."""
    record_errors: list[BatchIndexAndErrorMessage] = []  # v8+
    """The invalid records of a batch that was refused."""
    error_message: str | None = None  # v8+
    current_leader: LeaderIdAndEpoch = DEFAULT_LeaderIdAndEpoch  # v10+
    """The current leader of the partition, if it is another broker."""


class TopicProduceResponse(Data):
    """An element of `ProduceResponse.responses`."""

    name: str = ""  # v0-12
    topic_id: bytes = ZERO_UUID  # v13+
    partition_responses: list[PartitionProduceResponse] = []


class NodeEndpoint(Data):
    """An element of `ProduceResponse.node_endpoints`."""

    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class ProduceResponse(ReadableMessage, WritableMessage):
    API_KEY = 0
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9

    responses: list[TopicProduceResponse] = []
    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    node_endpoints: list[NodeEndpoint] = []  # v10+
    """Endpoints of the brokers that are named in current_leader fields."""


def _read_produce_request_v0_8(b: memoryview, at: int, version: int) -> tuple[ProduceRequest, int]:
    size = len(b)
    m = new(ProduceRequest)
    if version >= 3:
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            m.transactional_id = None
        else:
            end = at + n
            m.transactional_id = b[at:end].tobytes().decode("utf-8", "replace")
            at = end
    else:
        m.transactional_id = None
    m.acks, m.timeout_ms, n = _unpack_hii(b, at)
    at += 10
    if n < 0 or n * 6 > size - at:
        raise count_error("topic_data", n)
    topic_data: list[TopicProduceData] = []
    m.topic_data = topic_data
    for _ in range(n):
        topic_data_item = new(TopicProduceData)
        topic_data_item.topic_id = ZERO_UUID
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic_data_item.name = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 8 > size - at:
            raise count_error("partition_data", n)
        partition_data: list[PartitionProduceData] = []
        topic_data_item.partition_data = partition_data
        for _ in range(n):
            partition_data_item = new(PartitionProduceData)
            partition_data_item.index, n = _unpack_ii(b, at)
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


def _read_produce_request_v9_13(b: memoryview, at: int, version: int) -> tuple[ProduceRequest, int]:
    size = len(b)
    m = new(ProduceRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id = None
    else:
        end = at + n - 1
        m.transactional_id = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
    m.acks, m.timeout_ms, n = _unpack_hiB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topic_data", n)
    topic_data: list[TopicProduceData] = []
    m.topic_data = topic_data
    for _ in range(n):
        topic_data_item = new(TopicProduceData)
        if version >= 13:
            topic_data_item.name = ""
            topic_data_item.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            topic_data_item.name = b[at:end].tobytes().decode("utf-8", "replace")
            at = end
            topic_data_item.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise count_error("partition_data", n)
        partition_data: list[PartitionProduceData] = []
        topic_data_item.partition_data = partition_data
        for _ in range(n):
            partition_data_item = new(PartitionProduceData)
            partition_data_item.index, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                partition_data_item.records = None
            else:
                end = at + n - 1
                partition_data_item.records = b[at:end]
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partition_data.append(partition_data_item)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topic_data.append(topic_data_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ProduceRequest is {at - size} bytes short")
    return m, at


ProduceRequest.READERS = dict.fromkeys(range(0, 9), _read_produce_request_v0_8) | dict.fromkeys(range(9, 14), _read_produce_request_v9_13)


def _write_produce_request_v0_8(m: ProduceRequest, out: bytearray, version: int) -> None:
    if version >= 3:
        transactional_id = m.transactional_id
        transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
        out += _pack_h(-1 if transactional_id is None else len(transactional_id_bytes))
        out += transactional_id_bytes
    else:
        if m.transactional_id is not None:
            raise absent_field_error("transactional_id")
    topic_data = m.topic_data
    out += _pack_hii(m.acks, m.timeout_ms, len(topic_data))
    for topic_data_item in topic_data:
        name = topic_data_item.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partition_data = topic_data_item.partition_data
        out += _pack_i(len(partition_data))
        for partition_data_item in partition_data:
            records = partition_data_item.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += _pack_ii(partition_data_item.index, n)
            if records is not None and n > 0:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)


def _write_produce_request_v9_13(m: ProduceRequest, out: bytearray, version: int) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    n = 0 if transactional_id is None else len(transactional_id_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    topic_data = m.topic_data
    n = len(topic_data) + 1
    if n > 127:
        out += _pack_hi(m.acks, m.timeout_ms)
        write_uvarint(out, n)
    else:
        out += _pack_hiB(m.acks, m.timeout_ms, n)
    for topic_data_item in topic_data:
        if version >= 13:
            out += _pack_u(topic_data_item.topic_id)
        else:
            name = topic_data_item.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
        partition_data = topic_data_item.partition_data
        n = len(partition_data) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition_data_item in partition_data:
            records = partition_data_item.records
            if records is None:
                n = 0
            elif isinstance(records, BUFFERS):
                n = len(records) + 1
            else:
                n = records.size_bytes + 1
            if n > 127:
                out += _pack_i(partition_data_item.index)
                write_uvarint(out, n)
            else:
                out += _pack_iB(partition_data_item.index, n)
            if records is not None and n > 1:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            out.append(0)
        out.append(0)
    out.append(0)


ProduceRequest.WRITERS = dict.fromkeys(range(0, 9), _write_produce_request_v0_8) | dict.fromkeys(range(9, 14), _write_produce_request_v9_13)


def _read_produce_response_v0_8(b: bytes, at: int, version: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        response.topic_id = ZERO_UUID
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise count_error("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        for _ in range(n):
            partition_response = new(PartitionProduceResponse)
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            if version >= 8:
                partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, n = _unpack_ihqqqi(b, at)
                at += 34
                if n < 0 or n * 6 > size - at:
                    raise count_error("record_errors", n)
                record_errors: list[BatchIndexAndErrorMessage] = []
                partition_response.record_errors = record_errors
                for _ in range(n):
                    record_error = new(BatchIndexAndErrorMessage)
                    record_error.batch_index, n = _unpack_ih(b, at)
                    at += 6
                    if n < 0:
                        record_error.batch_index_error_message = None
                    else:
                        end = at + n
                        record_error.batch_index_error_message = b[at:end].decode("utf-8", "replace")
                        at = end
                    record_errors.append(record_error)
                n = _unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    partition_response.error_message = None
                else:
                    end = at + n
                    partition_response.error_message = b[at:end].decode("utf-8", "replace")
                    at = end
            elif version >= 5:
                partition_response.record_errors = []
                partition_response.error_message = None
                partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset = _unpack_ihqqq(b, at)
                at += 30
            elif version >= 2:
                partition_response.record_errors = []
                partition_response.error_message = None
                partition_response.log_start_offset = -1
                partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms = _unpack_ihqq(b, at)
                at += 22
            else:
                partition_response.record_errors = []
                partition_response.error_message = None
                partition_response.log_append_time_ms = -1
                partition_response.log_start_offset = -1
                partition_response.index, partition_response.error_code, partition_response.base_offset = _unpack_ihq(b, at)
                at += 14
            partition_responses.append(partition_response)
        responses.append(response)
    if version >= 1:
        m.throttle_time_ms = _unpack_i(b, at)[0]
        at += 4
    else:
        m.throttle_time_ms = 0
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


def _read_produce_response_v9_13(b: bytes, at: int, version: int) -> tuple[ProduceResponse, int]:
    size = len(b)
    m = new(ProduceResponse)
    m.node_endpoints = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("responses", n)
    responses: list[TopicProduceResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(TopicProduceResponse)
        if version >= 13:
            response.name = ""
            response.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            response.name = b[at:end].decode("utf-8", "replace")
            at = end
            response.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 33 > size - at:
            raise count_error("partition_responses", n)
        partition_responses: list[PartitionProduceResponse] = []
        response.partition_responses = partition_responses
        for _ in range(n):
            partition_response = new(PartitionProduceResponse)
            partition_response.current_leader = DEFAULT_LeaderIdAndEpoch
            partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, n = _unpack_ihqqqB(b, at)
            at += 31
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 6 > size - at:
                raise count_error("record_errors", n)
            record_errors: list[BatchIndexAndErrorMessage] = []
            partition_response.record_errors = record_errors
            for _ in range(n):
                record_error = new(BatchIndexAndErrorMessage)
                record_error.batch_index, n = _unpack_iB(b, at)
                at += 5
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    record_error.batch_index_error_message = None
                else:
                    end = at + n - 1
                    record_error.batch_index_error_message = b[at:end].decode("utf-8", "replace")
                    at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                record_errors.append(record_error)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
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
                    tags, at = read_long_uvarint(b, at, tags)
                for _ in range(tags):
                    tag, at = read_uvarint(b, at)
                    n, at = read_uvarint(b, at)
                    tag_end = at + n
                    if tag == 0 and version >= 10:
                        current_leader = new(LeaderIdAndEpoch)
                        current_leader.leader_id, current_leader.leader_epoch, tags = _unpack_iiB(b, at)
                        at += 9
                        if tags:
                            at = skip_tagged_fields(b, at, tags)
                        partition_response.current_leader = current_leader
                    else:
                        at = tag_end
                    if at != tag_end or at > size:
                        raise ProtocolError("a tagged field does not have the size it announces")
            partition_responses.append(partition_response)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        responses.append(response)
    m.throttle_time_ms, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end2 = at + n
            if tag == 0 and version >= 10:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 11 > size - at:
                    raise count_error("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                m.node_endpoints = node_endpoints
                for _ in range(n):
                    node_endpoint = new(NodeEndpoint)
                    node_endpoint.node_id, n = _unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    if n == 0:
                        raise ProtocolError("host is null")
                    end = at + n - 1
                    node_endpoint.host = b[at:end].decode("utf-8", "replace")
                    at = end
                    node_endpoint.port, n = _unpack_iB(b, at)
                    at += 5
                    if n > 127:
                        n, at = read_long_uvarint(b, at, n)
                    if n == 0:
                        node_endpoint.rack = None
                    else:
                        end = at + n - 1
                        node_endpoint.rack = b[at:end].decode("utf-8", "replace")
                        at = end
                    tags = b[at]
                    at += 1
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    node_endpoints.append(node_endpoint)
            else:
                at = tag_end2
            if at != tag_end2 or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"ProduceResponse is {at - size} bytes short")
    return m, at


ProduceResponse.READERS = dict.fromkeys(range(0, 9), _read_produce_response_v0_8) | dict.fromkeys(range(9, 14), _read_produce_response_v9_13)


def _write_produce_response_v0_8(m: ProduceResponse, out: bytearray, version: int) -> None:
    if m.node_endpoints:
        raise absent_field_error("node_endpoints")
    responses = m.responses
    out += _pack_i(len(responses))
    for response in responses:
        name = response.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partition_responses = response.partition_responses
        out += _pack_i(len(partition_responses))
        for partition_response in partition_responses:
            if partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch:
                raise absent_field_error("current_leader")
            if version >= 8:
                record_errors = partition_response.record_errors
                out += _pack_ihqqqi(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, len(record_errors))
                for record_error in record_errors:
                    batch_index_error_message = record_error.batch_index_error_message
                    batch_index_error_message_bytes = b"" if batch_index_error_message is None else batch_index_error_message.encode()
                    out += _pack_ih(record_error.batch_index, -1 if batch_index_error_message is None else len(batch_index_error_message_bytes))
                    out += batch_index_error_message_bytes
                error_message = partition_response.error_message
                error_message_bytes = b"" if error_message is None else error_message.encode()
                out += _pack_h(-1 if error_message is None else len(error_message_bytes))
                out += error_message_bytes
            elif version >= 5:
                out += _pack_ihqqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset)
            elif version >= 2:
                out += _pack_ihqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms)
            else:
                out += _pack_ihq(partition_response.index, partition_response.error_code, partition_response.base_offset)
    if version >= 1:
        out += _pack_i(m.throttle_time_ms)


def _write_produce_response_v9_13(m: ProduceResponse, out: bytearray, version: int) -> None:
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        if version >= 13:
            out += _pack_u(response.topic_id)
        else:
            name = response.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
        partition_responses = response.partition_responses
        n = len(partition_responses) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition_response in partition_responses:
            record_errors = partition_response.record_errors
            n = len(record_errors) + 1
            if n > 127:
                out += _pack_ihqqq(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset)
                write_uvarint(out, n)
            else:
                out += _pack_ihqqqB(partition_response.index, partition_response.error_code, partition_response.base_offset, partition_response.log_append_time_ms, partition_response.log_start_offset, n)
            for record_error in record_errors:
                batch_index_error_message = record_error.batch_index_error_message
                batch_index_error_message_bytes = b"" if batch_index_error_message is None else batch_index_error_message.encode()
                n = 0 if batch_index_error_message is None else len(batch_index_error_message_bytes) + 1
                if n > 127:
                    out += _pack_i(record_error.batch_index)
                    write_uvarint(out, n)
                else:
                    out += _pack_iB(record_error.batch_index, n)
                out += batch_index_error_message_bytes
                out.append(0)
            error_message = partition_response.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes
            if partition_response.current_leader is not DEFAULT_LeaderIdAndEpoch and partition_response.current_leader != DEFAULT_LeaderIdAndEpoch:
                if version <= 9:
                    raise absent_field_error("current_leader")
                out.append(1)
                part = bytearray()
                current_leader = partition_response.current_leader
                part += _pack_iix(current_leader.leader_id, current_leader.leader_epoch)
                write_uvarint(out, 0)
                write_uvarint(out, len(part))
                out += part
            else:
                out.append(0)
        out.append(0)
    out += _pack_i(m.throttle_time_ms)
    if m.node_endpoints:
        if version <= 9:
            raise absent_field_error("node_endpoints")
        out.append(1)
        part2 = bytearray()
        node_endpoints = m.node_endpoints
        n = len(node_endpoints) + 1
        if n > 127:
            write_uvarint(part2, n)
        else:
            part2.append(n)
        for node_endpoint in node_endpoints:
            host = node_endpoint.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                part2 += _pack_i(node_endpoint.node_id)
                write_uvarint(part2, n)
            else:
                part2 += _pack_iB(node_endpoint.node_id, n)
            part2 += host_bytes
            rack = node_endpoint.rack
            rack_bytes = b"" if rack is None else rack.encode()
            n = 0 if rack is None else len(rack_bytes) + 1
            if n > 127:
                part2 += _pack_i(node_endpoint.port)
                write_uvarint(part2, n)
            else:
                part2 += _pack_iB(node_endpoint.port, n)
            part2 += rack_bytes
            part2.append(0)
        write_uvarint(out, 0)
        write_uvarint(out, len(part2))
        out += part2
    else:
        out.append(0)


ProduceResponse.WRITERS = dict.fromkeys(range(0, 9), _write_produce_response_v0_8) | dict.fromkeys(range(9, 14), _write_produce_response_v9_13)
