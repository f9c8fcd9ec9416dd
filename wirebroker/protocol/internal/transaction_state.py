"""Records of __transaction_state: one per transactional id.

Key and value begin with their version as int16; a null value removes the transactional id.

Generated from protocol_specs/internal/transaction_state by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import (
    UNSET,
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
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qhib = Struct(">qhib").pack
pack_qhibi = Struct(">qhibi").pack
pack_qq = Struct(">qq").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qhibB = Struct(">qhibB").unpack_from
unpack_qhibi = Struct(">qhibi").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_qqB = Struct(">qqB").unpack_from


class TransactionLogKey(Message):
    VERSIONS = range(0, 1)
    __slots__ = FIELDS = ("transactional_id",)

    def __init__(
        self,
        transactional_id: str = "",
    ) -> None:
        self.transactional_id = transactional_id


class PartitionsSchema(Data):
    """null when the transaction is empty"""

    __slots__ = FIELDS = ("topic", "partition_ids")

    def __init__(
        self,
        topic: str = "",
        partition_ids: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partition_ids = [] if partition_ids is UNSET else partition_ids


class TransactionLogValue(Message):
    """v1 from transaction.version 1 on"""

    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1
    __slots__ = FIELDS = (
        "producer_id",
        "previous_producer_id",
        "next_producer_id",
        "producer_epoch",
        "next_producer_epoch",
        "transaction_timeout_ms",
        "transaction_status",
        "transaction_partitions",
        "transaction_last_update_timestamp_ms",
        "transaction_start_timestamp_ms",
        "client_transaction_version",
    )

    def __init__(
        self,
        producer_id: int = 0,
        previous_producer_id: int = -1,
        next_producer_id: int = -1,
        producer_epoch: int = 0,
        next_producer_epoch: int = -1,
        transaction_timeout_ms: int = 0,
        transaction_status: int = 0,
        transaction_partitions: list[PartitionsSchema] | None = UNSET,
        transaction_last_update_timestamp_ms: int = 0,
        transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.previous_producer_id = previous_producer_id
        self.next_producer_id = next_producer_id
        self.producer_epoch = producer_epoch
        self.next_producer_epoch = next_producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_status = transaction_status
        self.transaction_partitions = [] if transaction_partitions is UNSET else transaction_partitions
        self.transaction_last_update_timestamp_ms = transaction_last_update_timestamp_ms
        self.transaction_start_timestamp_ms = transaction_start_timestamp_ms
        self.client_transaction_version = client_transaction_version


def _read_transaction_log_key_v0(b: bytes, at: int) -> tuple[TransactionLogKey, int]:
    size = len(b)
    m = new(TransactionLogKey)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"TransactionLogKey is {at - size} bytes short")
    return m, at


def _write_transaction_log_key_v0(m: TransactionLogKey, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    out += pack_h(len(transactional_id_bytes))
    out += transactional_id_bytes


def _read_transaction_log_value_v0(b: bytes, at: int) -> tuple[TransactionLogValue, int]:
    size = len(b)
    m = new(TransactionLogValue)
    m.previous_producer_id = -1
    m.next_producer_id = -1
    m.next_producer_epoch = -1
    m.client_transaction_version = 0
    m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, n = unpack_qhibi(b, at)
    at += 19
    if n < 0:
        m.transaction_partitions = None
    else:
        if n * 6 > size - at:
            raise fault_length("transaction_partitions", n)
        transaction_partitions: list[PartitionsSchema] = []
        m.transaction_partitions = transaction_partitions
        for _ in range(n):
            transaction_partition = new(PartitionsSchema)
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            transaction_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("partition_ids", n)
            end = at + n * 4
            transaction_partition.partition_ids = [each for (each,) in iter_i(b[at:end])]
            at = end
            transaction_partitions.append(transaction_partition)
    m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms = unpack_qq(b, at)
    at += 16
    if at > size:
        raise ProtocolError(f"TransactionLogValue is {at - size} bytes short")
    return m, at


def _read_transaction_log_value_v1(b: bytes, at: int) -> tuple[TransactionLogValue, int]:
    size = len(b)
    m = new(TransactionLogValue)
    m.previous_producer_id = -1
    m.next_producer_id = -1
    m.next_producer_epoch = -1
    m.client_transaction_version = 0
    m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, n = unpack_qhibB(b, at)
    at += 16
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.transaction_partitions = None
    else:
        if n * 3 > size - at:
            raise fault_length("transaction_partitions", n)
        transaction_partitions: list[PartitionsSchema] = []
        m.transaction_partitions = transaction_partitions
        for _ in range(n):
            transaction_partition = new(PartitionsSchema)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            transaction_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("partition_ids", n)
            end = at + n * 4
            transaction_partition.partition_ids = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            transaction_partitions.append(transaction_partition)
    m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms, tags = unpack_qqB(b, at)
    at += 17
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.previous_producer_id = unpack_q(b, at)[0]
                at += 8
            elif tag == 1:
                m.next_producer_id = unpack_q(b, at)[0]
                at += 8
            elif tag == 2:
                m.client_transaction_version = unpack_h(b, at)[0]
                at += 2
            elif tag == 3:
                m.next_producer_epoch = unpack_h(b, at)[0]
                at += 2
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"TransactionLogValue is {at - size} bytes short")
    return m, at


def _write_transaction_log_value_v0(m: TransactionLogValue, out: bytearray) -> None:
    if m.previous_producer_id != -1:
        raise fault_absent("previous_producer_id")
    if m.next_producer_id != -1:
        raise fault_absent("next_producer_id")
    if m.next_producer_epoch != -1:
        raise fault_absent("next_producer_epoch")
    if m.client_transaction_version != 0:
        raise fault_absent("client_transaction_version")
    transaction_partitions = m.transaction_partitions
    out += pack_qhibi(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, -1 if transaction_partitions is None else len(transaction_partitions))
    if transaction_partitions is not None:
        for transaction_partition in transaction_partitions:
            topic = transaction_partition.topic
            topic_bytes = topic.encode()
            out += pack_h(len(topic_bytes))
            out += topic_bytes
            partition_ids = transaction_partition.partition_ids
            out += pack_i(len(partition_ids))
            out += b"".join(map(pack_i, partition_ids))
    out += pack_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)


def _write_transaction_log_value_v1(m: TransactionLogValue, out: bytearray) -> None:
    transaction_partitions = m.transaction_partitions
    out += pack_qhib(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status)
    n = 0 if transaction_partitions is None else len(transaction_partitions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    if transaction_partitions is not None:
        for transaction_partition in transaction_partitions:
            topic = transaction_partition.topic
            topic_bytes = topic.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
            partition_ids = transaction_partition.partition_ids
            n = len(partition_ids) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, partition_ids))
            out.append(0)
    out += pack_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)
    has_previous_producer_id = m.previous_producer_id != -1
    has_next_producer_id = m.next_producer_id != -1
    has_client_transaction_version = m.client_transaction_version != 0
    has_next_producer_epoch = m.next_producer_epoch != -1
    out.append(has_previous_producer_id + has_next_producer_id + has_client_transaction_version + has_next_producer_epoch)
    if has_previous_producer_id:
        part = bytearray()
        part += pack_q(m.previous_producer_id)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_next_producer_id:
        part2 = bytearray()
        part2 += pack_q(m.next_producer_id)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_client_transaction_version:
        part3 = bytearray()
        part3 += pack_h(m.client_transaction_version)
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3
    if has_next_producer_epoch:
        part4 = bytearray()
        part4 += pack_h(m.next_producer_epoch)
        put_uvarint(out, 3)
        put_uvarint(out, len(part4))
        out += part4


TransactionLogKey.READERS = {
    0: _read_transaction_log_key_v0,
}
TransactionLogKey.WRITERS = {
    0: _write_transaction_log_key_v0,
}
TransactionLogValue.READERS = {
    0: _read_transaction_log_value_v0,
    1: _read_transaction_log_value_v1,
}
TransactionLogValue.WRITERS = {
    0: _write_transaction_log_value_v0,
    1: _write_transaction_log_value_v1,
}
