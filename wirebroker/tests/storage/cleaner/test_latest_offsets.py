"""LatestOffsets: a mark for each offset that a map holds, whatever the window; none outside of the map's range."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirebroker.storage.cleaner.latest_offsets import LatestOffsets
from wirebroker.storage.cleaner.offset_map import OffsetMap

START = 1000


@given(
    st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 70), st.integers(0, 9)), max_size=20),
    st.integers(3, 100),
)
def test_marks_are_the_offsets_in_the_map(keys: list[bytes], asked: list[tuple[int, int]], window: int) -> None:
    offset_map, last = OffsetMap(24 * 80, 0.9), dict[bytes, int]()
    for offset, key in enumerate(keys, START):
        offset_map.put(key, offset)
        last[key] = offset
    latest = LatestOffsets(offset_map, START, window)
    for first, more in asked:  # in any order: what matters is that the answer is right
        span = range(START + first, START + first + more + 1)
        marks = latest.marks(span[0], span[-1])
        if span[-1] >= START + len(keys) or (marks is None and len(span) > window):
            assert marks is None
        else:
            assert marks is not None
            assert list(marks) == [offset in last.values() for offset in span]
    offset_map.close()


def test_offsets_that_were_not_read_have_no_marks() -> None:
    offset_map = OffsetMap(24 * 80, 0.9)
    offset_map.put(b"a", START)
    offset_map.advance(START + 4)
    latest = LatestOffsets(offset_map, START)
    assert latest.marks(START, START + 4) == bytearray([1, 0, 0, 0, 0])
    assert latest.marks(START - 1, START + 4) is None
    assert latest.marks(START, START + 5) is None
    offset_map.close()
