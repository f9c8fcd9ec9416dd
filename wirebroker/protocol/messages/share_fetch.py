"""ShareFetch: get records of a share group, and say what became of earlier ones (KIP-932).

v0  was a preview
v1  max_records, batch_size
v2  share_acquire_mode, is_renew_ack (KIP-1206, KIP-1222)

Generated from protocol_specs/78_share_fetch by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import (
    BUFFERS,
    UNSET,
    ZERO_UUID,
    detach,
    fault_absent,
    fault_length,
    fault_null,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

if TYPE_CHECKING:
    from wirebroker.protocol.primitives import RecordData

new = object.__new__
iter_b = Struct(">b").iter_unpack
iter_i = Struct(">i").iter_unpack
pack_b = Struct(">b").pack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_iiii = Struct(">iiii").pack
pack_iiiiii = Struct(">iiiiii").pack
pack_iiiiiibt = Struct(">iiiiiib?").pack
pack_iix = Struct(">iix").pack
pack_qq = Struct(">qq").pack
pack_qqhx = Struct(">qqhx").pack
pack_u = Struct(">16s").pack
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_iiiiB = Struct(">iiiiB").unpack_from
unpack_iiiiiiB = Struct(">iiiiiiB").unpack_from
unpack_iiiiiibtB = Struct(">iiiiiib?B").unpack_from
unpack_qqB = Struct(">qqB").unpack_from
unpack_qqhB = Struct(">qqhB").unpack_from
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


class FetchPartition(Data):
    __slots__ = FIELDS = ("partition_index", "partition_max_bytes", "acknowledgement_batches")

    def __init__(
        self,
        partition_index: int = 0,
        partition_max_bytes: int = 0,
        acknowledgement_batches: list[AcknowledgementBatch] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.partition_max_bytes = partition_max_bytes
        self.acknowledgement_batches = [] if acknowledgement_batches is UNSET else acknowledgement_batches


class FetchTopic(Data):
    __slots__ = FIELDS = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[FetchPartition] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class ForgottenTopic(Data):
    __slots__ = FIELDS = ("topic_id", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class ShareFetchRequest(Message):
    API_KEY = 78
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "group_id",
        "member_id",
        "share_session_epoch",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "max_records",
        "batch_size",
        "share_acquire_mode",
        "is_renew_ack",
        "topics",
        "forgotten_topics_data",
    )

    def __init__(
        self,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        max_records: int = 0,
        batch_size: int = 0,
        share_acquire_mode: int = 0,
        is_renew_ack: bool = False,
        topics: list[FetchTopic] = UNSET,
        forgotten_topics_data: list[ForgottenTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_records = max_records
        self.batch_size = batch_size
        self.share_acquire_mode = share_acquire_mode
        self.is_renew_ack = is_renew_ack
        self.topics = [] if topics is UNSET else topics
        self.forgotten_topics_data = [] if forgotten_topics_data is UNSET else forgotten_topics_data


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


class AcquiredRecords(Data):
    __slots__ = FIELDS = ("first_offset", "last_offset", "delivery_count")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_count = delivery_count


class PartitionData(Data):
    __slots__ = FIELDS = (
        "partition_index",
        "error_code",
        "error_message",
        "acknowledge_error_code",
        "acknowledge_error_message",
        "current_leader",
        "records",
        "acquired_records",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acknowledge_error_code: int = 0,
        acknowledge_error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = DEFAULT_LeaderIdAndEpoch,
        records: RecordData | None = None,
        acquired_records: list[AcquiredRecords] = UNSET,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.acknowledge_error_code = acknowledge_error_code
        self.acknowledge_error_message = acknowledge_error_message
        self.current_leader = current_leader
        self.records = records
        self.acquired_records = [] if acquired_records is UNSET else acquired_records


class ShareFetchableTopicResponse(Data):
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


class ShareFetchResponse(Message):
    API_KEY = 78
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    HAS_RECORDS = True
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
        responses: list[ShareFetchableTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints


def _read_share_fetch_request_v0(b: bytes, at: int) -> tuple[ShareFetchRequest, int]:
    size = len(b)
    m = new(ShareFetchRequest)
    m.max_records = 0
    m.batch_size = 0
    m.share_acquire_mode = 0
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
    m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, n = unpack_iiiiB(b, at)
    at += 17
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 10 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.partition_index, partition.partition_max_bytes, n = unpack_iiB(b, at)
            at += 9
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
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ShareFetchRequest is {at - size} bytes short")
    return m, at


def _read_share_fetch_request_v1(b: bytes, at: int) -> tuple[ShareFetchRequest, int]:
    size = len(b)
    m = new(ShareFetchRequest)
    m.share_acquire_mode = 0
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
    m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size, n = unpack_iiiiiiB(b, at)
    at += 25
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.partition_max_bytes = 0
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
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ShareFetchRequest is {at - size} bytes short")
    return m, at


def _read_share_fetch_request_v2(b: bytes, at: int) -> tuple[ShareFetchRequest, int]:
    size = len(b)
    m = new(ShareFetchRequest)
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
    m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size, m.share_acquire_mode, m.is_renew_ack, n = unpack_iiiiiibtB(b, at)
    at += 27
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[FetchTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(FetchTopic)
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[FetchPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(FetchPartition)
            partition.partition_max_bytes = 0
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
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    m.forgotten_topics_data = forgotten_topics_data
    for _ in range(n):
        forgotten_topics_data_item = new(ForgottenTopic)
        forgotten_topics_data_item.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        forgotten_topics_data_item.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        forgotten_topics_data.append(forgotten_topics_data_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ShareFetchRequest is {at - size} bytes short")
    return m, at


def _write_share_fetch_request_v0(m: ShareFetchRequest, out: bytearray) -> None:
    if m.max_records != 0:
        raise fault_absent("max_records")
    if m.batch_size != 0:
        raise fault_absent("batch_size")
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
    out += pack_iiii(m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes)
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
            out += pack_ii(partition.partition_index, partition.partition_max_bytes)
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
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_u(forgotten_topics_data_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    out.append(0)


def _write_share_fetch_request_v1(m: ShareFetchRequest, out: bytearray) -> None:
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
    out += pack_iiiiii(m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size)
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
            if partition.partition_max_bytes != 0:
                raise fault_absent("partition_max_bytes")
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
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_u(forgotten_topics_data_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    out.append(0)


def _write_share_fetch_request_v2(m: ShareFetchRequest, out: bytearray) -> None:
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
    out += pack_iiiiiibt(m.share_session_epoch, m.max_wait_ms, m.min_bytes, m.max_bytes, m.max_records, m.batch_size, m.share_acquire_mode, m.is_renew_ack)
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
            if partition.partition_max_bytes != 0:
                raise fault_absent("partition_max_bytes")
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
    forgotten_topics_data = m.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for forgotten_topics_data_item in forgotten_topics_data:
        partitions2 = forgotten_topics_data_item.partitions
        out += pack_u(forgotten_topics_data_item.topic_id)
        n = len(partitions2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions2))
        out.append(0)
    out.append(0)


def _read_share_fetch_response_v0(b: memoryview, at: int) -> tuple[ShareFetchResponse, int]:
    size = len(b)
    m = new(ShareFetchResponse)
    m.acquisition_lock_timeout_ms = 0
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("responses", n)
    responses: list[ShareFetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(ShareFetchableTopicResponse)
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 22 > size - at:
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
                partition.error_message = b[at:end].tobytes().decode("utf-8", "replace")
                at = end
            partition.acknowledge_error_code, n = unpack_hB(b, at)
            at += 3
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.acknowledge_error_message = None
            else:
                end = at + n - 1
                partition.acknowledge_error_message = b[at:end].tobytes().decode("utf-8", "replace")
                at = end
            current_leader = new(LeaderIdAndEpoch)
            current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
            at += 9
            if tags:
                at = skip_tags(b, at, tags)
            partition.current_leader = current_leader
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.records = None
            else:
                end = at + n - 1
                partition.records = b[at:end]
                at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 19 > size - at:
                raise fault_length("acquired_records", n)
            acquired_records: list[AcquiredRecords] = []
            partition.acquired_records = acquired_records
            for _ in range(n):
                acquired_record = new(AcquiredRecords)
                acquired_record.first_offset, acquired_record.last_offset, acquired_record.delivery_count, tags = unpack_qqhB(b, at)
                at += 19
                if tags:
                    at = skip_tags(b, at, tags)
                acquired_records.append(acquired_record)
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
        node_endpoint.host = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        node_endpoint.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            node_endpoint.rack = None
        else:
            end = at + n - 1
            node_endpoint.rack = b[at:end].tobytes().decode("utf-8", "replace")
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
        raise ProtocolError(f"ShareFetchResponse is {at - size} bytes short")
    return m, at


def _read_share_fetch_response_v1_2(b: memoryview, at: int) -> tuple[ShareFetchResponse, int]:
    size = len(b)
    m = new(ShareFetchResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
    m.acquisition_lock_timeout_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("responses", n)
    responses: list[ShareFetchableTopicResponse] = []
    m.responses = responses
    for _ in range(n):
        response = new(ShareFetchableTopicResponse)
        response.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 22 > size - at:
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
                partition.error_message = b[at:end].tobytes().decode("utf-8", "replace")
                at = end
            partition.acknowledge_error_code, n = unpack_hB(b, at)
            at += 3
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.acknowledge_error_message = None
            else:
                end = at + n - 1
                partition.acknowledge_error_message = b[at:end].tobytes().decode("utf-8", "replace")
                at = end
            current_leader = new(LeaderIdAndEpoch)
            current_leader.leader_id, current_leader.leader_epoch, tags = unpack_iiB(b, at)
            at += 9
            if tags:
                at = skip_tags(b, at, tags)
            partition.current_leader = current_leader
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("records is null")
            end = at + n - 1
            partition.records = b[at:end]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 19 > size - at:
                raise fault_length("acquired_records", n)
            acquired_records: list[AcquiredRecords] = []
            partition.acquired_records = acquired_records
            for _ in range(n):
                acquired_record = new(AcquiredRecords)
                acquired_record.first_offset, acquired_record.last_offset, acquired_record.delivery_count, tags = unpack_qqhB(b, at)
                at += 19
                if tags:
                    at = skip_tags(b, at, tags)
                acquired_records.append(acquired_record)
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
        node_endpoint.host = b[at:end].tobytes().decode("utf-8", "replace")
        at = end
        node_endpoint.port, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            node_endpoint.rack = None
        else:
            end = at + n - 1
            node_endpoint.rack = b[at:end].tobytes().decode("utf-8", "replace")
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
        raise ProtocolError(f"ShareFetchResponse is {at - size} bytes short")
    return m, at


def _write_share_fetch_response_v0(m: ShareFetchResponse, out: bytearray) -> None:
    if m.acquisition_lock_timeout_ms != 0:
        raise fault_absent("acquisition_lock_timeout_ms")
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
            acknowledge_error_message = partition.acknowledge_error_message
            acknowledge_error_message_bytes = b"" if acknowledge_error_message is None else acknowledge_error_message.encode()
            out += pack_h(partition.acknowledge_error_code)
            n = 0 if acknowledge_error_message is None else len(acknowledge_error_message_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += acknowledge_error_message_bytes
            current_leader = partition.current_leader
            records = partition.records
            if records is None:
                n = -1
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_iix(current_leader.leader_id, current_leader.leader_epoch)
            put_uvarint(out, n + 1)
            if records is not None and n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            acquired_records = partition.acquired_records
            n = len(acquired_records) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for acquired_record in acquired_records:
                out += pack_qqhx(acquired_record.first_offset, acquired_record.last_offset, acquired_record.delivery_count)
            out.append(0)
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


def _write_share_fetch_response_v1_2(m: ShareFetchResponse, out: bytearray) -> None:
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
            acknowledge_error_message = partition.acknowledge_error_message
            acknowledge_error_message_bytes = b"" if acknowledge_error_message is None else acknowledge_error_message.encode()
            out += pack_h(partition.acknowledge_error_code)
            n = 0 if acknowledge_error_message is None else len(acknowledge_error_message_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += acknowledge_error_message_bytes
            current_leader = partition.current_leader
            records = partition.records
            if records is None:
                raise fault_null("records")
            elif isinstance(records, BUFFERS):
                n = len(records)
            else:
                n = records.size_bytes
            out += pack_iix(current_leader.leader_id, current_leader.leader_epoch)
            put_uvarint(out, n + 1)
            if n:
                if isinstance(records, BUFFERS):
                    out += records
                else:
                    detach(out, records)
            acquired_records = partition.acquired_records
            n = len(acquired_records) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for acquired_record in acquired_records:
                out += pack_qqhx(acquired_record.first_offset, acquired_record.last_offset, acquired_record.delivery_count)
            out.append(0)
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


ShareFetchRequest.READERS = {
    0: _read_share_fetch_request_v0,
    1: _read_share_fetch_request_v1,
    2: _read_share_fetch_request_v2,
}
ShareFetchRequest.WRITERS = {
    0: _write_share_fetch_request_v0,
    1: _write_share_fetch_request_v1,
    2: _write_share_fetch_request_v2,
}
ShareFetchResponse.READERS = {
    0: _read_share_fetch_response_v0,
    1: _read_share_fetch_response_v1_2,
    2: _read_share_fetch_response_v1_2,
}
ShareFetchResponse.WRITERS = {
    0: _write_share_fetch_response_v0,
    1: _write_share_fetch_response_v1_2,
    2: _write_share_fetch_response_v1_2,
}
