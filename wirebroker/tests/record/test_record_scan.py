"""The fast chain accepts exactly what reading every record's length would, whatever the mixture of sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.builder import encode_records
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import Record
from wirebroker.record.record_scan import (
    MIN_BODY_BYTES,
    check_record_lengths,
    scan_records,
    single_record_delta,
)
from wirebroker.record.varint import encode_varint, read_varint


def slow_chain(data: bytes, count: int) -> bool:
    at = 0
    for _ in range(count):
        try:
            length, at = read_varint(data, at)
        except (IndexError, RecordError):
            return False
        at += length
        if length < MIN_BODY_BYTES or at > len(data):
            return False
    return at == len(data)


def fast_chain(data: bytes, count: int, front: int = 3) -> bool:
    padded = bytearray(front) + data + bytearray(b"\x10" * 50)
    try:
        check_record_lengths(padded, front, front + len(data), count)
    except RecordError:
        return False
    return True


runs = st.lists(st.tuples(st.integers(6, 40000), st.integers(1, 300)), min_size=1, max_size=6)


def area(lengths: list[tuple[int, int]]) -> tuple[bytes, int]:
    """Records of these body lengths, each repeated; most of the bytes do not matter to the chain."""
    out = bytearray()
    for length, times in lengths:
        one = encode_varint(length) + b"\x0c" * length
        out += one * min(times, max(1, 400_000 // length))
    return bytes(out), sum(min(times, max(1, 400_000 // length)) for length, times in lengths)


@given(runs)
def test_runs_of_any_sizes(lengths: list[tuple[int, int]]) -> None:
    data, count = area(lengths)
    assert slow_chain(data, count)
    assert fast_chain(data, count)
    assert not fast_chain(data, count + 1)
    assert not fast_chain(data, count - 1)
    assert not fast_chain(data[:-1], count)
    assert not fast_chain(data + b"\x0c", count)


@given(st.lists(st.integers(6, 200), min_size=1, max_size=2000))
def test_irregular_sizes(lengths: list[int]) -> None:
    data, count = area([(length, 1) for length in lengths])
    assert fast_chain(data, count)
    assert not fast_chain(data, count + 1)


@given(runs, st.data())
def test_a_changed_byte_is_seen_as_reading_every_length_would(
    lengths: list[tuple[int, int]], draw: st.DataObject
) -> None:
    data, count = area(lengths)
    changed = bytearray(data)
    changed[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    assert fast_chain(bytes(changed), count) == slow_chain(bytes(changed), count)


@pytest.mark.parametrize("last", [63, 64, 8191, 8192, 9000])
def test_where_the_varints_grow(last: int) -> None:
    records = [Record(n, n, None, bytes(100), []) for n in range(last + 1)]
    data = bytes(encode_records(records, 0, 0))
    assert fast_chain(data, last + 1)
    assert not fast_chain(data, last)


def test_one_invalid_record_in_a_long_run() -> None:
    for odd in (0, 1, 63, 64, 65, 500, 999):
        records = [Record(n, 0, None, bytes(101 if n == odd else 100), []) for n in range(1000)]
        assert fast_chain(bytes(encode_records(records, 0, 0)), 1000)


def test_a_negative_length_in_the_middle() -> None:
    data, count = area([(20, 500)])
    assert fast_chain(data, count)
    changed = bytearray(data)
    changed[21 * 300] = 41  # -21
    assert not fast_chain(bytes(changed), count)


@pytest.mark.parametrize(
    ("late", "bytes_used"), [(0, 1), (63, 1), (64, 2), (8191, 2), (8192, 3), (1 << 40, 6), (-(1 << 62), 9)]
)
@pytest.mark.parametrize("sizes", [(100, 100), (20, 30, 40)])
def test_the_widest_timestamp_delta(late: int, bytes_used: int, sizes: tuple[int, ...]) -> None:
    records = [Record(n, 5 + (late if n == 333 else 0), None, bytes(sizes[n % len(sizes)]), []) for n in range(500)]
    data = bytes(encode_records(records, 0, 5))
    widest = check_record_lengths(data, 0, len(data), 500, timed=True)
    assert widest >= bytes_used
    if sizes[0] != sizes[1]:  # no runs: exact
        assert widest == bytes_used


@given(
    st.lists(
        st.tuples(
            st.integers(-(1 << 50), 1 << 50),
            st.none() | st.binary(max_size=80),
            st.none() | st.binary(max_size=80),
            st.lists(st.tuples(st.binary(max_size=9), st.none() | st.binary(max_size=9)), max_size=3),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_walk_sees_times_and_null_keys(
    fields: list[tuple[int, bytes | None, bytes | None, list[tuple[bytes, bytes | None]]]],
) -> None:
    records = [Record(n, *field) for n, field in enumerate(fields)]
    data = bytes(encode_records(records, 0, records[0].timestamp))
    times = [r.timestamp for r in records if r.timestamp != -1]
    lowest, highest, null_keys = scan_records(data, 0, len(data), len(records), records[0].timestamp, None)
    assert null_keys == sum(r.key is None for r in records)
    assert highest == max([-1, *times])
    assert lowest == (min(times) if times else -1)
    assert scan_records(data, 0, len(data), len(records), 0, 77)[:2] == (77, 77)
    check_record_lengths(data, 0, len(data), len(records))


@pytest.mark.parametrize("value_bytes", [0, 49, 57, 58, 63, 64, 127, 128, 8183, 8184, 8191, 8192, 20000])
def test_values_of_all_widths_of_their_length(value_bytes: int) -> None:
    """A length takes one byte up to 63, two up to 8,191, and then three; so does that of the record around it."""
    record = Record(0, 5, None, b"v" * value_bytes, [])
    data = bytes(encode_records([record], 0, 5))
    assert scan_records(data, 0, len(data), 1, 5, None) == (5, 5, 1)
    for wrong in (data[:-1], data + b"\0"):
        with pytest.raises(RecordError):
            scan_records(wrong, 0, len(wrong), 1, 5, None)


@pytest.mark.parametrize("value", [-64, -1, 0, 2, 63, 64, 8191])
def test_lengths_in_more_bytes_than_they_need(value: int) -> None:
    """Kafka reads any encoding of a varint, so -1 in two bytes is null, and so is any negative length."""
    raw = (value << 1) ^ (value >> 63)
    length_of_value = bytes([raw & 0x7F | 0x80, raw >> 7])
    body = b"\0\0\0\x01" + length_of_value + b"v" * value + b"\0"
    raw = len(body) << 1
    data = (encode_varint(len(body)) if raw >= 0x80 else bytes([raw | 0x80, 0])) + body
    assert read_varint(length_of_value, 0) == (value, 2)
    assert scan_records(data, 0, len(data), 1, 5, None) == (5, 5, 1)


SINGLE = st.builds(
    Record,
    st.sampled_from([0, 5, 100]),
    st.sampled_from([1000, 1001, 1063, 1064, 999, 1 << 40]),
    st.sampled_from([None, b"", b"key", bytes(63), bytes(64)]),
    st.sampled_from([None, b"", b"value", bytes(63), bytes(64), bytes(8191), bytes(8192)]),
    st.sampled_from([[], [(b"name", b"value")]]),
)


@given(SINGLE, st.booleans(), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 255)), max_size=2))
def test_a_single_record_is_read_as_the_scan_reads_it(
    record: Record, with_key: bool, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(encode_records([record], 0, 1000))
    for at, byte in changes:
        if at < len(data):
            data[at] = byte
    delta = single_record_delta(bytes(data), with_key=with_key)
    if delta >= 0:
        lowest, highest, null_keys = scan_records(bytes(data), 0, len(data), 1, 1000, None)
        assert lowest == highest == 1000 + delta
        assert not (with_key and null_keys)
    elif not changes:
        is_usual = (
            not record.headers
            and record.value is not None
            and len(record.value) < 8192
            and (record.key is not None or not with_key)
            and (record.key is None or len(record.key) < 64)
            and 0 <= record.timestamp - 1000 < 64
            and record.offset < 64
        )
        assert not is_usual or len(data) >= 8192


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_single_record_that_is_cut_off_is_left_to_the_scan(cut: int) -> None:
    data = bytes(encode_records([Record(0, 1000, b"k", b"value", [])], 0, 1000))
    assert single_record_delta(data, with_key=True) == 0
    assert single_record_delta(data[:-cut], with_key=True) == -1
    assert single_record_delta(data + bytes(cut), with_key=True) == -1
