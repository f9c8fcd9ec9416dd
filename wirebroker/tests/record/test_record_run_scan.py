"""scan_record_runs finds, and refuses, what scan_records does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.builder import encode_records
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import Record
from wirebroker.record.record_run_scan import scan_record_runs
from wirebroker.record.record_scan import scan_records

NOW = 1_700_000_000_000
kinds = st.tuples(
    st.sampled_from([None, b"", b"k", b"k" * 100]),
    st.sampled_from([None, b"", b"v", b"v" * 70, b"v" * 9000]),
    st.sampled_from([[], [], [], [("h", b"x")]]),
    st.sampled_from([0, 1, -1, 63, 64, 10_000, -70_000, 1 << 40, -NOW - 5]),
    st.integers(0, 3),  # how the timestamps go on
    st.integers(1, 150),
)


def area(runs: list[tuple[bytes | None, bytes | None, list[tuple[str, bytes]], int, int, int]]) -> tuple[bytes, int]:
    records: list[Record] = []
    for key, value, headers, delta, step, times in runs:
        pairs: list[tuple[bytes, bytes | None]] = [(name.encode(), text) for name, text in headers]
        for number in range(min(times, 20) if value and len(value) > 1000 else times):
            records.append(Record(len(records), NOW + delta + number * step, key, value, pairs))
    return bytes(encode_records(records, 0, NOW)), len(records)


def outcome(look: object, data: bytes, count: int, base: int, append_time: int | None) -> object:
    try:
        return look(data, 0, len(data), count, base, append_time)  # type: ignore[operator]
    except RecordError:
        return RecordError


@given(st.lists(kinds, min_size=1, max_size=6), st.sampled_from([NOW, -1, 0]), st.sampled_from([None, 77, -1]))
def test_the_result_is_that_of_walk(
    runs: list[tuple[bytes | None, bytes | None, list[tuple[str, bytes]], int, int, int]],
    base: int,
    append_time: int | None,
) -> None:
    data, count = area(runs)
    expected = scan_records(data, 0, len(data), count, base, append_time)
    assert scan_record_runs(data, 0, len(data), count, base, append_time) == expected


@given(st.lists(kinds, min_size=1, max_size=4), st.integers(0, 1 << 30), st.integers(1, 255), st.integers(-1, 1))
def test_damage_is_judged_as_walk_judges_it(
    runs: list[tuple[bytes | None, bytes | None, list[tuple[str, bytes]], int, int, int]],
    place: int,
    flip: int,
    more: int,
) -> None:
    data, count = area(runs)
    damaged = bytearray(data)
    damaged[place % len(damaged)] ^= flip
    for each in (bytes(damaged), data[:-1], data + b"\0"):
        assert outcome(scan_record_runs, each, count, NOW, None) == outcome(scan_records, each, count, NOW, None)
    assert outcome(scan_record_runs, data, max(1, count + more), NOW, None) == outcome(
        scan_records, data, max(1, count + more), NOW, None
    )


def test_a_run_of_a_million_records() -> None:
    one = bytes([12, 0, 0, 0, 0, 0, 0])
    assert scan_record_runs(one * 1_000_000, 0, 7_000_000, 1_000_000, NOW, None) == (NOW, NOW, 0)
