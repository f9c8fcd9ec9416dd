"""Cleaner: the segments it writes, against a model that knows the last offset of each key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from wirebroker.config.topic import default_log_config
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch, batches, stamp
from wirebroker.storage.cleaner.cleaning import Cleaner
from wirebroker.storage.cleaner.job import CleanerLimits, CleaningJob, LastRecord, SourceSegment
from wirebroker.storage.errors import CorruptFileError
from wirebroker.tests.storage.fakes.disk import FakeDisk
from wirebroker.tests.storage.fakes.logs import DIR, Clock, marker, new_log

if TYPE_CHECKING:
    from wirebroker.storage.cleaner.job import CleanedSegment
    from wirebroker.storage.log import Log

CONFIG = default_log_config(
    cleanup_policy=("compact",),
    segment_bytes=1000,
    segment_index_bytes=240,
    index_interval_bytes=200,
    delete_retention_ms=0,
)
LIMITS = CleanerLimits(24 * 1000, 0.9, 4096, 1e308)


def keyed(*records: tuple[bytes | None, bytes | None], codec: Codec = Codec.NONE, **fields: Any) -> RecordBatch:
    made = [Record(n, 1, key, value, []) for n, (key, value) in enumerate(records)]
    return RecordBatch.parse(bytearray(build_batch(made, compression=Compression(codec), **fields)))


class Harness:
    """A log on a fake disk, and the cleaning of what is below its active segment."""

    def __init__(self, **changes: Any) -> None:
        self.disk = FakeDisk()
        self.clock = Clock()
        self.log: Log = new_log(self.disk, CONFIG._replace(**changes), self.clock)

    def append(self, batch: RecordBatch) -> int:
        return self.log.append_as_leader(batch, 0, self.clock.now_ms).base_offset

    def job(self, first_dirty: int = 0, limits: CleanerLimits = LIMITS) -> CleaningJob:
        *closed, active = self.log.segments
        sources = tuple(
            SourceSegment(
                each.base_offset,
                each.size_bytes,
                each.modified_ms(),
                each.offset_index.size_bytes,
                each.time_index.size_bytes,
            )
            for each in closed
        )
        aborted = tuple(entry for each in self.log.segments for entry in each.transaction_index.entries())
        last = {
            each.producer_id: LastRecord(each.batches[-1].last_offset if each.batches else None, each.epoch)
            for each in self.log.producer_state_manager.entries.values()
        }
        config = self.log.config
        directory = str(self.log.directory)
        return CleaningJob(
            "t-0", directory, config, sources, first_dirty, active.base_offset, self.clock.now_ms, limits, aborted, last
        )

    def clean(self, job: CleaningJob | None = None) -> Round:
        cleaner = Cleaner(job or self.job(), self.disk)
        return Round(list(cleaner.run()), cleaner, self.disk)


class Round(NamedTuple):
    segments: list[CleanedSegment]
    cleaner: Cleaner
    disk: FakeDisk

    def batches(self) -> list[RecordBatch]:
        paths = [f"{DIR}/t-0/{each.base_offset:020}.log.cleaned" for each in self.segments]
        return [batch for path in paths for batch in batches(self.disk.content(path))]

    def records(self) -> list[tuple[int, bytes | None, bytes | None]]:
        return [(each.offset, each.key, each.value) for batch in self.batches() for each in batch.records()]


def test_the_last_value_of_each_key_stays_at_its_offset() -> None:
    harness = Harness()
    for number in range(60):
        harness.append(keyed((b"k%d" % (number % 7), b"v%d" % number)))
    harness.log.roll()
    assert harness.clean().records() == [(n, b"k%d" % (n % 7), b"v%d" % n) for n in range(53, 60)]


def test_what_was_cleaned_before_loses_what_came_again() -> None:
    harness = Harness()
    harness.append(keyed((b"a", b"1"), (b"b", b"1")))
    harness.log.roll()
    harness.append(keyed((b"a", b"2")))
    harness.log.roll()
    assert harness.clean(harness.job(first_dirty=2)).records() == [(1, b"b", b"1"), (2, b"a", b"2")]


def test_a_map_that_is_full_ends_the_round_earlier() -> None:
    harness = Harness()
    for number in range(40):
        harness.append(keyed((b"k%d" % number, b"1"), (b"k0", b"2")))
    harness.log.roll()
    small = LIMITS._replace(dedupe_buffer_bytes=24 * 20, load_factor=0.5)
    first = harness.clean(harness.job(limits=small))
    assert 10 < first.cleaner.end_offset < 40
    kept = first.records()
    assert [record for record in kept if record[1] == b"k0" and record[0] < first.cleaner.end_offset - 1] == []
    assert {key for _, key, _ in kept} == {b"k%d" % number for number in range(kept[-1][0] // 2 + 1)}


def test_neighbouring_segments_become_one_up_to_the_limit() -> None:
    harness = Harness()
    for number in range(9):
        harness.append(keyed((b"k%d" % number, b"v" * 230)))
        harness.log.roll()
    cleaned = harness.clean()
    assert [each.replaced for each in cleaned.segments] == [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    assert all(each.size_bytes <= CONFIG.segment_bytes for each in cleaned.segments)


@pytest.mark.parametrize(
    ("index_bytes", "replaced"), [(4096, [(0, 4, 8)]), (60, [(0, 4), (8,)]), (40, [(0,), (4,), (8,)])]
)
def test_the_indexes_limit_what_becomes_one_segment(index_bytes: int, replaced: list[tuple[int, ...]]) -> None:
    harness = Harness(segment_bytes=100_000, segment_index_bytes=index_bytes, index_interval_bytes=0)
    for number in range(12):
        if number and not number % 4:
            harness.log.roll()
        harness.log.append_as_leader(keyed((b"k%d" % number, b"v")), 0, harness.clock.now_ms)
    harness.log.roll()
    assert [each.replaced for each in harness.clean().segments] == replaced


def test_segments_whose_offsets_are_too_far_apart_for_an_index_stay_apart() -> None:
    harness = Harness()
    harness.append(keyed((b"a", b"1")))
    for base in (10, 1 << 31, (1 << 31) + 1):
        far = keyed((b"k%d" % base, b"2"))
        stamp(far, base, 0)
        harness.log.roll()
        harness.log.append_as_follower(far.buffer)
    harness.log.roll()
    cleaned = harness.clean()
    bases = [segment.base_offset for segment in harness.log.segments[:-1]]
    assert [each.replaced for each in cleaned.segments] == [tuple(bases[:2]), tuple(bases[2:])]
    assert [offset for offset, _, _ in cleaned.records()] == [0, 10, 1 << 31, (1 << 31) + 1]


def test_a_batch_larger_than_the_buffer() -> None:
    harness = Harness(segment_bytes=100_000)
    harness.append(keyed((b"a", b"1" * 20_000), (b"b", b"2")))
    harness.append(keyed((b"a", b"3")))
    harness.log.roll()
    assert harness.clean().records() == [(1, b"b", b"2"), (2, b"a", b"3")]


@pytest.mark.parametrize("codec", Codec)
def test_every_codec(codec: Codec) -> None:
    harness = Harness()
    harness.append(keyed((b"a", b"1"), (b"b", b"2"), codec=codec))
    harness.append(keyed((b"b", b"3"), codec=codec))
    harness.log.roll()
    cleaned = harness.clean()
    assert cleaned.records() == [(0, b"a", b"1"), (2, b"b", b"3")]
    assert {batch.codec for batch in cleaned.batches()} == {codec}


def test_records_of_aborted_transactions_go_and_their_marker_stays_until_its_horizon() -> None:
    harness = Harness(delete_retention_ms=100)
    harness.append(keyed((b"a", b"committed")))
    harness.append(keyed((b"a", b"aborted"), producer=BatchProducer(7, 0, 0), attributes=TRANSACTIONAL))
    harness.append(marker(7, 0, committed=False))
    harness.append(keyed((b"c", b"1"), producer=BatchProducer(7, 0, 1), attributes=TRANSACTIONAL))
    harness.append(marker(7, 0, committed=True))
    harness.log.roll()
    cleaned = harness.clean()
    assert [batch.base_offset for batch in cleaned.batches()] == [0, 2, 3, 4]
    assert [record for record in cleaned.records() if record[1] in (b"a", b"c")] == [
        (0, b"a", b"committed"),
        (3, b"c", b"1"),
    ]
    assert cleaned.segments[0].has_transaction_index


def test_the_last_batch_of_a_producer_stays_without_records() -> None:
    harness = Harness()
    harness.append(keyed((b"a", b"1"), producer=BatchProducer(7, 2, 10)))
    harness.append(keyed((b"a", b"2"), producer=BatchProducer(8, 0, 0)))
    harness.append(keyed((b"a", b"3"), producer=BatchProducer(8, 0, 1)))
    harness.append(keyed((b"a", b"4")))
    harness.log.roll()
    found = [(each.producer_id, each.last_sequence, each.record_count) for each in harness.clean().batches()]
    assert found == [(7, 10, 0), (8, 1, 0), (-1, -1, 1)]


def test_the_last_offset_of_the_round_is_not_lost() -> None:
    harness = Harness()
    harness.append(keyed((b"a", b"1")))
    harness.append(keyed((b"a", None)))
    harness.log.roll()
    first = harness.clean()
    assert [(each.last_offset, each.record_count) for each in first.batches()] == [(1, 1)]


def test_a_wrong_checksum_ends_the_round() -> None:
    harness = Harness()
    harness.append(keyed((b"a", b"1")))
    harness.append(keyed((b"a", b"2")))
    harness.log.roll()
    path = f"{DIR}/t-0/{0:020}.log"
    content = bytearray(harness.disk.content(path))
    content[-3] ^= 1
    harness.disk.overwrite(path, bytes(content))
    with pytest.raises(CorruptFileError, match="the checksum is wrong"):
        harness.clean()


def test_the_new_file_keeps_the_time_of_the_last_one_replaced() -> None:
    harness = Harness()
    harness.append(keyed((b"a", b"1")))
    harness.log.roll()
    before = harness.log.segments[0].modified_ms()
    harness.clean()
    assert harness.disk.modified_ms(f"{DIR}/t-0/{0:020}.log.cleaned") == before


def test_a_stop_ends_the_round_between_pieces() -> None:
    class Stop(Exception):
        pass

    def stop() -> None:
        raise Stop

    harness = Harness()
    harness.append(keyed((b"a", b"1")))
    harness.log.roll()
    with pytest.raises(Stop):
        list(Cleaner(harness.job(), harness.disk, check_stop=stop).run())
