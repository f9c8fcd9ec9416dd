"""MetadataLog: reads `__cluster_metadata-0`, the newest complete snapshot and the log behind it (KIP-630).

    00000000000000001234-0000000005.checkpoint   everything below offset 1234, written in epoch 5
    00000000000000000000.log                     batches as in any log; control batches are those of the quorum

A snapshot begins with a control batch (snapshot header) and ends with one (snapshot footer); without the footer it is
incomplete.  The directory does not say how far the log is committed: everything in it counts, as it would for the
leader of a quorum of one.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.errors import StoreDamaged
from wirebroker.record.control import ControlType, control_type
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import HEADER_SIZE
from wirebroker.storage.integrity.batch_reader import BatchReader, FileWindow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.files import Files

_SNAPSHOT = re.compile(r"(\d{20})-(\d{10})\.checkpoint")
_SEGMENT = re.compile(r"(\d{20})\.log")

logger = logging.getLogger(__name__)


class Snapshot(NamedTuple):
    """The file of a snapshot, with the fields of its name."""

    end_offset: int
    epoch: int
    path: str


class MetadataLog:
    """The metadata log in one directory.  Methods may raise OSError."""

    def __init__(self, directory: str, files: Files) -> None:
        self._directory = directory
        self._files = files
        self.snapshot: Snapshot | None = None
        """The snapshot that was read; known after `values`."""
        self.end_offset = 0
        """Where the log ends; known after `values`."""

    def values(self) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, value) of every metadata record from the newest complete snapshot on.

        A snapshot's records count from zero, not by offsets in the log.

        Raises:
            StoreDamaged: a file is missing or damaged, and no crash explains it.
        """
        names = [name for name, is_directory in self._files.list(self._directory) if not is_directory]
        snapshots = sorted(
            Snapshot(int(match[1]), int(match[2]), f"{self._directory}/{match[0]}")
            for match in map(_SNAPSHOT.fullmatch, names)
            if match is not None
        )
        self.snapshot = next((each for each in reversed(snapshots) if self._is_complete(each)), None)
        start = 0
        if self.snapshot is not None:
            start = self.snapshot.end_offset
            for batch in self._batches(self.snapshot.path, 0):
                yield from _values(batch)
        bases = sorted(int(match[1]) for match in map(_SEGMENT.fullmatch, names) if match is not None)
        yield from self._log_values(bases, start)

    def __str__(self) -> str:
        return self._directory

    def _log_values(self, bases: list[int], start: int) -> Iterator[tuple[int, bytes]]:
        self.end_offset = start
        if bases and bases[0] > start:
            raise StoreDamaged(
                f"{self._directory}: its log begins at offset {bases[0]}, and there is no complete snapshot up to there"
            )
        for at, base in enumerate(bases):
            following = bases[at + 1] if at + 1 < len(bases) else None
            if following is not None and following <= start:
                continue
            for batch in self._batches(f"{self._directory}/{base:020}.log", base, may_be_torn=following is None):
                if batch.last_offset >= start:
                    yield from _values(batch, start)
                self.end_offset = max(start, batch.next_offset)
            if following is not None and self.end_offset != following:
                raise StoreDamaged(f"{self._directory}: offsets {self.end_offset} to {following - 1} are missing")

    def _is_complete(self, snapshot: Snapshot) -> bool:
        last = None
        try:
            for batch in self._batches(snapshot.path, 0):
                last = batch
            if last is not None and last.is_control:
                keys = [record.key for record in last.records()]
                if keys and control_type(keys[-1]) is ControlType.SNAPSHOT_FOOTER:
                    return True
        except (StoreDamaged, RecordError) as fault:
            logger.warning("%s is ignored: %s", snapshot.path, fault)
            return False
        logger.warning("%s is ignored: it has no footer", snapshot.path)
        return False

    def _batches(self, path: str, base_offset: int, *, may_be_torn: bool = False) -> Iterator[AnyBatch]:
        file = self._files.open(path, create=False)
        reader = BatchReader(FileWindow(file, file.size_bytes()), base_offset)
        yield from reader
        if reader.invalid is not None:
            left = reader.end - reader.position
            if may_be_torn and (reader.invalid.is_cut_short or left < HEADER_SIZE):
                logger.warning("%s: %d bytes at its end are an incomplete batch and are ignored", path, left)
                return
            raise StoreDamaged(f"{path} at position {reader.position}: {reader.invalid.text}; restore it from a backup")


def _values(batch: AnyBatch, start: int = 0) -> Iterator[tuple[int, bytes]]:
    if batch.is_control:
        return
    for record in batch.records():
        if record.value is not None and record.offset >= start:
            yield record.offset, record.value
