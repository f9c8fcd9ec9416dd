"""CreateTopics: create topics with partitions, replicas and configs.

v1  validate_only, error_message (KIP-108)
v2  throttle_time_ms (KIP-124)
v3  responds before it throttles (KIP-219)
v4  -1 for the default number of partitions and replicas (KIP-464)
v5  flexible; configs of the created topics (KIP-525)
v6  may return THROTTLING_QUOTA_EXCEEDED (KIP-599)
v7  topic_id (KIP-516)

Generated from protocol_specs/19_create_topics by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    absent_field_error,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack
_pack_ii = Struct(">ii").pack
_pack_it = Struct(">i?").pack
_pack_itx = Struct(">i?x").pack
_pack_list_i = array_packer("i")
_pack_tbtx = Struct(">?b?x").pack
_pack_uh = Struct(">16sh").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_it = Struct(">i?").unpack_from
_unpack_itB = Struct(">i?B").unpack_from
_unpack_tbtB = Struct(">?b?B").unpack_from
_unpack_uhB = Struct(">16shB").unpack_from


class CreatableReplicaAssignment(Data):
    """An element of `CreatableTopic.assignments`."""

    partition_index: int = 0
    broker_ids: list[int] = []


class CreatableTopicConfig(Data):
    """An element of `CreatableTopic.configs`."""

    name: str = ""
    value: str | None = ""


class CreatableTopic(Data):
    """An element of `CreateTopicsRequest.topics`."""

    name: str = ""
    num_partitions: int = 0
    """-1: the broker's default, or as in assignments."""
    replication_factor: int = 0
    """-1: the broker's default, or as in assignments."""
    assignments: list[CreatableReplicaAssignment] = []
    """Empty: the controller assigns the replicas."""
    configs: list[CreatableTopicConfig] = []


class CreateTopicsRequest(ReadableMessage, WritableMessage):
    API_KEY = 19
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 5

    topics: list[CreatableTopic] = []
    timeout_ms: int = 60000
    """How long to wait for the operation to complete."""
    validate_only: bool = False  # v1+
    """Validate the request, but change nothing."""


class CreatableTopicConfigs(Data):
    """An element of `CreatableTopicResult.configs`."""

    name: str = ""
    value: str | None = ""
    read_only: bool = False
    config_source: int = -1
    """ConfigSource: 1 topic, 2 broker, 3 all brokers, 4 static, 5 default, 6 broker logger."""
    is_sensitive: bool = False


class CreatableTopicResult(Data):
    """An element of `CreateTopicsResponse.topics`."""

    name: str = ""
    topic_id: bytes = ZERO_UUID  # v7+
    error_code: int = 0
    error_message: str | None = ""  # v1+
    topic_config_error_code: int = 0  # v5+
    """The error for which configs is null."""
    num_partitions: int = -1  # v5+
    """-1: unknown."""
    replication_factor: int = -1  # v5+
    """-1: unknown."""
    configs: list[CreatableTopicConfigs] | None = []  # v5+


class CreateTopicsResponse(ReadableMessage, WritableMessage):
    API_KEY = 19
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 5

    throttle_time_ms: int = 0  # v2+
    """Throttle time because of a quota; 0 for none."""
    topics: list[CreatableTopicResult] = []


