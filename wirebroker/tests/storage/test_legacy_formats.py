"""Logs that hold formats 0, 1 and 2: appended, indexed, recovered, cut, looked up by time, read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.topic import default_log_config
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.legacy import any_batches, build_legacy_record, wrap
from wirebroker.record.message_set import MessageSet
from wirebroker.record.validate import AppendRules
from wirebroker.record.validate_legacy import check_message_set
from wirebroker.storage.errors import (
    CorruptLogError,
    RecordBatchTooLargeError,
    StorageError,
)
from wirebroker.storage.integrity.batch_reader import BatchReader
from wirebroker.storage.log import AppendResult
from wirebroker.storage.log_truncation import start_of_batch, truncate_to
from wirebroker.tests.record.legacy_message_sets import message_set
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import SMALL, batch, manager, new_log

if TYPE_CHECKING:
    from wirebroker.config.log import LogConfig
    from wirebroker.storage.log import Log

LARGE = default_log_config(index_interval_bytes=100, segment_index_bytes=4096)
PAIRS = tuple((b"k", b"v" * 10) for _ in range(3))


def append(log: Log, magic: int, codec: Codec = Codec.NONE, at: int = 1000, now_ms: int = 5000) -> AppendResult:
    """Three messages, the second of which is the latest."""
    rules = AppendRules(magic=magic, log_append_time=log.config.log_append_time)
    times = [at, at + 10, at + 5]
    checked = check_message_set(memoryview(message_set(magic, codec, PAIRS, timestamps=times)), rules, now_ms)
    assert isinstance(checked, MessageSet)
    return log.append_messages(checked, now_ms)


def mixed(disk: FakeDisk, config: LogConfig = LARGE) -> Log:
    """All formats, with and without a codec, twice; offsets 0 to 29, times from 1000 in steps of 100."""
    log = new_log(disk, config)
    for turn in range(2):
        at = 1000 + 500 * turn
        append(log, 0, at=at)
        append(log, 0, Codec.LZ4, at=at + 100)
        append(log, 1, at=at + 200)
        append(log, 1, Codec.GZIP, at=at + 300)
        log.append_as_leader(batch(b"a", b"b", b"c", timestamp=at + 400), 0, 0)
    return log


def all_records(log: Log) -> list[tuple[int, int]]:
    """(offset, timestamp) of everything, read as a consumer would."""
    found: list[tuple[int, int]] = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        data = log.read(offset, 1 << 20, log.log_end_offset, min_one_batch=True).tobytes()
        for each in any_batches(data):
            found += [(r.offset, r.timestamp) for r in each.records() if r.offset >= offset]
        offset = found[-1][0] + 1
    return found


EXPECTED = [
    (offset, time)
    for turn in range(2)
    for kind, first in enumerate((-1, -1, 1200, 1300, 1400))
    for offset, time in zip(
        range(15 * turn + 3 * kind, 15 * turn + 3 * kind + 3),
        [-1] * 3 if first < 0 else [first + 500 * turn + more for more in ((0, 10, 5) if kind < 4 else (0, 0, 0))],
        strict=True,
    )
]


@pytest.mark.parametrize("config", [LARGE, SMALL._replace(segment_bytes=300)])
def test_mixed_formats_read_and_reload(config: LogConfig) -> None:
    disk = FakeDisk()
    log = mixed(disk, config)
    assert all_records(log) == EXPECTED
    if config is not LARGE:
        assert len(log.segments) > 3
    for offset, _ in EXPECTED:
        first = next(any_batches(log.read(offset, 1, 30, min_one_batch=True).tobytes()))
        assert first.base_offset <= offset <= first.last_offset
    log.close()
    again = manager(disk, config).get_or_create("t", 0)
    assert again.log_end_offset == 30
    assert all_records(again) == EXPECTED


def test_appending() -> None:
    log = new_log(FakeDisk(), LARGE)
    assert append(log, 0) == AppendResult(0, 2, -1, 0, False)
    assert append(log, 1, Codec.SNAPPY) == AppendResult(3, 5, -1, 0, False)
    log.config = LARGE._replace(message_timestamp_type="LogAppendTime")
    assert append(log, 1, now_ms=7777) == AppendResult(6, 8, 7777, 0, False)
    log.config = LARGE._replace(segment_bytes=100)
    with pytest.raises(RecordBatchTooLargeError):
        append(log, 1)


def test_leader_epochs_end_with_the_first_old_message() -> None:
    log = new_log(FakeDisk(), LARGE)
    log.append_as_leader(batch(), 3, 0)
    assert log.leader_epoch_cache.entries == [(3, 0)]
    append(log, 1)
    assert log.leader_epoch_cache.entries == []
    log.append_as_leader(batch(), 3, 0)
    assert log.leader_epoch_cache.entries == [(3, 4)]


def test_index_entries() -> None:
    """An entry names the set's last offset and where it begins; time entries where the largest time is reached."""
    log = new_log(FakeDisk(), LARGE._replace(index_interval_bytes=0))
    sizes = []
    for turn in range(4):
        before = log.size_bytes
        append(log, 1, Codec.NONE if turn % 2 else Codec.GZIP, at=1000 * (turn + 1))
        sizes.append(log.size_bytes - before)
    segment = log.segments[0]
    offsets = [segment.offset_index.entry(n) for n in range(segment.offset_index.count)]
    assert offsets == [(5, sizes[0]), (8, sum(sizes[:2])), (11, sum(sizes[:3]))]
    times = [segment.time_index.entry(n) for n in range(segment.time_index.count)]
    assert times == [(2010, 4), (3010, 8), (4010, 10)]


