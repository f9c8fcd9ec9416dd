"""WriteTxnMarkers: the transaction coordinator sends commit and abort markers to partition leaders (KIP-98).

v1  flexible
v2  transaction_version (KIP-1228)

Generated from protocol_specs/27_write_txn_markers by tools/codegen: do not edit.
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
_iter_ih = Struct(">ih").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ibx = Struct(">ibx").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ix = Struct(">ix").pack
_pack_list_i = array_packer("i")
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack
_pack_qht = Struct(">qh?").pack
_pack_qhtB = Struct(">qh?B").pack
_pack_qhti = Struct(">qh?i").pack
_pack_qi = Struct(">qi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ibB = Struct(">ibB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_qhtB = Struct(">qh?B").unpack_from
_unpack_qhti = Struct(">qh?i").unpack_from
_unpack_qi = Struct(">qi").unpack_from


class WritableTxnMarkerTopic(Data):
    """An element of `WritableTxnMarker.topics`."""

    name: str = ""
    partition_indexes: list[int] = []


class WritableTxnMarker(Data):
    """An element of `WriteTxnMarkersRequest.markers`."""

    producer_id: int = 0
    producer_epoch: int = 0
    transaction_result: bool = False
    """True commit, false abort."""
    topics: list[WritableTxnMarkerTopic] = []
    coordinator_epoch: int = 0
    """Leader epoch of the coordinator's partition of __transaction_state; an earlier one is fenced."""
    transaction_version: int = 0  # v2+
    """Level of the feature transaction.version."""


class WriteTxnMarkersRequest(ReadableMessage, WritableMessage):
    API_KEY = 27
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 1

    markers: list[WritableTxnMarker] = []


class WritableTxnMarkerPartitionResult(Data):
    """An element of `WritableTxnMarkerTopicResult.partitions`."""

    partition_index: int = 0
    error_code: int = 0


class WritableTxnMarkerTopicResult(Data):
    """An element of `WritableTxnMarkerResult.topics`."""

    name: str = ""
    partitions: list[WritableTxnMarkerPartitionResult] = []


class WritableTxnMarkerResult(Data):
    """An element of `WriteTxnMarkersResponse.markers`."""

    producer_id: int = 0
    topics: list[WritableTxnMarkerTopicResult] = []


class WriteTxnMarkersResponse(ReadableMessage, WritableMessage):
    API_KEY = 27
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 1

    markers: list[WritableTxnMarkerResult] = []


def _read_write_txn_markers_request_v0(b: bytes, at: int, version: int) -> tuple[WriteTxnMarkersRequest, int]:
    size = len(b)
    m = new(WriteTxnMarkersRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 19 > size - at:
        raise count_error("markers", n)
    markers: list[WritableTxnMarker] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarker)
        marker.transaction_version = 0
        marker.producer_id, marker.producer_epoch, marker.transaction_result, n = _unpack_qhti(b, at)
        at += 15
        if n < 0 or n * 6 > size - at:
            raise count_error("topics", n)
        topics: list[WritableTxnMarkerTopic] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopic)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("partition_indexes", n)
            end = at + n * 4
            topic.partition_indexes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            topics.append(topic)
        marker.coordinator_epoch = _unpack_i(b, at)[0]
        at += 4
        markers.append(marker)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersRequest is {at - size} bytes short")
    return m, at


def _read_write_txn_markers_request_v1_2(b: bytes, at: int, version: int) -> tuple[WriteTxnMarkersRequest, int]:
    size = len(b)
    m = new(WriteTxnMarkersRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 17 > size - at:
        raise count_error("markers", n)
    markers: list[WritableTxnMarker] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarker)
        marker.producer_id, marker.producer_epoch, marker.transaction_result, n = _unpack_qhtB(b, at)
        at += 12
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[WritableTxnMarkerTopic] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopic)
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
        if version >= 2:
            marker.coordinator_epoch, marker.transaction_version, tags = _unpack_ibB(b, at)
            at += 6
        else:
            marker.transaction_version = 0
            marker.coordinator_epoch, tags = _unpack_iB(b, at)
            at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        markers.append(marker)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersRequest is {at - size} bytes short")
    return m, at


WriteTxnMarkersRequest.READERS = dict.fromkeys(range(0, 1), _read_write_txn_markers_request_v0) | dict.fromkeys(range(1, 3), _read_write_txn_markers_request_v1_2)


