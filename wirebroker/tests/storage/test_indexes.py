"""Lookups in the indexes agree with a plain list, however long they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.offset_index import OffsetIndex
from wirebroker.storage.time_index import TimeIndex
from wirebroker.tests.storage.fakes.disk import FakeDisk

BASE = 1000
sorted_pairs = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), max_size=300)


def disk() -> FakeDisk:
    made = FakeDisk()
    made.make_directory("/x")
    return made


@given(sorted_pairs, st.lists(st.integers(-5, 3000), max_size=20))
def test_offset_index(steps: list[tuple[int, int]], probes: list[int]) -> None:
    index = OffsetIndex(disk(), "/x/a", BASE)
    index.reset(8 * 300)
    entries: list[tuple[int, int]] = []
    offset, position = BASE - 1, -1
    for step, size in steps:
        offset, position = offset + step, position + size
        index.append(offset, position)
        entries.append((offset, position))
    for probe in [BASE + probe for probe in probes] + [entry[0] for entry in entries[::17]]:
        assert index.lookup(probe) == max((at for found, at in entries if found <= probe), default=0)
        upper = [found for found, at in entries if at >= probe - BASE]
        assert index.upper_bound_offset(probe - BASE) == (upper[0] if upper else None)


@given(sorted_pairs, st.lists(st.integers(-5, 3000), max_size=20))
def test_time_index(steps: list[tuple[int, int]], probes: list[int]) -> None:
    index = TimeIndex(disk(), "/x/a", BASE)
    index.reset(12 * 301)
    entries: list[tuple[int, int]] = []
    timestamp, offset = -1, BASE - 1
    for later, step in steps:
        timestamp, offset = timestamp + later, offset + step
        index.maybe_append(timestamp, offset)
        index.maybe_append(timestamp, offset + 1)  # no news
        entries.append((timestamp, offset))
    assert index.count == len(entries)
    for probe in probes:
        assert index.lookup(probe) == max((entry for entry in entries if entry[0] <= probe), default=(-1, BASE))


@pytest.mark.parametrize(("cut", "left"), [(1000, 0), (1005, 0), (1006, 1), (1010, 1), (1011, 2), (9999, 2)])
def test_truncating(cut: int, left: int) -> None:
    made = disk()
    index, time_index = OffsetIndex(made, "/x/a", BASE), TimeIndex(made, "/x/b", BASE)
    index.reset(800)
    time_index.reset(800)
    for number, offset in enumerate((1005, 1010)):
        index.append(offset, number * 100)
        time_index.maybe_append(50 + number, offset)
    index.truncate_to(cut)
    time_index.truncate_to(cut)
    assert (index.count, time_index.count) == (left, left)
    assert index.last_offset == [1000, 1005, 1010][left]
    assert time_index.last == [(-1, 1000), (50, 1005), (51, 1010)][left]
    index.trim()
    assert len(made.content("/x/a")) == 8 * left


def test_room() -> None:
    made = disk()
    index, time_index = OffsetIndex(made, "/x/a", 0), TimeIndex(made, "/x/b", 0)
    index.reset(30)
    time_index.reset(30)
    assert (len(made.content("/x/a")), len(made.content("/x/b"))) == (24, 24)
    for n in range(2):
        assert not index.is_full
        index.append(n, n)
        time_index.maybe_append(n, n)
    assert not index.is_full
    assert time_index.is_full  # the last slot is the closing entry's
    index.append(5, 5)
    assert index.is_full


def test_entries_that_go_back_are_refused() -> None:
    made = disk()
    index, time_index = OffsetIndex(made, "/x/a", 0), TimeIndex(made, "/x/b", 0)
    index.reset(80)
    time_index.reset(80)
    index.append(5, 0)
    time_index.maybe_append(7, 5)
    with pytest.raises(CorruptFileError):
        index.append(5, 9)
    with pytest.raises(CorruptFileError):
        time_index.maybe_append(8, 4)


def test_a_crash_leaves_zeros_that_only_the_time_index_notices() -> None:
    """As in Kafka; that is why the indexes of a segment that was open in a crash are made anew."""
    made = disk()
    index, time_index = OffsetIndex(made, "/x/a", BASE), TimeIndex(made, "/x/b", BASE)
    index.reset(80)
    time_index.reset(72)
    index.append(1005, 7)
    time_index.maybe_append(7, 1005)
    left = made.restarted()
    OffsetIndex(left, "/x/a", BASE).sanity_check()
    with pytest.raises(CorruptFileError):
        TimeIndex(left, "/x/b", BASE).sanity_check()
    left.overwrite("/x/a", b"123")
    with pytest.raises(CorruptFileError):
        OffsetIndex(left, "/x/a", BASE).sanity_check()
