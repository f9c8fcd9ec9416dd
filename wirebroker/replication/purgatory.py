"""Fetch requests that wait for their partitions to change: Kafka's purgatory, without timer wheel or locks.

A request that cannot be answered yet listens to each of its partitions and sleeps until its deadline.  When one of them
changes, that one is read again, and no other; the request is answered when there is enough in all of them together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.replication.fetch_session import by_order

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from wirebroker.replication.fetch_reader import FetchAnswers, FetchReader
    from wirebroker.replication.fetch_session import CachedPartition, FetchSession


class FetchPurgatory:
    """The waiting Fetch requests of one broker."""

    def __init__(self) -> None:
        self._delayed: set[DelayedFetch] = set()
        self._closed = False

    async def fetch(
        self, reader: FetchReader, entries: Iterable[CachedPartition], session: FetchSession | None, deadline: float
    ) -> FetchAnswers:
        """Read *entries*, and wait until there is an error or enough to answer, until *deadline* at the latest.

        *deadline* is of trio's clock.  With a *session* they are its dirty partitions; the answers
        hold those that change meanwhile, too.
        """
        epoch = session.epoch if session is not None else 0
        answers = await reader.read(entries)
        if (session is None and not answers.of) or reader.is_complete(answers) or deadline <= trio.current_time():
            return answers
        with DelayedFetch(reader, answers, session, epoch) as delayed:
            self._delayed.add(delayed)
            try:
                if self._closed:
                    delayed.stop_waiting()
                return await delayed.until_complete(deadline)
            finally:
                self._delayed.discard(delayed)

    def close(self) -> None:
        """Answer every request that waits, and let no other wait."""
        self._closed = True
        for delayed in self._delayed:
            delayed.stop_waiting()


class DelayedFetch:
    """One request that waits.  As a context manager it is told of changes of its partitions."""

    __slots__ = ("_answers", "_changed", "_epoch", "_event", "_reader", "_session", "_stopped")

    def __init__(self, reader: FetchReader, answers: FetchAnswers, session: FetchSession | None, epoch: int) -> None:
        """*epoch* is the session's while this is its latest request."""
        self._reader = reader
        self._answers = answers
        self._session = session
        self._epoch = epoch
        self._changed: set[CachedPartition] = set()
        self._event = trio.Event()
        self._stopped = False

    def __enter__(self) -> DelayedFetch:
        session, reader = self._session, self._reader
        if session is not None:
            session.delayed.add(self)
        if self._is_superseded:
            return self
        for entry, answer in self._answers.of.items():
            if session is None:
                entry.owner = self
            entry.listen()
            # it may have got none of the bytes that all partitions share, but how many it has counts
            if not answer.records and not reader.has_nothing_for(entry, answer):
                self._changed.add(entry)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session = self._session
        if session is None:
            for entry in self._answers.of:
                entry.stop_listening()
            return
        session.delayed.discard(self)
        if session.closed:
            session.close()

    def partition_changed(self, entry: CachedPartition) -> None:
        """Wake the request, so that it reads the partition again."""
        self._changed.add(entry)
        self._event.set()

    def stop_waiting(self) -> None:
        """Answer with what there is."""
        self._stopped = True
        self._event.set()

    async def until_complete(self, deadline: float) -> FetchAnswers:
        """Return the answers as soon as the request is to be answered, at *deadline* at the latest."""
        with trio.move_on_at(deadline):
            await self._read_changed()
            while not (self._stopped or self._reader.is_complete(self._answers)):
                await self._event.wait()
                self._event = trio.Event()
                await self._read_changed()
        while True:
            await self._read_changed()
            await self._keep_limits()
            if not self._changed or self._is_superseded:
                return self._answers

    @property
    def _is_superseded(self) -> bool:
        """A later request of the session was served: this one is going to be refused, and touches nothing any more."""
        return self._session is not None and self._session.epoch != self._epoch

    async def _read_changed(self) -> None:
        """Read what has changed since it was read.  If a log is scanned first, what it holds after that counts."""
        while self._changed and not self._is_superseded:
            entry = next(iter(self._changed))
            answer = await self._reader.read_one(entry)
            self._changed.discard(entry)
            if not self._is_superseded:
                self._answers.put(entry, answer)
                entry.listen()

    async def _keep_limits(self) -> None:
        """Put the answers in order; read those with records again if there are several, as they share max_bytes."""
        answers, reader = self._answers, self._reader
        if self._session is not None:
            answers.of = {entry: answers.of[entry] for entry in sorted(answers.of, key=by_order)}
        readable = [entry for entry, answer in answers.of.items() if not reader.has_nothing_for(entry, answer)]
        if len(readable) > 1:
            for entry, answer in (await reader.read(readable)).of.items():
                answers.put(entry, answer)
