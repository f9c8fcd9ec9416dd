"""ProducerStateEntry: the epoch, last batches and open transaction of one producer in one log (KIP-98)."""

from __future__ import annotations

from typing import Final, NamedTuple

from wirebroker.record.record_batch import NO_SEQUENCE

NO_EPOCH: Final = -1
NO_OFFSET: Final = -1
MAX_SEQUENCE: Final = (1 << 31) - 1
BATCHES_TO_RETAIN: Final = 5
"""The batches of which duplicates are detected: an idempotent client has at most so many in flight."""


class BatchMetadata(NamedTuple):
    """A batch that was appended, by its last sequence and offset."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_sequence(self) -> int:
        first = self.last_sequence - self.offset_delta
        return first if first >= 0 else first + MAX_SEQUENCE + 1

    @property
    def first_offset(self) -> int:
        return self.last_offset - self.offset_delta


class ProducerStateEntry:
    """The state of one producer id in one log."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "current_txn_first_offset",
        "epoch",
        "last_timestamp",
        "last_update_ms",
        "producer_id",
    )

    def __init__(self, producer_id: int) -> None:
        self.producer_id = producer_id
        self.epoch = NO_EPOCH
        self.coordinator_epoch = -1
        self.last_timestamp = -1
        """The largest timestamp of its last batch, or its last marker's."""
        self.last_update_ms = 0
        """The time of the last append by the broker's clock, from which the producer expires."""
        self.current_txn_first_offset = NO_OFFSET
        """First offset of the open transaction, -1 if none is open."""
        self.batches: list[BatchMetadata] = []

    @property
    def last_sequence(self) -> int:
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    def set_epoch(self, epoch: int) -> None:
        """Start *epoch* if it is new: the batches of the old one are forgotten."""
        if epoch != self.epoch:
            self.epoch = epoch
            self.batches.clear()

    def find_duplicate_batch(self, first_sequence: int, last_sequence: int) -> BatchMetadata | None:
        """Return the batch with exactly these sequences among the last BATCHES_TO_RETAIN, None if there is none."""
        for batch in self.batches:
            if batch.last_sequence == last_sequence and batch.first_sequence == first_sequence:
                return batch
        return None
