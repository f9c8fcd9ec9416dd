"""LogTruncator: truncates the logs of one fetcher's partitions to what their leader has.

A partition is truncated before it is fetched (state Truncating), when the leader names a diverging epoch in a Fetch
response, and when the leader does not have the offset that is asked for.  The rules are in `offset_truncation.py`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.replication.errors import PartitionError
from wirebroker.replication.fetcher.leader_endpoint import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, AskedEpoch
from wirebroker.replication.fetcher.offset_truncation import (
    EpochEnd,
    LogEnds,
    OffsetReset,
    reset_to_leader_end,
    reset_to_leader_start,
    truncation_by_epoch,
    truncation_to_high_watermark,
)
from wirebroker.replication.fetcher.partition_states import PartitionFetchState, ReplicaState
from wirebroker.replication.log_dir_executor import WorkKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wirebroker.model import TopicPartition
    from wirebroker.replication.fetcher.fetcher_partitions import FetcherPartitions
    from wirebroker.replication.fetcher.followed_partition import FollowedPartition
    from wirebroker.replication.fetcher.leader_endpoint import LeaderEndpoint
    from wirebroker.replication.fetcher.offset_truncation import OffsetTruncation
    from wirebroker.replication.log_dir_executor import LogDirExecutor
    from wirebroker.storage.log_manager import LogManager

logger = logging.getLogger(__name__)

_AT_ONCE: Final = 128
"""Logs that are changed at one time; the executor of a directory takes them to its thread together."""


class _Change(NamedTuple):
    """A change of the end of one partition's log."""

    topic_partition: TopicPartition
    state: PartitionFetchState
    partition: FollowedPartition
    offset: int
    next_state: ReplicaState = ReplicaState.FETCHING
    restarts: bool = False

    @property
    def is_needed(self) -> bool:
        """Whether the log has records, or the beginning of an epoch, from `offset` on."""
        log = self.partition.log
        entries = log.leader_epoch_cache.entries
        end = log.log_end_offset
        return self.restarts or self.offset < end or bool(entries and entries[-1][1] >= end)


