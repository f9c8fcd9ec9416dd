"""KnownConsumerFetch: a Fetch request of a consumer whose constant bytes are known (fetch_fast_path.py).

It serves requests without a session that can be answered at once, and leaves all others to the general path with
nothing changed: those that wait for records, name a partition that this broker does not lead, read beyond the high
watermark, have aborted transactions in their records, or need a scan of a segment.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.model import READ_COMMITTED
from wirebroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from wirebroker.protocol.primitives import write_uvarint
from wirebroker.record.compression import Codec
from wirebroker.replication.errors import PartitionError

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute
    from wirebroker.protocol.messages.fetch import AbortedTransaction, FetchPartition, FetchRequest
    from wirebroker.protocol.primitives import WireBuffer
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log_slice import LogSlice

_FLEXIBLE_SINCE: Final = 12
_TOPIC_IDS_SINCE: Final = 13
_LOG_START_OFFSET_SINCE: Final = 5
_ZSTD_SINCE: Final = 10
_PREFERRED_REPLICA_SINCE: Final = 11
_SIZE: Final = Struct(">i")
_HEAD: Final = Struct(">ii")
"""Size, correlation id."""
_SENTINEL: Final = -2  # bytes that are in no text; + the place of the partition


class _Named(NamedTuple):
    """A partition that the requests name."""

    topic_id: bytes
    topic_partition: tuple[str, int]
    """With an empty name if the requests name topics by id."""
    requested: FetchPartition
    before: bytes
    """The bytes of the response between the records of the partition before, or the correlation id, and the offsets."""


class _Read(NamedTuple):
    """The read of one partition."""

    named: _Named
    partition: Partition
    offset: int
    last_stable_offset: int
    records: LogSlice | None


class KnownConsumerFetch:
    """The requests with the same constant bytes; `serve` serves one."""

    __slots__ = (
        "_after",
        "_before_records",
        "_by_id",
        "_client_id",
        "_committed",
        "_has_log_start",
        "_is_flexible",
        "_max_bytes",
        "_min_bytes",
        "_named",
        "_offsets",
        "_rack_id",
        "_version",
        "route",
    )

    def __init__(self, route: BoundRoute, version: int, client_id: str | None, request: FetchRequest) -> None:
        """*request* is one of those that are served; the correlation id and the offsets do not count."""
        self.route, self._version, self._client_id = route, version, client_id
        self._by_id, self._is_flexible = version >= _TOPIC_IDS_SINCE, version >= _FLEXIBLE_SINCE
        self._committed = request.isolation_level == READ_COMMITTED
        self._max_bytes, self._min_bytes, self._rack_id = request.max_bytes, request.min_bytes, request.rack_id
        self._has_log_start = version >= _LOG_START_OFFSET_SINCE
        self._offsets = Struct(">qqq" if self._has_log_start else ">qq")
        pieces = self._encode_pieces(request)
        self._before_records: bytes
        """The bytes between the offsets of a partition and the size of its records."""
        self._after = pieces.pop()
        self._named: list[_Named] = []
        for topic in request.topics:
            for requested in topic.partitions:
                at = topic.topic, requested.partition
                self._named.append(_Named(topic.topic_id, at, requested, pieces[len(self._named)]))

    def _encode_pieces(self, request: FetchRequest) -> list[bytes]:
        """Return the bytes of the response between the records of its partitions, and set those before records."""
        aborted: list[AbortedTransaction] | None = [] if self._committed else None  # null, as nobody has asked
        response = FetchResponse()
        sentinels: list[bytes] = []
        for topic in request.topics:
            answers = []
            for requested in topic.partitions:
                value = _SENTINEL - len(sentinels)
                sentinels.append(self._offsets.pack(*[value] * (len(self._offsets.format) - 1)))
                answers.append(
                    PartitionData(
                        requested.partition, 0, value, value, value, aborted_transactions=aborted, records=b""
                    )
                )
            response.responses.append(FetchableTopicResponse(topic.topic, topic.topic_id, answers))
        out = bytearray(self._is_flexible)  # the tagged fields of the header
        self.route.writers[self._version](response, out, self._version)
        count_bytes = 1 if self._is_flexible else _SIZE.size
        before_bytes = count_bytes + (_SIZE.size if self._version >= _PREFERRED_REPLICA_SINCE else 0)
        pieces, left = [], bytes(out)
        for sentinel in sentinels:
            piece, left = left.split(sentinel)
            pieces.append(piece)
            self._before_records, left = left[:before_bytes], left[before_bytes + count_bytes :]
        return [*pieces, left]

    def serve(self, context: RequestContext, fields: tuple[int, ...], out: WireBuffer) -> BoundRoute | None:
        """Serve the request with *fields*, correlation id and fetch offsets, as `serve_known_fetch`."""
        services, is_settled = context.services, context.routes.is_settled
        replicas = services.replicas
        if (
            services.quotas.fetch.enabled
            or (replicas.selects_by_rack and self._rack_id)
            or (is_settled is not None and not is_settled())
        ):
            return None
        max_bytes = min(self._max_bytes, services.config.current.fetch_max_bytes)
        reads = self._read(replicas, fields, max_bytes)
        if reads is None:
            return None
        # from here on the request is served
        context.api_key, context.version, context.client_id = self.route.api_key, self._version, self._client_id
        self._encode(fields[0], reads, out)
        return self.route

    def _read(self, replicas: ReplicaManager, fields: tuple[int, ...], max_bytes: int) -> list[_Read] | None:
        """Return what is read of each partition; None if there is something unusual, or the request has to wait."""
        reads: list[_Read] = []
        left_bytes, min_one_batch = max_bytes, True
        for at, named in enumerate(self._named, 1):
            partition, requested, offset = self._find(replicas, named), named.requested, fields[at]
            leader = None if partition is None else partition.leader
            if partition is None or leader is None or -1 < requested.current_leader_epoch != leader.leader_epoch:
                return None
            if self._version < _ZSTD_SINCE and partition.rules.codec is Codec.ZSTD:
                return None
            published, high_watermark = partition.log.reader.published, partition.high_watermark
            stable = high_watermark if published[6] is None else partition.last_stable_offset
            if partition.log.failure is not None or not published[4] <= offset <= high_watermark:
                return None
            records = None
            if offset < (stable if self._committed else high_watermark):
                limit = requested.partition_max_bytes
                try:
                    result = partition.read(
                        offset,
                        limit if limit < left_bytes else left_bytes,
                        committed=self._committed,
                        to_log_end=False,
                        min_one_batch=min_one_batch,
                    )
                except PartitionError:
                    return None
                if result.scan is not None or result.aborted:
                    return None
                if result.records.size_bytes:
                    records, stable = result.records, result.last_stable_offset
                    left_bytes, min_one_batch = max(0, left_bytes - records.size_bytes), False
            reads.append(_Read(named, partition, offset, stable, records))
        has_enough = not min_one_batch and sum(
            each.records.size_bytes for each in reads if each.records is not None
        ) >= min(self._min_bytes, max_bytes)
        return reads if has_enough else None

    def _find(self, replicas: ReplicaManager, named: _Named) -> Partition | None:
        """Return the partition if it is served here."""
        if not self._by_id:
            return replicas.served(named.topic_partition)
        topic = replicas.metadata.image.topic_by_id(named.topic_id)
        if topic is None:
            return None
        partition = replicas.served((topic.name, named.topic_partition[1]))
        return None if partition is None or partition.topic_id != named.topic_id else partition

    def _encode(self, correlation_id: int, reads: list[_Read], out: WireBuffer) -> None:
        """Append the response with *reads* to *out*, and count them."""
        start, detached_bytes = len(out), 0
        pack, before_records, is_flexible = self._offsets.pack, self._before_records, self._is_flexible
        out += _HEAD.pack(0, correlation_id)
        for named, partition, _, stable, records in reads:
            stats = partition.stats
            stats.fetch_requests += 1
            out += named.before
            if self._has_log_start:
                out += pack(partition.high_watermark, stable, partition.log.log_start_offset)
            else:
                out += pack(partition.high_watermark, stable)
            out += before_records
            size_bytes = 0 if records is None else records.size_bytes
            if is_flexible:
                write_uvarint(out, size_bytes + 1)
            else:
                out += _SIZE.pack(size_bytes)
            if records is not None:
                out.detached.append((len(out), records))
                detached_bytes += size_bytes
                stats.bytes_out += size_bytes
        out += self._after
        _SIZE.pack_into(out, start, len(out) - start - _SIZE.size + detached_bytes)
