"""Walk the batches of a `.log` by their headers, without reading what is in them.

The fields used are at fixed places (message format v2; for formats 0 and 1 the offset field is the last offset):

     0  base offset        int64        23  last offset delta  int32
     8  length behind here int32        35  max timestamp      int64
    16  magic              int8         43  producer id        int64, -1 if none
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.faults import CorruptFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.storage.files import File

LENGTH_END = 12
"""Bytes before what the length field counts."""
HEADER_SIZE_V2 = 61
_MIN_SIZE = 14 + LENGTH_END  # the smallest message of format 0: crc, magic, attributes, two null lengths

_START = Struct(">qi4xb")
_REST_V2 = Struct(">i8xqq")
_LAST_OFFSET_V2 = Struct(">qi4xb6xi")
_TIMESTAMP_V1 = Struct(">q")
_CHUNK = 4096


class BatchHeader(NamedTuple):
    """What the log needs to know of a batch on disk."""

    position: int
    base_offset: int
    size_bytes: int
    last_offset: int
    max_timestamp: int
    has_producer: bool


def headers(file: File, position: int, end: int) -> Iterator[BatchHeader]:
    """The batches from *position*, where one must begin, up to *end*; one that is cut off by *end* is left out.

    Raises CorruptFile where no batch can be.
    """
    chunk, at = b"", 0
    while position + _MIN_SIZE <= end:
        if at + HEADER_SIZE_V2 > len(chunk):
            chunk, at = _read(file, position, end), 0
        header = parse_header(chunk, at, position, file.path)
        size = header[2]
        if size > end - position:
            return
        yield header
        position += size
        at += size


def find_batch(file: File, position: int, end: int, offset: int) -> BatchHeader | None:
    """The first batch whose last offset is at least *offset*, from *position* on, where one must begin.

    None if *end* comes first.  Raises CorruptFile where no batch can be.
    """
    # what `headers` does, without making a value of each batch on the way: this is how fetches find their place
    unpack = _LAST_OFFSET_V2.unpack_from
    chunk, at = b"", 0
    while position + HEADER_SIZE_V2 <= end:
        if at + HEADER_SIZE_V2 > len(chunk):
            chunk, at = _read(file, position, end), 0
            if len(chunk) < HEADER_SIZE_V2:
                break
        base_offset, length, magic, last_delta = unpack(chunk, at)
        if magic != 2 or length < HEADER_SIZE_V2 - LENGTH_END or base_offset + last_delta >= offset:
            break
        position += length + LENGTH_END
        at += length + LENGTH_END
    for header in headers(file, position, end):
        if header.last_offset >= offset:
            return header
    return None


def _read(file: File, position: int, end: int) -> bytes:
    if position < 0:  # an index entry from nowhere
        raise CorruptFile(f"{file.path} has no position {position}")
    return file.pread(min(_CHUNK, end - position), position)


def parse_header(chunk: bytes, at: int, position: int, path: str) -> BatchHeader:
    """The header at *at* in *chunk*, which is *position* in the file."""
    left = len(chunk) - at
    if left < _START.size:
        raise CorruptFile(f"{path} at position {position}: the file is shorter than it was")
    base_offset, length, magic = _START.unpack_from(chunk, at)
    size = length + LENGTH_END
    if magic == 2 and size >= HEADER_SIZE_V2 and left >= HEADER_SIZE_V2:
        last_delta, max_timestamp, producer_id = _REST_V2.unpack_from(chunk, at + 23)
        fields = (position, base_offset, size, base_offset + last_delta, max_timestamp, producer_id >= 0)
        return tuple.__new__(BatchHeader, fields)  # half the price of calling the class
    if magic in (0, 1) and size >= _MIN_SIZE:
        timestamp = _TIMESTAMP_V1.unpack_from(chunk, at + 18)[0] if magic else -1
        return BatchHeader(position, base_offset, size, base_offset, timestamp, has_producer=False)
    raise CorruptFile(f"{path} at position {position}: no batch here (length {length}, magic {magic})")
