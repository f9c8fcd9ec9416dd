"""Append, read, roll and flush one log."""

from __future__ import annotations

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record, RecordBatch, batches
from wirebroker.storage.errors import (
    CorruptLogError,
    OffsetOutOfRangeError,
    RecordBatchTooLargeError,
)
from wirebroker.storage.log import AppendResult
from wirebroker.storage.log_segment import LogSegment
from wirebroker.storage.log_truncation import truncate_fully_and_start_at
from wirebroker.storage.retention import delete_old_segments
from wirebroker.tests.storage.fakes.disk import FakeDisk, FakeFile
from wirebroker.tests.storage.fakes.logs import (
    LARGE,
    SMALL,
    Clock,
    batch,
    filled,
    manager,
    new_log,
    run_flush,
    values,
)

# -- appending


def test_offsets_and_epoch_are_stamped_in_place() -> None:
    log = new_log(FakeDisk(), LARGE)
    log.append_as_leader(batch(b"a", b"b"), 0, 0)
    appended = batch(b"c", b"d", b"e")
    result = log.append_as_leader(appended, 4, 0)
    assert result == AppendResult(2, 4, -1, 0, False)
    stamped = RecordBatch.parse(appended.buffer)
    assert (stamped.base_offset, stamped.last_offset, stamped.partition_leader_epoch) == (2, 4, 4)
    assert stamped.is_valid()
    assert log.leader_epoch_cache.entries == [(0, 0), (4, 2)]
    (_, found) = batches(log.read(0, 1000, 5, min_one_batch=True).tobytes())
    assert bytes(found.buffer) == bytes(appended.buffer)


def test_read_only_bytes_are_copied_not_refused() -> None:
    data = build_batch([Record(0, 1, None, b"v", [])])
    log = new_log(FakeDisk(), LARGE)
    for _ in range(2):
        log.append_as_leader(RecordBatch.parse(data), 0, 0)
    assert values(log) == [(0, b"v"), (1, b"v")]


def test_the_append_time_is_reported_when_the_broker_has_set_it() -> None:
    data = build_batch([Record(0, 1, None, b"v", [])], append_time_ms=777)
    log = new_log(FakeDisk(), LARGE)
    assert log.append_as_leader(RecordBatch.parse(bytearray(data)), 0, 777).log_append_time == 777


def test_a_batch_larger_than_a_segment_is_refused() -> None:
    log = new_log(FakeDisk(), SMALL)
    with pytest.raises(RecordBatchTooLargeError):
        log.append_as_leader(batch(b"x" * 1000), 0, 0)
    assert log.log_end_offset == 0
    log.append_as_leader(batch(b"x" * 900), 0, 0)


def test_followers_keep_offsets_and_epochs_and_leave_out_a_cut_batch() -> None:
    leader, follower = filled(FakeDisk(), 5), new_log(FakeDisk(), LARGE)
    sent = leader.read(0, 1000, 5, min_one_batch=True).tobytes()
    follower.append_as_follower(memoryview(sent[:-10]))
    assert values(follower) == values(leader)[:4]
    follower.append_as_follower(memoryview(leader.read(4, 1000, 5, min_one_batch=True).tobytes()))
    assert values(follower) == values(leader)
    assert follower.leader_epoch_cache.entries == [(0, 0)]


def test_followers_refuse_what_they_have_and_what_is_broken() -> None:
    leader, follower = filled(FakeDisk(), 3), new_log(FakeDisk(), LARGE)
    sent = bytearray(leader.read(0, 1000, 3, min_one_batch=True).tobytes())
    follower.append_as_follower(memoryview(sent))
    with pytest.raises(OffsetOutOfRangeError):
        follower.append_as_follower(memoryview(sent))
    follower = new_log(FakeDisk(), LARGE)
    sent[-1] ^= 1
    with pytest.raises(CorruptLogError):
        follower.append_as_follower(memoryview(sent))
    assert follower.log_end_offset == 2


def test_a_follower_may_begin_beyond_its_end() -> None:
    """Compaction and DeleteRecords leave gaps."""
    log = new_log(FakeDisk(), LARGE)
    for offset in (7, 9, 3_000_000_000):
        log.append_as_follower(batch(b"v", base_offset=offset, leader_epoch=0).buffer)
    assert [offset for offset, _ in values(log)] == [7, 9, 3_000_000_000]
    assert [segment.base_offset for segment in log.segments] == [0, 3_000_000_000]  # int32 relative offsets


# -- reading


def test_every_offset_can_be_read_whatever_the_batches() -> None:
    log = filled(FakeDisk(), 60, SMALL, size=10, per_batch=3)
    assert len(log.segments) > 3
    for offset in range(180):
        piece = log.read(offset, 1, 180, min_one_batch=True)
        (first,) = batches(piece.tobytes())
        assert first.base_offset <= offset <= first.last_offset
        assert piece.first_offset == first.base_offset == offset - offset % 3


