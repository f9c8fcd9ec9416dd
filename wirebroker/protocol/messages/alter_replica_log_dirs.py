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
from wirebroker.protocol.primitives import count_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from


class AlterReplicaLogDirTopic(Data):
    """An element of `AlterReplicaLogDir.topics`."""

    name: str = ""
    partitions: list[int] = []


class AlterReplicaLogDir(Data):
    """An element of `AlterReplicaLogDirsRequest.dirs`."""

    path: str = ""
    topics: list[AlterReplicaLogDirTopic] = []


class AlterReplicaLogDirsRequest(ReadableMessage):
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


class AlterReplicaLogDirsResponse(WritableMessage):
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