class LogTruncator:
    """The truncations of one fetcher's partitions."""

    def __init__(self, leader: LeaderEndpoint, partitions: FetcherPartitions, log_manager: LogManager) -> None:
        self._leader = leader
        self._partitions = partitions
        self._log_manager = log_manager

    async def truncate(self) -> None:
        """Truncate the partitions that are in state Truncating; one that the leader refuses is delayed or failed.

        Raises:
            ChannelError: the leader did not answer.
        """
        truncating = self._partitions.truncating()
        if not truncating:
            return
        asked: dict[TopicPartition, AskedEpoch] = {}
        by_high_watermark: list[_Change] = []
        states = dict(truncating)
        budget = LoopBudget()
        for each, state in truncating:
            await budget.yield_if_due()
            partition = self._partitions.partition(each)
            if partition is None:
                continue
            if partition.queued:  # an append of the time as leader may be running
                await partition.run_in_order(_nothing)
            epoch = partition.log.leader_epoch_cache.latest_epoch
            if epoch >= 0 and self._leader.protocol.offset_for_leader_epoch_supported:
                asked[each] = AskedEpoch(state.leader_epoch, epoch)
            else:
                truncation = truncation_to_high_watermark(_ends(partition))
                by_high_watermark.append(_Change(each, state, partition, truncation.offset))
        await self._apply(by_high_watermark)
        if asked:
            answers = await self._leader.epoch_ends(asked)
            await self.truncate_by_epochs({each: (states[each], answer) for each, answer in answers.items()})

    async def truncate_by_epochs(
        self, answers: Mapping[TopicPartition, tuple[PartitionFetchState, EpochEnd | int]]
    ) -> None:
        """Truncate after the leader's *answers*: the epoch and its end, or an error code.

        Answers for a state that a partition does not have any more are ignored.
        """
        changes: list[_Change] = []
        refused: dict[int, list[TopicPartition]] = {}
        for each, (state, answer) in answers.items():
            partition = self._partitions.partition(each)
            if partition is None or self._partitions.get(each) is not state:
                continue
            if isinstance(answer, int):
                refused.setdefault(answer, []).append(each)
                continue
            truncation = truncation_by_epoch(answer, partition.log.leader_epoch_cache, _ends(partition))
            changes.append(_Change(each, state, partition, truncation.offset, self._state_after(truncation)))
        for code, topic_partitions in refused.items():
            self._partitions.refused_by_leader(topic_partitions, code)
        await self._apply(changes)

    def _state_after(self, truncation: OffsetTruncation) -> ReplicaState:
        if truncation.is_completed or self._leader.protocol.truncation_on_fetch_supported:
            return ReplicaState.FETCHING  # a response names the next diverging epoch, if there is one
        return ReplicaState.TRUNCATING

    async def reset_offsets(self, topic_partitions: Iterable[TopicPartition]) -> None:
        """Find out where to go on after OFFSET_OUT_OF_RANGE, truncate the logs accordingly, and go on there.

        Raises:
            ChannelError: the leader did not answer.
        """
        states = {each: state for each in topic_partitions if (state := self._partitions.get(each)) is not None}
        resets: dict[TopicPartition, OffsetReset] = {}
        for each, leader_end in (await self._offsets(states, LATEST_TIMESTAMP)).items():
            partition = self._partitions.partition(each)
            if partition is not None:
                reset = reset_to_leader_end(leader_end, partition.log.log_end_offset)
                if reset is not None:
                    resets[each] = reset
        others = {each: state for each, state in states.items() if each not in resets}
        for each, leader_start in (await self._offsets(others, EARLIEST_TIMESTAMP)).items():
            partition = self._partitions.partition(each)
            if partition is not None:
                resets[each] = reset_to_leader_start(leader_start, partition.log.log_end_offset)
        changes: list[_Change] = []
        for each, reset in resets.items():
            partition = self._partitions.partition(each)
            if partition is not None and self._partitions.get(each) is states[each]:
                logger.warning(
                    "topic=%s partition=%d: fetch offset %d is out of range at %s; %s %d",
                    *(*each, states[each].fetch_offset, self._leader.channel.name),
                    _description(reset),
                    reset.fetch_offset,
                )
                changes.append(_Change(each, states[each], partition, reset.fetch_offset, restarts=reset.restarts))
        await self._apply(changes)
        self._partitions.back_off([each for each, reset in resets.items() if not (reset.truncates or reset.restarts)])

    async def _offsets(
        self, states: Mapping[TopicPartition, PartitionFetchState], timestamp: int
    ) -> dict[TopicPartition, int]:
        """Return the leader's offsets; partitions that the leader refuses are delayed or failed, and left out."""
        wanted = {each: state.leader_epoch for each, state in states.items() if self._partitions.get(each) is state}
        if not wanted:
            return {}
        found: dict[TopicPartition, int] = {}
        for each, (code, offset) in (await self._leader.offsets(wanted, timestamp)).items():
            if not code:
                found[each] = offset
            elif self._partitions.get(each) is states[each]:
                self._partitions.refused_by_leader([each], code)
        return found

    async def _apply(self, changes: Sequence[_Change]) -> None:
        """Change the logs, and set the states that follow; one checkpoint per log directory goes before them."""
        budget, needed = LoopBudget(), []
        for change in changes:
            if change.is_needed:
                needed.append(change)
            else:
                self._changed(change)
            await budget.yield_if_due()
        await self._lower_checkpoints([change for change in needed if not change.restarts])
        for first in range(0, len(needed), _AT_ONCE):
            async with trio.open_nursery() as nursery:
                for change in needed[first : first + _AT_ONCE]:
                    nursery.start_soon(self._change, change)

    async def _lower_checkpoints(self, changes: Sequence[_Change]) -> None:
        by_executor: dict[LogDirExecutor, list[_Change]] = {}
        for change in changes:
            by_executor.setdefault(change.partition.executor, []).append(change)
        for executor, of_one in by_executor.items():
            if len(of_one) == 1:
                continue  # its truncation writes the checkpoint
            for change in of_one:
                change.partition.queued += 1  # no append runs in the event loop meanwhile
            try:
                cuts = [(change.partition.log, change.offset) for change in of_one]
                await executor.submit(WorkKind.DISK, None, self._log_manager.prepare_truncations, cuts)
            finally:
                for change in of_one:
                    change.partition.queued -= 1

    async def _change(self, change: _Change) -> None:
        partition, epoch = change.partition, change.state.leader_epoch
        try:
            if change.restarts:
                await partition.truncate_fully_and_start_at(change.offset, epoch)
            else:
                await partition.truncate_to(change.offset, epoch)
        except PartitionError as error:
            self._partitions.fail(change.topic_partition, f"the log cannot be truncated to {change.offset}: {error}")
        except Exception:
            logger.exception("topic=%s partition=%d: error in a truncation", *change.topic_partition)
            self._partitions.fail(change.topic_partition, "an internal error, see above")
        else:
            self._changed(change)

    def _changed(self, change: _Change) -> None:
        """Go on from the log's end, unless the partition has got another state meanwhile."""
        if self._partitions.get(change.topic_partition) is change.state:
            self._partitions.continue_at_log_end(change.topic_partition, change.state, change.next_state)


def _nothing() -> None:
    pass


def _ends(partition: FollowedPartition) -> LogEnds:
    return LogEnds(partition.high_watermark, partition.log.log_end_offset)


def _description(reset: OffsetReset) -> str:
    if reset.truncates:
        return "the leader's log is shorter, as it was elected uncleanly: truncating to"
    if reset.restarts:
        return "the leader's log starts later: dropping all records and going on at"
    return "the leader's log is long enough by now: going on at"
