"""EndTxn: commit or abort a transaction (KIP-98).

v1  answers before it throttles (KIP-219)
v2  may answer PRODUCER_FENCED (KIP-588)
v3  flexible
v4  may answer TRANSACTION_ABORTABLE (KIP-890)
v5  hands out the next epoch (KIP-890)

Generated from protocol_specs/26_end_txn by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_ih = Struct(">ih").pack
pack_ihqhx = Struct(">ihqhx").pack
pack_ihx = Struct(">ihx").pack
pack_qht = Struct(">qh?").pack
pack_qhtx = Struct(">qh?x").pack
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihqhB = Struct(">ihqhB").unpack_from
unpack_qht = Struct(">qh?").unpack_from
unpack_qhtB = Struct(">qh?B").unpack_from


class EndTxnRequest(Message):
    API_KEY = 26
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("transactional_id", "producer_id", "producer_epoch", "committed")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed


class EndTxnResponse(Message):
    API_KEY = 26
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "producer_id", "producer_epoch")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


def _read_end_txn_request_v0_2(b: bytes, at: int) -> tuple[EndTxnRequest, int]:
    size = len(b)
    m = new(EndTxnRequest)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, m.committed = unpack_qht(b, at)
    at += 11
    if at > size:
        raise ProtocolError(f"EndTxnRequest is {at - size} bytes short")
    return m, at


def _read_end_txn_request_v3_5(b: bytes, at: int) -> tuple[EndTxnRequest, int]:
    size = len(b)
    m = new(EndTxnRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("transactional_id is null")
    end = at + n - 1
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, m.committed, tags = unpack_qhtB(b, at)
    at += 12
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"EndTxnRequest is {at - size} bytes short")
    return m, at


def _write_end_txn_request_v0_2(m: EndTxnRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    out += pack_h(len(transactional_id_bytes))
    out += transactional_id_bytes
    out += pack_qht(m.producer_id, m.producer_epoch, m.committed)


def _write_end_txn_request_v3_5(m: EndTxnRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    n = len(transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    out += pack_qhtx(m.producer_id, m.producer_epoch, m.committed)


def _read_end_txn_response_v0_2(b: bytes, at: int) -> tuple[EndTxnResponse, int]:
    size = len(b)
    m = new(EndTxnResponse)
    m.producer_id = -1
    m.producer_epoch = -1
    m.throttle_time_ms, m.error_code = unpack_ih(b, at)
    at += 6
    if at > size:
        raise ProtocolError(f"EndTxnResponse is {at - size} bytes short")
    return m, at


def _read_end_txn_response_v3_4(b: bytes, at: int) -> tuple[EndTxnResponse, int]:
    size = len(b)
    m = new(EndTxnResponse)
    m.producer_id = -1
    m.producer_epoch = -1
    m.throttle_time_ms, m.error_code, tags = unpack_ihB(b, at)
    at += 7
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"EndTxnResponse is {at - size} bytes short")
    return m, at


def _read_end_txn_response_v5(b: bytes, at: int) -> tuple[EndTxnResponse, int]:
    size = len(b)
    m = new(EndTxnResponse)
    m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, tags = unpack_ihqhB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"EndTxnResponse is {at - size} bytes short")
    return m, at


def _write_end_txn_response_v0_2(m: EndTxnResponse, out: bytearray) -> None:
    out += pack_ih(m.throttle_time_ms, m.error_code)


def _write_end_txn_response_v3_4(m: EndTxnResponse, out: bytearray) -> None:
    out += pack_ihx(m.throttle_time_ms, m.error_code)


def _write_end_txn_response_v5(m: EndTxnResponse, out: bytearray) -> None:
    out += pack_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


EndTxnRequest.READERS = {
    0: _read_end_txn_request_v0_2,
    1: _read_end_txn_request_v0_2,
    2: _read_end_txn_request_v0_2,
    3: _read_end_txn_request_v3_5,
    4: _read_end_txn_request_v3_5,
    5: _read_end_txn_request_v3_5,
}
EndTxnRequest.WRITERS = {
    0: _write_end_txn_request_v0_2,
    1: _write_end_txn_request_v0_2,
    2: _write_end_txn_request_v0_2,
    3: _write_end_txn_request_v3_5,
    4: _write_end_txn_request_v3_5,
    5: _write_end_txn_request_v3_5,
}
EndTxnResponse.READERS = {
    0: _read_end_txn_response_v0_2,
    1: _read_end_txn_response_v0_2,
    2: _read_end_txn_response_v0_2,
    3: _read_end_txn_response_v3_4,
    4: _read_end_txn_response_v3_4,
    5: _read_end_txn_response_v5,
}
EndTxnResponse.WRITERS = {
    0: _write_end_txn_response_v0_2,
    1: _write_end_txn_response_v0_2,
    2: _write_end_txn_response_v0_2,
    3: _write_end_txn_response_v3_4,
    4: _write_end_txn_response_v3_4,
    5: _write_end_txn_response_v5,
}
