"""Lookups by timestamp: the first record at or after a time, the first with the largest one."""

from __future__ import annotations

from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record, RecordBatch
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import (
    LARGE,
    SMALL,
    batch,
    new_log,
)


def test_the_first_record_at_or_after_a_time() -> None:
    log = new_log(FakeDisk(), SMALL)
    times = [100, 110, 105, 130, 120, 140, 90, 140, 150]
    for n, timestamp in enumerate(times * 3):
        log.append_as_leader(batch(b"x" * 40, timestamp=timestamp + n // 9 * 100), 0, 0)
    stamps = [timestamp + n // 9 * 100 for n, timestamp in enumerate(times * 3)]
    for asked in range(80, 360):
        expected = next(((stamp, n, 0) for n, stamp in enumerate(stamps) if stamp >= asked), None)
        assert log.reader.find_timestamp(asked) == expected
    assert log.reader.find_max_timestamp() == (350, 26, 0)
    log.delete_records(5)
    assert log.reader.find_timestamp(0) == (140, 5, 0)


def test_time_within_a_batch() -> None:
    log = new_log(FakeDisk(), LARGE)
    records = [Record(n, timestamp, None, b"v", []) for n, timestamp in enumerate([10, 30, 20, 30])]
    log.append_as_leader(RecordBatch.parse(bytearray(build_batch(records))), 2, 0)
    assert log.reader.find_timestamp(11) == (30, 1, 2)
    assert log.reader.find_timestamp(10) == (10, 0, 2)
    assert log.reader.find_timestamp(31) is None
    assert log.reader.find_max_timestamp() == (30, 1, 2)


def test_an_empty_log_knows_no_times() -> None:
    log = new_log(FakeDisk(), LARGE)
    assert log.reader.find_timestamp(0) is None
    assert log.reader.find_max_timestamp() is None
