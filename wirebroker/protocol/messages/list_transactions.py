"""ListTransactions: the transactional ids that the asked broker coordinates (KIP-664).

v1  duration_filter (KIP-994)
v2  transactional_id_pattern (KIP-1152)

Generated from protocol_specs/66_list_transactions by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_absent, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_q = Struct(">q").iter_unpack
pack_ih = Struct(">ih").pack
pack_q = Struct(">q").pack
pack_qx = Struct(">qx").pack
unpack_ihB = Struct(">ihB").unpack_from
unpack_qB = Struct(">qB").unpack_from


class ListTransactionsRequest(Message):
    API_KEY = 66
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("state_filters", "producer_id_filters", "duration_filter", "transactional_id_pattern")

    def __init__(
        self,
        state_filters: list[str] = UNSET,
        producer_id_filters: list[int] = UNSET,
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
    ) -> None:
        self.state_filters = [] if state_filters is UNSET else state_filters
        self.producer_id_filters = [] if producer_id_filters is UNSET else producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern


class TransactionState(Data):
    __slots__ = FIELDS = ("transactional_id", "producer_id", "transaction_state")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        transaction_state: str = "",
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state


class ListTransactionsResponse(Message):
    API_KEY = 66
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "unknown_state_filters", "transaction_states")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: list[str] = UNSET,
        transaction_states: list[TransactionState] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = [] if unknown_state_filters is UNSET else unknown_state_filters
        self.transaction_states = [] if transaction_states is UNSET else transaction_states


def _read_list_transactions_request_v0(b: bytes, at: int) -> tuple[ListTransactionsRequest, int]:
    size = len(b)
    m = new(ListTransactionsRequest)
    m.duration_filter = -1
    m.transactional_id_pattern = None
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("state_filters", n)
    state_filters: list[str] = []
    m.state_filters = state_filters
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("state_filters is null")
        end = at + n - 1
        state_filter = b[at:end].decode("utf-8", "replace")
        at = end
        state_filters.append(state_filter)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("producer_id_filters", n)
    end = at + n * 8
    m.producer_id_filters = [each for (each,) in iter_q(b[at:end])]
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListTransactionsRequest is {at - size} bytes short")
    return m, at


def _read_list_transactions_request_v1(b: bytes, at: int) -> tuple[ListTransactionsRequest, int]:
    size = len(b)
    m = new(ListTransactionsRequest)
    m.transactional_id_pattern = None
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("state_filters", n)
    state_filters: list[str] = []
    m.state_filters = state_filters
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("state_filters is null")
        end = at + n - 1
        state_filter = b[at:end].decode("utf-8", "replace")
        at = end
        state_filters.append(state_filter)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("producer_id_filters", n)
    end = at + n * 8
    m.producer_id_filters = [each for (each,) in iter_q(b[at:end])]
    at = end
    m.duration_filter, tags = unpack_qB(b, at)
    at += 9
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListTransactionsRequest is {at - size} bytes short")
    return m, at


def _read_list_transactions_request_v2(b: bytes, at: int) -> tuple[ListTransactionsRequest, int]:
    size = len(b)
    m = new(ListTransactionsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("state_filters", n)
    state_filters: list[str] = []
    m.state_filters = state_filters
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("state_filters is null")
        end = at + n - 1
        state_filter = b[at:end].decode("utf-8", "replace")
        at = end
        state_filters.append(state_filter)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("producer_id_filters", n)
    end = at + n * 8
    m.producer_id_filters = [each for (each,) in iter_q(b[at:end])]
    at = end
    m.duration_filter, n = unpack_qB(b, at)
    at += 9
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id_pattern = None
    else:
        end = at + n - 1
        m.transactional_id_pattern = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ListTransactionsRequest is {at - size} bytes short")
    return m, at


def _write_list_transactions_request_v0(m: ListTransactionsRequest, out: bytearray) -> None:
    if m.duration_filter != -1:
        raise fault_absent("duration_filter")
    if m.transactional_id_pattern is not None:
        raise fault_absent("transactional_id_pattern")
    state_filters = m.state_filters
    n = len(state_filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for state_filter in state_filters:
        state_filters_bytes = state_filter.encode()
        n = len(state_filters_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += state_filters_bytes
    producer_id_filters = m.producer_id_filters
    n = len(producer_id_filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_q, producer_id_filters))
    out.append(0)


def _write_list_transactions_request_v1(m: ListTransactionsRequest, out: bytearray) -> None:
    if m.transactional_id_pattern is not None:
        raise fault_absent("transactional_id_pattern")
    state_filters = m.state_filters
    n = len(state_filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for state_filter in state_filters:
        state_filters_bytes = state_filter.encode()
        n = len(state_filters_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += state_filters_bytes
    producer_id_filters = m.producer_id_filters
    n = len(producer_id_filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_q, producer_id_filters))
    out += pack_qx(m.duration_filter)


def _write_list_transactions_request_v2(m: ListTransactionsRequest, out: bytearray) -> None:
    state_filters = m.state_filters
    n = len(state_filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for state_filter in state_filters:
        state_filters_bytes = state_filter.encode()
        n = len(state_filters_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += state_filters_bytes
    producer_id_filters = m.producer_id_filters
    n = len(producer_id_filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_q, producer_id_filters))
    transactional_id_pattern = m.transactional_id_pattern
    transactional_id_pattern_bytes = b"" if transactional_id_pattern is None else transactional_id_pattern.encode()
    out += pack_q(m.duration_filter)
    n = 0 if transactional_id_pattern is None else len(transactional_id_pattern_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_pattern_bytes
    out.append(0)


def _read_list_transactions_response_v0_2(b: bytes, at: int) -> tuple[ListTransactionsResponse, int]:
    size = len(b)
    m = new(ListTransactionsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("unknown_state_filters", n)
    unknown_state_filters: list[str] = []
    m.unknown_state_filters = unknown_state_filters
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("unknown_state_filters is null")
        end = at + n - 1
        unknown_state_filter = b[at:end].decode("utf-8", "replace")
        at = end
        unknown_state_filters.append(unknown_state_filter)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 11 > size - at:
        raise fault_length("transaction_states", n)
    transaction_states: list[TransactionState] = []
    m.transaction_states = transaction_states
    for _ in range(n):
        transaction_state = new(TransactionState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transactional_id is null")
        end = at + n - 1
        transaction_state.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
        transaction_state.producer_id, n = unpack_qB(b, at)
        at += 9
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("transaction_state is null")
        end = at + n - 1
        transaction_state.transaction_state = b[at:end].decode("utf-8", "replace")
        at = end
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
        raise ProtocolError(f"ListTransactionsResponse is {at - size} bytes short")
    return m, at


def _write_list_transactions_response_v0_2(m: ListTransactionsResponse, out: bytearray) -> None:
    unknown_state_filters = m.unknown_state_filters
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(unknown_state_filters) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for unknown_state_filter in unknown_state_filters:
        unknown_state_filters_bytes = unknown_state_filter.encode()
        n = len(unknown_state_filters_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += unknown_state_filters_bytes
    transaction_states = m.transaction_states
    n = len(transaction_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for transaction_state in transaction_states:
        transactional_id = transaction_state.transactional_id
        transactional_id_bytes = transactional_id.encode()
        n = len(transactional_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += transactional_id_bytes
        transaction_state2 = transaction_state.transaction_state
        transaction_state_bytes = transaction_state2.encode()
        out += pack_q(transaction_state.producer_id)
        n = len(transaction_state_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += transaction_state_bytes
        out.append(0)
    out.append(0)


ListTransactionsRequest.READERS = {
    0: _read_list_transactions_request_v0,
    1: _read_list_transactions_request_v1,
    2: _read_list_transactions_request_v2,
}
ListTransactionsRequest.WRITERS = {
    0: _write_list_transactions_request_v0,
    1: _write_list_transactions_request_v1,
    2: _write_list_transactions_request_v2,
}
ListTransactionsResponse.READERS = {
    0: _read_list_transactions_response_v0_2,
    1: _read_list_transactions_response_v0_2,
    2: _read_list_transactions_response_v0_2,
}
ListTransactionsResponse.WRITERS = {
    0: _write_list_transactions_response_v0_2,
    1: _write_list_transactions_response_v0_2,
    2: _write_list_transactions_response_v0_2,
}
