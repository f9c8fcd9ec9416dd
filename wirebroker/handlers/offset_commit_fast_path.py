"""The fast path of OffsetCommit: requests that differ from an earlier one in nothing but offsets and their metadata.

A consumer that commits often sends the same request again and again, but for the correlation id, the offsets, their
leader epochs and the contents of the metadata.  `remember` notes the other bytes, and keeps the decoded request;
`KnownOffsetCommits.serve` recognises them in the next ones, writes what differs into the request that is kept, and
hands that to the coordinator: what happens to it is decided where it always is.  Nothing is decoded, there is no task,
and the bytes of a response without an error are known.

A request is remembered if one like it came within FREQUENT_S before: consumers that commit every few seconds would
keep memory for nothing.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from wirebroker.coordinator.delayed_request import DelayedRequest
from wirebroker.handlers.group_offsets import commit_error
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.primitives import WireBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.shard_context import ShardContext
    from wirebroker.coordinator.turn import PendingResponse
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute
    from wirebroker.protocol.messages.offset_commit import (
        OffsetCommitRequest,
        OffsetCommitRequestPartition,
        OffsetCommitResponse,
    )
    from wirebroker.timer.timer import Timer

MAX_KNOWN: Final = 16
"""When so many are known on a connection, all are forgotten."""
MAX_PARTITIONS: Final = 64
"""Partitions in a request that is remembered."""
FREQUENT_S: Final = 1.0
_MAX_FRAME_BYTES: Final = 4096
_VERSIONS: Final = range(2, 10)
"""Versions with a member, without a timestamp for each offset, and with names of topics."""
_LEADER_EPOCH_SINCE: Final = 6
_HEAD: Final = Struct(">ii")
_HEAD_BYTES: Final = 8
"""API key, version and correlation id."""
_LOWEST: Final = (0, 0, "\0")
_HIGHEST: Final = (0x7FFFFFFFFFFFFFFF, 0x7FFFFFFF, "\x7f")
"""Offset, leader epoch and character of metadata, which differ in every byte."""


class KnownOffsetCommits:
    """The requests of one connection that the fast path serves."""

    __slots__ = ("by_constants", "last_shape", "last_shape_s", "unpackers")

    def __init__(self) -> None:
        self.unpackers: dict[int, Callable[[memoryview], tuple[Any, ...]]] = {}
        """Size of a frame -> unpacks it: constant bytes in even places, the others in odd ones."""
        self.by_constants: dict[tuple[bytes, ...], KnownOffsetCommit] = {}
        self.last_shape = 0
        """The hash of what was constant in the last request that was not known."""
        self.last_shape_s = 0.0
        """When that came."""

    def serve(
        self, frame: memoryview, context: RequestContext, out: WireBuffer
    ) -> BoundRoute | KnownDelayedCommit | None:
        """Commit the offsets of a request that is known, put the response into *out*, and return the route.

        Returns the response, with nothing in *out*, if it waits for replicas; None, with nothing changed, if the
        general path has to serve the request.
        """
        unpack = self.unpackers.get(len(frame))
        if unpack is None:
            return None
        parts = unpack(frame)
        commit = self.by_constants.get(parts[::2])
        return None if commit is None else commit.serve(context, parts[1::2], len(frame), out)


class KnownOffsetCommit:
    """The requests with the same constant bytes: `serve` serves one."""

    __slots__ = ("_attributes", "_client_id", "_good_response", "_request", "_version", "route")

    def __init__(self, route: BoundRoute, version: int, client_id: str | None, request: OffsetCommitRequest) -> None:
        """*request* is one of those that are served, and is changed into each of them."""
        self.route, self._version, self._client_id, self._request = route, version, client_id, request
        self._attributes = _attributes(request, version)
        self._good_response = b""
        """The bytes of a response without errors, behind its correlation id; empty as long as there was none."""

    def serve(
        self, context: RequestContext, fields: tuple[Any, ...], size_bytes: int, out: WireBuffer
    ) -> BoundRoute | KnownDelayedCommit | None:
        """Serve the request with *fields*, correlation id and attributes, as `KnownOffsetCommits.serve`."""
        services, is_settled = context.services, context.routes.is_settled
        if is_settled is not None and not is_settled():
            return None
        correlation_id, *values = fields
        for (partition, name), value in zip(self._attributes, values, strict=True):
            if type(value) is bytes:
                try:
                    value = value.decode()
                except UnicodeDecodeError:
                    return None
            setattr(partition, name, value)
        # from here on the request is served
        context.api_key, context.version, context.client_id = self.route.api_key, self._version, self._client_id
        context.request_bytes = size_bytes
        request = self._request

        def new_delayed(shard: ShardContext, pending: PendingResponse, timer: Timer) -> KnownDelayedCommit:
            return KnownDelayedCommit(shard, pending, timer, self, correlation_id, context)

        response: OffsetCommitResponse | KnownDelayedCommit
        try:
            response = services.groups.request_or_delay(request.group_id, request, context, new_delayed)
        except ApiError as fault:
            response = commit_error(context, request, fault.code)
        if isinstance(response, KnownDelayedCommit):
            return response
        self.encode(response, correlation_id, out)
        return self.route

    def encode(self, response: OffsetCommitResponse, correlation_id: int, out: WireBuffer) -> None:
        """Append *response* to *out*, and count its errors."""
        good, has_errors = self._good_response, _has_errors(response)
        if good and not has_errors:
            out += _HEAD.pack(_HEAD_BYTES - 4 + len(good), correlation_id)
            out += good
            return
        route, version = self.route, self._version
        encoded = bytearray(version >= route.flexible_from)  # the tagged fields of the header
        route.writers[version](response, encoded, version)
        out += _HEAD.pack(_HEAD_BYTES - 4 + len(encoded), correlation_id)
        out += encoded
        if not has_errors:
            self._good_response = bytes(encoded)
        elif route.error_counter is not None:
            route.error_counter(response, route.metrics.errors)

    def error(self, context: RequestContext, fault: ApiError) -> OffsetCommitResponse:
        """Return the response to a request that failed with *fault*."""
        return commit_error(context, self._request, fault.code)


class KnownDelayedCommit(DelayedRequest):
    """A request of the fast path that waits for the in-sync replicas, and its response."""

    __slots__ = (
        "_correlation_id",
        "_known",
        "_request_context",
        "_size_bytes",
        "after",
        "handled_at",
        "requests",
        "started_at",
    )

    def __init__(
        self,
        shard: ShardContext,
        pending: PendingResponse,
        timer: Timer,
        known: KnownOffsetCommit,
        correlation_id: int,
        context: RequestContext,
    ) -> None:
        """Wait for *pending*, as a DelayedRequest does, to answer a request that is *known*."""
        super().__init__(shard, pending, timer)
        self._known, self._correlation_id = known, correlation_id
        self._request_context, self._size_bytes = context, context.request_bytes
        self.after = WireBuffer()
        """The responses of the connection's next requests, which leave after this one."""
        self.requests = 1
        """The number of requests that are answered with this response and *after*."""
        self.started_at = self.handled_at = perf_counter()
        """When the request had come, which the connection knows, and when it was written."""

    @property
    def operation(self) -> KnownDelayedCommit:
        """The operation that the response waits for: the same object."""
        return self

    @property
    def route(self) -> BoundRoute:
        """The route of the request."""
        return self._known.route

    def encode(self, out: WireBuffer) -> None:
        """Append the response to *out*, and count the request."""
        known = self._known
        try:
            response: OffsetCommitResponse = self._pending.outcome()
        except ApiError as fault:
            response = known.error(self._request_context, fault)
        known.encode(response, self._correlation_id, out)
        counter = known.route
        counter.left = left = counter.left - 1
        if not left and (metrics := counter.restart(now := perf_counter())) is not None:
            metrics.record(now - self.started_at, 0.0, now - self.handled_at, 0.0, 0, self._size_bytes)


