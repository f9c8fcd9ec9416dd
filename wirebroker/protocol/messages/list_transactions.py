"""ListTransactions: the transactional ids that this broker coordinates (KIP-664).

v1  duration_filter (KIP-994)
v2  transactional_id_pattern (KIP-1152)

Generated from protocol_specs/66_list_transactions by tools/codegen: do not edit.
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

_iter_q = Struct(">q").iter_unpack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_list_q = array_packer("q")
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack
_pack_qx = Struct(">qx").pack
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_qB = Struct(">qB").unpack_from


class ListTransactionsRequest(ReadableMessage, WritableMessage):
    API_KEY = 66
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    state_filters: list[str] = []
    """Empty: all states; case-sensitive."""
    producer_id_filters: list[int] = []
    """Empty: all."""
    duration_filter: int = -1  # v1+
    """Transactions that are open for longer than this, in ms; -1: all."""
    transactional_id_pattern: str | None = None  # v2+
    """RE2 pattern; null or empty: all (KIP-1152)."""


class TransactionState(Data):
    """An element of `ListTransactionsResponse.transaction_states`."""

    transactional_id: str = ""
    producer_id: int = 0
    transaction_state: str = ""


class ListTransactionsResponse(ReadableMessage, WritableMessage):
    API_KEY = 66
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    unknown_state_filters: list[str] = []
    """Filters that are not the name of a state."""
    transaction_states: list[TransactionState] = []


def _read_list_transactions_request_v0_2(b: bytes, at: int, version: int) -> tuple[ListTransactionsRequest, int]:
    size = len(b)
    m = new(ListTransactionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("state_filters", n)
    state_filters: list[str] = []
    m.state_filters = state_filters
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("state_filters is null")
        end = at + n - 1
        state_filter = b[at:end].decode("utf-8", "replace")
        at = end
        state_filters.append(state_filter)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise count_error("producer_id_filters", n)
    end = at + n * 8
    m.producer_id_filters = [each for (each,) in _iter_q(b[at:end])]
    at = end
    if version >= 2:
        m.duration_filter, n = _unpack_qB(b, at)
        at += 9
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            m.transactional_id_pattern = None
        else:
            end = at + n - 1
            m.transactional_id_pattern = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
    elif version >= 1:
        m.transactional_id_pattern = None
        m.duration_filter, tags = _unpack_qB(b, at)
        at += 9
    else:
        m.transactional_id_pattern = None
        m.duration_filter = -1
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListTransactionsRequest is {at - size} bytes short")
    return m, at


ListTransactionsRequest.READERS = dict.fromkeys(range(0, 3), _read_list_transactions_request_v0_2)


def _write_list_transactions_request_v0_2(m: ListTransactionsRequest, out: bytearray, version: int) -> None:
    state_filters = m.state_filters
    n = len(state_filters) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for state_filter in state_filters:
        state_filters_bytes = state_filter.encode()
        n = len(state_filters_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += state_filters_bytes
    producer_id_filters = m.producer_id_filters
    n = len(producer_id_filters) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += _pack_list_q(producer_id_filters)
    if version >= 2:
        transactional_id_pattern = m.transactional_id_pattern
        transactional_id_pattern_bytes = b"" if transactional_id_pattern is None else transactional_id_pattern.encode()
        n = 0 if transactional_id_pattern is None else len(transactional_id_pattern_bytes) + 1
        if n > 127:
            out += _pack_q(m.duration_filter)
            write_uvarint(out, n)
        else:
            out += _pack_qB(m.duration_filter, n)
        out += transactional_id_pattern_bytes
        out.append(0)
    elif version >= 1:
        if m.transactional_id_pattern is not None:
            raise absent_field_error("transactional_id_pattern")
        out += _pack_qx(m.duration_filter)
    else:
        if m.transactional_id_pattern is not None:
            raise absent_field_error("transactional_id_pattern")
        if m.duration_filter != -1:
            raise absent_field_error("duration_filter")
        out.append(0)


ListTransactionsRequest.WRITERS = dict.fromkeys(range(0, 3), _write_list_transactions_request_v0_2)


def _read_list_transactions_response_v0_2(b: bytes, at: int, version: int) -> tuple[ListTransactionsResponse, int]:
    size = len(b)
    m = new(ListTransactionsResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("unknown_state_filters", n)
    unknown_state_filters: list[str] = []
    m.unknown_state_filters = unknown_state_filters
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("unknown_state_filters is null")
        end = at + n - 1
        unknown_state_filter = b[at:end].decode("utf-8", "replace")
        at = end
        unknown_state_filters.append(unknown_state_filter)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise count_error("transaction_states", n)
    transaction_states: list[TransactionState] = []
    m.transaction_states = transaction_states
    for _ in range(n):
        transaction_state = new(TransactionState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_id is null")
        end = at + n - 1
        transaction_state.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        transaction_state.producer_id, n = _unpack_qB(b, at)
        at += 9
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transaction_state is null")
        end = at + n - 1
        transaction_state.transaction_state = b[at:end].decode("utf-8", "replace")
        at = end
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
        raise ProtocolError(f"ListTransactionsResponse is {at - size} bytes short")
    return m, at


ListTransactionsResponse.READERS = dict.fromkeys(range(0, 3), _read_list_transactions_response_v0_2)


def _write_list_transactions_response_v0_2(m: ListTransactionsResponse, out: bytearray, version: int) -> None:
    unknown_state_filters = m.unknown_state_filters
    n = len(unknown_state_filters) + 1
    if n > 127:
        out += _pack_ih(m.throttle_time_ms, m.error_code)
        write_uvarint(out, n)
    else:
        out += _pack_ihB(m.throttle_time_ms, m.error_code, n)
    for unknown_state_filter in unknown_state_filters:
        unknown_state_filters_bytes = unknown_state_filter.encode()
        n = len(unknown_state_filters_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += unknown_state_filters_bytes
    transaction_states = m.transaction_states
    n = len(transaction_states) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for transaction_state in transaction_states:
        transactional_id = transaction_state.transactional_id
        transactional_id_bytes = transactional_id.encode()
        n = len(transactional_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += transactional_id_bytes
        transaction_state2 = transaction_state.transaction_state
        transaction_state_bytes = transaction_state2.encode()
        n = len(transaction_state_bytes) + 1
        if n > 127:
            out += _pack_q(transaction_state.producer_id)
            write_uvarint(out, n)
        else:
            out += _pack_qB(transaction_state.producer_id, n)
        out += transaction_state_bytes
        out.append(0)
    out.append(0)


ListTransactionsResponse.WRITERS = dict.fromkeys(range(0, 3), _write_list_transactions_response_v0_2)
