"""Messages of formats 0 and 1: read as Apache Kafka wrote them, written so that they read the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.compression import Codec, Compression
from wirebroker.record.errors import IncompleteBatchError, RecordError
from wirebroker.record.legacy import LegacyBatch, any_batches, build_legacy_record, parse_any, wrap
from wirebroker.record.lz4_header import with_old_checksum, with_right_checksum, xxh32_short
from wirebroker.record.record_batch import RecordBatch, TimestampType
from wirebroker.tests.record.golden import JAVA
from wirebroker.tests.record.legacy_message_sets import KAFKA, OLD_CODECS, PAIRS, message_set, patched_message
from wirebroker.tests.record.produce_cases import NOW_MS

#: (b"k", b"value") at offset 5, by hand
BY_HAND = (
    "0000000000000005 00000014 {crc} 00 00 00000001 6b 00000005 76616c7565",
    "0000000000000005 0000001c {crc} 01 00 0000000000000007 00000001 6b 00000005 76616c7565",
)


@pytest.mark.parametrize("magic", [0, 1])
def test_layout(magic: int) -> None:
    built = build_legacy_record(5, magic, b"k", b"value", timestamp=7)
    expected = bytes.fromhex(BY_HAND[magic].format(crc=built[12:16].hex()))
    assert built == expected
    batch = parse_any(built)
    assert isinstance(batch, LegacyBatch)
    assert batch.is_valid()
    assert (batch.base_offset, batch.last_offset, batch.next_offset, batch.record_count) == (5, 5, 6, 1)
    assert batch.max_timestamp == (7 if magic else -1)
    assert batch.timestamp_type == (TimestampType.CREATE_TIME if magic else None)
    assert list(batch.records()) == [(5, 7 if magic else -1, b"k", b"value", [])]
    assert list(batch.keyed_records()) == [(5, b"k", b"value")]
    assert list(batch.keys()) == [(5, b"k")]
    damaged = bytearray(built)
    damaged[-1] ^= 1
    assert not parse_any(damaged).is_valid()


@pytest.mark.parametrize(("magic", "codec"), KAFKA)
def test_wrappers_that_kafka_wrote(magic: int, codec: Codec) -> None:
    base, text = KAFKA[magic, codec]
    batch = parse_any(bytes.fromhex(text))
    assert isinstance(batch, LegacyBatch)
    assert batch.is_valid()
    assert (batch.magic, batch.codec, batch.base_offset, batch.last_offset) == (magic, codec, base, base + 4)
    assert [(r.offset, r.timestamp, r.key, r.value) for r in batch.records()] == [
        (base + number, -1, *pair) for number, pair in enumerate(PAIRS)
    ]
    assert all(valid for _, _, valid in batch.checked_records())


def test_lz4_of_format_0_keeps_the_old_checksum() -> None:
    frames = {}
    for magic in (0, 1):
        outer = LegacyBatch.parse(bytes.fromhex(KAFKA[magic, Codec.LZ4][1])).outer()
        assert outer.value is not None
        frames[magic] = outer.value
        again = with_right_checksum(outer.value)
        assert (again == outer.value) == (magic == 1)
        assert with_old_checksum(again) == (outer.value if magic == 0 else with_old_checksum(outer.value))
    assert frames[0][6] == 0x1A  # over the frame's magic bytes, too
    assert frames[1][6] == 0x82
    assert wrap(b"x" * 26, 0, Compression(Codec.LZ4), 0)[26:33].hex() == "04224d1860401a"
    sized = bytes.fromhex("04224d18 6c 40 0500000000000000 00")  # with a content size before the checksum
    assert with_right_checksum(sized)[:-1] == sized[:-1]
    assert xxh32_short(b"") == 0x02CC5D05
    assert xxh32_short(b"a") == 0x550D7456
    assert xxh32_short(b"abcd") == 0xA3643705
    for cut in (b"", frames[0][:6], sized[:10]):
        with pytest.raises(RecordError):
            with_right_checksum(cut)


@pytest.mark.parametrize("codec", OLD_CODECS)
@pytest.mark.parametrize("magic", [0, 1])
def test_round_trip(magic: int, codec: Codec) -> None:
    data = message_set(magic, codec)
    found = [record for batch in any_batches(data) for record in batch.records()]
    assert [(r.key, r.value) for r in found] == list(PAIRS)
    assert [r.timestamp for r in found] == [NOW_MS + n if magic else -1 for n in range(5)]
    assert [r.offset for r in found] == list(range(5))


def test_log_append_time_of_a_wrapper_is_everybodys() -> None:
    data = message_set(1, Codec.GZIP, attributes=8)
    data = patched_message(data, 18, "q", 99)
    batch = parse_any(data)
    assert batch.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert {record.timestamp for record in batch.records()} == {99}


def test_offsets_inside() -> None:
    inside = b"".join(build_legacy_record(offset, 1, None, b"v") for offset in (0, 1, 4))  # as compaction leaves it
    assert [r.offset for r in parse_any(wrap(inside, 1, Compression(Codec.GZIP), 104)).records()] == [100, 101, 104]
    # from some clients the wrapper bears 0, and the offsets inside are to be taken as they are
    assert [r.offset for r in parse_any(wrap(inside, 1, Compression(Codec.GZIP), 0)).records()] == [0, 1, 4]
    with pytest.raises(RecordError, match="below"):
        list(parse_any(wrap(inside, 1, Compression(Codec.GZIP), 3)).records())
    absolute = b"".join(build_legacy_record(offset, 0, None, b"v") for offset in (7, 9))
    assert [r.offset for r in parse_any(wrap(absolute, 0, Compression(Codec.GZIP), 9)).records()] == [7, 9]


def test_invalid_requests() -> None:
    good = build_legacy_record(0, 1, b"k", b"v")
    for cut in range(1, len(good)):
        with pytest.raises(IncompleteBatchError):
            LegacyBatch.parse(good[:cut])
        assert [batch.size_bytes for batch in any_batches(good + good[:cut])] == [len(good)]
    with pytest.raises(RecordError):
        LegacyBatch.parse(patched_message(good, 8, "i", 21))
    with pytest.raises(RecordError):
        LegacyBatch.parse(patched_message(good, 16, "b", 2))
    for at, value in ((26, 100), (26, -2), (31, 100), (31, 0)):  # key and value lengths
        batch = parse_any(patched_message(good, at, "i", value))
        with pytest.raises(RecordError):
            list(batch.records())
    for inside, codec in (
        (b"", Codec.GZIP),
        (good[:-1], Codec.GZIP),
        (wrap(good, 1, Compression(Codec.GZIP), 0), Codec.SNAPPY),
    ):
        with pytest.raises(RecordError):
            list(parse_any(wrap(inside, 1, Compression(codec), 0)).records())
    for attributes in (4, 5, 7):  # zstd, and numbers without a meaning
        with pytest.raises(RecordError):
            list(parse_any(build_legacy_record(0, 1, None, b"x", attributes=attributes)).records())
    with pytest.raises(RecordError, match="without a value"):
        list(parse_any(build_legacy_record(0, 1, None, None, attributes=1)).records())


def test_all_formats_in_one_stretch() -> None:
    stretch = message_set(0) + message_set(1, Codec.LZ4, base=5) + JAVA["gzip"] + message_set(1, base=13)
    kinds = [type(batch) for batch in any_batches(stretch)]
    assert kinds == [LegacyBatch] * 6 + [RecordBatch] + [LegacyBatch] * 5


@given(st.binary(max_size=200), st.sampled_from([0, 1, 2]))
def test_any_bytes(data: bytes, magic: int) -> None:
    if len(data) > 17:
        data = data[:8] + bytes(3) + data[11:16] + bytes((magic,)) + data[17:]
    try:
        for batch in any_batches(data):
            list(batch.records(1 << 20))
    except RecordError:
        pass
