"""SegmentWriter: writes the batches and index entries of a new segment in large pieces.

A segment that compaction writes has no readers yet, so its bytes may wait in memory, which a log that is appended to
must not allow: one write for many batches, and one for their index entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.storage.log_segment import LogSegment


class SegmentWriter:
    """Appends to an empty segment, which is complete after `flush`.  Methods may raise OSError."""

    def __init__(self, segment: LogSegment, piece_bytes: int, on_write: Callable[[int], None]) -> None:
        """Begin with *segment*.

        Args:
            piece_bytes: how much is written at a time, unless a batch is larger.
            on_write: gets the size of each piece before it is written.
        """
        self._segment = segment
        self._piece_bytes = piece_bytes
        self._on_write = on_write
        self._gathered = bytearray()
        self._since_index_entry = 0
        self._offset_entries: list[tuple[int, int]] = []
        self._time_entries: list[tuple[int, int]] = []
        self._largest = segment.max_timestamp_and_offset()

    def append(self, data: bytes | bytearray | memoryview, last_offset: int, max_timestamp: int) -> None:
        """Append one batch, or a set of messages of an old format.

        As in `LogSegment.append` an entry is made for a batch that begins more than `index.interval.bytes` behind the
        last one that has an entry.
        """
        if len(self._gathered) + len(data) > self._piece_bytes:
            self.flush()
        gathered = self._gathered
        if max_timestamp > self._largest[0]:
            self._largest = max_timestamp, last_offset
        if self._since_index_entry > self._segment.index_interval_bytes:
            self._offset_entries.append((last_offset, self._segment.size_bytes + len(gathered)))
            self._time_entries.append(self._largest)
            self._since_index_entry = 0
        self._since_index_entry += len(data)
        gathered += data

    def flush(self) -> None:
        """Write what was gathered."""
        if not self._gathered:
            return
        segment = self._segment
        self._on_write(len(self._gathered))
        segment.log_file.open().pwrite(self._gathered, segment.size_bytes)
        segment.size_bytes += len(self._gathered)
        segment.offset_index.extend(self._offset_entries)
        segment.time_index.extend(self._time_entries)
        segment.max_timestamp_so_far = self._largest
        self._gathered = bytearray()
        self._offset_entries.clear()
        self._time_entries.clear()
