"""DelayedFetch: a Fetch request that waits for its partitions to change.

A request that cannot be answered yet listens to its partitions and sleeps until its time is over.  A partition that
changes is read again, and no other, in the task of the request: several changes before it runs cost one read, and a
read may have to wait for a scan.  The request is answered when all partitions together have min_bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.replication.delayed_operation import DelayedOperation, DelayedOperationPurgatory
from wirebroker.replication.fetch_session import by_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.replication.fetch_reader import FetchReader, FetchResults
    from wirebroker.replication.fetch_session import CachedPartition, FetchSession


class FetchPurgatory(DelayedOperationPurgatory["DelayedFetch"]):
    """The waiting Fetch requests of one broker.

    Attributes:
        expired_of_followers: The number of requests of followers among those that have expired.
    """

    expired_of_followers = 0

    async def fetch(
        self, reader: FetchReader, entries: Iterable[CachedPartition], session: FetchSession | None, expiration_ms: int
    ) -> FetchResults:
        """Read *entries*, and wait for an error or enough records, until *expiration_ms* of the timer at the latest.

        With a *session* they are its dirty partitions; the results hold those that change meanwhile, too.
        """
        epoch = session.epoch if session is not None else 0
        results = await reader.read(entries)
        is_empty = session is None and not results.by_partition
        if is_empty or reader.is_complete(results) or expiration_ms <= self.timer.now_ms():
            return results
        delayed = DelayedFetch(reader, results, session, epoch)
        self.try_complete_else_watch(delayed, expiration_ms)
        try:
            return await delayed.until_complete()
        finally:
            if not delayed.is_completed:  # the peer has gone
                delayed.cancel()
            if session is None:
                delayed.release_results()
                self.purge_later(delayed)
            else:  # it outlives the operation by far
                delayed.stop_watching()


class DelayedFetch(DelayedOperation):
    """One request that waits."""

    __slots__ = ("_changed", "_entries", "_epoch", "_event", "_is_released", "_reader", "_results", "_session")

    def __init__(self, reader: FetchReader, results: FetchResults, session: FetchSession | None, epoch: int) -> None:
        """*epoch* is that of *session* as long as this request is its latest."""
        super().__init__()
        self._reader = reader
        self._results = results
        self._session = session
        self._epoch = epoch
        self._entries: tuple[CachedPartition, ...] = () if session is not None else tuple(results.by_partition)
        for entry in self._entries:
            entry.owner = self
        self._changed: set[CachedPartition] = set()
        self._event = trio.Event()
        self._is_released = False

    def on_expiration(self) -> None:
        """Count the requests of followers apart."""
        if isinstance(self._purgatory, FetchPurgatory) and self._reader.params.replica_id >= 0:
            self._purgatory.expired_of_followers += 1

    def watch(self) -> None:
        """Listen to the partitions of the results, through the session if there is one."""
        session, reader = self._session, self._reader
        if session is not None:
            session.delayed.add(self)
        if self._is_superseded:
            return
        for entry, data in self._results.by_partition.items():
            entry.listen()
            # the partition may have got none of the shared bytes, but its records count for min_bytes
            if not data.records and not reader.params.is_caught_up(entry, data):
                self._changed.add(entry)
        if session is not None:  # its partitions that have changed while the request ran scans
            self._changed.update(session.dirty.difference(self._results.by_partition))

    @property
    def watched(self) -> int:
        """The number of partitions of a request without a session, once its results are returned."""
        return len(self._entries) if self._is_released else 0

    def stop_watching(self) -> None:
        """Listen to no partition, and leave those of the session to it."""
        session = self._session
        if session is None:
            for entry in self._entries:
                if entry.owner is self:  # else they belong to the session that the request has created
                    entry.stop_listening()
            return
        session.delayed.discard(self)
        if session.closed:
            session.close()

    def partition_changed(self, entry: CachedPartition) -> None:
        """Wake the request, so that it reads the partition again."""
        self._changed.add(entry)
        self._event.set()

    def high_watermark_changed(self, entry: CachedPartition) -> None:
        """Read the partition again when the request is answered; a high watermark alone is no reason to answer it."""
        self._changed.add(entry)

    def release_results(self) -> None:
        """Drop the results, which hold files open, after they were returned."""
        self._results = type(self._results)()  # no import: a broker loads the messages of Fetch with the first of them
        self._is_released = True

    def try_complete(self) -> bool:
        """Complete the request if it has an error or enough records."""
        return self.is_completed or (self._reader.is_complete(self._results) and self.force_complete())

    def on_complete(self) -> None:
        """Wake the request, so that it is answered."""
        self._event.set()

    async def until_complete(self) -> FetchResults:
        """Wait until the request can be answered or its time is over, and return the results."""
        await self._read_changed()
        while not self.try_complete():
            await self._event.wait()
            self._event = trio.Event()
            await self._read_changed()
        while True:
            await self._read_changed()
            await self._keep_limits()
            if not self._changed or self._is_superseded:
                return self._results

    @property
    def _is_superseded(self) -> bool:
        """Whether a later request of the session was served: this one will be refused, and must change nothing."""
        return self._session is not None and self._session.epoch != self._epoch

    async def _read_changed(self) -> None:
        """Read partitions that have changed since they were read; after a scan the log as it is then counts."""
        while self._changed and not self._is_superseded:
            entry = next(iter(self._changed))
            data = await self._reader.read_one(entry)
            self._changed.discard(entry)
            if not self._is_superseded:
                self._results.put(entry, data)
                entry.listen()

    async def _keep_limits(self) -> None:
        """Put the results in order; if several have records, read those again, as they share max_bytes."""
        results, reader = self._results, self._reader
        if self._session is not None:
            in_order = sorted(results.by_partition, key=by_order)
            results.by_partition = {entry: results.by_partition[entry] for entry in in_order}
        is_caught_up = reader.params.is_caught_up
        readable = [entry for entry, data in results.by_partition.items() if not is_caught_up(entry, data)]
        if len(readable) > 1:
            for entry, data in (await reader.read(readable)).by_partition.items():
                results.put(entry, data)
