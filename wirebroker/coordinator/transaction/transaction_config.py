"""TransactionConfig: limits and times of the transaction coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.config.section import Section

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.values import Value


class TransactionConfig(Section):
    """The configuration keys of the transaction coordinator, and the level of the feature transaction.version."""

    transaction_abort_timed_out_transaction_cleanup_interval_ms: int
    transaction_max_timeout_ms: int
    transaction_remove_expired_transaction_cleanup_interval_ms: int
    transactional_id_expiration_ms: int

    FIELDS = tuple(__annotations__)

    version: int
    __slots__ = (*FIELDS, "version")

    def __init__(self, value: Callable[[str], Value], version: int) -> None:
        super().__init__(value)
        object.__setattr__(self, "version", version)


MAX_PENDING_MS: Final = 500
"""How long a request may wait for the transaction before it to be complete; then its client has to retry.

Kafka answers CONCURRENT_TRANSACTIONS at once, and its clients back off for 20 to 100 ms, though the markers of a short
transaction are written in less than one.
"""
MAX_EXPIRED_PER_TURN: Final = 1000
"""Transactional ids that are removed in one batch, so that the batch stays far below any topic's limit."""
MAX_ABORTED_PER_TURN: Final = 100
"""Transactions that have timed out and are aborted in one turn, which takes 1 to 3 ms then."""
