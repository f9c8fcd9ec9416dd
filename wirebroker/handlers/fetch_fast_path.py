"""The fast path of Fetch: requests of a follower that differ from an earlier one in nothing but fetch offsets.

A follower that keeps up sends the same few requests of its session (KIP-227) again and again, but for the correlation
id, the session epoch and the fetch offsets.  `remember` notes the other bytes when the general path serves such a
request; `serve_known_fetch` recognises them in the next ones, and KnownFetch serves these without decoding, fetch
contexts and response classes.  Bytes are decoded to the same fields each time, so nothing that is kept here can be
outdated: session, partitions, leader epochs and limits are looked up for each request.

All requests that are unusual in any way are left to the general path with nothing changed: another session epoch, a
partition that is not led in the follower's epoch, a diverging epoch, an offset outside of the log, throttles, quotas.
So there are no errors here.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, Final

from wirebroker.handlers.known_fetch import KnownFetch
from wirebroker.model import READ_UNCOMMITTED
from wirebroker.protocol.headers import read_request_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.metrics.request_metrics import RequestCounter
    from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest
    from wirebroker.protocol.primitives import WireBuffer

MAX_KNOWN: Final = 64
"""When so many are known on a connection, all are forgotten."""
MAX_PARTITIONS: Final = 8
"""Partitions in a request that is remembered."""
_MAX_BYTES: Final = 1024
_FIRST_VERSION: Final = 12
"""The first version with tagged fields, and with diverging epochs."""
_REPLICA_STATE_SINCE: Final = 15
_LOWEST: Final = (0, 0)
_HIGHEST: Final = (0x7FFFFFFF, 0x7FFFFFFFFFFFFFFF)
"""Values of session epoch and fetch offsets that differ in every byte."""
_EPOCH_BYTES: Final = 4
_OFFSET_BYTES: Final = 8
_HEAD_BYTES: Final = 8
"""API key, version and correlation id."""


class KnownFetches:
    """The requests of one connection that the fast path serves."""

    __slots__ = ("by_constants", "unpackers")

    def __init__(self) -> None:
        self.unpackers: dict[int, Callable[[memoryview], tuple[Any, ...]]] = {}
        """Size of a frame -> unpacks it: constant bytes in even places, correlation id, epoch, offsets in odd ones."""
        self.by_constants: dict[tuple[bytes, ...], KnownFetch] = {}


def serve_known_fetch(
    frame: memoryview, context: RequestContext, out: WireBuffer
) -> RequestCounter | KnownFetch | None:
    """Serve a request that is known: put the response into *out*, and return the counter of such requests.

    Returns the response, with nothing in *out*, if it waits for records; None, with nothing changed, if the general
    path has to serve the request.
    """
    known = context.known_fetches
    unpack = None if known is None else known.unpackers.get(len(frame))
    if unpack is None or known is None:
        return None
    parts = unpack(frame)
    fetch = known.by_constants.get(parts[::2])
    if fetch is None:
        return None
    context.request_bytes = len(frame)
    return fetch.serve(context, parts[1::2], out)


def remember(context: RequestContext, frame: memoryview, request: FetchRequest) -> None:
    """Have the fast path serve requests like *request*, which *frame* was decoded to, if it takes such requests."""
    version = context.version
    if not version >= _FIRST_VERSION or len(frame) > _MAX_BYTES or len(request.topics) != 1:
        return
    replica_id = request.replica_id if version < _REPLICA_STATE_SINCE else request.replica_state.replica_id
    (topic,) = request.topics
    if (
        replica_id < 0
        or request.session_epoch <= 0
        or request.forgotten_topics_data
        or request.isolation_level != READ_UNCOMMITTED
        or request.min_bytes > 1
        or request.max_wait_ms <= 0
        or not 0 < len({each.partition for each in topic.partitions}) == len(topic.partitions) <= MAX_PARTITIONS
    ):
        return
    known = context.known_fetches
    if known is None:
        known = context.known_fetches = KnownFetches()
    unpack = known.unpackers.get(len(frame))
    if unpack is not None and unpack(frame)[::2] in known.by_constants:
        context.serve_known = serve_known_fetch
        return
    unpack = _unpacker(frame, request, topic.partitions, version)
    route = context.routes.find(context.api_key, version)
    if unpack is None or route is None:
        return
    if len(known.by_constants) >= MAX_KNOWN:
        known.by_constants.clear()
        known.unpackers.clear()
    known.unpackers[len(frame)] = unpack
    known.by_constants[unpack(frame)[::2]] = KnownFetch(route, version, replica_id, context.client_id, request)
    context.serve_known = serve_known_fetch


def _unpacker(
    frame: memoryview, request: FetchRequest, partitions: list[FetchPartition], version: int
) -> Callable[[memoryview], tuple[Any, ...]] | None:
    """Return the function that unpacks *frame*; None if it is encoded in another way than this broker does."""
    *_, at = read_request_header(frame)
    actual = (request.session_epoch, [each.fetch_offset for each in partitions])
    encoded = _encode(request, partitions, version, *actual)
    (low_epoch, low), (high_epoch, high) = _LOWEST, _HIGHEST
    count = len(partitions)
    lowest = _encode(request, partitions, version, low_epoch, [low] * count)
    highest = _encode(request, partitions, version, high_epoch, [high] * count)
    request.session_epoch = actual[0]
    for each, offset in zip(partitions, actual[1], strict=True):
        each.fetch_offset = offset
    changing = [at + place for place, (one, other) in enumerate(zip(lowest, highest, strict=True)) if one != other]
    if frame[at:] != encoded or len(changing) != _EPOCH_BYTES + _OFFSET_BYTES * count:
        return None
    epoch_at, *offsets_at = changing[0], *changing[_EPOCH_BYTES::_OFFSET_BYTES]
    format_, end = f">4si{epoch_at - _HEAD_BYTES}si", epoch_at + _EPOCH_BYTES
    for offset_at in offsets_at:
        format_, end = f"{format_}{offset_at - end}sq", offset_at + _OFFSET_BYTES
    try:
        return Struct(f"{format_}{len(frame) - end}s").unpack
    except StructError:  # the fields are in another order
        return None


def _encode(
    request: FetchRequest, partitions: list[FetchPartition], version: int, epoch: int, offsets: list[int]
) -> bytearray:
    request.session_epoch = epoch
    for each, offset in zip(partitions, offsets, strict=True):
        each.fetch_offset = offset
    out = bytearray()
    request.write(out, version)
    return out
