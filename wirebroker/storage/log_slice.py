"""LogSlice: a range of a segment's file, to be sent without being read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.storage.files import File

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.storage.log_segment import LogSegment


class LogSlice:
    """Bytes as they are on disk: whole batches, but the last one may be cut off (as Apache Kafka's are).

    The file stays open for as long as the slice refers to it, even when its segment is deleted meanwhile.
    """

    __slots__ = ("file", "first_offset", "position", "segment", "size_bytes")

    def __init__(
        self, file: File, position: int, size_bytes: int, first_offset: int, segment: LogSegment | None = None
    ) -> None:
        self.file = file
        self.position = position
        self.size_bytes = size_bytes
        self.first_offset = first_offset
        """The base offset of the first batch, which may be below the offset asked for."""
        self.segment = segment
        """The segment that the bytes are of; None for the empty slice."""

    def file_range(self) -> tuple[int, int]:
        """Return (descriptor, position), valid for as long as the slice is referred to."""
        return self.file.fd, self.position

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes, read into memory.  Raises OSError."""
        yield self.tobytes()

    def tobytes(self) -> bytes:
        """Return the bytes, read into memory.  Raises OSError."""
        return self.file.pread(self.size_bytes, self.position) if self.size_bytes else b""

    def __repr__(self) -> str:
        return f"LogSlice({self.file.path!r}, position={self.position}, size_bytes={self.size_bytes})"


NOTHING = LogSlice(File("", -1), 0, 0, -1)
"""The empty slice; one object for all reads without records, which are most reads of a long poll."""
