"""Keys of a transaction shard's timers; each is one timer for the whole shard, which costs less than one per id."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PendingRequestsKey:
    """The next pending request has waited for too long."""


@dataclass(frozen=True, slots=True)
class TransactionTimeoutKey:
    """The next look for open transactions that have timed out."""


@dataclass(frozen=True, slots=True)
class IdExpirationKey:
    """The next look for transactional ids that expire."""
