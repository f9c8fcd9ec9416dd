"""Replay of a partition's log into a shard, in turns that leave the event loop to others."""

from __future__ import annotations

import gc
from itertools import islice
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.coordinator.shard import CoordinatorRecord, ReplayedBatch
from wirebroker.record.control import read_marker
from wirebroker.record.record_batch import batches
from wirebroker.turns import Turns

if TYPE_CHECKING:
    from wirebroker.coordinator.shard import Shard
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.partition import Partition
    from wirebroker.storage.log import Log

_READ_BYTES: Final = 256 * 1024
_READ_IN_LOOP: Final = 100
"""Records that are read without a thread; more may not be in the page cache, and are checked when first read."""
_YOUNG: Final = 1
_STEP_RECORDS: Final = 100
"""About 0.3 ms of replay."""


async def replay_log(partition: Partition, shard: Shard) -> int:
    """Replay the whole log of *partition* into *shard*; return the number of records.

    What an earlier shard has handed to the partition's lane is in the log by then.  Raises whatever storage and the
    shard's codec raise on damaged data.
    """
    await partition.in_order(_nothing)
    log = partition.log
    offset = log.log_start_offset
    count = 0
    turns = Turns()
    while offset < log.log_end_offset:
        if log.log_end_offset - offset > _READ_IN_LOOP:
            data = await trio.to_thread.run_sync(_read, log, offset)
        else:
            data = _read(log, offset)
        if not data:
            break
        for batch in batches(memoryview(data)):
            if batch.next_offset > offset:
                count += await _replay_batch(shard, batch, offset, turns)
                offset = batch.next_offset
                await turns.yield_if_due()
        if len(data) >= _READ_BYTES // 2:
            # What was replayed stays.  A full collection would look at all of it, 30 ms with each 70,000 new objects.
            gc.collect(_YOUNG)
            gc.freeze()
    for _ in shard.finish_replay():
        await turns.yield_if_due()
    return count


def _read(log: Log, offset: int) -> bytes:
    return log.read(offset, _READ_BYTES, log.log_end_offset, True).tobytes()


def _nothing() -> None:
    """A place in the order of the log's writes."""


async def _replay_batch(shard: Shard, batch: RecordBatch, from_offset: int, turns: Turns) -> int:
    if batch.is_control:
        marker = read_marker(batch)
        if marker is not None:
            shard.replay_end_transaction(batch.producer_id, committed=marker.committed)
        return 1
    who = ReplayedBatch(batch.producer_id, batch.producer_epoch, batch.is_transactional, batch.max_timestamp)
    replay = shard.replay
    count = 0
    records = batch.keyed_records()
    while step := list(islice(records, _STEP_RECORDS)):
        for offset, key, value in step:
            if offset >= from_offset and key is not None:
                replay(CoordinatorRecord(key, value), offset, who)
                count += 1
        await turns.yield_if_due()
    return count
