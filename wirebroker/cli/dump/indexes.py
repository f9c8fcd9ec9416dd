"""Dump `.index` and `.timeindex`, checking each entry against the log next to it.

An index that a crash left preallocated ends in zeros: printing stops at the first entry, after the very first, that
points at the base offset.  All quirks here are the original's, so that the outputs can be compared.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final

from wirebroker.cli.dump.batches import batches_of, open_log
from wirebroker.cli.dump.segments import base_offset_of
from wirebroker.record.errors import RecordError
from wirebroker.storage.offset_index import OffsetIndex
from wirebroker.storage.time_index import TimeIndex

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from struct import Struct

    from wirebroker.cli.dump.options import DumpOptions
    from wirebroker.cli.dump.report import Report
    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.files import File

_OFFSET_ENTRY: Final = OffsetIndex.ENTRY  # relative offset, position
_TIME_ENTRY: Final = TimeIndex.ENTRY  # timestamp, relative offset
_READ_AHEAD_BYTES: Final = 64 << 10
"""Read at once to find a batch at most `index.interval.bytes` (4 kB by default) away."""


def dump_index(path: Path, options: DumpOptions, report: Report) -> None:
    """Print an offset index.  Each entry must hold the last offset of the batch it points to."""
    base_offset = base_offset_of(path)
    with open_log(_log_of(path)) as log:
        data = path.read_bytes()
        entries = _entries(data, _OFFSET_ENTRY)
        if not entries:
            report.line("empty", f"{path} is empty.")
            return
        if options.index_sanity_check:
            _check_sane(data, _OFFSET_ENTRY, base_offset + entries[-1][0], base_offset)
            report.line("sane", f"{path} passed sanity check.")
            return
        end = log.size_bytes()
        for relative_offset, position in _without_padding(entries, 0):
            offset = base_offset + relative_offset
            last_offset = _last_offset_at(log, position, min(end, position + options.max_message_size), end)
            if last_offset != offset:
                report.mismatch("index", path, offset, last_offset)
            if not options.verify_index_only:
                report.line("index", f"offset: {offset} position: {position}", offset=offset, position=position)


def dump_time_index(path: Path, options: DumpOptions, report: Report) -> None:
    """Print a time index.  Each entry must hold the greatest timestamp of the batch that ends at its offset."""
    base_offset = base_offset_of(path)
    with open_log(_log_of(path)) as log:
        offset_index = path.with_suffix(".index").read_bytes()
        data = path.read_bytes()
        entries = _entries(data, _TIME_ENTRY)
        if options.index_sanity_check:
            _check_times_sane(data, entries, base_offset)
            report.line("sane", f"{path} passed sanity check.")
            return
        check = _TimeIndexCheck(path, log, offset_index, base_offset, report)
        for timestamp, relative_offset in _without_padding(entries, 1):
            check.check(timestamp, relative_offset)
            if not options.verify_index_only:
                offset = base_offset + relative_offset
                report.line("time", f"timestamp: {timestamp} offset: {offset}", timestamp=timestamp, offset=offset)


class _TimeIndexCheck:
    """The entries of a time index, one after the other, against the log."""

    def __init__(self, path: Path, log: File, offset_index: bytes, base_offset: int, report: Report) -> None:
        self._path, self._log, self._base_offset, self._report = path, log, base_offset, report
        entries = [entry for n, entry in enumerate(_entries(offset_index, _OFFSET_ENTRY)) if entry[0] or n == 0]
        self._offsets = [offset for offset, _ in entries]
        self._positions = [position for _, position in entries]
        self._previous = -1

    def check(self, timestamp: int, relative_offset: int) -> None:
        """Report what is wrong with the next entry."""
        offset = self._base_offset + relative_offset
        batch = self._first_batch_up_to(offset, self._position_before(relative_offset))
        if batch is None or batch.last_offset != offset:
            self._report.mismatch("missing", self._path, offset, -1 if batch is None else batch.last_offset)
        else:
            max_timestamp = max((record.timestamp for record in batch.records()), default=-1)
            if max_timestamp != timestamp:
                self._report.mismatch("timestamp", self._path, timestamp, max_timestamp)
            if self._previous >= timestamp:
                self._report.mismatch("order", self._path, timestamp, self._previous)
        self._previous = timestamp

    def _position_before(self, relative_offset: int) -> int:
        """Where in the log to start looking, as the offset index says."""
        slot = bisect_right(self._offsets, relative_offset) - 1
        return self._positions[slot] if slot >= 0 else 0

    def _first_batch_up_to(self, offset: int, position: int) -> AnyBatch | None:
        """The first batch from *position* on whose last offset is *offset* or higher."""
        end = self._log.size_bytes()
        for _, batch in batches_of(self._log, position, end, read_ahead_bytes=_READ_AHEAD_BYTES):
            if batch.last_offset >= offset:
                return batch
        return None


def _log_of(path: Path) -> Path:
    return path.parent / f"{path.name.split('.')[0]}.log"


def _entries(data: bytes, layout: Struct) -> list[tuple[int, ...]]:
    """The whole entries in *data*."""
    return list(layout.iter_unpack(memoryview(data)[: len(data) // layout.size * layout.size]))


def _without_padding(entries: list[tuple[int, ...]], offset_at: int) -> Iterator[tuple[int, ...]]:
    """*entries* up to the first, after the very first, whose relative offset is 0: zeros are a preallocated rest."""
    for number, entry in enumerate(entries):
        if entry[offset_at] == 0 and number > 0:
            return
        yield entry


def _check_times_sane(data: bytes, entries: list[tuple[int, ...]], base_offset: int) -> None:
    """Check a whole time index as a starting broker does.

    Raises:
        RecordError: it would be rebuilt; worded as by the original.
    """
    last_offset = base_offset
    if entries:
        first_timestamp, (last_timestamp, last_relative) = entries[0][0], entries[-1]
        if last_timestamp < first_timestamp:
            raise RecordError(
                f"non-zero size but the last timestamp is {last_timestamp}"
                f" which is less than the first timestamp {first_timestamp}"
            )
        last_offset += last_relative
    _check_sane(data, _TIME_ENTRY, last_offset, base_offset)


def _check_sane(data: bytes, layout: Struct, last_offset: int, base_offset: int) -> None:
    """Check what a broker checks when it starts, to decide whether to build the index anew."""
    if last_offset < base_offset:
        raise RecordError(f"non-zero size but the last offset is {last_offset} which is less than {base_offset}")
    if len(data) % layout.size:
        raise RecordError(f"corrupt, found {len(data)} bytes which is no multiple of {layout.size}")


def _last_offset_at(log: File, position: int, limit: int, end: int) -> int:
    """The last offset of the batch that begins at *position*.

    Raises:
        RecordError: no batch is there, or it does not end before *limit*.
    """
    if 0 <= position <= end:
        for _, batch in batches_of(log, position, limit, read_ahead_bytes=0):
            return batch.last_offset
    raise RecordError(f"the index points to position {position}, where no whole batch is")
