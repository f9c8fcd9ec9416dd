"""AddPartitionsToTxn: the coordinator learns which partitions a transaction writes to (KIP-98).

v1  answers before it throttles (KIP-219)
v2  may answer PRODUCER_FENCED (KIP-588)
v3  flexible
v4  is sent by brokers only: several transactions at once, and verify_only (KIP-890)
v5  may answer TRANSACTION_ABORTABLE

Generated from protocol_specs/24_add_partitions_to_txn by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
iter_ih = Struct(">ih").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
pack_qh = Struct(">qh").pack
pack_qhi = Struct(">qhi").pack
pack_qht = Struct(">qh?").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_qhB = Struct(">qhB").unpack_from
unpack_qhi = Struct(">qhi").unpack_from
unpack_qhtB = Struct(">qh?B").unpack_from


class AddPartitionsToTxnTopic(Data):
    __slots__ = FIELDS = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions


class AddPartitionsToTxnTransaction(Data):
    __slots__ = FIELDS = ("transactional_id", "producer_id", "producer_epoch", "verify_only", "topics")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        verify_only: bool = False,
        topics: list[AddPartitionsToTxnTopic] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = [] if topics is UNSET else topics


class AddPartitionsToTxnRequest(Message):
    API_KEY = 24
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = (
        "transactions",
        "v3_and_below_transactional_id",
        "v3_and_below_producer_id",
        "v3_and_below_producer_epoch",
        "v3_and_below_topics",
    )

    def __init__(
        self,
        transactions: list[AddPartitionsToTxnTransaction] = UNSET,
        v3_and_below_transactional_id: str = "",
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = UNSET,
    ) -> None:
        self.transactions = [] if transactions is UNSET else transactions
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics = [] if v3_and_below_topics is UNSET else v3_and_below_topics


class AddPartitionsToTxnPartitionResult(Data):
    __slots__ = FIELDS = ("partition_index", "partition_error_code")

    def __init__(
        self,
        partition_index: int = 0,
        partition_error_code: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code


class AddPartitionsToTxnTopicResult(Data):
    __slots__ = FIELDS = ("name", "results_by_partition")

    def __init__(
        self,
        name: str = "",
        results_by_partition: list[AddPartitionsToTxnPartitionResult] = UNSET,
    ) -> None:
        self.name = name
        self.results_by_partition = [] if results_by_partition is UNSET else results_by_partition


class AddPartitionsToTxnResult(Data):
    __slots__ = FIELDS = ("transactional_id", "topic_results")

    def __init__(
        self,
        transactional_id: str = "",
        topic_results: list[AddPartitionsToTxnTopicResult] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = [] if topic_results is UNSET else topic_results


class AddPartitionsToTxnResponse(Message):
    API_KEY = 24
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "results_by_transaction", "results_by_topic_v3_and_below")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: list[AddPartitionsToTxnResult] = UNSET,
        results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = [] if results_by_transaction is UNSET else results_by_transaction
        self.results_by_topic_v3_and_below = [] if results_by_topic_v3_and_below is UNSET else results_by_topic_v3_and_below


def _read_add_partitions_to_txn_request_v0_2(b: bytes, at: int) -> tuple[AddPartitionsToTxnRequest, int]:
    size = len(b)
    m = new(AddPartitionsToTxnRequest)
    m.transactions = []
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("v3_and_below_transactional_id is null")
    end = at + n
    m.v3_and_below_transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, n = unpack_qhi(b, at)
    at += 14
    if n < 0 or n * 6 > size - at:
        raise fault_length("v3_and_below_topics", n)
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
    m.v3_and_below_topics = v3_and_below_topics
    for _ in range(n):
        v3_and_below_topic = new(AddPartitionsToTxnTopic)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        v3_and_below_topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        v3_and_below_topic.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        v3_and_below_topics.append(v3_and_below_topic)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnRequest is {at - size} bytes short")
    return m, at


def _read_add_partitions_to_txn_request_v3(b: bytes, at: int) -> tuple[AddPartitionsToTxnRequest, int]:
    size = len(b)
    m = new(AddPartitionsToTxnRequest)
    m.transactions = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("v3_and_below_transactional_id is null")
    end = at + n - 1
    m.v3_and_below_transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, n = unpack_qhB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("v3_and_below_topics", n)
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
    m.v3_and_below_topics = v3_and_below_topics
    for _ in range(n):
        v3_and_below_topic = new(AddPartitionsToTxnTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        v3_and_below_topic.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        v3_and_below_topic.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        v3_and_below_topics.append(v3_and_below_topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnRequest is {at - size} bytes short")
    return m, at


def _read_add_partitions_to_txn_request_v4_5(b: bytes, at: int) -> tuple[AddPartitionsToTxnRequest, int]:
    size = len(b)
    m = new(AddPartitionsToTxnRequest)
    m.v3_and_below_transactional_id = ""
    m.v3_and_below_producer_id = 0
    m.v3_and_below_producer_epoch = 0
    m.v3_and_below_topics = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 14 > size - at:
        raise fault_length("transactions", n)
    transactions: list[AddPartitionsToTxnTransaction] = []
    m.transactions = transactions
    for _ in range(n):
        transaction = new(AddPartitionsToTxnTransaction)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_id is null")
        end = at + n - 1
        transaction.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        transaction.producer_id, transaction.producer_epoch, transaction.verify_only, n = unpack_qhtB(b, at)
        at += 12
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[AddPartitionsToTxnTopic] = []
        transaction.topics = topics
        for _ in range(n):
            topic = new(AddPartitionsToTxnTopic)
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
            if n < 0 or n * 4 > size - at:
                raise fault_length("partitions", n)
            end = at + n * 4
            topic.partitions = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topics.append(topic)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        transactions.append(transaction)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnRequest is {at - size} bytes short")
    return m, at


def _write_add_partitions_to_txn_request_v0_2(m: AddPartitionsToTxnRequest, out: bytearray) -> None:
    if m.transactions:
        raise fault_absent("transactions")
    v3_and_below_transactional_id = m.v3_and_below_transactional_id
    v3_and_below_transactional_id_bytes = v3_and_below_transactional_id.encode()
    out += pack_h(len(v3_and_below_transactional_id_bytes))
    out += v3_and_below_transactional_id_bytes
    v3_and_below_topics = m.v3_and_below_topics
    out += pack_qhi(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch, len(v3_and_below_topics))
    for v3_and_below_topic in v3_and_below_topics:
        name = v3_and_below_topic.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        partitions = v3_and_below_topic.partitions
        out += pack_i(len(partitions))
        out += b"".join(map(pack_i, partitions))


def _write_add_partitions_to_txn_request_v3(m: AddPartitionsToTxnRequest, out: bytearray) -> None:
    if m.transactions:
        raise fault_absent("transactions")
    v3_and_below_transactional_id = m.v3_and_below_transactional_id
    v3_and_below_transactional_id_bytes = v3_and_below_transactional_id.encode()
    n = len(v3_and_below_transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += v3_and_below_transactional_id_bytes
    v3_and_below_topics = m.v3_and_below_topics
    out += pack_qh(m.v3_and_below_producer_id, m.v3_and_below_producer_epoch)
    n = len(v3_and_below_topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for v3_and_below_topic in v3_and_below_topics:
        name = v3_and_below_topic.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        partitions = v3_and_below_topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += b"".join(map(pack_i, partitions))
        out.append(0)
    out.append(0)


def _write_add_partitions_to_txn_request_v4_5(m: AddPartitionsToTxnRequest, out: bytearray) -> None:
    if m.v3_and_below_transactional_id != "":
        raise fault_absent("v3_and_below_transactional_id")
    if m.v3_and_below_producer_id != 0:
        raise fault_absent("v3_and_below_producer_id")
    if m.v3_and_below_producer_epoch != 0:
        raise fault_absent("v3_and_below_producer_epoch")
    if m.v3_and_below_topics:
        raise fault_absent("v3_and_below_topics")
    transactions = m.transactions
    n = len(transactions) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for transaction in transactions:
        transactional_id = transaction.transactional_id
        transactional_id_bytes = transactional_id.encode()
        n = len(transactional_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += transactional_id_bytes
        topics = transaction.topics
        out += pack_qht(transaction.producer_id, transaction.producer_epoch, transaction.verify_only)
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
            out += b"".join(map(pack_i, partitions))
            out.append(0)
        out.append(0)
    out.append(0)


def _read_add_partitions_to_txn_response_v0_2(b: bytes, at: int) -> tuple[AddPartitionsToTxnResponse, int]:
    size = len(b)
    m = new(AddPartitionsToTxnResponse)
    m.error_code = 0
    m.results_by_transaction = []
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 6 > size - at:
        raise fault_length("results_by_topic_v3_and_below", n)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
    m.results_by_topic_v3_and_below = results_by_topic_v3_and_below
    for _ in range(n):
        results_by_topic_v3_and_below_item = new(AddPartitionsToTxnTopicResult)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        results_by_topic_v3_and_below_item.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise fault_length("results_by_partition", n)
        results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
        results_by_topic_v3_and_below_item.results_by_partition = results_by_partition
        end = at + n * 6
        for values in iter_ih(b[at:end]):
            results_by_partition_item = new(AddPartitionsToTxnPartitionResult)
            results_by_partition_item.partition_index, results_by_partition_item.partition_error_code = values
            results_by_partition.append(results_by_partition_item)
        at = end
        results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnResponse is {at - size} bytes short")
    return m, at


def _read_add_partitions_to_txn_response_v3(b: bytes, at: int) -> tuple[AddPartitionsToTxnResponse, int]:
    size = len(b)
    m = new(AddPartitionsToTxnResponse)
    m.error_code = 0
    m.results_by_transaction = []
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("results_by_topic_v3_and_below", n)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = []
    m.results_by_topic_v3_and_below = results_by_topic_v3_and_below
    for _ in range(n):
        results_by_topic_v3_and_below_item = new(AddPartitionsToTxnTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        results_by_topic_v3_and_below_item.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise fault_length("results_by_partition", n)
        results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
        results_by_topic_v3_and_below_item.results_by_partition = results_by_partition
        for _ in range(n):
            results_by_partition_item = new(AddPartitionsToTxnPartitionResult)
            results_by_partition_item.partition_index, results_by_partition_item.partition_error_code, tags = unpack_ihB(b, at)
            at += 7
            if tags:
                at = skip_tags(b, at, tags)
            results_by_partition.append(results_by_partition_item)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        results_by_topic_v3_and_below.append(results_by_topic_v3_and_below_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnResponse is {at - size} bytes short")
    return m, at


def _read_add_partitions_to_txn_response_v4_5(b: bytes, at: int) -> tuple[AddPartitionsToTxnResponse, int]:
    size = len(b)
    m = new(AddPartitionsToTxnResponse)
    m.results_by_topic_v3_and_below = []
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("results_by_transaction", n)
    results_by_transaction: list[AddPartitionsToTxnResult] = []
    m.results_by_transaction = results_by_transaction
    for _ in range(n):
        results_by_transaction_item = new(AddPartitionsToTxnResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_id is null")
        end = at + n - 1
        results_by_transaction_item.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topic_results", n)
        topic_results: list[AddPartitionsToTxnTopicResult] = []
        results_by_transaction_item.topic_results = topic_results
        for _ in range(n):
            topic_result = new(AddPartitionsToTxnTopicResult)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("name is null")
            end = at + n - 1
            topic_result.name = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 7 > size - at:
                raise fault_length("results_by_partition", n)
            results_by_partition: list[AddPartitionsToTxnPartitionResult] = []
            topic_result.results_by_partition = results_by_partition
            for _ in range(n):
                results_by_partition_item = new(AddPartitionsToTxnPartitionResult)
                results_by_partition_item.partition_index, results_by_partition_item.partition_error_code, tags = unpack_ihB(b, at)
                at += 7
                if tags:
                    at = skip_tags(b, at, tags)
                results_by_partition.append(results_by_partition_item)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            topic_results.append(topic_result)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        results_by_transaction.append(results_by_transaction_item)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddPartitionsToTxnResponse is {at - size} bytes short")
    return m, at


def _write_add_partitions_to_txn_response_v0_2(m: AddPartitionsToTxnResponse, out: bytearray) -> None:
    if m.results_by_transaction:
        raise fault_absent("results_by_transaction")
    results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
    out += pack_ii(m.throttle_time_ms, len(results_by_topic_v3_and_below))
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        name = results_by_topic_v3_and_below_item.name
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        results_by_partition = results_by_topic_v3_and_below_item.results_by_partition
        out += pack_i(len(results_by_partition))
        for results_by_partition_item in results_by_partition:
            out += pack_ih(results_by_partition_item.partition_index, results_by_partition_item.partition_error_code)


def _write_add_partitions_to_txn_response_v3(m: AddPartitionsToTxnResponse, out: bytearray) -> None:
    if m.results_by_transaction:
        raise fault_absent("results_by_transaction")
    results_by_topic_v3_and_below = m.results_by_topic_v3_and_below
    out += pack_i(m.throttle_time_ms)
    n = len(results_by_topic_v3_and_below) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for results_by_topic_v3_and_below_item in results_by_topic_v3_and_below:
        name = results_by_topic_v3_and_below_item.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        results_by_partition = results_by_topic_v3_and_below_item.results_by_partition
        n = len(results_by_partition) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for results_by_partition_item in results_by_partition:
            out += pack_ihx(results_by_partition_item.partition_index, results_by_partition_item.partition_error_code)
        out.append(0)
    out.append(0)


def _write_add_partitions_to_txn_response_v4_5(m: AddPartitionsToTxnResponse, out: bytearray) -> None:
    if m.results_by_topic_v3_and_below:
        raise fault_absent("results_by_topic_v3_and_below")
    results_by_transaction = m.results_by_transaction
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(results_by_transaction) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for results_by_transaction_item in results_by_transaction:
        transactional_id = results_by_transaction_item.transactional_id
        transactional_id_bytes = transactional_id.encode()
        n = len(transactional_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += transactional_id_bytes
        topic_results = results_by_transaction_item.topic_results
        n = len(topic_results) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for topic_result in topic_results:
            name = topic_result.name
            name_bytes = name.encode()
            n = len(name_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            results_by_partition = topic_result.results_by_partition
            n = len(results_by_partition) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for results_by_partition_item in results_by_partition:
                out += pack_ihx(results_by_partition_item.partition_index, results_by_partition_item.partition_error_code)
            out.append(0)
        out.append(0)
    out.append(0)


AddPartitionsToTxnRequest.READERS = {
    0: _read_add_partitions_to_txn_request_v0_2,
    1: _read_add_partitions_to_txn_request_v0_2,
    2: _read_add_partitions_to_txn_request_v0_2,
    3: _read_add_partitions_to_txn_request_v3,
    4: _read_add_partitions_to_txn_request_v4_5,
    5: _read_add_partitions_to_txn_request_v4_5,
}
AddPartitionsToTxnRequest.WRITERS = {
    0: _write_add_partitions_to_txn_request_v0_2,
    1: _write_add_partitions_to_txn_request_v0_2,
    2: _write_add_partitions_to_txn_request_v0_2,
    3: _write_add_partitions_to_txn_request_v3,
    4: _write_add_partitions_to_txn_request_v4_5,
    5: _write_add_partitions_to_txn_request_v4_5,
}
AddPartitionsToTxnResponse.READERS = {
    0: _read_add_partitions_to_txn_response_v0_2,
    1: _read_add_partitions_to_txn_response_v0_2,
    2: _read_add_partitions_to_txn_response_v0_2,
    3: _read_add_partitions_to_txn_response_v3,
    4: _read_add_partitions_to_txn_response_v4_5,
    5: _read_add_partitions_to_txn_response_v4_5,
}
AddPartitionsToTxnResponse.WRITERS = {
    0: _write_add_partitions_to_txn_response_v0_2,
    1: _write_add_partitions_to_txn_response_v0_2,
    2: _write_add_partitions_to_txn_response_v0_2,
    3: _write_add_partitions_to_txn_response_v3,
    4: _write_add_partitions_to_txn_response_v4_5,
    5: _write_add_partitions_to_txn_response_v4_5,
}
