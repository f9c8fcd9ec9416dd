"""Read `__cluster_metadata-0`: the newest snapshot that is whole, and the log behind it (KIP-630).

    00000000000000001234-0000000005.checkpoint   everything below offset 1234, written in epoch 5
    00000000000000000000.log                     batches as in any log; control batches are the quorum's own affair

A snapshot begins with a control batch (snapshot header) and ends with one (snapshot footer); without the footer it was
not finished.  The directory does not say how far the log is committed: everything in it counts, as it would for the
leader of a quorum of one.
"""

from __future__ import annotations

import logging
import re
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.metadata.store import StoreDamaged
from wirebroker.record.control import ControlType, control_type
from wirebroker.record.faults import RecordError
from wirebroker.record.record_batch import HEADER_SIZE, LOG_OVERHEAD
from wirebroker.storage.recovery import Fault, Window, read_valid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.files import Files

_SNAPSHOT = re.compile(r"(\d{20})-(\d{10})\.checkpoint")
_SEGMENT = re.compile(r"(\d{20})\.log")
_LENGTH = Struct(">i")

logger = logging.getLogger(__name__)


class Snapshot(NamedTuple):
    """A snapshot's file, by what its name says."""

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
        """(offset, value) of every metadata record from the newest whole snapshot on.

        A snapshot's records count from zero, not by offsets in the log.

        Raises:
            StoreDamaged: something is missing or damaged that no crash explains.
        """
        names = [name for name, is_directory in self._files.list(self._directory) if not is_directory]
        snapshots = sorted(
            Snapshot(int(match[1]), int(match[2]), f"{self._directory}/{match[0]}")
            for match in map(_SNAPSHOT.fullmatch, names)
            if match is not None
        )
        self.snapshot = next((each for each in reversed(snapshots) if self._is_whole(each)), None)
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
                f"{self._directory}: its log begins at offset {bases[0]}, and there is no whole snapshot from there on"
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

    def _is_whole(self, snapshot: Snapshot) -> bool:
        last = None
        try:
            for batch in self._batches(snapshot.path, 0):
                last = batch
            if last is not None and last.is_control:
                keys = [record.key for record in last.records()]
                if keys and control_type(keys[-1]) is ControlType.SNAPSHOT_FOOTER:
                    return True
        except (StoreDamaged, RecordError) as fault:
            logger.warning("%s is passed over: %s", snapshot.path, fault)
            return False
        logger.warning("%s is passed over: it has no end", snapshot.path)
        return False

    def _batches(self, path: str, base_offset: int, *, may_be_torn: bool = False) -> Iterator[RecordBatch]:
        file = self._files.open(path, create=False)
        window = Window(file, file.size_bytes())
        position, next_offset = 0, base_offset
        while position < window.end:
            batch = read_valid(window, position, next_offset, base_offset)
            if isinstance(batch, Fault):
                left = window.end - position
                if may_be_torn and _is_cut_short(window, position):
                    logger.warning("%s: %d bytes at its end are no whole batch and are passed over", path, left)
                    return
                raise StoreDamaged(f"{path} at position {position}: {batch.text}; restore it from a backup")
            yield batch
            position += batch.size_bytes
            next_offset = batch.last_offset + 1


def _is_cut_short(window: Window, position: int) -> bool:
    left = window.end - position
    if left < HEADER_SIZE:
        return True
    (length,) = _LENGTH.unpack_from(window.data, window.find(position, LOG_OVERHEAD) + 8)
    return bool(length + LOG_OVERHEAD > left)


def _values(batch: RecordBatch, start: int = 0) -> Iterator[tuple[int, bytes]]:
    if batch.is_control:
        return
    for record in batch.records():
        if record.value is not None and record.offset >= start:
            yield record.offset, record.value
