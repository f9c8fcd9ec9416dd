"""LogSegments: the segments of one log in the order of their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from wirebroker.storage.log_segment import LogSegment
from wirebroker.storage.time_index import NO_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.files import Files


class LogSegments:
    """The segments of one log, ascending by base offset; never empty.

    One thread at a time may change them.  `values` is replaced as a whole, so a `LogView` keeps the tuple that it was
    made with.
    """

    __slots__ = ("_files", "active", "values")

    def __init__(self, files: Files, segments: Sequence[LogSegment]) -> None:
        self._files = files
        self.values = tuple(segments)
        self.active = self.values[-1]
        """The last segment, the only one that is appended to."""

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[LogSegment]:
        return iter(self.values)

    @overload
    def __getitem__(self, index: int) -> LogSegment: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[LogSegment, ...]: ...

    def __getitem__(self, index: int | slice) -> LogSegment | tuple[LogSegment, ...]:
        return self.values[index]

    def append_new(self, directory: str, base_offset: int, config: LogConfig, now_ms: int) -> LogSegment:
        """Create an empty segment at *base_offset* with its files, and make it the active one.  Raises OSError."""
        segment = LogSegment.create(self._files, directory, base_offset, config, now_ms)
        self.values = (*self.values, segment)
        self.active = segment
        return segment

    def remove_oldest(self, count: int) -> None:
        """Remove the first *count* segments, of which one at least must be left; their files stay."""
        self.values = self.values[count:]

    def remove_after(self, offset: int) -> tuple[LogSegment, ...]:
        """Remove and return the segments whose base offset is above *offset*, not the first one; their files stay."""
        kept = tuple(segment for segment in self.values if segment.base_offset <= offset)
        removed = self.values[len(kept) :]
        self.values, self.active = kept, kept[-1]
        return removed

    def replace_all(self, directory: str, base_offset: int, config: LogConfig, now_ms: int) -> tuple[LogSegment, ...]:
        """Replace all segments by an empty one at *base_offset*, which has no files yet; return the old segments.

        The old files have to be renamed before `LogSegment.make_files` of the new segment, which may have their names.
        """
        replaced = self.values
        self.active = LogSegment(self._files, directory, base_offset, config, now_ms)
        self.active.max_timestamp_so_far = NO_TIMESTAMP, base_offset
        self.values = (self.active,)
        return replaced

    def replace(self, replaced: Sequence[LogSegment], segment: LogSegment) -> None:
        """Put *segment* in the place of *replaced*, which are neighbours and not active; their files stay."""
        first = self.values.index(replaced[0])
        self.values = (*self.values[:first], segment, *self.values[first + len(replaced) :])

    def prepare_move(self, directory: str | None) -> None:
        """Look for files in *directory*, too, which theirs is about to be renamed to; None: it keeps its name."""
        for segment in self.values:
            segment.prepare_move(directory)

    def update_directory(self, directory: str) -> None:
        """Use the files in *directory*, which theirs was renamed to."""
        for segment in self.values:
            segment.update_directory(directory)

    def close(self) -> None:
        """Give the descriptors of all segments back."""
        for segment in self.values:
            segment.close()
