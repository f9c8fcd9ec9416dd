"""compact_batch: records that stay, delete horizons, headers without records, and bytes that are not touched."""

from __future__ import annotations

from typing import Any

import pytest

from wirebroker.record.builder import build_batch
from wirebroker.record.compaction import CompactionRule, Emptied, compact_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.control import build_marker
from wirebroker.record.convert import encode_set
from wirebroker.record.errors import RecordError
from wirebroker.record.legacy import any_batches, wrap
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record, RecordBatch, stamp

NOW_MS, RETENTION_MS = 1_000_000, 5_000
HEADERS: list[tuple[bytes, bytes | None]] = [(b"h", b"1")]


def rule(latest: dict[bytes, int], map_end: int = 1 << 60, now_ms: int = NOW_MS, **changes: Any) -> CompactionRule:
    return CompactionRule(lambda key: latest.get(key, -1), map_end, now_ms, RETENTION_MS, **changes)


def batch(*records: tuple[int, bytes | None, bytes | None], **fields: Any) -> RecordBatch:
    """A batch of (offset, key, value); timestamps are 100 times the offset."""
    made = [Record(offset, offset * 100, key, value, HEADERS) for offset, key, value in records]
    return RecordBatch.parse(
        bytearray(build_batch(made, compression=Compression(fields.pop("codec", Codec.NONE)), **fields))
    )


def left(data: bytes | memoryview) -> list[Record]:
    return [record for each in any_batches(data) for record in each.records()]


@pytest.mark.parametrize("codec", Codec)
def test_a_batch_in_which_all_stays_is_the_same_bytes(codec: Codec) -> None:
    original = batch((10, b"a", b"1"), (11, b"b", b"2"), codec=codec)
    result = compact_batch(original, rule({b"a": 10, b"b": 11}))
    assert result.data is original.buffer
    assert (result.kept, result.read) == (2, 2)


@pytest.mark.parametrize("codec", Codec)
def test_what_stays_keeps_offset_timestamp_and_headers(codec: Codec) -> None:
    original = batch((10, b"a", b"1"), (11, b"b", b"2"), (13, b"c", b"3" * 300), (14, b"a", b"4"), codec=codec)
    result = compact_batch(original, rule({b"a": 99, b"b": 11, b"c": 13}))
    assert left(result.data) == [
        Record(11, 1100, b"b", b"2", HEADERS),
        Record(13, 1300, b"c", b"3" * 300, HEADERS),
    ]
    after = RecordBatch.parse(result.data)
    assert after.is_valid()
    assert (after.base_offset, after.last_offset, after.codec) == (10, 14, codec)
    assert (after.base_timestamp, after.max_timestamp) == (1100, 1300)


def test_the_producer_and_its_last_sequence_stay() -> None:
    original = batch((10, b"a", b"1"), (11, b"b", b"2"), producer=BatchProducer(7, 3, 40), attributes=TRANSACTIONAL)
    stamp(original, 10, 5)
    after = RecordBatch.parse(compact_batch(original, rule({b"a": 10, b"b": 20})).data)
    assert (after.producer_id, after.producer_epoch, after.base_sequence, after.last_sequence) == (7, 3, 40, 41)
    assert (after.partition_leader_epoch, after.is_transactional) == (5, True)


def test_records_behind_the_map_stay() -> None:
    original = batch((10, b"a", b"1"), (11, b"a", b"2"), (12, None, b"3"))
    assert [each.offset for each in left(compact_batch(original, rule({b"a": 10}, map_end=11)).data)] == [10, 11, 12]


def test_records_without_a_key_go() -> None:
    result = compact_batch(batch((10, None, b"1"), (11, b"a", b"2")), rule({b"a": 11}))
    assert [each.offset for each in left(result.data)] == [11]


