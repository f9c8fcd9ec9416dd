"""The fast path of Produce: requests of one batch that differ from an earlier one in nothing but their records.

A producer sends the same bytes again and again, but for the correlation id and the batch.  `remember` notes what the
bytes before the batch mean, after the general path (`server/dispatch.py`, `produce.py`) has served such a request;
`serve_known_produce` serves the next ones without decoding, coroutines and response classes, which cost more than all
the rest for a batch of one record, and a twentieth of the rest for one of 1 MB.  Bytes are decoded to the same fields
each time, so nothing that is kept here can be outdated: the partition, its leader and its rules are looked up for each
request.

The fast path takes requests that are written without waiting.  All others are left to the general path with nothing
changed, whatever the reason: a partition that is not led, an invalid batch, a duplicate, a slow disk, a segment to be
rolled, too few replicas in sync, a quota.  So there are no errors here, but those of a wait for replicas: with acks=all
and more than one in-sync replica a KnownDelayedProduce holds the response.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from struct import error as StructError
from time import perf_counter
from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.model import INTERNAL_TOPICS
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.headers import read_request_header
from wirebroker.protocol.primitives import ZERO_UUID, WireBuffer
from wirebroker.replication.delayed_operation import DelayedOperation
from wirebroker.replication.errors import PartitionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute, RouteTable
    from wirebroker.protocol.messages.produce import ProduceRequest, ProduceResponse
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log import AppendResult

RECEIVED_AT_ONCE_BYTES: Final = 16 << 10
"""Requests of up to this size probably come in one receive, into the buffer that connections share
(`Connection.serve_known`)."""
MAX_KNOWN: Final = 4096
"""When so many are known, all are forgotten."""
_MAX_HEAD_BYTES: Final = 512
_VERSIONS: Final = range(3, 13)
"""Versions with one batch of format 2 for each partition, and with names of topics."""
_FLEXIBLE_SINCE: Final = 9
_LOG_START_OFFSET_SINCE: Final = 5
_ZSTD_SINCE: Final = 7
_STORAGE_ERROR_SINCE: Final = 4
_HEAD: Final = Struct(">ii")
_NO_TAGS: Final = b"\0\0\0"  # of the partition, the topic and the request
_SENTINEL: Final = -2  # bytes that are in no text


class KnownProduce:
    """The meaning of the bytes of a Produce request before its batch, and its response.

    Attributes:
        route: The route of the request.
        api_key_and_version: Both as one number, as they are in the frame.
        client_id: From the request, as are version, acks and topic_partition.
        is_flexible: Whether the version is flexible; the size of the batch is a varint then.
        timeout_ms: For how long replicas are waited for.
        zstd_allowed: Whether a batch may be compressed with zstd.
        has_log_start: Whether the response has the log start offset.
        before: The bytes of the response between the correlation id and the offsets.
        after: Those behind the offsets.
        response_bytes: The size of the response.
        pack: Packs it: size, correlation id, *before*, offsets, *after*.
    """

    __slots__ = (
        "acks",
        "after",
        "api_key_and_version",
        "before",
        "client_id",
        "has_log_start",
        "is_flexible",
        "pack",
        "response_bytes",
        "route",
        "timeout_ms",
        "topic_partition",
        "version",
        "zstd_allowed",
    )

    def __init__(self, route: BoundRoute, version: int, client_id: str | None, request: ProduceRequest) -> None:
        """*request* has one partition, whose records do not count."""
        (topic,) = request.topic_data
        (data,) = topic.partition_data
        self.route, self.version, self.client_id = route, version, client_id
        self.api_key_and_version = route.api_key << 16 | version
        self.acks, self.timeout_ms, self.zstd_allowed = request.acks, request.timeout_ms, version >= _ZSTD_SINCE
        self.topic_partition = topic.name, data.index
        self.is_flexible = version >= _FLEXIBLE_SINCE
        self.has_log_start = version >= _LOG_START_OFFSET_SINCE
        log_start_offset = _SENTINEL if self.has_log_start else -1
        response = _response(self.topic_partition, 0, _SENTINEL, _SENTINEL, log_start_offset)
        out = bytearray(version >= route.flexible_from)  # the tagged fields of the header
        route.writers[version](response, out, version)
        offsets = "qqq" if self.has_log_start else "qq"
        self.before, self.after = bytes(out).split(Struct(f">{offsets}").pack(*[_SENTINEL] * len(offsets)))
        self.response_bytes = 4 + len(out)
        self.pack = Struct(f">ii{len(self.before)}s{offsets}{len(self.after)}s").pack

    def encode(self, correlation_id: int, result: AppendResult) -> bytes:
        """Return the response to a request whose batch was appended with *result*."""
        if self.has_log_start:
            return self.pack(
                self.response_bytes,
                correlation_id,
                self.before,
                result.base_offset,
                result.log_append_time,
                result.log_start_offset,
                self.after,
            )
        return self.pack(
            self.response_bytes, correlation_id, self.before, result.base_offset, result.log_append_time, self.after
        )


class KnownDelayedProduce(DelayedOperation):
    """A request of the fast path that waits for the in-sync replicas, and its response (see DelayedProduce)."""

    __slots__ = (
        "_code",
        "_correlation_id",
        "_find",
        "_known",
        "_partition",
        "_required_offset",
        "_result",
        "_served",
        "_size_bytes",
        "after",
        "handled_at",
        "requests",
        "started_at",
    )

    def __init__(
        self,
        known: KnownProduce,
        correlation_id: int,
        partition: Partition,
        result: AppendResult,
        size_bytes: int,
        replicas: ReplicaManager,
    ) -> None:
        """Wait for the batch of *result*, which was appended to *partition* of *replicas*.

        *size_bytes* is the size of the request.
        """
        super().__init__()
        self.after = WireBuffer()
        """The responses of the connection's next requests, which leave after this one."""
        self.requests = 1
        """The number of requests that are answered with this response and *after*."""
        self.started_at = self.handled_at = perf_counter()
        """When the request had come, which the connection knows, and when it was written."""
        self._known, self._correlation_id, self._result, self._size_bytes = known, correlation_id, result, size_bytes
        self._partition, self._served, self._find = partition, replicas.served, replicas.get
        self._required_offset = result.last_offset + 1
        self._code: ErrorCode | None = None
        """The code of the response; None until that is decided."""

    @property
    def operation(self) -> KnownDelayedProduce:
        """The operation that the response waits for: the same object."""
        return self

    @property
    def route(self) -> BoundRoute:
        """The route of the request."""
        return self._known.route

    def partition_changed(self) -> None:
        """Look at the partition, which has removed this listener; listen to it again if nothing is decided."""
        if not self.try_complete():
            self._partition.listeners.add(self)

    def try_complete(self) -> bool:
        """Complete the request if the replicas have the records, or this broker does not lead the partition."""
        if self.is_completed:
            return True
        partition = self._partition
        if self._served(partition.topic_partition) is partition:
            has_enough, code = partition.check_enough_replicas_reach_offset(self._required_offset)
        else:
            has_enough, code = False, self._code_of_other()
        if code is ErrorCode.NONE and not has_enough:
            return False
        self._code = code
        return self.force_complete()

    def _code_of_other(self) -> ErrorCode:
        """Return the code of a request whose partition is not the one that is served under that topic and number."""
        try:
            self._find(*self._partition.topic_partition)
        except PartitionError as error:
            return error.code
        return ErrorCode.NOT_LEADER_OR_FOLLOWER

    def watch(self) -> None:
        """Listen to the partition."""
        self._partition.listeners.add(self)

    @property
    def watched(self) -> int:
        """0: a completed request listens to no partition."""
        return 0

    def stop_watching(self) -> None:
        """Listen to the partition no more."""
        self._partition.listeners.discard(self)

    def _end(self) -> None:
        self.is_completed = True
        self._partition.listeners.discard(self)
        purgatory = self._purgatory
        if purgatory is not None:  # there is nothing to purge
            purgatory.timer.cancel(self)
            purgatory.forget(self)

    def on_complete(self) -> None:
        """Have the response sent; its code is REQUEST_TIMED_OUT if nothing was decided."""
        if self._code is None:
            self._code = ErrorCode.REQUEST_TIMED_OUT
        if self.on_response is not None:
            self.on_response()

    def encode(self, out: WireBuffer) -> None:
        """Append the response to *out*, and count the request."""
        known = self._known
        if self._code is ErrorCode.NONE:
            out += known.encode(self._correlation_id, self._result)
        else:
            self._encode_error(out)
        counter = known.route
        counter.left = left = counter.left - 1
        if not left and (metrics := counter.restart(now := perf_counter())) is not None:
            metrics.record(now - self.started_at, 0.0, now - self.handled_at, 0.0, 0, self._size_bytes)

    def _encode_error(self, out: WireBuffer) -> None:
        known, result, code = self._known, self._result, self._code
        assert code is not None
        if code is ErrorCode.KAFKA_STORAGE_ERROR and known.version < _STORAGE_ERROR_SINCE:
            code = ErrorCode.NOT_LEADER_OR_FOLLOWER
        log_start_offset = result.log_start_offset if known.has_log_start else -1
        response = _response(known.topic_partition, code, result.base_offset, result.log_append_time, log_start_offset)
        encoded = bytearray(known.is_flexible)  # the tagged fields of the header
        known.route.writers[known.version](response, encoded, known.version)
        out += _HEAD.pack(4 + len(encoded), self._correlation_id)
        out += encoded


