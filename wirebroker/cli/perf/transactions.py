"""Transactions of `perf produce`: each is committed after a record when it is old enough, the last one at the end."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from wirebroker.cli.records.client_library import serve

if TYPE_CHECKING:
    from collections.abc import Callable


class PerfTransactions:
    """The transactions of a producer with a transactional id; does nothing without a duration."""

    def __init__(
        self, producer: Any, duration_s: float, timeout_s: float, clock: Callable[[], float] = monotonic
    ) -> None:
        self._producer, self._duration_s, self._timeout_s = producer, duration_s, timeout_s
        self._clock = clock
        self._began_s: float | None = None
        if duration_s > 0:
            serve(producer.init_transactions, timeout_s)

    def before_record(self) -> None:
        """Begin a transaction if none is open."""
        if self._duration_s > 0 and self._began_s is None:
            self._producer.begin_transaction()
            self._began_s = self._clock()

    def after_record(self) -> None:
        """Commit the transaction if it has been open for its duration."""
        if self._began_s is not None and self._clock() - self._began_s >= self._duration_s:
            self.commit()

    def commit(self) -> None:
        """Commit the open transaction, if there is one; waits until its records are delivered."""
        if self._began_s is not None:
            serve(self._producer.commit_transaction, self._timeout_s)
            self._began_s = None
