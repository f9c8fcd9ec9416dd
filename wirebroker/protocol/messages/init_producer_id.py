"""InitProducerId: allocate a producer id; with a transactional id, fence earlier producers (KIP-98).

v1  responds before it throttles (KIP-219)
v2  flexible
v3  the current id and epoch, to raise the epoch after an error (KIP-360)
v4  may return PRODUCER_FENCED (KIP-588)
v5  may return TRANSACTION_ABORTABLE (KIP-890)
v6  two-phase commit, which no release advertises yet (KIP-939)

Generated from protocol_specs/22_init_producer_id by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import absent_field_error, new, read_long_uvarint, skip_tagged_fields, write_uvarint

_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ihqh = Struct(">ihqh").pack
_pack_ihqhqhx = Struct(">ihqhqhx").pack
_pack_ihqhx = Struct(">ihqhx").pack
_pack_iqhttx = Struct(">iqh??x").pack
_pack_iqhx = Struct(">iqhx").pack
_pack_ix = Struct(">ix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihqh = Struct(">ihqh").unpack_from
_unpack_ihqhB = Struct(">ihqhB").unpack_from
_unpack_ihqhqhB = Struct(">ihqhqhB").unpack_from
_unpack_iqhB = Struct(">iqhB").unpack_from
_unpack_iqhttB = Struct(">iqh??B").unpack_from


class InitProducerIdRequest(ReadableMessage, WritableMessage):
    API_KEY = 22
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 2

    transactional_id: str | None = ""
    """Null for an idempotent producer without transactions."""
    transaction_timeout_ms: int = 0
    """Time after which the coordinator aborts an open transaction."""
    producer_id: int = -1  # v3+
    producer_epoch: int = -1  # v3+
    enable_2pc: bool = False  # v6+
    """Two-phase commit: transactions never time out (KIP-939)."""
    keep_prepared_txn: bool = False  # v6+
    """Keep a prepared transaction (KIP-939)."""


class InitProducerIdResponse(ReadableMessage, WritableMessage):
    API_KEY = 22
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 2

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = 0
    ongoing_txn_producer_id: int = -1  # v6+
    ongoing_txn_producer_epoch: int = -1  # v6+


def _read_init_producer_id_request_v0_1(b: bytes, at: int, version: int) -> tuple[InitProducerIdRequest, int]:
    size = len(b)
    m = new(InitProducerIdRequest)
    m.producer_id = -1
    m.producer_epoch = -1
    m.enable_2pc = False
    m.keep_prepared_txn = False
    n = _unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.transactional_id = None
    else:
        end = at + n
        m.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.transaction_timeout_ms = _unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"InitProducerIdRequest is {at - size} bytes short")
    return m, at


def _read_init_producer_id_request_v2_6(b: bytes, at: int, version: int) -> tuple[InitProducerIdRequest, int]:
    size = len(b)
    m = new(InitProducerIdRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id = None
    else:
        end = at + n - 1
        m.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
    if version >= 6:
        m.transaction_timeout_ms, m.producer_id, m.producer_epoch, m.enable_2pc, m.keep_prepared_txn, tags = _unpack_iqhttB(b, at)
        at += 17
    elif version >= 3:
        m.enable_2pc = False
        m.keep_prepared_txn = False
        m.transaction_timeout_ms, m.producer_id, m.producer_epoch, tags = _unpack_iqhB(b, at)
        at += 15
    else:
        m.producer_id = -1
        m.producer_epoch = -1
        m.enable_2pc = False
        m.keep_prepared_txn = False
        m.transaction_timeout_ms, tags = _unpack_iB(b, at)
        at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"InitProducerIdRequest is {at - size} bytes short")
    return m, at


InitProducerIdRequest.READERS = dict.fromkeys(range(0, 2), _read_init_producer_id_request_v0_1) | dict.fromkeys(range(2, 7), _read_init_producer_id_request_v2_6)


def _write_init_producer_id_request_v0_1(m: InitProducerIdRequest, out: bytearray, version: int) -> None:
    if m.producer_id != -1:
        raise absent_field_error("producer_id")
    if m.producer_epoch != -1:
        raise absent_field_error("producer_epoch")
    if m.enable_2pc:
        raise absent_field_error("enable_2pc")
    if m.keep_prepared_txn:
        raise absent_field_error("keep_prepared_txn")
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    out += _pack_h(-1 if transactional_id is None else len(transactional_id_bytes))
    out += transactional_id_bytes
    out += _pack_i(m.transaction_timeout_ms)


def _write_init_producer_id_request_v2_6(m: InitProducerIdRequest, out: bytearray, version: int) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    n = 0 if transactional_id is None else len(transactional_id_bytes) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    if version >= 6:
        out += _pack_iqhttx(m.transaction_timeout_ms, m.producer_id, m.producer_epoch, m.enable_2pc, m.keep_prepared_txn)
    elif version >= 3:
        if m.enable_2pc:
            raise absent_field_error("enable_2pc")
        if m.keep_prepared_txn:
            raise absent_field_error("keep_prepared_txn")
        out += _pack_iqhx(m.transaction_timeout_ms, m.producer_id, m.producer_epoch)
    else:
        if m.producer_id != -1:
            raise absent_field_error("producer_id")
        if m.producer_epoch != -1:
            raise absent_field_error("producer_epoch")
        if m.enable_2pc:
            raise absent_field_error("enable_2pc")
        if m.keep_prepared_txn:
            raise absent_field_error("keep_prepared_txn")
        out += _pack_ix(m.transaction_timeout_ms)


InitProducerIdRequest.WRITERS = dict.fromkeys(range(0, 2), _write_init_producer_id_request_v0_1) | dict.fromkeys(range(2, 7), _write_init_producer_id_request_v2_6)


def _read_init_producer_id_response_v0_1(b: bytes, at: int, version: int) -> tuple[InitProducerIdResponse, int]:
    size = len(b)
    m = new(InitProducerIdResponse)
    m.ongoing_txn_producer_id = -1
    m.ongoing_txn_producer_epoch = -1
    m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch = _unpack_ihqh(b, at)
    at += 16
    if at > size:
        raise ProtocolError(f"InitProducerIdResponse is {at - size} bytes short")
    return m, at


def _read_init_producer_id_response_v2_6(b: bytes, at: int, version: int) -> tuple[InitProducerIdResponse, int]:
    size = len(b)
    m = new(InitProducerIdResponse)
    if version >= 6:
        m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch, tags = _unpack_ihqhqhB(b, at)
        at += 27
    else:
        m.ongoing_txn_producer_id = -1
        m.ongoing_txn_producer_epoch = -1
        m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, tags = _unpack_ihqhB(b, at)
        at += 17
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"InitProducerIdResponse is {at - size} bytes short")
    return m, at


InitProducerIdResponse.READERS = dict.fromkeys(range(0, 2), _read_init_producer_id_response_v0_1) | dict.fromkeys(range(2, 7), _read_init_producer_id_response_v2_6)


def _write_init_producer_id_response_v0_1(m: InitProducerIdResponse, out: bytearray, version: int) -> None:
    if m.ongoing_txn_producer_id != -1:
        raise absent_field_error("ongoing_txn_producer_id")
    if m.ongoing_txn_producer_epoch != -1:
        raise absent_field_error("ongoing_txn_producer_epoch")
    out += _pack_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


def _write_init_producer_id_response_v2_6(m: InitProducerIdResponse, out: bytearray, version: int) -> None:
    if version >= 6:
        out += _pack_ihqhqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch)
    else:
        if m.ongoing_txn_producer_id != -1:
            raise absent_field_error("ongoing_txn_producer_id")
        if m.ongoing_txn_producer_epoch != -1:
            raise absent_field_error("ongoing_txn_producer_epoch")
        out += _pack_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


InitProducerIdResponse.WRITERS = dict.fromkeys(range(0, 2), _write_init_producer_id_response_v0_1) | dict.fromkeys(range(2, 7), _write_init_producer_id_response_v2_6)
