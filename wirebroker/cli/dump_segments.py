"""Dump a `.log` or a KRaft snapshot, and read batches for the index checks, in memory for a few batches only."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, BinaryIO

from wirebroker.cli.dump_report import Control
from wirebroker.cli.log_dump import UNLIMITED
from wirebroker.record.control import ControlType, control_type, control_type_id, parse_marker
from wirebroker.record.faults import IncompleteBatch, RecordError
from wirebroker.record.legacy import LegacyBatch, parse_any
from wirebroker.record.record_batch import HEADER_SIZE, LOG_OVERHEAD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.cli.dump_report import Report
    from wirebroker.cli.log_dump import DumpOptions
    from wirebroker.record.legacy import AnyBatch
    from wirebroker.record.record_batch import Record

BOOTSTRAP = "bootstrap.checkpoint"
CHUNK_BYTES = 1 << 20
HEADER_SIZE_UP_TO_MAGIC = 17
MIN_LENGTH = 14  # of the smallest message of the oldest format


def dump_log(path: Path, options: DumpOptions, report: Report) -> None:
    """Print the batches of a segment, their records if asked for, and how many bytes at the end are no batch."""
    base_offset = base_offset_of(path)
    report.line("start", f"Log starting offset: {base_offset}", offset=base_offset)
    _dump_batches(path, options, report)


def dump_snapshot(path: Path, options: DumpOptions, report: Report) -> None:
    """Print a snapshot of the KRaft metadata, which has the form of a segment."""
    if path.name == BOOTSTRAP:
        report.line("snapshot", "KRaft bootstrap snapshot")
    else:
        match = re.fullmatch(r"(\d{20})-(\d{10})\.checkpoint", path.name)
        if match is None:
            raise RecordError("the name is not that of a snapshot: end offset, '-', epoch")
        end_offset, epoch = int(match[1]), int(match[2])
        text = f"Snapshot end offset: {end_offset}, epoch: {epoch}"
        report.line("snapshot", text, endOffset=end_offset, epoch=epoch)
    _dump_batches(path, options, report)


def _dump_batches(path: Path, options: DumpOptions, report: Report) -> None:
    with path.open("rb", buffering=0) as file:
        size = min(os.fstat(file.fileno()).st_size, options.max_bytes)
        valid, last_offset = 0, -1
        advance = options.progress.advance
        for position, batch in batches_of(file, 0, size):
            report.batch(batch, position)
            if options.deep_iteration:
                last_offset = _dump_records(path, batch, last_offset, options, report)
            advance(batch.size_bytes)
            valid = position + batch.size_bytes
    if size > valid and options.max_bytes == UNLIMITED:
        text = f"Found {size - valid} invalid bytes at the end of {path.name}"
        report.line("trailing", text, invalidBytes=size - valid)


def _dump_records(path: Path, batch: AnyBatch, last_offset: int, options: DumpOptions, report: Report) -> int:
    if isinstance(batch, LegacyBatch):
        for record, crc, is_valid in batch.checked_records():
            _check_gap(path, last_offset, record.offset, report)
            last_offset = record.offset
            report.message(record, crc, is_valid, batch, options)
        return last_offset
    for record in batch.records():
        _check_gap(path, last_offset, record.offset, report)
        last_offset = record.offset
        report.record(record, batch, _control(record) if batch.is_control else None, options)
    return last_offset


def _check_gap(path: Path, last_offset: int, offset: int, report: Report) -> None:
    if last_offset != -1 and offset != last_offset + 1:
        report.disagreement("gap", path, last_offset, offset)


def _control(record: Record) -> Control:
    kind, number = control_type(record.key), control_type_id(record.key)
    if kind in (ControlType.ABORT, ControlType.COMMIT):
        return Control(kind.name, number, parse_marker(record), None)
    if kind in (ControlType.UNKNOWN, ControlType.LEADER_CHANGE):
        return Control(kind.name, number, None, None)
    from wirebroker.cli.dump_metadata import control_json  # seldom needed

    return Control(kind.name, number, None, control_json(kind, record.value or b""))


def base_offset_of(path: Path) -> int:
    """The offset in a file's name."""
    try:
        return int(path.name.split(".")[0])
    except ValueError:
        raise RecordError("the name does not start with an offset") from None


def batches_of(
    file: BinaryIO, position: int, end: int, chunk_bytes: int = CHUNK_BYTES
) -> Iterator[tuple[int, AnyBatch]]:
    """(position, batch) from *position* on, up to the first that *end* cuts off.  RecordError where no batch can be.

    A batch is good until the next one is asked for: the bytes behind it may be replaced then.
    """
    fd = file.fileno()
    chunk, chunk_at = b"", position
    while position < end - HEADER_SIZE_UP_TO_MAGIC:
        at = position - chunk_at
        try:
            batch = parse_any(chunk, at)
        except IncompleteBatch:
            wanted = max(chunk_bytes, _size_at(chunk, at))
            have = len(chunk) - at
            chunk, chunk_at = os.pread(fd, min(wanted, end - position), position), position
            if len(chunk) > have:
                continue
            _check_length(chunk, position)
            return
        except RecordError:
            _check_length(chunk[at:], position)
            if _size_at(chunk, at) > end - position:
                return  # the original looks at the length first
            raise RecordError(f"position {position}: {_what_is_wrong(chunk[at:])}") from None
        yield position, batch
        position += batch.size_bytes


def _size_at(chunk: bytes, at: int) -> int:
    """Bytes of the batch at *at* as far as its start is in *chunk*, at least a header's."""
    if len(chunk) - at < LOG_OVERHEAD:
        return HEADER_SIZE
    return max(HEADER_SIZE, LOG_OVERHEAD + int.from_bytes(chunk[at + 8 : at + 12], "big", signed=True))


def _check_length(start: bytes, position: int) -> None:
    length = int.from_bytes(start[8:12], "big", signed=True)
    if length < MIN_LENGTH:
        raise RecordError(
            f"position {position}: found record size {length} smaller than minimum record overhead ({MIN_LENGTH})"
        )


def _what_is_wrong(start: bytes) -> str:
    magic = start[HEADER_SIZE_UP_TO_MAGIC - 1]
    if magic < 2:
        return "a message smaller than its fields"
    if magic > 2:
        return f"unknown magic {magic}"
    return "a batch smaller than its header"
