"""ResponseAppends: appends the records of a Fetch response, of a large one while it arrives.

The leader sends the records of the next partition meanwhile, and those that are appended are still in the processor's
cache.  Each piece is appended as the records of a small response are, so role, leader epoch and log end are checked
again, and an error of one partition leaves the others.  If the connection breaks, the pieces before it stay appended,
and their partitions are fetched behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.replication.fetcher.fetch_response_decoder import Step
from wirebroker.replication.fetcher.offset_truncation import EpochEnd
from wirebroker.replication.fetcher.partition_states import FetchedPartition, ReplicaState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from wirebroker.client.request_deadline import RequestDeadline
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.messages.fetch import FetchResponse, PartitionData
    from wirebroker.replication.fetcher.fetch_session_handler import FetchSessionHandler
    from wirebroker.replication.fetcher.fetcher_partitions import FetcherPartitions
    from wirebroker.replication.fetcher.partition_states import PartitionFetchState
    from wirebroker.replication.fetcher.streamed_response import StreamedResponse
    from wirebroker.replication.follower_append import FetchedRecords

    DivergingPartitions = dict[TopicPartition, tuple[PartitionFetchState, EpochEnd | int]]
    """Partitions whose logs diverge from the leader's, with their states and its answer."""
    RefusedPartitions = dict[int, dict[TopicPartition, PartitionFetchState]]
    """Partitions with errors of the leader, by error code, with the states that they were requested with."""

_NO_RECORDS: Final = memoryview(b"")


class ResponseAppends:
    """The way of records from Fetch responses to the logs of one fetcher's partitions."""

    def __init__(
        self,
        session: FetchSessionHandler,
        partitions: FetcherPartitions,
        requested: Mapping[TopicPartition, PartitionFetchState],
        deadline: RequestDeadline,
        append: Callable[[FetchedPartition, memoryview, int], FetchedRecords | None],
        append_waiting: Callable[[FetchedPartition, FetchedRecords], Awaitable[None]],
    ) -> None:
        """Append for the fetcher that has these.

        Args:
            session: Its fetch session, which has taken the head of the response into account.
            partitions: The states of its partitions.
            requested: The states that they were requested with.
            deadline: That of the request; appends that wait do not count.
            append: Appends records with the leader's log start, moves the state, and returns what has to wait.
            append_waiting: Appends that, and moves the state.
        """
        self._session = session
        self._partitions = partitions
        self._requested = requested
        self._deadline = deadline
        self._append = append
        self._append_waiting = append_waiting

    async def process(self, response: FetchResponse) -> tuple[DivergingPartitions, RefusedPartitions]:
        """Append all records of a response, and return the partitions that need anything else."""
        diverging: DivergingPartitions = {}
        refused: RefusedPartitions = {}
        waiting: list[tuple[FetchedPartition, FetchedRecords]] = []
        budget = LoopBudget()
        for each, data in self._session.partitions_of(response):
            state = self._partitions.get(each)
            if state is None or self._requested.get(each) is not state:
                self._dropped()
                continue
            if data.error_code:
                refused.setdefault(data.error_code, {})[each] = state
            elif data.diverging_epoch.epoch >= 0:
                diverging[each] = state, EpochEnd(data.diverging_epoch.epoch, data.diverging_epoch.end_offset)
            else:
                partition = self._partitions.partition(each)
                if partition is not None:
                    records = data.records if isinstance(data.records, memoryview) else _NO_RECORDS
                    fetched = FetchedPartition(each, state, partition, data.high_watermark, len(records))
                    unfinished = self._append(fetched, records, data.log_start_offset)
                    if unfinished is not None:
                        waiting.append((fetched, unfinished))
                    await budget.yield_if_due()
        if waiting:
            self._deadline.end()
            async with trio.open_nursery() as nursery:
                for fetched, unfinished in waiting:
                    nursery.start_soon(self._append_waiting, fetched, unfinished)
        return diverging, refused

    async def process_streamed(self, streamed: StreamedResponse) -> tuple[DivergingPartitions, RefusedPartitions]:
        """Append all records of a response from `Step.HEAD` on, as `process` does.  Raises ChannelError."""
        diverging: DivergingPartitions = {}
        refused: RefusedPartitions = {}
        budget = LoopBudget()
        while await streamed.next_step() is not Step.END:
            data = streamed.partition
            each = self._session.partition_of(streamed.topic, data.partition_index)
            state = None if each is None else self._partitions.get(each)
            if each is None or state is None or self._requested.get(each) is not state:
                if each is not None:
                    self._dropped()
                await streamed.next_step()
                continue
            after: PartitionFetchState | None = state
            if not data.error_code:
                after = await self._append_batches(each, state, streamed, budget)
            await streamed.next_step()  # the end of the partition
            if data.error_code:
                refused.setdefault(data.error_code, {})[each] = state
            elif after is not None and data.diverging_epoch.epoch >= 0:
                diverging[each] = after, EpochEnd(data.diverging_epoch.epoch, data.diverging_epoch.end_offset)
            elif after is state:  # without records the leader's offsets may have changed
                await self._append_piece(each, state, data, _NO_RECORDS)
        return diverging, refused

    async def _append_batches(
        self, each: TopicPartition, state: PartitionFetchState, streamed: StreamedResponse, budget: LoopBudget
    ) -> PartitionFetchState | None:
        """Append the records of a partition while they arrive.

        Returns the state after them; None if an append was refused or has failed, then those behind it are skipped.
        """
        data = streamed.partition
        while records := await streamed.next_batches():
            moved = await self._append_piece(each, state, data, records)
            if moved is None:
                now = self._partitions.get(each)
                if now is None or now.leader_epoch != state.leader_epoch:
                    self._dropped()
                return None
            state = moved
            await budget.yield_if_due()
        return state

    async def _append_piece(
        self, each: TopicPartition, state: PartitionFetchState, data: PartitionData, records: memoryview
    ) -> PartitionFetchState | None:
        """Append *records*; return the state of the partition after them, None if they were refused."""
        partition = self._partitions.partition(each)
        if partition is None or self._partitions.get(each) is not state:  # it may have changed while a piece came
            return None
        fetched = FetchedPartition(each, state, partition, data.high_watermark, len(records))
        unfinished = self._append(fetched, records, data.log_start_offset)
        if unfinished is not None:
            self._deadline.end()
            await self._append_waiting(fetched, unfinished)
            self._deadline.begin()
        moved = self._partitions.get(each)
        if (
            moved is None
            or moved.retry_at is not None
            or moved.state is not ReplicaState.FETCHING
            or moved.leader_epoch != state.leader_epoch
            or moved.fetch_offset != partition.log.log_end_offset
        ):
            return None
        return moved

    def _dropped(self) -> None:
        """Begin the session anew after a part of a response that does not count.

        The partition was removed, or has got another leader epoch, while the leader had the request.  The leader takes
        the high watermark for known, and would not send it again in this session.
        """
        self._session.handle_error()
