"""FetchPurgatory: the Fetch requests of a broker that wait; the first of them imports `delayed_fetch.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.replication.delayed_operation import DelayedOperationPurgatory

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wirebroker.replication.delayed_fetch import DelayedFetch
    from wirebroker.replication.fetch_reader import FetchReader
    from wirebroker.replication.fetch_results import FetchResults
    from wirebroker.replication.fetch_session import CachedPartition, FetchSession


class FetchPurgatory(DelayedOperationPurgatory["DelayedFetch"]):
    """The waiting Fetch requests of one broker.

    Attributes:
        expired_of_followers: The number of requests of followers among those that have expired.
    """

    expired_of_followers = 0

    def complete_of_followers(self, broker_ids: Collection[int]) -> None:
        """Answer the waiting requests of followers, so that their next ones can name other partitions."""
        from wirebroker.replication.delayed_fetch import DelayedFetch

        for delayed in tuple(self._delayed):
            if isinstance(delayed, DelayedFetch) and delayed.replica_id in broker_ids:
                delayed.force_complete()

    async def fetch(
        self, reader: FetchReader, entries: Iterable[CachedPartition], session: FetchSession | None, expiration_ms: int
    ) -> FetchResults:
        """Read *entries*, and wait for an error or enough records, until *expiration_ms* of the timer at the latest.

        With a *session* they are its dirty partitions; the results hold those that change meanwhile, too.
        """
        epoch = session.epoch if session is not None else 0
        results = await reader.read(entries)
        if self._is_answered(reader, results, session, expiration_ms):
            return results
        from wirebroker.replication.delayed_fetch import DelayedFetch

        delayed = DelayedFetch(reader, results, session, epoch)
        delayed.changed_event = trio.Event()
        self.try_complete_else_watch(delayed, expiration_ms)
        try:
            return await delayed.until_complete()
        finally:
            if not delayed.is_completed:  # the peer has gone
                delayed.cancel()
            else:
                delayed.release()

    async def fetch_or_delay(
        self, reader: FetchReader, entries: Iterable[CachedPartition], session: FetchSession | None, expiration_ms: int
    ) -> FetchResults | DelayedFetch:
        """Read as `fetch`; if the request has to wait, return the operation, which is pending."""
        epoch = session.epoch if session is not None else 0
        results = await reader.read(entries)
        if self._closed or self._is_answered(reader, results, session, expiration_ms):
            return results
        from wirebroker.replication.delayed_fetch import DelayedFetch

        delayed = DelayedFetch(reader, results, session, epoch)
        self.try_complete_else_watch(delayed, expiration_ms)
        if delayed.may_complete:  # partitions that have changed while the first pass waited for scans
            delayed.try_complete()
        return delayed.results if delayed.is_completed else delayed

    def _is_answered(
        self, reader: FetchReader, results: FetchResults, session: FetchSession | None, expiration_ms: int
    ) -> bool:
        is_empty = session is None and not results.by_partition
        return is_empty or reader.is_complete(results) or expiration_ms <= self.timer.now_ms()
