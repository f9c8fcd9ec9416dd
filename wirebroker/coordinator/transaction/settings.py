"""The limits of the transaction coordinator, as the broker's configuration gives them."""

from __future__ import annotations

from typing import Final, NamedTuple


class TransactionSettings(NamedTuple):
    """Kafka's `transaction*` keys; times in milliseconds."""

    version: int = 2
    """The feature transaction.version: 0, 1 (records with tagged fields) or 2 (an epoch per transaction)."""
    max_timeout_ms: int = 900_000
    id_expiration_ms: int = 604_800_000
    remove_interval_ms: int = 3_600_000
    abort_interval_ms: int = 10_000


HOLD_MS: Final = 500
"""How long a request waits for the transaction before it to be complete; then it is told to try again.

Kafka refuses at once, and its clients back off for 20 to 100 ms, though the markers of a short transaction are
written in less than one.
"""
EXPIRED_AT_ONCE: Final = 1000
"""Transactional ids that are removed in one batch, so that the batch stays far below any topic's limit."""
