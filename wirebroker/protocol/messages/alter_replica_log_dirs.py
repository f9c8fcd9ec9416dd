"""AlterReplicaLogDirs: move replicas to other log directories of this broker (KIP-113).

v1  responds before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/34_alter_replica_log_dirs by tools/codegen: do not edit.
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
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_pack_list_i = array_packer("i")
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from


class AlterReplicaLogDirTopic(Data):
    """An element of `AlterReplicaLogDir.topics`."""

    name: str = ""
    partitions: list[int] = []


class AlterReplicaLogDir(Data):
    """An element of `AlterReplicaLogDirsRequest.dirs`."""

    path: str = ""
    topics: list[AlterReplicaLogDirTopic] = []


class AlterReplicaLogDirsRequest(ReadableMessage, WritableMessage):
    API_KEY = 34
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    dirs: list[AlterReplicaLogDir] = []


class AlterReplicaLogDirPartitionResult(Data):
    """An element of `AlterReplicaLogDirTopicResult.partitions`."""

    partition_index: int = 0
    error_code: int = 0


class AlterReplicaLogDirTopicResult(Data):
    """An element of `AlterReplicaLogDirsResponse.results`."""

    topic_name: str = ""
    partitions: list[AlterReplicaLogDirPartitionResult] = []


class AlterReplicaLogDirsResponse(ReadableMessage, WritableMessage):
    API_KEY = 34
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    results: list[AlterReplicaLogDirTopicResult] = []


def _read_alter_replica_log_dirs_request_v0_1(b: bytes, at: int, version: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("dirs", n)
    dirs: list[AlterReplicaLogDir] = []
    m.dirs = dirs
    for _ in range(n):
        dir = new(AlterReplicaLogDir)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("path is null")
        end = at + n
        dir.path = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise count_error("topics", n)
        topics: list[AlterReplicaLogDirTopic] = []
        dir.topics = topics
        for _ in range(n):
            topic = new(AlterReplicaLogDirTopic)
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
                raise count_error("partitions", n)
            end = at + n * 4
            topic.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            topics.append(topic)
        dirs.append(dir)
    if at > size:
        raise ProtocolError(f"AlterReplicaLogDirsRequest is {at - size} bytes short")
    return m, at


def _read_alter_replica_log_dirs_request_v2(b: bytes, at: int, version: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("dirs", n)
    dirs: list[AlterReplicaLogDir] = []
    m.dirs = dirs
    for _ in range(n):
        dir = new(AlterReplicaLogDir)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("path is null")
        end = at + n - 1
        dir.path = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[AlterReplicaLogDirTopic] = []
        dir.topics = topics
        for _ in range(n):
            topic = new(AlterReplicaLogDirTopic)
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
        dirs.append(dir)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterReplicaLogDirsRequest is {at - size} bytes short")
    return m, at


AlterReplicaLogDirsRequest.READERS = dict.fromkeys(range(0, 2), _read_alter_replica_log_dirs_request_v0_1) | dict.fromkeys(range(2, 3), _read_alter_replica_log_dirs_request_v2)


def _write_alter_replica_log_dirs_request_v0_1(m: AlterReplicaLogDirsRequest, out: bytearray, version: int) -> None:
    dirs = m.dirs
    out += _pack_i(len(dirs))
    for dir in dirs:
        path = dir.path
        path_bytes = path.encode()
        out += _pack_h(len(path_bytes))
        out += path_bytes
        topics = dir.topics
        out += _pack_i(len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
            partitions = topic.partitions
            out += _pack_i(len(partitions))
            out += _pack_list_i(partitions)


def _write_alter_replica_log_dirs_request_v2(m: AlterReplicaLogDirsRequest, out: bytearray, version: int) -> None:
    dirs = m.dirs
    n = len(dirs) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for dir in dirs:
        path = dir.path
        path_bytes = path.encode()
        n = len(path_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += path_bytes
        topics = dir.topics
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
            out += _pack_list_i(partitions)
            out.append(0)
        out.append(0)
    out.append(0)


AlterReplicaLogDirsRequest.WRITERS = dict.fromkeys(range(0, 2), _write_alter_replica_log_dirs_request_v0_1) | dict.fromkeys(range(2, 3), _write_alter_replica_log_dirs_request_v2)


def _read_alter_replica_log_dirs_response_v0_1(b: bytes, at: int, version: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsResponse)
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise count_error("results", n)
    results: list[AlterReplicaLogDirTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(AlterReplicaLogDirTopicResult)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        result.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise count_error("partitions", n)
        partitions: list[AlterReplicaLogDirPartitionResult] = []
        result.partitions = partitions
        end = at + n * 6
        for values in _iter_ih(b[at:end]):
            partition = new(AlterReplicaLogDirPartitionResult)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        results.append(result)
    if at > size:
        raise ProtocolError(f"AlterReplicaLogDirsResponse is {at - size} bytes short")
    return m, at


def _read_alter_replica_log_dirs_response_v2(b: bytes, at: int, version: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("results", n)
    results: list[AlterReplicaLogDirTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(AlterReplicaLogDirTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        result.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise count_error("partitions", n)
        partitions: list[AlterReplicaLogDirPartitionResult] = []
        result.partitions = partitions
        for _ in range(n):
            partition = new(AlterReplicaLogDirPartitionResult)
            partition.partition_index, partition.error_code, tags = _unpack_ihB(b, at)
            at += 7
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterReplicaLogDirsResponse is {at - size} bytes short")
    return m, at


AlterReplicaLogDirsResponse.READERS = dict.fromkeys(range(0, 2), _read_alter_replica_log_dirs_response_v0_1) | dict.fromkeys(range(2, 3), _read_alter_replica_log_dirs_response_v2)


def _write_alter_replica_log_dirs_response_v0_1(m: AlterReplicaLogDirsResponse, out: bytearray, version: int) -> None:
    results = m.results
    out += _pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        topic_name = result.topic_name
        topic_name_bytes = topic_name.encode()
        out += _pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        partitions = result.partitions
        out += _pack_i(len(partitions))
        for partition in partitions:
            out += _pack_ih(partition.partition_index, partition.error_code)


def _write_alter_replica_log_dirs_response_v2(m: AlterReplicaLogDirsResponse, out: bytearray, version: int) -> None:
    results = m.results
    n = len(results) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for result in results:
        topic_name = result.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partitions = result.partitions
        n = len(partitions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += _pack_ihx(partition.partition_index, partition.error_code)
        out.append(0)
    out.append(0)


AlterReplicaLogDirsResponse.WRITERS = dict.fromkeys(range(0, 2), _write_alter_replica_log_dirs_response_v0_1) | dict.fromkeys(range(2, 3), _write_alter_replica_log_dirs_response_v2)
