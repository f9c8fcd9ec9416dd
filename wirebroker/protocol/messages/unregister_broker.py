"""UnregisterBroker: remove the registration of a broker from the metadata of a KRaft cluster (KIP-500).

Generated from protocol_specs/64_unregister_broker by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import new, read_long_uvarint, skip_tagged_fields

_pack_ix = Struct(">ix").pack
_unpack_ihB = Struct(">ihB").unpack_from


class UnregisterBrokerRequest(WritableMessage):
    API_KEY = 64
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    broker_id: int = 0


class UnregisterBrokerResponse(ReadableMessage):
    API_KEY = 64
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    error_code: int = 0
    error_message: str | None = ""


def _write_unregister_broker_request_v0(m: UnregisterBrokerRequest, out: bytearray, version: int) -> None:
    out += _pack_ix(m.broker_id)


UnregisterBrokerRequest.WRITERS = dict.fromkeys(range(0, 1), _write_unregister_broker_request_v0)


def _read_unregister_broker_response_v0(b: bytes, at: int, version: int) -> tuple[UnregisterBrokerResponse, int]:
    size = len(b)
    m = new(UnregisterBrokerResponse)
    m.throttle_time_ms, m.error_code, n = _unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"UnregisterBrokerResponse is {at - size} bytes short")
    return m, at


UnregisterBrokerResponse.READERS = dict.fromkeys(range(0, 1), _read_unregister_broker_response_v0)
