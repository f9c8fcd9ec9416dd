"""PartitionStates: the states of one fetcher's partitions, and which of them have changed.

    Truncating  the log may have records that the leader's has not; the leader is asked before anything is fetched
    Fetching    part of every fetch request
    Delayed     either of them, after an error, until `retry_at`
    Failed      not here any more: nothing is done for it until the next LeaderAndIsr

A fetcher with thousands of idle partitions looks at those that have changed, at none else.
"""

from __future__ import annotations

from enum import Enum, auto
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wirebroker.model import TopicPartition
    from wirebroker.replication.fetcher.followed_partition import FollowedPartition


class ReplicaState(Enum):
    """The work that a follower has to do for one partition."""

    TRUNCATING = auto()
    FETCHING = auto()


class PartitionFetchState(NamedTuple):
    """The state of one partition; replaced as a whole, so a response belongs to a state by identity."""

    topic_id: bytes
    """All zero for a topic without an id."""
    leader_epoch: int
    state: ReplicaState
    fetch_offset: int
    """The log end, while the partition is fetched."""
    last_fetched_epoch: int
    """The epoch of the last record in the log, -1 if it has none; the leader compares it from Fetch 12 on."""
    lag: int | None = None
    """Records up to the leader's high watermark; None before the first response."""
    retry_at: float | None = None
    """The time of the monotonic clock until which the partition rests; None if it does not."""
    refusals: int = 0
    """Errors of the leader before its first response with a high watermark."""

    @property
    def is_in_sync(self) -> bool:
        """Whether the follower had all committed records at the last response; such a one is not throttled."""
        return self.lag == 0


class PartitionStates:
    """The states of a fetcher's partitions.  Times are those of the monotonic clock, in seconds."""

    def __init__(self) -> None:
        self._states: dict[TopicPartition, PartitionFetchState] = {}
        self._truncating: dict[TopicPartition, None] = {}
        """Partitions to truncate now, in the order in which they came."""
        self._changed: dict[TopicPartition, None] = {}
        """Partitions whose part of the next request may be another than that of the last one."""
        self._delayed: list[tuple[float, TopicPartition]] = []
        """A heap by time; entries of partitions that have changed since are out of date."""

    def __len__(self) -> int:
        return len(self._states)

    def __iter__(self) -> Iterator[TopicPartition]:
        return iter(self._states)

    def get(self, topic_partition: TopicPartition) -> PartitionFetchState | None:
        """Return the state of a partition, None if the fetcher does not have it."""
        return self._states.get(topic_partition)

    @property
    def has_truncating(self) -> bool:
        """Whether there are partitions to truncate now."""
        return bool(self._truncating)

    @property
    def has_delays(self) -> bool:
        """Whether `end_delays` may have something to do, now or later."""
        return bool(self._delayed)

    def few_changed(self, limit: int) -> tuple[TopicPartition, ...]:
        """Return the partitions that have changed since the last `take_changed`; none if they are more than *limit*."""
        changed = self._changed
        return tuple(changed) if len(changed) <= limit else ()

    def set(self, topic_partition: TopicPartition, state: PartitionFetchState) -> None:
        """Add a partition, or replace its state."""
        self._states[topic_partition] = state
        self._changed[topic_partition] = None
        self._truncating.pop(topic_partition, None)
        if state.retry_at is not None:
            heappush(self._delayed, (state.retry_at, topic_partition))
        elif state.state is ReplicaState.TRUNCATING:
            self._truncating[topic_partition] = None

    def is_only_change(self, topic_partition: TopicPartition, state: PartitionFetchState) -> bool:
        """Return whether a response for a partition in *state* is all that the next request depends on."""
        is_same = self._states.get(topic_partition) is state
        return is_same and not self._changed and not self._delayed and not self._truncating

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing has changed since the last request, and no partition waits for anything else."""
        return not self._changed and not self.waits

    @property
    def waits(self) -> bool:
        """Whether a partition rests, or is to be truncated."""
        return bool(self._delayed) or bool(self._truncating)

    def advance(self, topic_partition: TopicPartition, state: PartitionFetchState) -> None:
        """Replace the state of a partition that is fetched by the one that the next request names."""
        self._states[topic_partition] = state

    def delay(self, topic_partitions: Iterable[TopicPartition], until: float) -> None:
        """Let partitions rest; those that do already keep their time."""
        for each in topic_partitions:
            state = self._states.get(each)
            if state is not None and state.retry_at is None:
                self.set(each, state._replace(retry_at=until, refusals=state.refusals + 1))

    def remove(self, topic_partition: TopicPartition) -> PartitionFetchState | None:
        """Remove a partition, and return its last state if it was there."""
        state = self._states.pop(topic_partition, None)
        if state is not None:
            self._changed[topic_partition] = None
            self._truncating.pop(topic_partition, None)
        return state

    def end_delays(self, now: float) -> None:
        """Go on with the partitions that have rested long enough."""
        while self._delayed and self._delayed[0][0] <= now:
            until, topic_partition = heappop(self._delayed)
            state = self._states.get(topic_partition)
            if state is not None and state.retry_at == until:
                self.set(topic_partition, state._replace(retry_at=None))

    @property
    def next_retry_at(self) -> float:
        """The next time at which `end_delays` may have something to do; infinite if there is none."""
        return self._delayed[0][0] if self._delayed else float("inf")

    def truncating(self) -> list[tuple[TopicPartition, PartitionFetchState]]:
        """Return the partitions to truncate now."""
        return [(each, self._states[each]) for each in self._truncating]

    def mark_changed(self, topic_partition: TopicPartition) -> None:
        """Look at a partition again for the next request, for a reason outside its state."""
        if topic_partition in self._states:
            self._changed[topic_partition] = None

    def forget_changed(self) -> None:
        """Take the changes since the last `take_changed` for known."""
        self._changed.clear()

    def take_changed(self) -> list[tuple[TopicPartition, PartitionFetchState | None]]:
        """Return partitions that have changed since the last call, with None for those to leave out of requests."""
        changed, self._changed = self._changed, {}
        found: list[tuple[TopicPartition, PartitionFetchState | None]] = []
        for each in changed:
            state = self._states.get(each)
            if state is not None and (state.retry_at is not None or state.state is not ReplicaState.FETCHING):
                state = None
            found.append((each, state))
        return found


class FetchedPartition(NamedTuple):
    """The data of one partition in a response."""

    topic_partition: TopicPartition
    state: PartitionFetchState
    """The state that the partition was requested with."""
    partition: FollowedPartition
    high_watermark: int
    size_bytes: int
