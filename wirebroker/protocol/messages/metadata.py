"""Metadata: the brokers, the controller, and the leaders and replicas of partitions.

v1  null requests all topics; controller_id, rack, is_internal (KIP-4)
v2  cluster_id (KIP-78)
v3  throttle_time_ms (KIP-124)
v4  allow_auto_topic_creation
v5  offline_replicas (KIP-112)
v6  responds before it throttles (KIP-219)
v7  leader_epoch (KIP-320)
v8  authorized operations (KIP-430)
v9  flexible
v10 topic_id (KIP-516)
v11 no more cluster_authorized_operations (KIP-700)
v12 topic_id in the request, name may be null
v13 error_code for the whole response (KIP-1102)

Generated from protocol_specs/03_metadata by tools/codegen: do not edit.
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
    null_field_error,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_hiii = Struct(">hiii").pack
_pack_hiiiB = Struct(">hiiiB").pack
_pack_hiiii = Struct(">hiiii").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack
_pack_list_i = array_packer("i")
_pack_t = Struct(">?").pack
_pack_ti = Struct(">?i").pack
_pack_ttt = Struct(">???").pack
_pack_tttx = Struct(">???x").pack
_pack_ttx = Struct(">??x").pack
_pack_u = Struct(">16s").pack
_pack_ut = Struct(">16s?").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_hiii = Struct(">hiii").unpack_from
_unpack_hiiiB = Struct(">hiiiB").unpack_from
_unpack_hiiii = Struct(">hiiii").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_tB = Struct(">?B").unpack_from
_unpack_ti = Struct(">?i").unpack_from
_unpack_ttB = Struct(">??B").unpack_from
_unpack_ttt = Struct(">???").unpack_from
_unpack_tttB = Struct(">???B").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_utB = Struct(">16s?B").unpack_from


class MetadataRequestTopic(Data):
    """An element of `MetadataRequest.topics`."""

    topic_id: bytes = ZERO_UUID  # v10+
    name: str | None = ""


class MetadataRequest(ReadableMessage, WritableMessage):
    API_KEY = 3
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9

    topics: list[MetadataRequestTopic] | None = []
    """Null: all topics; before version 1 an empty list means all."""
    allow_auto_topic_creation: bool = True  # v4+
    include_cluster_authorized_operations: bool = False  # v8-10
    """Whether the response includes cluster_authorized_operations."""
    include_topic_authorized_operations: bool = False  # v8+
    """Whether the response includes topic_authorized_operations."""


class MetadataResponseBroker(Data):
    """An element of `MetadataResponse.brokers`."""

    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None  # v1+


class MetadataResponsePartition(Data):
    """An element of `MetadataResponseTopic.partitions`."""

    error_code: int = 0
    partition_index: int = 0
    leader_id: int = 0
    """Broker id of the leader; -1: none."""
    leader_epoch: int = -1  # v7+
    """Leader epoch, incremented with each leader election; -1 unknown."""
    replica_nodes: list[int] = []
    isr_nodes: list[int] = []
    offline_replicas: list[int] = []  # v5+
    """Replicas whose broker or log directory is offline."""


class MetadataResponseTopic(Data):
    """An element of `MetadataResponse.topics`."""

    error_code: int = 0
    name: str | None = ""
    topic_id: bytes = ZERO_UUID  # v10+
    is_internal: bool = False  # v1+
    """True for topics such as __consumer_offsets."""
    partitions: list[MetadataResponsePartition] = []
    topic_authorized_operations: int = -2147483648  # v8+
    """Bit field of AclOperation; -2147483648 if not requested."""


class MetadataResponse(ReadableMessage, WritableMessage):
    API_KEY = 3
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9

    throttle_time_ms: int = 0  # v3+
    """Throttle time because of a quota; 0 for none."""
    brokers: list[MetadataResponseBroker] = []
    cluster_id: str | None = None  # v2+
    """Null if the cluster has no id yet."""
    controller_id: int = -1  # v1+
    """Broker id of the controller; -1 unknown."""
    topics: list[MetadataResponseTopic] = []
    cluster_authorized_operations: int = -2147483648  # v8-10
    """Bit field of AclOperation; -2147483648 if not requested."""
    error_code: int = 0  # v13+


def _read_metadata_request_v0_8(b: bytes, at: int, version: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        if version <= 0:
            raise count_error("topics", n)
        m.topics = None
    else:
        if n * 2 > size - at:
            raise count_error("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            topic.topic_id = ZERO_UUID
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            topics.append(topic)
    if version >= 8:
        m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations = _unpack_ttt(b, at)
        at += 3
    elif version >= 4:
        m.include_cluster_authorized_operations = False
        m.include_topic_authorized_operations = False
        m.allow_auto_topic_creation = _unpack_t(b, at)[0]
        at += 1
    else:
        m.allow_auto_topic_creation = True
        m.include_cluster_authorized_operations = False
        m.include_topic_authorized_operations = False
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _read_metadata_request_v9_13(b: bytes, at: int, version: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 2 > size - at:
            raise count_error("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            if version >= 10:
                topic.topic_id, n = _unpack_uB(b, at)
                at += 17
            else:
                topic.topic_id = ZERO_UUID
                n = b[at]
                at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                if version <= 9:
                    raise ProtocolError("name is null")
                topic.name = None
            else:
                end = at + n - 1
                topic.name = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topics.append(topic)
    if version >= 11:
        m.include_cluster_authorized_operations = False
        m.allow_auto_topic_creation, m.include_topic_authorized_operations, tags = _unpack_ttB(b, at)
        at += 3
    else:
        m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations, tags = _unpack_tttB(b, at)
        at += 4
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


MetadataRequest.READERS = dict.fromkeys(range(0, 9), _read_metadata_request_v0_8) | dict.fromkeys(range(9, 14), _read_metadata_request_v9_13)


def _write_metadata_request_v0_8(m: MetadataRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    if topics is None and version <= 0:
        raise null_field_error("topics")
    out += _pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            name = topic.name
            if name is None:
                raise null_field_error("name")
            name_bytes = name.encode()
            out += _pack_h(len(name_bytes))
            out += name_bytes
    if version >= 8:
        out += _pack_ttt(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)
    elif version >= 4:
        if m.include_cluster_authorized_operations:
            raise absent_field_error("include_cluster_authorized_operations")
        if m.include_topic_authorized_operations:
            raise absent_field_error("include_topic_authorized_operations")
        out += _pack_t(m.allow_auto_topic_creation)
    else:
        if not m.allow_auto_topic_creation:
            raise absent_field_error("allow_auto_topic_creation")
        if m.include_cluster_authorized_operations:
            raise absent_field_error("include_cluster_authorized_operations")
        if m.include_topic_authorized_operations:
            raise absent_field_error("include_topic_authorized_operations")


def _write_metadata_request_v9_13(m: MetadataRequest, out: bytearray, version: int) -> None:
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            if name is None and version <= 9:
                raise null_field_error("name")
            name_bytes = b"" if name is None else name.encode()
            n = 0 if name is None else len(name_bytes) + 1
            if version >= 10:
                out += _pack_u(topic.topic_id)
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            out.append(0)
    if version >= 11:
        if m.include_cluster_authorized_operations:
            raise absent_field_error("include_cluster_authorized_operations")
        out += _pack_ttx(m.allow_auto_topic_creation, m.include_topic_authorized_operations)
    else:
        out += _pack_tttx(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)


MetadataRequest.WRITERS = dict.fromkeys(range(0, 9), _write_metadata_request_v0_8) | dict.fromkeys(range(9, 14), _write_metadata_request_v9_13)


def _read_metadata_response_v0_8(b: bytes, at: int, version: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.error_code = 0
    if version >= 3:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 10 > size - at:
        raise count_error("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = _unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 1:
            broker.port, n = _unpack_ih(b, at)
            at += 6
            if n < 0:
                broker.rack = None
            else:
                end = at + n
                broker.rack = b[at:end].decode("utf-8", "replace")
                at = end
        else:
            broker.rack = None
            broker.port = _unpack_i(b, at)[0]
            at += 4
        brokers.append(broker)
    if version >= 2:
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            m.cluster_id = None
        else:
            end = at + n
            m.cluster_id = b[at:end].decode("utf-8", "replace")
            at = end
        m.controller_id, n = _unpack_ii(b, at)
        at += 8
    elif version >= 1:
        m.cluster_id = None
        m.controller_id, n = _unpack_ii(b, at)
        at += 8
    else:
        m.cluster_id = None
        m.controller_id = -1
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 8 > size - at:
        raise count_error("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.error_code, n = _unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 1:
            topic.is_internal, n = _unpack_ti(b, at)
            at += 5
        else:
            topic.is_internal = False
            n = _unpack_i(b, at)[0]
            at += 4
        if n < 0 or n * 18 > size - at:
            raise count_error("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            if version >= 7:
                partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = _unpack_hiiii(b, at)
                at += 18
            else:
                partition.leader_epoch = -1
                partition.error_code, partition.partition_index, partition.leader_id, n = _unpack_hiii(b, at)
                at += 14
            if n < 0 or n * 4 > size - at:
                raise count_error("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            if version >= 5:
                n = _unpack_i(b, at)[0]
                at += 4
                if n < 0 or n * 4 > size - at:
                    raise count_error("offline_replicas", n)
                end = at + n * 4
                partition.offline_replicas = [each for (each,) in _iter_i(b[at:end])]
                at = end
            else:
                partition.offline_replicas = []
            partitions.append(partition)
        if version >= 8:
            topic.topic_authorized_operations = _unpack_i(b, at)[0]
            at += 4
        else:
            topic.topic_authorized_operations = -2147483648
        topics.append(topic)
    if version >= 8:
        m.cluster_authorized_operations = _unpack_i(b, at)[0]
        at += 4
    else:
        m.cluster_authorized_operations = -2147483648
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v9_13(b: bytes, at: int, version: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise count_error("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        brokers.append(broker)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.cluster_id = None
    else:
        end = at + n - 1
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise count_error("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            if version <= 11:
                raise ProtocolError("name is null")
            topic.name = None
        else:
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
        if version >= 10:
            topic.topic_id, topic.is_internal, n = _unpack_utB(b, at)
            at += 18
        else:
            topic.topic_id = ZERO_UUID
            topic.is_internal, n = _unpack_tB(b, at)
            at += 2
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise count_error("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = _unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = _unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topics.append(topic)
    if version >= 13:
        m.cluster_authorized_operations = -2147483648
        m.error_code, tags = _unpack_hB(b, at)
        at += 3
    elif version >= 11:
        m.cluster_authorized_operations = -2147483648
        m.error_code = 0
        tags = b[at]
        at += 1
    else:
        m.error_code = 0
        m.cluster_authorized_operations, tags = _unpack_iB(b, at)
        at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


MetadataResponse.READERS = dict.fromkeys(range(0, 9), _read_metadata_response_v0_8) | dict.fromkeys(range(9, 14), _read_metadata_response_v9_13)


def _write_metadata_response_v0_8(m: MetadataResponse, out: bytearray, version: int) -> None:
    brokers = m.brokers
    if version >= 3:
        out += _pack_ii(m.throttle_time_ms, len(brokers))
    else:
        out += _pack_i(len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += _pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        if version >= 1:
            rack = broker.rack
            rack_bytes = b"" if rack is None else rack.encode()
            out += _pack_ih(broker.port, -1 if rack is None else len(rack_bytes))
            out += rack_bytes
        else:
            out += _pack_i(broker.port)
    topics = m.topics
    if version >= 2:
        cluster_id = m.cluster_id
        cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
        out += _pack_h(-1 if cluster_id is None else len(cluster_id_bytes))
        out += cluster_id_bytes
        out += _pack_ii(m.controller_id, len(topics))
    elif version >= 1:
        out += _pack_ii(m.controller_id, len(topics))
    else:
        out += _pack_i(len(topics))
    for topic in topics:
        name = topic.name
        if name is None:
            raise null_field_error("name")
        name_bytes = name.encode()
        out += _pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        if version >= 1:
            out += _pack_ti(topic.is_internal, len(partitions))
        else:
            out += _pack_i(len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            if version >= 7:
                out += _pack_hiiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, len(replica_nodes))
            else:
                out += _pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, len(replica_nodes))
            out += _pack_list_i(replica_nodes)
            isr_nodes = partition.isr_nodes
            out += _pack_i(len(isr_nodes))
            out += _pack_list_i(isr_nodes)
            if version >= 5:
                offline_replicas = partition.offline_replicas
                out += _pack_i(len(offline_replicas))
                out += _pack_list_i(offline_replicas)
        if version >= 8:
            out += _pack_i(topic.topic_authorized_operations)
        else:
            if topic.topic_authorized_operations != -2147483648:
                raise absent_field_error("topic_authorized_operations")
    if version >= 8:
        out += _pack_i(m.cluster_authorized_operations)
    else:
        if m.cluster_authorized_operations != -2147483648:
            raise absent_field_error("cluster_authorized_operations")


def _write_metadata_response_v9_13(m: MetadataResponse, out: bytearray, version: int) -> None:
    brokers = m.brokers
    n = len(brokers) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            out += _pack_i(broker.node_id)
            write_uvarint(out, n)
        else:
            out += _pack_iB(broker.node_id, n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            out += _pack_i(broker.port)
            write_uvarint(out, n)
        else:
            out += _pack_iB(broker.port, n)
        out += rack_bytes
        out.append(0)
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        out += _pack_i(m.controller_id)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.controller_id, n)
    for topic in topics:
        name = topic.name
        if name is None and version <= 11:
            raise null_field_error("name")
        name_bytes = b"" if name is None else name.encode()
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            out += _pack_h(topic.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(topic.error_code, n)
        out += name_bytes
        partitions = topic.partitions
        n = len(partitions) + 1
        if version >= 10:
            out += _pack_ut(topic.topic_id, topic.is_internal)
        else:
            out += _pack_t(topic.is_internal)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            n = len(replica_nodes) + 1
            if n > 127:
                out += _pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
                write_uvarint(out, n)
            else:
                out += _pack_hiiiB(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n)
            out += _pack_list_i(replica_nodes)
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(isr_nodes)
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(offline_replicas)
            out.append(0)
        out += _pack_ix(topic.topic_authorized_operations)
    if version >= 13:
        if m.cluster_authorized_operations != -2147483648:
            raise absent_field_error("cluster_authorized_operations")
        out += _pack_hx(m.error_code)
    elif version >= 11:
        if m.cluster_authorized_operations != -2147483648:
            raise absent_field_error("cluster_authorized_operations")
        out.append(0)
    else:
        out += _pack_ix(m.cluster_authorized_operations)


MetadataResponse.WRITERS = dict.fromkeys(range(0, 9), _write_metadata_response_v0_8) | dict.fromkeys(range(9, 14), _write_metadata_response_v9_13)
