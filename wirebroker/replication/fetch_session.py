"""Incremental fetch sessions (KIP-227): the broker keeps the partitions of a consumer, and sends only changes.

This module does no I/O.  The partitions of a session have an order, in which they are read and sent; a partition whose
records were sent goes to the end, so that the limit on the response starves none of them.

An incremental request looks only at the session's *dirty* partitions.  A partition is clean when a response would hold
neither records, nor an error, nor an offset that the client does not know; a clean CachedPartition is a listener of its
Partition, whose next change makes it dirty.  So the cost of a request grows with the changes, not with the session.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from wirebroker.replication.replica import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.loop_budget import LoopBudget
    from wirebroker.protocol.messages.fetch import FetchPartition, FetchTopic, PartitionData
    from wirebroker.replication.partition import Partition

by_order: Final = attrgetter("order")


class TopicKey(NamedTuple):
    """A topic as the client names it: by id from Fetch 13 on, by name before."""

    name: str
    topic_id: bytes


class ReaderKind(NamedTuple):
    """The fields of a request that decide whether a partition has records for it."""

    version: int
    replica_id: int
    isolation_level: int


class PartitionOwner(Protocol):
    """The session or the delayed fetch that a CachedPartition belongs to."""

    def partition_changed(self, entry: CachedPartition) -> None: ...

    def high_watermark_changed(self, entry: CachedPartition) -> None: ...


class _NoOwner:
    """The owner of a partition whose session is closed, or whose request is answered."""

    def partition_changed(self, entry: CachedPartition) -> None:
        pass

    def high_watermark_changed(self, entry: CachedPartition) -> None:
        pass


_NO_OWNER: Final = _NoOwner()


class CachedPartition:
    """One partition of a session: the last request for it, and the offsets of the last response."""

    __slots__ = (
        "high_watermark",
        "listens_to",
        "log_start_offset",
        "order",
        "owner",
        "partition",
        "reads_to_log_end",
        "requested",
        "topic",
    )

    def __init__(self, topic: TopicKey, requested: FetchPartition) -> None:
        self.topic = topic
        self.requested = requested
        """Fetch offset, limit and epochs of the last request that named the partition."""
        self.partition: Partition | None = None
        """The Partition of the last read; perhaps not served any more."""
        self.reads_to_log_end = False
        """Whether appended records are a change, though they are not committed."""
        self.listens_to: Partition | None = None
        self.high_watermark = -1
        self.log_start_offset = -1

    def maybe_update_response_data(self, data: PartitionData) -> bool:
        """Remember the offsets of *data*; return whether an incremental response must hold it.

        An error comes with a high watermark of -1, so the first data without an error is in a response, too.  So is the
        first behind a diverging epoch: a follower truncates its log then, and takes no offsets from that response.
        """
        if data.diverging_epoch.epoch >= 0:
            self.high_watermark = self.log_start_offset = -1
            return True
        must_respond = bool(data.records) or bool(data.error_code) or data.preferred_read_replica >= 0
        if data.high_watermark != self.high_watermark:
            self.high_watermark = data.high_watermark
            must_respond = True
        if data.log_start_offset != self.log_start_offset:
            self.log_start_offset = data.log_start_offset
            must_respond = True
        return must_respond

    def listen(self) -> None:
        """Become a listener of the partition, whose next change the owner gets."""
        partition = self.partition
        if self.listens_to is not partition:
            self.stop_listening()
            if partition is not None:
                (partition.follower_listeners if self.reads_to_log_end else partition.listeners).add(self)
                self.listens_to = partition

    def stop_listening(self) -> None:
        """Listen to no Partition."""
        if self.listens_to is not None:
            self.listens_to.listeners.discard(self)
            self.listens_to.follower_listeners.discard(self)
            self.listens_to = None

    def leave_owner(self) -> None:
        """Listen to no Partition, and forget the owner, whose cycle with this might stay in memory (collector.py)."""
        self.stop_listening()
        self.owner = _NO_OWNER

    def partition_changed(self) -> None:
        """Tell the owner that the Partition has changed; it has removed this listener."""
        self.listens_to = None
        self.owner.partition_changed(self)

    def high_watermark_changed(self) -> None:
        """Tell the owner that the next response has another high watermark; this stays a listener."""
        self.owner.high_watermark_changed(self)

    owner: PartitionOwner
    order: int


class FetchSession:
    """The session of one consumer or follower."""

    __slots__ = (
        "_next_order",
        "closed",
        "created_ms",
        "delayed",
        "dirty",
        "epoch",
        "follower",
        "last_fetch_s",
        "last_used_ms",
        "partitions",
        "reader",
        "session_id",
        "size",
        "uses_topic_ids",
    )

    def __init__(
        self, session_id: int, reader: ReaderKind, now_ms: int, *, uses_topic_ids: bool, follower: bool
    ) -> None:
        self.session_id = session_id
        self.partitions: dict[TopicKey, dict[int, CachedPartition]] = {}
        self.size = 0
        """Number of partitions."""
        self.dirty: set[CachedPartition] = set()
        """The partitions that the next request reads."""
        self.delayed: set[PartitionOwner] = set()
        """Requests of this session that wait for a change."""
        self.epoch = 1
        """The epoch of the next request."""
        self.created_ms = now_ms
        self.last_used_ms = now_ms
        self.uses_topic_ids = uses_topic_ids
        self.follower = follower
        self.last_fetch_s = NEVER
        """Of a follower: the time of its last request, in seconds of the monotonic clock."""
        self.closed = False
        self.reader = reader
        self._next_order = 0

    def __iter__(self) -> Iterator[CachedPartition]:
        for partitions in self.partitions.values():
            yield from partitions.values()

    def dirty_in_order(self) -> list[CachedPartition]:
        """The partitions that a request has to read, in the order of the session."""
        return sorted(self.dirty, key=by_order)

    def in_order(self) -> list[CachedPartition]:
        """All partitions, in the order of the session."""
        return sorted(self, key=by_order)

    def add(self, entry: CachedPartition) -> None:
        """Add a partition, which the session does not have, at the end."""
        entry.owner = self
        self.partitions.setdefault(entry.topic, {})[entry.requested.partition] = entry
        self.size += 1
        self.move_to_end(entry)
        self.dirty.add(entry)

    def update(self, topic: TopicKey, requested: FetchPartition) -> None:
        """Set the latest request for a partition; a new partition is added at the end."""
        entry = self.partitions.get(topic, {}).get(requested.partition)
        if entry is None:
            self.add(CachedPartition(topic, requested))
        else:
            entry.requested = requested
            self.dirty.add(entry)

    def remove(self, topic: TopicKey, partition: int) -> None:
        """Remove a partition if it is in the session."""
        known = self.partitions.get(topic)
        entry = known.pop(partition, None) if known is not None else None
        if entry is not None:
            if not known:
                del self.partitions[topic]
            self.size -= 1
            self.dirty.discard(entry)
            entry.leave_owner()

    def move_to_end(self, entry: CachedPartition) -> None:
        """Read and send *entry* after all other partitions the next time."""
        entry.order = self._next_order
        self._next_order += 1

    def add_delayed(self, delayed: PartitionOwner) -> None:
        """Let a request wait for a change; perhaps the session was closed while the request read."""
        self.delayed.add(delayed)
        if self.closed:
            for entry in self:
                entry.owner = self

    def read_as(self, reader: ReaderKind) -> None:
        """Set the kind of reader; another kind makes every partition dirty."""
        if reader != self.reader:
            self.reader = reader
            self.dirty.update(self)

    def clean(self, entry: CachedPartition) -> None:
        """Make a partition clean, as the client is caught up: it is read again after its next change.

        A leader whose role has begun while a follower's request waited does not know how far that follower is: the
        partition stays dirty, so that the next request, which may not name it, tells the leader.
        """
        if not self.closed and not (self.follower and self._is_unknown_to_leader(entry)):
            self.dirty.discard(entry)
            entry.listen()

    def partition_changed(self, entry: CachedPartition) -> None:
        """Read *entry* in the next request, and in those that wait."""
        if entry not in self.dirty:
            if self.follower:
                self._note_caught_up(entry)
            self.dirty.add(entry)
        for delayed in self.delayed:
            delayed.partition_changed(entry)

    def high_watermark_changed(self, entry: CachedPartition) -> None:
        """Read *entry* in the next request, and in those that wait when they are answered for another reason."""
        if entry not in self.dirty:
            if self.follower:
                self._note_caught_up(entry)
            self.dirty.add(entry)
        for delayed in self.delayed:
            delayed.high_watermark_changed(entry)

    def _is_unknown_to_leader(self, entry: CachedPartition) -> bool:
        leader = entry.partition.leader if entry.partition is not None else None
        replica = leader.remote_replicas.get(self.reader.replica_id) if leader is not None else None
        return replica is not None and replica.log_end_offset != entry.requested.fetch_offset

    def _note_caught_up(self, entry: CachedPartition) -> None:
        """Note that the follower has asked for a clean *entry* with every request since its partition was read.

        A leader that reads clean partitions, as Apache Kafka's does, sees with each request of the session that the
        follower is at the log end.  Here it takes notice when that ends.
        """
        leader = entry.partition.leader if entry.partition is not None else None
        replica = leader.remote_replicas.get(self.reader.replica_id) if leader is not None else None
        if replica is not None and replica.log_end_offset == entry.requested.fetch_offset:
            replica.last_caught_up_s = max(replica.last_caught_up_s, self.last_fetch_s)
            replica.last_fetch_s = max(replica.last_fetch_s, self.last_fetch_s)

    def close(self) -> None:
        """Listen to no partition any more; a request that waits still does, and closes the session again at its end."""
        self.closed = True
        if not self.delayed:
            for entry in self:
                entry.leave_owner()

    async def close_in_parts(self, budget: LoopBudget) -> None:
        """Close a large session as `close`, in several turns of the event loop."""
        self.closed = True
        if not self.delayed:
            for entry in [*self]:
                entry.leave_owner()
                await budget.yield_if_due()


def requested_partitions(topics: Iterable[FetchTopic]) -> list[CachedPartition]:
    """Return the partitions of a full request in its order; of duplicates the last entry counts."""
    return [*new_partitions(topics)]


def new_partitions(topics: Iterable[FetchTopic]) -> Iterator[CachedPartition]:
    """Yield the partitions of a full request as `requested_partitions`; a duplicate changes one of those before."""
    known: dict[TopicKey, dict[int, CachedPartition]] = {}
    for topic in topics:
        key = TopicKey(topic.topic, topic.topic_id)
        of_topic = known.setdefault(key, {})
        for requested in topic.partitions:
            entry = of_topic.get(requested.partition)
            if entry is None:
                entry = of_topic[requested.partition] = CachedPartition(key, requested)
                yield entry
            else:
                entry.requested = requested