def _response(
    topic_partition: tuple[str, int], code: int, base_offset: int, log_append_time: int, log_start_offset: int
) -> ProduceResponse:
    from wirebroker.protocol.messages.produce import (  # a broker that starts needs no messages
        PartitionProduceResponse,
        ProduceResponse,
        TopicProduceResponse,
    )

    topic, index = topic_partition
    answer = PartitionProduceResponse(index, code, base_offset, log_append_time, log_start_offset)
    return ProduceResponse([TopicProduceResponse(topic, ZERO_UUID, [answer])])


def serve_known_produce(
    frame: memoryview, context: RequestContext, out: WireBuffer
) -> BoundRoute | KnownDelayedProduce | None:
    """Append the batch of a request that is known, put the response into *out*, and return the route.

    Returns the response, with nothing in *out*, if it waits for replicas; None, with nothing changed, if the general
    path has to serve the request.
    """
    unpack = context.unpack_produce
    if unpack is None:
        return None
    try:
        api_key_and_version, correlation_id, head, size = unpack(frame)
    except StructError:  # it is shorter
        return None
    known: KnownProduce | None = context.routes.known_produce.get(head)
    if known is None or known.api_key_and_version != api_key_and_version:
        return None
    at = len(head) + 12
    if not known.is_flexible:
        records = frame[at:]
        if len(records) != size:
            return None
    else:
        size, at = frame[at - 4], at - 3
        if size > 0x7F:
            size &= 0x7F
            for shift in (7, 14, 21):
                byte, at = frame[at], at + 1
                size |= (byte & 0x7F) << shift
                if byte <= 0x7F:
                    break
            else:  # 256 MB or more
                return None
        end = at + size - 1
        if bytes(frame[end:]) != _NO_TAGS:
            return None
        records = frame[at:end]
    services, is_settled = context.services, context.routes.is_settled
    replicas = services.replicas
    partition = replicas.served(known.topic_partition)
    if partition is None or services.quotas.produce.enabled or (is_settled is not None and not is_settled()):
        return None
    result = partition.append_at_once(records, now_ms(), known.acks, known.zstd_allowed)
    if result is None:
        return None
    partition.stats.produce_requests += 1
    context.api_key, context.version, context.client_id = 0, known.version, known.client_id
    context.request_bytes = size = len(frame)
    if context.serve_known is None and size <= RECEIVED_AT_ONCE_BYTES:
        context.serve_known = serve_known_produce
    if known.acks == -1 and result.last_offset >= partition.high_watermark:
        delayed = KnownDelayedProduce(known, correlation_id, partition, result, size, replicas)
        purgatory = replicas.purgatories.produce
        purgatory.watch(delayed, int(1000 * purgatory.timer.now_s()) + known.timeout_ms)
        return delayed
    out += known.encode(correlation_id, result)
    return known.route


