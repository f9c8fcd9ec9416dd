"""Read a segment from its start and find out how far it can be trusted, after a stop that was not clean.

Every batch must be whole, have its checksum right and go on where the one before it ended.  Where that stops, what
lies behind decides: nothing but a torn write (a batch cut short, zeros, garbage without one valid batch in it) is what
a crash leaves, and is cut; a valid batch further on means that something in the middle was destroyed, which no crash
does.  On the way the indexes are written anew and epochs and producers are brought up to date.
"""

from __future__ import annotations

import logging
import re
import zlib
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.faults import RecordError
from wirebroker.record.record_batch import HEADER_SIZE, RecordBatch
from wirebroker.storage.batch_headers import LENGTH_END
from wirebroker.storage.index_file import MAX_RELATIVE_OFFSET
from wirebroker.storage.time_index import NO_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.files import File
    from wirebroker.storage.leader_epochs import LeaderEpochs
    from wirebroker.storage.producer_state import ProducerState
    from wirebroker.storage.segment import Segment

logger = logging.getLogger(__name__)

_WINDOW = 1 << 20
_START = Struct(">qi4xb")
_OLD_CRC = Struct(">I")
_OLD_TIMESTAMP = Struct(">q")
_OLD_MIN_SIZE = 26


class Fault(NamedTuple):
    """Why there is no valid batch at some position."""

    text: str
    is_whole: bool = False
    """The checksum is right, so this is no write that was interrupted: the batch is where it does not belong."""


class Trusted(NamedTuple):
    """What was found in a segment."""

    end: int
    """Everything before this position is valid."""
    next_offset: int
    fault: Fault | None
    """Why the batch at *end* is not valid; None if the segment ends there."""


class Window:
    """A moving view of a file, so that a segment is read in large pieces and bounded memory."""

    def __init__(self, file: File, end: int, on_read: Callable[[int], None] | None = None) -> None:
        """A view of *file* up to position *end*; *on_read* is called with the size of each piece that is read."""
        self._file = file
        self.end = end
        self._on_read = on_read
        self._start = 0
        self.data = memoryview(b"")
        """The piece that `find` was asked for, and what is around it."""

    def find(self, position: int, size_bytes: int) -> int:
        """Where *position* of the file is in `data`; *size_bytes* are there from it on, or all up to the end."""
        at = position - self._start
        if at < 0 or at + min(size_bytes, self.end - position) > len(self.data):
            self.data = memoryview(self._file.pread(min(max(size_bytes, _WINDOW), self.end - position), position))
            self._start, at = position, 0
            if self._on_read is not None:
                self._on_read(len(self.data))
        return at


def scan(
    segment: Segment,
    config: LogConfig,
    epochs: LeaderEpochs,
    producers: ProducerState,
    start_offset: int,
    on_read: Callable[[int], None] | None = None,
) -> Trusted:
    """Read *segment*, rebuild its indexes, and take its batches into account.  Cuts nothing off the log file.

    Args:
        producers: their state at the segment's first offset.
        start_offset: the first batch may not begin before it.
        on_read: called with the size of each piece that is read; what it raises ends the scan.

    Raises OSError.
    """
    file = segment.log_file.open()
    window = Window(file, segment.size_bytes, on_read)
    segment.offset_index.reset(config.segment_index_bytes, grow=False)
    segment.time_index.reset(config.segment_index_bytes, grow=False)
    segment.transaction_index.reset()
    segment.first_timestamp = None
    largest = NO_TIMESTAMP, segment.base_offset
    position = indexed = 0
    next_offset = max(start_offset, segment.base_offset)
    fault = None
    while position < window.end:
        batch = read_valid(window, position, next_offset, segment.base_offset)
        if isinstance(batch, Fault):
            fault = batch
            break
        last_offset = batch.last_offset
        if batch.max_timestamp > largest[0]:
            largest = batch.max_timestamp, last_offset
        if position == 0:
            segment.first_timestamp = batch.max_timestamp
        if position - indexed > segment.index_interval_bytes and not segment.offset_index.is_full:
            segment.offset_index.append(last_offset, position)
            if not segment.time_index.is_full:
                segment.time_index.maybe_append(*largest)
            indexed = position
        if batch.magic >= 2:
            if batch.partition_leader_epoch > epochs.latest:
                epochs.assign(batch.partition_leader_epoch, batch.base_offset)
            try:
                aborted = producers.replay(batch)
            except RecordError as error:
                fault = Fault(f"a control record cannot be read ({error})", is_whole=True)
                break
            if aborted is not None:
                segment.transaction_index.append(aborted)
        position += batch.size_bytes
        next_offset = last_offset + 1
    segment.largest = largest
    segment.proof.end = 0  # all of it was read
    return Trusted(position, next_offset, fault)


