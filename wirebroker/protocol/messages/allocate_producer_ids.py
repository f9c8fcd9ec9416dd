"""AllocateProducerIds: a broker gets a block of producer ids from the controller (KIP-730).

Generated from protocol_specs/67_allocate_producer_ids by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Message
from wirebroker.protocol.primitives import skip_tags

new = object.__new__
pack_ihqix = Struct(">ihqix").pack
pack_iqx = Struct(">iqx").pack
unpack_ihqiB = Struct(">ihqiB").unpack_from
unpack_iqB = Struct(">iqB").unpack_from


class AllocateProducerIdsRequest(Message):
    API_KEY = 67
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("broker_id", "broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


class AllocateProducerIdsResponse(Message):
    API_KEY = 67
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "producer_id_start", "producer_id_len")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id_start: int = 0,
        producer_id_len: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len


def _read_allocate_producer_ids_request_v0(b: bytes, at: int) -> tuple[AllocateProducerIdsRequest, int]:
    size = len(b)
    m = new(AllocateProducerIdsRequest)
    m.broker_id, m.broker_epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AllocateProducerIdsRequest is {at - size} bytes short")
    return m, at


def _write_allocate_producer_ids_request_v0(m: AllocateProducerIdsRequest, out: bytearray) -> None:
    out += pack_iqx(m.broker_id, m.broker_epoch)


def _read_allocate_producer_ids_response_v0(b: bytes, at: int) -> tuple[AllocateProducerIdsResponse, int]:
    size = len(b)
    m = new(AllocateProducerIdsResponse)
    m.throttle_time_ms, m.error_code, m.producer_id_start, m.producer_id_len, tags = unpack_ihqiB(b, at)
    at += 19
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AllocateProducerIdsResponse is {at - size} bytes short")
    return m, at


def _write_allocate_producer_ids_response_v0(m: AllocateProducerIdsResponse, out: bytearray) -> None:
    out += pack_ihqix(m.throttle_time_ms, m.error_code, m.producer_id_start, m.producer_id_len)


AllocateProducerIdsRequest.READERS = {
    0: _read_allocate_producer_ids_request_v0,
}
AllocateProducerIdsRequest.WRITERS = {
    0: _write_allocate_producer_ids_request_v0,
}
AllocateProducerIdsResponse.READERS = {
    0: _read_allocate_producer_ids_response_v0,
}
AllocateProducerIdsResponse.WRITERS = {
    0: _write_allocate_producer_ids_response_v0,
}
