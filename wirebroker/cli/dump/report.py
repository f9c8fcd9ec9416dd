"""The seam between what dump-log finds in files and how it is printed.

The functions that read files hand facts to a `Report`; a subclass words them.  Lines that the original prints on stdout
go there, too; mismatches between files are collected and come last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TextIO

from wirebroker.record.record_batch import TimestampType

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wirebroker.cli.dump.options import DumpOptions
    from wirebroker.record.control import EndTxnMarker
    from wirebroker.record.legacy import AnyBatch, LegacyBatch
    from wirebroker.record.record_batch import Record, RecordBatch

    MismatchKind = Literal["index", "timestamp", "order", "missing", "gap"]
    """Offset index and log; time index and log; time index and its previous entry; an offset that is indexed and not in
    the log; two records of a log whose offsets do not follow one another."""

TIMESTAMP_NAMES: Final[dict[TimestampType | None, str]] = {
    None: "NoTimestampType",  # message format 0
    TimestampType.CREATE_TIME: "CreateTime",
    TimestampType.LOG_APPEND_TIME: "LogAppendTime",
}


class ControlRecord(NamedTuple):
    """The contents of a control record."""

    type_name: str
    type_id: int
    marker: EndTxnMarker | None = None
    """The end of a transaction, for types ABORT and COMMIT."""
    content: tuple[str, str] | None = None
    """Title and JSON of a record of KRaft."""


class Report(ABC):
    """The output of one run, file by file."""

    def __init__(
        self, options: DumpOptions, out: TextIO, err: TextIO, on_read: Callable[[int], None] = lambda _: None
    ) -> None:
        """A report of what *options* ask for; *on_read* is called with the size of each batch that was read."""
        self.options = options
        self.advance = on_read
        self._write = out.write
        self._write_error = err.write
        self._mismatches: dict[MismatchKind, dict[str, list[tuple[int, int]]]] = {}

    def mismatch(self, kind: MismatchKind, path: Path, expected: int, found: int) -> None:
        """Keep two numbers that should go together and do not, until `finish`."""
        self._mismatches.setdefault(kind, {}).setdefault(str(path.absolute()), []).append((expected, found))

    @abstractmethod
    def begin_file(self, path: Path) -> None:
        """Begin with *path*, to which everything belongs until the next call."""

    @abstractmethod
    def finish(self) -> None:
        """Print the mismatches."""

    @abstractmethod
    def error(self, path: Path, text: str) -> None:
        """Print why *path* could not be read any further."""

    @abstractmethod
    def warning(self, text: str) -> None:
        """Print a line on stderr that does not change the exit code."""

    @abstractmethod
    def line(self, kind: str, text: str, **fields: Any) -> None:
        """Print one small fact, *text* being the original's line and *fields* the same for JSON."""

    @abstractmethod
    def batch(self, batch: AnyBatch, position: int) -> None:
        """Print the header of a batch that begins at byte *position* of the file."""

    @abstractmethod
    def record(self, record: Record, batch: RecordBatch, control: ControlRecord | None) -> None:
        """Print one record; *control* is given if *batch* is a control batch."""

    @abstractmethod
    def legacy_record(self, record: Record, crc: int, is_valid: bool, batch: LegacyBatch) -> None:
        """Print one record of message format 0 or 1, which has a checksum of its own."""


def record_sequence(record: Record, batch: RecordBatch) -> int:
    """The sequence number of *record*, -1 in a batch without."""
    if batch.base_sequence < 0:
        return -1
    return batch.base_sequence + record.offset - batch.base_offset & 0x7FFFFFFF