def _read_create_topics_request_v0_4(b: bytes, at: int, version: int) -> tuple[CreateTopicsRequest, int]:
    size = len(b)
    m = new(CreateTopicsRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 16 > size - at:
        raise count_error("topics", n)
    topics: list[CreatableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.num_partitions, topic.replication_factor, n = _unpack_ihi(b, at)
        at += 10
        if n < 0 or n * 8 > size - at:
            raise count_error("assignments", n)
        assignments: list[CreatableReplicaAssignment] = []
        topic.assignments = assignments
        for _ in range(n):
            assignment = new(CreatableReplicaAssignment)
            assignment.partition_index, n = _unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise count_error("broker_ids", n)
            end = at + n * 4
            assignment.broker_ids = [each for (each,) in _iter_i(b[at:end])]
            at = end
            assignments.append(assignment)
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("configs", n)
        configs: list[CreatableTopicConfig] = []
        topic.configs = configs
        for _ in range(n):
            config = new(CreatableTopicConfig)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                config.value = None
            else:
                end = at + n
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            configs.append(config)
        topics.append(topic)
    if version >= 1:
        m.timeout_ms, m.validate_only = _unpack_it(b, at)
        at += 5
    else:
        m.validate_only = False
        m.timeout_ms = _unpack_i(b, at)[0]
        at += 4
    if at > size:
        raise ProtocolError(f"CreateTopicsRequest is {at - size} bytes short")
    return m, at


def _read_create_topics_request_v5_7(b: bytes, at: int, version: int) -> tuple[CreateTopicsRequest, int]:
    size = len(b)
    m = new(CreateTopicsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise count_error("topics", n)
    topics: list[CreatableTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.num_partitions, topic.replication_factor, n = _unpack_ihB(b, at)
        at += 7
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise count_error("assignments", n)
        assignments: list[CreatableReplicaAssignment] = []
        topic.assignments = assignments
        for _ in range(n):
            assignment = new(CreatableReplicaAssignment)
            assignment.partition_index, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("broker_ids", n)
            end = at + n * 4
            assignment.broker_ids = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            assignments.append(assignment)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("configs", n)
        configs: list[CreatableTopicConfig] = []
        topic.configs = configs
        for _ in range(n):
            config = new(CreatableTopicConfig)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            config.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                config.value = None
            else:
                end = at + n - 1
                config.value = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            configs.append(config)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    m.timeout_ms, m.validate_only, tags = _unpack_itB(b, at)
    at += 6
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateTopicsRequest is {at - size} bytes short")
    return m, at


CreateTopicsRequest.READERS = dict.fromkeys(range(0, 5), _read_create_topics_request_v0_4) | dict.fromkeys(range(5, 8), _read_create_topics_request_v5_7)


def _write_create_topics_request_v0_4(m: CreateTopicsRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        assignments = topic.assignments
        out += _pack_ihi(topic.num_partitions, topic.replication_factor, len(assignments))
        for assignment in assignments:
            broker_ids = assignment.broker_ids
            out += _pack_ii(assignment.partition_index, len(broker_ids))
            out += _pack_list_i(broker_ids)
        configs = topic.configs
        out += _pack_i(len(configs))
        for config in configs:
            name2 = config.name
            name_bytes2 = name2.encode()
            out += _pack_h(len(name_bytes2))
            out += name_bytes2
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            out += _pack_h(-1 if value is None else len(value_bytes))
            out += value_bytes
    if version >= 1:
        out += _pack_it(m.timeout_ms, m.validate_only)
    else:
        if m.validate_only:
            raise absent_field_error("validate_only")
        out += _pack_i(m.timeout_ms)


def _write_create_topics_request_v5_7(m: CreateTopicsRequest, out: bytearray, version: int) -> None:
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
        assignments = topic.assignments
        n = len(assignments) + 1
        if n > 127:
            out += _pack_ih(topic.num_partitions, topic.replication_factor)
            write_uvarint(out, n)
        else:
            out += _pack_ihB(topic.num_partitions, topic.replication_factor, n)
        for assignment in assignments:
            broker_ids = assignment.broker_ids
            n = len(broker_ids) + 1
            if n > 127:
                out += _pack_i(assignment.partition_index)
                write_uvarint(out, n)
            else:
                out += _pack_iB(assignment.partition_index, n)
            out += _pack_list_i(broker_ids)
            out.append(0)
        configs = topic.configs
        n = len(configs) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for config in configs:
            name2 = config.name
            name_bytes2 = name2.encode()
            n = len(name_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes2
            value = config.value
            value_bytes = b"" if value is None else value.encode()
            n = 0 if value is None else len(value_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += value_bytes
            out.append(0)
        out.append(0)
    out += _pack_itx(m.timeout_ms, m.validate_only)


CreateTopicsRequest.WRITERS = dict.fromkeys(range(0, 5), _write_create_topics_request_v0_4) | dict.fromkeys(range(5, 8), _write_create_topics_request_v5_7)


def _read_create_topics_response_v0_4(b: bytes, at: int, version: int) -> tuple[CreateTopicsResponse, int]:
    size = len(b)
    m = new(CreateTopicsResponse)
    if version >= 2:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 4 > size - at:
        raise count_error("topics", n)
    topics: list[CreatableTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopicResult)
        topic.topic_id = ZERO_UUID
        topic.topic_config_error_code = 0
        topic.num_partitions = -1
        topic.replication_factor = -1
        topic.configs = []
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 1:
            topic.error_code, n = _unpack_hh(b, at)
            at += 4
            if n < 0:
                topic.error_message = None
            else:
                end = at + n
                topic.error_message = b[at:end].decode("utf-8", "replace")
                at = end
        else:
            topic.error_message = ""
            topic.error_code = _unpack_h(b, at)[0]
            at += 2
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"CreateTopicsResponse is {at - size} bytes short")
    return m, at


def _read_create_topics_response_v5_7(b: bytes, at: int, version: int) -> tuple[CreateTopicsResponse, int]:
    size = len(b)
    m = new(CreateTopicsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 12 > size - at:
        raise count_error("topics", n)
    topics: list[CreatableTopicResult] = []
    m.topics = topics
    for _ in range(n):
        topic = new(CreatableTopicResult)
        topic.topic_config_error_code = 0
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 7:
            topic.topic_id, topic.error_code, n = _unpack_uhB(b, at)
            at += 19
        else:
            topic.topic_id = ZERO_UUID
            topic.error_code, n = _unpack_hB(b, at)
            at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            topic.error_message = None
        else:
            end = at + n - 1
            topic.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        topic.num_partitions, topic.replication_factor, n = _unpack_ihB(b, at)
        at += 7
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0:
            topic.configs = None
        else:
            if n * 6 > size - at:
                raise count_error("configs", n)
            configs: list[CreatableTopicConfigs] = []
            topic.configs = configs
            for _ in range(n):
                config = new(CreatableTopicConfigs)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                config.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    config.value = None
                else:
                    end = at + n - 1
                    config.value = b[at:end].decode("utf-8", "replace")
                    at = end
                config.read_only, config.config_source, config.is_sensitive, tags = _unpack_tbtB(b, at)
                at += 4
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                configs.append(config)
        tags = b[at]
        at += 1
        if tags:
            if tags > 127:
                tags, at = read_long_uvarint(b, at, tags)
            for _ in range(tags):
                tag, at = read_uvarint(b, at)
                n, at = read_uvarint(b, at)
                tag_end = at + n
                if tag == 0:
                    topic.topic_config_error_code = _unpack_h(b, at)[0]
                    at += 2
                else:
                    at = tag_end
                if at != tag_end or at > size:
                    raise ProtocolError("a tagged field does not have the size it announces")
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"CreateTopicsResponse is {at - size} bytes short")
    return m, at


CreateTopicsResponse.READERS = dict.fromkeys(range(0, 5), _read_create_topics_response_v0_4) | dict.fromkeys(range(5, 8), _read_create_topics_response_v5_7)


def _write_create_topics_response_v0_4(m: CreateTopicsResponse, out: bytearray, version: int) -> None:
    topics = m.topics
    if version >= 2:
        out += _pack_ii(m.throttle_time_ms, len(topics))
    else:
        out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        if version >= 1:
            error_message = topic.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            out += _pack_hh(topic.error_code, -1 if error_message is None else len(error_message_bytes))
            out += error_message_bytes
        else:
            out += _pack_h(topic.error_code)


def _write_create_topics_response_v5_7(m: CreateTopicsResponse, out: bytearray, version: int) -> None:
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
        error_message = topic.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if version >= 7:
            out += _pack_uh(topic.topic_id, topic.error_code)
        else:
            out += _pack_h(topic.error_code)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        configs = topic.configs
        n = 0 if configs is None else len(configs) + 1
        if n > 127:
            out += _pack_ih(topic.num_partitions, topic.replication_factor)
            write_uvarint(out, n)
        else:
            out += _pack_ihB(topic.num_partitions, topic.replication_factor, n)
        if configs is not None:
            for config in configs:
                name2 = config.name
                name_bytes2 = name2.encode()
                n = len(name_bytes2) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes2
                value = config.value
                value_bytes = b"" if value is None else value.encode()
                n = 0 if value is None else len(value_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += value_bytes
                out += _pack_tbtx(config.read_only, config.config_source, config.is_sensitive)
        if topic.topic_config_error_code != 0:
            out.append(1)
            part = bytearray()
            part += _pack_h(topic.topic_config_error_code)
            write_uvarint(out, 0)
            write_uvarint(out, len(part))
            out += part
        else:
            out.append(0)
    out.append(0)


CreateTopicsResponse.WRITERS = dict.fromkeys(range(0, 5), _write_create_topics_response_v0_4) | dict.fromkeys(range(5, 8), _write_create_topics_response_v5_7)
