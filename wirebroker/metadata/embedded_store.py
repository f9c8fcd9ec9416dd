"""MetadataStore of a standalone broker: a journal file beside the logs, and always elected."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

import trio

from wirebroker.metadata.changes import (
    BrokerRegistered,
    Change,
    ControllerElected,
    UnknownChange,
    apply,
    decode,
    encode,
    snapshot,
)
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.journal import JOURNAL_NAME, Journal
from wirebroker.metadata.store import StoreDamaged, StoreUnavailable, VersionConflict, Written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wirebroker.metadata.image import BrokerImage
    from wirebroker.storage.files import Files

log = logging.getLogger(__name__)

SMALLEST_COMPACTION_BYTES = 256 * 1024
COMPACTION_FACTOR = 4


class EmbeddedStore:
    """The standalone store.  One writer: a second write while one is under way is a bug and raises."""

    def __init__(self, journal: Journal, image: ClusterImage) -> None:
        self._journal = journal
        self._image = image
        self._writing = False
        self._watchers: list[trio.MemorySendChannel[Written]] = []
        self._thread = trio.CapacityLimiter(1)
        self._compact_at = max(SMALLEST_COMPACTION_BYTES, COMPACTION_FACTOR * journal.size_bytes)

    @classmethod
    def open(cls, log_dirs: Sequence[Path], files: Files, *, may_start: bool = True) -> EmbeddedStore:
        """Open the journal that one of *log_dirs* holds, or start one in the first.

        Args:
            log_dirs: The directories to look in.
            files: How to read and write.
            may_start: False when there must be a journal somewhere; an empty one would hide every topic.

        Raises:
            StoreDamaged: the journal is damaged or missing, or there are several.
            OSError: it cannot be read or written.
        """
        found = [path for path in (directory / JOURNAL_NAME for directory in log_dirs) if path.exists()]
        if len(found) > 1:
            raise StoreDamaged(f"more than one metadata journal: {', '.join(map(str, found))}; keep the right one only")
        if not found and not may_start:
            raise StoreDamaged(
                f"no {JOURNAL_NAME} in {', '.join(map(str, log_dirs))};"
                " it must be in a log directory that cannot be used"
            )
        path = found[0] if found else log_dirs[0] / JOURNAL_NAME
        journal, entries = Journal.open(path, files)
        changes: list[Change] = []
        try:
            for entry in entries:
                changes += decode(entry.payload)
        except UnknownChange as error:
            journal.close()
            raise StoreDamaged(f"metadata journal {path}: a newer version wrote {error}; use that version") from error
        image = apply(ClusterImage(), *changes)
        log.info("metadata journal %s: version %d, %d topics", path, journal.version, len(image.topics))
        return cls(journal, image)

    @property
    def path(self) -> Path:
        """The journal's file."""
        return self._journal.path

    async def register(self, broker: BrokerImage) -> int:
        """Nothing to remember: addresses come from the config and may differ on every start."""
        self._image = apply(self._image, BrokerRegistered(broker))
        await trio.lowlevel.checkpoint()
        return broker.epoch

    async def campaign(self, broker_id: int) -> int:
        """Wins at once."""
        self._image = apply(self._image, ControllerElected(broker_id))
        await trio.lowlevel.checkpoint()
        return 1

    def read(self) -> tuple[ClusterImage, int]:
        return self._image, self._journal.version

    async def write(self, changes: Sequence[Change], expected: int) -> int:
        """See MetadataStore.write.  The fsync (0.1 to 10 ms) happens in a thread."""
        if self._writing:
            raise RuntimeError("a second writer: all writes must come from the controller's task")
        if expected != self._journal.version:
            raise VersionConflict(f"decided on version {expected}, the store is at {self._journal.version}")
        image = apply(self._image, *changes)  # before it is durable: what cannot be applied must not get into the file
        payload = encode(changes)
        self._writing = True
        try:
            # Not cancellable once the thread runs, so that the image never falls behind the file.
            version = await trio.to_thread.run_sync(self._append, payload, image, limiter=self._thread)
        finally:
            self._writing = False
        self._image = image
        for watcher in self._watchers.copy():
            try:
                watcher.send_nowait(Written(version, image, tuple(changes)))
            except trio.BrokenResourceError:
                self._watchers.remove(watcher)
        return version

    def adopt(self, changes: Sequence[Change]) -> None:
        """Write *changes* at once, before anybody else uses the store.

        Raises:
            StoreUnavailable: they are not durable.
        """
        image = apply(self._image, *changes)
        self._journal.append(encode(changes))
        self._image = image

    def watch(self) -> trio.MemoryReceiveChannel[Written]:
        """See MetadataStore.watch.  Unbounded: the writer must never wait for a reader, and writes are rare."""
        send, receive = trio.open_memory_channel[Written](math.inf)
        self._watchers.append(send)
        return receive

    def close(self) -> None:
        """Close the journal and end the watchers' channels."""
        for watcher in self._watchers:
            watcher.close()
        self._journal.close()

    def _append(self, payload: bytes, image: ClusterImage) -> int:
        version = self._journal.append(payload)
        if self._journal.size_bytes >= self._compact_at:
            self._compact(image)
        return version

    def _compact(self, image: ClusterImage) -> None:
        """Shrink the journal.  What was just appended is durable whether this works or not, so it only warns."""
        before = self._journal.size_bytes
        try:
            self._journal.compact(encode(snapshot(image)))
        except (OSError, StoreUnavailable) as error:
            log.warning("metadata journal %s: compaction failed: %s", self.path, error)
        else:
            log.info("metadata journal %s: compacted %d bytes to %d", self.path, before, self._journal.size_bytes)
        self._compact_at = max(SMALLEST_COMPACTION_BYTES, COMPACTION_FACTOR * self._journal.size_bytes)
