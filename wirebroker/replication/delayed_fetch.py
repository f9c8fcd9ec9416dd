"""DelayedFetch: a Fetch request that waits for its partitions to change.

A request that cannot be answered yet listens to its partitions until its time is over.  A partition that changes is
read again, and no other: several changes of one turn cost one read.  The request is answered when all partitions
together have min_bytes.

A connection that takes delayed responses (`RequestContext.holds_responses`) needs no task for the wait: the operation
is looked at when the turn that has changed a partition ends, and `respond` completes the response.  Other requests wait
in their own task, as their answer may take threads: conversions to old message formats, and throttling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import trio

from wirebroker.replication.delayed_operation import DelayedOperation
from wirebroker.replication.fetch_purgatory import FetchPurgatory
from wirebroker.replication.fetch_session import by_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.replication.fetch_reader import FetchReader
    from wirebroker.replication.fetch_results import FetchResults
    from wirebroker.replication.fetch_session import CachedPartition, FetchSession


class DelayedFetch(DelayedOperation):
    """One request that waits."""

    __slots__ = (
        "_changed",
        "_entries",
        "_epoch",
        "_is_released",
        "_reader",
        "_session",
        "changed_event",
        "respond",
        "results",
    )

    holds_requests: ClassVar[bool] = True

    def __init__(self, reader: FetchReader, results: FetchResults, session: FetchSession | None, epoch: int) -> None:
        """*epoch* is that of *session* as long as this request is its latest."""
        super().__init__()
        self.results = results
        """The data of the partitions that were read so far."""
        self.changed_event: trio.Event | None = None
        """Wakes the task of the request, if it has one."""
        self.respond: Callable[[FetchResults], None] | None = None
        """Completes the response, of a request without a task."""
        self._reader = reader
        self._session = session
        self._epoch = epoch
        self._entries: tuple[CachedPartition, ...] = () if session is not None else tuple(results.by_partition)
        for entry in self._entries:
            entry.owner = self
        self._changed: set[CachedPartition] = set()
        self._is_released = False

    @property
    def replica_id(self) -> int:
        """The broker id of the follower; negative for a consumer."""
        return self._reader.params.replica_id

    def on_expiration(self) -> None:
        """Count the requests of followers apart."""
        if isinstance(self._purgatory, FetchPurgatory) and self.replica_id >= 0:
            self._purgatory.expired_of_followers += 1

    def watch(self) -> None:
        """Listen to the partitions of the results, through the session if there is one."""
        session, reader = self._session, self._reader
        if session is not None:
            session.add_delayed(self)
        if self._is_superseded:
            return
        for entry, data in self.results.by_partition.items():
            entry.listen()
            # the partition may have got none of the shared bytes, but its records count for min_bytes
            if not data.records and not reader.params.is_caught_up(entry, data):
                self._changed.add(entry)
        if session is not None:  # its partitions that have changed while the request ran scans
            self._changed.update(session.dirty.difference(self.results.by_partition))
        self.may_complete = bool(self._changed)

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
                    entry.leave_owner()
            return
        session.delayed.discard(self)
        if session.closed:
            session.close()

    def partition_changed(self, entry: CachedPartition) -> None:
        """Have the partition read again, which may complete the request."""
        self._changed.add(entry)
        if self.changed_event is not None:
            self.changed_event.set()
        elif not self.may_complete and not self.is_completed:  # it stays a listener until it is purged
            self.may_complete = True
            if self.on_response is not None:
                self.on_response()

    def high_watermark_changed(self, entry: CachedPartition) -> None:
        """Read the partition again when the request is answered; a high watermark alone is no reason to answer it."""
        self._changed.add(entry)

    def release(self) -> None:
        """Stop watching, or have that done later, after the results were returned; drop those, which hold files."""
        if self._session is not None:  # it outlives the operation by far
            self.stop_watching()
            return
        has_error = self.results.has_error
        self.results = type(self.results)()  # no import: a broker loads the messages of Fetch with the first of them
        if has_error:  # a partition may have been deleted, and is purged already
            self.stop_watching()
            return
        self._is_released = True
        if self._purgatory is not None:
            self._purgatory.purge_later(self)

    def try_complete(self) -> bool:
        """Complete the request if it has an error or enough records."""
        if self.is_completed:
            return True
        if self.changed_event is None:
            self.may_complete = False
            self._read_changed_now()
        return self._reader.is_complete(self.results) and self.force_complete()

    def on_complete(self) -> None:
        """Have the request answered: wake its task, or complete the response."""
        if self.changed_event is not None:
            self.changed_event.set()
            return
        self._read_changed_now()
        readable = self._sort()
        if len(readable) > 1:
            for entry, data in self._reader.read_now(readable).by_partition.items():
                self.results.put(entry, data)
        if self.respond is not None:
            self.respond(self.results)
            self.release()
        else:  # the first pass returns the results
            self.stop_watching()
        if self.on_response is not None:
            self.on_response()

    def cancel(self) -> None:
        """End the operation without a response, as the peer has gone."""
        super().cancel()
        self.release()

    async def until_complete(self) -> FetchResults:
        """Wait until the request can be answered or its time is over, and return the results."""
        assert self.changed_event is not None
        await self._read_changed()
        while not self.try_complete():
            await self.changed_event.wait()
            self.changed_event = trio.Event()
            await self._read_changed()
        while True:
            await self._read_changed()
            readable = self._sort()
            if len(readable) > 1:
                for entry, data in (await self._reader.read(readable)).by_partition.items():
                    self.results.put(entry, data)
            if not self._changed or self._is_superseded:
                return self.results

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
                self.results.put(entry, data)
                entry.listen()

    def _read_changed_now(self) -> None:
        """Read as `_read_changed`, without waiting for scans; see `FetchReader.read_now`."""
        if self._is_superseded:
            return
        changed = self._changed
        while changed:
            entry = changed.pop()
            self.results.put(entry, self._reader.read_one_now(entry))
            entry.listen()

    def _sort(self) -> list[CachedPartition]:
        """Put the results in order; return those with records, which share max_bytes: several are to be read again."""
        results = self.results
        if len(results.by_partition) < 2:
            return []
        if self._session is not None:
            in_order = sorted(results.by_partition, key=by_order)
            results.by_partition = {entry: results.by_partition[entry] for entry in in_order}
        is_caught_up = self._reader.params.is_caught_up
        return [entry for entry, data in results.by_partition.items() if not is_caught_up(entry, data)]
