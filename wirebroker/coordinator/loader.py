"""Replay of a partition's log into a shard, in turns that leave the event loop to others."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.coordinator.shard import CoordinatorRecord, ReplayedBatch
from wirebroker.coordinator.turns import Turn
from wirebroker.record.control import read_marker
from wirebroker.record.record_batch import batches

if TYPE_CHECKING:
    from wirebroker.coordinator.shard import Shard
    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.replication.partition import Partition

_READ_BYTES: Final = 512 * 1024
_THREAD_BYTES: Final = 16 * 1024
"""Larger pieces are read by a thread, for they may not be in the page cache; a hop costs 0.1 ms."""
_STEP_RECORDS: Final = 100
"""About 0.3 ms of replay."""


async def replay_log(partition: Partition, shard: Shard) -> int:
    """Replay the whole log of *partition* into *shard*; return the number of records.

    What an earlier shard has handed to the partition's lane is in the log by then.  Raises whatever storage and the
    shard's codec raise on damaged data.
    """
    await partition.on_lane(_nothing)
    log = partition.log
    offset = log.log_start_offset
    count = 0
    turn = Turn()
    while offset < log.log_end_offset:
        piece = log.read(offset, _READ_BYTES, log.log_end_offset, True)
        if not piece.size_bytes:
            break
        if piece.size_bytes > _THREAD_BYTES:
            data = await trio.to_thread.run_sync(piece.tobytes)
            turn.restart()
        else:
            data = piece.tobytes()
        for batch in batches(memoryview(data)):
            if batch.next_offset > offset:
                count += await _replay_batch(shard, batch, offset, turn)
                offset = batch.next_offset
                await turn.give_way()
    for _ in shard.finish_replay():
        await turn.give_way()
    return count


def _nothing() -> None:
    """A place in the lane's queue."""


async def _replay_batch(shard: Shard, batch: RecordBatch, from_offset: int, turn: Turn) -> int:
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
        await turn.give_way()
    return count
