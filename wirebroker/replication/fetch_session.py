"""Incremental fetch sessions (KIP-227): the broker remembers what a consumer follows and answers only changes.

Bookkeeping without I/O.  The partitions of a session have an order, in which they are read and answered; a partition
that was answered with records goes to its end, so that a limit on the response starves none of them.

An incremental request looks only at the session's *dirty* partitions.  A partition is clean when an answer would hold
neither records, nor an error, nor an offset that the client was not told yet; it is then registered as a listener of
its Partition, whose next change makes it dirty.  So a request costs what changed, not what the session holds.

Limits are Kafka's: 1,000 slots; a session that was not used for two minutes gives its slot to a new one, and one that
is two minutes old gives it to a larger one or to a follower's.
"""

from __future__ import annotations

import random
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.protocol.messages.fetch import FetchPartition, PartitionData
    from wirebroker.replication.partition import Partition
    from wirebroker.replication.purgatory import DelayedFetch

MAX_EPOCH: Final = 2**31 - 1
EVICTABLE_AFTER_MS: Final = 120_000

FINAL_EPOCH: Final = -1
INITIAL_EPOCH: Final = 0

by_order: Final = attrgetter("order")


class TopicKey(NamedTuple):
    """A topic as the client names it: by id from Fetch 13 on, by name before."""

    name: str
    topic_id: bytes


class ReaderKind(NamedTuple):
    """What a request says of its reader that decides whether a partition has something for it."""

    version: int
    replica_id: int
    isolation_level: int


class PartitionOwner(Protocol):
    """The session or the delayed fetch that a CachedPartition belongs to."""

    def partition_changed(self, entry: CachedPartition) -> None: ...


class CachedPartition:
    """What a client asked of one partition, and what it was told last."""

    __slots__ = ("asked", "high_watermark", "listens_to", "log_start_offset", "order", "owner", "partition", "topic")

    def __init__(self, topic: TopicKey, asked: FetchPartition) -> None:
        self.topic = topic
        self.asked = asked
        """Fetch offset, limit and epochs, as in the last request that named the partition."""
        self.partition: Partition | None = None
        """The Partition that was read last; may not be served any more."""
        self.listens_to: Partition | None = None
        self.high_watermark = -1
        self.log_start_offset = -1

    def maybe_update_response_data(self, answer: PartitionData) -> bool:
        """Remember what *answer* tells the client; return whether an incremental response must hold it.

        An error comes with a high watermark of -1, so that the first answer without it is told, too.
        """
        must_respond = bool(answer.records) or bool(answer.error_code) or answer.diverging_epoch.epoch >= 0
        if answer.high_watermark != self.high_watermark:
            self.high_watermark = answer.high_watermark
            must_respond = True
        if answer.log_start_offset != self.log_start_offset:
            self.log_start_offset = answer.log_start_offset
            must_respond = True
        return must_respond

    def listen(self) -> None:
        """Have the owner told of the partition's next change."""
        partition = self.partition
        if self.listens_to is not partition:
            self.stop_listening()
            if partition is not None:
                partition.listeners.add(self)
                self.listens_to = partition

    def stop_listening(self) -> None:
        """Forget the Partition."""
        if self.listens_to is not None:
            self.listens_to.listeners.discard(self)
            self.listens_to = None

    def partition_changed(self) -> None:
        """The Partition has changed, and has removed this listener."""
        self.listens_to = None
        self.owner.partition_changed(self)

    owner: PartitionOwner
    order: int