def test_sizes_and_bounds() -> None:
    log = filled(FakeDisk(), 10)
    size = log.size_bytes // 10
    assert log.read(2, size - 1, 10, min_one_batch=False).size_bytes == 0
    assert log.read(2, size + 1, 10, min_one_batch=False).size_bytes == size + 1
    assert log.read(2, 0, 10, min_one_batch=False).size_bytes == 0
    assert log.read(2, 1, 10, min_one_batch=True).size_bytes == size
    assert log.read(2, 2 * size + 5, 10, min_one_batch=True).size_bytes == 2 * size + 5
    assert log.read(2, 1 << 20, 10, min_one_batch=True).size_bytes == 8 * size
    assert log.read(2, 1 << 20, 5, min_one_batch=True).size_bytes == 3 * size
    for upper in (2, 1, 0):
        assert log.read(2, 1 << 20, upper, min_one_batch=True).size_bytes == 0
    assert log.read(10, 100, 10, min_one_batch=True).tobytes() == b""


def test_the_upper_bound_holds_across_segments() -> None:
    log = filled(FakeDisk(), 40, SMALL)
    for offset in range(40):
        for upper in range(offset, 41):
            found = [
                each.base_offset for each in batches(log.read(offset, 1 << 20, upper, min_one_batch=True).tobytes())
            ]
            assert found == list(range(offset, offset + len(found)))
            assert not found or found[-1] < upper
            assert bool(found) == (upper > offset)


@pytest.mark.parametrize("offset", [-1, 2, 11])
def test_out_of_range(offset: int) -> None:
    log = filled(FakeDisk(), 10)
    log.delete_records(3)
    with pytest.raises(OffsetOutOfRangeError):
        log.read(offset, 100, 10, min_one_batch=True)


def test_a_gap_is_stepped_over() -> None:
    log = new_log(FakeDisk(), LARGE)
    for offset in (0, 5, 3_000_000_000):
        log.append_as_follower(batch(b"v", base_offset=offset, leader_epoch=0).buffer)
    for asked, found in [(1, 5), (5, 5), (6, 3_000_000_000), (1_000_000, 3_000_000_000)]:
        assert log.read(asked, 1000, log.log_end_offset, min_one_batch=True).first_offset == found


def test_a_reader_that_keeps_up_touches_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    log = filled(FakeDisk(), 30)
    monkeypatch.setattr(LogSegment, "translate_offset", lambda *_: pytest.fail("looked at the disk"))
    for n in range(30, 200):
        log.append_as_leader(batch(b"%d" % n), 0, 0)
        assert len(list(batches(log.read(n, 1 << 20, n + 1, min_one_batch=True).tobytes()))) == 1


def test_a_slice_outlives_its_segment() -> None:
    log = filled(FakeDisk(), 40, SMALL)
    piece = log.read(0, 1 << 20, 40, min_one_batch=True)
    before = piece.tobytes()
    assert delete_old_segments(log, 1 << 60, 40) > 0
    assert piece.tobytes() == before


# -- rolling


def test_rolls_by_size() -> None:
    log = filled(FakeDisk(), 40, SMALL)
    sizes = [segment.size_bytes for segment in log.segments[:-1]]
    one = log.read(0, 1, 40, min_one_batch=True).size_bytes
    assert all(SMALL.segment_bytes - one < size <= SMALL.segment_bytes for size in sizes)


def test_rolls_when_an_index_is_full() -> None:
    config = LARGE._replace(segment_index_bytes=48, index_interval_bytes=100)
    log = filled(FakeDisk(), 40, config)
    assert len(log.segments) > 3
    # 48 bytes are 6 offset entries, or 4 time entries of which one is kept for the end
    assert {segment.time_index.count for segment in log.segments[:-1]} == {3}
    assert [offset for offset, _ in values(log)] == list(range(40))


def test_a_time_index_that_holds_nothing_makes_a_segment_of_each_batch() -> None:
    log = filled(FakeDisk(), 5, LARGE._replace(segment_index_bytes=12))
    assert [segment.base_offset for segment in log.segments] == [0, 1, 2, 3, 4]
    assert len(values(log)) == 5


def test_rolls_by_the_time_in_the_records() -> None:
    log = new_log(FakeDisk(), LARGE._replace(segment_ms=100))
    for timestamp in (1000, 1100, 1050, 1101, 1150):
        log.append_as_leader(batch(timestamp=timestamp), 0, 5_000_000)
    assert [segment.base_offset for segment in log.segments] == [0, 3]


@pytest.mark.parametrize(
    ("policy", "bases"), [(("compact",), [0, 3]), (("compact", "delete"), [0, 3]), (("delete",), [0])]
)
def test_the_greatest_compaction_lag_limits_the_time_of_the_active_segment(
    policy: tuple[str, ...], bases: list[int]
) -> None:
    config = LARGE._replace(cleanup_policy=policy, segment_ms=1_000_000, max_compaction_lag_ms=100)
    log = new_log(FakeDisk(), config)
    for timestamp in (1000, 1100, 1050, 1101, 1150):
        log.append_as_leader(batch(timestamp=timestamp), 0, 5_000_000)
    assert [segment.base_offset for segment in log.segments] == bases


