"""DescribeLogDirs: what is in the asked broker's log directories (KIP-113).

v1  answers before it throttles (KIP-219)
v2  flexible
v3  error_code for the whole answer
v4  sizes of the file system (KIP-827)
v5  is_cordoned (KIP-1066)

Generated from protocol_specs/35_describe_log_dirs by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
iter_iqqt = Struct(">iqq?").iter_unpack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_iqqt = Struct(">iqq?").pack
pack_iqqtx = Struct(">iqq?x").pack
pack_qqtx = Struct(">qq?x").pack
pack_qqx = Struct(">qqx").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqqtB = Struct(">iqq?B").unpack_from
unpack_qqB = Struct(">qqB").unpack_from
unpack_qqtB = Struct(">qq?B").unpack_from


class DescribableLogDirTopic(Data):
    """null in a request: all"""

    __slots__ = FIELDS = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions


class DescribeLogDirsRequest(Message):
    API_KEY = 35
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("topics",)

    def __init__(
        self,
        topics: list[DescribableLogDirTopic] | None = UNSET,
    ) -> None:
        self.topics = [] if topics is UNSET else topics


class DescribeLogDirsPartition(Data):
    __slots__ = FIELDS = ("partition_index", "partition_size", "offset_lag", "is_future_key")

    def __init__(
        self,
        partition_index: int = 0,
        partition_size: int = 0,
        offset_lag: int = 0,
        is_future_key: bool = False,
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key


class DescribeLogDirsTopic(Data):
    """null in a request: all"""

    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[DescribeLogDirsPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class DescribeLogDirsResult(Data):
    __slots__ = FIELDS = ("error_code", "log_dir", "topics", "total_bytes", "usable_bytes", "is_cordoned")

    def __init__(
        self,
        error_code: int = 0,
        log_dir: str = "",
        topics: list[DescribeLogDirsTopic] = UNSET,
        total_bytes: int = -1,
        usable_bytes: int = -1,
        is_cordoned: bool = False,
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = [] if topics is UNSET else topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.is_cordoned = is_cordoned


class DescribeLogDirsResponse(Message):
    API_KEY = 35
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "results")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: list[DescribeLogDirsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = [] if results is UNSET else results


def _read_describe_log_dirs_request_v0_1(b: bytes, at: int) -> tuple[DescribeLogDirsRequest, int]:
    size = len(b)
    m = new(DescribeLogDirsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.topics = None
    else:
        if n * 6 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribableLogDirTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(DescribableLogDirTopic)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            topic.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            topics.append(topic)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsRequest is {at - size} bytes short")
    return m, at


def _read_describe_log_dirs_request_v2_5(b: bytes, at: int) -> tuple[DescribeLogDirsRequest, int]:
    size = len(b)
    m = new(DescribeLogDirsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribableLogDirTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(DescribableLogDirTopic)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            topic.topic = b[at:end].decode("utf-8", "replace")
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
    if at > size:
        raise ProtocolError(f"DescribeLogDirsRequest is {at - size} bytes short")
    return m, at


def _write_describe_log_dirs_request_v0_1(m: DescribeLogDirsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            topic2 = topic.topic
            topic_bytes = topic2.encode()
            out += pack_h(len(topic_bytes))
            out += topic_bytes
            partitions = topic.partitions
            out += pack_i(len(partitions))
            out += b"".join(map(pack_i, partitions))


def _write_describe_log_dirs_request_v2_5(m: DescribeLogDirsRequest, out: bytearray) -> None:
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            topic2 = topic.topic
            topic_bytes = topic2.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
            partitions = topic.partitions
            n = len(partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partitions))
            out.append(0)
    out.append(0)


def _read_describe_log_dirs_response_v0_1(b: bytes, at: int) -> tuple[DescribeLogDirsResponse, int]:
    size = len(b)
    m = new(DescribeLogDirsResponse)
    m.error_code = 0
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 8 > size - at:
        raise fault_length("results", n)
    results: list[DescribeLogDirsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeLogDirsResult)
        result.total_bytes = -1
        result.usable_bytes = -1
        result.is_cordoned = False
        result.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("log_dir is null")
        end = at + n
        result.log_dir = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribeLogDirsTopic] = []
        result.topics = topics
        for _ in range(n):
            topic = new(DescribeLogDirsTopic)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 21 > size - at:
                raise fault_length("partitions", n)
            partitions: list[DescribeLogDirsPartition] = []
            topic.partitions = partitions
            end = at + n * 21
            for values in iter_iqqt(b[at:end]):
                partition = new(DescribeLogDirsPartition)
                partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key = values
                partitions.append(partition)
            at = end
            topics.append(topic)
        results.append(result)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsResponse is {at - size} bytes short")
    return m, at


def _read_describe_log_dirs_response_v2(b: bytes, at: int) -> tuple[DescribeLogDirsResponse, int]:
    size = len(b)
    m = new(DescribeLogDirsResponse)
    m.error_code = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("results", n)
    results: list[DescribeLogDirsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeLogDirsResult)
        result.total_bytes = -1
        result.usable_bytes = -1
        result.is_cordoned = False
        result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("log_dir is null")
        end = at + n - 1
        result.log_dir = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribeLogDirsTopic] = []
        result.topics = topics
        for _ in range(n):
            topic = new(DescribeLogDirsTopic)
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
            if n < 0 or n * 22 > size - at:
                raise fault_length("partitions", n)
            partitions: list[DescribeLogDirsPartition] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(DescribeLogDirsPartition)
                partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key, tags = unpack_iqqtB(b, at)
                at += 22
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
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsResponse is {at - size} bytes short")
    return m, at


def _read_describe_log_dirs_response_v3(b: bytes, at: int) -> tuple[DescribeLogDirsResponse, int]:
    size = len(b)
    m = new(DescribeLogDirsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("results", n)
    results: list[DescribeLogDirsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeLogDirsResult)
        result.total_bytes = -1
        result.usable_bytes = -1
        result.is_cordoned = False
        result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("log_dir is null")
        end = at + n - 1
        result.log_dir = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribeLogDirsTopic] = []
        result.topics = topics
        for _ in range(n):
            topic = new(DescribeLogDirsTopic)
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
            if n < 0 or n * 22 > size - at:
                raise fault_length("partitions", n)
            partitions: list[DescribeLogDirsPartition] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(DescribeLogDirsPartition)
                partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key, tags = unpack_iqqtB(b, at)
                at += 22
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
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsResponse is {at - size} bytes short")
    return m, at


def _read_describe_log_dirs_response_v4(b: bytes, at: int) -> tuple[DescribeLogDirsResponse, int]:
    size = len(b)
    m = new(DescribeLogDirsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 21 > size - at:
        raise fault_length("results", n)
    results: list[DescribeLogDirsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeLogDirsResult)
        result.is_cordoned = False
        result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("log_dir is null")
        end = at + n - 1
        result.log_dir = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribeLogDirsTopic] = []
        result.topics = topics
        for _ in range(n):
            topic = new(DescribeLogDirsTopic)
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
            if n < 0 or n * 22 > size - at:
                raise fault_length("partitions", n)
            partitions: list[DescribeLogDirsPartition] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(DescribeLogDirsPartition)
                partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key, tags = unpack_iqqtB(b, at)
                at += 22
                if tags:
                    at = skip_tags(b, at, tags)
                partitions.append(partition)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
        result.total_bytes, result.usable_bytes, tags = unpack_qqB(b, at)
        at += 17
        if tags:
            at = skip_tags(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsResponse is {at - size} bytes short")
    return m, at


def _read_describe_log_dirs_response_v5(b: bytes, at: int) -> tuple[DescribeLogDirsResponse, int]:
    size = len(b)
    m = new(DescribeLogDirsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 22 > size - at:
        raise fault_length("results", n)
    results: list[DescribeLogDirsResult] = []
    m.results = results
    for _ in range(n):
        result = new(DescribeLogDirsResult)
        result.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("log_dir is null")
        end = at + n - 1
        result.log_dir = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[DescribeLogDirsTopic] = []
        result.topics = topics
        for _ in range(n):
            topic = new(DescribeLogDirsTopic)
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
            if n < 0 or n * 22 > size - at:
                raise fault_length("partitions", n)
            partitions: list[DescribeLogDirsPartition] = []
            topic.partitions = partitions
            for _ in range(n):
                partition = new(DescribeLogDirsPartition)
                partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key, tags = unpack_iqqtB(b, at)
                at += 22
                if tags:
                    at = skip_tags(b, at, tags)
                partitions.append(partition)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
        result.total_bytes, result.usable_bytes, result.is_cordoned, tags = unpack_qqtB(b, at)
        at += 18
        if tags:
            at = skip_tags(b, at, tags)
        results.append(result)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeLogDirsResponse is {at - size} bytes short")
    return m, at


def _write_describe_log_dirs_response_v0_1(m: DescribeLogDirsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ii(m.throttle_time_ms, len(results))
    for result in results:
        log_dir = result.log_dir
        log_dir_bytes = log_dir.encode()
        out += pack_hh(result.error_code, len(log_dir_bytes))
        out += log_dir_bytes
        topics = result.topics
        out += pack_i(len(topics))
        for topic in topics:
            name = topic.name
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
            partitions = topic.partitions
            out += pack_i(len(partitions))
            for partition in partitions:
                out += pack_iqqt(partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key)


def _write_describe_log_dirs_response_v2(m: DescribeLogDirsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_i(m.throttle_time_ms)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        log_dir = result.log_dir
        log_dir_bytes = log_dir.encode()
        out += pack_h(result.error_code)
        n = len(log_dir_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += log_dir_bytes
        topics = result.topics
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
                out += pack_iqqtx(partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key)
            out.append(0)
        out.append(0)
    out.append(0)


def _write_describe_log_dirs_response_v3(m: DescribeLogDirsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        log_dir = result.log_dir
        log_dir_bytes = log_dir.encode()
        out += pack_h(result.error_code)
        n = len(log_dir_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += log_dir_bytes
        topics = result.topics
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
                out += pack_iqqtx(partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key)
            out.append(0)
        out.append(0)
    out.append(0)


def _write_describe_log_dirs_response_v4(m: DescribeLogDirsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        log_dir = result.log_dir
        log_dir_bytes = log_dir.encode()
        out += pack_h(result.error_code)
        n = len(log_dir_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += log_dir_bytes
        topics = result.topics
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
                out += pack_iqqtx(partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key)
            out.append(0)
        out += pack_qqx(result.total_bytes, result.usable_bytes)
    out.append(0)


def _write_describe_log_dirs_response_v5(m: DescribeLogDirsResponse, out: bytearray) -> None:
    results = m.results
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(results) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for result in results:
        log_dir = result.log_dir
        log_dir_bytes = log_dir.encode()
        out += pack_h(result.error_code)
        n = len(log_dir_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += log_dir_bytes
        topics = result.topics
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
                out += pack_iqqtx(partition.partition_index, partition.partition_size, partition.offset_lag, partition.is_future_key)
            out.append(0)
        out += pack_qqtx(result.total_bytes, result.usable_bytes, result.is_cordoned)
    out.append(0)


DescribeLogDirsRequest.READERS = {
    0: _read_describe_log_dirs_request_v0_1,
    1: _read_describe_log_dirs_request_v0_1,
    2: _read_describe_log_dirs_request_v2_5,
    3: _read_describe_log_dirs_request_v2_5,
    4: _read_describe_log_dirs_request_v2_5,
    5: _read_describe_log_dirs_request_v2_5,
}
DescribeLogDirsRequest.WRITERS = {
    0: _write_describe_log_dirs_request_v0_1,
    1: _write_describe_log_dirs_request_v0_1,
    2: _write_describe_log_dirs_request_v2_5,
    3: _write_describe_log_dirs_request_v2_5,
    4: _write_describe_log_dirs_request_v2_5,
    5: _write_describe_log_dirs_request_v2_5,
}
DescribeLogDirsResponse.READERS = {
    0: _read_describe_log_dirs_response_v0_1,
    1: _read_describe_log_dirs_response_v0_1,
    2: _read_describe_log_dirs_response_v2,
    3: _read_describe_log_dirs_response_v3,
    4: _read_describe_log_dirs_response_v4,
    5: _read_describe_log_dirs_response_v5,
}
DescribeLogDirsResponse.WRITERS = {
    0: _write_describe_log_dirs_response_v0_1,
    1: _write_describe_log_dirs_response_v0_1,
    2: _write_describe_log_dirs_response_v2,
    3: _write_describe_log_dirs_response_v3,
    4: _write_describe_log_dirs_response_v4,
    5: _write_describe_log_dirs_response_v5,
}
