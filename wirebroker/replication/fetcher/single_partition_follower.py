"""SinglePartitionFollower: follows a partition that is written to, or a few of one topic, while nothing else changes.

A follower that keeps up gets one small batch in each response, and asks for the next one.  These steps are those of
ReplicaFetcher with the questions answered once that only have another answer when something has changed meanwhile.
They do not wait, so that the processor can have them done as soon as a response has come (`WatchedExchange`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.replication.fetcher.partition_states import FetchedPartition, PartitionFetchState, ReplicaState
from wirebroker.replication.fetcher.single_partition_response import read_few_partitions, read_single_partition
from wirebroker.replication.fetcher.watched_exchange import WatchedExchange

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wirebroker.client.request_deadline import RequestDeadline
    from wirebroker.model import TopicPartition
    from wirebroker.quota.replication_quota import ReplicationQuota
    from wirebroker.replication.fetcher.fetch_frame import FetchFrame
    from wirebroker.replication.fetcher.fetch_frames import FetchFrames
    from wirebroker.replication.fetcher.fetch_session_handler import FetchSessionHandler, WantedPartition
    from wirebroker.replication.fetcher.fetcher_partitions import FetcherPartitions
    from wirebroker.replication.fetcher.fetcher_stats import FetcherStats
    from wirebroker.replication.fetcher.followed_partition import FollowedPartition
    from wirebroker.replication.fetcher.leader_endpoint import LeaderEndpoint
    from wirebroker.replication.fetcher.watched_exchange import SocketWatcher
    from wirebroker.replication.follower_append import FetchedRecords


class SinglePartitionFollower:
    """The requests of a ReplicaFetcher for one partition, or a few, one after the other.

    Args:
        leader: The requests to the leader.
        partitions: The states of the fetcher's partitions.
        session: The fetch session.
        requested: The states that the partitions of the session were requested with.
        deadline: Limits each request.
        quota: The limit of this broker as a follower.
        stats: Counts requests and bytes.
        on_failed: Called with an append that has failed.
        frames: The requests that are kept.
        append: Appends records with the leader's log start, moves the state, and returns what has to wait.
        append_waiting: Appends that, and moves the state.
        sockets: Returns the sockets that the processor polls; None as long as there is no processor.
    """

    _frame: FetchFrame
    _each: TopicPartition | None
    """The partition of the request; None if it has several."""
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
        frames: FetchFrames,
        append: Callable[[FetchedPartition, memoryview, int], FetchedRecords | None],
        append_waiting: Callable[[FetchedPartition, FetchedRecords], Awaitable[None]],
        sockets: Callable[[], SocketWatcher | None] = lambda: None,
    ) -> None:
        self._leader, self._partitions, self._session, self._requested = leader, partitions, session, requested
        self._deadline, self._quota, self._stats, self._on_failed = deadline, quota, stats, on_failed
        self._exchange = WatchedExchange(leader.channel, sockets, self._take)
        self._untaken: tuple[memoryview, int] | None = None
        """The last response, if it was not taken into account."""
        self._frames, self._append, self._append_waiting = frames, append, append_waiting
        self._waiting: list[tuple[FetchedPartition, FetchedRecords]] = []
        """Records of the last response that have to wait."""
        self._goes_on = False
        """Whether the frame is the next request."""

    async def follow(self, frame: FetchFrame) -> tuple[memoryview, int] | None:
        """Send *frame*, the next request; go on while responses have records of a few partitions, and nothing else.

        Returns the first response that does not, or that comes when something else has changed, which is not taken
        into account: its frame, or the beginning of a large one, and where the body begins.  None after a response
        that was, if the next request is another one.

        Raises:
            ChannelError: the leader was not reached, or answered something else.
        """
        self._prepare(frame)
        channel, exchange, version = self._leader.channel, self._exchange.exchange, frame.version
        while True:
            received = await exchange(self._frame.encoded, version)
            if received is not None:
                if channel.missing_bytes:
                    return received
                self._take(*received)
            if self._waiting:
                await self._append_rest()
            if not self._goes_on:
                return self._untaken

    def close(self) -> None:
        """Follow no more; breaks the cycle of this object and its exchange."""
        self._exchange.close()

    def _prepare(self, frame: FetchFrame) -> None:
        """Expect the response to *frame*."""
        self._frame, self._each = frame, None
        if len(frame.wanted) == 1:
            ((each, self._wanted),) = frame.wanted
            self._each, self._state = each, self._requested[each]
            self._partition = self._partitions.partition(each)

    async def _append_rest(self) -> None:
        """Append what has to wait for the thread of a log directory."""
        waiting, self._waiting = self._waiting, []
        self._deadline.end()
        async with trio.open_nursery() as nursery:
            for fetched, unfinished in waiting:
                nursery.start_soon(self._append_waiting, fetched, unfinished)

    def _take(self, body: memoryview, at: int) -> bytearray | None:
        """Append the batches of a response; return the frame of the next request, None if the task has to go on.

        The response is `_untaken` if it is not what it has to be.
        """
        self._untaken, self._goes_on = (body, at), False
        frame, each = self._frame, self._each
        single = None if each is None else read_single_partition(body, at, frame.version)
        if single is None or each is None:
            return self._take_few(body, at)
        wanted, state, partition = self._wanted, self._state, self._partition
        partitions, session, stats = self._partitions, self._session, self._stats
        topic_id, leader_epoch, _, fetch_offset, epoch, _, _, refusals = state
        if (
            partition is None
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
            return self._take_few(body, at)
        records, high_watermark, log = single.records, single.high_watermark, partition.log
        try:
            end = partition.append_single_batch(
                records, leader_epoch, fetch_offset, high_watermark, single.log_start_offset
            )
            if end is None:
                return self._take_few(body, at)
        except Exception as error:
            end = None
            self._on_failed(FetchedPartition(each, state, partition, high_watermark, len(records)), error)
        self._untaken = None
        stats.requests += 1
        stats.size_bytes += len(records)
        session.advance()
        if end is None:
            return None
        latest_epoch, lag = log.leader_epoch_cache.latest_epoch, max(0, high_watermark - end)
        state = PartitionFetchState(
            topic_id, leader_epoch, ReplicaState.FETCHING, end, latest_epoch, lag, None, refusals
        )
        if latest_epoch != epoch or wanted.request.log_start_offset != log.log_start_offset:
            partitions.set(each, state)
            return None
        partitions.advance(each, state)
        self._state = self._requested[each] = state
        frame.update(session.next_epoch, (end,))
        self._deadline.begin()
        self._goes_on = True
        return frame.encoded

    def _take_few(self, body: memoryview, at: int) -> bytearray | None:
        """Take a response as `_take` does, which has other partitions than the one that was asked for, or several."""
        frame, partitions, session = self._frame, self._partitions, self._session
        few = read_few_partitions(body, at, frame.version)
        if (
            few is None
            or not partitions.is_unchanged
            or few[0].session_id != frame.session_id
            or not session.continues(frame.session_id)
            or self._quota.limit is not None
            or frame.broker_epoch != self._leader.broker_epoch()
        ):
            return None
        fetched: list[FetchedPartition] = []
        for response in few:
            each = session.topic_partition(response.topic_id, response.partition)
            state = None if each is None else partitions.get(each)
            partition = None if each is None else partitions.partition(each)
            if each is None or state is None or partition is None or self._requested.get(each) is not state:
                return None
            fetched.append(FetchedPartition(each, state, partition, response.high_watermark, len(response.records)))
        if len({each.topic_partition for each in fetched}) < len(few) or not partitions.is_unchanged:
            return None
        self._untaken = None
        self._stats.requests += 1
        session.advance()
        for one, response in zip(fetched, few, strict=True):
            unfinished = self._append(one, response.records, response.log_start_offset)
            if unfinished is not None:
                self._waiting.append((one, unfinished))
        changed = () if self._waiting or partitions.waits else partitions.few_changed(len(few))
        following = self._frames.next_request(changed) if changed else None
        if following is None:
            return None
        self._prepare(following)
        self._deadline.begin()
        self._goes_on = True
        return following.encoded
