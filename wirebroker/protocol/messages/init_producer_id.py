"""InitProducerId: get a producer id; with a transactional id, also fence older producers (KIP-98).

v1  answers before it throttles (KIP-219)
v2  flexible
v3  the current id and epoch, to raise the epoch after an error (KIP-360)
v4  may answer PRODUCER_FENCED (KIP-588)
v5  may answer TRANSACTION_ABORTABLE (KIP-890)
v6  two-phase commit, which no broker announces yet (KIP-939)

Generated from protocol_specs/22_init_producer_id by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import fault_absent, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ihqh = Struct(">ihqh").pack
pack_ihqhqhx = Struct(">ihqhqhx").pack
pack_ihqhx = Struct(">ihqhx").pack
pack_iqhttx = Struct(">iqh??x").pack
pack_iqhx = Struct(">iqhx").pack
pack_ix = Struct(">ix").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihqh = Struct(">ihqh").unpack_from
unpack_ihqhB = Struct(">ihqhB").unpack_from
unpack_ihqhqhB = Struct(">ihqhqhB").unpack_from
unpack_iqhB = Struct(">iqhB").unpack_from
unpack_iqhttB = Struct(">iqh??B").unpack_from


class InitProducerIdRequest(Message):
    API_KEY = 22
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = (
        "transactional_id",
        "transaction_timeout_ms",
        "producer_id",
        "producer_epoch",
        "enable_2pc",
        "keep_prepared_txn",
    )

    def __init__(
        self,
        transactional_id: str | None = "",
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        enable_2pc: bool = False,
        keep_prepared_txn: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.enable_2pc = enable_2pc
        self.keep_prepared_txn = keep_prepared_txn


class InitProducerIdResponse(Message):
    API_KEY = 22
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 2
    __slots__ = FIELDS = (
        "throttle_time_ms",
        "error_code",
        "producer_id",
        "producer_epoch",
        "ongoing_txn_producer_id",
        "ongoing_txn_producer_epoch",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1,
        ongoing_txn_producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.ongoing_txn_producer_id = ongoing_txn_producer_id
        self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch


def _read_init_producer_id_request_v0_1(b: bytes, at: int) -> tuple[InitProducerIdRequest, int]:
    size = len(b)
    m = new(InitProducerIdRequest)
    m.producer_id = -1
    m.producer_epoch = -1
    m.enable_2pc = False
    m.keep_prepared_txn = False
    n = unpack_h(b, at)[0]
    at += 2
    if n < 0:
        m.transactional_id = None
    else:
        end = at + n
        m.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.transaction_timeout_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"InitProducerIdRequest is {at - size} bytes short")
    return m, at


def _read_init_producer_id_request_v2(b: bytes, at: int) -> tuple[InitProducerIdRequest, int]:
    size = len(b)
    m = new(InitProducerIdRequest)
    m.producer_id = -1
    m.producer_epoch = -1
    m.enable_2pc = False
    m.keep_prepared_txn = False
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id = None
    else:
        end = at + n - 1
        m.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.transaction_timeout_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"InitProducerIdRequest is {at - size} bytes short")
    return m, at


def _read_init_producer_id_request_v3_5(b: bytes, at: int) -> tuple[InitProducerIdRequest, int]:
    size = len(b)
    m = new(InitProducerIdRequest)
    m.enable_2pc = False
    m.keep_prepared_txn = False
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id = None
    else:
        end = at + n - 1
        m.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.transaction_timeout_ms, m.producer_id, m.producer_epoch, tags = unpack_iqhB(b, at)
    at += 15
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"InitProducerIdRequest is {at - size} bytes short")
    return m, at


def _read_init_producer_id_request_v6(b: bytes, at: int) -> tuple[InitProducerIdRequest, int]:
    size = len(b)
    m = new(InitProducerIdRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.transactional_id = None
    else:
        end = at + n - 1
        m.transactional_id = b[at:end].decode("utf-8", "replace")
        at = end
    m.transaction_timeout_ms, m.producer_id, m.producer_epoch, m.enable_2pc, m.keep_prepared_txn, tags = unpack_iqhttB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"InitProducerIdRequest is {at - size} bytes short")
    return m, at


def _write_init_producer_id_request_v0_1(m: InitProducerIdRequest, out: bytearray) -> None:
    if m.producer_id != -1:
        raise fault_absent("producer_id")
    if m.producer_epoch != -1:
        raise fault_absent("producer_epoch")
    if m.enable_2pc:
        raise fault_absent("enable_2pc")
    if m.keep_prepared_txn:
        raise fault_absent("keep_prepared_txn")
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    out += pack_h(-1 if transactional_id is None else len(transactional_id_bytes))
    out += transactional_id_bytes
    out += pack_i(m.transaction_timeout_ms)


def _write_init_producer_id_request_v2(m: InitProducerIdRequest, out: bytearray) -> None:
    if m.producer_id != -1:
        raise fault_absent("producer_id")
    if m.producer_epoch != -1:
        raise fault_absent("producer_epoch")
    if m.enable_2pc:
        raise fault_absent("enable_2pc")
    if m.keep_prepared_txn:
        raise fault_absent("keep_prepared_txn")
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    n = 0 if transactional_id is None else len(transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    out += pack_ix(m.transaction_timeout_ms)


def _write_init_producer_id_request_v3_5(m: InitProducerIdRequest, out: bytearray) -> None:
    if m.enable_2pc:
        raise fault_absent("enable_2pc")
    if m.keep_prepared_txn:
        raise fault_absent("keep_prepared_txn")
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    n = 0 if transactional_id is None else len(transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    out += pack_iqhx(m.transaction_timeout_ms, m.producer_id, m.producer_epoch)


def _write_init_producer_id_request_v6(m: InitProducerIdRequest, out: bytearray) -> None:
    transactional_id = m.transactional_id
    transactional_id_bytes = b"" if transactional_id is None else transactional_id.encode()
    n = 0 if transactional_id is None else len(transactional_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += transactional_id_bytes
    out += pack_iqhttx(m.transaction_timeout_ms, m.producer_id, m.producer_epoch, m.enable_2pc, m.keep_prepared_txn)


def _read_init_producer_id_response_v0_1(b: bytes, at: int) -> tuple[InitProducerIdResponse, int]:
    size = len(b)
    m = new(InitProducerIdResponse)
    m.ongoing_txn_producer_id = -1
    m.ongoing_txn_producer_epoch = -1
    m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch = unpack_ihqh(b, at)
    at += 16
    if at > size:
        raise ProtocolError(f"InitProducerIdResponse is {at - size} bytes short")
    return m, at


def _read_init_producer_id_response_v2_5(b: bytes, at: int) -> tuple[InitProducerIdResponse, int]:
    size = len(b)
    m = new(InitProducerIdResponse)
    m.ongoing_txn_producer_id = -1
    m.ongoing_txn_producer_epoch = -1
    m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, tags = unpack_ihqhB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"InitProducerIdResponse is {at - size} bytes short")
    return m, at


def _read_init_producer_id_response_v6(b: bytes, at: int) -> tuple[InitProducerIdResponse, int]:
    size = len(b)
    m = new(InitProducerIdResponse)
    m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch, tags = unpack_ihqhqhB(b, at)
    at += 27
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"InitProducerIdResponse is {at - size} bytes short")
    return m, at


def _write_init_producer_id_response_v0_1(m: InitProducerIdResponse, out: bytearray) -> None:
    if m.ongoing_txn_producer_id != -1:
        raise fault_absent("ongoing_txn_producer_id")
    if m.ongoing_txn_producer_epoch != -1:
        raise fault_absent("ongoing_txn_producer_epoch")
    out += pack_ihqh(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


def _write_init_producer_id_response_v2_5(m: InitProducerIdResponse, out: bytearray) -> None:
    if m.ongoing_txn_producer_id != -1:
        raise fault_absent("ongoing_txn_producer_id")
    if m.ongoing_txn_producer_epoch != -1:
        raise fault_absent("ongoing_txn_producer_epoch")
    out += pack_ihqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch)


def _write_init_producer_id_response_v6(m: InitProducerIdResponse, out: bytearray) -> None:
    out += pack_ihqhqhx(m.throttle_time_ms, m.error_code, m.producer_id, m.producer_epoch, m.ongoing_txn_producer_id, m.ongoing_txn_producer_epoch)


InitProducerIdRequest.READERS = {
    0: _read_init_producer_id_request_v0_1,
    1: _read_init_producer_id_request_v0_1,
    2: _read_init_producer_id_request_v2,
    3: _read_init_producer_id_request_v3_5,
    4: _read_init_producer_id_request_v3_5,
    5: _read_init_producer_id_request_v3_5,
    6: _read_init_producer_id_request_v6,
}
InitProducerIdRequest.WRITERS = {
    0: _write_init_producer_id_request_v0_1,
    1: _write_init_producer_id_request_v0_1,
    2: _write_init_producer_id_request_v2,
    3: _write_init_producer_id_request_v3_5,
    4: _write_init_producer_id_request_v3_5,
    5: _write_init_producer_id_request_v3_5,
    6: _write_init_producer_id_request_v6,
}
InitProducerIdResponse.READERS = {
    0: _read_init_producer_id_response_v0_1,
    1: _read_init_producer_id_response_v0_1,
    2: _read_init_producer_id_response_v2_5,
    3: _read_init_producer_id_response_v2_5,
    4: _read_init_producer_id_response_v2_5,
    5: _read_init_producer_id_response_v2_5,
    6: _read_init_producer_id_response_v6,
}
InitProducerIdResponse.WRITERS = {
    0: _write_init_producer_id_response_v0_1,
    1: _write_init_producer_id_response_v0_1,
    2: _write_init_producer_id_response_v2_5,
    3: _write_init_producer_id_response_v2_5,
    4: _write_init_producer_id_response_v2_5,
    5: _write_init_producer_id_response_v2_5,
    6: _write_init_producer_id_response_v6,
}
