"""SinglePartitionFetch: the KnownFetch of one partition, as a follower of a partition that is written to sends it.

It does the same in fewer steps where nothing but the fetch offset has changed since the request before: it waits, as
the follower is at the log end, and is answered with the small batch that was appended.  The rest is KnownFetch's.
"""

from __future__ import annotations

from struct import Struct
from time import perf_counter
from typing import TYPE_CHECKING, Final

from wirebroker.clock import now_ms
from wirebroker.handlers.known_fetch import KnownFetch
from wirebroker.handlers.known_fetch_response import COPIED_BYTES, copy_cached
from wirebroker.replication.errors import PartitionError
from wirebroker.replication.fetch_session_cache import next_epoch
from wirebroker.replication.isr_updates import update_follower_fetch_state

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute
    from wirebroker.metrics.request_metrics import RequestCounter
    from wirebroker.protocol.messages.fetch import FetchRequest
    from wirebroker.protocol.primitives import WireBuffer
    from wirebroker.replication.partition import Partition

FIRST_VERSION: Final = 13
"""The first version that names topics by id."""
_SHORT: Final = Struct(">iixihiB16sBihqqqBiB")
"""Size, correlation id, no tagged fields; throttle time, error code, session id, one topic: id, one partition: index,
error code, high watermark, last stable offset, log start offset, no aborted transactions, no replica, size of records.

The size is a varint: this is of one byte, the next one of two.
"""
_LONG: Final = Struct(">iixihiB16sBihqqqBiBB")
_NO_TAGS: Final = b"\0\0\0"  # of the partition, the topic and the response
_ONE: Final = 2
"""The length of an array as flexible versions have it."""
_NO_REPLICA: Final = -1


