"""DescribeLogDirs: the replicas in the log directories of this broker (KIP-113).

v1  responds before it throttles (KIP-219)
v2  flexible
v3  error_code for the whole response
v4  sizes of the volume (KIP-827)
v5  is_cordoned (KIP-1066)

Generated from protocol_specs/35_describe_log_dirs by tools/codegen: do not edit.
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
_iter_iqqt = Struct(">iqq?").iter_unpack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_iqqt = Struct(">iqq?").pack
_pack_iqqtx = Struct(">iqq?x").pack
_pack_list_i = array_packer("i")
_pack_qqtx = Struct(">qq?x").pack
_pack_qqx = Struct(">qqx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqqtB = Struct(">iqq?B").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from
_unpack_qqtB = Struct(">qq?B").unpack_from


class DescribableLogDirTopic(Data):
    """An element of `DescribeLogDirsRequest.topics`."""

    topic: str = ""
    partitions: list[int] = []


class DescribeLogDirsRequest(ReadableMessage, WritableMessage):
    API_KEY = 35
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 2

    topics: list[DescribableLogDirTopic] | None = []
    """Null: all topics."""


class DescribeLogDirsPartition(Data):
    """An element of `DescribeLogDirsTopic.partitions`."""

    partition_index: int = 0
    partition_size: int = 0
    offset_lag: int = 0
    """Log end offset behind the high watermark; of a future log: behind the current log."""
    is_future_key: bool = False
    """True for a future log, which is going to replace the current log."""


class DescribeLogDirsTopic(Data):
    """An element of `DescribeLogDirsResult.topics`."""

    name: str = ""
    partitions: list[DescribeLogDirsPartition] = []


class DescribeLogDirsResult(Data):
    """An element of `DescribeLogDirsResponse.results`."""

    error_code: int = 0
    log_dir: str = ""
    topics: list[DescribeLogDirsTopic] = []
    total_bytes: int = -1  # v4+
    """Total bytes of the volume; -1 unknown (KIP-827)."""
    usable_bytes: int = -1  # v4+
    """Usable bytes of the volume; -1 unknown."""
    is_cordoned: bool = False  # v5+
    """True if the directory takes no new partitions (KIP-1066)."""


class DescribeLogDirsResponse(ReadableMessage, WritableMessage):
    API_KEY = 35
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0  # v3+
    results: list[DescribeLogDirsResult] = []


def _read_describe_log_dirs_request_v0_1(b: bytes, at: int, version: int) -> tuple[DescribeLogDirsRequest, int]:
    size = len(b)
    m = new(DescribeLogDirsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.topics = None
    else:
        if n * 6 > size - at:
            raise count_error("topics", n)
        topics: list[DescribableLogDirTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(DescribableLogDirTopic)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            topic.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            topic.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            topics.append(topic)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsRequest is {at - size} bytes short")
    return m, at


def _read_describe_log_dirs_request_v2_5(b: bytes, at: int, version: int) -> tuple[DescribeLogDirsRequest, int]:
    size = len(b)
    m = new(DescribeLogDirsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[DescribableLogDirTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(DescribableLogDirTopic)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            topic.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            topic.partitions = [each for (each,) in _iter_i(b[at:end])]
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
        raise ProtocolError(f"DescribeLogDirsRequest is {at - size} bytes short")
    return m, at


DescribeLogDirsRequest.READERS = dict.fromkeys(range(0, 2), _read_describe_log_dirs_request_v0_1) | dict.fromkeys(range(2, 6), _read_describe_log_dirs_request_v2_5)


def _write_describe_log_dirs_request_v0_1(m: DescribeLogDirsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    out += _pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            topic2 = topic.topic
            topic_bytes = topic2.encode()
            out += _pack_h(len(topic_bytes))
            out += topic_bytes
            partitions = topic.partitions
            out += _pack_i(len(partitions))
            out += _pack_list_i(partitions)


def _write_describe_log_dirs_request_v2_5(m: DescribeLogDirsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            topic2 = topic.topic
            topic_bytes = topic2.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
            partitions = topic.partitions
            n = len(partitions) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(partitions)
            out.append(0)
    out.append(0)


DescribeLogDirsRequest.WRITERS = dict.fromkeys(range(0, 2), _write_describe_log_dirs_request_v0_1) | dict.fromkeys(range(2, 6), _write_describe_log_dirs_request_v2_5)


def _read_describe_log_dirs_response_v0_1(b: bytes, at: int, version: int) -> tuple[DescribeLogDirsResponse, int]:
    size = len(b)
    m = new(DescribeLogDirsResponse)
    m.error_code = 0
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 8 > size - at:
        raise count_error("results", n)
    results: list[DescribeLogDirsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeLogDirsResult)
        result.total_bytes = -1
        result.usable_bytes = -1
        result.is_cordoned = False
        result.error_code, n = _unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("log_dir is null")
        end = at + n
        result.log_dir = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise count_error("topics", n)
        topics: list[DescribeLogDirsTopic] = []
        result.topics = topics
        for _ in range(n):
            topic = new(DescribeLogDirsTopic)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 21 > size - at:
                raise count_error("partitions", n)
            partitions: list[DescribeLogDirsPartition] = []
            topic.partitions = partitions
            end = at + n * 21
            for values in _iter_iqqt(b[at:end]):
                partition = new(DescribeLogDirsPartition)
                partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key = values
                partitions.append(partition)
            at = end
            topics.append(topic)
        results.append(result)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsResponse is {at - size} bytes short")
    return m, at


def _read_describe_log_dirs_response_v2_5(b: bytes, at: int, version: int) -> tuple[DescribeLogDirsResponse, int]:
    size = len(b)
    m = new(DescribeLogDirsResponse)
    if version >= 3:
        m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
        at += 7
    else:
        m.error_code = 0
        m.throttle_time_ms, n = _unpack_iB(b, at)
        at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise count_error("results", n)
    results: list[DescribeLogDirsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeLogDirsResult)
        result.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("log_dir is null")
        end = at + n - 1
        result.log_dir = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[DescribeLogDirsTopic] = []
        result.topics = topics
        for _ in range(n):
            topic = new(DescribeLogDirsTopic)
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
            if n < 0 or n * 22 > size - at:
                raise count_error("partitions", n)
            partitions: list[DescribeLogDirsPartition] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(DescribeLogDirsPartition)
                partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key, tags = _unpack_iqqtB(b, at)
                at += 22
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                partitions.append(partition)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topics.append(topic)
        if version >= 5:
            result.total_bytes, result.usable_bytes, result.is_cordoned, tags = _unpack_qqtB(b, at)
            at += 18
        elif version >= 4:
            result.is_cordoned = False
            result.total_bytes, result.usable_bytes, tags = _unpack_qqB(b, at)
            at += 17
        else:
            result.total_bytes = -1
            result.usable_bytes = -1
            result.is_cordoned = False
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
        raise ProtocolError(f"DescribeLogDirsResponse is {at - size} bytes short")
    return m, at


DescribeLogDirsResponse.READERS = dict.fromkeys(range(0, 2), _read_describe_log_dirs_response_v0_1) | dict.fromkeys(range(2, 6), _read_describe_log_dirs_response_v2_5)


def _write_describe_log_dirs_response_v0_1(m: DescribeLogDirsResponse, out: bytearray, version: int) -> None:
    results = m.results
    out += _pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        log_dir = result.log_dir
        log_dir_bytes = log_dir.encode()
        out += _pack_hh(result.error_code, len(log_dir_bytes))
        out += log_dir_bytes
        topics = result.topics
        out += _pack_i(len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
            partitions = topic.partitions
            out += _pack_i(len(partitions))
            for partition in partitions:
                out += _pack_iqqt(partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key)


def _write_describe_log_dirs_response_v2_5(m: DescribeLogDirsResponse, out: bytearray, version: int) -> None:
    results = m.results
    n = len(results) + 1
    if version >= 3:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
    else:
        out += _pack_i(m.throttle_time_ms)
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        log_dir = result.log_dir
        log_dir_bytes = log_dir.encode()
        n = len(log_dir_bytes) + 1
        if n > 127:
            out += _pack_h(result.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(result.error_code, n)
        out += log_dir_bytes
        topics = result.topics
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
            partitions = topic.partitions
            n = len(partitions) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for partition in partitions:
                out += _pack_iqqtx(partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key)
            out.append(0)
        if version >= 5:
            out += _pack_qqtx(result.total_bytes, result.usable_bytes, result.is_cordoned)
        elif version >= 4:
            out += _pack_qqx(result.total_bytes, result.usable_bytes)
        else:
            out.append(0)
    out.append(0)


DescribeLogDirsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_describe_log_dirs_response_v0_1) | dict.fromkeys(range(2, 6), _write_describe_log_dirs_response_v2_5)
