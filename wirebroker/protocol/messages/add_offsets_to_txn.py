"""AddOffsetsToTxn: the coordinator learns that a transaction commits offsets of a group (KIP-98).

v1  answers before it throttles (KIP-219)
v2  may answer PRODUCER_FENCED (KIP-588)
v3  flexible
v4  may answer TRANSACTION_ABORTABLE (KIP-890)

Generated from protocol_specs/25_add_offsets_to_txn by tools/codegen: do not edit.
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
pack_ihx = Struct(">ihx").pack
pack_qh = Struct(">qh").pack
pack_qhh = Struct(">qhh").pack
unpack_h = Struct(">h").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_qhB = Struct(">qhB").unpack_from
unpack_qhh = Struct(">qhh").unpack_from


class AddOffsetsToTxnRequest(Message):
    API_KEY = 25
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("transactional_id", "producer_id", "producer_epoch", "group_id")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        group_id: str = "",
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.group_id = group_id


class AddOffsetsToTxnResponse(Message):
    API_KEY = 25
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3
    __slots__ = FIELDS = ("throttle_time_ms", "error_code")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code


def _read_add_offsets_to_txn_request_v0_2(b: bytes, at: int) -> tuple[AddOffsetsToTxnRequest, int]:
    size = len(b)
    m = new(AddOffsetsToTxnRequest)
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, n = unpack_qhh(b, at)
    at += 12
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"AddOffsetsToTxnRequest is {at - size} bytes short")
    return m, at


def _read_add_offsets_to_txn_request_v3_4(b: bytes, at: int) -> tuple[AddOffsetsToTxnRequest, int]:
    size = len(b)
    m = new(AddOffsetsToTxnRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("transactional_id is null")
    end = at + n - 1
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, n = unpack_qhB(b, at)
    at += 11
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddOffsetsToTxnRequest is {at - size} bytes short")
    return m, at


def _write_add_offsets_to_txn_request_v0_2(m: AddOffsetsToTxnRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = transactional_id.encode()
    out += pack_h(len(transactional_id_bytes))
    out += transactional_id_bytes
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    out += pack_qhh(m.producer_id, m.producer_epoch, len(group_id_bytes))
    out += group_id_bytes


def _write_add_offsets_to_txn_request_v3_4(m: AddOffsetsToTxnRequest, out: bytearray) -> None:
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
    out += pack_qh(m.producer_id, m.producer_epoch)
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    out.append(0)


def _read_add_offsets_to_txn_response_v0_2(b: bytes, at: int) -> tuple[AddOffsetsToTxnResponse, int]:
    size = len(b)
    m = new(AddOffsetsToTxnResponse)
    m.throttle_time_ms, m.error_code = unpack_ih(b, at)
    at += 6
    if at > size:
        raise ProtocolError(f"AddOffsetsToTxnResponse is {at - size} bytes short")
    return m, at


def _read_add_offsets_to_txn_response_v3_4(b: bytes, at: int) -> tuple[AddOffsetsToTxnResponse, int]:
    size = len(b)
    m = new(AddOffsetsToTxnResponse)
    m.throttle_time_ms, m.error_code, tags = unpack_ihB(b, at)
    at += 7
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddOffsetsToTxnResponse is {at - size} bytes short")
    return m, at


def _write_add_offsets_to_txn_response_v0_2(m: AddOffsetsToTxnResponse, out: bytearray) -> None:
    out += pack_ih(m.throttle_time_ms, m.error_code)


def _write_add_offsets_to_txn_response_v3_4(m: AddOffsetsToTxnResponse, out: bytearray) -> None:
    out += pack_ihx(m.throttle_time_ms, m.error_code)


AddOffsetsToTxnRequest.READERS = {
    0: _read_add_offsets_to_txn_request_v0_2,
    1: _read_add_offsets_to_txn_request_v0_2,
    2: _read_add_offsets_to_txn_request_v0_2,
    3: _read_add_offsets_to_txn_request_v3_4,
    4: _read_add_offsets_to_txn_request_v3_4,
}
AddOffsetsToTxnRequest.WRITERS = {
    0: _write_add_offsets_to_txn_request_v0_2,
    1: _write_add_offsets_to_txn_request_v0_2,
    2: _write_add_offsets_to_txn_request_v0_2,
    3: _write_add_offsets_to_txn_request_v3_4,
    4: _write_add_offsets_to_txn_request_v3_4,
}
AddOffsetsToTxnResponse.READERS = {
    0: _read_add_offsets_to_txn_response_v0_2,
    1: _read_add_offsets_to_txn_response_v0_2,
    2: _read_add_offsets_to_txn_response_v0_2,
    3: _read_add_offsets_to_txn_response_v3_4,
    4: _read_add_offsets_to_txn_response_v3_4,
}
AddOffsetsToTxnResponse.WRITERS = {
    0: _write_add_offsets_to_txn_response_v0_2,
    1: _write_add_offsets_to_txn_response_v0_2,
    2: _write_add_offsets_to_txn_response_v0_2,
    3: _write_add_offsets_to_txn_response_v3_4,
    4: _write_add_offsets_to_txn_response_v3_4,
}
