"""The fast path of Fetch: requests that differ from an earlier one in nothing but fetch offsets.

A follower that keeps up sends the same few requests of its session (KIP-227) again and again, but for the correlation
id, the session epoch and the fetch offsets; so does a consumer without a session, such as librdkafka.  `remember` notes
the other bytes when the general path serves such a request; `serve_known_fetch` recognises them in the next ones, and
KnownFetch (of followers) or KnownConsumerFetch serves these without decoding, fetch contexts and response classes.
Bytes are decoded to the same fields each time, so nothing that is kept here can be outdated: session, partitions,
leader epochs and limits are looked up for each request.

All requests that are unusual in any way are left to the general path with nothing changed: another session epoch, a
partition that is not led in the request's epoch, a diverging epoch, an offset outside of the log, throttles, quotas.
So there are no errors here.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, Final

from wirebroker.handlers import single_partition_fetch
from wirebroker.handlers.known_consumer_fetch import KnownConsumerFetch
from wirebroker.handlers.known_fetch import KnownFetch
from wirebroker.model import READ_COMMITTED, READ_UNCOMMITTED
from wirebroker.protocol.headers import read_request_header

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute
    from wirebroker.metrics.request_metrics import RequestCounter
    from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest
    from wirebroker.protocol.primitives import WireBuffer

MAX_KNOWN: Final = 64
"""When so many are known on a connection, all are forgotten."""
MAX_PARTITIONS: Final = 8
"""Partitions in a request of a follower that is remembered."""
MAX_CONSUMER_PARTITIONS: Final = 32
_MAX_BYTES: Final = 2048
_FIRST_VERSION: Final = 12
"""The first version with tagged fields, and with diverging epochs."""
_FIRST_CONSUMER_VERSION: Final = 4
"""The first version with batches of format 2."""
_REPLICA_STATE_SINCE: Final = 15
_CONSUMER: Final = -1
_SESSIONLESS: Final = (0, -1)
"""Session id and epoch."""
_LOWEST: Final = (0, 0)
_HIGHEST: Final = (0x7FFFFFFF, 0x7FFFFFFFFFFFFFFF)
"""Values of session epoch and fetch offsets that differ in every byte."""
_EPOCH_BYTES: Final = 4
_OFFSET_BYTES: Final = 8
_HEAD_BYTES: Final = 8
"""API key, version and correlation id."""


class KnownFetches:
    """The requests of one connection that the fast path serves."""

    __slots__ = ("allowance", "by_constants", "unpackers")

    def __init__(self) -> None:
        self.unpackers: dict[int, Callable[[memoryview], tuple[Any, ...]]] = {}
        """Size of a frame -> unpacks it: constant bytes in even places, correlation id, epoch, offsets in odd ones."""
        self.by_constants: dict[tuple[bytes, ...], KnownFetch | KnownConsumerFetch] = {}
        self.allowance = MAX_KNOWN
        """How many more requests are remembered: one for each that was served.  To remember one takes 100 us, which
        is lost if a consumer of many partitions names other ones in every request."""

    def serve_consumer(self, frame: memoryview, context: RequestContext, out: WireBuffer) -> BoundRoute | None:
        """Serve a known request of a consumer as `serve_known_fetch`, behind other requests, too; it never waits."""
        unpack = self.unpackers.get(len(frame))
        if unpack is None:
            return None
        parts = unpack(frame)
        fetch = self.by_constants.get(parts[::2])
        if not isinstance(fetch, KnownConsumerFetch):
            return None
        context.request_bytes = len(frame)
        served = fetch.serve(context, parts[1::2], out)
        if served is not None and self.allowance < MAX_KNOWN:
            self.allowance += 1
        return served


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
    served = fetch.serve(context, parts[1::2], out)
    if served is not None and known.allowance < MAX_KNOWN:
        known.allowance += 1
    return served


def remember(context: RequestContext, frame: memoryview, request: FetchRequest) -> None:
    """Have the fast path serve requests like *request*, which *frame* was decoded to, if it takes such requests."""
    version = context.version
    if version < _FIRST_CONSUMER_VERSION or len(frame) > _MAX_BYTES:
        return
    replica_id = request.replica_id if version < _REPLICA_STATE_SINCE else request.replica_state.replica_id
    if replica_id == _CONSUMER:
        is_taken = _is_of_consumer(request)
    else:
        is_taken = version >= _FIRST_VERSION and replica_id >= 0 and _is_of_follower(request)
    if not is_taken:
        return
    known = context.known_fetches
    if known is None:
        known = context.known_fetches = KnownFetches()
    unpack = known.unpackers.get(len(frame))
    if unpack is not None and unpack(frame)[::2] in known.by_constants:
        context.serve_known = serve_known_fetch
        return
    if not known.allowance:
        return
    known.allowance -= 1
    unpack = _unpacker(frame, request, version)
    route = context.routes.find(context.api_key, version)
    if unpack is None or route is None:
        return
    if len(known.by_constants) >= MAX_KNOWN:
        known.by_constants.clear()
        known.unpackers.clear()
    known.unpackers[len(frame)] = unpack
    if replica_id == _CONSUMER:
        fetch: KnownFetch | KnownConsumerFetch = KnownConsumerFetch(route, version, context.client_id, request)
    else:
        is_single = len(request.topics[0].partitions) == 1 and version >= single_partition_fetch.FIRST_VERSION
        kind = single_partition_fetch.SinglePartitionFetch if is_single else KnownFetch
        fetch = kind(route, version, replica_id, context.client_id, request)
    known.by_constants[unpack(frame)[::2]] = fetch
    context.serve_known = serve_known_fetch


def _is_of_follower(request: FetchRequest) -> bool:
    """Return whether *request* is one of a follower that KnownFetch serves."""
    if len(request.topics) != 1:
        return False
    (topic,) = request.topics
    return (
        request.session_epoch > 0
        and not request.forgotten_topics_data
        and request.isolation_level == READ_UNCOMMITTED
        and request.min_bytes <= 1
        and request.max_wait_ms > 0
        and 0 < len({each.partition for each in topic.partitions}) == len(topic.partitions) <= MAX_PARTITIONS
    )


def _is_of_consumer(request: FetchRequest) -> bool:
    """Return whether *request* is one of a consumer that KnownConsumerFetch serves."""
    named = [(topic.topic, topic.topic_id, each.partition) for topic in request.topics for each in topic.partitions]
    return (
        (request.session_id, request.session_epoch) == _SESSIONLESS
        and not request.forgotten_topics_data
        and request.isolation_level in (READ_UNCOMMITTED, READ_COMMITTED)
        and 0 < len(set(named)) == len(named) <= MAX_CONSUMER_PARTITIONS
        and all(topic.partitions for topic in request.topics)
        and all(each.last_fetched_epoch < 0 for topic in request.topics for each in topic.partitions)
    )


def _unpacker(frame: memoryview, request: FetchRequest, version: int) -> Callable[[memoryview], tuple[Any, ...]] | None:
    """Return the function that unpacks *frame*; None if it is encoded in another way than this broker does."""
    *_, at = read_request_header(frame)
    partitions = [each for topic in request.topics for each in topic.partitions]
    actual = (request.session_epoch, [each.fetch_offset for each in partitions])
    (low_epoch, low), (high_epoch, high) = _LOWEST, _HIGHEST
    if request.session_epoch < 0:  # which is the same in all requests without a session
        low_epoch = high_epoch = request.session_epoch
    count, epoch_bytes = len(partitions), _EPOCH_BYTES if low_epoch != high_epoch else 0
    encoded = _encode(request, partitions, version, *actual)
    lowest = _encode(request, partitions, version, low_epoch, [low] * count)
    highest = _encode(request, partitions, version, high_epoch, [high] * count)
    request.session_epoch = actual[0]
    for each, offset in zip(partitions, actual[1], strict=True):
        each.fetch_offset = offset
    changing = [at + place for place, (one, other) in enumerate(zip(lowest, highest, strict=True)) if one != other]
    if frame[at:] != encoded or len(changing) != epoch_bytes + _OFFSET_BYTES * count:
        return None
    format_, end = ">4si", _HEAD_BYTES
    if epoch_bytes:
        format_, end = f"{format_}{changing[0] - end}si", changing[0] + epoch_bytes
    for offset_at in changing[epoch_bytes::_OFFSET_BYTES]:
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
