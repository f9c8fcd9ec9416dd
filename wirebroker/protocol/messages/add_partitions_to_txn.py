"""AddPartitionsToTxn: add partitions to a transaction, before records are written to them (KIP-98).

v1  responds before it throttles (KIP-219)
v2  may return PRODUCER_FENCED (KIP-588)
v3  flexible
v4  is sent by brokers only: several transactions at once, and verify_only (KIP-890)
v5  may return TRANSACTION_ABORTABLE

Generated from protocol_specs/24_add_partitions_to_txn by tools/codegen: do not edit.
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
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_iter_ih = Struct(">ih").iter_unpack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_pack_list_i = array_packer("i")
_pack_qh = Struct(">qh").pack
_pack_qhB = Struct(">qhB").pack
_pack_qhi = Struct(">qhi").pack
_pack_qht = Struct(">qh?").pack
_pack_qhtB = Struct(">qh?B").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_qhB = Struct(">qhB").unpack_from
_unpack_qhi = Struct(">qhi").unpack_from
_unpack_qhtB = Struct(">qh?B").unpack_from


class AddPartitionsToTxnTopic(Data):
    """An element of `AddPartitionsToTxnTransaction.topics` and an element of
    `AddPartitionsToTxnRequest.v3_and_below_topics`.
    """

    name: str = ""
    partitions: list[int] = []


class AddPartitionsToTxnTransaction(Data):
    """An element of `AddPartitionsToTxnRequest.transactions`."""

    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    verify_only: bool = False
    """Verify that the partitions are in the transaction, without adding them."""
    topics: list[AddPartitionsToTxnTopic] = []


class AddPartitionsToTxnRequest(ReadableMessage, WritableMessage):
    API_KEY = 24
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    transactions: list[AddPartitionsToTxnTransaction] = []  # v4+
    v3_and_below_transactional_id: str = ""  # v0-3
    v3_and_below_producer_id: int = 0  # v0-3
    v3_and_below_producer_epoch: int = 0  # v0-3
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []  # v0-3


class AddPartitionsToTxnPartitionResult(Data):
    """An element of `AddPartitionsToTxnTopicResult.results_by_partition`."""

    partition_index: int = 0
    partition_error_code: int = 0


class AddPartitionsToTxnTopicResult(Data):
    """An element of `AddPartitionsToTxnResult.topic_results` and an element of
    `AddPartitionsToTxnResponse.results_by_topic_v3_and_below`.
    """

    name: str = ""
    results_by_partition: list[AddPartitionsToTxnPartitionResult] = []


class AddPartitionsToTxnResult(Data):
    """An element of `AddPartitionsToTxnResponse.results_by_transaction`."""

    transactional_id: str = ""
    topic_results: list[AddPartitionsToTxnTopicResult] = []


class AddPartitionsToTxnResponse(ReadableMessage, WritableMessage):
    API_KEY = 24
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0  # v4+
    results_by_transaction: list[AddPartitionsToTxnResult] = []  # v4+
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []  # v0-3


def _read_add_partitions_to_txn_request_v0_2(b: bytes, at: int, version: int) -> tuple[AddPartitionsToTxnRequest, int]:
    size = len(b)
    m = new(AddPartitionsToTxnRequest)
    m.transactions = []
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("v3_and_below_transactional_id is null")
    end = at + n
    m.v3_and_below_transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, n = _unpack_qhi(b, at)
    at += 14
    if n < 0 or n * 6 > size - at:
        raise count_error("v3_and_below_topics", n)
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
    m.v3_and_below_topics = v3_and_below_topics
    for _ in range(n):
        v3_and_below_topic = new(AddPartitionsToTxnTopic)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        v3_and_below_topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("partitions", n)
        end = at + n * 4
        v3_and_below_topic.partitions = [each for (each,) in _iter_i(b[at:end])]
        at = end
        v3_and_below_topics.append(v3_and_below_topic)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnRequest is {at - size} bytes short")
    return m, at


def _read_add_partitions_to_txn_request_v3_5(b: bytes, at: int, version: int) -> tuple[AddPartitionsToTxnRequest, int]:
    size = len(b)
    m = new(AddPartitionsToTxnRequest)
    if version >= 4:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 14 > size - at:
            raise count_error("transactions", n)
        transactions: list[AddPartitionsToTxnTransaction] = []
        m.transactions = transactions
        for _ in range(n):
            transaction = new(AddPartitionsToTxnTransaction)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("transactional_id is null")
            end = at + n - 1
            transaction.transactional_id = b[at:end].decode("utf-8", "replace")
            at = end
            transaction.producer_id, transaction.producer_epoch, transaction.verify_only, n = _unpack_qhtB(b, at)
            at += 12
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 3 > size - at:
                raise count_error("topics", n)
            topics: list[AddPartitionsToTxnTopic] = []
            transaction.topics = topics
            for _ in range(n):
                topic = new(AddPartitionsToTxnTopic)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                topic.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise count_error("partitions", n)
                end = at + n * 4
                topic.partitions = [each for (each,) in _iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                topics.append(topic)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            transactions.append(transaction)
        m.v3_and_below_transactional_id = ""
        m.v3_and_below_topics = []
        m.v3_and_below_producer_id = 0
        m.v3_and_below_producer_epoch = 0
        tags = b[at]
        at += 1
    else:
        m.transactions = []
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("v3_and_below_transactional_id is null")
        end = at + n - 1
        m.v3_and_below_transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, n = _unpack_qhB(b, at)
        at += 11
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("v3_and_below_topics", n)
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
        m.v3_and_below_topics = v3_and_below_topics
        for _ in range(n):
            v3_and_below_topic = new(AddPartitionsToTxnTopic)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            v3_and_below_topic.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            v3_and_below_topic.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            v3_and_below_topics.append(v3_and_below_topic)
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnRequest is {at - size} bytes short")
    return m, at


AddPartitionsToTxnRequest.READERS = dict.fromkeys(range(0, 3), _read_add_partitions_to_txn_request_v0_2) | dict.fromkeys(range(3, 6), _read_add_partitions_to_txn_request_v3_5)


def _write_add_partitions_to_txn_request_v0_2(m: AddPartitionsToTxnRequest, out: bytearray, version: int) -> None:
    if m.transactions:
        raise absent_field_error("transactions")
    v3_and_below_transactional_id = m.v3_and_below_transactional_id
    v3_and_below_transactional_id_bytes = v3_and_below_transactional_id.encode()
    out += _pack_h(len(v3_and_below_transactional_id_bytes))
    out += v3_and_below_transactional_id_bytes
    v3_and_below_topics = m.v3_and_below_topics
    out += _pack_qhi(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, len(v3_and_below_topics))
    for v3_and_below_topic in v3_and_below_topics:
        name = v3_and_below_topic.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        partitions = v3_and_below_topic.partitions
        out += _pack_i(len(partitions))
        out += _pack_list_i(partitions)


def _write_add_partitions_to_txn_request_v3_5(m: AddPartitionsToTxnRequest, out: bytearray, version: int) -> None:
    if version >= 4:
        transactions = m.transactions
        n = len(transactions) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for transaction in transactions:
            transactional_id = transaction.transactional_id
            transactional_id_bytes = transactional_id.encode()
            n = len(transactional_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += transactional_id_bytes
            topics = transaction.topics
            n = len(topics) + 1
            if n > 127:
                out += _pack_qht(transaction.producer_id, transaction.producer_epoch, transaction.verify_only)
                write_uvarint(out, n)
            else:
                out += _pack_qhtB(transaction.producer_id, transaction.producer_epoch, transaction.verify_only, n)
            for topic in topics:
                name = topic.name
                name_bytes = name.encode()
                n = len(name_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes
                partitions = topic.partitions
                n = len(partitions) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += _pack_list_i(partitions)
                out.append(0)
            out.append(0)
        if m.v3_and_below_transactional_id != "":
            raise absent_field_error("v3_and_below_transactional_id")
        if m.v3_and_below_topics:
            raise absent_field_error("v3_and_below_topics")
        if m.v3_and_below_producer_id != 0:
            raise absent_field_error("v3_and_below_producer_id")
        if m.v3_and_below_producer_epoch != 0:
            raise absent_field_error("v3_and_below_producer_epoch")
        out.append(0)
    else:
        if m.transactions:
            raise absent_field_error("transactions")
        v3_and_below_transactional_id = m.v3_and_below_transactional_id
        v3_and_below_transactional_id_bytes = v3_and_below_transactional_id.encode()
        n = len(v3_and_below_transactional_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += v3_and_below_transactional_id_bytes
        v3_and_below_topics = m.v3_and_below_topics
        n = len(v3_and_below_topics) + 1
        if n > 127:
            out += _pack_qh(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch)
            write_uvarint(out, n)
        else:
            out += _pack_qhB(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, n)
        for v3_and_below_topic in v3_and_below_topics:
            name2 = v3_and_below_topic.name
            name_bytes2 = name2.encode()
            n = len(name_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes2
            partitions2 = v3_and_below_topic.partitions
            n = len(partitions2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(partitions2)
            out.append(0)
        out.append(0)


AddPartitionsToTxnRequest.WRITERS = dict.fromkeys(range(0, 3), _write_add_partitions_to_txn_request_v0_2) | dict.fromkeys(range(3, 6), _write_add_partitions_to_txn_request_v3_5)


def _read_add_partitions_to_txn_response_v0_2(b: bytes, at: int, version: int) -> tuple[AddPartitionsToTxnResponse, int]:
    size = len(b)
    m = new(AddPartitionsToTxnResponse)
    m.error_code = 0
    m.results_by_transaction = []
    m.throttle_time_ms, n = _unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise count_error("results_by_topic_v3_and_below", n)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
    m.results_by_topic_v3_and_below = results_by_topic_v3_and_below
    for _ in range(n):
        results_by_topic_v3_and_below_item = new(AddPartitionsToTxnTopicResult)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        results_by_topic_v3_and_below_item.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise count_error("results_by_partition", n)
        results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
        results_by_topic_v3_and_below_item.results_by_partition = results_by_partition
        end = at + n * 6
        for values in _iter_ih(b[at:end]):
            results_by_partition_item = new(AddPartitionsToTxnPartitionResult)
            results_by_partition_item.partition_index, results_by_partition_item.partition_error_code = values
            results_by_partition.append(results_by_partition_item)
        at = end
        results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnResponse is {at - size} bytes short")
    return m, at


def _read_add_partitions_to_txn_response_v3_5(b: bytes, at: int, version: int) -> tuple[AddPartitionsToTxnResponse, int]:
    size = len(b)
    m = new(AddPartitionsToTxnResponse)
    if version >= 4:
        m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
        at += 7
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("results_by_transaction", n)
        results_by_transaction: list[AddPartitionsToTxnResult] = []
        m.results_by_transaction = results_by_transaction
        for _ in range(n):
            results_by_transaction_item = new(AddPartitionsToTxnResult)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("transactional_id is null")
            end = at + n - 1
            results_by_transaction_item.transactional_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 3 > size - at:
                raise count_error("topic_results", n)
            topic_results: list[AddPartitionsToTxnTopicResult] = []
            results_by_transaction_item.topic_results = topic_results
            for _ in range(n):
                topic_result = new(AddPartitionsToTxnTopicResult)
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("name is null")
                end = at + n - 1
                topic_result.name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 7 > size - at:
                    raise count_error("results_by_partition", n)
                results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
                topic_result.results_by_partition = results_by_partition
                for _ in range(n):
                    results_by_partition_item = new(AddPartitionsToTxnPartitionResult)
                    results_by_partition_item.partition_index, results_by_partition_item.partition_error_code, tags = _unpack_ihB(b, at)
                    at += 7
                    if tags:
                        at = skip_tagged_fields(b, at, tags)
                    results_by_partition.append(results_by_partition_item)
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                topic_results.append(topic_result)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            results_by_transaction.append(results_by_transaction_item)
        m.results_by_topic_v3_and_below = []
        tags = b[at]
        at += 1
    else:
        m.results_by_transaction = []
        m.error_code = 0
        m.throttle_time_ms, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("results_by_topic_v3_and_below", n)
        results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
        m.results_by_topic_v3_and_below = results_by_topic_v3_and_below
        for _ in range(n):
            results_by_topic_v3_and_below_item = new(AddPartitionsToTxnTopicResult)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            results_by_topic_v3_and_below_item.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 7 > size - at:
                raise count_error("results_by_partition", n)
            results_by_partition2: list[AddPartitionsToTxnPartitionResult] = []
            results_by_topic_v3_and_below_item.results_by_partition = results_by_partition2
            for _ in range(n):
                results_by_partition_item2 = new(AddPartitionsToTxnPartitionResult)
                results_by_partition_item2.partition_index, results_by_partition_item2.partition_error_code, tags = _unpack_ihB(b, at)
                at += 7
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                results_by_partition2.append(results_by_partition_item2)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnResponse is {at - size} bytes short")
    return m, at


AddPartitionsToTxnResponse.READERS = dict.fromkeys(range(0, 3), _read_add_partitions_to_txn_response_v0_2) | dict.fromkeys(range(3, 6), _read_add_partitions_to_txn_response_v3_5)


def _write_add_partitions_to_txn_response_v0_2(m: AddPartitionsToTxnResponse, out: bytearray, version: int) -> None:
    if m.results_by_transaction:
        raise absent_field_error("results_by_transaction")
    results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
    out += _pack_ii(m.throttle_time_ms, len(results_by_topic_v3_and_below))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        name = results_by_topic_v3_and_below_item.name
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        results_by_partition = results_by_topic_v3_and_below_item.results_by_partition
        out += _pack_i(len(results_by_partition))
        for results_by_partition_item in results_by_partition:
            out += _pack_ih(results_by_partition_item.partition_index, results_by_partition_item.partition_error_code)


def _write_add_partitions_to_txn_response_v3_5(m: AddPartitionsToTxnResponse, out: bytearray, version: int) -> None:
    if version >= 4:
        results_by_transaction = m.results_by_transaction
        n = len(results_by_transaction) + 1
        if n > 127:
            out += _pack_ih(m.throttle_time_ms, m.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
        for results_by_transaction_item in results_by_transaction:
            transactional_id = results_by_transaction_item.transactional_id
            transactional_id_bytes = transactional_id.encode()
            n = len(transactional_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += transactional_id_bytes
            topic_results = results_by_transaction_item.topic_results
            n = len(topic_results) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for topic_result in topic_results:
                name = topic_result.name
                name_bytes = name.encode()
                n = len(name_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += name_bytes
                results_by_partition = topic_result.results_by_partition
                n = len(results_by_partition) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                for results_by_partition_item in results_by_partition:
                    out += _pack_ihx(results_by_partition_item.partition_index, results_by_partition_item.partition_error_code)
                out.append(0)
            out.append(0)
        if m.results_by_topic_v3_and_below:
            raise absent_field_error("results_by_topic_v3_and_below")
        out.append(0)
    else:
        if m.results_by_transaction:
            raise absent_field_error("results_by_transaction")
        results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
        n = len(results_by_topic_v3_and_below) + 1
        out += _pack_i(m.throttle_time_ms)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
            name2 = results_by_topic_v3_and_below_item.name
            name_bytes2 = name2.encode()
            n = len(name_bytes2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes2
            results_by_partition2 = results_by_topic_v3_and_below_item.results_by_partition
            n = len(results_by_partition2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for results_by_partition_item2 in results_by_partition2:
                out += _pack_ihx(results_by_partition_item2.partition_index, results_by_partition_item2.partition_error_code)
            out.append(0)
        out.append(0)


AddPartitionsToTxnResponse.WRITERS = dict.fromkeys(range(0, 3), _write_add_partitions_to_txn_response_v0_2) | dict.fromkeys(range(3, 6), _write_add_partitions_to_txn_response_v3_5)
