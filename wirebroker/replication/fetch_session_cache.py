"""FetchSessionCache: the fetch sessions of a broker, their epochs, and which of them are evicted for others (KIP-227).

The limits are those of Kafka: 1,000 slots; a session that was not used for two minutes is evicted for a new one, and a
session that is two minutes old is evicted for a larger one or for that of a follower.

A broker that nobody fetches from imports this module, and no FetchSession.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from wirebroker.loop_budget import LoopBudget
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from wirebroker.replication.fetch_session import FetchSession, ReaderKind

MAX_EPOCH: Final = 2**31 - 1
EVICTABLE_AFTER_MS: Final = 120_000

FINAL_EPOCH: Final = -1
INITIAL_EPOCH: Final = 0
_LARGE: Final = 5000
"""Partitions of a session that is closed in several turns of the event loop: 0.5 us each."""


class FetchSessionCache:
    """The fetch sessions of this broker (Kafka: FetchSessionCache)."""

    def __init__(self, slots: int = 1000) -> None:
        self._slots = slots
        self._sessions: dict[int, FetchSession] = {}
        self._random = random.SystemRandom()
        self.evictions = 0
        """The number of sessions that were closed in favour of others."""

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def partitions_cached(self) -> int:
        """The number of partitions of all sessions."""
        return sum(session.size for session in self._sessions.values())

    def maybe_create_session(
        self, size: int, reader: ReaderKind, now_ms: int, *, uses_topic_ids: bool, follower: bool = False
    ) -> FetchSession | None:
        """Create a session for *size* partitions, which the caller adds.

        Returns None if there is no slot for it: a response without a session is always legal.
        """
        if len(self._sessions) >= self._slots and not self._try_evict(size, now_ms, follower=follower):
            return None
        from wirebroker.replication.fetch_session import FetchSession

        session_id = 0
        while session_id == 0 or session_id in self._sessions:
            session_id = self._random.randrange(1, MAX_EPOCH)
        session = FetchSession(session_id, reader, now_ms, uses_topic_ids=uses_topic_ids, follower=follower)
        self._sessions[session_id] = session
        return session

    def _try_evict(self, size: int, now_ms: int, *, follower: bool) -> bool:
        """Evict an idle session, or a smaller or less privileged one (KIP-227); return False if there is none."""
        oldest = min(self._sessions.values(), key=lambda session: session.last_used_ms, default=None)
        if oldest is not None and now_ms - oldest.last_used_ms > EVICTABLE_AFTER_MS:
            self.remove(oldest.session_id)
            self.evictions += 1
            return True
        candidates = [
            session for session in self._sessions.values() if now_ms - session.created_ms > EVICTABLE_AFTER_MS
        ]
        lowest = min(candidates, key=lambda s: (s.follower, s.size, s.last_used_ms), default=None)
        if lowest is not None and (lowest.follower, lowest.size) < (follower, size):
            self.remove(lowest.session_id)
            self.evictions += 1
            return True
        return False

    def remove(self, session_id: int) -> None:
        """Close a session if there is one of that id."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.close()

    async def remove_in_parts(self, session_id: int) -> None:
        """Close a session as `remove`; a large one in several turns of the event loop."""
        session = self._sessions.get(session_id)
        if session is None or session.size < _LARGE:
            self.remove(session_id)
            return
        del self._sessions[session_id]
        await session.close_in_parts(LoopBudget())

    def find(self, session_id: int) -> FetchSession | None:
        """Return a session; None if it was closed, or evicted."""
        return self._sessions.get(session_id)

    def get_and_advance(self, session_id: int, epoch: int, now_ms: int, *, uses_topic_ids: bool) -> FetchSession:
        """Return the session that an incremental request (epoch > 0) continues, and advance its epoch.

        Raises:
            ApiError: FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH (the session survives),
                FETCH_SESSION_TOPIC_ID_ERROR when one of request and session names topics by id, and the other by name.
        """
        session = self._sessions.get(session_id)
        if session is None:
            raise ApiError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != epoch:
            raise ApiError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_topic_ids != uses_topic_ids:
            raise ApiError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        session.epoch = next_epoch(epoch)
        session.last_used_ms = now_ms
        return session


def next_epoch(epoch: int) -> int:
    """Return the epoch of the request after the one with *epoch*; the largest is followed by 1."""
    return 1 if epoch == MAX_EPOCH else epoch + 1
