"""LatestOffsets: which offsets of the range that an OffsetMap was made of hold the last record of their key.

A record of that range need not be looked up by its key again: its own offset is in the map or not.  A window over the
offsets has a byte for each, so that a batch of which nothing stays is recognised by one comparison in C, without its
records being read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wirebroker.storage.cleaner.offset_map import OffsetMap

WINDOW: Final = 1 << 22
"""Offsets in the window, which moves forward with the batches: with each move the whole map is gone through."""


class LatestOffsets:
    """Marks of the offsets from *start* up to the end of *offset_map*, which changes no more."""

    def __init__(self, offset_map: OffsetMap, start: int, window: int = WINDOW) -> None:
        self._map = offset_map
        self._range = range(start, offset_map.latest_offset + 1)
        self._size = window
        self._window = range(0)
        self._marks = bytearray()

    def marks(self, first: int, last: int) -> bytearray | None:
        """Return a byte for each offset from *first* to *last*, inclusive: 1 if a key's last record is there, else 0.

        None if the offsets are not all in the range, or too many: then keys have to be looked up.
        """
        window = self._window
        if first < window.start or last >= window.stop:
            if first < self._range.start or last >= self._range.stop or last - first >= self._size:
                return None
            window = self._window = range(first, min(first + self._size, self._range.stop))
            self._marks = bytearray(len(window))
            self._map.mark_offsets(first, self._marks)
        return self._marks[first - window.start : last + 1 - window.start]
