"""Find batches in a `.log` by their headers, for reads and appends: records are not read, checksums not looked at.

`integrity/batch_reader.py` reads whole batches and verifies them.  The fields used here are at fixed places (message
format v2; in formats 0 and 1 the offset field is the last offset):

     0  base offset        int64        23  last offset delta  int32
     8  length behind here int32        35  max timestamp      int64
    16  magic              int8         43  producer id        int64, -1 if none
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.record_batch import HEADER_SIZE, LAST_OFFSET_DELTA_AT, LOG_OVERHEAD, MIN_LENGTH
from wirebroker.storage.errors import CorruptFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.storage.files import File

_SMALLEST = LOG_OVERHEAD + MIN_LENGTH
_START = Struct(">qi4xb")
_REST_V2 = Struct(">i8xqq")
_LAST_OFFSET_V2 = Struct(">qi4xb6xi")
_TIMESTAMP_V1 = Struct(">q")
_READ_BYTES = 4096


class BatchHeader(NamedTuple):
    """The header of a batch on disk, as far as the log needs it."""

    position: int
    base_offset: int
    size_bytes: int
    last_offset: int
    max_timestamp: int
    has_producer: bool


def headers(file: File, position: int, end: int) -> Iterator[BatchHeader]:
    """Yield the headers of the batches from *position*, where one must begin, that end at or before *end*.

    Raises:
        CorruptFileError: no batch can be at a position.
        OSError: the file cannot be read.
    """
    chunk, at = b"", 0
    while position + _SMALLEST <= end:
        if at + HEADER_SIZE > len(chunk):
            chunk, at = _read(file, position, end), 0
        header = _parse_header(chunk, at, position, file.path)
        size = header[2]
        if size > end - position:
            return
        yield header
        position += size
        at += size


def find_batch(file: File, position: int, end: int, offset: int) -> BatchHeader | None:
    """Return the first batch from *position* on, where one must begin, whose last offset is at least *offset*.

    None if *end* comes first.  Raises as `headers` does.
    """
    # as `headers`, without making a value of each batch on the way: every fetch that is not at the log's end does this
    unpack = _LAST_OFFSET_V2.unpack_from
    chunk, at = b"", 0
    while position + HEADER_SIZE <= end:
        if at + HEADER_SIZE > len(chunk):
            chunk, at = _read(file, position, end), 0
            if len(chunk) < HEADER_SIZE:
                break
        base_offset, length, magic, last_delta = unpack(chunk, at)
        if magic != 2 or length < HEADER_SIZE - LOG_OVERHEAD:
            break
        if base_offset + last_delta >= offset:
            return _parse_header(chunk, at, position, file.path) if length + LOG_OVERHEAD <= end - position else None
        position += length + LOG_OVERHEAD
        at += length + LOG_OVERHEAD
    for header in headers(file, position, end):
        if header.last_offset >= offset:
            return header
    return None


def _read(file: File, position: int, end: int) -> bytes:
    if position < 0:  # an index entry from nowhere
        raise CorruptFileError(f"{file.path} has no position {position}")
    return file.pread(min(_READ_BYTES, end - position), position)


def _parse_header(chunk: bytes, at: int, position: int, path: str) -> BatchHeader:
    """Return the header at *at* in *chunk*, which is at *position* in the file at *path*.  Raises CorruptFileError."""
    left = len(chunk) - at
    if left < _SMALLEST:
        raise CorruptFileError(f"{path} at position {position}: the file is shorter than it was")
    base_offset, length, magic = _START.unpack_from(chunk, at)
    size = length + LOG_OVERHEAD
    if magic == 2 and size >= HEADER_SIZE and left >= HEADER_SIZE:
        last_delta, max_timestamp, producer_id = _REST_V2.unpack_from(chunk, at + LAST_OFFSET_DELTA_AT)
        fields = (position, base_offset, size, base_offset + last_delta, max_timestamp, producer_id >= 0)
        return tuple.__new__(BatchHeader, fields)  # half the price of calling the class
    if magic in (0, 1) and size >= _SMALLEST:
        from wirebroker.record.legacy import TIMESTAMP_AT  # batches of old formats are rare

        timestamp = _TIMESTAMP_V1.unpack_from(chunk, at + TIMESTAMP_AT)[0] if magic else -1
        return BatchHeader(position, base_offset, size, base_offset, timestamp, has_producer=False)
    raise CorruptFileError(f"{path} at position {position}: no batch here (length {length}, magic {magic})")
