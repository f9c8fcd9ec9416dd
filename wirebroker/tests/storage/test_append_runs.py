"""Batches that a follower appends with one write leave the same log as batches that it appends one by one."""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.record_batch import RecordBatch, stamp
from wirebroker.storage.append_runs import append_run_as_follower
from wirebroker.storage.errors import CorruptLogError, OffsetOutOfRangeError, StorageError
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import LARGE, SMALL, batch, marker, new_log, values

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.storage.log import Log

NOW_MS = 5000
CONFIGS = [
    LARGE,
    SMALL,
    replace(SMALL, segment_index_bytes=36),
    replace(LARGE, flush_messages=7),
    replace(LARGE, segment_ms=100),
]

KINDS = ["plain", "plain", "idempotent", "transactional", "marker", "epoch", "gap", "none"]


@st.composite
def leader_batches(draw: Any) -> list[RecordBatch]:
    """The batches of a leader's log: epochs, gaps, timestamps in any order, sequences, transactions, old epochs."""
    made: list[RecordBatch] = []
    offset = epoch = 0
    sequences = {7: 0, 8: 0}
    open_transactions: set[int] = set()
    for _ in range(draw(st.integers(1, 25))):
        kind = draw(
            st.sampled_from(["plain", "plain", "idempotent", "transactional", "marker", "epoch", "gap", "none"])
        )
        if kind == "epoch":
            epoch += draw(st.integers(1, 3))
        elif kind == "gap":
            offset += draw(st.sampled_from([1, 5, 3_000_000_000]))
        count = draw(st.integers(1, 3))
        content = [bytes(draw(st.integers(0, 120))) for _ in range(count)]
        timestamp = 1000 + draw(st.integers(0, 300))
        producer_id = draw(st.sampled_from([7, 8]))
        if kind == "marker" and open_transactions:
            producer_id = open_transactions.pop()
            each = marker(producer_id, 0, committed=draw(st.booleans()))
            count = 1
        elif kind in ("idempotent", "transactional") and (kind == "transactional") == (producer_id == 8):
            producer = (producer_id, 0, sequences[producer_id])
            sequences[producer_id] += count
            if kind == "transactional":
                open_transactions.add(producer_id)
            each = batch(*content, timestamp=timestamp, producer=producer, transactional=kind == "transactional")
        else:
            each = batch(*content, timestamp=timestamp)
        stamp(each, offset, -1 if kind == "none" else epoch)
        made.append(each)
        offset += count
    return made


def parsed(data: bytes) -> list[RecordBatch]:
    found, at = [], 0
    while at < len(data):
        found.append(RecordBatch.parse(memoryview(data), at))
        at += found[-1].size_bytes
    return found


def append_one_by_one(log: Log, data: bytes) -> None:
    for each in parsed(data):
        log.append_batch_as_follower(each, NOW_MS)


def append_in_runs(log: Log, data: bytes) -> list[int]:
    """Return how many batches each write has taken."""
    at, counts = 0, []
    while at < len(data):
        began, at = at, append_run_as_follower(log, memoryview(data), at, NOW_MS)
        if at == began:
            batch = RecordBatch.parse(memoryview(data), at)
            log.append_batch_as_follower(batch, NOW_MS)
            at += batch.size_bytes
        counts.append(len(parsed(data[began:at])))
    return counts


def state(log: Log, disk: FakeDisk) -> dict[str, Any]:
    """Return everything that an append changes."""
    producers = log.producer_state_manager
    return {
        "files": {path: disk.content(path) for path in disk.names},
        "end": (log.log_end_offset, producers.end_offset, log.recovery_point),
        "epochs": log.leader_epoch_cache.entries,
        "unstable": producers.unstable,
        "published": log.reader.published[2:],
        "segments": [
            (each.base_offset, each.size_bytes, each.max_timestamp_so_far, each.first_timestamp, each.index_full)
            for each in log.segments
        ],
        "indexes": [(each.offset_index.entries(), each.time_index.entries()) for each in log.segments],
    }


@pytest.mark.parametrize("config", CONFIGS)
@given(made=leader_batches())
def test_runs_leave_the_same_files_and_the_same_state(config: LogConfig, made: list[RecordBatch]) -> None:
    data = b"".join(bytes(each.buffer) for each in made)
    disks = FakeDisk(), FakeDisk()
    one_by_one, in_runs = (new_log(disk, config) for disk in disks)
    append_one_by_one(one_by_one, data)
    append_in_runs(in_runs, data)
    assert state(in_runs, disks[1]) == state(one_by_one, disks[0])
    assert values(in_runs) == values(one_by_one)
    one_by_one.close()
    in_runs.close()
    assert state(in_runs, disks[1])["files"] == state(one_by_one, disks[0])["files"]


def plain(count: int, epoch: int = 0, first: int = 0) -> bytes:
    return b"".join(
        bytes(batch(b"%d" % n, base_offset=n, leader_epoch=epoch).buffer) for n in range(first, first + count)
    )


def test_one_write_takes_all_batches_but_the_first_of_a_segment() -> None:
    log = new_log(FakeDisk(), LARGE)
    assert append_in_runs(log, plain(20)) == [1, 19]
    assert append_in_runs(log, plain(20, first=20)) == [20]
    assert append_in_runs(log, plain(5, first=40) + plain(5, epoch=3, first=45)) == [5, 1, 4]


def test_batches_before_a_corrupt_one_are_written() -> None:
    log = new_log(FakeDisk(), LARGE)
    data = bytearray(plain(10))
    data[-1] ^= 1
    with pytest.raises(CorruptLogError):
        append_in_runs(log, bytes(data))
    assert log.log_end_offset == 9
    assert [offset for offset, _ in values(log)] == list(range(9))


def test_offsets_that_go_back_are_refused() -> None:
    log = new_log(FakeDisk(), LARGE)
    with pytest.raises(OffsetOutOfRangeError):
        append_in_runs(log, plain(5) + plain(3, first=2))
    assert log.log_end_offset == 5


def test_a_disk_that_fails_puts_the_log_out_of_service() -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    append_in_runs(log, plain(2))
    disk.fail_next["pwrite"] = errno.EIO
    with pytest.raises(StorageError):
        append_run_as_follower(log, memoryview(plain(5, first=2)), 0, NOW_MS)
    assert log.log_end_offset == 2
    with pytest.raises(StorageError):
        append_run_as_follower(log, memoryview(plain(1, first=2)), 0, NOW_MS)
