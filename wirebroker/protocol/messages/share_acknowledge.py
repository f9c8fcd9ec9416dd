"""ShareAcknowledge: say what became of records of a share group (KIP-932).

v0  was a preview
v2  is_renew_ack, acquisition_lock_timeout_ms (KIP-1222)

Generated from protocol_specs/79_share_acknowledge by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_absent,
    fault_length,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
iter_b = Struct(">b").iter_unpack
pack_b = Struct(">b").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_iixx = Struct(">iixx").pack
pack_it = Struct(">i?").pack
pack_qq = Struct(">qq").pack
pack_u = Struct(">16s").pack
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_itB = Struct(">i?B").unpack_from
unpack_qqB = Struct(">qqB").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class AcknowledgementBatch(Data):
    __slots__ = FIELDS = ("first_offset", "last_offset", "acknowledge_types")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        acknowledge_types: list[int] = UNSET,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = [] if acknowledge_types is UNSET else acknowledge_types


class AcknowledgePartition(Data):
    __slots__ = FIELDS = ("partition_index", "acknowledgement_batches")

    def __init__(
        self,
        partition_index: int = 0,
        acknowledgement_batches: list[AcknowledgementBatch] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = [] if acknowledgement_batches is UNSET else acknowledgement_batches


class AcknowledgeTopic(Data):
    __slots__ = FIELDS = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[AcknowledgePartition] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class ShareAcknowledgeRequest(Message):
    API_KEY = 79
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("group_id", "member_id", "share_session_epoch", "is_renew_ack", "topics")

    def __init__(
        self,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: list[AcknowledgeTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics = [] if topics is UNSET else topics


class LeaderIdAndEpoch(Data):
    """set when the client should go there instead"""

    __slots__ = FIELDS = ("leader_id", "leader_epoch")

    def __init__(
        self,
        leader_id: int = 0,
        leader_epoch: int = 0,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


DEFAULT_LeaderIdAndEpoch = default_of(LeaderIdAndEpoch)


class PartitionData(Data):
    __slots__ = FIELDS = ("partition_index", "error_code", "error_message", "current_leader")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = DEFAULT_LeaderIdAndEpoch,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.current_leader = current_leader


class ShareAcknowledgeTopicResponse(Data):
    __slots__ = FIELDS = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class NodeEndpoint(Data):
    """addresses of all brokers that current_leader fields name"""

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


class ShareAcknowledgeResponse(Message):
    API_KEY = 79
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "acquisition_lock_timeout_ms",
        "responses",
        "node_endpoints",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareAcknowledgeTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints


def _read_share_acknowledge_request_v0_1(b: bytes, at: int) -> tuple[ShareAcknowledgeRequest, int]:
    size = len(b)
    m = new(ShareAcknowledgeRequest)
    m.is_renew_ack = False
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_id = None
    else:
        end = at + n - 1
        m.group_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.member_id = None
    else:
        end = at + n - 1
        m.member_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.share_session_epoch, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[AcknowledgeTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(AcknowledgeTopic)
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[AcknowledgePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(AcknowledgePartition)
            partition.partition_index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 18 > size - at:
                raise fault_length("acknowledgement_batches", n)
            acknowledgement_batches: list[AcknowledgementBatch] = []
            partition.acknowledgement_batches = acknowledgement_batches
            for _ in range(n):
                acknowledgement_batche = new(AcknowledgementBatch)
                acknowledgement_batche.first_offset, acknowledgement_batche.last_offset, n = unpack_qqB(b, at)
                at += 17
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n > size - at:
                    raise fault_length("acknowledge_types", n)
                end = at + n
                acknowledgement_batche.acknowledge_types = [each for (each,) in iter_b(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                acknowledgement_batches.append(acknowledgement_batche)
            tags = b[at]
            at += 1
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
    if at > size:
        raise ProtocolError(f"ShareAcknowledgeRequest is {at - size} bytes short")
    return m, at


def _read_share_acknowledge_request_v2(b: bytes, at: int) -> tuple[ShareAcknowledgeRequest, int]:
    size = len(b)
    m = new(ShareAcknowledgeRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_id = None
    else:
        end = at + n - 1
        m.group_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.member_id = None
    else:
        end = at + n - 1
        m.member_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.share_session_epoch, m.is_renew_ack, n = unpack_itB(b, at)
    at += 6
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[AcknowledgeTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(AcknowledgeTopic)
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[AcknowledgePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(AcknowledgePartition)
            partition.partition_index, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 18 > size - at:
                raise fault_length("acknowledgement_batches", n)
            acknowledgement_batches: list[AcknowledgementBatch] = []
            partition.acknowledgement_batches = acknowledgement_batches
            for _ in range(n):
                acknowledgement_batche = new(AcknowledgementBatch)
                acknowledgement_batche.first_offset, acknowledgement_batche.last_offset, n = unpack_qqB(b, at)
                at += 17
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n > size - at:
                    raise fault_length("acknowledge_types", n)
                end = at + n
                acknowledgement_batche.acknowledge_types = [each for (each,) in iter_b(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                acknowledgement_batches.append(acknowledgement_batche)
            tags = b[at]
            at += 1
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
    if at > size:
        raise ProtocolError(f"ShareAcknowledgeRequest is {at - size} bytes short")
    return m, at


def _write_share_acknowledge_request_v0_1(m: ShareAcknowledgeRequest, out: bytearray) -> None:
    if m.is_renew_ack:
        raise fault_absent("is_renew_ack")
    group_id = m.group_id
    group_id_bytes = b"" if group_id is None else group_id.encode()
    n = 0 if group_id is None else len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = b"" if member_id is None else member_id.encode()
    n = 0 if member_id is None else len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    topics = m.topics
    out += pack_i(m.share_session_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            acknowledgement_batches = partition.acknowledgement_batches
            out += pack_i(partition.partition_index)
            n = len(acknowledgement_batches) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for acknowledgement_batche in acknowledgement_batches:
                acknowledge_types = acknowledgement_batche.acknowledge_types
                out += pack_qq(acknowledgement_batche.first_offset, acknowledgement_batche.last_offset)
                n = len(acknowledge_types) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_b, acknowledge_types))
                out.append(0)
            out.append(0)
        out.append(0)
    out.append(0)


def _write_share_acknowledge_request_v2(m: ShareAcknowledgeRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = b"" if group_id is None else group_id.encode()
    n = 0 if group_id is None else len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = b"" if member_id is None else member_id.encode()
    n = 0 if member_id is None else len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    topics = m.topics
    out += pack_it(m.share_session_epoch, m.is_renew_ack)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            acknowledgement_batches = partition.acknowledgement_batches
            out += pack_i(partition.partition_index)
            n = len(acknowledgement_batches) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for acknowledgement_batche in acknowledgement_batches:
                acknowledge_types = acknowledgement_batche.acknowledge_types
                out += pack_qq(acknowledgement_batche.first_offset, acknowledgement_batche.last_offset)
                n = len(acknowledge_types) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_b, acknowledge_types))
                out.append(0)
            out.append(0)
        out.append(0)
    out.append(0)


def _read_share_acknowledge_response_v0_1(b: bytes, at: int) -> tuple[ShareAcknowledgeResponse, int]:
    size = len(b)
    m = new(ShareAcknowledgeResponse)
    m.acquisition_lock_timeout_ms = 0
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("responses", n)
    responses: list[ShareAcknowledgeTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(ShareAcknowledgeTopicResponse)
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 17 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.partition_index, partition.error_code, n = unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.error_message = None
            else:
                end = at + n - 1
                partition.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            current_leader = new(LeaderIdAndEpoch)
            current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
            at += 9
            if tags:
                at = skip_tags(b, at, tags)
            partition.current_leader = current_leader
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("node_endpoints", n)
    node_endpoints: list[NodeEndpoint] = []
    m.node_endpoints = node_endpoints
    for _ in range(n):
        node_endpoint = new(NodeEndpoint)
        node_endpoint.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        node_endpoint.host = b[at:end].decode("utf-8", "replace")
        at = end
        node_endpoint.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            node_endpoint.rack = None
        else:
            end = at + n - 1
            node_endpoint.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        node_endpoints.append(node_endpoint)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ShareAcknowledgeResponse is {at - size} bytes short")
    return m, at


def _read_share_acknowledge_response_v2(b: bytes, at: int) -> tuple[ShareAcknowledgeResponse, int]:
    size = len(b)
    m = new(ShareAcknowledgeResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    m.acquisition_lock_timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("responses", n)
    responses: list[ShareAcknowledgeTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(ShareAcknowledgeTopicResponse)
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 17 > size - at:
            raise fault_length("partitions", n)
        partitions: list[PartitionData] = []
        response.partitions = partitions
        for _ in range(n):
            partition = new(PartitionData)
            partition.partition_index, partition.error_code, n = unpack_ihB(b, at)
            at += 7
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.error_message = None
            else:
                end = at + n - 1
                partition.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            current_leader = new(LeaderIdAndEpoch)
            current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
            at += 9
            if tags:
                at = skip_tags(b, at, tags)
            partition.current_leader = current_leader
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("node_endpoints", n)
    node_endpoints: list[NodeEndpoint] = []
    m.node_endpoints = node_endpoints
    for _ in range(n):
        node_endpoint = new(NodeEndpoint)
        node_endpoint.node_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        node_endpoint.host = b[at:end].decode("utf-8", "replace")
        at = end
        node_endpoint.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            node_endpoint.rack = None
        else:
            end = at + n - 1
            node_endpoint.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        node_endpoints.append(node_endpoint)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ShareAcknowledgeResponse is {at - size} bytes short")
    return m, at


def _write_share_acknowledge_response_v0_1(m: ShareAcknowledgeResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        partitions = response.partitions
        out += pack_u(response.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            error_message2 = partition.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            out += pack_ih(partition.partition_index, partition.error_code)
            n = 0 if error_message2 is None else len(error_message_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes2
            current_leader = partition.current_leader
            out += pack_iixx(current_leader.leader_id, current_leader.leader_epoch)
        out.append(0)
    node_endpoints = m.node_endpoints
    n = len(node_endpoints) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for node_endpoint in node_endpoints:
        host = node_endpoint.host
        host_bytes = host.encode()
        out += pack_i(node_endpoint.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = node_endpoint.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(node_endpoint.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    out.append(0)


def _write_share_acknowledge_response_v2(m: ShareAcknowledgeResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    responses = m.responses
    out += pack_i(m.acquisition_lock_timeout_ms)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        partitions = response.partitions
        out += pack_u(response.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            error_message2 = partition.error_message
            error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
            out += pack_ih(partition.partition_index, partition.error_code)
            n = 0 if error_message2 is None else len(error_message_bytes2) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes2
            current_leader = partition.current_leader
            out += pack_iixx(current_leader.leader_id, current_leader.leader_epoch)
        out.append(0)
    node_endpoints = m.node_endpoints
    n = len(node_endpoints) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for node_endpoint in node_endpoints:
        host = node_endpoint.host
        host_bytes = host.encode()
        out += pack_i(node_endpoint.node_id)
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        rack = node_endpoint.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_i(node_endpoint.port)
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    out.append(0)


ShareAcknowledgeRequest.READERS = {
    0: _read_share_acknowledge_request_v0_1,
    1: _read_share_acknowledge_request_v0_1,
    2: _read_share_acknowledge_request_v2,
}
ShareAcknowledgeRequest.WRITERS = {
    0: _write_share_acknowledge_request_v0_1,
    1: _write_share_acknowledge_request_v0_1,
    2: _write_share_acknowledge_request_v2,
}
ShareAcknowledgeResponse.READERS = {
    0: _read_share_acknowledge_response_v0_1,
    1: _read_share_acknowledge_response_v0_1,
    2: _read_share_acknowledge_response_v2,
}
ShareAcknowledgeResponse.WRITERS = {
    0: _write_share_acknowledge_response_v0_1,
    1: _write_share_acknowledge_response_v0_1,
    2: _write_share_acknowledge_response_v2,
}