def _has_errors(response: OffsetCommitResponse) -> bool:
    for topic in response.topics:
        for partition in topic.partitions:
            if partition.error_code:
                return True
    return False


def remember(context: RequestContext, frame: memoryview, request: OffsetCommitRequest) -> None:
    """Have the fast path serve requests like *request*, which *frame* was decoded to, if it takes such requests."""
    version = context.version
    if version not in _VERSIONS or len(frame) > _MAX_FRAME_BYTES or not context.holds_responses:
        return
    partitions = [(topic.name, each.partition_index) for topic in request.topics for each in topic.partitions]
    if not 0 < len(set(partitions)) == len(partitions) <= MAX_PARTITIONS:
        return
    if len({topic.name for topic in request.topics if topic.partitions}) != len(request.topics):
        return
    known = context.known_commits
    if known is None:
        known = context.known_commits = KnownOffsetCommits()
    member = request.group_id, request.generation_id_or_member_epoch, request.member_id, request.group_instance_id
    shape, before = hash((len(frame), version, *member, *partitions)), (known.last_shape, known.last_shape_s)
    known.last_shape, known.last_shape_s = shape, perf_counter()
    if before[0] != shape or known.last_shape_s - before[1] > FREQUENT_S:
        return
    route = context.routes.find(context.api_key, version)
    unpack = _unpacker(frame, request, version)
    if unpack is None or route is None:
        return
    if len(known.by_constants) >= MAX_KNOWN:
        known.by_constants.clear()
        known.unpackers.clear()
    known.unpackers[len(frame)] = unpack
    known.by_constants[unpack(frame)[::2]] = KnownOffsetCommit(route, version, context.client_id, request)
    context.serve_known = known.serve