def read_valid(window: Window, position: int, next_offset: int, base_offset: int) -> RecordBatch | Fault:
    """The batch at *position*, or why there is none that may follow offset *next_offset* - 1."""
    left = window.end - position
    if left < HEADER_SIZE:
        return _read_short(window, position, next_offset, base_offset)
    at = window.find(position, HEADER_SIZE)
    batch = RecordBatch(window.data, at)
    if batch.magic != 2:
        return _read_short(window, position, next_offset, base_offset)
    size = batch.size_bytes
    if size < HEADER_SIZE:
        return Fault(f"no batch begins here (length {batch.batch_length}, magic 2)")
    if size > left:
        return Fault(f"a batch of {size} bytes, and {left} are there")
    at = window.find(position, size)
    batch.buffer = window.data[at : at + size]
    if not batch.is_valid():
        return Fault("the checksum does not fit")
    if batch.base_offset < next_offset or batch.last_offset_delta < 0:
        return Fault(f"offset {batch.base_offset} where {next_offset} or more should follow", is_whole=True)
    if batch.last_offset - base_offset > MAX_RELATIVE_OFFSET:
        return Fault(f"offset {batch.last_offset} is too far from the segment's first", is_whole=True)
    return batch


def _read_short(window: Window, position: int, next_offset: int, base_offset: int) -> RecordBatch | Fault:
    """What is not large enough for a batch of format 2, or does not say that it is one: an older message, if any."""
    left = window.end - position
    if left < _OLD_MIN_SIZE:
        return Fault(f"{left} bytes are no batch")
    at = window.find(position, _OLD_MIN_SIZE)
    offset, length, magic = _START.unpack_from(window.data, at)
    size = length + LENGTH_END
    if magic not in (0, 1) or size < _OLD_MIN_SIZE:
        return Fault(f"no batch begins here (length {length}, magic {magic})")
    if size > left:
        return Fault(f"a message of {size} bytes, and {left} are there")
    at = window.find(position, size)
    return _read_old(window.data[at : at + size], offset, magic, next_offset, base_offset)


def _read_old(view: memoryview, offset: int, magic: int, next_offset: int, base_offset: int) -> RecordBatch | Fault:
    """A message of format 0 or 1, dressed as far as recovery looks at it."""
    if zlib.crc32(view[16:]) != _OLD_CRC.unpack_from(view, 12)[0]:
        return Fault("the checksum does not fit")
    if offset < next_offset:
        return Fault(f"offset {offset} where {next_offset} or more should follow", is_whole=True)
    if offset - base_offset > MAX_RELATIVE_OFFSET:
        return Fault(f"offset {offset} is too far from the segment's first", is_whole=True)
    batch = RecordBatch(bytes(HEADER_SIZE))
    batch.base_offset = offset
    batch.size_bytes = len(view)
    batch.magic = magic
    batch.max_timestamp = _OLD_TIMESTAMP.unpack_from(view, 18)[0] if magic else NO_TIMESTAMP
    return batch


def valid_batch_behind(
    segment: Segment, position: int, next_offset: int, on_read: Callable[[int], None] | None = None
) -> int | None:
    """The position of a complete, valid batch at or after *position* that may follow; None if there is none.

    Every byte may be the first of one: look for what its fixed fields can be, then at all of it.
    """
    window = Window(segment.log_file.open(), segment.size_bytes, on_read)
    while position + _OLD_MIN_SIZE <= window.end:
        at = window.find(position, _WINDOW)
        data = bytes(window.data[at : at + _WINDOW])
        for match in _BATCH_START.finditer(data):
            candidate = position + match.start()
            (first,) = _OLD_TIMESTAMP.unpack_from(data, match.start())
            if next_offset <= first <= segment.base_offset + MAX_RELATIVE_OFFSET:
                found = read_valid(window, candidate, next_offset, segment.base_offset)
                if not isinstance(found, Fault):
                    return candidate
        position += max(len(data) - HEADER_SIZE + 1, 1)
    return None


_BATCH_START = re.compile(
    # an offset and a length that are not negative, the latter not 0; leader epoch or checksum; magic, attributes
    rb"(?=[\0-\x7f].{7}(?!\0{4})[\0-\x7f].{3}(?:.{4}\x02|.{4}[\0\x01][\0-\x0b]))",
    re.DOTALL,
)
