"""DescribeProducers: the producer states of partitions (KIP-664).

Generated from protocol_specs/61_describe_producers by tools/codegen: do not edit.
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
_pack_qiiqiqx = Struct(">qiiqiqx").pack
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_qiiqiqB = Struct(">qiiqiqB").unpack_from


class TopicRequest(Data):
    """An element of `DescribeProducersRequest.topics`."""

    name: str = ""
    partition_indexes: list[int] = []


class DescribeProducersRequest(ReadableMessage, WritableMessage):
    API_KEY = 61
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    topics: list[TopicRequest] = []


class ProducerState(Data):
    """An element of `PartitionResponse.active_producers`."""

    producer_id: int = 0
    producer_epoch: int = 0
    last_sequence: int = -1
    last_timestamp: int = -1
    coordinator_epoch: int = 0
    """Coordinator epoch of the last marker; -1 none."""
    current_txn_start_offset: int = -1
    """-1: no open transaction."""


class PartitionResponse(Data):
    """An element of `TopicResponse.partitions`."""

    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    active_producers: list[ProducerState] = []


class TopicResponse(Data):
    """An element of `DescribeProducersResponse.topics`."""

    name: str = ""
    partitions: list[PartitionResponse] = []


class DescribeProducersResponse(ReadableMessage, WritableMessage):
    API_KEY = 61
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    topics: list[TopicResponse] = []


def _read_describe_producers_request_v0(b: bytes, at: int, version: int) -> tuple[DescribeProducersRequest, int]:
    size = len(b)
    m = new(DescribeProducersRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[TopicRequest] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicRequest)
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
        raise ProtocolError(f"DescribeProducersRequest is {at - size} bytes short")
    return m, at


DescribeProducersRequest.READERS = dict.fromkeys(range(0, 1), _read_describe_producers_request_v0)


def _write_describe_producers_request_v0(m: DescribeProducersRequest, out: bytearray, version: int) -> None:
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
        partition_indexes = topic.partition_indexes
        n = len(partition_indexes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += _pack_list_i(partition_indexes)
        out.append(0)
    out.append(0)


DescribeProducersRequest.WRITERS = dict.fromkeys(range(0, 1), _write_describe_producers_request_v0)


def _read_describe_producers_response_v0(b: bytes, at: int, version: int) -> tuple[DescribeProducersResponse, int]:
    size = len(b)
    m = new(DescribeProducersResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topics", n)
    topics: list[TopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicResponse)
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
        if n < 0 or n * 9 > size - at:
            raise count_error("partitions", n)
        partitions: list[PartitionResponse] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(PartitionResponse)
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
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 37 > size - at:
                raise count_error("active_producers", n)
            active_producers: list[ProducerState] = []
            partition.active_producers = active_producers
            for _ in range(n):
                active_producer = new(ProducerState)
                active_producer.producer_id, active_producer.producer_epoch, active_producer.last_sequence, active_producer.last_timestamp, active_producer.coordinator_epoch, active_producer.current_txn_start_offset, tags = _unpack_qiiqiqB(b, at)
                at += 37
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                active_producers.append(active_producer)
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
        raise ProtocolError(f"DescribeProducersResponse is {at - size} bytes short")
    return m, at


DescribeProducersResponse.READERS = dict.fromkeys(range(0, 1), _read_describe_producers_response_v0)


def _write_describe_producers_response_v0(m: DescribeProducersResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
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
            error_message = partition.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                out += _pack_ih(partition.partition_index, partition.error_code)
                write_uvarint(out, n)
            else:
                out += _pack_ihB(partition.partition_index, partition.error_code, n)
            out += error_message_bytes
            active_producers = partition.active_producers
            n = len(active_producers) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for active_producer in active_producers:
                out += _pack_qiiqiqx(active_producer.producer_id, active_producer.producer_epoch, active_producer.last_sequence, active_producer.last_timestamp, active_producer.coordinator_epoch, active_producer.current_txn_start_offset)
            out.append(0)
        out.append(0)
    out.append(0)


DescribeProducersResponse.WRITERS = dict.fromkeys(range(0, 1), _write_describe_producers_response_v0)
