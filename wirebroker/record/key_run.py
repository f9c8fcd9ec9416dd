"""KeyRun: the layout of a batch with records of one size at consecutive offsets; C code cuts the keys out by it.

Records of one size have their keys at the same distance from their starts as long as the fields before the key are
equally wide, which is seen from the n-th bytes of all records, slices with a stride (`record_scan.py`).  The offset
delta is wider from the 65th record on, and again from the 8,193rd, so a batch is one run or two.

A layout that was found is tried with the next batch of as many records and bytes, as a producer's batches are often
alike: of that one, too, every byte on which the places of the keys depend is compared.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.errors import RecordError
from wirebroker.record.record_scan import record_size, run_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.record.record_batch import RecordBatch

_ONE_BYTE: Final = 1 << 6
_TWO_BYTES: Final = 1 << 13
"""The first offset deltas that take more than one byte, and more than two."""
_DELTAS: Final = bytes(range(0, 2 * _ONE_BYTE, 2))
_FIRST_OF_TWO: Final = bytes(delta << 1 & 0x7F | 0x80 for delta in range(_TWO_BYTES))
_SECOND_OF_TWO: Final = bytes(delta >> 6 for delta in range(_TWO_BYTES))
_FEWEST: Final = 4
"""Records from which on columns are worth while."""
_MOST_KNOWN: Final = 32
"""Layouts that are remembered: some 50 kB each of the largest."""


class _Run(NamedTuple):
    """Records of one size, one behind the other."""

    first: int
    """The offset delta of the first record."""
    at: int
    """Where it begins in the record area."""
    size: int
    """The bytes of each record, with its length."""
    attributes: int
    """From the begin of a record to its attributes, behind its length."""
    key: int
    value: int
    """From the begin of a record to its key, and to the length of its value, behind it."""
    end: int
    """Where the last record ends."""


class KeyRun:
    """The layout of a record area: the place of each record and its key."""

    __slots__ = ("_columns", "_continued", "_ends", "_first_keys", "_other_keys", "_runs")

    def __init__(self, data: bytes, count: int) -> None:
        """Find the layout of *data*, *count* records.

        Raises:
            RecordError: the records are not alike, some have no key, or something is wrong.
        """
        self._columns: list[tuple[slice, bytes]] = []
        """The n-th bytes of all records of a run, and what they have to be."""
        self._continued: list[slice] = []
        """Bytes of timestamp deltas that others follow."""
        self._ends: list[slice] = []
        """The last bytes of timestamp deltas."""
        try:
            self._runs = [self._run(data, 0, 0, min(count, _ONE_BYTE))]
            if count > _ONE_BYTE:
                self._runs.append(self._run(data, self._runs[0].end, _ONE_BYTE, count - _ONE_BYTE))
        except IndexError:
            raise RecordError("a record runs past the end") from None
        if self._runs[-1].end != len(data):
            raise RecordError(f"the records end at {self._runs[-1].end} of {len(data)}")
        if not self.fits(data):
            raise RecordError("the fields before the keys have several sizes")
        self._first_keys = Struct(_key_format(self._runs[0]) * min(count, _ONE_BYTE))
        self._other_keys = Struct(_key_format(self._runs[-1]))

    def _run(self, data: bytes, at: int, first: int, count: int) -> _Run:
        """Find the layout of *count* records from *at* on, whose offset deltas begin with *first*."""
        size, width = record_size(data, at)
        end = at + count * size
        if end > len(data) or run_length(data, at, size, width, count) != count:
            raise RecordError("the records have several sizes")
        for place in range(width):
            self._expect(slice(at + place, end, size), data[at + place : at + place + 1] * count)
        place = width + 1
        while not data[at + place : end : size].isascii():  # the timestamp delta
            self._continued.append(slice(at + place, end, size))
            place += 1
            if place == size:
                raise RecordError("a timestamp runs past the end")
        self._ends.append(slice(at + place, end, size))
        place += 1
        for column in (_FIRST_OF_TWO, _SECOND_OF_TWO) if first else (_DELTAS,):
            self._expect(slice(at + place, end, size), column[first : first + count])
            place += 1
        raw = data[at + place]
        if raw & 0x81:
            raise RecordError("no key, or one of more than 63 bytes")
        self._expect(slice(at + place, end, size), data[at + place : at + place + 1] * count)
        place += 1
        value = place + (raw >> 1)
        if value >= size:
            raise RecordError("a key runs past the end")
        return _Run(first, at, size, width, place, value, end)

    def _expect(self, part: slice, expected: bytes) -> None:
        self._columns.append((part, expected))

    def fits(self, data: bytes) -> bool:
        """Return whether *data*, a record area of the same size, has this layout, too."""
        for part, expected in self._columns:
            if data[part] != expected:
                return False
        for part in self._ends:
            if not data[part].isascii():
                return False
        return all(min(data[part]) >= 0x80 for part in self._continued) if self._continued else True

    def keys(self, data: bytes) -> Sequence[bytes]:
        """Return the keys of *data*, which has this layout."""
        keys = self._first_keys.unpack_from(data)
        if len(self._runs) == 1:
            return keys
        rest = memoryview(data)[self._runs[1].at :]
        return [*keys, *(key for (key,) in self._other_keys.iter_unpack(rest))]

    def record(self, delta: int) -> tuple[int, int, int, int, int]:
        """Return where the record with this offset delta begins, and its attributes, key and value; and its end."""
        first, at, size, attributes, key, value, _ = self._runs[delta >= _ONE_BYTE]
        begin = at + (delta - first) * size
        return begin, begin + attributes, begin + key, begin + value, begin + size


def _key_format(run: _Run) -> str:
    return f"{run.key}x{run.value - run.key}s{run.size - run.value}x"


def may_be_alike(batch: RecordBatch) -> bool:
    """Return whether the header of *batch* allows a layout: consecutive offsets, and records enough to be worth it."""
    return _FEWEST <= batch.record_count <= _TWO_BYTES and batch.record_count == batch.last_offset_delta + 1


class KeyRuns:
    """The layouts that were met last, by the number of records and bytes that they are for."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], KeyRun] = {}

    def find(self, batch: RecordBatch, data: bytes) -> KeyRun | None:
        """Return the layout of *data*, the record area of *batch*, whose offsets begin with its base offset.

        None if the records are not alike, if some have no key, or if something is wrong: then `RecordBatch.keys` tells.
        """
        if not may_be_alike(batch):
            return None
        count = batch.record_count
        known = self._known
        shape = count, len(data)
        run = known.get(shape)
        if run is None or not run.fits(data):
            try:
                run = KeyRun(data, count)
            except RecordError:
                return None
            if len(known) >= _MOST_KNOWN:
                known.clear()
            known[shape] = run
        return run