def _attributes(request: OffsetCommitRequest, version: int) -> list[tuple[OffsetCommitRequestPartition, str]]:
    """Return the attributes of *request* that differ from request to request, in the order of their bytes."""
    found: list[tuple[OffsetCommitRequestPartition, str]] = []
    for topic in request.topics:
        for partition in topic.partitions:
            found.append((partition, "committed_offset"))
            if version >= _LEADER_EPOCH_SINCE:
                found.append((partition, "committed_leader_epoch"))
            if partition.committed_metadata:
                found.append((partition, "committed_metadata"))
    return found


def _unpacker(
    frame: memoryview, request: OffsetCommitRequest, version: int
) -> Callable[[memoryview], tuple[Any, ...]] | None:
    """Return the function that unpacks *frame*; None if it is encoded in another way than this broker does."""
    *_, at = read_request_header(frame)
    attributes = _attributes(request, version)
    actual = [getattr(*each) for each in attributes]
    sizes = [_format(value, name)[0] for (_, name), value in zip(attributes, actual, strict=True)]
    encoded = _encode(request, version)
    lowest, highest = (_encode_with(request, version, attributes, sizes, values) for values in (_LOWEST, _HIGHEST))
    for (partition, name), value in zip(attributes, actual, strict=True):
        setattr(partition, name, value)
    changing = [at + place for place, (one, other) in enumerate(zip(lowest, highest, strict=True)) if one != other]
    if frame[at:] != encoded or len(changing) != sum(sizes):
        return None
    format_, end, place = ">4si", _HEAD_BYTES, 0
    for (_, name), value in zip(attributes, actual, strict=True):
        size, code = _format(value, name)
        begins = changing[place]
        if begins < end or changing[place + size - 1] != begins + size - 1:
            return None
        format_, end, place = f"{format_}{begins - end}s{code}", begins + size, place + size
    try:
        return Struct(f"{format_}{len(frame) - end}s").unpack
    except StructError:
        return None


def _format(value: Any, name: str) -> tuple[int, str]:
    """Return the size of an attribute in bytes, and its format."""
    if name == "committed_metadata":
        size = len(value.encode())
        return size, f"{size}s"
    return (8, "q") if name == "committed_offset" else (4, "i")


def _encode_with(
    request: OffsetCommitRequest,
    version: int,
    attributes: list[tuple[OffsetCommitRequestPartition, str]],
    sizes: list[int],
    values: tuple[int, int, str],
) -> bytearray:
    offset, leader_epoch, character = values
    for (partition, name), size in zip(attributes, sizes, strict=True):
        if name == "committed_metadata":
            partition.committed_metadata = character * size
        else:
            setattr(partition, name, offset if name == "committed_offset" else leader_epoch)
    return _encode(request, version)


def _encode(request: OffsetCommitRequest, version: int) -> bytearray:
    out = bytearray()
    request.write(out, version)
    return out
