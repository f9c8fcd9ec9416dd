"""FetcherPartitions: the states of one fetcher's partitions with the partitions themselves, delays and failures."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.fetcher.fetch_session_handler import error_name
from wirebroker.replication.fetcher.partition_states import PartitionFetchState, PartitionStates, ReplicaState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.model import TopicPartition
    from wirebroker.replication.fetcher.followed_partition import FollowedPartition, FollowerReplicas

logger = logging.getLogger(__name__)

_EXPECTED: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_LEADER_EPOCH})
"""Errors of a leader that has not learnt of its election yet, or is losing the partition."""
_TRANSIENT: Final = frozenset(
    {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INCONSISTENT_TOPIC_ID}
)
"""Errors that are short while a partition is created or deleted."""
_FIRST_RETRIES_S: Final = (0.05, 0.1, 0.2, 0.4)
"""The rests of a partition whose leader may learn of its election a moment later than this broker."""
_NAMED: Final = 5
"""Partitions that a log line names at most."""


class InitialFetchState(NamedTuple):
    """A partition to fetch, as a LeaderAndIsr request describes it."""

    topic_id: bytes
    """All zero for a topic without an id."""
    leader_epoch: int


class FetcherPartitions(PartitionStates):
    """The partitions of one fetcher."""

    def __init__(
        self,
        replicas: FollowerReplicas,
        failed: set[TopicPartition],
        leader: str,
        backoff_s: float,
        *,
        truncates_on_fetch: bool,
    ) -> None:
        """Begin without partitions.

        Args:
            replicas: Where the partitions are found.
            failed: Partitions that failed are added here.
            leader: The leader, for messages.
            backoff_s: ``replica.fetch.backoff.ms``, in seconds.
            truncates_on_fetch: Whether the leader names diverging epochs in Fetch responses.
        """
        super().__init__()
        self._replicas = replicas
        self._failed = failed
        self._leader = leader
        self._backoff_s = backoff_s
        self._truncates_on_fetch = truncates_on_fetch

    def partition(self, topic_partition: TopicPartition) -> FollowedPartition | None:
        """Return the partition; None if it is not served, then the fetcher has it no more."""
        partition = self._replicas.find(*topic_partition)
        if partition is None:
            self.remove(topic_partition)
        return partition

    def add(self, topic_partition: TopicPartition, initial: InitialFetchState) -> None:
        """Follow a partition; one that is followed in that leader epoch already keeps its state."""
        known = self.get(topic_partition)
        if known is not None and known.leader_epoch == initial.leader_epoch:
            return
        partition = self.partition(topic_partition)
        if partition is None:
            return
        epoch = partition.log.leader_epoch_cache.latest_epoch
        fetches = self._truncates_on_fetch and epoch >= 0
        self._failed.discard(topic_partition)
        self.set(
            topic_partition,
            PartitionFetchState(
                initial.topic_id,
                initial.leader_epoch,
                ReplicaState.FETCHING if fetches else ReplicaState.TRUNCATING,
                partition.log.log_end_offset,
                epoch,
            ),
        )

    def update_topic_id(self, topic_partition: TopicPartition, topic_id: bytes) -> None:
        """Set the id of a topic that had none."""
        state = self.get(topic_partition)
        if state is not None:
            self.set(topic_partition, state._replace(topic_id=topic_id))

    def continue_at_log_end(
        self, topic_partition: TopicPartition, state: PartitionFetchState, next_state: ReplicaState
    ) -> None:
        """Replace *state* by *next_state* from the end of the log on."""
        partition = self.partition(topic_partition)
        if partition is not None:
            log = partition.log
            epoch = log.leader_epoch_cache.latest_epoch
            moved = state._replace(state=next_state, fetch_offset=log.log_end_offset, last_fetched_epoch=epoch)
            self.set(topic_partition, moved)

    def back_off(self, topic_partitions: Sequence[TopicPartition]) -> None:
        """Let partitions rest for ``replica.fetch.backoff.ms``."""
        self.delay(topic_partitions, trio.current_time() + self._backoff_s)

    def refused_by_leader(self, topic_partitions: Sequence[TopicPartition], code: int) -> None:
        """Delay partitions for which the leader has answered *code*, or fail them if it has a newer epoch."""
        if code == ErrorCode.FENCED_LEADER_EPOCH:
            for each in topic_partitions:
                self.fail(each, "the leader has a newer leader epoch; waiting for the next LeaderAndIsr", logging.INFO)
            return
        if code in _EXPECTED or code in _TRANSIENT:
            topic_partitions = self._without_first_refusals(topic_partitions)
            if not topic_partitions:
                return
        level = logging.DEBUG if code in _EXPECTED else logging.INFO if code in _TRANSIENT else logging.ERROR
        logger.log(
            level,
            "%s answers %s for %d partitions: %s; asking again in %g s",
            self._leader,
            error_name(code),
            len(topic_partitions),
            _names(topic_partitions),
            self._backoff_s,
        )
        self.back_off(topic_partitions)

    def _without_first_refusals(self, topic_partitions: Sequence[TopicPartition]) -> list[TopicPartition]:
        """Delay those partitions for a moment that a new leader has refused seldom yet, and return the others."""
        now = trio.current_time()
        others: list[TopicPartition] = []
        for each in topic_partitions:
            state = self.get(each)
            if state is None or state.lag is not None or state.refusals >= len(_FIRST_RETRIES_S):
                others.append(each)
            else:
                self.delay([each], now + min(_FIRST_RETRIES_S[state.refusals], self._backoff_s))
        return others

    def fail(self, topic_partition: TopicPartition, reason: str, level: int = logging.ERROR) -> None:
        """Give a partition up until the next LeaderAndIsr names it; the others go on."""
        if self.remove(topic_partition) is not None:
            self._failed.add(topic_partition)
            logger.log(
                level,
                "topic=%s partition=%d: not fetched from %s any more: %s",
                *topic_partition,
                self._leader,
                reason,
            )


def _names(topic_partitions: Sequence[TopicPartition]) -> str:
    names = ", ".join(map(str, topic_partitions[:_NAMED]))
    return f"{names}, ..." if len(topic_partitions) > _NAMED else names
