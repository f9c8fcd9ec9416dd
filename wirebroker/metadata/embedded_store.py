"""EmbeddedStore: the cluster image of a standalone broker, and the journal that makes every change of it durable."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import trio

from wirebroker.loop_budget import LoopBudget
from wirebroker.metadata.errors import StoreDamaged, StoreUnavailable
from wirebroker.metadata.image import ClusterImage, ClusterImageDelta
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.metadata.journal_copies import JournalCopies, describe_version
from wirebroker.metadata.records import (
    MetadataRecord,
    UnknownRecordType,
    apply,
    decode,
    encode,
    snapshot,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wirebroker.metadata.image import BrokerImage
    from wirebroker.storage.files import Files

log = logging.getLogger(__name__)

SMALLEST_COMPACTION_BYTES = 256 * 1024
COMPACTION_FACTOR = 4


class EmbeddedStore:
    """The newest image and its journal, a copy in every log directory.

    The controller's task is the one writer: a second write while one is under way is a bug and raises RuntimeError.
    """

    def __init__(self, journal: JournalCopies, image: ClusterImage) -> None:
        self._journal = journal
        self.image = image
        """The image after the last successful write."""
        self.version = journal.version
        """The version of the last successful write; a failed one may have begun a generation in the journal."""
        self._writing = False
        self._thread = trio.CapacityLimiter(1)
        self._compact_at = max(SMALLEST_COMPACTION_BYTES, COMPACTION_FACTOR * journal.size_bytes)

    @classmethod
    def open(
        cls, log_dirs: Sequence[Path], files: Files, *, may_start: bool = True, all_online: bool = True
    ) -> EmbeddedStore:
        """Open the newest journal in *log_dirs*, or start one, and have a copy in each of them.

        Args:
            log_dirs: The directories in use.
            files: How to read and write.
            may_start: False if there must be a journal; an empty one would hide every topic.
            all_online: False if another log directory of this broker cannot be used now.

        Raises:
            StoreDamaged: the journal is damaged in every directory, or missing.
            OSError: a file cannot be read or written.
        """
        if not may_start and not any(files.exists(str(directory / JOURNAL_NAME)) for directory in log_dirs):
            raise StoreDamaged(
                f"no {JOURNAL_NAME} in {', '.join(map(str, log_dirs))};"
                " it must be in a log directory that cannot be used"
            )
        journal, entries = JournalCopies.open(log_dirs, files, all_online=all_online)
        where = ", ".join(map(str, journal.paths))
        records: list[MetadataRecord] = []
        try:
            for entry in entries:
                records += decode(entry.payload)
        except UnknownRecordType as error:
            journal.close()
            raise StoreDamaged(f"metadata journal {where}: a newer version wrote {error}; use that version") from error
        image = apply(ClusterImage(), *records)
        version = describe_version(journal.version)
        log.info("metadata journal %s: version %s, %d topics", where, version, len(image.topics))
        return cls(journal, image)

    @property
    def path(self) -> Path:
        """The journal's file, the first if there are several."""
        return self._journal.paths[0]

    def register_broker(self, broker: BrokerImage) -> None:
        """Make *broker* the live broker and the controller of the image.

        The journal does not hold brokers: addresses come from the configuration and may differ at every start.
        """
        delta = ClusterImageDelta(self.image)
        delta.brokers[broker.node_id] = broker
        delta.controller_id = broker.node_id
        self.image = delta.apply()

    async def write(self, records: Sequence[MetadataRecord]) -> ClusterImage:
        """Make all *records* durable together, or none, and return the image after them.

        The fsync (0.1 to 10 ms) happens in a thread.  A write that has begun is finished if the caller is cancelled.

        Raises:
            StoreUnavailable: the write failed.
        """
        if self._writing:
            raise RuntimeError("a second writer: all writes must come from the controller's task")
        self._writing = True
        try:
            # before the write: records that cannot be applied must not be journaled
            image = await _apply_yielding(self.image, records)
            # Not cancellable once the thread runs, so that the image never falls behind the file.
            version = await trio.to_thread.run_sync(self._append, records, image, limiter=self._thread)
        finally:
            self._writing = False
        self.image, self.version = image, version
        return image

    def write_blocking(self, records: Sequence[MetadataRecord]) -> None:
        """Do as `write`, in this thread, before any task uses the store.

        Raises:
            StoreUnavailable: the write failed.
        """
        image = apply(self.image, *records)
        self.version = self._journal.append(encode(records), self._snapshot)
        self.image = image

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _snapshot(self) -> bytes:
        return encode(snapshot(self.image))

    def _append(self, records: Sequence[MetadataRecord], image: ClusterImage) -> int:
        """Append *records*, in a thread: encoding those of thousands of topics takes some 10 ms."""
        version = self._journal.append(encode(records), self._snapshot)
        if self._journal.size_bytes >= self._compact_at:
            self._compact(image)
        return version

    def _compact(self, image: ClusterImage) -> None:
        """Replace the journal by a snapshot; a failure is only logged, as every entry is durable already."""
        before = self._journal.size_bytes
        try:
            self._journal.compact(encode(snapshot(image)))
        except (OSError, StoreUnavailable) as error:
            log.warning("metadata journal %s: compaction failed: %s", self.path, error)
        else:
            log.info("metadata journal %s: compacted %d bytes to %d", self.path, before, self._journal.size_bytes)
        self._compact_at = max(SMALLEST_COMPACTION_BYTES, COMPACTION_FACTOR * self._journal.size_bytes)


async def _apply_yielding(image: ClusterImage, records: Sequence[MetadataRecord]) -> ClusterImage:
    """Return the image after *records*, as `apply`; yields the event loop meanwhile."""
    delta, budget = ClusterImageDelta(image), LoopBudget()
    for record in records:
        record.apply_to(delta)
        await budget.yield_if_due()
    return delta.apply()
