"""Batches that a follower appends with one write leave the same log as batches that it appends one by one."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.record_batch import RecordBatch, stamp
from wirebroker.storage import local_log
from wirebroker.storage.append_runs import append_run_as_follower
from wirebroker.storage.errors import CorruptLogError, OffsetOutOfRangeError, StorageError
from wirebroker.storage.files import Files
from wirebroker.storage.log_truncation import truncate_to
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import LARGE, SMALL, batch, manager, marker, new_log, values

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.log import Log

NOW_MS = 5000
CONFIGS = [
    LARGE,
    SMALL,
    SMALL._replace(segment_index_bytes=36),
    LARGE._replace(flush_messages=7),
    LARGE._replace(segment_ms=100),
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


def append_in_runs(log: Log, data: bytes, known_end_offset: int = 0) -> list[int]:
    """Return how many batches each write has taken."""
    at, counts = 0, []
    while at < len(data):
        began, at = at, append_run_as_follower(log, memoryview(data), at, NOW_MS, known_end_offset)
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
@given(made=leader_batches(), ends_at=st.sampled_from([0, 1 << 40]))
def test_runs_leave_the_same_files_and_the_same_state(config: LogConfig, made: list[RecordBatch], ends_at: int) -> None:
    data = b"".join(bytes(each.buffer) for each in made)
    disks = FakeDisk(), FakeDisk()
    one_by_one, in_runs = (new_log(disk, config) for disk in disks)
    append_one_by_one(one_by_one, data)
    with patch.object(local_log, "RESERVED_BYTES", 300):
        append_in_runs(in_runs, data, ends_at)
    assert state(in_runs, disks[1]) == state(one_by_one, disks[0])
    assert values(in_runs) == values(one_by_one)
    one_by_one.close()
    in_runs.close()
    assert state(in_runs, disks[1])["files"] == state(one_by_one, disks[0])["files"]
    assert disks[1].reserved == {}, "a log that is closed has no space reserved"


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


# -- space that is reserved for what a follower knows to come

BATCH_BYTES = len(plain(1))


@pytest.fixture
def reserved_bytes(monkeypatch: pytest.MonkeyPatch) -> int:
    """Reserve the space of ten batches at once."""
    monkeypatch.setattr(local_log, "RESERVED_BYTES", 10 * BATCH_BYTES)
    return 10 * BATCH_BYTES


def test_space_is_reserved_for_records_that_will_follow(reserved_bytes: int) -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    path = log.segments[0].log_file.path
    append_in_runs(log, plain(2), 100)
    assert disk.reserved == {path: BATCH_BYTES + reserved_bytes}, "from the first write of a run on"
    append_in_runs(log, plain(8, first=2), 100)
    assert disk.reserved == {path: BATCH_BYTES + reserved_bytes}, "all of it is used first"
    append_in_runs(log, plain(3, first=10), 100)
    assert disk.reserved == {path: 10 * BATCH_BYTES + reserved_bytes}
    assert disk.content(path) == plain(13), "the file ends with the log"


@pytest.mark.parametrize("known_end_offset", [0, 5, 15])
def test_no_space_is_reserved_that_may_not_be_used(known_end_offset: int, reserved_bytes: int) -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    append_in_runs(log, plain(6), known_end_offset)
    assert disk.reserved == {}
    assert log.log_end_offset == 6


def test_a_gap_in_the_offsets_is_not_counted_as_bytes(reserved_bytes: int) -> None:
    """Of a compacted log a thousand offsets may be few records."""
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    data = plain(1) + plain(1, first=500) + plain(1, first=1000)
    append_in_runs(log, data, 2000)
    assert disk.reserved == {}


def test_a_segment_that_is_rolled_or_closed_keeps_no_space(reserved_bytes: int) -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    first = log.segments[0].log_file.path
    append_in_runs(log, plain(3), 100)
    log.roll()
    assert disk.reserved == {}
    assert disk.content(first) == plain(3)
    append_in_runs(log, plain(3, first=3), 100)
    assert list(disk.reserved) == [log.segments[1].log_file.path]
    log.close()
    assert disk.reserved == {}
    assert disk.content(log.segments[1].log_file.path) == plain(3, first=3)


def test_space_beyond_the_largest_segment_is_not_reserved(reserved_bytes: int) -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE._replace(segment_bytes=7 * BATCH_BYTES))
    append_in_runs(log, plain(3), 100)
    assert set(disk.reserved.values()) == {7 * BATCH_BYTES}
    append_in_runs(log, plain(9, first=3), 100)
    assert [len(disk.content(each.log_file.path)) // BATCH_BYTES for each in log.segments] == [7, 5]
    assert values(log) == [(n, b"%d" % n) for n in range(12)]


def test_a_truncated_log_goes_on_at_its_end(reserved_bytes: int) -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    append_in_runs(log, plain(5), 100)
    truncate_to(log, 2)
    assert disk.reserved == {}
    log.append_as_leader(batch(b"as leader"), 1, NOW_MS)
    append_in_runs(log, plain(20, epoch=1, first=3), 100)
    assert values(log) == [(0, b"0"), (1, b"1"), (2, b"as leader"), *((n, b"%d" % n) for n in range(3, 23))]
    log.close()
    assert disk.reserved == {}
    assert len(disk.content(log.segments[0].log_file.path)) == log.segments[0].size_bytes


def test_a_disk_without_room_to_reserve_is_asked_once_for_a_segment(reserved_bytes: int) -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    append_in_runs(log, plain(1))
    asked: list[int] = []

    def refuse(self: object, size_bytes: int, position: int = 0) -> bool:
        asked.append(position)
        return False

    with patch.object(type(log.segments[0].log_file.open()), "reserve", refuse):
        for first in (1, 6, 11, 16):
            append_in_runs(log, plain(5, first=first), 100)
        assert asked == [BATCH_BYTES]
        log.roll()
        append_in_runs(log, plain(3, first=21), 100)
        assert len(asked) == 2
    assert values(log) == [(n, b"%d" % n) for n in range(24)]


def test_a_broker_that_is_killed_finds_the_log_as_it_was(reserved_bytes: int) -> None:
    disk = FakeDisk()
    append_in_runs(new_log(disk, LARGE), plain(5), 100)
    log = new_log(disk.restarted(), LARGE)
    assert values(log) == [(n, b"%d" % n) for n in range(5)]
    append_in_runs(log, plain(5, first=5), 100)
    assert values(log) == [(n, b"%d" % n) for n in range(10)]


def test_preallocated_segments_are_left_as_they_are(reserved_bytes: int) -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE, preallocate=True)
    append_in_runs(log, plain(5), 100)
    assert set(disk.reserved.values()) == {LARGE.segment_bytes}


def test_a_file_system_gets_back_what_was_reserved(tmp_path: Path) -> None:
    log = manager(Files(), LARGE._replace(segment_bytes=1 << 30), None, tmp_path).get_or_create("t", 0)
    append_in_runs(log, plain(100), 1 << 30)
    path = log.segments[0].log_file.path
    opened, size_bytes = os.stat(path), log.segments[0].size_bytes
    if opened.st_blocks * 512 < local_log.RESERVED_BYTES:
        pytest.skip(f"the file system of {tmp_path} does not reserve space")
    assert opened.st_size == size_bytes
    log.close()
    closed = os.stat(path)
    assert (closed.st_size, closed.st_blocks * 512 < 1 << 20) == (size_bytes, True)