def remember(context: RequestContext, frame: memoryview, request: ProduceRequest) -> None:
    """Have the fast path serve requests like *request*, which *frame* was decoded to, if it takes such requests."""
    version = context.version
    if len(request.topic_data) != 1 or request.transactional_id is not None or version not in _VERSIONS:
        return
    (topic,) = request.topic_data
    if len(topic.partition_data) != 1 or request.acks not in (1, -1) or topic.name in INTERNAL_TOPICS:
        return
    records = topic.partition_data[0].records
    if records is None:
        return
    batch_bytes = len(records)
    if version < _FLEXIBLE_SINCE:
        head_bytes = len(frame) - batch_bytes - 4
        no_batch = bytes(4)
    else:
        size_bytes = max(1, ((batch_bytes + 1).bit_length() + 6) // 7)  # of a varint
        head_bytes = len(frame) - batch_bytes - size_bytes - len(_NO_TAGS)
        no_batch = b"\x01" + _NO_TAGS
    if not 8 <= head_bytes <= _MAX_HEAD_BYTES:
        return
    head, known = bytes(frame[8:head_bytes]), context.routes.known_produce
    if head not in known or known[head].version != version:
        meaning = _decode(context.routes, memoryview(bytes(frame[:head_bytes]) + no_batch))
        if meaning is None:
            return
        if len(known) >= MAX_KNOWN:
            known.clear()
        known[head] = meaning
    context.unpack_produce = unpacker(head_bytes)
    if len(frame) <= RECEIVED_AT_ONCE_BYTES:
        context.serve_known = serve_known_produce


def _decode(routes: RouteTable, frame: memoryview) -> KnownProduce | None:
    """Return the meaning of *frame*, which ends with a batch of no bytes: it is the same with any other batch.

    Returns None if it does not, as there was more in the request than a batch.
    """
    try:
        api_key, version, _, client_id, at = read_request_header(frame)
        route = routes.find(api_key, version)
        assert route is not None
        request, end = route.readers[version](frame, at, version)
        (topic,) = request.topic_data
        (data,) = topic.partition_data
    except (ProtocolError, StructError, IndexError, ValueError):
        return None
    if end != len(frame) or data.records is None or len(data.records):
        return None
    return KnownProduce(route, version, client_id, request)


@lru_cache(_MAX_HEAD_BYTES)
def unpacker(head_bytes: int) -> Callable[[memoryview], tuple[int, int, bytes, int]]:
    """Return the function that unpacks a frame whose batch comes behind *head_bytes* and its size.

    It returns API key and version as one number, the correlation id, the other bytes of the head, and the size, which
    flexible versions have in another format.
    """
    return Struct(f">ii{head_bytes - 8}si").unpack_from
