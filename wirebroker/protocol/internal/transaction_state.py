"""Records of __transaction_state: one per transactional id.

Key and value begin with their version as int16; a null value is a tombstone.

Generated from protocol_specs/internal/transaction_state by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
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
_pack_i = Struct(">i").pack
_pack_list_i = array_packer("i")
_pack_q = Struct(">q").pack
_pack_qhib = Struct(">qhib").pack
_pack_qhibB = Struct(">qhibB").pack
_pack_qhibi = Struct(">qhibi").pack
_pack_qq = Struct(">qq").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qhibB = Struct(">qhibB").unpack_from
_unpack_qhibi = Struct(">qhibi").unpack_from
_unpack_qq = Struct(">qq").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from


class TransactionLogKey(ReadableMessage, WritableMessage):
    VERSIONS = range(0, 1)

    transactional_id: str = ""


class PartitionsSchema(Data):
    """An element of `TransactionLogValue.transaction_partitions`."""

    topic: str = ""
    partition_ids: list[int] = []


class TransactionLogValue(ReadableMessage, WritableMessage):
    """The state of a transactional id; v1 is written from transaction.version 1 on."""

    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 1

    producer_id: int = 0
    previous_producer_id: int = -1  # v1+
    """Producer id of the transaction before, if the epoch was exhausted."""
    next_producer_id: int = -1  # v1+
    """Producer id of the transaction after, if the epoch was exhausted."""
    producer_epoch: int = 0
    next_producer_epoch: int = -1  # v1+
    transaction_timeout_ms: int = 0
    transaction_status: int = 0
    """0 Empty, 1 Ongoing, 2 PrepareCommit, 3 PrepareAbort, 4 CompleteCommit, 5 CompleteAbort, 6 Dead."""
    transaction_partitions: list[PartitionsSchema] | None = []
    """Null when the transaction is empty."""
    transaction_last_update_timestamp_ms: int = 0
    transaction_start_timestamp_ms: int = 0
    """-1: no transaction is open."""
    client_transaction_version: int = 0  # v1+
    """transaction.version of the client; 2: an epoch for each transaction (KIP-890)."""


def _read_transaction_log_key_v0(b: bytes, at: int, version: int) -> tuple[TransactionLogKey, int]:
    size = len(b)
    m = new(TransactionLogKey)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"TransactionLogKey is {at - size} bytes short")
    return m, at


TransactionLogKey.READERS = dict.fromkeys(range(0, 1), _read_transaction_log_key_v0)


def _write_transaction_log_key_v0(m: TransactionLogKey, out: bytearray, version: int) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    out += _pack_h(len(transactional_id_bytes))
    out += transactional_id_bytes


TransactionLogKey.WRITERS = dict.fromkeys(range(0, 1), _write_transaction_log_key_v0)


def _read_transaction_log_value_v0(b: bytes, at: int, version: int) -> tuple[TransactionLogValue, int]:
    size = len(b)
    m = new(TransactionLogValue)
    m.previous_producer_id = -1
    m.next_producer_id = -1
    m.next_producer_epoch = -1
    m.client_transaction_version = 0
    m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, n = _unpack_qhibi(b, at)
    at += 19
    if n < 0:
        m.transaction_partitions = None
    else:
        if n * 6 > size - at:
            raise count_error("transaction_partitions", n)
        transaction_partitions: list[PartitionsSchema] = []
        m.transaction_partitions = transaction_partitions
        for _ in range(n):
            transaction_partition = new(PartitionsSchema)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            transaction_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("partition_ids", n)
            end = at + n * 4
            transaction_partition.partition_ids = [each for (each,) in _iter_i(b[at:end])]
            at = end
            transaction_partitions.append(transaction_partition)
    m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms = _unpack_qq(b, at)
    at += 16
    if at > size:
        raise ProtocolError(f"TransactionLogValue is {at - size} bytes short")
    return m, at


def _read_transaction_log_value_v1(b: bytes, at: int, version: int) -> tuple[TransactionLogValue, int]:
    size = len(b)
    m = new(TransactionLogValue)
    m.previous_producer_id = -1
    m.next_producer_id = -1
    m.next_producer_epoch = -1
    m.client_transaction_version = 0
    m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, n = _unpack_qhibB(b, at)
    at += 16
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0:
        m.transaction_partitions = None
    else:
        if n * 3 > size - at:
            raise count_error("transaction_partitions", n)
        transaction_partitions: list[PartitionsSchema] = []
        m.transaction_partitions = transaction_partitions
        for _ in range(n):
            transaction_partition = new(PartitionsSchema)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            transaction_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("partition_ids", n)
            end = at + n * 4
            transaction_partition.partition_ids = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            transaction_partitions.append(transaction_partition)
    m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms, tags = _unpack_qqB(b, at)
    at += 17
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.previous_producer_id = _unpack_q(b, at)[0]
                at += 8
            elif tag == 1:
                m.next_producer_id = _unpack_q(b, at)[0]
                at += 8
            elif tag == 2:
                m.client_transaction_version = _unpack_h(b, at)[0]
                at += 2
            elif tag == 3:
                m.next_producer_epoch = _unpack_h(b, at)[0]
                at += 2
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"TransactionLogValue is {at - size} bytes short")
    return m, at


TransactionLogValue.READERS = dict.fromkeys(range(0, 1), _read_transaction_log_value_v0) | dict.fromkeys(range(1, 2), _read_transaction_log_value_v1)


def _write_transaction_log_value_v0(m: TransactionLogValue, out: bytearray, version: int) -> None:
    if m.previous_producer_id != -1:
        raise absent_field_error("previous_producer_id")
    if m.next_producer_id != -1:
        raise absent_field_error("next_producer_id")
    if m.next_producer_epoch != -1:
        raise absent_field_error("next_producer_epoch")
    if m.client_transaction_version != 0:
        raise absent_field_error("client_transaction_version")
    transaction_partitions = m.transaction_partitions
    out += _pack_qhibi(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, -1 if transaction_partitions is None else len(transaction_partitions))
    if transaction_partitions is not None:
        for transaction_partition in transaction_partitions:
            topic = transaction_partition.topic
            topic_bytes = topic.encode()
            out += _pack_h(len(topic_bytes))
            out += topic_bytes
            partition_ids = transaction_partition.partition_ids
            out += _pack_i(len(partition_ids))
            out += _pack_list_i(partition_ids)
    out += _pack_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)


def _write_transaction_log_value_v1(m: TransactionLogValue, out: bytearray, version: int) -> None:
    transaction_partitions = m.transaction_partitions
    n = 0 if transaction_partitions is None else len(transaction_partitions) + 1
    if n > 127:
        out += _pack_qhib(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status)
        write_uvarint(out, n)
    else:
        out += _pack_qhibB(m.producer_id, m.producer_epoch, m.transaction_timeout_ms, m.transaction_status, n)
    if transaction_partitions is not None:
        for transaction_partition in transaction_partitions:
            topic = transaction_partition.topic
            topic_bytes = topic.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
            partition_ids = transaction_partition.partition_ids
            n = len(partition_ids) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(partition_ids)
            out.append(0)
    out += _pack_qq(m.transaction_last_update_timestamp_ms, m.transaction_start_timestamp_ms)
    has_previous_producer_id = m.previous_producer_id != -1
    has_next_producer_id = m.next_producer_id != -1
    has_client_transaction_version = m.client_transaction_version != 0
    has_next_producer_epoch = m.next_producer_epoch != -1
    n = has_previous_producer_id + has_next_producer_id + has_client_transaction_version + has_next_producer_epoch
    out.append(n)
    if n:
        if has_previous_producer_id:
            part = bytearray()
            part += _pack_q(m.previous_producer_id)
            write_uvarint(out, 0)
            write_uvarint(out, len(part))
            out += part
        if has_next_producer_id:
            part2 = bytearray()
            part2 += _pack_q(m.next_producer_id)
            write_uvarint(out, 1)
            write_uvarint(out, len(part2))
            out += part2
        if has_client_transaction_version:
            part3 = bytearray()
            part3 += _pack_h(m.client_transaction_version)
            write_uvarint(out, 2)
            write_uvarint(out, len(part3))
            out += part3
        if has_next_producer_epoch:
            part4 = bytearray()
            part4 += _pack_h(m.next_producer_epoch)
            write_uvarint(out, 3)
            write_uvarint(out, len(part4))
            out += part4


TransactionLogValue.WRITERS = dict.fromkeys(range(0, 1), _write_transaction_log_value_v0) | dict.fromkeys(range(1, 2), _write_transaction_log_value_v1)
