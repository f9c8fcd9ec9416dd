"""Dump a `.log` or a snapshot of the KRaft metadata: batches, and their records if asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wirebroker.cli.dump.batches import batches_of, open_log
from wirebroker.cli.dump.control_records import control_record
from wirebroker.cli.dump.options import UNLIMITED
from wirebroker.record.errors import RecordError
from wirebroker.record.legacy import LegacyBatch

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.cli.dump.options import DumpOptions
    from wirebroker.cli.dump.report import Report
    from wirebroker.record.legacy import AnyBatch

_BOOTSTRAP = "bootstrap.checkpoint"


def dump_log(path: Path, options: DumpOptions, report: Report) -> None:
    """Print the batches of a segment, their records if asked for, and how many bytes at the end are no batch."""
    base_offset = base_offset_of(path)
    report.line("start", f"Log starting offset: {base_offset}", offset=base_offset)
    _dump_batches(path, options, report)


def dump_snapshot(path: Path, options: DumpOptions, report: Report) -> None:
    """Print a snapshot of the KRaft metadata, which has the form of a segment."""
    if path.name == _BOOTSTRAP:
        report.line("snapshot", "KRaft bootstrap snapshot")
    else:
        match = re.fullmatch(r"(\d{20})-(\d{10})\.checkpoint", path.name)
        if match is None:
            raise RecordError("the name is not that of a snapshot: end offset, '-', epoch")
        end_offset, epoch = int(match[1]), int(match[2])
        text = f"Snapshot end offset: {end_offset}, epoch: {epoch}"
        report.line("snapshot", text, endOffset=end_offset, epoch=epoch)
    _dump_batches(path, options, report)


def base_offset_of(path: Path) -> int:
    """The offset in the name of a segment's file.

    Raises:
        RecordError: the name does not start with one.
    """
    try:
        return int(path.name.split(".")[0])
    except ValueError:
        raise RecordError("the name does not start with an offset") from None


def _dump_batches(path: Path, options: DumpOptions, report: Report) -> None:
    """Print the batches that end within the first `max_bytes`, and the number of bytes behind the last one."""
    with open_log(path) as file:
        size = min(file.size_bytes(), options.max_bytes)
        valid, last_offset = 0, -1
        for position, batch in batches_of(file, 0, size):
            report.batch(batch, position)
            if options.deep_iteration:
                last_offset = _dump_records(path, batch, last_offset, report)
            report.advance(batch.size_bytes)
            valid = position + batch.size_bytes
    if size > valid and options.max_bytes == UNLIMITED:
        text = f"Found {size - valid} invalid bytes at the end of {path.name}"
        report.line("trailing", text, invalidBytes=size - valid)


def _dump_records(path: Path, batch: AnyBatch, last_offset: int, report: Report) -> int:
    """Print the records of *batch*, which comes after *last_offset* (-1: it is the first); return its last offset."""
    if isinstance(batch, LegacyBatch):
        for record, crc, is_valid in batch.checked_records():
            _check_gap(path, last_offset, record.offset, report)
            last_offset = record.offset
            report.legacy_record(record, crc, is_valid, batch)
        return last_offset
    for record in batch.records():
        _check_gap(path, last_offset, record.offset, report)
        last_offset = record.offset
        report.record(record, batch, control_record(record) if batch.is_control else None)
    return last_offset


def _check_gap(path: Path, last_offset: int, offset: int, report: Report) -> None:
    if last_offset != -1 and offset != last_offset + 1:
        report.mismatch("gap", path, last_offset, offset)
