"""The range of a log that may be cleaned, and whether that is due: one row for each rule."""

from __future__ import annotations

from typing import Any

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record, RecordBatch
from wirebroker.storage.cleaner.planning import CleanableRange, cleanable_range
from wirebroker.tests.storage.cleaner.compacted_log import CompactedLog
from wirebroker.tests.storage.fakes.disk import FakeDisk

NOW_MS = 1_000_000


def log_of_four(**config: Any) -> CompactedLog:
    """Segments with the offsets 0-1, 2-3, 4-5, and an active one with 6."""
    log = CompactedLog(FakeDisk(), **config)
    for number in range(7):
        log.append((b"a", b"%d" % number))
        if number % 2:
            log.log.roll()
    return log


def _at(timestamp: int) -> RecordBatch:
    return RecordBatch.parse(bytearray(build_batch([Record(0, timestamp, b"a", b"1", [])])))


RANGES: dict[str, tuple[dict[str, Any], int | None, int, tuple[int, int]]] = {
    # config, checkpoint, high watermark -> first dirty offset, uncleanable offset
    "never cleaned": ({}, None, 7, (0, 6)),
    "cleaned up to a segment": ({}, 4, 7, (4, 6)),
    "cleaned up to the middle of a segment": ({}, 3, 7, (3, 6)),
    "all cleaned": ({}, 6, 7, (6, 6)),
    "a checkpoint beyond the end": ({}, 100, 7, (0, 6)),
    "not replicated": ({}, None, 4, (0, 4)),
    "not replicated in the middle of a segment": ({}, None, 5, (0, 4)),
    "nothing is replicated": ({}, None, 0, (0, 0)),
}


@pytest.mark.parametrize("name", RANGES)
def test_the_range(name: str) -> None:
    config, checkpoint, high_watermark, expected = RANGES[name]
    found = cleanable_range(log_of_four(**config).log, checkpoint, high_watermark, NOW_MS)
    assert (found.first_dirty_offset, found.uncleanable_offset) == expected


def test_an_open_transaction_is_the_end() -> None:
    log = CompactedLog(FakeDisk())
    log.append((b"a", b"1"))
    log.log.roll()
    log.append_in_transaction(20, (b"a", b"2"))
    log.log.roll()
    log.append((b"a", b"3"))
    log.log.roll()
    assert cleanable_range(log.log, None, log.log.log_end_offset, NOW_MS).uncleanable_offset == 1
    log.end_transaction(20, commit=True)
    assert cleanable_range(log.log, None, log.log.log_end_offset, NOW_MS).uncleanable_offset == 3


def test_the_log_start_is_the_first_dirty_offset_if_it_is_above() -> None:
    log = log_of_four()
    log.log.delete_records(3)
    assert cleanable_range(log.log, 2, 7, NOW_MS).first_dirty_offset == 3
    assert cleanable_range(log.log, None, 7, NOW_MS).first_dirty_offset == 3


@pytest.mark.parametrize(("lag_ms", "end"), [(0, 6), (400, 6), (600, 4), (800, 2), (1000, 0)])
def test_segments_younger_than_the_least_compaction_lag_stay(lag_ms: int, end: int) -> None:
    log = CompactedLog(FakeDisk(), min_compaction_lag_ms=lag_ms)
    for number in range(7):
        log.log.append_as_leader(_at(NOW_MS - 1000 + 100 * number), 0, NOW_MS)
        if number % 2:
            log.log.roll()
    assert cleanable_range(log.log, None, 7, NOW_MS).uncleanable_offset == end


@pytest.mark.parametrize(("lag_ms", "is_due"), [(1001, False), (1000, False), (999, True), (1, True)])
def test_records_older_than_the_greatest_compaction_lag_force_a_round(lag_ms: int, is_due: bool) -> None:
    log = CompactedLog(FakeDisk(), max_compaction_lag_ms=lag_ms, min_cleanable_dirty_ratio=1.0)
    for number in range(4):
        log.log.append_as_leader(_at(NOW_MS - 1000 + 100 * number), 0, NOW_MS)
        log.log.roll()
    found = cleanable_range(log.log, None, 4, NOW_MS)
    assert found.compaction_delay_ms == max(0, 1000 - lag_ms)
    assert (found.is_overdue, found.is_due(log.log.config)) == (is_due, is_due)


def test_records_without_a_timestamp_have_the_time_of_their_file() -> None:
    log = CompactedLog(FakeDisk(), min_compaction_lag_ms=500)
    log.log.append_as_leader(_at(-1), 0, NOW_MS)
    log.log.roll()
    log.log.segments[0].log_file.open().set_modified_ms(NOW_MS - 400)
    assert cleanable_range(log.log, None, 1, NOW_MS).uncleanable_offset == 0
    log.log.segments[0].log_file.open().set_modified_ms(NOW_MS - 600)
    assert cleanable_range(log.log, None, 1, NOW_MS).uncleanable_offset == 1


@pytest.mark.parametrize(
    ("clean", "dirty", "overdue", "ratio", "is_due"),
    [
        (0, 0, True, 0.5, False),
        (0, 1, False, 0.5, True),
        (50, 50, False, 0.5, False),
        (49, 51, False, 0.5, True),
        (99, 1, True, 0.5, True),
        (0, 100, False, 1.0, False),
        (100, 1, False, 0.0, True),
    ],
)
def test_the_dirty_ratio(clean: int, dirty: int, overdue: bool, ratio: float, is_due: bool) -> None:
    config = CompactedLog(FakeDisk(), min_cleanable_dirty_ratio=ratio).log.config
    assert CleanableRange(0, 1, clean, dirty, int(overdue), 0).is_due(config) == is_due