def test_rolls_by_the_clock_when_records_have_no_time() -> None:
    clock = Clock(1000)
    log = new_log(FakeDisk(), LARGE._replace(segment_ms=100), clock)
    for now_ms in (1000, 1100, 1101, 1102):
        clock.now_ms = now_ms
        log.append_as_leader(batch(timestamp=-1), 0, now_ms)
    assert [segment.base_offset for segment in log.segments] == [0, 2]


def test_jitter_rolls_earlier() -> None:
    log = new_log(FakeDisk(), LARGE._replace(segment_ms=1000, segment_jitter_ms=900))
    assert 0 <= log.segments[0].roll_jitter_ms < 900


def test_rolling_an_empty_segment_does_nothing() -> None:
    disk = FakeDisk()
    log = new_log(disk, LARGE)
    log.roll()
    log.append_as_leader(batch(), 0, 0)
    log.roll()
    log.roll()
    assert [segment.base_offset for segment in log.segments] == [0, 1]


# -- flushing


def test_flush_messages() -> None:
    log = new_log(FakeDisk(), LARGE._replace(flush_messages=3))
    points = []
    for _ in range(7):
        log.append_as_leader(batch(), 0, 0)
        points.append(log.recovery_point)
    assert points == [0, 0, 3, 3, 3, 6, 6]


def test_flush_ms_and_rolled_segments() -> None:
    clock = Clock(0)
    made = manager(FakeDisk(), LARGE._replace(flush_ms=1000), clock)
    log = made.get_or_create("t", 0)
    log.append_as_leader(batch(), 0, 0)
    run_flush(made, 999)
    assert log.recovery_point == 0
    clock.now_ms = 1000
    run_flush(made, 1000)
    assert (log.recovery_point, log.local_log.last_flush_ms) == (1, 1000)
    log.append_as_leader(batch(), 0, 0)
    log.roll()
    log.append_as_leader(batch(), 0, 0)
    assert log.local_log.has_unflushed_segments
    run_flush(made, 1001)
    assert log.recovery_point == 2
    assert not log.local_log.has_unflushed_segments


def test_the_indexes_of_a_segment_are_flushed_when_it_is_rolled(monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    log = filled(FakeDisk(), 10)
    log.flush()
    log.append_as_leader(batch(), 0, 0)
    monkeypatch.setattr(FakeFile, "sync", lambda file: synced.append(file.path.rpartition(".")[2]))
    log.flush()
    assert synced == ["log"]
    log.append_as_leader(batch(), 0, 0)
    log.roll()
    log.flush(rolled_only=True)
    assert synced[1:] == ["log", "index", "timeindex"]


def test_a_flush_that_was_overtaken_by_a_roll_leaves_the_indexes_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    log = filled(FakeDisk(), 10)
    sync = LogSegment.sync

    def slow(segment: LogSegment) -> None:
        sync(segment)
        log.roll()

    with monkeypatch.context() as patched:
        patched.setattr(LogSegment, "sync", slow)
        log.flush()
    assert log.recovery_point == 0
    assert log.local_log.has_unflushed_segments
    log.flush(rolled_only=True)
    assert log.recovery_point == 10


# -- retention


# -- time


# -- epochs and truncation


def test_where_epochs_end() -> None:
    log = new_log(FakeDisk(), LARGE)
    log.assign_leader_epoch(0)
    assert log.end_offset_for_epoch(0) == (0, 0)  # as Kafka answers on an empty log
    for epoch in (0, 2, 2, 5):
        log.append_as_leader(batch(), epoch, 0)
    table = {-2: (-2, 0), -1: (-1, -1), 0: (0, 1), 1: (0, 1), 2: (2, 3), 3: (2, 3), 4: (2, 3), 5: (5, 4), 6: (-1, -1)}
    assert {epoch: log.end_offset_for_epoch(epoch) for epoch in table} == table
    assert [log.leader_epoch_cache.epoch_for_offset(offset) for offset in range(5)] == [0, 2, 2, 5, 5]


def test_space_is_set_aside_and_given_back() -> None:
    disk = FakeDisk()
    log = new_log(disk, preallocate=True)
    first = log.segments[0].log_file.path
    assert disk.reserved == {first: 1000}
    while len(log.segments) == 1:
        log.append_as_leader(batch(bytes(200)), 0, 0)
    second = log.segments[1].log_file.path
    assert disk.reserved == {second: 1000}
    assert len(disk.content(first)) == log.segments[0].size_bytes
    truncate_fully_and_start_at(log, 50)
    assert disk.reserved[log.segments[0].log_file.path] == 1000
    log.close()
    assert log.segments[0].log_file.path not in disk.reserved
    assert new_log(FakeDisk()).segments[0].log_file.files.reserved == {}  # type: ignore[attr-defined]