def test_with_marks_no_key_is_looked_up() -> None:
    def never(_: bytes) -> int:
        raise AssertionError

    def marked(*marks: int) -> CompactionRule:
        return CompactionRule(never, 1 << 60, NOW_MS, RETENTION_MS, lambda *_: bytearray(marks))

    original = batch((10, b"a", b"1"), (12, None, b"2"), (13, b"b", None), (14, b"c", b"4" * 300))
    assert [each.offset for each in left(compact_batch(original, marked(1, 0, 0, 1, 0)).data)] == [10, 13]
    assert [each.offset for each in left(compact_batch(original, marked(0, 0, 1, 0, 1)).data)] == [14]
    assert compact_batch(original, marked(0, 0, 0, 0, 0)) == (b"", 0, 4, original.max_timestamp)
    whole = batch((10, b"a", b"1"), (11, b"b", b"2"))
    assert compact_batch(whole, marked(1, 1)).data is whole.buffer


def test_a_record_beyond_the_last_offset_of_its_batch_is_looked_up_by_its_key() -> None:
    original = batch((10, b"a", b"1"), (11, b"b", b"2"))
    original.buffer[23:27] = bytes(4)  # the last offset is the first, says the header now
    broken = RecordBatch.parse(original.buffer)
    asked = []
    marks = CompactionRule(lambda key: asked.append(key) or 11, 1 << 60, 0, 0, lambda *_: bytearray([1]))  # type: ignore[func-returns-value]
    assert compact_batch(broken, marks).kept == 2
    assert asked == [b"b"]


def test_a_key_that_is_not_in_the_map_stays() -> None:
    assert left(compact_batch(batch((10, b"old", b"1")), rule({})).data)


def test_the_first_compaction_gives_a_tombstone_its_horizon() -> None:
    original = batch((10, b"a", None), (11, b"b", b"2"))
    after = RecordBatch.parse(compact_batch(original, rule({b"a": 10, b"b": 11})).data)
    assert after.delete_horizon_ms == NOW_MS + RETENTION_MS
    assert [(each.offset, each.timestamp, each.value) for each in after.records()] == [
        (10, 1000, None),
        (11, 1100, b"2"),
    ]
    assert after.max_timestamp == 1100


def test_a_tombstone_goes_at_its_horizon_and_the_horizon_stays() -> None:
    original = batch((10, b"a", None), (11, b"b", b"2"))
    first = RecordBatch.parse(compact_batch(original, rule({b"a": 10, b"b": 11})).data)
    horizon = NOW_MS + RETENTION_MS
    before = compact_batch(first, rule({b"a": 10, b"b": 11}, now_ms=horizon - 1))
    assert before.data is first.buffer
    after = compact_batch(first, rule({b"a": 10, b"b": 11}, now_ms=horizon))
    assert [(each.offset, each.timestamp) for each in left(after.data)] == [(11, 1100)]
    assert RecordBatch.parse(after.data).delete_horizon_ms == horizon


def test_before_3_1_a_tombstone_goes_with_the_age_of_its_segment_and_gets_no_horizon() -> None:
    original = batch((10, b"a", None), (11, b"b", b"2"), (12, b"c", b"3"))
    latest = {b"a": 10, b"b": 11, b"c": 12}
    young, old = (rule(latest, marks_horizon=False, keeps_by_age=each) for each in (True, False))
    assert compact_batch(original, young).data is original.buffer
    after = RecordBatch.parse(compact_batch(original, old).data)
    assert [each.offset for each in after.records()] == [11, 12]
    assert (after.delete_horizon_ms, after.base_timestamp) == (None, 1100)
    # of a batch that a later release has given a horizon the horizon counts
    with_horizon = RecordBatch.parse(compact_batch(original, rule(latest)).data)
    assert compact_batch(with_horizon, old).data is with_horizon.buffer


def test_log_append_time_stays_the_time_of_all() -> None:
    original = batch((10, b"a", b"1"), (11, b"b", b"2"), append_time_ms=77)
    after = compact_batch(original, rule({b"a": 99, b"b": 11}))
    assert [(each.offset, each.timestamp) for each in left(after.data)] == [(11, 77)]
    assert after.max_timestamp == 77


