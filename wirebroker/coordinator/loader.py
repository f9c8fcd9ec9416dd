"""Replay of a partition's log into a shard, which yields the event loop every few milliseconds."""

from __future__ import annotations

import gc
from itertools import islice
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.coordinator.shard import ReplayedBatch
from wirebroker.coordinator.turn import CoordinatorRecord
from wirebroker.loop_budget import LoopBudget
from wirebroker.record.control import read_marker
from wirebroker.record.record_batch import batches
from wirebroker.replication.errors import translated_errors

if TYPE_CHECKING:
    from wirebroker.coordinator.shard import CoordinatorShard
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import Log

_READ_BYTES: Final = 1 << 20
_READ_IN_LOOP: Final = 100
"""Records that are read without a thread; more may not be in the page cache, and are checked when first read."""
_LATEST_KEYS: Final = 100_000
"""Keys whose last records are held back, some 20 MB; more are seldom overwritten soon."""
_YOUNG: Final = 1
_FREEZE_RECORDS: Final = 5000
_STEP_RECORDS: Final = 100
"""About 0.3 ms of replay."""


async def replay_log(partition: Partition, shard: CoordinatorShard) -> int:
    """Replay the whole log of *partition* into *shard*; return the number of records.

    Appends of an earlier shard that the partition's executor still holds are written first.

    Raises:
        ApiError, RecordError, ProtocolError: the log cannot be read, or a record is malformed.
    """
    await partition.run_in_order(_nothing)
    log = partition.log
    offset = log.log_start_offset
    replay = _LogReplay(shard)
    while offset < log.log_end_offset:
        if log.log_end_offset - offset > _READ_IN_LOOP:
            data = await trio.to_thread.run_sync(_read, log, offset)
        else:
            data = _read(log, offset)
        if not data:
            break
        for batch in batches(memoryview(data)):
            if batch.next_offset > offset:
                await replay.add(batch, offset)
                offset = batch.next_offset
    await replay.finish()
    return replay.count


def _read(log: Log, offset: int) -> bytes:
    with translated_errors():
        return log.reader.read_bytes(offset, _READ_BYTES, log.log_end_offset)


def _nothing() -> None:
    """A place in the order of the log's writes."""


class _LogReplay:
    """The replay of one log, which holds back the last record of each key.

    A record counts for nothing once its key comes again, unless a transaction is open: a tombstone deletes its pending
    commits, too.  So everything is replayed when one begins, and held back no more until it ends.
    """

    def __init__(self, shard: CoordinatorShard) -> None:
        from wirebroker.record.keyed_runs import KeyedRuns  # a broker without groups needs it not

        self.count = 0
        """Records that were read."""
        self._shard = shard
        self._budget = LoopBudget()
        self._latest: dict[bytes | None, tuple[bytes | None, ReplayedBatch]] = {}
        self._runs = KeyedRuns()
        self._open_producers: set[int] = set()
        self._unfrozen = 0

    async def add(self, batch: RecordBatch, from_offset: int) -> None:
        """Replay the records of *batch* from *from_offset* on, now or later."""
        if batch.is_control:
            self._open_producers.discard(batch.producer_id)
            await self._replay_latest()
            marker = read_marker(batch)
            if marker is not None:
                self._shard.replay_end_transaction(batch.producer_id, committed=marker.committed)
            self.count += 1
            return
        who = ReplayedBatch(batch.producer_id, batch.producer_epoch, batch.is_transactional, batch.max_timestamp)
        if batch.is_transactional:
            self._open_producers.add(batch.producer_id)
        if self._open_producers or batch.base_offset < from_offset:
            await self._replay_latest()
            later = ((key, value) for offset, key, value in batch.keyed_records() if offset >= from_offset)
            while step := list(islice(later, _STEP_RECORDS)):
                await self._replay([(key, value, who) for key, value in step])
                self.count += len(step)
            return
        latest = self._latest
        for pairs in self._runs.pieces(batch):
            for key, value in pairs:
                latest[key] = value, who
            await self._budget.yield_if_due()
        self.count += batch.record_count
        if len(latest) > _LATEST_KEYS:
            await self._replay_latest()

    async def finish(self) -> None:
        """Replay what was held back, and have the shard prepare to serve."""
        await self._replay_latest()
        for _ in self._shard.finish_replay():
            await self._budget.yield_if_due()

    async def _replay_latest(self) -> None:
        if self._latest:
            records = ((key, value, who) for key, (value, who) in self._latest.items())
            while step := list(islice(records, _STEP_RECORDS)):
                await self._replay(step)
            self._latest.clear()

    async def _replay(self, records: list[tuple[bytes | None, bytes | None, ReplayedBatch]]) -> None:
        for key, value, who in records:
            if key is not None:
                self._shard.replay(CoordinatorRecord(key, value), who)
        self._unfrozen += len(records)
        if self._unfrozen >= _FREEZE_RECORDS:
            # Replayed state stays.  A full collection would traverse all of it, 30 ms with each 70,000 new objects.
            self._unfrozen = 0
            gc.collect(_YOUNG)
            gc.freeze()
        await self._budget.yield_if_due()
