"""KnownFetch: a Fetch request of a follower whose constant bytes are known (fetch_fast_path.py), and its response.

One object serves all requests with these bytes, one after the other, as a follower has one in flight.  While a request
waits for records, it is a DelayedFetch.  As soon as something unusual comes in between, such as a throttle, an error
or the end of the leadership, it goes on as the general path would: `_generalize` makes what that path works with.
"""

from __future__ import annotations

from functools import partial
from struct import Struct
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.clock import now_ms
from wirebroker.handlers.known_fetch_response import MAX_PARTITIONS, ReadPartition, encode_known_response
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.replication.delayed_fetch import DelayedFetch
from wirebroker.replication.delayed_operation import DelayedOperation
from wirebroker.replication.errors import PartitionError
from wirebroker.replication.fetch_session import ReaderKind, TopicKey, by_order
from wirebroker.replication.fetch_session_cache import next_epoch
from wirebroker.replication.isr_updates import update_follower_fetch_state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.routes import BoundRoute
    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metrics.request_metrics import RequestCounter
    from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse
    from wirebroker.replication.fetch_session import CachedPartition, FetchSession
    from wirebroker.replication.leader_state import LeaderState
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.replica_manager import ReplicaManager
    from wirebroker.storage.log_slice import LogSlice
    from wirebroker.timer.timer import Timer

_TOPIC_IDS_SINCE: Final = 13
_SIZE: Final = Struct(">i")