def test_format_0_has_no_time() -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE._replace(index_interval_bytes=0))
    for _ in range(3):
        append(log, 0)
    segment = log.segments[0]
    assert segment.offset_index.count == 2
    assert segment.time_index.count == 0
    assert segment.max_timestamp_and_offset() == (-1, 0)
    log.close()
    assert log.segments[0].time_index.count == 0
    assert log.reader.find_max_timestamp() is None
    assert log.reader.find_timestamp(1) is None


def test_by_time() -> None:
    for config in (LARGE, SMALL._replace(segment_bytes=300)):
        log = mixed(FakeDisk(), config)
        assert log.reader.find_timestamp(0) == (1200, 6, -1)
        assert log.reader.find_timestamp(1206) == (1210, 7, -1)
        assert log.reader.find_timestamp(1301) == (1310, 10, -1)
        assert log.reader.find_timestamp(1311) == (1400, 12, 0)
        assert log.reader.find_timestamp(1401) == (1700, 21, -1)
        assert log.reader.find_timestamp(1901) is None
        assert log.reader.find_max_timestamp() == (1900, 27, 0)
    log = new_log(FakeDisk(), LARGE)
    append(log, 1, Codec.GZIP)
    assert log.reader.find_max_timestamp() == (1010, 1, -1)


@pytest.mark.parametrize("config", [LARGE, SMALL._replace(segment_bytes=300)])
def test_recovery(config: LogConfig) -> None:
    disk = FakeDisk()
    mixed(disk, config)
    again = manager(disk, config).get_or_create("t", 0)  # nothing was closed
    assert again.log_end_offset == 30
    assert all_records(again) == EXPECTED
    assert again.reader.find_timestamp(1701) == (1710, 22, -1)
    assert again.reader.find_max_timestamp() == (1900, 27, 0)
    append(again, 1)
    assert again.log_end_offset == 33


def test_a_torn_message_is_cut_and_a_damaged_one_is_not() -> None:
    for magic, codec in ((0, Codec.NONE), (1, Codec.GZIP)):
        disk = FakeDisk()
        log = new_log(disk, LARGE)
        append(log, magic, codec)
        whole = log.size_bytes
        append(log, magic, codec)
        segment = log.segments[0]
        good = segment.log_file.open().pread(1 << 20, 0)
        segment.log_file.open().pwrite(b"\xff" * 5, len(good) - 5)
        again = manager(disk, LARGE).get_or_create("t", 0)
        last_left = 5 if codec is Codec.NONE else 3
        assert again.log_end_offset == last_left
        again.segments[0].log_file.open().pwrite(good, 0)
        again.segments[0].log_file.open().pwrite(b"\xff", whole - 1)
        segment = again.segments[0]
        segment.size_bytes = len(good)
        reader = BatchReader.of_segment(segment)
        found = [reader.find_valid(whole - 20), reader.find_valid(whole + 1)]
        later = None if codec else whole + (len(good) - whole) // 3
        assert [each and each[0] for each in found] == [whole, later]


def test_damage_before_old_messages_is_not_cut() -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    append(log, 1)
    append(log, 1)
    log.segments[0].log_file.open().pwrite(b"\xff", 30)
    with pytest.raises(StorageError, match="a valid batch is at byte 45"):
        manager(disk, LARGE).get_or_create("t", 0)


def test_truncation_knows_where_a_wrapper_begins() -> None:
    log = new_log(FakeDisk(), LARGE)
    append(log, 1, Codec.GZIP)
    append(log, 0, Codec.GZIP)
    append(log, 1)
    assert [start_of_batch(log, offset) for offset in (0, 2, 4, 5, 6, 7)] == [0, 0, 3, 3, 6, 7]
    assert truncate_to(log, 4)
    assert log.log_end_offset == 3
    assert [offset for offset, _ in all_records(log)] == [0, 1, 2]
    append(log, 1)
    assert log.log_end_offset == 6


def test_offsets_too_far_from_the_segments_first_are_a_fault() -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    append(log, 1)
    far = wrap(build_legacy_record(0, 1, None, b"v"), 1, Compression(Codec.GZIP), 1 << 31)
    log.segments[0].log_file.open().pwrite(far, log.size_bytes)
    with pytest.raises(StorageError, match="too far"):
        manager(disk, LARGE).get_or_create("t", 0)


def test_followers_take_old_messages() -> None:
    leader, follower = mixed(FakeDisk()), new_log(FakeDisk(), LARGE)
    follower.append_as_follower(memoryview(leader.read(0, 1 << 20, 30, min_one_batch=True).tobytes()))
    assert all_records(follower) == EXPECTED
    spoilt = bytearray(build_legacy_record(30, 1, None, b"v"))
    spoilt[-1] ^= 1
    with pytest.raises(CorruptLogError):
        follower.append_as_follower(memoryview(spoilt))


def test_segment_starts() -> None:
    disk = FakeDisk()
    log = new_log(disk, SMALL._replace(segment_bytes=300))
    for _ in range(6):
        append(log, 1)
    starts = log.reader.segment_starts()
    assert [offset for offset, _ in starts] == [*(segment.base_offset for segment in log.segments), 18]
    log.delete_records(1)
    assert log.reader.segment_starts()[0][0] == 1
    log.roll()
    assert [offset for offset, _ in log.reader.segment_starts()][-2:] == [log.segments[-2].base_offset, 18]
