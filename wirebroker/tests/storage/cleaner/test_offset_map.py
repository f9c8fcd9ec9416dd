"""OffsetMap: the last offset of each key, no more keys than it may hold, memory of the size asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.storage.cleaner.offset_map import EXACT_ENTRY_BYTES, EXACT_PART, OffsetMap


@given(st.lists(st.binary(max_size=3), max_size=60), st.sampled_from([24 * 80, 24 * 800]))
def test_a_map_equals_a_dict(keys: list[bytes], memory_bytes: int) -> None:
    offset_map, model = OffsetMap(memory_bytes, 1.0), dict[bytes, int]()
    for offset, key in enumerate(keys):
        offset_map.put(key, offset)
        model[key] = offset
    assert {key: offset_map.get(key) for key in model} == model
    assert offset_map.size == len(model)
    assert offset_map.get(b"never put") == -1
    assert offset_map.latest_offset == len(keys) - 1
    offset_map.close()


@given(
    st.lists(st.tuples(st.booleans(), st.lists(st.binary(max_size=2), max_size=9)), max_size=20),
    st.sampled_from([24 * 30, 24 * 200, 24 * 600]),
)
def test_batches_of_keys_are_noted_before_and_after_the_change_to_digests(
    batches: list[tuple[bool, list[bytes]]], memory_bytes: int
) -> None:
    offset_map, model = OffsetMap(memory_bytes, 0.9), dict[bytes, int]()
    offset = 10
    for is_run, keys in batches:
        records = list(enumerate(keys, offset))
        room = offset_map.capacity - len(model)
        fits = len({*keys} - model.keys()) <= room
        assert (offset_map.put_run(offset, keys) if is_run else offset_map.put_all(iter(records), 10)) == fits
        if not fits:
            break
        model |= {key: at for at, key in records}
        offset += len(keys)
        assert offset_map.size == len(model)
    else:
        marks = bytearray(offset)
        offset_map.mark_offsets(0, marks)
        assert {at for at, mark in enumerate(marks) if mark} == {*model.values()}
    assert {key: offset_map.get(key) for key in model}.keys() == model.keys()
    assert all(offset_map.get(key) >= at for key, at in model.items())
    offset_map.close()


def test_keys_are_kept_as_they_are_up_to_an_eighth_of_the_buffer() -> None:
    """Beyond it a key takes 24 bytes, whatever its length."""
    offset_map = OffsetMap(1 << 20, 0.9)
    most = (1 << 20) // EXACT_PART // (EXACT_ENTRY_BYTES + 1000)
    for number in range(most + 2):
        assert offset_map.holds_digests == (number > most)
        offset_map.put(b"%01000d" % number, number)
    assert offset_map.holds_digests
    assert [offset_map.get(b"%01000d" % number) for number in range(most + 2)] == list(range(most + 2))
    assert offset_map.latest_offset == most + 1


def test_a_buffer_of_128_mb_holds_5033164_keys() -> None:
    offset_map = OffsetMap(128 << 20, 0.9)
    assert offset_map.capacity == 5_033_164
    offset_map.close()


def test_a_full_map_takes_known_keys_only() -> None:
    offset_map = OffsetMap(24 * 4, 0.5)
    offset_map.put(b"a", 0)
    offset_map.put(b"b", 1)
    assert offset_map.is_full
    offset_map.put(b"a", 2)
    with pytest.raises(ValueError, match="holds 2 keys"):
        offset_map.put(b"c", 3)
    assert [offset_map.get(key) for key in (b"a", b"b", b"c")] == [2, 1, -1]


def test_records_are_noted_up_to_a_key_without_room() -> None:
    offset_map = OffsetMap(24 * 4, 0.5)
    records = [(0, b"z"), (5, b"a"), (6, None), (7, b"b"), (8, b"a"), (9, b"c"), (10, b"a")]
    assert not offset_map.put_all(records, 5)
    assert [offset_map.get(key) for key in (b"z", b"a", b"b", b"c")] == [-1, 8, 7, -1]
    assert (offset_map.latest_offset, offset_map.keyless) == (8, 1)
    assert offset_map.put_all(records[-1:], 5)
    assert offset_map.get(b"a") == 10


def test_every_slot_but_one_may_be_filled() -> None:
    offset_map = OffsetMap(24 * 51, 1.0)
    for number in range(50):
        offset_map.put(b"%d" % number, number)
    assert [offset_map.get(b"%d" % number) for number in range(50)] == list(range(50))
    assert offset_map.is_full
    assert offset_map.get(b"another") == -1


def test_a_buffer_without_room_for_a_key_is_refused() -> None:
    with pytest.raises(ValueError, match="no room for a key"):
        OffsetMap(24, 0.9)


def test_a_map_is_no_larger_than_its_keys_need() -> None:
    offset_map = OffsetMap(128 << 20, 0.9, most_keys=1000)
    assert 1000 <= offset_map.capacity <= 1100
    offset_map.close()


def test_the_range_goes_on_without_keys() -> None:
    offset_map = OffsetMap(24 * 4, 1.0)
    offset_map.put(b"a", 5)
    offset_map.advance(9)
    offset_map.advance(7)
    assert offset_map.latest_offset == 9
