"""AddOffsetsToTxn: add the offsets of a group to a transaction (KIP-98).

v1  responds before it throttles (KIP-219)
v2  may return PRODUCER_FENCED (KIP-588)
v3  flexible
v4  may return TRANSACTION_ABORTABLE (KIP-890)

Generated from protocol_specs/25_add_offsets_to_txn by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields

_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_qhB = Struct(">qhB").unpack_from
_unpack_qhh = Struct(">qhh").unpack_from


class AddOffsetsToTxnRequest(ReadableMessage):
    API_KEY = 25
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3

    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    group_id: str = ""


class AddOffsetsToTxnResponse(WritableMessage):
    API_KEY = 25
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 3

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0


def _read_add_offsets_to_txn_request_v0_2(b: bytes, at: int, version: int) -> tuple[AddOffsetsToTxnRequest, int]:
    size = len(b)
    m = new(AddOffsetsToTxnRequest)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, n = _unpack_qhh(b, at)
    at += 12
    if n < 0:
        raise ProtocolError("group_id is null")
    end = at + n
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    if at > size:
        raise ProtocolError(f"AddOffsetsToTxnRequest is {at - size} bytes short")
    return m, at


def _read_add_offsets_to_txn_request_v3_4(b: bytes, at: int, version: int) -> tuple[AddOffsetsToTxnRequest, int]:
    size = len(b)
    m = new(AddOffsetsToTxnRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("transactional_id is null")
    end = at + n - 1
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, n = _unpack_qhB(b, at)
    at += 11
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AddOffsetsToTxnRequest is {at - size} bytes short")
    return m, at


AddOffsetsToTxnRequest.READERS = dict.fromkeys(range(0, 3), _read_add_offsets_to_txn_request_v0_2) | dict.fromkeys(range(3, 5), _read_add_offsets_to_txn_request_v3_4)


def _write_add_offsets_to_txn_response_v0_2(m: AddOffsetsToTxnResponse, out: bytearray, version: int) -> None:
    out += _pack_ih(m.throttle_time_ms, m.error_code)


def _write_add_offsets_to_txn_response_v3_4(m: AddOffsetsToTxnResponse, out: bytearray, version: int) -> None:
    out += _pack_ihx(m.throttle_time_ms, m.error_code)


AddOffsetsToTxnResponse.WRITERS = dict.fromkeys(range(0, 3), _write_add_offsets_to_txn_response_v0_2) | dict.fromkeys(range(3, 5), _write_add_offsets_to_txn_response_v3_4)
