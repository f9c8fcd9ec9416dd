"""CleanedTransactions: which batches of transactions compaction removes, while it goes through a log in order.

Records of aborted transactions go.  The marker of a transaction stays as long as records of it were met (those of a
committed one may all be removed in a later round); from the round that meets none of them on, its delete horizon runs.
An aborted transaction whose marker has to stay is an entry of the new segment's `.txnindex`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from wirebroker.record.control import ControlType, control_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.transaction_index import AbortedTransaction


class CleanedTransactions:
    """The transactions that are open at the batch that is looked at."""

    def __init__(self) -> None:
        self.retained: list[AbortedTransaction] = []
        """Aborted transactions whose batches were met and whose marker stays, in the order of their markers."""
        self._waiting: deque[AbortedTransaction] = deque()
        self._aborted: dict[int, tuple[AbortedTransaction, bool]] = {}
        """Producer id -> (the aborted transaction that is open, whether a batch of it was met)."""
        self._committed: set[int] = set()

    def add_aborted(self, aborted: Iterable[AbortedTransaction]) -> None:
        """Note transactions that `.txnindex` files name as aborted, before their batches are met."""
        self._waiting = deque(sorted({*self._waiting, *aborted}, key=lambda each: each.first_offset))

    def is_aborted(self, batch: AnyBatch) -> bool:
        """Return whether *batch*, which is no marker, is part of an aborted transaction; note that it was met."""
        if not batch.is_transactional:
            return False
        self._begin_up_to(batch.last_offset)
        found = self._aborted.get(batch.producer_id)
        if found is None:
            self._committed.add(batch.producer_id)
            return False
        self._aborted[batch.producer_id] = found[0], True
        return True

    def may_discard_marker(self, marker: AnyBatch) -> bool:
        """Return whether no record of the transaction that *marker* ends was met, so that its horizon counts."""
        self._begin_up_to(marker.last_offset)
        record = next(marker.records(), None)
        if record is None:
            return True
        kind = control_type(record.key)
        if kind is ControlType.ABORT:
            aborted, was_met = self._aborted.pop(marker.producer_id, (None, False))
            if aborted is not None and was_met:
                self.retained.append(aborted)
                return False
            return True
        if kind is ControlType.COMMIT:
            was_committed = marker.producer_id in self._committed
            self._committed.discard(marker.producer_id)
            return not was_committed
        return False

    def _begin_up_to(self, offset: int) -> None:
        waiting = self._waiting
        while waiting and waiting[0].first_offset <= offset:
            aborted = waiting.popleft()
            self._aborted.setdefault(aborted.producer_id, (aborted, False))
