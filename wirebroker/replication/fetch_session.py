"""Incremental fetch sessions (KIP-227): the broker remembers what a consumer follows and answers only changes.

Pure bookkeeping, no I/O.  A session is a dict in fetch order; a partition that was answered with
records moves to its end, so that a full response starves nobody (rule: clients rotate, so do we).
Limits are Kafka's: 1,000 slots; a session that was idle for two minutes makes room, and one as old gives
way to a larger one or to a follower.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

MAX_EPOCH: Final = 2**31 - 1
EVICTABLE_AFTER_MS: Final = 120_000

FINAL_EPOCH: Final = -1
INITIAL_EPOCH: Final = 0


class SessionKey(NamedTuple):
    """A partition as the client named it: by id from Fetch 13 on, by name before."""

    topic: str
    topic_id: bytes
    partition: int


class SessionPartition:
    """What the client asked of one partition, and what it was told last."""

    __slots__ = (
        "current_leader_epoch",
        "fetch_offset",
        "high_watermark",
        "last_fetched_epoch",
        "log_start_offset",
        "max_bytes",
    )

    def __init__(
        self, fetch_offset: int, max_bytes: int, current_leader_epoch: int = -1, last_fetched_epoch: int = -1
    ) -> None:
        self.fetch_offset = fetch_offset
        self.max_bytes = max_bytes
        self.current_leader_epoch = current_leader_epoch
        self.last_fetched_epoch = last_fetched_epoch
        self.high_watermark = -1
        self.log_start_offset = -1

    def update(self, other: SessionPartition) -> None:
        """Take over what the client asks now; what it was told stays."""
        self.fetch_offset = other.fetch_offset
        self.max_bytes = other.max_bytes
        self.current_leader_epoch = other.current_leader_epoch
        self.last_fetched_epoch = other.last_fetched_epoch

    def must_answer(self, *, has_records: bool, error: bool, high_watermark: int, log_start_offset: int) -> bool:
        """Whether an incremental response mentions this partition; remembers what it will say."""
        changed = has_records or error
        if high_watermark != self.high_watermark:
            self.high_watermark = high_watermark
            changed = True
        if log_start_offset != self.log_start_offset:
            self.log_start_offset = log_start_offset
            changed = True
        if error:
            # Said again next time, even if nothing else changes.
            self.high_watermark = -1
        return changed


class FetchSession:
    """One consumer's or follower's session."""

    __slots__ = ("created_ms", "epoch", "follower", "last_used_ms", "partitions", "session_id", "uses_topic_ids")

    def __init__(
        self,
        session_id: int,
        partitions: dict[SessionKey, SessionPartition],
        now_ms: int,
        *,
        uses_topic_ids: bool,
        follower: bool,
    ) -> None:
        self.session_id = session_id
        self.partitions = partitions
        self.epoch = 1  # what the next request must say
        self.created_ms = now_ms
        self.last_used_ms = now_ms
        self.uses_topic_ids = uses_topic_ids
        self.follower = follower


class FetchSessions:
    """All sessions of this broker."""

    def __init__(self, slots: int = 1000) -> None:
        self._slots = slots
        self._sessions: dict[int, FetchSession] = {}
        self._random = random.SystemRandom()

    def __len__(self) -> int:
        return len(self._sessions)

    def create(
        self,
        partitions: dict[SessionKey, SessionPartition],
        now_ms: int,
        *,
        uses_topic_ids: bool,
        follower: bool = False,
    ) -> int:
        """Open a session and return its id, or 0 when there is no room: a sessionless answer is always legal."""
        if len(self._sessions) >= self._slots and not self._evict(len(partitions), now_ms, follower=follower):
            return 0
        session_id = 0
        while session_id == 0 or session_id in self._sessions:
            session_id = self._random.randrange(1, MAX_EPOCH)
        self._sessions[session_id] = FetchSession(
            session_id, partitions, now_ms, uses_topic_ids=uses_topic_ids, follower=follower
        )
        return session_id

    def _evict(self, size: int, now_ms: int, *, follower: bool) -> bool:
        """Make room by the rules of KIP-227: an idle session, or a smaller, less privileged one that had its time."""
        oldest = min(self._sessions.values(), key=lambda session: session.last_used_ms, default=None)
        if oldest is not None and now_ms - oldest.last_used_ms > EVICTABLE_AFTER_MS:
            del self._sessions[oldest.session_id]
            return True
        candidates = [
            session for session in self._sessions.values() if now_ms - session.created_ms > EVICTABLE_AFTER_MS
        ]
        lowest = min(candidates, key=lambda s: (s.follower, len(s.partitions), s.last_used_ms), default=None)
        if lowest is not None and (lowest.follower, len(lowest.partitions)) < (follower, size):
            del self._sessions[lowest.session_id]
            return True
        return False

    def remove(self, session_id: int) -> None:
        """Close a session; an unknown id is no error."""
        self._sessions.pop(session_id, None)

    def continued(self, session_id: int, epoch: int, now_ms: int, *, uses_topic_ids: bool) -> FetchSession:
        """The session that an incremental request (epoch > 0) goes on with; its epoch moves on.

        Raises:
            ApiError: FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH (the session survives),
                FETCH_SESSION_TOPIC_ID_ERROR when the request names topics the other way than the session does.
        """
        session = self._sessions.get(session_id)
        if session is None:
            raise ApiError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != epoch:
            raise ApiError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_topic_ids != uses_topic_ids:
            raise ApiError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        session.epoch = 1 if epoch == MAX_EPOCH else epoch + 1
        session.last_used_ms = now_ms
        return session
