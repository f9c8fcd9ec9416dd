"""DescribeTransactions: what the transaction coordinator knows of transactional ids (KIP-664).

Generated from protocol_specs/65_describe_transactions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iqqh = Struct(">iqqh").pack
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iqqhB = Struct(">iqqhB").unpack_from


class DescribeTransactionsRequest(Message):
    API_KEY = 65
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("transactional_ids",)

    def __init__(
        self,
        transactional_ids: list[str] = UNSET,
    ) -> None:
        self.transactional_ids = [] if transactional_ids is UNSET else transactional_ids


class TopicData(Data):
    __slots__ = FIELDS = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions


class TransactionState(Data):
    __slots__ = FIELDS = (
        "error_code",
        "transactional_id",
        "transaction_state",
        "transaction_timeout_ms",
        "transaction_start_time_ms",
        "producer_id",
        "producer_epoch",
        "topics",
    )

    def __init__(
        self,
        error_code: int = 0,
        transactional_id: str = "",
        transaction_state: str = "",
        transaction_timeout_ms: int = 0,
        transaction_start_time_ms: int = 0,
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: list[TopicData] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.transactional_id = transactional_id
        self.transaction_state = transaction_state
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_start_time_ms = transaction_start_time_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = [] if topics is UNSET else topics


class DescribeTransactionsResponse(Message):
    API_KEY = 65
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "transaction_states")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        transaction_states: list[TransactionState] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states = [] if transaction_states is UNSET else transaction_states


def _read_describe_transactions_request_v0(b: bytes, at: int) -> tuple[DescribeTransactionsRequest, int]:
    size = len(b)
    m = new(DescribeTransactionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("transactional_ids", n)
    transactional_ids: list[str] = []
    m.transactional_ids = transactional_ids
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_ids is null")
        end = at + n - 1
        transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        transactional_ids.append(transactional_id)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTransactionsRequest is {at - size} bytes short")
    return m, at


def _write_describe_transactions_request_v0(m: DescribeTransactionsRequest, out: bytearray) -> None:
    transactional_ids = m.transactional_ids
    n = len(transactional_ids) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for transactional_id in transactional_ids:
        transactional_ids_bytes = transactional_id.encode()
        n = len(transactional_ids_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += transactional_ids_bytes
    out.append(0)


def _read_describe_transactions_response_v0(b: bytes, at: int) -> tuple[DescribeTransactionsResponse, int]:
    size = len(b)
    m = new(DescribeTransactionsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 28 > size - at:
        raise fault_length("transaction_states", n)
    transaction_states: list[TransactionState] = []
    m.transaction_states = transaction_states
    for _ in range(n):
        transaction_state = new(TransactionState)
        transaction_state.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_id is null")
        end = at + n - 1
        transaction_state.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transaction_state is null")
        end = at + n - 1
        transaction_state.transaction_state = b[at:end].decode("utf-8", "replace")
        at = end
        transaction_state.transaction_timeout_ms, transaction_state.transaction_start_time_ms, transaction_state.producer_id, transaction_state.producer_epoch, n = unpack_iqqhB(b, at)
        at += 23
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise fault_length("topics", n)
        topics: list[TopicData] = []
        transaction_state.topics = topics
        for _ in range(n):
            topic = new(TopicData)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            topic.topic = b[at:end].decode("utf-8", "replace")
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
        transaction_states.append(transaction_state)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTransactionsResponse is {at - size} bytes short")
    return m, at


def _write_describe_transactions_response_v0(m: DescribeTransactionsResponse, out: bytearray) -> None:
    transaction_states = m.transaction_states
    out += pack_i(m.throttle_time_ms)
    n = len(transaction_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for transaction_state in transaction_states:
        transactional_id = transaction_state.transactional_id
        transactional_id_bytes = transactional_id.encode()
        out += pack_h(transaction_state.error_code)
        n = len(transactional_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += transactional_id_bytes
        transaction_state2 = transaction_state.transaction_state
        transaction_state_bytes = transaction_state2.encode()
        n = len(transaction_state_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += transaction_state_bytes
        topics = transaction_state.topics
        out += pack_iqqh(transaction_state.transaction_timeout_ms, transaction_state.transaction_start_time_ms, transaction_state.producer_id, transaction_state.producer_epoch)
        n = len(topics) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for topic in topics:
            topic2 = topic.topic
            topic_bytes = topic2.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
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


DescribeTransactionsRequest.READERS = {
    0: _read_describe_transactions_request_v0,
}
DescribeTransactionsRequest.WRITERS = {
    0: _write_describe_transactions_request_v0,
}
DescribeTransactionsResponse.READERS = {
    0: _read_describe_transactions_response_v0,
}
DescribeTransactionsResponse.WRITERS = {
    0: _write_describe_transactions_response_v0,
}
