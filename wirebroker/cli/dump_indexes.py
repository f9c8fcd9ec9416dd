"""Dump `.index` and `.timeindex`, checking each entry against the log next to it.

An index that a crash left preallocated ends in zeros: printing stops at the first entry, after the very first, that
points at the base offset.  All quirks here are the original's, so that the outputs can be compared.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from struct import Struct
from typing import TYPE_CHECKING, BinaryIO

from wirebroker.cli.dump_segments import base_offset_of, batches_of
from wirebroker.record.faults import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.cli.dump_report import Report
    from wirebroker.cli.log_dump import DumpOptions

OFFSET_ENTRY = Struct(">ii")  # relative offset, position
TIME_ENTRY = Struct(">qi")  # timestamp, relative offset
NEAR_BYTES = 64 << 10  # to look for a batch whose neighbourhood is known


def dump_index(path: Path, options: DumpOptions, report: Report) -> None:
    """Print an offset index.  Each entry must hold the last offset of the batch it points to."""
    base_offset = base_offset_of(path)
    with _log_of(path).open("rb", buffering=0) as log:
        data = path.read_bytes()
        count = len(data) // OFFSET_ENTRY.size
        if count == 0:
            report.line("empty", f"{path} is empty.")
            return
        if options.index_sanity_check:
            last = base_offset + OFFSET_ENTRY.unpack_from(data, (count - 1) * OFFSET_ENTRY.size)[0]
            _sanity_check(path, data, OFFSET_ENTRY, last, base_offset)
            report.line("sane", f"{path} passed sanity check.")
            return
        end = os.fstat(log.fileno()).st_size
        for number, (relative, position) in enumerate(_entries(data, OFFSET_ENTRY)):
            offset = base_offset + relative
            if relative == 0 and number > 0:
                return
            last_offset = _last_offset_at(log, position, min(end, position + options.max_message_size), end)
            if last_offset != offset:
                report.disagreement("index", path, offset, last_offset)
            if not options.verify_index_only:
                report.line("index", f"offset: {offset} position: {position}", offset=offset, position=position)


def dump_time_index(path: Path, options: DumpOptions, report: Report) -> None:
    """Print a time index.  Each entry must hold the greatest timestamp of the batch that ends at its offset."""
    base_offset = base_offset_of(path)
    with _log_of(path).open("rb", buffering=0) as log:
        index = path.with_suffix(".index").read_bytes()
        data = path.read_bytes()
        count = len(data) // TIME_ENTRY.size
        if options.index_sanity_check:
            if count:
                first_time, _ = TIME_ENTRY.unpack_from(data)
                last_time, relative = TIME_ENTRY.unpack_from(data, (count - 1) * TIME_ENTRY.size)
                if last_time < first_time:
                    raise RecordError(
                        f"non-zero size but the last timestamp is {last_time}"
                        f" which is less than the first timestamp {first_time}"
                    )
                _sanity_check(path, data, TIME_ENTRY, base_offset + relative, base_offset)
            else:
                _sanity_check(path, data, TIME_ENTRY, base_offset, base_offset)
            report.line("sane", f"{path} passed sanity check.")
            return
        positions = _Positions(index)
        previous = -1
        for number, (timestamp, relative) in enumerate(_entries(data, TIME_ENTRY)):
            if relative == 0 and number > 0:
                return
            offset = base_offset + relative
            _check_time_entry(path, log, positions.lookup(relative), timestamp, offset, previous, report)
            if not options.verify_index_only:
                report.line("time", f"timestamp: {timestamp} offset: {offset}", timestamp=timestamp, offset=offset)
            previous = timestamp


def _check_time_entry(
    path: Path, log: BinaryIO, position: int, timestamp: int, offset: int, previous: int, report: Report
) -> None:
    end = os.fstat(log.fileno()).st_size
    for _, batch in batches_of(log, position, end, NEAR_BYTES):
        if batch.last_offset < offset:
            continue
        if batch.last_offset != offset:
            report.disagreement("missing", path, offset, batch.last_offset)
            return
        highest = max((record.timestamp for record in batch.records()), default=-1)
        if highest != timestamp:
            report.disagreement("timestamp", path, timestamp, highest)
        if previous >= timestamp:
            report.disagreement("order", path, timestamp, previous)
        return
    report.disagreement("missing", path, offset, -1)


class _Positions:
    """An offset index in memory, without the zeros behind it: relative offset -> position to start looking from."""

    def __init__(self, data: bytes) -> None:
        entries = [entry for n, entry in enumerate(_entries(data, OFFSET_ENTRY)) if entry[0] or n == 0]
        self._offsets = [offset for offset, _ in entries]
        self._positions = [position for _, position in entries]

    def lookup(self, relative: int) -> int:
        slot = bisect_right(self._offsets, relative) - 1
        return self._positions[slot] if slot >= 0 else 0


def _log_of(path: Path) -> Path:
    return path.parent / f"{path.name.split('.')[0]}.log"


def _entries(data: bytes, layout: Struct) -> Iterator[tuple[int, ...]]:
    return layout.iter_unpack(memoryview(data)[: len(data) // layout.size * layout.size])


def _sanity_check(path: Path, data: bytes, layout: Struct, last_offset: int, base_offset: int) -> None:
    """What a broker checks when it starts, to decide whether to build the index anew."""
    if last_offset < base_offset:
        raise RecordError(f"non-zero size but the last offset is {last_offset} which is less than {base_offset}")
    if len(data) % layout.size:
        raise RecordError(f"corrupt, found {len(data)} bytes which is no multiple of {layout.size}")


def _last_offset_at(log: BinaryIO, position: int, limit: int, end: int) -> int:
    """Last offset of the batch that begins at *position*; RecordError unless all of it lies before *limit*."""
    if 0 <= position <= end:
        for _, batch in batches_of(log, position, limit, 1):
            return batch.last_offset
    raise RecordError(f"the index points to position {position}, where no whole batch is")
