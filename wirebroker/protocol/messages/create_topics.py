"""CreateTopics: make topics.

v1  validate_only, error_message (KIP-108)
v2  throttle_time_ms (KIP-124)
v3  answers before it throttles (KIP-219)
v4  -1 for the default number of partitions and replicas (KIP-464)
v5  flexible; what was made is described (KIP-525)
v6  may answer THROTTLING_QUOTA_EXCEEDED (KIP-599)
v7  topic_id (KIP-516)

Generated from protocol_specs/19_create_topics by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_absent,
    fault_length,
    long_uvarint,
    put_uvarint,
    read_uvarint,
    skip_tags,
)

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihi = Struct(">ihi").pack
pack_ii = Struct(">ii").pack
pack_it = Struct(">i?").pack
pack_itx = Struct(">i?x").pack
pack_tbtx = Struct(">?b?x").pack
pack_uh = Struct(">16sh").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihi = Struct(">ihi").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_it = Struct(">i?").unpack_from
unpack_itB = Struct(">i?B").unpack_from
unpack_tbtB = Struct(">?b?B").unpack_from
unpack_uhB = Struct(">16shB").unpack_from


class CreatableReplicaAssignment(Data):
    """empty: the controller places replicas"""

    __slots__ = FIELDS = ("partition_index", "broker_ids")

    def __init__(
        self,
        partition_index: int = 0,
        broker_ids: list[int] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.broker_ids = [] if broker_ids is UNSET else broker_ids


class CreatableTopicConfig(Data):
    __slots__ = FIELDS = ("name", "value")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
    ) -> None:
        self.name = name
        self.value = value


class CreatableTopic(Data):
    __slots__ = FIELDS = ("name", "num_partitions", "replication_factor", "assignments", "configs")

    def __init__(
        self,
        name: str = "",
        num_partitions: int = 0,
        replication_factor: int = 0,
        assignments: list[CreatableReplicaAssignment] = UNSET,
        configs: list[CreatableTopicConfig] = UNSET,
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = [] if assignments is UNSET else assignments
        self.configs = [] if configs is UNSET else configs


class CreateTopicsRequest(Message):
    API_KEY = 19
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 5
    __slots__ = FIELDS = ("topics", "timeout_ms", "validate_only")

    def __init__(
        self,
        topics: list[CreatableTopic] = UNSET,
        timeout_ms: int = 60000,
        validate_only: bool = False,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only


class CreatableTopicConfigs(Data):
    __slots__ = FIELDS = ("name", "value", "read_only", "config_source", "is_sensitive")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive


class CreatableTopicResult(Data):
    __slots__ = FIELDS = (
        "name",
        "topic_id",
        "error_code",
        "error_message",
        "topic_config_error_code",
        "num_partitions",
        "replication_factor",
        "configs",
    )

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = "",
        topic_config_error_code: int = 0,
        num_partitions: int = -1,
        replication_factor: int = -1,
        configs: list[CreatableTopicConfigs] | None = UNSET,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.topic_config_error_code = topic_config_error_code
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = [] if configs is UNSET else configs


class CreateTopicsResponse(Message):
    API_KEY = 19
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 5
    __slots__ = FIELDS = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[CreatableTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_create_topics_request_v0(b: bytes, at: int) -> tuple[CreateTopicsRequest, int]:
    size = len(b)
    m = new(CreateTopicsRequest)
    m.validate_only = False
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 16 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.num_partitions, topic.replication_factor, n = unpack_ihi(b, at)
        at += 10
        if n < 0 or n * 8 > size - at:
            raise fault_length("assignments", n)
        assignments: list[CreatableReplicaAssignment] = []
        topic.assignments = assignments
        for _ in range(n):
            assignment = new(CreatableReplicaAssignment)
            assignment.partition_index, n = unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise fault_length("broker_ids", n)
            end = at + n * 4
            assignment.broker_ids = [each for (each,) in iter_i(b[at:end])]
            at = end
            assignments.append(assignment)
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("configs", n)
        configs: list[CreatableTopicConfig] = []
        topic.configs = configs
        for _ in range(n):
            config = new(CreatableTopicConfig)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            configs.append(config)
        topics.append(topic)
    m.timeout_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"CreateTopicsRequest is {at - size} bytes short")
    return m, at


def _read_create_topics_request_v1_4(b: bytes, at: int) -> tuple[CreateTopicsRequest, int]:
    size = len(b)
    m = new(CreateTopicsRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 16 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.num_partitions, topic.replication_factor, n = unpack_ihi(b, at)
        at += 10
        if n < 0 or n * 8 > size - at:
            raise fault_length("assignments", n)
        assignments: list[CreatableReplicaAssignment] = []
        topic.assignments = assignments
        for _ in range(n):
            assignment = new(CreatableReplicaAssignment)
            assignment.partition_index, n = unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise fault_length("broker_ids", n)
            end = at + n * 4
            assignment.broker_ids = [each for (each,) in iter_i(b[at:end])]
            at = end
            assignments.append(assignment)
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("configs", n)
        configs: list[CreatableTopicConfig] = []
        topic.configs = configs
        for _ in range(n):
            config = new(CreatableTopicConfig)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            configs.append(config)
        topics.append(topic)
    m.timeout_ms, m.validate_only = unpack_it(b, at)
    at += 5
    if at > size:
        raise ProtocolError(f"CreateTopicsRequest is {at - size} bytes short")
    return m, at


def _read_create_topics_request_v5_7(b: bytes, at: int) -> tuple[CreateTopicsRequest, int]:
    size = len(b)
    m = new(CreateTopicsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.num_partitions, topic.replication_factor, n = unpack_ihB(b, at)
        at += 7
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("assignments", n)
        assignments: list[CreatableReplicaAssignment] = []
        topic.assignments = assignments
        for _ in range(n):
            assignment = new(CreatableReplicaAssignment)
            assignment.partition_index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("broker_ids", n)
            end = at + n * 4
            assignment.broker_ids = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            assignments.append(assignment)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("configs", n)
        configs: list[CreatableTopicConfig] = []
        topic.configs = configs
        for _ in range(n):
            config = new(CreatableTopicConfig)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                config.value = None
            else:
                end = at + n - 1
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            configs.append(config)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.timeout_ms, m.validate_only, tags = unpack_itB(b, at)
    at += 6
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateTopicsRequest is {at - size} bytes short")
    return m, at


def _write_create_topics_request_v0(m: CreateTopicsRequest, out: bytearray) -> None:
    if m.validate_only:
        raise fault_absent("validate_only")
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        assignments = topic.assignments
        out += pack_ihi(topic.num_partitions, topic.replication_factor, len(assignments))
        for assignment in assignments:
            broker_ids = assignment.broker_ids
            out += pack_ii(assignment.partition_index, len(broker_ids))
            out += b"".join(map(pack_i, broker_ids))
        configs = topic.configs
        out += pack_i(len(configs))
        for config in configs:
            name2 = config.name
            name_bytes2 = name2.encode()
            out += pack_h(len(name_bytes2))
            out += name_bytes2
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += pack_h(-1 if value is None else len(value_bytes))
            out += value_bytes
    out += pack_i(m.timeout_ms)


def _write_create_topics_request_v1_4(m: CreateTopicsRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        assignments = topic.assignments
        out += pack_ihi(topic.num_partitions, topic.replication_factor, len(assignments))
        for assignment in assignments:
            broker_ids = assignment.broker_ids
            out += pack_ii(assignment.partition_index, len(broker_ids))
            out += b"".join(map(pack_i, broker_ids))
        configs = topic.configs
        out += pack_i(len(configs))
        for config in configs:
            name2 = config.name
            name_bytes2 = name2.encode()
            out += pack_h(len(name_bytes2))
            out += name_bytes2
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += pack_h(-1 if value is None else len(value_bytes))
            out += value_bytes
    out += pack_it(m.timeout_ms, m.validate_only)


def _write_create_topics_request_v5_7(m: CreateTopicsRequest, out: bytearray) -> None:
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
        assignments = topic.assignments
        out += pack_ih(topic.num_partitions, topic.replication_factor)
        n = len(assignments) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for assignment in assignments:
            broker_ids = assignment.broker_ids
            out += pack_i(assignment.partition_index)
            n = len(broker_ids) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, broker_ids))
            out.append(0)
        configs = topic.configs
        n = len(configs) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for config in configs:
            name2 = config.name
            name_bytes2 = name2.encode()
            n = len(name_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes2
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            n = 0 if value is None else len(value_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += value_bytes
            out.append(0)
        out.append(0)
    out += pack_itx(m.timeout_ms, m.validate_only)


def _read_create_topics_response_v0(b: bytes, at: int) -> tuple[CreateTopicsResponse, int]:
    size = len(b)
    m = new(CreateTopicsResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 4 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopicResult)
        topic.topic_id = ZERO_UUID
        topic.error_message = ""
        topic.topic_config_error_code = 0
        topic.num_partitions = -1
        topic.replication_factor = -1
        topic.configs = []
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.error_code = unpack_h(b, at)[0]
        at += 2
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"CreateTopicsResponse is {at - size} bytes short")
    return m, at


def _read_create_topics_response_v1(b: bytes, at: int) -> tuple[CreateTopicsResponse, int]:
    size = len(b)
    m = new(CreateTopicsResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopicResult)
        topic.topic_id = ZERO_UUID
        topic.topic_config_error_code = 0
        topic.num_partitions = -1
        topic.replication_factor = -1
        topic.configs = []
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            topic.error_message = None
        else:
            end = at + n
            topic.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"CreateTopicsResponse is {at - size} bytes short")
    return m, at


def _read_create_topics_response_v2_4(b: bytes, at: int) -> tuple[CreateTopicsResponse, int]:
    size = len(b)
    m = new(CreateTopicsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopicResult)
        topic.topic_id = ZERO_UUID
        topic.topic_config_error_code = 0
        topic.num_partitions = -1
        topic.replication_factor = -1
        topic.configs = []
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            topic.error_message = None
        else:
            end = at + n
            topic.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"CreateTopicsResponse is {at - size} bytes short")
    return m, at


def _read_create_topics_response_v5_6(b: bytes, at: int) -> tuple[CreateTopicsResponse, int]:
    size = len(b)
    m = new(CreateTopicsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 12 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopicResult)
        topic.topic_id = ZERO_UUID
        topic.topic_config_error_code = 0
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            topic.error_message = None
        else:
            end = at + n - 1
            topic.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        topic.num_partitions, topic.replication_factor, n = unpack_ihB(b, at)
        at += 7
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            topic.configs = None
        else:
            if n * 6 > size - at:
                raise fault_length("configs", n)
            configs: list[CreatableTopicConfigs] = []
            topic.configs = configs
            for _ in range(n):
                config = new(CreatableTopicConfigs)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                config.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    config.value = None
                else:
                    end = at + n - 1
                    config.value = b[at:end].decode("utf-8", "replace")
                    at = end
                config.read_only, config.config_source, config.is_sensitive, tags = unpack_tbtB(b, at)
                at += 4
                if tags:
                    at = skip_tags(b, at, tags)
                configs.append(config)
        tags = b[at]
        at += 1
        if tags:
            if tags > 127:
                tags, at = long_uvarint(b, at, tags)
            for _ in range(tags):
                tag, at = read_uvarint(b, at)
                n, at = read_uvarint(b, at)
                tag_end = at + n
                if tag == 0:
                    topic.topic_config_error_code = unpack_h(b, at)[0]
                    at += 2
                else:
                    at = tag_end
                if at != tag_end or at > size:
                    raise ProtocolError("a tagged field does not have the size it announces")
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateTopicsResponse is {at - size} bytes short")
    return m, at


def _read_create_topics_response_v7(b: bytes, at: int) -> tuple[CreateTopicsResponse, int]:
    size = len(b)
    m = new(CreateTopicsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 28 > size - at:
        raise fault_length("topics", n)
    topics: list[CreatableTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopicResult)
        topic.topic_config_error_code = 0
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.topic_id, topic.error_code, n = unpack_uhB(b, at)
        at += 19
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            topic.error_message = None
        else:
            end = at + n - 1
            topic.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        topic.num_partitions, topic.replication_factor, n = unpack_ihB(b, at)
        at += 7
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            topic.configs = None
        else:
            if n * 6 > size - at:
                raise fault_length("configs", n)
            configs: list[CreatableTopicConfigs] = []
            topic.configs = configs
            for _ in range(n):
                config = new(CreatableTopicConfigs)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                config.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    config.value = None
                else:
                    end = at + n - 1
                    config.value = b[at:end].decode("utf-8", "replace")
                    at = end
                config.read_only, config.config_source, config.is_sensitive, tags = unpack_tbtB(b, at)
                at += 4
                if tags:
                    at = skip_tags(b, at, tags)
                configs.append(config)
        tags = b[at]
        at += 1
        if tags:
            if tags > 127:
                tags, at = long_uvarint(b, at, tags)
            for _ in range(tags):
                tag, at = read_uvarint(b, at)
                n, at = read_uvarint(b, at)
                tag_end = at + n
                if tag == 0:
                    topic.topic_config_error_code = unpack_h(b, at)[0]
                    at += 2
                else:
                    at = tag_end
                if at != tag_end or at > size:
                    raise ProtocolError("a tagged field does not have the size it announces")
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateTopicsResponse is {at - size} bytes short")
    return m, at


def _write_create_topics_response_v0(m: CreateTopicsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        out += pack_h(topic.error_code)


def _write_create_topics_response_v1(m: CreateTopicsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        error_message = topic.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(topic.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes


def _write_create_topics_response_v2_4(m: CreateTopicsResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ii(m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        error_message = topic.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_hh(topic.error_code, -1 if error_message is None else len(error_message_bytes))
        out += error_message_bytes


def _write_create_topics_response_v5_6(m: CreateTopicsResponse, out: bytearray) -> None:
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
        error_message = topic.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(topic.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        configs = topic.configs
        out += pack_ih(topic.num_partitions, topic.replication_factor)
        n = 0 if configs is None else len(configs) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        if configs is not None:
            for config in configs:
                name2 = config.name
                name_bytes2 = name2.encode()
                n = len(name_bytes2) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes2
                value = config.value
                value_bytes = b"" if value is None else value.encode()
                n = 0 if value is None else len(value_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += value_bytes
                out += pack_tbtx(config.read_only, config.config_source, config.is_sensitive)
        has_topic_config_error_code = topic.topic_config_error_code != 0
        out.append(has_topic_config_error_code)
        if has_topic_config_error_code:
            part = bytearray()
            part += pack_h(topic.topic_config_error_code)
            put_uvarint(out, 0)
            put_uvarint(out, len(part))
            out += part
    out.append(0)


def _write_create_topics_response_v7(m: CreateTopicsResponse, out: bytearray) -> None:
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
        error_message = topic.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_uh(topic.topic_id, topic.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        configs = topic.configs
        out += pack_ih(topic.num_partitions, topic.replication_factor)
        n = 0 if configs is None else len(configs) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        if configs is not None:
            for config in configs:
                name2 = config.name
                name_bytes2 = name2.encode()
                n = len(name_bytes2) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes2
                value = config.value
                value_bytes = b"" if value is None else value.encode()
                n = 0 if value is None else len(value_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += value_bytes
                out += pack_tbtx(config.read_only, config.config_source, config.is_sensitive)
        has_topic_config_error_code = topic.topic_config_error_code != 0
        out.append(has_topic_config_error_code)
        if has_topic_config_error_code:
            part = bytearray()
            part += pack_h(topic.topic_config_error_code)
            put_uvarint(out, 0)
            put_uvarint(out, len(part))
            out += part
    out.append(0)


CreateTopicsRequest.READERS = {
    0: _read_create_topics_request_v0,
    1: _read_create_topics_request_v1_4,
    2: _read_create_topics_request_v1_4,
    3: _read_create_topics_request_v1_4,
    4: _read_create_topics_request_v1_4,
    5: _read_create_topics_request_v5_7,
    6: _read_create_topics_request_v5_7,
    7: _read_create_topics_request_v5_7,
}
CreateTopicsRequest.WRITERS = {
    0: _write_create_topics_request_v0,
    1: _write_create_topics_request_v1_4,
    2: _write_create_topics_request_v1_4,
    3: _write_create_topics_request_v1_4,
    4: _write_create_topics_request_v1_4,
    5: _write_create_topics_request_v5_7,
    6: _write_create_topics_request_v5_7,
    7: _write_create_topics_request_v5_7,
}
CreateTopicsResponse.READERS = {
    0: _read_create_topics_response_v0,
    1: _read_create_topics_response_v1,
    2: _read_create_topics_response_v2_4,
    3: _read_create_topics_response_v2_4,
    4: _read_create_topics_response_v2_4,
    5: _read_create_topics_response_v5_6,
    6: _read_create_topics_response_v5_6,
    7: _read_create_topics_response_v7,
}
CreateTopicsResponse.WRITERS = {
    0: _write_create_topics_response_v0,
    1: _write_create_topics_response_v1,
    2: _write_create_topics_response_v2_4,
    3: _write_create_topics_response_v2_4,
    4: _write_create_topics_response_v2_4,
    5: _write_create_topics_response_v5_6,
    6: _write_create_topics_response_v5_6,
    7: _write_create_topics_response_v7,
}
