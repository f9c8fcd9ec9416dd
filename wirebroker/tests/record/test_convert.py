"""Records from one format to another: the same, but for what the other one cannot say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record import legacy_encoder
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.convert import NotConvertibleError, down_convert, encode_set
from wirebroker.record.errors import RecordError
from wirebroker.record.legacy import any_batches, build_legacy_record, parse_any
from wirebroker.record.record_batch import Record, RecordBatch
from wirebroker.record.validate import AppendRules
from wirebroker.record.validate_legacy import check_message_set
from wirebroker.tests.record.legacy_message_sets import OLD_CODECS, message_set
from wirebroker.tests.record.produce_cases import patched

APPEND_MS = 1 << 40


def read(data: bytes) -> list[Record]:
    found = []
    for batch in any_batches(data):
        assert batch.is_valid()
        found += list(batch.records())
    return found


def lowered(records: list[Record], magic: int, append_time: bool) -> list[Record]:
    """*records* as an old format can hold them."""
    if not magic:
        return [record._replace(timestamp=-1, headers=[]) for record in records]
    if append_time:
        return [record._replace(timestamp=APPEND_MS, headers=[]) for record in records]
    return [record._replace(headers=[]) for record in records]


@st.composite
def record_sets(draw: st.DrawFn) -> list[Record]:
    """Runs of alike records with odd ones in between, as batches are."""
    offset, timestamp = draw(st.sampled_from([0, 60, 8190, 1 << 33])), draw(st.sampled_from([0, 1 << 40]))
    data = st.binary(max_size=70)
    records: list[Record] = []
    for _ in range(draw(st.integers(1, 4))):
        key, value = draw(st.none() | data), draw(st.none() | data)
        headers = draw(st.lists(st.tuples(st.binary(max_size=3), st.none() | st.binary(max_size=3)), max_size=1))
        vary, step, gap = draw(st.booleans()), draw(st.sampled_from([0, 1, 40, -1])), draw(st.sampled_from([0, 0, 5]))
        for number in range(draw(st.sampled_from([1, 3, 5, 70]))):
            grown = value if value is None or not vary else value + bytes(number % 7)
            records.append(Record(offset, timestamp, key, grown, headers))
            offset, timestamp = offset + 1, max(timestamp + step, 0)
        offset += gap
    return records


@given(record_sets(), st.sampled_from([0, 1]), st.sampled_from(OLD_CODECS), st.booleans(), st.data())
def test_down(records: list[Record], magic: int, codec: Codec, append_time: bool, data: st.DataObject) -> None:
    batch = RecordBatch.parse(
        build_batch(records, compression=Compression(codec), append_time_ms=APPEND_MS if append_time else None)
    )
    first_offset = data.draw(st.sampled_from([0, *{records[0].offset, records[-1].offset, records[-1].offset + 1}]))
    converted = down_convert(batch, magic, first_offset)
    expected = lowered(records, magic, append_time)
    if codec is Codec.NONE:
        expected = [record for record in expected if record.offset >= first_offset]
        assert converted == b"".join(encode_set(expected, magic, APPEND_MS if append_time else None))
    elif magic:
        assert parse_any(converted).max_timestamp == max(record.timestamp for record in expected)
    assert read(converted) == expected


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [codec for codec in OLD_CODECS if codec is not Codec.NONE])
def test_a_wrapper_has_the_offset_of_its_last_record(codec: Codec, magic: int) -> None:
    """The first and last records of the batch, which compaction has removed, do not count."""
    records = [Record(offset, 7, b"k", b"v", []) for offset in (62, 64)]
    batch = RecordBatch.parse(build_batch(records, compression=Compression(codec), offsets=(60, 66)))
    converted = down_convert(batch, magic)
    assert int.from_bytes(converted[:8], "big") == 64
    assert read(converted) == lowered(records, magic, append_time=False)


@given(record_sets(), st.sampled_from([0, 1]), st.sampled_from([0, 1, 2]), st.sampled_from(OLD_CODECS))
def test_there_and_back(records: list[Record], magic: int, kept_magic: int, codec: Codec) -> None:
    """A set is appended to a log of some format and fetched in the format that it came in."""
    records = [record._replace(offset=number, headers=[]) for number, record in enumerate(records)]
    sent = message_set(
        magic,
        codec,
        [(record.key, record.value) for record in records],
        timestamps=[record.timestamp for record in records],
    )
    kept = check_message_set(memoryview(sent), AppendRules(1 << 24, magic=kept_magic), 0)
    assert kept is not None
    if not isinstance(kept, RecordBatch):
        kept.stamp(0)
    fetched = b""
    for batch in any_batches(kept.buffer):
        fetched += down_convert(batch, magic) if batch.magic > magic else bytes(batch.buffer)
    expected = lowered(records, min(magic, kept_magic), append_time=False)
    assert read(fetched) == expected
    if codec is Codec.NONE and kept_magic >= magic:
        assert fetched == sent


def test_every_width() -> None:
    """Offset deltas and sizes where varints grow, and blocks end."""
    for size in (0, 53, 54, 55, 56, 62, 63, 64, 65, 8180, 8181, 8190, 8200):
        count = 20_000 if size == 54 else 200
        records = [Record(n, 5, None, bytes(size), []) for n in range(count)]
        batch = RecordBatch.parse(build_batch(records))
        assert down_convert(batch, 1) == b"".join(encode_set(records, 1))


def test_kept_layouts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy_encoder, "_KEPT_LAYOUTS", 2)
    monkeypatch.setattr(legacy_encoder, "_KEPT_SIZES", 3)
    for key_bytes in range(8):
        records = [Record(n, 5, bytes(key_bytes), bytes(n % 9), []) for n in range(50)]
        for _ in range(2):
            assert down_convert(RecordBatch.parse(build_batch(records)), 1) == b"".join(encode_set(records, 1))
    assert len(legacy_encoder._LAYOUTS) <= 2


def test_old_to_older() -> None:
    for codec in OLD_CODECS:
        data = message_set(1, codec)
        converted = b"".join(down_convert(batch, 0) for batch in any_batches(data))
        assert [(r.offset, r.timestamp) for r in read(converted)] == [(n, -1) for n in range(5)]
        assert {batch.magic for batch in any_batches(converted)} == {0}
    below = parse_any(build_legacy_record(4, 1, b"k", b"v"))
    assert down_convert(below, 0, 5) == b""


def test_batches_that_cannot_be_converted() -> None:
    records = [Record(0, 1, b"k", b"v", [])]
    with pytest.raises(NotConvertibleError):
        down_convert(RecordBatch.parse(build_batch(records, compression=Compression(Codec.ZSTD))), 1)
    assert down_convert(RecordBatch.parse(build_batch([], offsets=(0, 4))), 1) == b""
    many = [Record(n, 1, b"k", b"v", []) for n in range(100)]
    for count in (99, 101):
        spoilt = RecordBatch.parse(patched(build_batch(many), record_count=count))
        for first_offset in (0, 90):
            with pytest.raises(RecordError):
                down_convert(spoilt, 1, first_offset)


@given(st.binary(min_size=1, max_size=120), st.integers(1, 30), st.sampled_from([0, 1]))
def test_any_bytes(area: bytes, count: int, magic: int) -> None:
    encoder = legacy_encoder.LegacyEncoder(magic, 0, 0, None)
    good = build_batch([Record(n, 0, b"k", b"value", []) for n in range(12)])[61:]
    try:
        encoder.encode(good + area, 0, 12 + count)
    except RecordError:
        pass
