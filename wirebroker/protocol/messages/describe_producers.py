"""DescribeProducers: producers that a partition leader remembers (KIP-664).

Generated from protocol_specs/61_describe_producers by tools/codegen: do not edit.
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
pack_qiiqiqx = Struct(">qiiqiqx").pack
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_qiiqiqB = Struct(">qiiqiqB").unpack_from


class TopicRequest(Data):
    __slots__ = FIELDS = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes


class DescribeProducersRequest(Message):
    API_KEY = 61
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topics",)

    def __init__(
        self,
        topics: list[TopicRequest] = UNSET,
    ) -> None:
        self.topics = [] if topics is UNSET else topics


class ProducerState(Data):
    __slots__ = FIELDS = (
        "producer_id",
        "producer_epoch",
        "last_sequence",
        "last_timestamp",
        "coordinator_epoch",
        "current_txn_start_offset",
    )

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        last_sequence: int = -1,
        last_timestamp: int = -1,
        coordinator_epoch: int = 0,
        current_txn_start_offset: int = -1,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.last_sequence = last_sequence
        self.last_timestamp = last_timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_start_offset = current_txn_start_offset


class PartitionResponse(Data):
    __slots__ = FIELDS = ("partition_index", "error_code", "error_message", "active_producers")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        active_producers: list[ProducerState] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.active_producers = [] if active_producers is UNSET else active_producers


class TopicResponse(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[PartitionResponse] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class DescribeProducersResponse(Message):
    API_KEY = 61
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[TopicResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_describe_producers_request_v0(b: bytes, at: int) -> tuple[DescribeProducersRequest, int]:
    size = len(b)
    m = new(DescribeProducersRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[TopicRequest] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicRequest)
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
        raise ProtocolError(f"DescribeProducersRequest is {at - size} bytes short")
    return m, at


def _write_describe_producers_request_v0(m: DescribeProducersRequest, out: bytearray) -> None:
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
        partition_indexes = topic.partition_indexes
        n = len(partition_indexes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partition_indexes))
        out.append(0)
    out.append(0)


def _read_describe_producers_response_v0(b: bytes, at: int) -> tuple[DescribeProducersResponse, int]:
    size = len(b)
    m = new(DescribeProducersResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[TopicResponse] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TopicResponse)
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
        if n < 0 or n * 9 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionResponse] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(PartitionResponse)
            partition.partition_index, partition.error_code, n = unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.error_message = None
            else:
                end = at + n - 1
                partition.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 37 > size - at:
                raise fault_length("active_producers", n)
            active_producers: list[ProducerState] = []
            partition.active_producers = active_producers
            for _ in range(n):
                active_producer = new(ProducerState)
                active_producer.producer_id, active_producer.producer_epoch, active_producer.last_sequence, active_producer.last_timestamp, active_producer.coordinator_epoch, active_producer.current_txn_start_offset, tags = unpack_qiiqiqB(b, at)
                at += 37
                if tags:
                    at = skip_tags(b, at, tags)
                active_producers.append(active_producer)
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
        raise ProtocolError(f"DescribeProducersResponse is {at - size} bytes short")
    return m, at


def _write_describe_producers_response_v0(m: DescribeProducersResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(m.throttle_time_ms)
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
            error_message = partition.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            out += pack_ih(partition.partition_index, partition.error_code)
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes
            active_producers = partition.active_producers
            n = len(active_producers) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for active_producer in active_producers:
                out += pack_qiiqiqx(active_producer.producer_id, active_producer.producer_epoch, active_producer.last_sequence, active_producer.last_timestamp, active_producer.coordinator_epoch, active_producer.current_txn_start_offset)
            out.append(0)
        out.append(0)
    out.append(0)


DescribeProducersRequest.READERS = {
    0: _read_describe_producers_request_v0,
}
DescribeProducersRequest.WRITERS = {
    0: _write_describe_producers_request_v0,
}
DescribeProducersResponse.READERS = {
    0: _read_describe_producers_response_v0,
}
DescribeProducersResponse.WRITERS = {
    0: _write_describe_producers_response_v0,
}