def _write_write_txn_markers_request_v0(m: WriteTxnMarkersRequest, out: bytearray, version: int) -> None:
    markers = m.markers
    out += _pack_i(len(markers))
    for marker in markers:
        topics = marker.topics
        out += _pack_qhti(marker.producer_id, marker.producer_epoch, marker.transaction_result, len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
            partition_indexes = topic.partition_indexes
            out += _pack_i(len(partition_indexes))
            out += _pack_list_i(partition_indexes)
        out += _pack_i(marker.coordinator_epoch)


def _write_write_txn_markers_request_v1_2(m: WriteTxnMarkersRequest, out: bytearray, version: int) -> None:
    markers = m.markers
    n = len(markers) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for marker in markers:
        topics = marker.topics
        n = len(topics) + 1
        if n > 127:
            out += _pack_qht(marker.producer_id, marker.producer_epoch, marker.transaction_result)
            write_uvarint(out, n)
        else:
            out += _pack_qhtB(marker.producer_id, marker.producer_epoch, marker.transaction_result, n)
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
        if version >= 2:
            out += _pack_ibx(marker.coordinator_epoch, marker.transaction_version)
        else:
            out += _pack_ix(marker.coordinator_epoch)
    out.append(0)


WriteTxnMarkersRequest.WRITERS = dict.fromkeys(range(0, 1), _write_write_txn_markers_request_v0) | dict.fromkeys(range(1, 3), _write_write_txn_markers_request_v1_2)


def _read_write_txn_markers_response_v0(b: bytes, at: int, version: int) -> tuple[WriteTxnMarkersResponse, int]:
    size = len(b)
    m = new(WriteTxnMarkersResponse)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 12 > size - at:
        raise count_error("markers", n)
    markers: list[WritableTxnMarkerResult] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarkerResult)
        marker.producer_id, n = _unpack_qi(b, at)
        at += 12
        if n < 0 or n * 6 > size - at:
            raise count_error("topics", n)
        topics: list[WritableTxnMarkerTopicResult] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopicResult)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 6 > size - at:
                raise count_error("partitions", n)
            partitions: list[WritableTxnMarkerPartitionResult] = []
            topic.partitions = partitions
            end = at + n * 6
            for values in _iter_ih(b[at:end]):
                partition = new(WritableTxnMarkerPartitionResult)
                partition.partition_index, partition.error_code = values
                partitions.append(partition)
            at = end
            topics.append(topic)
        markers.append(marker)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersResponse is {at - size} bytes short")
    return m, at


def _read_write_txn_markers_response_v1_2(b: bytes, at: int, version: int) -> tuple[WriteTxnMarkersResponse, int]:
    size = len(b)
    m = new(WriteTxnMarkersResponse)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise count_error("markers", n)
    markers: list[WritableTxnMarkerResult] = []
    m.markers = markers
    for _ in range(n):
        marker = new(WritableTxnMarkerResult)
        marker.producer_id, n = _unpack_qB(b, at)
        at += 9
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[WritableTxnMarkerTopicResult] = []
        marker.topics = topics
        for _ in range(n):
            topic = new(WritableTxnMarkerTopicResult)
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
            if n < 0 or n * 7 > size - at:
                raise count_error("partitions", n)
            partitions: list[WritableTxnMarkerPartitionResult] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(WritableTxnMarkerPartitionResult)
                partition.partition_index, partition.error_code, tags = _unpack_ihB(b, at)
                at += 7
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
        markers.append(marker)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"WriteTxnMarkersResponse is {at - size} bytes short")
    return m, at


WriteTxnMarkersResponse.READERS = dict.fromkeys(range(0, 1), _read_write_txn_markers_response_v0) | dict.fromkeys(range(1, 3), _read_write_txn_markers_response_v1_2)


def _write_write_txn_markers_response_v0(m: WriteTxnMarkersResponse, out: bytearray, version: int) -> None:
    markers = m.markers
    out += _pack_i(len(markers))
    for marker in markers:
        topics = marker.topics
        out += _pack_qi(marker.producer_id, len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
            partitions = topic.partitions
            out += _pack_i(len(partitions))
            for partition in partitions:
                out += _pack_ih(partition.partition_index, partition.error_code)


def _write_write_txn_markers_response_v1_2(m: WriteTxnMarkersResponse, out: bytearray, version: int) -> None:
    markers = m.markers
    n = len(markers) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for marker in markers:
        topics = marker.topics
        n = len(topics) + 1
        if n > 127:
            out += _pack_q(marker.producer_id)
            write_uvarint(out, n)
        else:
            out += _pack_qB(marker.producer_id, n)
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
                out += _pack_ihx(partition.partition_index, partition.error_code)
            out.append(0)
        out.append(0)
    out.append(0)


WriteTxnMarkersResponse.WRITERS = dict.fromkeys(range(0, 1), _write_write_txn_markers_response_v0) | dict.fromkeys(range(1, 3), _write_write_txn_markers_response_v1_2)