class KnownFetch(DelayedFetch):
    """The requests with the same constant bytes: `serve` serves one; the response of one that waits is this, too."""

    __slots__ = (
        "_by_id",
        "_client_id",
        "_context",
        "_correlation_id",
        "_expires_ms",
        "_image",
        "_known_session_id",
        "_leaders",
        "_max_bytes",
        "_max_wait_ms",
        "_min_bytes",
        "_reader_kind",
        "_reading",
        "_replicas",
        "_requests",
        "_responding",
        "_response",
        "_topic",
        "_version",
        "after",
        "handled_at",
        "requests",
        "route",
        "started_at",
    )

    _reader: Any  # a FetchReader, None but for the general path

    def __init__(
        self, route: BoundRoute, version: int, replica_id: int, client_id: str | None, request: FetchRequest
    ) -> None:
        """*request* is one of those that are served; the correlation id, session epoch and offsets do not count."""
        DelayedOperation.__init__(self)  # `serve` and `_generalize` set what a DelayedFetch has beside
        self.changed_event = self.respond = self._reader = self._session = None
        self._entries, self._epoch, self._changed, self._is_released = (), 0, set(), False
        (topic,) = request.topics
        self.route, self._version, self._client_id = route, version, client_id
        self._by_id = version >= _TOPIC_IDS_SINCE
        self._topic = TopicKey(topic.topic, topic.topic_id)
        self._requests: list[FetchPartition] = topic.partitions
        self._reader_kind = ReaderKind(version, replica_id, request.isolation_level)
        self._known_session_id = request.session_id
        self._max_wait_ms, self._max_bytes, self._min_bytes = request.max_wait_ms, request.max_bytes, request.min_bytes
        self._correlation_id = 0
        self._context: RequestContext | None = None
        self._replicas: ReplicaManager
        self._expires_ms = 0
        self._image: ClusterImage | None = None
        """The image in which the topics were found for the last request that has waited."""
        self._leaders: list[tuple[Partition, LeaderState | None]] = []
        """The partitions that are waited for, and the roles in which this broker leads them."""
        self._reading: list[CachedPartition] = []
        """The partitions that are in the response if anything of them is new."""
        self._responding: list[ReadPartition] = []
        """Those that are in the response."""
        self._response: FetchResponse | None = None
        """The response of the general path."""
        self.after = WireBuffer()
        """Empty, as nothing is served behind a Fetch that waits."""
        self.requests = 1
        self.started_at = self.handled_at = 0.0
        """When the request had come, which the connection knows, and when it began to wait."""
        self.is_completed = True  # between two requests

    @property
    def operation(self) -> KnownFetch:
        """The operation that the response waits for: the same object."""
        return self

    @property
    def replica_id(self) -> int:
        """The broker id of the follower."""
        return self._reader_kind.replica_id

    # -- serving

    def serve(
        self, context: RequestContext, fields: tuple[int, ...], out: WireBuffer
    ) -> RequestCounter | KnownFetch | None:
        """Serve the request with *fields*, correlation id, session epoch and fetch offsets, as `serve_known_fetch`."""
        services, is_settled = context.services, context.routes.is_settled
        correlation_id, epoch, *offsets = fields
        replicas = services.replicas
        quota, purgatory = replicas.leader_quota, replicas.purgatories.fetch
        session = services.fetch_sessions.find(self._known_session_id)
        if (
            session is None
            or session.epoch != epoch
            or session.delayed
            or session.uses_topic_ids != self._by_id
            or session.reader != self._reader_kind
            or not self.is_completed
            or services.quotas.fetch.enabled
            or (quota is not None and quota.limit is not None)
            or (is_settled is not None and not is_settled())
        ):
            return None
        named = self._named(session, offsets, replicas)
        if named is None:
            return None
        reading = self._with_dirty(session, named, replicas)
        if reading is None or len(reading) > MAX_PARTITIONS:
            return None
        records: list[LogSlice | None] | None = None
        for _, partition, offset in reading:
            if offset < partition.log.log_end_offset:
                records = self._read(reading, services.config.current.fetch_max_bytes)
                if records is None:
                    return None
                break
        # from here on the request is served
        context.api_key, context.version, context.client_id = self.route.api_key, self._version, self._client_id
        session.epoch = next_epoch(epoch)
        session.last_used_ms = now_ms()
        session.last_fetch_s = now_s = trio.current_time()
        for (entry, _, offset), request in zip(named, self._requests, strict=True):
            request.fetch_offset = offset
            entry.requested = request
            session.dirty.add(entry)
        replica_id = self._reader_kind.replica_id
        for entry, partition, offset in reading:
            entry.partition, entry.reads_to_log_end = partition, True
            partition.stats.fetch_requests += 1
            end, start = partition.log.log_end_offset, entry.requested.log_start_offset
            update_follower_fetch_state(partition, replica_id, offset, start, end, now_s)
        self._correlation_id, self._session, self._epoch = correlation_id, session, session.epoch
        if records is not None:
            self._respond(_with_records(reading, records))
            self._encode_known(out)
            return self.route.of_followers or self.route
        self._context, self._replicas = context, replicas
        self.is_completed = self.may_complete = False
        self.on_response = self._reader = self._response = None
        self.handled_at = perf_counter()
        self._changed.clear()
        self._reading = [entry for entry, _, _ in reading]
        self._leaders = [(partition, partition.leader) for _, partition, _ in reading]
        self._image = replicas.metadata.image
        purgatory.watch(self, int(1000 * now_s) + self._max_wait_ms)
        return self

    def _named(
        self, session: FetchSession, offsets: list[int], replicas: ReplicaManager
    ) -> list[tuple[CachedPartition, Partition, int]] | None:
        """Return the partitions that the request names; None if there is something unusual about one."""
        entries = session.partitions.get(self._topic)
        if entries is None:
            return None
        found: list[tuple[CachedPartition, Partition, int]] = []
        for request, offset in zip(self._requests, offsets, strict=True):
            entry = entries.get(request.partition)
            partition = None if entry is None else self._find(replicas, self._topic, request, offset)
            if entry is None or partition is None:
                return None
            found.append((entry, partition, offset))
        return found

    def _with_dirty(
        self,
        session: FetchSession,
        named: list[tuple[CachedPartition, Partition, int]],
        replicas: ReplicaManager,
    ) -> list[tuple[CachedPartition, Partition, int]] | None:
        """Return *named* and the other partitions that the request reads, in the order of the session."""
        dirty = session.dirty
        if not dirty or (len(named) == 1 and len(dirty) == 1 and named[0][0] in dirty):
            return named if len(named) == 1 else sorted(named, key=_order)
        others: list[tuple[CachedPartition, Partition, int]] = []
        for entry in dirty.difference([entry for entry, _, _ in named]):
            offset = entry.requested.fetch_offset
            partition = self._find(replicas, entry.topic, entry.requested, offset)
            if partition is None:
                return None
            others.append((entry, partition, offset))
        return sorted([*named, *others], key=_order)

    def _find(
        self, replicas: ReplicaManager, topic: TopicKey, requested: FetchPartition, offset: int
    ) -> Partition | None:
        """Return a partition from which the follower can read at *offset*; None if anything is unusual."""
        name, topic_id = topic
        if self._by_id:
            image = replicas.metadata.image.topic_by_id(topic_id)
            if image is None:
                return None
            name = image.name
        partition = replicas.served((name, requested.partition))
        leader = None if partition is None else partition.leader
        if partition is None or leader is None or (self._by_id and partition.topic_id != topic_id):
            return None
        log = partition.log
        published = log.reader.published
        if (
            self._reader_kind.replica_id not in leader.remote_replicas
            or -1 < requested.current_leader_epoch != leader.leader_epoch
            or -1 < requested.last_fetched_epoch != log.leader_epoch_cache.latest_epoch
            or not published[4] <= offset <= published[5]
            or log.failure is not None
            or log.config.leader_replication_throttled_replicas
        ):
            return None
        return partition

    def _read(
        self, reading: Iterable[tuple[CachedPartition, Partition, int]], fetch_max_bytes: int
    ) -> list[LogSlice | None] | None:
        """Read partitions, which share the limits of the request; return None if one cannot be read now."""
        left_bytes, min_one_batch = min(self._max_bytes, fetch_max_bytes), True
        found: list[LogSlice | None] = []
        for entry, partition, offset in reading:
            if offset >= partition.log.log_end_offset:
                found.append(None)
                continue
            try:
                result = partition.read(
                    offset,
                    min(entry.requested.partition_max_bytes, left_bytes),
                    committed=False,
                    to_log_end=True,
                    min_one_batch=min_one_batch,
                )
            except PartitionError:
                return None
            if result.scan is not None:
                return None
            size_bytes = result.records.size_bytes
            if size_bytes:
                left_bytes, min_one_batch = max(0, left_bytes - size_bytes), False
            found.append(result.records if size_bytes else None)
        return found

    # -- waiting

    def watch(self) -> None:
        """Listen to the partitions of the request, through the session."""
        session = self._session
        assert session is not None
        session.add_delayed(self)
        for entry in self._reading:
            entry.listen()

    def stop_watching(self) -> None:
        """Leave the partitions to the session, and keep none, as they may be deleted before the next request."""
        super().stop_watching()
        self._reading, self._leaders = [], []

    def try_complete(self) -> bool:
        """Complete the request if there are records, or if the general path would."""
        if self.is_completed:
            return True
        if self._reader is None and self._is_known():
            if self._responding:
                return self.force_complete()
            return False
        if self._reader is None:
            self._generalize()
        return super().try_complete()

    def _is_known(self) -> bool:
        """Read what has changed, for `_responding` if there are records; return False if anything is unusual."""
        self.may_complete = False
        session, replicas, changed = self._session, self._replicas, self._changed
        assert session is not None
        assert self._context is not None
        quota = replicas.leader_quota
        if session.epoch != self._epoch or (quota is not None and quota.limit is not None):
            return False
        entries = self._reading
        if len(entries) == 1 and len(changed) == 1 and entries[0] in changed and self._is_led_as_before():
            return self._read_single(entries[0], self._leaders[0][0])
        if len(entries) != 1 or len(changed) > 1 or entries[0] not in changed:
            entries = sorted({*entries, *changed}, key=by_order)
        if len(entries) > MAX_PARTITIONS:
            return False
        reading: list[tuple[CachedPartition, Partition, int]] = []
        has_records = False
        for entry in entries:
            requested = entry.requested
            offset = requested.fetch_offset
            partition = self._find(replicas, entry.topic, requested, offset)
            if partition is None:
                return False
            has_records = has_records or offset < partition.log.log_end_offset
            reading.append((entry, partition, offset))
        if has_records:
            records = self._read(reading, self._context.services.config.current.fetch_max_bytes)
            if records is None:
                return False
            self._responding = _with_records(reading, records)
        for entry, partition, _ in reading:
            entry.partition, entry.reads_to_log_end = partition, True
            if entry in changed:
                partition.stats.fetch_requests += 1
            entry.listen()
        self._reading = entries
        changed.clear()
        return True

    def _is_led_as_before(self) -> bool:
        """Return whether the partitions of the request are those that it has found, in the same leader epochs."""
        replicas = self._replicas
        if replicas.metadata.image is not self._image:
            return False
        served = replicas.served
        for partition, leader in self._leaders:
            if partition.leader is not leader or served(partition.topic_partition) is not partition:
                return False
        return True

    def _read_single(self, entry: CachedPartition, partition: Partition) -> bool:
        """Read the only partition of the request as `_is_known` does."""
        assert self._context is not None
        log, offset = partition.log, entry.requested.fetch_offset
        if log.config.leader_replication_throttled_replicas:
            return False
        if offset < log.log_end_offset:
            reading = ((entry, partition, offset),)
            records = self._read(reading, self._context.services.config.current.fetch_max_bytes)
            if records is None:
                return False
            self._responding = [ReadPartition(entry, partition, records[0])]
        else:
            entry.listen()
        partition.stats.fetch_requests += 1
        self._changed.clear()
        return True

    def start_timer(self, timer: Timer, expiration_ms: int) -> None:
        """Have the request expire at *expiration_ms*; a timer of an earlier request is prolonged when it is due."""
        self._expires_ms = expiration_ms
        if not self.is_pending:
            timer.add(self, expiration_ms)

    def stop_timer(self, timer: Timer) -> None:
        """Let the timer run, for the next request."""

    def run(self) -> None:
        """Complete the request if its time is over; called when that of an earlier one is, too."""
        if self.is_completed:
            return
        timer = self._replicas.timer
        if timer.now_ms() < self._expires_ms:
            timer.add(self, self._expires_ms)
            return
        super().run()

    def on_complete(self) -> None:
        """Have the response sent, which is that of the general path if nothing was read."""
        if not self._responding:
            if self._reader is None:
                self._generalize()
            super().on_complete()
            return
        self._respond(self._responding)
        self.stop_watching()
        if self.on_response is not None:
            self.on_response()

    def _generalize(self) -> None:
        """Go on as a request of the general path that has read its partitions now, and waits."""
        from wirebroker.handlers.fetch import complete_response
        from wirebroker.handlers.fetch_context import IncrementalFetchContext
        from wirebroker.protocol.messages.fetch import FetchResponse
        from wirebroker.replication.fetch_params import FetchParams
        from wirebroker.replication.fetch_reader import FetchReader

        context, session = self._context, self._session
        assert context is not None
        assert session is not None
        max_bytes = min(self._max_bytes, context.services.config.current.fetch_max_bytes)
        version, replica_id, isolation_level = self._reader_kind
        params = FetchParams(version, replica_id, isolation_level, self._max_wait_ms, self._min_bytes, max_bytes)
        self._responding = []
        self._reader = FetchReader(self._replicas, params, updates_follower=False)
        self.results = self._reader.read_now(self._reading)
        fetch_context = IncrementalFetchContext(session, params, self._epoch)
        self._response = FetchResponse()
        self.respond = partial(complete_response, context, params, fetch_context, self._response)

    # -- the response

    def _respond(self, responding: list[ReadPartition]) -> None:
        """Take note in the session of what the response holds, as IncrementalFetchContext does."""
        session = self._session
        assert session is not None
        answered: list[ReadPartition] = []
        for read in responding:
            entry, partition, records = read
            is_changed = records is not None
            if entry.high_watermark != partition.high_watermark:
                entry.high_watermark, is_changed = partition.high_watermark, True
            start = partition.log.log_start_offset
            if entry.log_start_offset != start:
                entry.log_start_offset, is_changed = start, True
            if is_changed:
                answered.append(read)
            if records is not None:
                partition.stats.replication_bytes_out += records.size_bytes
                session.move_to_end(entry)
            elif entry.requested.fetch_offset >= partition.log.log_end_offset:
                session.clean(entry)
        self._responding = answered

    def encode(self, out: WireBuffer) -> None:
        """Append the response to *out*, and count the request."""
        if self._response is not None:
            self._encode_general(self._response, out)
        else:
            self._encode_known(out)
        size_bytes = 0 if self._context is None else self._context.request_bytes
        self._context = None
        if self._reader is not None:
            del self.results  # which hold files
            self.respond = self._reader = self._response = self._session = None
        counter: RequestCounter = self.route.of_followers or self.route
        counter.left = left = counter.left - 1
        if not left:
            self._record(counter, size_bytes)

    def _record(self, counter: RequestCounter, size_bytes: int) -> None:
        """Restart *counter*, which has no requests left, and record this one."""
        if (metrics := counter.restart(now := perf_counter())) is not None:
            metrics.record(now - self.started_at, 0.0, now - self.handled_at, 0.0, 0, size_bytes)

    def _encode_known(self, out: WireBuffer) -> None:
        encode_known_response(out, self._correlation_id, self._known_session_id, self._by_id, self._responding)
        self._responding, self._session = [], None

    def _encode_general(self, response: FetchResponse, out: WireBuffer) -> None:
        encoded = WireBuffer()
        self.route.writers[self._version](response, encoded, self._version)
        size_bytes = 5 + len(encoded) + sum(records.size_bytes for _, records in encoded.detached)
        out += _SIZE.pack(size_bytes) + _SIZE.pack(self._correlation_id) + b"\0"
        encoded.move_to(out)


def _with_records(
    reading: list[tuple[CachedPartition, Partition, int]], records: list[LogSlice | None]
) -> list[ReadPartition]:
    return [ReadPartition(entry, partition, each) for (entry, partition, _), each in zip(reading, records, strict=True)]


def _order(each: tuple[CachedPartition, Partition, int]) -> int:
    return each[0].order