def test_a_batch_without_records_goes_or_leaves_its_header() -> None:
    original = batch((10, b"a", b"1"), (12, b"b", b"2"), producer=BatchProducer(7, 1, 5), codec=Codec.GZIP)
    gone = rule({b"a": 99, b"b": 99})
    assert compact_batch(original, gone).data == b""
    header = RecordBatch.parse(compact_batch(original, gone, Emptied.KEEP_HEADER).data)
    assert header.is_valid()
    assert (header.base_offset, header.last_offset, header.record_count, header.size_bytes) == (10, 12, 0, 61)
    assert (header.producer_id, header.last_sequence, header.codec) == (7, 7, Codec.NONE)
    assert list(header.records()) == []
    again = compact_batch(header, gone, Emptied.KEEP_HEADER)
    assert bytes(again.data) == bytes(header.buffer)
    assert compact_batch(header, gone).data == b""


def test_an_aborted_batch_is_discarded_whatever_its_keys() -> None:
    original = batch((10, b"a", b"1"), attributes=TRANSACTIONAL, producer=BatchProducer(7, 0, 0))
    assert compact_batch(original, rule({b"a": 10}), discard=True).data == b""


def test_a_marker_stays_and_gets_a_horizon_when_its_transaction_is_empty() -> None:
    marker = RecordBatch.parse(
        build_marker(committed=True, producer_id=7, producer_epoch=0, coordinator_epoch=1, timestamp=50)
    )
    assert compact_batch(marker, rule({})).data is marker.buffer
    with_horizon = RecordBatch.parse(compact_batch(marker, rule({}), is_empty_transaction_marker=True).data)
    assert with_horizon.delete_horizon_ms == NOW_MS + RETENTION_MS
    assert with_horizon.is_control
    assert [each.timestamp for each in with_horizon.records()] == [50]
    assert compact_batch(with_horizon, rule({}), is_empty_transaction_marker=True).data is with_horizon.buffer
    before_3_1 = rule({}, marks_horizon=False)
    assert compact_batch(marker, before_3_1, is_empty_transaction_marker=True).data is marker.buffer


def test_messages_of_format_0_and_1() -> None:
    records = [Record(5, 50, b"a", b"1", []), Record(6, 60, b"b", None, []), Record(7, 70, None, b"3", [])]
    for magic in (0, 1):
        plain = b"".join(encode_set(records, magic))
        results = [compact_batch(each, rule({b"a": 5, b"b": 6})) for each in any_batches(plain)]
        assert [result.kept for result in results] == [1, 1, 0]
        kept = [compact_batch(each, rule({b"a": 5, b"b": 6}, keeps_by_age=False)).kept for each in any_batches(plain)]
        assert kept == [1, 0, 0]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.SNAPPY, Codec.LZ4])
def test_wrappers_of_format_0_and_1(magic: int, codec: Codec) -> None:
    first = 0 if magic else 5
    inside = [Record(first + n, 50 + n, key, b"v", []) for n, key in enumerate((b"a", b"b", b"c", b"d"))]
    data = wrap(b"".join(encode_set(inside, magic)), magic, Compression(codec), 8, timestamp=53)
    (original,) = any_batches(data)
    same = compact_batch(original, rule({b"a": 5, b"b": 6, b"c": 7, b"d": 8}))
    assert same.data is original.buffer
    result = compact_batch(original, rule({b"a": 99, b"b": 6, b"c": 7, b"d": 99}))
    after = left(result.data)
    assert [(each.offset, each.key) for each in after] == [(6, b"b"), (7, b"c")]
    assert [each.timestamp for each in after] == ([51, 52] if magic else [-1, -1])
    assert all(each.is_valid() and each.codec is codec for each in any_batches(result.data))
    assert compact_batch(original, rule(dict.fromkeys((b"a", b"b", b"c", b"d"), 99))).data == b""


def test_records_that_are_not_what_the_header_says_are_refused() -> None:
    original = batch((10, b"a", b"1"), (11, b"b", b"2"))
    original.record_count = 3
    with pytest.raises(RecordError):
        compact_batch(original, rule({}))
    original.record_count = 1
    with pytest.raises(RecordError, match="after the last record"):
        compact_batch(original, rule({}))
