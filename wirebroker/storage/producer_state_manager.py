"""ProducerStateManager: sequences, epochs and open transactions of the producers of one log (KIP-98, KIP-360).

A batch of an idempotent producer is appended when its epoch is not older than the known one and its first sequence
follows the last; a duplicate of one of its last five batches is answered with the offset of the first append.  A
producer without an entry (expired, or its records are gone) may begin with any sequence.  `validate_append` and
`update` are two steps, so that a write that fails leaves no trace.

Producers expire by the broker's clock.  (Kafka takes the timestamps in their records, and so forgets a producer of old
events while it is at work; a batch that is sent again then is appended twice.)

A snapshot of this state (`producer_snapshots.py`) is written when a segment is rolled and at shutdown; a start loads
the newest that fits and replays the batches behind it.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.keys import FOREVER
from wirebroker.record.control import read_marker
from wirebroker.storage.errors import (
    InvalidProducerEpochError,
    InvalidTxnStateError,
    OutOfOrderSequenceError,
    TransactionCoordinatorFencedError,
)
from wirebroker.storage.log_view import NO_OPEN_TRANSACTION, UnstableTransactions
from wirebroker.storage.producer_snapshots import ProducerSnapshots
from wirebroker.storage.producer_state_entry import (
    BATCHES_TO_RETAIN,
    MAX_SEQUENCE,
    NO_EPOCH,
    NO_OFFSET,
    BatchMetadata,
    ProducerStateEntry,
)
from wirebroker.storage.transaction_index import AbortedTransaction
from wirebroker.storage.verification_guard import VerificationGuard, VerificationGuards

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.files import Files


class AppendOrigin(Enum):
    """The source of a batch, which decides which of its fields are checked."""

    CLIENT = "client"
    COORDINATOR = "coordinator"
    """Batches of coordinators have no sequences to check, only epochs."""


class CompletedTxn(NamedTuple):
    """A transaction whose marker was appended."""

    producer_id: int
    first_offset: int
    """Of its first batch in the log."""
    last_offset: int
    """Of its marker."""
    aborted: bool


class ProducerStateManager:
    """The producers of one log, by producer id.  Not thread-safe.  Methods that touch snapshots may raise OSError."""

    def __init__(
        self,
        files: Files,
        directory: str,
        snapshots: Iterable[int] = (),
        *,
        expiration_ms: int = FOREVER,
        name: str = "",
    ) -> None:
        """No producer is known yet; see `truncate_and_reload`.

        Args:
            files: How to reach the disk.
            directory: The partition's directory.
            snapshots: The offsets of the snapshot files in it.
            expiration_ms: ``producer.id.expiration.ms``.
            name: The partition's, for messages.
        """
        self.snapshots = ProducerSnapshots(files, directory, snapshots)
        self._expiration_ms = expiration_ms
        self._name = name
        self.entries: dict[int, ProducerStateEntry] = {}
        self._ongoing_txns: dict[int, int] = {}
        """First offset -> producer id of the open transactions, ascending."""
        self._unreplicated_txns: dict[int, int] = {}
        """First -> last offset of finished transactions whose marker is not known to be replicated."""
        self.unstable: UnstableTransactions | None = None
        """The transactions that keep the last stable offset low, as of the last `refresh_unstable`."""
        self.unstable_is_stale = False
        self._high_watermark = 0
        self._verification_guards = VerificationGuards()
        self.end_offset = 0
        """Batches below it have been taken into account."""
        self._snapshot_offset = 0
        self._now_ms = 0
        """The time of the last `truncate_and_reload`."""

    @property
    def is_empty(self) -> bool:
        """Whether no producer is known, and no verification of one is pending."""
        return not self.entries and not self._verification_guards.count

    def active_producers(self) -> list[ProducerStateEntry]:
        """Return the state of every known producer."""
        return list(self.entries.values())

    def oldest_open_transaction_ms(self) -> int | None:
        """Return the timestamp of the last batch of the producer of the oldest open transaction; None without one."""
        for producer_id in self._ongoing_txns.values():
            return self.entries[producer_id].last_timestamp
        return None

    # -- appending

    def start_transaction_verification(
        self, producer_id: int, epoch: int, sequence: int, now_ms: int, *, supports_epoch_bump: bool = False
    ) -> VerificationGuard:
        """Return the guard to append a transactional batch with.

        The guard is SENTINEL if the transaction is open here, or else one that has to be verified by the transaction
        coordinator first (KIP-890).

        Args:
            producer_id: The producer.
            epoch: Its epoch in the batch.
            sequence: The batch's first sequence.
            now_ms: When the verification starts.
            supports_epoch_bump: The client has an epoch per transaction: as an unknown producer it begins with
                sequence 0.
        """
        entry = self.entries.get(producer_id)
        if entry is not None and entry.current_txn_first_offset != NO_OFFSET and entry.epoch >= epoch:
            return VerificationGuard.SENTINEL  # of an older epoch, too: it will be refused for that
        if supports_epoch_bump and entry is None:
            sequence = 0
        return self._verification_guards.maybe_create(producer_id, epoch, sequence, now_ms)

    def validate_append(
        self, batch: RecordBatch, origin: AppendOrigin, verification_guard: VerificationGuard | None = None
    ) -> BatchMetadata | None:
        """Check the producer's epoch, sequence and transaction before *batch* is appended.

        Returns the metadata of the batch's first append if it is a duplicate.  *verification_guard* is the guard that
        `start_transaction_verification` returned for a transactional batch, None if nothing has to be verified.

        Raises:
            InvalidProducerEpochError, OutOfOrderSequenceError, InvalidTxnStateError, TransactionCoordinatorFencedError:
                the batch is refused.
        """
        entry = self.entries.get(batch.producer_id)
        if verification_guard is not None and (entry is None or entry.current_txn_first_offset == NO_OFFSET):
            duplicate = self._check_verified(entry, batch, origin, verification_guard)
            if duplicate is not None:
                return duplicate
        if entry is None:
            return None
        epoch = batch.producer_epoch
        if origin is AppendOrigin.CLIENT and epoch == entry.epoch and not batch.is_control:
            first = batch.base_sequence
            last = entry.last_sequence
            if first != last + 1 and not (first == 0 and last == MAX_SEQUENCE):
                duplicate = entry.find_duplicate_batch(first, batch.last_sequence)
                if duplicate is not None:
                    return duplicate
                raise OutOfOrderSequenceError(
                    f"producer {entry.producer_id} in {self._name}: sequence {first} after {last}",
                )
        else:
            self._check_epoch(entry, epoch)
            if batch.is_control:
                self._check_coordinator(entry, batch)
                return None
            if origin is AppendOrigin.CLIENT and batch.base_sequence != 0 and entry.epoch != NO_EPOCH:
                raise OutOfOrderSequenceError(
                    f"producer {entry.producer_id} in {self._name}: epoch {epoch} begins with sequence "
                    f"{batch.base_sequence}",
                )
        if entry.current_txn_first_offset != NO_OFFSET and not batch.is_transactional:
            raise InvalidTxnStateError(
                f"producer {entry.producer_id} in {self._name}: a batch outside the transaction that it has open here",
            )
        return None

    def validate_coordinator_append(
        self, producer_id: int, epoch: int, verification_guard: VerificationGuard | None
    ) -> None:
        """Check whether a coordinator may write records of a producer's transaction.

        Raises:
            InvalidTxnStateError: the transaction that was verified is over.
            InvalidProducerEpochError: *epoch* is older than the producer's.
        """
        entry = self.entries.get(producer_id)
        if entry is None or entry.current_txn_first_offset == NO_OFFSET:
            self._check_verification_guard(producer_id, verification_guard)
        if entry is not None:
            self._check_epoch(entry, epoch)

    def _check_verification_guard(self, producer_id: int, verification_guard: VerificationGuard | None) -> None:
        if verification_guard is not None and self._verification_guards.get(producer_id) is not verification_guard:
            raise InvalidTxnStateError(f"producer {producer_id} in {self._name}: its transaction is over")

    def _check_verified(
        self,
        entry: ProducerStateEntry | None,
        batch: RecordBatch,
        origin: AppendOrigin,
        verification_guard: VerificationGuard,
    ) -> BatchMetadata | None:
        """Check a batch that begins a transaction here; return the first append of a duplicate."""
        producer_id = batch.producer_id
        if entry is not None and entry.epoch == batch.producer_epoch and origin is AppendOrigin.CLIENT:
            duplicate = entry.find_duplicate_batch(batch.base_sequence, batch.last_sequence)
            if duplicate is not None:
                return duplicate
        self._check_verification_guard(producer_id, verification_guard)
        if entry is not None:
            self._check_epoch(entry, batch.producer_epoch)
        if origin is AppendOrigin.CLIENT and batch.base_sequence > verification_guard.lowest_sequence:
            raise OutOfOrderSequenceError(
                f"producer {producer_id} in {self._name}: sequence {batch.base_sequence} before "
                f"{verification_guard.lowest_sequence}",
            )
        return None

    def _check_epoch(self, entry: ProducerStateEntry, epoch: int) -> None:
        if epoch < entry.epoch:
            raise InvalidProducerEpochError(
                f"producer {entry.producer_id} in {self._name}: epoch {epoch} is older than {entry.epoch}",
            )

    def _check_coordinator(self, entry: ProducerStateEntry, batch: RecordBatch) -> None:
        marker = read_marker(batch)
        if marker is not None and marker.coordinator_epoch < entry.coordinator_epoch:
            raise TransactionCoordinatorFencedError(
                f"producer {entry.producer_id} in {self._name}: coordinator epoch {marker.coordinator_epoch} is older "
                f"than {entry.coordinator_epoch}",
            )

    def update(self, batch: RecordBatch, base_offset: int, last_offset: int, now_ms: int) -> CompletedTxn | None:
        """Take an appended *batch* into account; return the transaction that it ended, for `complete_txn`.

        Open transactions that *batch* ends stay open until then, so that the index entry gets the right last stable
        offset.
        """
        producer_id = batch.producer_id
        entry = self.entries.get(producer_id)
        if entry is None:
            entry = self.entries[producer_id] = ProducerStateEntry(producer_id)
        entry.last_update_ms = now_ms
        if batch.is_transactional:
            self._verification_guards.remove(producer_id)
        if batch.is_control:
            return self._append_end_txn_marker(entry, batch, base_offset)
        if batch.producer_epoch != entry.epoch:
            entry.set_epoch(batch.producer_epoch)
        timestamp = batch.max_timestamp
        remembered = entry.batches
        if len(remembered) == BATCHES_TO_RETAIN:
            del remembered[0]
        remembered.append(BatchMetadata(batch.last_sequence, last_offset, last_offset - base_offset, timestamp))
        entry.last_timestamp = timestamp
        if batch.is_transactional and entry.current_txn_first_offset == NO_OFFSET:
            entry.current_txn_first_offset = base_offset
            self._ongoing_txns[base_offset] = producer_id
            self.unstable_is_stale = True
        return None

    def _append_end_txn_marker(
        self, entry: ProducerStateEntry, batch: RecordBatch, base_offset: int
    ) -> CompletedTxn | None:
        marker = read_marker(batch)
        if marker is None:
            return None  # compaction has emptied the marker: all of the transaction is gone
        entry.coordinator_epoch = marker.coordinator_epoch
        entry.last_timestamp = batch.max_timestamp
        entry.set_epoch(batch.producer_epoch)
        start, entry.current_txn_first_offset = entry.current_txn_first_offset, NO_OFFSET
        if start == NO_OFFSET:
            return None  # a transaction without records here changes nothing for readers
        return CompletedTxn(entry.producer_id, start, base_offset, aborted=not marker.committed)

    def complete_txn(self, completed: CompletedTxn) -> AbortedTransaction | None:
        """Close a transaction; return its entry for the transaction index if it was aborted."""
        producer_id, first_offset, last_offset, aborted = completed
        ongoing = self._ongoing_txns
        last_stable_offset = next((first for first, owner in ongoing.items() if owner != producer_id), last_offset + 1)
        ongoing.pop(first_offset, None)
        self._unreplicated_txns[first_offset] = last_offset
        self.unstable_is_stale = True
        return AbortedTransaction(producer_id, first_offset, last_offset, last_stable_offset) if aborted else None

    # -- what readers may see

    def on_high_watermark_updated(self, high_watermark: int) -> None:
        """Transactions with a marker below *high_watermark* are stable; any thread may call this."""
        self._high_watermark = high_watermark

    def refresh_unstable(self) -> None:
        """Update `unstable` from the open and completed transactions."""
        self.unstable_is_stale = False
        completed = self._unreplicated_txns
        for first, last in tuple(completed.items()):  # in the order of their markers
            if last >= self._high_watermark:
                break
            del completed[first]
        if self._ongoing_txns or completed:
            first_open = next(iter(self._ongoing_txns), NO_OPEN_TRANSACTION)
            self.unstable = UnstableTransactions(first_open, tuple(completed.items()))
        else:
            self.unstable = None

    def ongoing_transactions(self) -> dict[int, int]:
        """Return producer id -> first offset of its open transaction."""
        return {producer_id: first for first, producer_id in self._ongoing_txns.items()}

    # -- keeping and loading

    def remove_expired_producers(self, now_ms: int, expiration_ms: int) -> None:
        """Remove producers without a batch for *expiration_ms*, unless a transaction is open, and old verifications."""
        last_ms = now_ms - expiration_ms
        self._verification_guards.expire(last_ms)
        for entry in tuple(self.entries.values()):
            if entry.last_update_ms <= last_ms and entry.current_txn_first_offset == NO_OFFSET:
                del self.entries[entry.producer_id]

    def take_snapshot(self) -> None:
        """Write a snapshot at `end_offset` unless there is nothing new."""
        offset = self.end_offset
        # records may be gone up to the very end, and their producers still be known
        if offset > self._snapshot_offset or (self.entries and offset not in self.snapshots):
            self.snapshots.write(offset, self.entries.values())
            self._snapshot_offset = offset

    def take_final_snapshot(self, lowest: int) -> None:
        """Write a snapshot at `end_offset`, for a log that is closed, unless that would move the last stable offset.

        A snapshot has open transactions only.  Those that have ended, and whose marker may not be replicated yet, are
        found again if an older snapshot is loaded, and the batches behind it are replayed: until the high watermark has
        passed their marker, read_committed consumers may not see their records.  The next load does not use snapshots
        below *lowest*, the start of the log and of its active segment; without another one producers would be lost.
        """
        last_marker = max(self._unreplicated_txns.values(), default=NO_OFFSET)
        newest = max(self.snapshots.offsets, default=NO_OFFSET)
        if last_marker < self._high_watermark or not lowest <= newest <= last_marker:
            self.take_snapshot()

    def truncate_and_reload(self, log_start_offset: int, end_offset: int, now_ms: int) -> None:
        """Go back to the newest snapshot at or below *end_offset*; replay the batches from `self.end_offset` next.

        Snapshots out of the log's range are deleted, and corrupt ones.
        """
        for offset in self.snapshots.offsets:
            if not log_start_offset <= offset <= end_offset:
                self.snapshots.delete(offset)
        self._clear()
        self._now_ms = now_ms
        self._snapshot_offset = self.end_offset = log_start_offset
        newest = self.snapshots.read_newest()
        if newest is not None:
            self._snapshot_offset = self.end_offset = newest[0]
            for entry in newest[1]:
                # a producer with old timestamps may be at work still: it stays for as long as a new one
                old = now_ms - entry.last_timestamp >= self._expiration_ms
                entry.last_update_ms = now_ms if old else min(now_ms, entry.last_timestamp)
            self.load_producer_entries(newest[1])

    def load_producer_entries(self, entries: Iterable[ProducerStateEntry]) -> None:
        """Use *entries* as they are, and their open transactions."""
        for entry in entries:
            self.entries[entry.producer_id] = entry
        started = sorted(
            (entry.current_txn_first_offset, entry.producer_id)
            for entry in self.entries.values()
            if entry.current_txn_first_offset != NO_OFFSET
        )
        self._ongoing_txns = dict(started)
        self.unstable_is_stale = True

    def inherit(self, other: ProducerStateManager) -> None:
        """Use the producers of *other*, the state of the same records; it may know producers whose records are gone."""
        self.entries, self._ongoing_txns = other.entries, other._ongoing_txns
        self._unreplicated_txns, self._verification_guards = other._unreplicated_txns, other._verification_guards
        self._high_watermark, self.unstable_is_stale = other._high_watermark, True

    def replay(self, batch: RecordBatch) -> AbortedTransaction | None:
        """Take a batch that is in the log into account; return the entry for the transaction index if it aborts one."""
        completed = None
        if batch.producer_id >= 0:
            completed = self.update(batch, batch.base_offset, batch.last_offset, self._now_ms)
        self.end_offset = batch.last_offset + 1
        return self.complete_txn(completed) if completed else None

    def on_log_start_offset_incremented(self, log_start_offset: int) -> None:
        """Records below *log_start_offset* are gone; producers keep their state until they expire."""
        unreplicated = self._unreplicated_txns.items()
        self._unreplicated_txns = {first: last for first, last in unreplicated if last >= log_start_offset}
        self.unstable_is_stale = True
        self.end_offset = max(self.end_offset, log_start_offset)
        self._snapshot_offset = max(self.snapshots.offsets, default=log_start_offset)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Forget all producers and delete all snapshots; the log begins anew at *offset*."""
        for at in self.snapshots.offsets:
            self.snapshots.delete(at)
        self._clear()
        self._snapshot_offset = 0
        self.end_offset = offset

    def _clear(self) -> None:
        self.entries.clear()
        self._ongoing_txns.clear()
        self._unreplicated_txns.clear()
        self.unstable_is_stale = True
        self._verification_guards.clear()
