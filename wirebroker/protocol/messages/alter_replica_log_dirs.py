"""AlterReplicaLogDirs: move replicas to other log directories of the asked broker (KIP-113).

v1  answers before it throttles (KIP-219)
v2  flexible

Generated from protocol_specs/34_alter_replica_log_dirs by tools/codegen: do not edit.
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
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from


class AlterReplicaLogDirTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class AlterReplicaLogDir(Data):
    __slots__ = FIELDS = ("path", "topics")

    def __init__(
        self,
        path: str = "",
        topics: list[AlterReplicaLogDirTopic] = UNSET,
    ) -> None:
        self.path = path
        self.topics = [] if topics is UNSET else topics


class AlterReplicaLogDirsRequest(Message):
    API_KEY = 34
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("dirs",)

    def __init__(
        self,
        dirs: list[AlterReplicaLogDir] = UNSET,
    ) -> None:
        self.dirs = [] if dirs is UNSET else dirs


class AlterReplicaLogDirPartitionResult(Data):
    __slots__ = FIELDS = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class AlterReplicaLogDirTopicResult(Data):
    __slots__ = FIELDS = ("topic_name", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[AlterReplicaLogDirPartitionResult] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions


class AlterReplicaLogDirsResponse(Message):
    API_KEY = 34
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AlterReplicaLogDirTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results


def _read_alter_replica_log_dirs_request_v0_1(b: bytes, at: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("dirs", n)
    dirs: list[AlterReplicaLogDir] = []
    m.dirs = dirs
    for _ in range(n):
        dir = new(AlterReplicaLogDir)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("path is null")
        end = at + n
        dir.path = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise fault_length("topics", n)
        topics: list[AlterReplicaLogDirTopic] = []
        dir.topics = topics
        for _ in range(n):
            topic = new(AlterReplicaLogDirTopic)
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
                raise fault_length("partitions", n)
            end = at + n * 4
            topic.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            topics.append(topic)
        dirs.append(dir)
    if at > size:
        raise ProtocolError(f"AlterReplicaLogDirsRequest is {at - size} bytes short")
    return m, at


def _read_alter_replica_log_dirs_request_v2(b: bytes, at: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("dirs", n)
    dirs: list[AlterReplicaLogDir] = []
    m.dirs = dirs
    for _ in range(n):
        dir = new(AlterReplicaLogDir)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("path is null")
        end = at + n - 1
        dir.path = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[AlterReplicaLogDirTopic] = []
        dir.topics = topics
        for _ in range(n):
            topic = new(AlterReplicaLogDirTopic)
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
                raise fault_length("partitions", n)
            end = at + n * 4
            topic.partitions = [each for (each,) in iter_i(b[at:end])]
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
        dirs.append(dir)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterReplicaLogDirsRequest is {at - size} bytes short")
    return m, at


def _write_alter_replica_log_dirs_request_v0_1(m: AlterReplicaLogDirsRequest, out: bytearray) -> None:
    dirs = m.dirs
    out += pack_i(len(dirs))
    for dir in dirs:
        path = dir.path
        path_bytes = path.encode()
        out += pack_h(len(path_bytes))
        out += path_bytes
        topics = dir.topics
        out += pack_i(len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            partitions = topic.partitions
            out += pack_i(len(partitions))
            out += b"".join(map(pack_i, partitions))


def _write_alter_replica_log_dirs_request_v2(m: AlterReplicaLogDirsRequest, out: bytearray) -> None:
    dirs = m.dirs
    n = len(dirs) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for dir in dirs:
        path = dir.path
        path_bytes = path.encode()
        n = len(path_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += path_bytes
        topics = dir.topics
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
            out += b"".join(map(pack_i, partitions))
            out.append(0)
        out.append(0)
    out.append(0)


def _read_alter_replica_log_dirs_response_v0_1(b: bytes, at: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("results", n)
    results: list[AlterReplicaLogDirTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(AlterReplicaLogDirTopicResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        result.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[AlterReplicaLogDirPartitionResult] = []
        result.partitions = partitions
        end = at + n * 6
        for values in iter_ih(b[at:end]):
            partition = new(AlterReplicaLogDirPartitionResult)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        results.append(result)
    if at > size:
        raise ProtocolError(f"AlterReplicaLogDirsResponse is {at - size} bytes short")
    return m, at


def _read_alter_replica_log_dirs_response_v2(b: bytes, at: int) -> tuple[AlterReplicaLogDirsResponse, int]:
    size = len(b)
    m = new(AlterReplicaLogDirsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("results", n)
    results: list[AlterReplicaLogDirTopicResult] = []
    m.results = results
    for _ in range(n):
        result = new(AlterReplicaLogDirTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        result.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise fault_length("partitions", n)
        partitions: list[AlterReplicaLogDirPartitionResult] = []
        result.partitions = partitions
        for _ in range(n):
            partition = new(AlterReplicaLogDirPartitionResult)
            partition.partition_index, partition.error_code, tags = unpack_ihB(b, at)
            at += 7
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AlterReplicaLogDirsResponse is {at - size} bytes short")
    return m, at


def _write_alter_replica_log_dirs_response_v0_1(m: AlterReplicaLogDirsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        topic_name = result.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        partitions = result.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_ih(partition.partition_index, partition.error_code)


def _write_alter_replica_log_dirs_response_v2(m: AlterReplicaLogDirsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_i(m.throttle_time_ms)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        topic_name = result.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partitions = result.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_ihx(partition.partition_index, partition.error_code)
        out.append(0)
    out.append(0)


AlterReplicaLogDirsRequest.READERS = {
    0: _read_alter_replica_log_dirs_request_v0_1,
    1: _read_alter_replica_log_dirs_request_v0_1,
    2: _read_alter_replica_log_dirs_request_v2,
}
AlterReplicaLogDirsRequest.WRITERS = {
    0: _write_alter_replica_log_dirs_request_v0_1,
    1: _write_alter_replica_log_dirs_request_v0_1,
    2: _write_alter_replica_log_dirs_request_v2,
}
AlterReplicaLogDirsResponse.READERS = {
    0: _read_alter_replica_log_dirs_response_v0_1,
    1: _read_alter_replica_log_dirs_response_v0_1,
    2: _read_alter_replica_log_dirs_response_v2,
}
AlterReplicaLogDirsResponse.WRITERS = {
    0: _write_alter_replica_log_dirs_response_v0_1,
    1: _write_alter_replica_log_dirs_response_v0_1,
    2: _write_alter_replica_log_dirs_response_v2,
}
