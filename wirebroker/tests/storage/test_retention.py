"""Retention: which segments are deleted by time, size, log start and high watermark, and when their files go."""

from __future__ import annotations

import pytest

from wirebroker.storage.errors import (
    LogError,
)
from wirebroker.storage.retention import delete_old_segments
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import (
    LARGE,
    SMALL,
    Clock,
    batch,
    filled,
    manager,
    new_log,
    run_retention,
    values,
)


def test_retention_by_time_keeps_the_last_segment_empty() -> None:
    disk, clock = FakeDisk(), Clock(2000)
    made = manager(disk, SMALL._replace(retention_ms=500), clock)
    log = made.get_or_create("t", 0)
    for n in range(40):
        log.append_as_leader(batch(b"x" * 50, timestamp=1000 + n), 0, 0)
    assert delete_old_segments(log, 1500, 40) == 0
    assert delete_old_segments(log, 1520, 40) > 0
    start = log.log_start_offset
    assert 0 < start <= 21
    delete_old_segments(log, 1539, 40)  # the oldest record of the last segment is too old, its youngest is not
    assert log.size_bytes
    assert delete_old_segments(log, 9999, 40) > 0
    assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (40, 40, 0)
    assert delete_old_segments(log, 1 << 60, 40) == 0
    log.append_as_leader(batch(b"more", timestamp=9999), 0, 0)
    assert values(log) == [(40, b"more")]


def test_retention_by_size_goes_below_the_limit_by_less_than_a_segment() -> None:
    log = filled(FakeDisk(), 40, SMALL._replace(retention_bytes=2000, retention_ms=-1))
    delete_old_segments(log, 0, 40)
    assert 2000 <= log.size_bytes < 2000 + SMALL.segment_bytes
    assert log.log_start_offset == log.segments[0].base_offset


def test_nothing_at_the_high_watermark_or_above_goes() -> None:
    log = filled(FakeDisk(), 40, SMALL._replace(retention_ms=0))
    mark = log.segments[2].base_offset + 1
    delete_old_segments(log, 1 << 60, mark)
    assert log.log_start_offset == log.segments[0].base_offset == mark - 1
    assert log.log_start_offset <= mark


def test_a_compacted_topic_loses_only_what_is_below_its_start() -> None:
    log = filled(FakeDisk(), 40, SMALL._replace(cleanup_policy=("compact",), retention_bytes=0, retention_ms=0))
    assert delete_old_segments(log, 1 << 60, 40) == 0
    log.delete_records(20)
    assert delete_old_segments(log, 1 << 60, 40) > 0
    assert log.log_start_offset == 20
    assert log.segments[0].base_offset <= 20


def test_deleted_files_are_renamed_at_once_and_removed_later() -> None:
    disk, clock = FakeDisk(), Clock(0)
    made = manager(disk, SMALL._replace(file_delete_delay_ms=60_000), clock)
    log = made.get_or_create("t", 0)
    for _ in range(40):
        log.append_as_leader(batch(b"x" * 50, timestamp=0), 0, 0)
    clock.now_ms = 1 << 40
    count = run_retention(made, clock.now_ms)
    doomed = [path for path in disk.names if path.endswith(".deleted")]
    assert len(doomed) == count * 3 + count - 1  # every segment but the first has a producer snapshot
    assert made.delete_due_files(clock.now_ms + 59_999) == 0
    assert made.delete_due_files(clock.now_ms + 60_000) == len(doomed)
    assert not [path for path in disk.names if path.endswith(".deleted")]


def test_delete_records_moves_the_start_and_the_epochs() -> None:
    log = new_log(FakeDisk(), LARGE)
    for epoch in (0, 0, 1, 1, 5):
        log.append_as_leader(batch(), epoch, 0)
    log.delete_records(3)
    assert log.log_start_offset == 3
    assert log.leader_epoch_cache.entries == [(1, 3), (5, 4)]
    log.delete_records(1)
    assert log.log_start_offset == 3
    with pytest.raises(LogError):
        log.delete_records(6)
