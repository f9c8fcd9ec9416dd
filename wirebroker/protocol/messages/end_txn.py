"""EndTxn: commit or abort a transaction (KIP-98).

v1  responds before it throttles (KIP-219)
v2  may return PRODUCER_FENCED (KIP-588)
v3  flexible
v4  may return TRANSACTION_ABORTABLE (KIP-890)
v5  returns the next epoch (KIP-890)

Generated from protocol_specs/26_end_txn by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields

_pack_ih = Struct(">ih").pack
_pack_ihqhx = Struct(">ihqhx").pack
_pack_ihx = Struct(">ihx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_qht = Struct(">qh?").unpack_from
_unpack_qhtB = Struct(">qh?B").unpack_from


class EndTxnRequest(ReadableMessage):
    API_KEY = 26
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    transactional_id: str = ""
    producer_id: int = 0
    producer_epoch: int = 0
    committed: bool = False
    """True commit, false abort."""


class EndTxnResponse(WritableMessage):
    API_KEY = 26
    VERSIONS = range(0, 6)
    FLEXIBLE_FROM = 3

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    producer_id: int = -1  # v5+
    producer_epoch: int = -1  # v5+


def _read_end_txn_request_v0_2(b: bytes, at: int, version: int) -> tuple[EndTxnRequest, int]:
    size = len(b)
    m = new(EndTxnRequest)
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        raise ProtocolError("transactional_id is null")
    end = at + n
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, m.committed = _unpack_qht(b, at)
    at += 11
    if at > size:
        raise ProtocolError(f"EndTxnRequest is {at - size} bytes short")
    return m, at


def _read_end_txn_request_v3_5(b: bytes, at: int, version: int) -> tuple[EndTxnRequest, int]:
    size = len(b)
    m = new(EndTxnRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("transactional_id is null")
    end = at + n - 1
    m.transactional_id = b[at:end].decode("utf-8", "replace")
    at = end
    m.producer_id, m.producer_epoch, m.committed, tags = _unpack_qhtB(b, at)
    at += 12
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"EndTxnRequest is {at - size} bytes short")
    return m, at


EndTxnRequest.READERS = dict.fromkeys(range(0, 3), _read_end_txn_request_v0_2) | dict.fromkeys(range(3, 6), _read_end_txn_request_v3_5)


def _write_end_txn_response_v0_2(m: EndTxnResponse, out: bytearray, version: int) -> None:
    out += _pack_ih(m.throttle_time_ms, m.error_code)


def _write_end_txn_response_v3_5(m: EndTxnResponse, out: bytearray, version: int) -> None:
    if version >= 5:
        out += _pack_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)
    else:
        out += _pack_ihx(m.throttle_time_ms, m.error_code)


EndTxnResponse.WRITERS = dict.fromkeys(range(0, 3), _write_end_txn_response_v0_2) | dict.fromkeys(range(3, 6), _write_end_txn_response_v3_5)
