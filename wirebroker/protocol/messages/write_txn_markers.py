"""WriteTxnMarkers: the transaction coordinator has commit or abort markers written (KIP-98).

v1  flexible
v2  transaction_version (KIP-1228)

Generated from protocol_specs/27_write_txn_markers by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
iter_ih = Struct(">ih").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ibx = Struct(">ibx").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_ix = Struct(">ix").pack
pack_q = Struct(">q").pack
pack_qht = Struct(">qh?").pack
pack_qhti = Struct(">qh?i").pack
pack_qi = Struct(">qi").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ibB = Struct(">ibB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_qB = Struct(">qB").unpack_from
unpack_qhtB = Struct(">qh?B").unpack_from
unpack_qhti = Struct(">qh?i").unpack_from
unpack_qi = Struct(">qi").unpack_from


class WritableTxnMarkerTopic(Data):
    __slots__ = FIELDS = ("name", "partition_indexes")

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes


class WritableTxnMarker(Data):
    __slots__ = FIELDS = (
        "producer_id",
        "producer_epoch",
        "transaction_result",
        "topics",
        "coordinator_epoch",
        "transaction_version",
    )

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        transaction_result: bool = False,
        topics: list[WritableTxnMarkerTopic] = UNSET,
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = [] if topics is UNSET else topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version


class WriteTxnMarkersRequest(Message):
    API_KEY = 27
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("markers",)

    def __init__(
        self,
        markers: list[WritableTxnMarker] = UNSET,
    ) -> None:
        self.markers = [] if markers is UNSET else markers


class WritableTxnMarkerPartitionResult(Data):
    __slots__ = FIELDS = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class WritableTxnMarkerTopicResult(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[WritableTxnMarkerPartitionResult] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class WritableTxnMarkerResult(Data):
    __slots__ = FIELDS = ("producer_id", "topics")

    def __init__(
        self,
        producer_id: int = 0,
        topics: list[WritableTxnMarkerTopicResult] = UNSET,
    ) -> None:
        self.producer_id = producer_id
        self.topics = [] if topics is UNSET else topics


class WriteTxnMarkersResponse(Message):
    API_KEY = 27
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = ("markers",)

    def __init__(
        self,
        markers: list[WritableTxnMarkerResult] = UNSET,
    ) -> None:
        self.markers = [] if markers is UNSET else markers


def _read_write_txn_markers_request_v0(b: bytes, at: int) -> tuple[WriteTxnMarkersRequest, int]:
    size = len(b)
    m = new(WriteTxnMarkersRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 19 > size - at:
        raise fault_length("markers", n)
    markers: list[WritableTxnMarker] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarker)
        marker.transaction_version = 0
        marker.producer_id, marker.producer_epoch, marker.transaction_result, n = unpack_qhti(b, at)
        at += 15
        if n < 0 or n * 6 > size - at:
            raise fault_length("topics", n)
        topics: list[WritableTxnMarkerTopic] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopic)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in iter_i(b[at:end])]
            at = end
            topics.append(topic)
        marker.coordinator_epoch = unpack_i(b, at)[0]
        at += 4
        markers.append(marker)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersRequest is {at - size} bytes short")
    return m, at


def _read_write_txn_markers_request_v1(b: bytes, at: int) -> tuple[WriteTxnMarkersRequest, int]:
    size = len(b)
    m = new(WriteTxnMarkersRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 17 > size - at:
        raise fault_length("markers", n)
    markers: list[WritableTxnMarker] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarker)
        marker.transaction_version = 0
        marker.producer_id, marker.producer_epoch, marker.transaction_result, n = unpack_qhtB(b, at)
        at += 12
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[WritableTxnMarkerTopic] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopic)
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
        marker.coordinator_epoch, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        markers.append(marker)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersRequest is {at - size} bytes short")
    return m, at


def _read_write_txn_markers_request_v2(b: bytes, at: int) -> tuple[WriteTxnMarkersRequest, int]:
    size = len(b)
    m = new(WriteTxnMarkersRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("markers", n)
    markers: list[WritableTxnMarker] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarker)
        marker.producer_id, marker.producer_epoch, marker.transaction_result, n = unpack_qhtB(b, at)
        at += 12
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[WritableTxnMarkerTopic] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopic)
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
        marker.coordinator_epoch, marker.transaction_version, tags = unpack_ibB(b, at)
        at += 6
        if tags:
            at = skip_tags(b, at, tags)
        markers.append(marker)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersRequest is {at - size} bytes short")
    return m, at


def _write_write_txn_markers_request_v0(m: WriteTxnMarkersRequest, out: bytearray) -> None:
    markers = m.markers
    out += pack_i(len(markers))
    for marker in markers:
        topics = marker.topics
        out += pack_qhti(marker.producer_id, marker.producer_epoch, marker.transaction_result, len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            partition_indexes = topic.partition_indexes
            out += pack_i(len(partition_indexes))
            out += b"".join(map(pack_i, partition_indexes))
        out += pack_i(marker.coordinator_epoch)


def _write_write_txn_markers_request_v1(m: WriteTxnMarkersRequest, out: bytearray) -> None:
    markers = m.markers
    n = len(markers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for marker in markers:
        topics = marker.topics
        out += pack_qht(marker.producer_id, marker.producer_epoch, marker.transaction_result)
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
        out += pack_ix(marker.coordinator_epoch)
    out.append(0)


def _write_write_txn_markers_request_v2(m: WriteTxnMarkersRequest, out: bytearray) -> None:
    markers = m.markers
    n = len(markers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for marker in markers:
        topics = marker.topics
        out += pack_qht(marker.producer_id, marker.producer_epoch, marker.transaction_result)
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
        out += pack_ibx(marker.coordinator_epoch, marker.transaction_version)
    out.append(0)


def _read_write_txn_markers_response_v0(b: bytes, at: int) -> tuple[WriteTxnMarkersResponse, int]:
    size = len(b)
    m = new(WriteTxnMarkersResponse)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 12 > size - at:
        raise fault_length("markers", n)
    markers: list[WritableTxnMarkerResult] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarkerResult)
        marker.producer_id, n = unpack_qi(b, at)
        at += 12
        if n < 0 or n * 6 > size - at:
            raise fault_length("topics", n)
        topics: list[WritableTxnMarkerTopicResult] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopicResult)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 6 > size - at:
                raise fault_length("partitions", n)
            partitions: list[WritableTxnMarkerPartitionResult] = []
            topic.partitions = partitions
            end = at + n * 6
            for values in iter_ih(b[at:end]):
                partition = new(WritableTxnMarkerPartitionResult)
                partition.partition_index, partition.error_code = values
                partitions.append(partition)
            at = end
            topics.append(topic)
        markers.append(marker)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersResponse is {at - size} bytes short")
    return m, at


def _read_write_txn_markers_response_v1_2(b: bytes, at: int) -> tuple[WriteTxnMarkersResponse, int]:
    size = len(b)
    m = new(WriteTxnMarkersResponse)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise fault_length("markers", n)
    markers: list[WritableTxnMarkerResult] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarkerResult)
        marker.producer_id, n = unpack_qB(b, at)
        at += 9
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[WritableTxnMarkerTopicResult] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopicResult)
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
            if n < 0 or n * 7 > size - at:
                raise fault_length("partitions", n)
            partitions: list[WritableTxnMarkerPartitionResult] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(WritableTxnMarkerPartitionResult)
                partition.partition_index, partition.error_code, tags = unpack_ihB(b, at)
                at += 7
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
        markers.append(marker)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersResponse is {at - size} bytes short")
    return m, at


def _write_write_txn_markers_response_v0(m: WriteTxnMarkersResponse, out: bytearray) -> None:
    markers = m.markers
    out += pack_i(len(markers))
    for marker in markers:
        topics = marker.topics
        out += pack_qi(marker.producer_id, len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            partitions = topic.partitions
            out += pack_i(len(partitions))
            for partition in partitions:
                out += pack_ih(partition.partition_index, partition.error_code)


def _write_write_txn_markers_response_v1_2(m: WriteTxnMarkersResponse, out: bytearray) -> None:
    markers = m.markers
    n = len(markers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for marker in markers:
        topics = marker.topics
        out += pack_q(marker.producer_id)
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
                out += pack_ihx(partition.partition_index, partition.error_code)
            out.append(0)
        out.append(0)
    out.append(0)


WriteTxnMarkersRequest.READERS = {
    0: _read_write_txn_markers_request_v0,
    1: _read_write_txn_markers_request_v1,
    2: _read_write_txn_markers_request_v2,
}
WriteTxnMarkersRequest.WRITERS = {
    0: _write_write_txn_markers_request_v0,
    1: _write_write_txn_markers_request_v1,
    2: _write_write_txn_markers_request_v2,
}
WriteTxnMarkersResponse.READERS = {
    0: _read_write_txn_markers_response_v0,
    1: _read_write_txn_markers_response_v1_2,
    2: _read_write_txn_markers_response_v1_2,
}
WriteTxnMarkersResponse.WRITERS = {
    0: _write_write_txn_markers_response_v0,
    1: _write_write_txn_markers_response_v1_2,
    2: _write_write_txn_markers_response_v1_2,
}
