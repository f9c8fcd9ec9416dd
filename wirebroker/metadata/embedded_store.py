"""MetadataStore of a standalone broker: a journal in every log directory, and always elected."""

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
from wirebroker.metadata.journal import JOURNAL_NAME
from wirebroker.metadata.journal_copies import JournalCopies, describe_version
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

    def __init__(self, journal: JournalCopies, image: ClusterImage) -> None:
        self._journal = journal
        self._image = image
        self._version = journal.version
        """The version of the last write that succeeded; one that failed may have begun a generation in the journal."""
        self._writing = False
        self._watchers: list[trio.MemorySendChannel[Written]] = []
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
            may_start: False when there must be a journal somewhere; an empty one would hide every topic.
            all_online: False if another log directory of this broker cannot be used now.

        Raises:
            StoreDamaged: the journal is damaged in every directory, or missing.
            OSError: it cannot be read or written.
        """
        if not may_start and not any(files.exists(str(directory / JOURNAL_NAME)) for directory in log_dirs):
            raise StoreDamaged(
                f"no {JOURNAL_NAME} in {', '.join(map(str, log_dirs))};"
                " it must be in a log directory that cannot be used"
            )
        journal, entries = JournalCopies.open(log_dirs, files, all_online=all_online)
        where = ", ".join(map(str, journal.paths))
        changes: list[Change] = []
        try:
            for entry in entries:
                changes += decode(entry.payload)
        except UnknownChange as error:
            journal.close()
            raise StoreDamaged(f"metadata journal {where}: a newer version wrote {error}; use that version") from error
        image = apply(ClusterImage(), *changes)
        version = describe_version(journal.version)
        log.info("metadata journal %s: version %s, %d topics", where, version, len(image.topics))
        return cls(journal, image)

    @property
    def path(self) -> Path:
        """The journal's file, the first if there are several."""
        return self._journal.paths[0]

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
        return self._image, self._version

    async def write(self, changes: Sequence[Change], expected: int) -> int:
        """See MetadataStore.write.  The fsync (0.1 to 10 ms) happens in a thread."""
        if self._writing:
            raise RuntimeError("a second writer: all writes must come from the controller's task")
        if expected != self._version:
            raise VersionConflict(f"decided on version {expected}, the store is at {self._version}")
        image = apply(self._image, *changes)  # before it is durable: what cannot be applied must not get into the file
        self._writing = True
        try:
            # Not cancellable once the thread runs, so that the image never falls behind the file.
            version = await trio.to_thread.run_sync(self._append, changes, image, limiter=self._thread)
        finally:
            self._writing = False
        self._image, self._version = image, version
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
        self._version = self._journal.append(encode(changes), self._snapshot)
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

    def _snapshot(self) -> bytes:
        return encode(snapshot(self._image))

    def _append(self, changes: Sequence[Change], image: ClusterImage) -> int:
        """Runs in a thread: encoding a change of thousands of topics takes some 10 ms."""
        version = self._journal.append(encode(changes), self._snapshot)
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