class FetchSession:
    """One consumer's or follower's session."""

    __slots__ = (
        "_next_order",
        "_reader",
        "closed",
        "created_ms",
        "delayed",
        "dirty",
        "epoch",
        "follower",
        "last_used_ms",
        "partitions",
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
        """How many partitions there are."""
        self.dirty: set[CachedPartition] = set()
        """The partitions that the next request has to look at."""
        self.delayed: set[DelayedFetch] = set()
        """Requests of this session that wait for a change."""
        self.epoch = 1  # what the next request must say
        self.created_ms = now_ms
        self.last_used_ms = now_ms
        self.uses_topic_ids = uses_topic_ids
        self.follower = follower
        self.closed = False
        self._reader = reader
        self._next_order = 0

    def __iter__(self) -> Iterator[CachedPartition]:
        for partitions in self.partitions.values():
            yield from partitions.values()

    def dirty_in_order(self) -> list[CachedPartition]:
        """What a request has to read, in the order of the session."""
        return sorted(self.dirty, key=by_order)

    def in_order(self) -> list[CachedPartition]:
        """All partitions, in the order of the session."""
        return sorted(self, key=by_order)

    def add(self, entry: CachedPartition) -> None:
        """Put a partition that the session does not have at the end."""
        entry.owner = self
        self.partitions.setdefault(entry.topic, {})[entry.asked.partition] = entry
        self.size += 1
        self.move_to_end(entry)
        self.dirty.add(entry)

    def update(self, topic: TopicKey, asked: FetchPartition) -> None:
        """Note what the client asks of a partition now; one that is new is put at the end."""
        entry = self.partitions.get(topic, {}).get(asked.partition)
        if entry is None:
            self.add(CachedPartition(topic, asked))
        else:
            entry.asked = asked
            self.dirty.add(entry)

    def forget(self, topic: TopicKey, partition: int) -> None:
        """Remove a partition; one that is not there is no error."""
        known = self.partitions.get(topic)
        entry = known.pop(partition, None) if known is not None else None
        if entry is not None:
            if not known:
                del self.partitions[topic]
            self.size -= 1
            self.dirty.discard(entry)
            entry.stop_listening()

    def move_to_end(self, entry: CachedPartition) -> None:
        """Let all other partitions come first the next time."""
        entry.order = self._next_order
        self._next_order += 1

    def read_as(self, reader: ReaderKind) -> None:
        """Note how the client reads now; a partition that was clean to another reader need not be to this one."""
        if reader != self._reader:
            self._reader = reader
            self.dirty.update(self)

    def clean(self, entry: CachedPartition) -> None:
        """The client knows all that there is of a partition: leave it alone until it changes."""
        if not self.closed:
            self.dirty.discard(entry)
            entry.listen()

    def partition_changed(self, entry: CachedPartition) -> None:
        """Look at the partition with the next request, and with those that wait."""
        self.dirty.add(entry)
        for delayed in self.delayed:
            delayed.partition_changed(entry)

    def close(self) -> None:
        """Hear of no more changes; a request that waits still does, and closes the session again when it is done."""
        self.closed = True
        if not self.delayed:
            for entry in self:
                entry.stop_listening()


class FetchSessions:
    """All sessions of this broker."""

    def __init__(self, slots: int = 1000) -> None:
        self._slots = slots
        self._sessions: dict[int, FetchSession] = {}
        self._random = random.SystemRandom()

    def __len__(self) -> int:
        return len(self._sessions)

    def maybe_create(
        self, size: int, reader: ReaderKind, now_ms: int, *, uses_topic_ids: bool, follower: bool = False
    ) -> FetchSession | None:
        """Open a session for *size* partitions, which the caller adds.

        None when there is no slot for it: a response without a session is always legal.
        """
        if len(self._sessions) >= self._slots and not self._evict(size, now_ms, follower=follower):
            return None
        session_id = 0
        while session_id == 0 or session_id in self._sessions:
            session_id = self._random.randrange(1, MAX_EPOCH)
        session = FetchSession(session_id, reader, now_ms, uses_topic_ids=uses_topic_ids, follower=follower)
        self._sessions[session_id] = session
        return session

    def _evict(self, size: int, now_ms: int, *, follower: bool) -> bool:
        """Make room by the rules of KIP-227: an idle session, or a smaller, less privileged one that had its time."""
        oldest = min(self._sessions.values(), key=lambda session: session.last_used_ms, default=None)
        if oldest is not None and now_ms - oldest.last_used_ms > EVICTABLE_AFTER_MS:
            self.remove(oldest.session_id)
            return True
        candidates = [
            session for session in self._sessions.values() if now_ms - session.created_ms > EVICTABLE_AFTER_MS
        ]
        lowest = min(candidates, key=lambda s: (s.follower, s.size, s.last_used_ms), default=None)
        if lowest is not None and (lowest.follower, lowest.size) < (follower, size):
            self.remove(lowest.session_id)
            return True
        return False

    def remove(self, session_id: int) -> None:
        """Close a session; an unknown id is no error."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.close()

    def get_and_advance(self, session_id: int, epoch: int, now_ms: int, *, uses_topic_ids: bool) -> FetchSession:
        """The session that an incremental request (epoch > 0) continues; its epoch becomes the next request's.

        Raises:
            ApiError: FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH (the session survives),
                FETCH_SESSION_TOPIC_ID_ERROR when the request names topics the other way than the session does.
        """
        session = self._sessions.get(session_id)
        if session is None:
            raise ApiError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != epoch:
            raise ApiError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_topic_ids != uses_topic_ids:
            raise ApiError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        session.epoch = next_epoch(epoch)
        session.last_used_ms = now_ms
        return session


def next_epoch(epoch: int) -> int:
    """The epoch of the request after the one with *epoch*; it wraps around to 1."""
    return 1 if epoch == MAX_EPOCH else epoch + 1


def requested_partitions(topics: Iterable[tuple[TopicKey, Iterable[FetchPartition]]]) -> list[CachedPartition]:
    """The partitions of a full request in its order; of one that is named twice the last entry counts."""
    entries: list[CachedPartition] = []
    known: dict[TopicKey, dict[int, CachedPartition]] = {}
    for topic, partitions in topics:
        of_topic = known.setdefault(topic, {})
        for asked in partitions:
            entry = of_topic.get(asked.partition)
            if entry is None:
                entry = of_topic[asked.partition] = CachedPartition(topic, asked)
                entries.append(entry)
            else:
                entry.asked = asked
    return entries
