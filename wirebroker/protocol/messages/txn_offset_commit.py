"""TxnOffsetCommit: commit offsets as part of a transaction (KIP-98).

v1  answers before it throttles (KIP-219)
v2  committed_leader_epoch (KIP-320)
v3  flexible; generation and member (KIP-447)
v4  may answer TRANSACTION_ABORTABLE (KIP-890)
v5  adds the group to the transaction by itself (KIP-890)

Generated from protocol_specs/28_txn_offset_commit by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_ih = Struct(">ih").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
pack_iqh = Struct(">iqh").pack
pack_iqi = Struct(">iqi").pack
pack_iqih = Struct(">iqih").pack
pack_qhi = Struct(">qhi").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iqh = Struct(">iqh").unpack_from
unpack_iqiB = Struct(">iqiB").unpack_from
unpack_iqih = Struct(">iqih").unpack_from
unpack_qhi = Struct(">qhi").unpack_from
unpack_qhiB = Struct(">qhiB").unpack_from


class TxnOffsetCommitRequestPartition(Data):
    __slots__ = FIELDS = ("partition_index", "committed_offset", "committed_leader_epoch", "committed_metadata")

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = "",
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata


class TxnOffsetCommitRequestTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[TxnOffsetCommitRequestPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class TxnOffsetCommitRequest(Message):
    API_KEY = 28
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = (
        "transactional_id",
        "group_id",
        "producer_id",
        "producer_epoch",
        "generation_id",
        "member_id",
        "group_instance_id",
        "topics",
    )

    def __init__(
        self,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: list[TxnOffsetCommitRequestTopic] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics = [] if topics is UNSET else topics


class TxnOffsetCommitResponsePartition(Data):
    __slots__ = FIELDS = ("partition_index", "error_code")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class TxnOffsetCommitResponseTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[TxnOffsetCommitResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class TxnOffsetCommitResponse(Message):
    API_KEY = 28
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("throttle_time_ms", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[TxnOffsetCommitResponseTopic] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics


def _read_txn_offset_commit_request_v0_1(b: bytes, at: int) -> tuple[TxnOffsetCommitRequest, int]:
    size = len(b)
    m = new(TxnOffsetCommitRequest)
    m.generation_id = -1
    m.member_id = ""
    m.group_instance_id = None
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, n = unpack_qhi(b, at)
    at += 14
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[TxnOffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TxnOffsetCommitRequestTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 14 > size - at:
            raise fault_length("partitions", n)
        partitions: list[TxnOffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(TxnOffsetCommitRequestPartition)
            partition.committed_leader_epoch = -1
            partition.partition_index, partition.committed_offset, n = unpack_iqh(b, at)
            at += 14
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"TxnOffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_txn_offset_commit_request_v2(b: bytes, at: int) -> tuple[TxnOffsetCommitRequest, int]:
    size = len(b)
    m = new(TxnOffsetCommitRequest)
    m.generation_id = -1
    m.member_id = ""
    m.group_instance_id = None
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, n = unpack_qhi(b, at)
    at += 14
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[TxnOffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TxnOffsetCommitRequestTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[TxnOffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(TxnOffsetCommitRequestPartition)
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqih(b, at)
            at += 18
            if n < 0:
                partition.committed_metadata = None
            else:
                end = at + n
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
            partitions.append(partition)
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"TxnOffsetCommitRequest is {at - size} bytes short")
    return m, at


def _read_txn_offset_commit_request_v3_5(b: bytes, at: int) -> tuple[TxnOffsetCommitRequest, int]:
    size = len(b)
    m = new(TxnOffsetCommitRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("transactional_id is null")
    end = at + n - 1
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, m.generation_id, n = unpack_qhiB(b, at)
    at += 15
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("member_id is null")
    end = at + n - 1
    m.member_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.group_instance_id = None
    else:
        end = at + n - 1
        m.group_instance_id = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[TxnOffsetCommitRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TxnOffsetCommitRequestTopic)
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
        if n < 0 or n * 18 > size - at:
            raise fault_length("partitions", n)
        partitions: list[TxnOffsetCommitRequestPartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(TxnOffsetCommitRequestPartition)
            partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, n = unpack_iqiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                partition.committed_metadata = None
            else:
                end = at + n - 1
                partition.committed_metadata = b[at:end].decode("utf-8", "replace")
                at = end
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
        raise ProtocolError(f"TxnOffsetCommitRequest is {at - size} bytes short")
    return m, at


def _write_txn_offset_commit_request_v0_1(m: TxnOffsetCommitRequest, out: bytearray) -> None:
    if m.generation_id != -1:
        raise fault_absent("generation_id")
    if m.member_id != "":
        raise fault_absent("member_id")
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    out += pack_h(len(transactional_id_bytes))
    out += transactional_id_bytes
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    out += pack_qhi(m.producer_id, m.producer_epoch, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqh(partition.partition_index, partition.committed_offset, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_txn_offset_commit_request_v2(m: TxnOffsetCommitRequest, out: bytearray) -> None:
    if m.generation_id != -1:
        raise fault_absent("generation_id")
    if m.member_id != "":
        raise fault_absent("member_id")
    if m.group_instance_id is not None:
        raise fault_absent("group_instance_id")
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    out += pack_h(len(transactional_id_bytes))
    out += transactional_id_bytes
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_h(len(group_id_bytes))
    out += group_id_bytes
    topics = m.topics
    out += pack_qhi(m.producer_id, m.producer_epoch, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqih(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch, -1 if committed_metadata is None else len(committed_metadata_bytes))
            out += committed_metadata_bytes


def _write_txn_offset_commit_request_v3_5(m: TxnOffsetCommitRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    n = len(transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    member_id = m.member_id
    member_id_bytes = member_id.encode()
    out += pack_qhi(m.producer_id, m.producer_epoch, m.generation_id)
    n = len(member_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += member_id_bytes
    group_instance_id = m.group_instance_id
    group_instance_id_bytes = b"" if group_instance_id is None else group_instance_id.encode()
    n = 0 if group_instance_id is None else len(group_instance_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_instance_id_bytes
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
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            committed_metadata = partition.committed_metadata
            committed_metadata_bytes = b"" if committed_metadata is None else committed_metadata.encode()
            out += pack_iqi(partition.partition_index, partition.committed_offset, partition.committed_leader_epoch)
            n = 0 if committed_metadata is None else len(committed_metadata_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += committed_metadata_bytes
            out.append(0)
        out.append(0)
    out.append(0)


def _read_txn_offset_commit_response_v0_2(b: bytes, at: int) -> tuple[TxnOffsetCommitResponse, int]:
    size = len(b)
    m = new(TxnOffsetCommitResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("topics", n)
    topics: list[TxnOffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TxnOffsetCommitResponseTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise fault_length("partitions", n)
        partitions: list[TxnOffsetCommitResponsePartition] = []
        topic.partitions = partitions
        end = at + n * 6
        for values in iter_ih(b[at:end]):
            partition = new(TxnOffsetCommitResponsePartition)
            partition.partition_index, partition.error_code = values
            partitions.append(partition)
        at = end
        topics.append(topic)
    if at > size:
        raise ProtocolError(f"TxnOffsetCommitResponse is {at - size} bytes short")
    return m, at


def _read_txn_offset_commit_response_v3_5(b: bytes, at: int) -> tuple[TxnOffsetCommitResponse, int]:
    size = len(b)
    m = new(TxnOffsetCommitResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[TxnOffsetCommitResponseTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(TxnOffsetCommitResponseTopic)
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
        if n < 0 or n * 7 > size - at:
            raise fault_length("partitions", n)
        partitions: list[TxnOffsetCommitResponsePartition] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(TxnOffsetCommitResponsePartition)
            partition.partition_index, partition.error_code, tags = unpack_ihB(b, at)
            at += 7
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
        raise ProtocolError(f"TxnOffsetCommitResponse is {at - size} bytes short")
    return m, at


def _write_txn_offset_commit_response_v0_2(m: TxnOffsetCommitResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ii(m.throttle_time_ms, len(topics))
    for topic in topics:
        name = topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = topic.partitions
        out += pack_i(len(partitions))
        for partition in partitions:
            out += pack_ih(partition.partition_index, partition.error_code)


def _write_txn_offset_commit_response_v3_5(m: TxnOffsetCommitResponse, out: bytearray) -> None:
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
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            out += pack_ihx(partition.partition_index, partition.error_code)
        out.append(0)
    out.append(0)


TxnOffsetCommitRequest.READERS = {
    0: _read_txn_offset_commit_request_v0_1,
    1: _read_txn_offset_commit_request_v0_1,
    2: _read_txn_offset_commit_request_v2,
    3: _read_txn_offset_commit_request_v3_5,
    4: _read_txn_offset_commit_request_v3_5,
    5: _read_txn_offset_commit_request_v3_5,
}
TxnOffsetCommitRequest.WRITERS = {
    0: _write_txn_offset_commit_request_v0_1,
    1: _write_txn_offset_commit_request_v0_1,
    2: _write_txn_offset_commit_request_v2,
    3: _write_txn_offset_commit_request_v3_5,
    4: _write_txn_offset_commit_request_v3_5,
    5: _write_txn_offset_commit_request_v3_5,
}
TxnOffsetCommitResponse.READERS = {
    0: _read_txn_offset_commit_response_v0_2,
    1: _read_txn_offset_commit_response_v0_2,
    2: _read_txn_offset_commit_response_v0_2,
    3: _read_txn_offset_commit_response_v3_5,
    4: _read_txn_offset_commit_response_v3_5,
    5: _read_txn_offset_commit_response_v3_5,
}
TxnOffsetCommitResponse.WRITERS = {
    0: _write_txn_offset_commit_response_v0_2,
    1: _write_txn_offset_commit_response_v0_2,
    2: _write_txn_offset_commit_response_v0_2,
    3: _write_txn_offset_commit_response_v3_5,
    4: _write_txn_offset_commit_response_v3_5,
    5: _write_txn_offset_commit_response_v3_5,
}
