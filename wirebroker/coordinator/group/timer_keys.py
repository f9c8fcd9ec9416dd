"""Keys of a group shard's timers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HeartbeatKey:
    """A member's session ends, or that of a member id that was given out and has not joined yet."""

    group_id: str
    member_id: str


@dataclass(frozen=True, slots=True)
class JoinKey:
    """The time to send JoinGroup ends: the initial rebalance delay, or the rebalance timeout."""

    group_id: str


@dataclass(frozen=True, slots=True)
class SyncKey:
    """The time to send SyncGroup ends."""

    group_id: str


@dataclass(frozen=True, slots=True)
class OffsetExpirationKey:
    """The next look for expired offsets."""


@dataclass(frozen=True, slots=True)
class OffsetCleanupKey:
    """The next step of the oldest offset cleanup."""
