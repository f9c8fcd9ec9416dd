"""Metadata: brokers, controller, and where the partitions of topics are.

v1  null asks for all topics; controller_id, rack, is_internal (KIP-4)
v2  cluster_id (KIP-78)
v3  throttle_time_ms (KIP-124)
v4  allow_auto_topic_creation
v5  offline_replicas (KIP-112)
v6  answers before it throttles (KIP-219)
v7  leader_epoch (KIP-320)
v8  authorized operations (KIP-430)
v9  flexible
v10 topic_id (KIP-516)
v11 no more cluster_authorized_operations (KIP-700)
v12 ask by topic_id, name may be null
v13 error_code for the whole answer (KIP-1102)

Generated from protocol_specs/03_metadata by tools/codegen: do not edit.
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
    fault_null,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_hh = Struct(">hh").pack
pack_hiii = Struct(">hiii").pack
pack_hiiii = Struct(">hiiii").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
pack_t = Struct(">?").pack
pack_ti = Struct(">?i").pack
pack_ttt = Struct(">???").pack
pack_tttx = Struct(">???x").pack
pack_ttx = Struct(">??x").pack
pack_u = Struct(">16s").pack
pack_ut = Struct(">16s?").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_hiii = Struct(">hiii").unpack_from
unpack_hiiiB = Struct(">hiiiB").unpack_from
unpack_hiiii = Struct(">hiiii").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_ti = Struct(">?i").unpack_from
unpack_ttB = Struct(">??B").unpack_from
unpack_ttt = Struct(">???").unpack_from
unpack_tttB = Struct(">???B").unpack_from
unpack_uB = Struct(">16sB").unpack_from
unpack_utB = Struct(">16s?B").unpack_from


class MetadataRequestTopic(Data):
    """null: all topics; before version 1 an empty list means all"""

    __slots__ = FIELDS = ("topic_id", "name")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        name: str | None = "",
    ) -> None:
        self.topic_id = topic_id
        self.name = name


class MetadataRequest(Message):
    API_KEY = 3
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9
    __slots__ = FIELDS = (
        "topics",
        "allow_auto_topic_creation",
        "include_cluster_authorized_operations",
        "include_topic_authorized_operations",
    )

    def __init__(
        self,
        topics: list[MetadataRequestTopic] | None = UNSET,
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations


class MetadataResponseBroker(Data):
    __slots__ = FIELDS = ("node_id", "host", "port", "rack")

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class MetadataResponsePartition(Data):
    __slots__ = FIELDS = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
        "offline_replicas",
    )

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: list[int] = UNSET,
        isr_nodes: list[int] = UNSET,
        offline_replicas: list[int] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is UNSET else replica_nodes
        self.isr_nodes = [] if isr_nodes is UNSET else isr_nodes
        self.offline_replicas = [] if offline_replicas is UNSET else offline_replicas


class MetadataResponseTopic(Data):
    """null: all topics; before version 1 an empty list means all"""

    __slots__ = FIELDS = ("error_code", "name", "topic_id", "is_internal", "partitions", "topic_authorized_operations")

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[MetadataResponsePartition] = UNSET,
        topic_authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = [] if partitions is UNSET else partitions
        self.topic_authorized_operations = topic_authorized_operations


class MetadataResponse(Message):
    API_KEY = 3
    VERSIONS = range(0, 14)
    FLEXIBLE_FROM = 9
    __slots__ = FIELDS = (
        "throttle_time_ms",
        "brokers",
        "cluster_id",
        "controller_id",
        "topics",
        "cluster_authorized_operations",
        "error_code",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        brokers: list[MetadataResponseBroker] = UNSET,
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: list[MetadataResponseTopic] = UNSET,
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = [] if brokers is UNSET else brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = [] if topics is UNSET else topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code


def _read_metadata_request_v0(b: bytes, at: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    m.allow_auto_topic_creation = True
    m.include_cluster_authorized_operations = False
    m.include_topic_authorized_operations = False
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataRequestTopic)
        topic.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _read_metadata_request_v1_3(b: bytes, at: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    m.allow_auto_topic_creation = True
    m.include_cluster_authorized_operations = False
    m.include_topic_authorized_operations = False
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.topics = None
    else:
        if n * 2 > size - at:
            raise fault_length("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            topic.topic_id = ZERO_UUID
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _read_metadata_request_v4_7(b: bytes, at: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    m.include_cluster_authorized_operations = False
    m.include_topic_authorized_operations = False
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.topics = None
    else:
        if n * 2 > size - at:
            raise fault_length("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            topic.topic_id = ZERO_UUID
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            topics.append(topic)
    m.allow_auto_topic_creation = unpack_t(b, at)[0]
    at += 1
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _read_metadata_request_v8(b: bytes, at: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.topics = None
    else:
        if n * 2 > size - at:
            raise fault_length("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            topic.topic_id = ZERO_UUID
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("name is null")
            end = at + n
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            topics.append(topic)
    m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations = unpack_ttt(b, at)
    at += 3
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _read_metadata_request_v9(b: bytes, at: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 2 > size - at:
            raise fault_length("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            topic.topic_id = ZERO_UUID
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
    m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations, tags = unpack_tttB(b, at)
    at += 4
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _read_metadata_request_v10(b: bytes, at: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 18 > size - at:
            raise fault_length("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            topic.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                topic.name = None
            else:
                end = at + n - 1
                topic.name = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
    m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations, tags = unpack_tttB(b, at)
    at += 4
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _read_metadata_request_v11_13(b: bytes, at: int) -> tuple[MetadataRequest, int]:
    size = len(b)
    m = new(MetadataRequest)
    m.include_cluster_authorized_operations = False
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.topics = None
    else:
        if n * 18 > size - at:
            raise fault_length("topics", n)
        topics: list[MetadataRequestTopic] = []
        m.topics = topics
        for _ in range(n):
            topic = new(MetadataRequestTopic)
            topic.topic_id, n = unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                topic.name = None
            else:
                end = at + n - 1
                topic.name = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
    m.allow_auto_topic_creation, m.include_topic_authorized_operations, tags = unpack_ttB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataRequest is {at - size} bytes short")
    return m, at


def _write_metadata_request_v0(m: MetadataRequest, out: bytearray) -> None:
    if not m.allow_auto_topic_creation:
        raise fault_absent("allow_auto_topic_creation")
    if m.include_cluster_authorized_operations:
        raise fault_absent("include_cluster_authorized_operations")
    if m.include_topic_authorized_operations:
        raise fault_absent("include_topic_authorized_operations")
    topics = m.topics
    if topics is None:
        raise fault_null("topics")
    out += pack_i(len(topics))
    for topic in topics:
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes


def _write_metadata_request_v1_3(m: MetadataRequest, out: bytearray) -> None:
    if not m.allow_auto_topic_creation:
        raise fault_absent("allow_auto_topic_creation")
    if m.include_cluster_authorized_operations:
        raise fault_absent("include_cluster_authorized_operations")
    if m.include_topic_authorized_operations:
        raise fault_absent("include_topic_authorized_operations")
    topics = m.topics
    out += pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            name = topic.name
            if name is None:
                raise fault_null("name")
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes


def _write_metadata_request_v4_7(m: MetadataRequest, out: bytearray) -> None:
    if m.include_cluster_authorized_operations:
        raise fault_absent("include_cluster_authorized_operations")
    if m.include_topic_authorized_operations:
        raise fault_absent("include_topic_authorized_operations")
    topics = m.topics
    out += pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            name = topic.name
            if name is None:
                raise fault_null("name")
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
    out += pack_t(m.allow_auto_topic_creation)


def _write_metadata_request_v8(m: MetadataRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(-1 if topics is None else len(topics))
    if topics is not None:
        for topic in topics:
            name = topic.name
            if name is None:
                raise fault_null("name")
            name_bytes = name.encode()
            out += pack_h(len(name_bytes))
            out += name_bytes
    out += pack_ttt(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)


def _write_metadata_request_v9(m: MetadataRequest, out: bytearray) -> None:
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            if name is None:
                raise fault_null("name")
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            out.append(0)
    out += pack_tttx(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)


def _write_metadata_request_v10(m: MetadataRequest, out: bytearray) -> None:
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = b"" if name is None else name.encode()
            out += pack_u(topic.topic_id)
            n = 0 if name is None else len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            out.append(0)
    out += pack_tttx(m.allow_auto_topic_creation, m.include_cluster_authorized_operations, m.include_topic_authorized_operations)


def _write_metadata_request_v11_13(m: MetadataRequest, out: bytearray) -> None:
    if m.include_cluster_authorized_operations:
        raise fault_absent("include_cluster_authorized_operations")
    topics = m.topics
    n = 0 if topics is None else len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if topics is not None:
        for topic in topics:
            name = topic.name
            name_bytes = b"" if name is None else name.encode()
            out += pack_u(topic.topic_id)
            n = 0 if name is None else len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            out.append(0)
    out += pack_ttx(m.allow_auto_topic_creation, m.include_topic_authorized_operations)


def _read_metadata_response_v0(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.throttle_time_ms = 0
    m.cluster_id = None
    m.controller_id = -1
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.rack = None
        broker.node_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port = unpack_i(b, at)[0]
        at += 4
        brokers.append(broker)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 8 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.is_internal = False
        topic.topic_authorized_operations = -2147483648
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.leader_epoch = -1
            partition.offline_replicas = []
            partition.error_code, partition.partition_index, partition.leader_id, n = unpack_hiii(b, at)
            at += 14
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v1(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.throttle_time_ms = 0
    m.cluster_id = None
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 12 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            broker.rack = None
        else:
            end = at + n
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        brokers.append(broker)
    m.controller_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 9 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.is_internal, n = unpack_ti(b, at)
        at += 5
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.leader_epoch = -1
            partition.offline_replicas = []
            partition.error_code, partition.partition_index, partition.leader_id, n = unpack_hiii(b, at)
            at += 14
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v2(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.throttle_time_ms = 0
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 12 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            broker.rack = None
        else:
            end = at + n
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        brokers.append(broker)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.cluster_id = None
    else:
        end = at + n
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 9 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.is_internal, n = unpack_ti(b, at)
        at += 5
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.leader_epoch = -1
            partition.offline_replicas = []
            partition.error_code, partition.partition_index, partition.leader_id, n = unpack_hiii(b, at)
            at += 14
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v3_4(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 12 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            broker.rack = None
        else:
            end = at + n
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        brokers.append(broker)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.cluster_id = None
    else:
        end = at + n
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 9 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.is_internal, n = unpack_ti(b, at)
        at += 5
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.leader_epoch = -1
            partition.offline_replicas = []
            partition.error_code, partition.partition_index, partition.leader_id, n = unpack_hiii(b, at)
            at += 14
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v5_6(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 12 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            broker.rack = None
        else:
            end = at + n
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        brokers.append(broker)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.cluster_id = None
    else:
        end = at + n
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 9 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.is_internal, n = unpack_ti(b, at)
        at += 5
        if n < 0 or n * 22 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.leader_epoch = -1
            partition.error_code, partition.partition_index, partition.leader_id, n = unpack_hiii(b, at)
            at += 14
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v7(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 12 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            broker.rack = None
        else:
            end = at + n
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        brokers.append(broker)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.cluster_id = None
    else:
        end = at + n
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 9 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.topic_authorized_operations = -2147483648
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.is_internal, n = unpack_ti(b, at)
        at += 5
        if n < 0 or n * 26 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiii(b, at)
            at += 18
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v8(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.error_code = 0
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 12 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host is null")
        end = at + n
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            broker.rack = None
        else:
            end = at + n
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        brokers.append(broker)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.cluster_id = None
    else:
        end = at + n
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 13 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.error_code, n = unpack_hh(b, at)
        at += 4
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.is_internal, n = unpack_ti(b, at)
        at += 5
        if n < 0 or n * 26 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiii(b, at)
            at += 18
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partitions.append(partition)
        topic.topic_authorized_operations = unpack_i(b, at)[0]
        at += 4
        topics.append(topic)
    m.cluster_authorized_operations = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v9(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.error_code = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.cluster_id = None
    else:
        end = at + n - 1
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.topic_id = ZERO_UUID
        topic.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.is_internal, n = unpack_tB(b, at)
        at += 2
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.cluster_authorized_operations, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v10(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.error_code = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.cluster_id = None
    else:
        end = at + n - 1
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 26 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.topic_id, topic.is_internal, n = unpack_utB(b, at)
        at += 18
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.cluster_authorized_operations, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v11(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.cluster_id = None
    else:
        end = at + n - 1
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 26 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        topic.topic_id, topic.is_internal, n = unpack_utB(b, at)
        at += 18
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v12(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.cluster_authorized_operations = -2147483648
    m.error_code = 0
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.cluster_id = None
    else:
        end = at + n - 1
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 26 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            topic.name = None
        else:
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
        topic.topic_id, topic.is_internal, n = unpack_utB(b, at)
        at += 18
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _read_metadata_response_v13(b: bytes, at: int) -> tuple[MetadataResponse, int]:
    size = len(b)
    m = new(MetadataResponse)
    m.cluster_authorized_operations = -2147483648
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    m.brokers = brokers
    for _ in range(n):
        broker = new(MetadataResponseBroker)
        broker.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        broker.host = b[at:end].decode("utf-8", "replace")
        at = end
        broker.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            broker.rack = None
        else:
            end = at + n - 1
            broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        brokers.append(broker)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.cluster_id = None
    else:
        end = at + n - 1
        m.cluster_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.controller_id, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 26 > size - at:
        raise fault_length("topics", n)
    topics: list[MetadataResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(MetadataResponseTopic)
        topic.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            topic.name = None
        else:
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
        topic.topic_id, topic.is_internal, n = unpack_utB(b, at)
        at += 18
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[MetadataResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(MetadataResponsePartition)
            partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, n = unpack_hiiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replica_nodes", n)
            end = at + n * 4
            partition.replica_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr_nodes", n)
            end = at + n * 4
            partition.isr_nodes = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        topic.topic_authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.error_code, tags = unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"MetadataResponse is {at - size} bytes short")
    return m, at


def _write_metadata_response_v0(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_i(len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        out += pack_i(broker.port)
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        if topic.topic_authorized_operations != -2147483648:
            raise fault_absent("topic_authorized_operations")
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, len(replica_nodes))
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            out += pack_i(len(isr_nodes))
            out += b"".join(map(pack_i, isr_nodes))


def _write_metadata_response_v1(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_i(len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_ih(broker.port, -1 if rack is None else len(rack_bytes))
        out += rack_bytes
    topics = m.topics
    out += pack_ii(m.controller_id, len(topics))
    for topic in topics:
        if topic.topic_authorized_operations != -2147483648:
            raise fault_absent("topic_authorized_operations")
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_ti(topic.is_internal, len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, len(replica_nodes))
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            out += pack_i(len(isr_nodes))
            out += b"".join(map(pack_i, isr_nodes))


def _write_metadata_response_v2(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_i(len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_ih(broker.port, -1 if rack is None else len(rack_bytes))
        out += rack_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    out += pack_h(-1 if cluster_id is None else len(cluster_id_bytes))
    out += cluster_id_bytes
    topics = m.topics
    out += pack_ii(m.controller_id, len(topics))
    for topic in topics:
        if topic.topic_authorized_operations != -2147483648:
            raise fault_absent("topic_authorized_operations")
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_ti(topic.is_internal, len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, len(replica_nodes))
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            out += pack_i(len(isr_nodes))
            out += b"".join(map(pack_i, isr_nodes))


def _write_metadata_response_v3_4(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_ii(m.throttle_time_ms, len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_ih(broker.port, -1 if rack is None else len(rack_bytes))
        out += rack_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    out += pack_h(-1 if cluster_id is None else len(cluster_id_bytes))
    out += cluster_id_bytes
    topics = m.topics
    out += pack_ii(m.controller_id, len(topics))
    for topic in topics:
        if topic.topic_authorized_operations != -2147483648:
            raise fault_absent("topic_authorized_operations")
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_ti(topic.is_internal, len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, len(replica_nodes))
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            out += pack_i(len(isr_nodes))
            out += b"".join(map(pack_i, isr_nodes))


def _write_metadata_response_v5_6(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_ii(m.throttle_time_ms, len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_ih(broker.port, -1 if rack is None else len(rack_bytes))
        out += rack_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    out += pack_h(-1 if cluster_id is None else len(cluster_id_bytes))
    out += cluster_id_bytes
    topics = m.topics
    out += pack_ii(m.controller_id, len(topics))
    for topic in topics:
        if topic.topic_authorized_operations != -2147483648:
            raise fault_absent("topic_authorized_operations")
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_ti(topic.is_internal, len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, len(replica_nodes))
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            out += pack_i(len(isr_nodes))
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            out += pack_i(len(offline_replicas))
            out += b"".join(map(pack_i, offline_replicas))


def _write_metadata_response_v7(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_ii(m.throttle_time_ms, len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_ih(broker.port, -1 if rack is None else len(rack_bytes))
        out += rack_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    out += pack_h(-1 if cluster_id is None else len(cluster_id_bytes))
    out += cluster_id_bytes
    topics = m.topics
    out += pack_ii(m.controller_id, len(topics))
    for topic in topics:
        if topic.topic_authorized_operations != -2147483648:
            raise fault_absent("topic_authorized_operations")
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_ti(topic.is_internal, len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, len(replica_nodes))
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            out += pack_i(len(isr_nodes))
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            out += pack_i(len(offline_replicas))
            out += b"".join(map(pack_i, offline_replicas))


def _write_metadata_response_v8(m: MetadataResponse, out: bytearray) -> None:
    brokers = m.brokers
    out += pack_ii(m.throttle_time_ms, len(brokers))
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_ih(broker.node_id, len(host_bytes))
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_ih(broker.port, -1 if rack is None else len(rack_bytes))
        out += rack_bytes
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    out += pack_h(-1 if cluster_id is None else len(cluster_id_bytes))
    out += cluster_id_bytes
    topics = m.topics
    out += pack_ii(m.controller_id, len(topics))
    for topic in topics:
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_hh(topic.error_code, len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_ti(topic.is_internal, len(partitions))
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch, len(replica_nodes))
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            out += pack_i(len(isr_nodes))
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            out += pack_i(len(offline_replicas))
            out += b"".join(map(pack_i, offline_replicas))
        out += pack_i(topic.topic_authorized_operations)
    out += pack_i(m.cluster_authorized_operations)


def _write_metadata_response_v9(m: MetadataResponse, out: bytearray) -> None:
    brokers = m.brokers
    out += pack_i(m.throttle_time_ms)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    topics = m.topics
    out += pack_i(m.controller_id)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_h(topic.error_code)
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        out += pack_t(topic.is_internal)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
            n = len(replica_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out += pack_ix(topic.topic_authorized_operations)
    out += pack_ix(m.cluster_authorized_operations)


def _write_metadata_response_v10(m: MetadataResponse, out: bytearray) -> None:
    brokers = m.brokers
    out += pack_i(m.throttle_time_ms)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    topics = m.topics
    out += pack_i(m.controller_id)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_h(topic.error_code)
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        out += pack_ut(topic.topic_id, topic.is_internal)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
            n = len(replica_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out += pack_ix(topic.topic_authorized_operations)
    out += pack_ix(m.cluster_authorized_operations)


def _write_metadata_response_v11(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_i(m.throttle_time_ms)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    topics = m.topics
    out += pack_i(m.controller_id)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_h(topic.error_code)
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        out += pack_ut(topic.topic_id, topic.is_internal)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
            n = len(replica_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out += pack_ix(topic.topic_authorized_operations)
    out.append(0)


def _write_metadata_response_v12(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_i(m.throttle_time_ms)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    topics = m.topics
    out += pack_i(m.controller_id)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = b"" if name is None else name.encode()
        out += pack_h(topic.error_code)
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        out += pack_ut(topic.topic_id, topic.is_internal)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
            n = len(replica_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out += pack_ix(topic.topic_authorized_operations)
    out.append(0)


def _write_metadata_response_v13(m: MetadataResponse, out: bytearray) -> None:
    if m.cluster_authorized_operations != -2147483648:
        raise fault_absent("cluster_authorized_operations")
    brokers = m.brokers
    out += pack_i(m.throttle_time_ms)
    n = len(brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for broker in brokers:
        host = broker.host
        host_bytes = host.encode()
        out += pack_i(broker.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(broker.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    cluster_id = m.cluster_id
    cluster_id_bytes = b"" if cluster_id is None else cluster_id.encode()
    n = 0 if cluster_id is None else len(cluster_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += cluster_id_bytes
    topics = m.topics
    out += pack_i(m.controller_id)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = b"" if name is None else name.encode()
        out += pack_h(topic.error_code)
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = topic.partitions
        out += pack_ut(topic.topic_id, topic.is_internal)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            replica_nodes = partition.replica_nodes
            out += pack_hiii(partition.error_code, partition.partition_index, partition.leader_id, partition.leader_epoch)
            n = len(replica_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replica_nodes))
            isr_nodes = partition.isr_nodes
            n = len(isr_nodes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr_nodes))
            offline_replicas = partition.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out += pack_ix(topic.topic_authorized_operations)
    out += pack_hx(m.error_code)


MetadataRequest.READERS = {
    0: _read_metadata_request_v0,
    1: _read_metadata_request_v1_3,
    2: _read_metadata_request_v1_3,
    3: _read_metadata_request_v1_3,
    4: _read_metadata_request_v4_7,
    5: _read_metadata_request_v4_7,
    6: _read_metadata_request_v4_7,
    7: _read_metadata_request_v4_7,
    8: _read_metadata_request_v8,
    9: _read_metadata_request_v9,
    10: _read_metadata_request_v10,
    11: _read_metadata_request_v11_13,
    12: _read_metadata_request_v11_13,
    13: _read_metadata_request_v11_13,
}
MetadataRequest.WRITERS = {
    0: _write_metadata_request_v0,
    1: _write_metadata_request_v1_3,
    2: _write_metadata_request_v1_3,
    3: _write_metadata_request_v1_3,
    4: _write_metadata_request_v4_7,
    5: _write_metadata_request_v4_7,
    6: _write_metadata_request_v4_7,
    7: _write_metadata_request_v4_7,
    8: _write_metadata_request_v8,
    9: _write_metadata_request_v9,
    10: _write_metadata_request_v10,
    11: _write_metadata_request_v11_13,
    12: _write_metadata_request_v11_13,
    13: _write_metadata_request_v11_13,
}
MetadataResponse.READERS = {
    0: _read_metadata_response_v0,
    1: _read_metadata_response_v1,
    2: _read_metadata_response_v2,
    3: _read_metadata_response_v3_4,
    4: _read_metadata_response_v3_4,
    5: _read_metadata_response_v5_6,
    6: _read_metadata_response_v5_6,
    7: _read_metadata_response_v7,
    8: _read_metadata_response_v8,
    9: _read_metadata_response_v9,
    10: _read_metadata_response_v10,
    11: _read_metadata_response_v11,
    12: _read_metadata_response_v12,
    13: _read_metadata_response_v13,
}
MetadataResponse.WRITERS = {
    0: _write_metadata_response_v0,
    1: _write_metadata_response_v1,
    2: _write_metadata_response_v2,
    3: _write_metadata_response_v3_4,
    4: _write_metadata_response_v3_4,
    5: _write_metadata_response_v5_6,
    6: _write_metadata_response_v5_6,
    7: _write_metadata_response_v7,
    8: _write_metadata_response_v8,
    9: _write_metadata_response_v9,
    10: _write_metadata_response_v10,
    11: _write_metadata_response_v11,
    12: _write_metadata_response_v12,
    13: _write_metadata_response_v13,
}
