"""AllocateProducerIds: the controller allocates a block of producer ids to a broker (KIP-730).

Generated from protocol_specs/67_allocate_producer_ids by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, skip_tagged_fields

_pack_ihqix = Struct(">ihqix").pack
_pack_iqx = Struct(">iqx").pack
_unpack_ihqiB = Struct(">ihqiB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from


class AllocateProducerIdsRequest(ReadableMessage, WritableMessage):
    API_KEY = 67
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    broker_id: int = 0
    broker_epoch: int = -1
    """Epoch of the broker's registration (its czxid in ZooKeeper); -1 unknown."""


class AllocateProducerIdsResponse(ReadableMessage, WritableMessage):
    API_KEY = 67
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    producer_id_start: int = 0
    """First producer id of the block."""
    producer_id_len: int = 0
    """Number of producer ids in the block."""


def _read_allocate_producer_ids_request_v0(b: bytes, at: int, version: int) -> tuple[AllocateProducerIdsRequest, int]:
    size = len(b)
    m = new(AllocateProducerIdsRequest)
    m.broker_id, m.broker_epoch, tags = _unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AllocateProducerIdsRequest is {at - size} bytes short")
    return m, at


AllocateProducerIdsRequest.READERS = dict.fromkeys(range(0, 1), _read_allocate_producer_ids_request_v0)


def _write_allocate_producer_ids_request_v0(m: AllocateProducerIdsRequest, out: bytearray, version: int) -> None:
    out += _pack_iqx(m.broker_id, m.broker_epoch)


AllocateProducerIdsRequest.WRITERS = dict.fromkeys(range(0, 1), _write_allocate_producer_ids_request_v0)


def _read_allocate_producer_ids_response_v0(b: bytes, at: int, version: int) -> tuple[AllocateProducerIdsResponse, int]:
    size = len(b)
    m = new(AllocateProducerIdsResponse)
    m.throttle_time_ms, m.error_code, m.producer_id_start, m.producer_id_len, tags = _unpack_ihqiB(b, at)
    at += 19
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AllocateProducerIdsResponse is {at - size} bytes short")
    return m, at


AllocateProducerIdsResponse.READERS = dict.fromkeys(range(0, 1), _read_allocate_producer_ids_response_v0)


def _write_allocate_producer_ids_response_v0(m: AllocateProducerIdsResponse, out: bytearray, version: int) -> None:
    out += _pack_ihqix(m.throttle_time_ms, m.error_code, m.producer_id_start, m.producer_id_len)


AllocateProducerIdsResponse.WRITERS = dict.fromkeys(range(0, 1), _write_allocate_producer_ids_response_v0)
