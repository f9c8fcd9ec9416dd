"""LargeFetch: a Fetch request of thousands of partitions, each of whose steps takes several turns of the event loop.

The operation listens to each partition from the turn in which it reads it until the response is made.  So the
partitions that change meanwhile are known: they are read again while the request waits, and stay dirty in the session
if they change later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from wirebroker.replication.delayed_fetch import DelayedFetch
from wirebroker.replication.fetch_results import FetchResults
from wirebroker.replication.fetch_session import by_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wirebroker.loop_budget import LoopBudget
    from wirebroker.protocol.messages.fetch import PartitionData
    from wirebroker.replication.fetch_purgatory import FetchPurgatory
    from wirebroker.replication.fetch_reader import FetchReader
    from wirebroker.replication.fetch_session import CachedPartition, FetchSession

PARTITIONS_PER_CHECK: Final = 64


class LargeFetch(DelayedFetch):
    """One large request, in a task of its own."""

    __slots__ = ("_budget",)

    def __init__(
        self,
        reader: FetchReader,
        entries: Sequence[CachedPartition],
        session: FetchSession | None,
        budget: LoopBudget,
    ) -> None:
        """Prepare the read of *entries*, which are the dirty partitions of *session* if there is one."""
        super().__init__(reader, FetchResults(), session, 0 if session is None else session.epoch)
        self._entries = tuple(entries)
        self._budget = budget
        self.changed_event: trio.Event = trio.Event()
        if session is not None:
            session.add_delayed(self)

    @property
    def changed(self) -> Collection[CachedPartition]:
        """The partitions that have changed since they were read, or got none of the shared bytes."""
        return self._changed

    async def fetch(self, purgatory: FetchPurgatory, expiration_ms: int) -> FetchResults:
        """Read the partitions, and wait for an error or enough records, until *expiration_ms* at the latest.

        `end` is to be called when the response is made.
        """
        self.results = await self._pass(self._entries)
        is_empty = self._session is None and not self._entries
        if is_empty or self._reader.is_complete(self.results) or expiration_ms <= purgatory.timer.now_ms():
            return self.results
        if self._session is not None:  # its partitions that have changed meanwhile
            self._changed.update(self._session.dirty.difference(self.results.by_partition))
        purgatory.watch(self, expiration_ms)
        return await self.until_complete()

    async def _pass(self, entries: Sequence[CachedPartition]) -> FetchResults:
        """Read *entries* within the limits of the request; begin anew after a scan."""
        reader = self._reader
        while True:
            results = FetchResults()
            for first in range(0, len(entries), PARTITIONS_PER_CHECK):
                part = entries[first : first + PARTITIONS_PER_CHECK]
                reader.read_part(part, results)
                if not self._is_superseded:
                    for entry in part:
                        self._listen(entry, results.by_partition[entry])
                await self._budget.yield_if_due()
            if await reader.ends_pass():
                return results

    def _listen(self, entry: CachedPartition, data: PartitionData) -> None:
        """Listen to a partition that was read just now."""
        if self._session is None:
            entry.owner = self
        entry.listen()
        if data.records or self._reader.params.is_caught_up(entry, data):
            self._changed.discard(entry)
        else:
            self._changed.add(entry)

    def watch(self) -> None:
        """Do nothing: the operation listens since the first pass."""

    def release(self) -> None:
        """Do nothing: the operation listens until `end`."""

    async def until_complete(self) -> FetchResults:
        """Wait until the request can be answered or its time is over, and return the results.

        Partitions that change while the last pass goes on are left to the next request.
        """
        await self._read_changed()
        while not self.try_complete():
            await self.changed_event.wait()
            self.changed_event = trio.Event()
            await self._read_changed()
        await self._read_changed()
        readable = await self._in_order()
        if len(readable) > 1 and not self._is_superseded:
            for entry, data in (await self._pass(readable)).by_partition.items():
                self.results.put(entry, data)
        return self.results

    async def _read_changed(self) -> None:
        """Read the partitions that have changed until now, in parts."""
        for entry in tuple(self._changed):
            if self._is_superseded:
                return
            self._changed.discard(entry)
            self.results.put(entry, await self._reader.read_one(entry))
            entry.listen()
            await self._budget.yield_if_due()

    async def _in_order(self) -> list[CachedPartition]:
        """Put the results in order as `DelayedFetch._sort`, and return those with records."""
        by_partition = self.results.by_partition
        if self._session is not None:
            in_order = sorted(by_partition, key=by_order)
            entries: Iterable[CachedPartition] = await self._budget.collect(in_order)
            self.results.by_partition = {entry: by_partition[entry] for entry in entries}
        is_caught_up = self._reader.params.is_caught_up
        readable = []
        for entry, data in tuple(self.results.by_partition.items()):
            if not is_caught_up(entry, data):
                readable.append(entry)
            await self._budget.yield_if_due()
        return readable

    async def end(self) -> None:
        """Listen to no partition, and leave those of a session to it."""
        if not self.is_completed:
            self._end()
        with trio.CancelScope(shield=True):
            session = self._session
            if session is not None:
                session.delayed.discard(self)
                if session.closed:
                    await session.close_in_parts(self._budget)
                return
            for entry in self._entries:
                if entry.owner is self:  # else it belongs to the session that the request has created
                    entry.leave_owner()
                await self._budget.yield_if_due()
