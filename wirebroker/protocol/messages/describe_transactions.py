"""DescribeTransactions: the states of transactional ids (KIP-664).

Generated from protocol_specs/65_describe_transactions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_iqqh = Struct(">iqqh").pack
_pack_iqqhB = Struct(">iqqhB").pack
_pack_list_i = array_packer("i")
_unpack_hB = Struct(">hB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iqqhB = Struct(">iqqhB").unpack_from


class DescribeTransactionsRequest(ReadableMessage, WritableMessage):
    API_KEY = 65
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    transactional_ids: list[str] = []


class TopicData(Data):
    """An element of `TransactionState.topics`."""

    topic: str = ""
    partitions: list[int] = []


class TransactionState(Data):
    """An element of `DescribeTransactionsResponse.transaction_states`."""

    error_code: int = 0
    transactional_id: str = ""
    transaction_state: str = ""
    transaction_timeout_ms: int = 0
    transaction_start_time_ms: int = 0
    producer_id: int = 0
    producer_epoch: int = 0
    topics: list[TopicData] = []


class DescribeTransactionsResponse(ReadableMessage, WritableMessage):
    API_KEY = 65
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    transaction_states: list[TransactionState] = []


def _read_describe_transactions_request_v0(b: bytes, at: int, version: int) -> tuple[DescribeTransactionsRequest, int]:
    size = len(b)
    m = new(DescribeTransactionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("transactional_ids", n)
    transactional_ids: list[str] = []
    m.transactional_ids = transactional_ids
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_ids is null")
        end = at + n - 1
        transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        transactional_ids.append(transactional_id)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTransactionsRequest is {at - size} bytes short")
    return m, at


DescribeTransactionsRequest.READERS = dict.fromkeys(range(0, 1), _read_describe_transactions_request_v0)


def _write_describe_transactions_request_v0(m: DescribeTransactionsRequest, out: bytearray, version: int) -> None:
    transactional_ids = m.transactional_ids
    n = len(transactional_ids) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for transactional_id in transactional_ids:
        transactional_ids_bytes = transactional_id.encode()
        n = len(transactional_ids_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += transactional_ids_bytes
    out.append(0)


DescribeTransactionsRequest.WRITERS = dict.fromkeys(range(0, 1), _write_describe_transactions_request_v0)


def _read_describe_transactions_response_v0(b: bytes, at: int, version: int) -> tuple[DescribeTransactionsResponse, int]:
    size = len(b)
    m = new(DescribeTransactionsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 28 > size - at:
        raise count_error("transaction_states", n)
    transaction_states: list[TransactionState] = []
    m.transaction_states = transaction_states
    for _ in range(n):
        transaction_state = new(TransactionState)
        transaction_state.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_id is null")
        end = at + n - 1
        transaction_state.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transaction_state is null")
        end = at + n - 1
        transaction_state.transaction_state = b[at:end].decode("utf-8", "replace")
        at = end
        transaction_state.transaction_timeout_ms, transaction_state.transaction_start_time_ms, transaction_state.producer_id, transaction_state.producer_epoch, n = _unpack_iqqhB(b, at)
        at += 23
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 3 > size - at:
            raise count_error("topics", n)
        topics: list[TopicData] = []
        transaction_state.topics = topics
        for _ in range(n):
            topic = new(TopicData)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic is null")
            end = at + n - 1
            topic.topic = b[at:end].decode("utf-8", "replace")
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
        transaction_states.append(transaction_state)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DescribeTransactionsResponse is {at - size} bytes short")
    return m, at


DescribeTransactionsResponse.READERS = dict.fromkeys(range(0, 1), _read_describe_transactions_response_v0)


def _write_describe_transactions_response_v0(m: DescribeTransactionsResponse, out: bytearray, version: int) -> None:
    transaction_states = m.transaction_states
    n = len(transaction_states) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for transaction_state in transaction_states:
        transactional_id = transaction_state.transactional_id
        transactional_id_bytes = transactional_id.encode()
        n = len(transactional_id_bytes) + 1
        if n > 127:
            out += _pack_h(transaction_state.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(transaction_state.error_code, n)
        out += transactional_id_bytes
        transaction_state2 = transaction_state.transaction_state
        transaction_state_bytes = transaction_state2.encode()
        n = len(transaction_state_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += transaction_state_bytes
        topics = transaction_state.topics
        n = len(topics) + 1
        if n > 127:
            out += _pack_iqqh(transaction_state.transaction_timeout_ms, transaction_state.transaction_start_time_ms, transaction_state.producer_id, transaction_state.producer_epoch)
            write_uvarint(out, n)
        else:
            out += _pack_iqqhB(transaction_state.transaction_timeout_ms, transaction_state.transaction_start_time_ms, transaction_state.producer_id, transaction_state.producer_epoch, n)
        for topic in topics:
            topic2 = topic.topic
            topic_bytes = topic2.encode()
            n = len(topic_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_bytes
            partitions = topic.partitions
            n = len(partitions) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(partitions)
            out.append(0)
        out.append(0)
    out.append(0)


DescribeTransactionsResponse.WRITERS = dict.fromkeys(range(0, 1), _write_describe_transactions_response_v0)
