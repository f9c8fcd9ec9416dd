"""SinglePartitionFollower: follows a partition that is written to, while nothing else changes.

A follower that keeps up gets one small batch in each response, and asks for the next one.  These steps are those of
ReplicaFetcher with the questions answered once that only have another answer when something has changed meanwhile.
They do not wait, so that the processor can have them done as soon as a response has come (`WatchedExchange`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.replication.fetcher.partition_states import FetchedPartition, PartitionFetchState, ReplicaState
from wirebroker.replication.fetcher.single_partition_response import read_single_partition
from wirebroker.replication.fetcher.watched_exchange import WatchedExchange

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.request_deadline import RequestDeadline
    from wirebroker.model import TopicPartition
    from wirebroker.quota.replication_quota import ReplicationQuota
    from wirebroker.replication.fetcher.fetch_frame import FetchFrame
    from wirebroker.replication.fetcher.fetch_session_handler import FetchSessionHandler, WantedPartition
    from wirebroker.replication.fetcher.fetcher_partitions import FetcherPartitions
    from wirebroker.replication.fetcher.fetcher_stats import FetcherStats
    from wirebroker.replication.fetcher.followed_partition import FollowedPartition
    from wirebroker.replication.fetcher.leader_endpoint import LeaderEndpoint
    from wirebroker.replication.fetcher.watched_exchange import WatchedSockets


class SinglePartitionFollower:
    """The requests of a ReplicaFetcher for one partition, one after the other.

    Args:
        leader: The requests to the leader.
        partitions: The states of the fetcher's partitions.
        session: The fetch session.
        requested: The states that the partitions of the session were requested with.
        deadline: Limits each request.
        quota: The limit of this broker as a follower.
        stats: Counts requests and bytes.
        on_failed: Called with an append that has failed.
        sockets: Returns the sockets that the processor polls; None as long as there is no processor.
    """

    _frame: FetchFrame
    _each: TopicPartition
    _wanted: WantedPartition
    _state: PartitionFetchState
    _partition: FollowedPartition | None

    def __init__(
        self,
        leader: LeaderEndpoint,
        partitions: FetcherPartitions,
        session: FetchSessionHandler,
        requested: dict[TopicPartition, PartitionFetchState],
        deadline: RequestDeadline,
        quota: ReplicationQuota,
        stats: FetcherStats,
        on_failed: Callable[[FetchedPartition, Exception], None],
        sockets: Callable[[], WatchedSockets | None] = lambda: None,
    ) -> None:
        self._leader, self._partitions, self._session, self._requested = leader, partitions, session, requested
        self._deadline, self._quota, self._stats, self._on_failed = deadline, quota, stats, on_failed
        self._exchange = WatchedExchange(leader.channel, sockets, self._take)
        self._untaken: tuple[memoryview, int] | None = None
        """The last response, if it was not taken into account."""
        self._goes_on = False
        """Whether the frame is the next request."""

    async def follow(self, frame: FetchFrame) -> tuple[memoryview, int] | None:
        """Send *frame*, the next request, of one partition; go on while responses hold one small batch of it.

        Returns the first response that does not, or that comes when something else has changed, which is not taken
        into account: its frame, or the beginning of a large one, and where the body begins.  None after a response
        that was, if the next request is another one.

        Raises:
            ChannelError: the leader was not reached, or answered something else.
        """
        ((each, wanted),) = frame.wanted
        self._frame, self._each, self._wanted, self._state = frame, each, wanted, self._requested[each]
        self._partition = self._partitions.partition(each)
        channel, exchange, encoded, version = (
            self._leader.channel,
            self._exchange.exchange,
            frame.encoded,
            frame.version,
        )
        while True:
            received = await exchange(encoded, version)
            if received is not None and (channel.missing_bytes or not self._take(*received)):
                return received if channel.missing_bytes else self._untaken
            if not self._goes_on:
                return self._untaken

    def _take(self, body: memoryview, at: int) -> bool:
        """Append the batch of a response, and change the frame to the next request; return whether that is the next.

        The response is `_untaken` if it is not what it has to be.
        """
        self._untaken, self._goes_on = (body, at), False
        frame, each, wanted, state, partition = self._frame, self._each, self._wanted, self._state, self._partition
        partitions, session, stats = self._partitions, self._session, self._stats
        topic_id, leader_epoch, _, fetch_offset, epoch, _, _, refusals = state
        single = read_single_partition(body, at, frame.version)
        if (
            single is None
            or partition is None
            or not partitions.is_only_change(each, state)
            or partitions.partition(each) is not partition
            or partition.log.reader.config.follower_replication_throttled_replicas
            or single.topic_id != topic_id
            or single.partition != each.partition
            or single.session_id != frame.session_id
            or not session.continues(single.session_id)
            or session.partitions.get(each) is not wanted
            or self._requested.get(each) is not state
            or self._quota.limit is not None
            or frame.broker_epoch != self._leader.broker_epoch()
        ):
            return False
        records, high_watermark, log = single.records, single.high_watermark, partition.log
        try:
            end = partition.append_single_batch(
                records, leader_epoch, fetch_offset, high_watermark, single.log_start_offset
            )
            if end is None:
                return False
        except Exception as error:
            end = None
            self._on_failed(FetchedPartition(each, state, partition, high_watermark, len(records)), error)
        self._untaken = None
        stats.requests += 1
        stats.size_bytes += len(records)
        session.advance()
        if end is None:
            return False
        latest_epoch, lag = log.leader_epoch_cache.latest_epoch, max(0, high_watermark - end)
        state = PartitionFetchState(
            topic_id, leader_epoch, ReplicaState.FETCHING, end, latest_epoch, lag, None, refusals
        )
        if latest_epoch != epoch or wanted.request.log_start_offset != log.log_start_offset:
            partitions.set(each, state)
            return False
        partitions.advance(each, state)
        self._state = self._requested[each] = state
        frame.update(session.next_epoch, (end,))
        self._deadline.begin()
        self._goes_on = True
        return True