class SinglePartitionFetch(KnownFetch):
    """The requests of one partition with the same constant bytes."""

    __slots__ = ("_head", "_index", "_records", "_request", "_topic_id")

    def __init__(
        self, route: BoundRoute, version: int, replica_id: int, client_id: str | None, request: FetchRequest
    ) -> None:
        """*request* has one partition, and a version from FIRST_VERSION on; see KnownFetch."""
        super().__init__(route, version, replica_id, client_id, request)
        (self._request,) = self._requests
        self._index, self._topic_id = self._request.partition, self._topic.topic_id
        self._head = b""
        """The response before its records, if these are below."""
        self._records: bytes | bytearray | None = None

    def serve(
        self, context: RequestContext, fields: tuple[int, ...], out: WireBuffer
    ) -> RequestCounter | KnownFetch | None:
        """Serve the request with *fields*, correlation id, session epoch and fetch offset, as `serve_known_fetch`."""
        services, is_settled = context.services, context.routes.is_settled
        replicas = services.replicas
        session = services.fetch_sessions.find(self._known_session_id)
        entries = None if session is None else session.partitions.get(self._topic)
        entry = None if entries is None else entries.get(self._index)
        partition = None if entry is None else entry.partition
        leader = None if partition is None else partition.leader
        if session is None or entry is None or partition is None or leader is None:
            return super().serve(context, fields, out)
        correlation_id, epoch, offset = fields
        request, log, dirty, quota = self._request, partition.log, session.dirty, replicas.leader_quota
        reader, replica_id = log.reader, self._reader_kind.replica_id
        if (
            offset != reader.published[5]
            or session.epoch != epoch
            or replicas.metadata.image is not self._image  # which has the topic under this id and name
            or session.delayed
            or not session.uses_topic_ids
            or session.reader != self._reader_kind
            or not self.is_completed
            or len(dirty) > 1
            or (dirty and entry not in dirty)
            or services.quotas.fetch.enabled
            or (quota is not None and quota.limit is not None)
            or reader.config.leader_replication_throttled_replicas
            or log.local_log.failure is not None
            or replicas.served(partition.topic_partition) is not partition
            or partition.topic_id != self._topic_id
            or replica_id not in leader.remote_replicas
            or -1 < request.current_leader_epoch != leader.leader_epoch
            or -1 < request.last_fetched_epoch != log.leader_epoch_cache.latest_epoch
            or (is_settled is not None and not is_settled())
        ):
            return super().serve(context, fields, out)
        # from here on the request is served
        context.api_key, context.version, context.client_id = self.route.api_key, self._version, self._client_id
        session.epoch = self._epoch = next_epoch(epoch)
        session.last_used_ms = now_ms()
        session.last_fetch_s = now_s = replicas.timer.now_s()
        request.fetch_offset = offset
        entry.requested = request
        entry.reads_to_log_end = True
        dirty.add(entry)
        partition.stats.fetch_requests += 1
        update_follower_fetch_state(partition, replica_id, offset, request.log_start_offset, offset, now_s)
        self._correlation_id, self._session, self._context, self._replicas = correlation_id, session, context, replicas
        self.is_completed = self.may_complete = False
        self.on_response = self._reader = self._response = None
        self.handled_at = perf_counter()
        self._changed.clear()
        self._reading, self._leaders = [entry], [(partition, partition.leader)]
        replicas.purgatories.fetch.watch(self, int(1000 * now_s) + self._max_wait_ms)
        return self

    def watch(self) -> None:
        """Listen to the partition, through the session."""
        reading, session = self._reading, self._session
        if len(reading) != 1 or session is None or reading[0].listens_to is not None:
            super().watch()
            return
        (entry,) = reading
        partition = entry.partition
        assert partition is not None
        session.add_delayed(self)
        partition.follower_listeners.add(entry)
        entry.listens_to = partition

    def try_complete(self) -> bool:
        """Complete the request if there are records, or if the general path would."""
        leaders, reading, changed, session = self._leaders, self._reading, self._changed, self._session
        if self.is_completed or not len(leaders) == len(reading) == len(changed) == 1 or session is None:
            return super().try_complete()
        replicas, (entry,), ((partition, leader),) = self._replicas, reading, leaders
        quota, log = replicas.leader_quota, partition.log
        if (
            self._reader is not None
            or entry not in changed
            or leader is None
            or partition.leader is not leader
            or session.epoch != self._epoch
            or replicas.metadata.image is not self._image
            or replicas.served(partition.topic_partition) is not partition
            or (quota is not None and quota.limit is not None)
            or log.reader.config.leader_replication_throttled_replicas
            or log.local_log.failure is not None
        ):
            return super().try_complete()
        batch = replicas.last_batch
        records: bytes | bytearray | None
        if batch is not None and batch[:3] == (leader, self._request.fetch_offset, log.log_end_offset):
            records = batch[3]
        else:
            records = self._read_small(partition)
            if records is None:
                return super().try_complete()
        # from here on the request is answered
        reader, size_bytes = log.reader, len(records)
        high_watermark, start, unstable = partition.high_watermark, log.log_start_offset, reader.published[6]
        partition.stats.fetch_requests += 1
        partition.stats.replication_bytes_out += size_bytes
        entry.high_watermark, entry.log_start_offset = high_watermark, start
        session.move_to_end(entry)
        stable = high_watermark if unstable is None else reader.last_stable_offset(high_watermark)
        self._records, self._head = records, self._encode_head(size_bytes, high_watermark, stable, start)
        changed.clear()
        self.is_completed, self.may_complete = True, False
        replicas.purgatories.fetch.forget(self)
        session.delayed.discard(self)
        if session.closed:
            session.close()
        self._reading, self._leaders = [], []
        if self.on_response is not None:
            self.on_response()
        return True

    def _read_small(self, partition: Partition) -> bytearray | None:
        """Return the records from the fetch offset on; None if they are many, not cached, or cannot be read now."""
        context, request = self._context, self._request
        assert context is not None
        most = min(request.partition_max_bytes, self._max_bytes, context.services.config.current.fetch_max_bytes)
        try:
            result = partition.read(request.fetch_offset, most, committed=False, to_log_end=True, min_one_batch=True)
        except PartitionError:
            return None
        records = result.records
        if result.scan is not None or not 0 < records.size_bytes <= COPIED_BYTES:
            return None
        return copy_cached(records, records.size_bytes)

    def _encode_head(self, size_bytes: int, high_watermark: int, stable: int, start: int) -> bytes:
        length = size_bytes + 1
        packed, *of_length = (_SHORT, length) if length <= 0x7F else (_LONG, length & 0x7F | 0x80, length >> 7)
        return packed.pack(
            packed.size - 4 + size_bytes + len(_NO_TAGS),
            self._correlation_id,
            0,
            0,
            self._known_session_id,
            _ONE,
            self._topic_id,
            _ONE,
            self._index,
            0,
            high_watermark,
            stable,
            start,
            0,
            _NO_REPLICA,
            *of_length,
        )

    def encode(self, out: WireBuffer) -> None:
        """Append the response to *out*, and count the request."""
        records = self._records
        if records is None:
            super().encode(out)
            return
        out += self._head
        out += records
        out += _NO_TAGS
        context, self._records, self._context, self._session = self._context, None, None, None
        counter: RequestCounter = self.route.of_followers or self.route
        counter.left = left = counter.left - 1
        if not left:
            self._record(counter, 0 if context is None else context.request_bytes)
