"""The producers of one log: sequences, epochs and open transactions (KIP-98, KIP-360, as of Apache Kafka 3.9).

A batch of an idempotent producer is appended when its epoch is not older than the known one and its first sequence
follows the last; one of the last five batches sent again is answered with the offset it got the first time.  A producer
that is not known (expired, or its records are gone) may begin with any sequence.  Checking and remembering are two
steps, so that a write that fails leaves no trace.

Producers expire by the broker's clock.  (Kafka takes the timestamps in their records, and so forgets a producer of old
events while it is at work; a batch that is sent again then is appended twice.)

Snapshots of this state are named after the offset they were taken at.  One is written when a segment is rolled and at
shutdown; a start loads the newest that fits and replays the batches behind it.
"""

from __future__ import annotations

import logging
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.control import read_marker
from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.log_view import NO_OPEN_TRANSACTION, UnstableTransactions
from wirebroker.storage.producer_entry import (
    MAX_SEQUENCE,
    NO_EPOCH,
    NO_OFFSET,
    REMEMBERED_BATCHES,
    ProducerEntry,
    RememberedBatch,
    decode_snapshot,
    encode_snapshot,
)
from wirebroker.storage.transaction_index import AbortedTransaction
from wirebroker.storage.verification import ONGOING, Verifications

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.files import Files
    from wirebroker.storage.verification import Verification

SNAPSHOT = ".snapshot"
DEFAULT_EXPIRATION_MS = 86_400_000  # producer.id.expiration.ms

_log = logging.getLogger(__name__)


class AppendOrigin(Enum):
    """Who appends, which decides how much is believed."""

    CLIENT = "client"
    COORDINATOR = "coordinator"
    """Coordinators number no sequences, but their epochs are checked."""
    REPLICATION = "replication"
    """The leader has checked."""


class CompletedTransaction(NamedTuple):
    """A transaction whose marker was appended at *last_offset*."""

    producer_id: int
    first_offset: int
    last_offset: int
    aborted: bool


class ProducerState:
    """Not thread-safe.  Methods that touch snapshots may raise OSError."""

    def __init__(
        self,
        files: Files,
        directory: str,
        snapshots: Iterable[int] = (),
        *,
        expiration_ms: int = DEFAULT_EXPIRATION_MS,
        name: str = "",
    ) -> None:
        """*snapshots* are the offsets of the snapshot files that exist."""
        self._files = files
        self.directory = directory
        self._snapshots = set(snapshots)
        self._expiration_ms = expiration_ms
        self._name = name
        self.entries: dict[int, ProducerEntry] = {}
        self._open: dict[int, int] = {}
        """First offset -> producer id of the open transactions, ascending."""
        self._unreplicated: dict[int, int] = {}
        """First -> last offset of finished transactions whose marker is not known to be replicated."""
        self.unstable: UnstableTransactions | None = None
        """What keeps the last stable offset low, as of the last `refresh_unstable`."""
        self.unstable_is_stale = False
        self._high_watermark = 0
        self._verifications = Verifications()
        self.end_offset = 0
        """Batches below it have been taken into account."""
        self._snapshot_offset = 0
        self._unsynced: int | None = None
        self._now_ms = 0
        """When `reload` was called."""

    @property
    def is_empty(self) -> bool:
        """No producer is known, and none is being verified."""
        return not self.entries and not self._verifications.count

    def active(self) -> list[ProducerEntry]:
        """The producers known."""
        return list(self.entries.values())

    # -- appending

    def admit(
        self, producer_id: int, epoch: int, sequence: int, now_ms: int, *, from_zero: bool = False
    ) -> Verification:
        """What a transactional batch needs to be appended: ONGOING, or else a Verification to get answered first.

        *from_zero*: a producer that is not known must begin with sequence 0 (clients with an epoch per transaction).
        """
        entry = self.entries.get(producer_id)
        if entry is not None and entry.current_txn_first_offset != NO_OFFSET and entry.epoch >= epoch:
            return ONGOING  # of an older epoch, too: it will be refused for that
        if from_zero and entry is None:
            sequence = 0
        return self._verifications.begin(producer_id, epoch, sequence, now_ms)

    def check(
        self, batch: RecordBatch, origin: AppendOrigin, verified: Verification | None = None
    ) -> RememberedBatch | None:
        """May *batch* be appended?  A duplicate returns what the first one got; raises ApiError if not.

        *verified* is what `admit` returned for a transactional batch, None if nothing has to be proved.
        """
        entry = self.entries.get(batch.producer_id)
        if verified is not None and (entry is None or entry.current_txn_first_offset == NO_OFFSET):
            duplicate = self._check_verified(entry, batch, origin, verified)
            if duplicate is not None:
                return duplicate
        if entry is None:
            return None
        epoch = batch.producer_epoch
        if origin is AppendOrigin.CLIENT and epoch == entry.epoch and not batch.is_control:
            first = batch.base_sequence
            last = entry.last_sequence
            if first != last + 1 and not (first == 0 and last == MAX_SEQUENCE):
                duplicate = entry.find(first, batch.last_sequence)
                if duplicate is not None:
                    return duplicate
                raise ApiError(
                    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"producer {entry.producer_id} in {self._name}: sequence {first} after {last}",
                )
        elif origin is not AppendOrigin.REPLICATION:
            self._check_epoch(entry, epoch)
            if batch.is_control:
                self._check_coordinator(entry, batch)
                return None
            if origin is AppendOrigin.CLIENT and batch.base_sequence != 0 and entry.epoch != NO_EPOCH:
                raise ApiError(
                    ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                    f"producer {entry.producer_id} in {self._name}: epoch {epoch} begins with sequence "
                    f"{batch.base_sequence}",
                )
        if entry.current_txn_first_offset != NO_OFFSET and not batch.is_transactional:
            raise ApiError(
                ErrorCode.INVALID_TXN_STATE,
                f"producer {entry.producer_id} in {self._name}: a plain write during its transaction",
            )
        return None

    def check_writer(self, producer_id: int, epoch: int, verified: Verification | None) -> None:
        """May a coordinator write for this producer?  Raises ApiError if not."""
        entry = self.entries.get(producer_id)
        if entry is None or entry.current_txn_first_offset == NO_OFFSET:
            self._check_asked(producer_id, verified)
        if entry is not None:
            self._check_epoch(entry, epoch)

    def _check_asked(self, producer_id: int, verified: Verification | None) -> None:
        if verified is not None and self._verifications.of(producer_id) is not verified:
            raise ApiError(
                ErrorCode.INVALID_TXN_STATE, f"producer {producer_id} in {self._name}: its transaction is over"
            )

    def _check_verified(
        self, entry: ProducerEntry | None, batch: RecordBatch, origin: AppendOrigin, verified: Verification
    ) -> RememberedBatch | None:
        """May *batch* begin a transaction here?"""
        producer_id = batch.producer_id
        if entry is not None and entry.epoch == batch.producer_epoch and origin is AppendOrigin.CLIENT:
            duplicate = entry.find(batch.base_sequence, batch.last_sequence)
            if duplicate is not None:
                return duplicate
        self._check_asked(producer_id, verified)
        if entry is not None:
            self._check_epoch(entry, batch.producer_epoch)
        if origin is AppendOrigin.CLIENT and batch.base_sequence > verified.lowest_sequence:
            raise ApiError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"producer {producer_id} in {self._name}: sequence {batch.base_sequence} before "
                f"{verified.lowest_sequence}",
            )
        return None

    def _check_epoch(self, entry: ProducerEntry, epoch: int) -> None:
        if epoch < entry.epoch:
            raise ApiError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"producer {entry.producer_id} in {self._name}: epoch {epoch} is older than {entry.epoch}",
            )

    def _check_coordinator(self, entry: ProducerEntry, batch: RecordBatch) -> None:
        marker = read_marker(batch)
        if marker is not None and marker.coordinator_epoch < entry.coordinator_epoch:
            raise ApiError(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"producer {entry.producer_id} in {self._name}: coordinator epoch {marker.coordinator_epoch} is older "
                f"than {entry.coordinator_epoch}",
            )

    def remember(
        self, batch: RecordBatch, base_offset: int, last_offset: int, now_ms: int
    ) -> CompletedTransaction | None:
        """*batch* was appended; returns the transaction that it ended, for `complete`.

        Open transactions that *batch* ends stay open until then, so that the index entry gets the right last stable
        offset.
        """
        producer_id = batch.producer_id
        entry = self.entries.get(producer_id)
        if entry is None:
            entry = self.entries[producer_id] = ProducerEntry(producer_id)
        entry.seen_ms = now_ms
        if batch.is_transactional:
            self._verifications.settle(producer_id)
        if batch.is_control:
            return self._remember_marker(entry, batch, base_offset)
        if batch.producer_epoch != entry.epoch:
            entry.set_epoch(batch.producer_epoch)
        timestamp = batch.max_timestamp
        remembered = entry.batches
        if len(remembered) == REMEMBERED_BATCHES:
            del remembered[0]
        remembered.append(RememberedBatch(batch.last_sequence, last_offset, last_offset - base_offset, timestamp))
        entry.last_timestamp = timestamp
        if batch.is_transactional and entry.current_txn_first_offset == NO_OFFSET:
            entry.current_txn_first_offset = base_offset
            self._open[base_offset] = producer_id
            self.unstable_is_stale = True
        return None

    def _remember_marker(
        self, entry: ProducerEntry, batch: RecordBatch, base_offset: int
    ) -> CompletedTransaction | None:
        marker = read_marker(batch)
        if marker is None:
            return None  # compaction has emptied it: the whole transaction is gone
        entry.coordinator_epoch = marker.coordinator_epoch
        entry.last_timestamp = batch.max_timestamp
        entry.set_epoch(batch.producer_epoch)
        start, entry.current_txn_first_offset = entry.current_txn_first_offset, NO_OFFSET
        if start == NO_OFFSET:
            return None  # a transaction without records here changes nothing for readers
        return CompletedTransaction(entry.producer_id, start, base_offset, aborted=not marker.committed)

    def complete(self, done: CompletedTransaction) -> AbortedTransaction | None:
        """Close *done*; returns its entry for the transaction index if it was aborted."""
        stable = next((first for first, owner in self._open.items() if owner != done.producer_id), done.last_offset + 1)
        self._open.pop(done.first_offset, None)
        self._unreplicated[done.first_offset] = done.last_offset
        self.unstable_is_stale = True
        if not done.aborted:
            return None
        return AbortedTransaction(done.producer_id, done.first_offset, done.last_offset, stable)

    # -- what readers may see

    def replicated(self, high_watermark: int) -> None:
        """Markers below *high_watermark* are; any thread may say so."""
        self._high_watermark = high_watermark

    def refresh_unstable(self) -> None:
        """Derive `unstable` anew from the open and completed transactions."""
        self.unstable_is_stale = False
        completed = self._unreplicated
        for first, last in tuple(completed.items()):  # in the order of their markers
            if last >= self._high_watermark:
                break
            del completed[first]
        if self._open or completed:
            first_open = next(iter(self._open), NO_OPEN_TRANSACTION)
            self.unstable = UnstableTransactions(first_open, tuple(completed.items()))
        else:
            self.unstable = None

    def open_transactions(self) -> dict[int, int]:
        """Producer id -> first offset."""
        return {producer_id: first for first, producer_id in self._open.items()}

    # -- keeping and loading

    def expire(self, now_ms: int, expiration_ms: int) -> None:
        """Forget producers that have been silent for so long, but not amid a transaction."""
        last_ms = now_ms - expiration_ms
        self._verifications.expire(last_ms)
        for entry in tuple(self.entries.values()):
            if entry.seen_ms <= last_ms and entry.current_txn_first_offset == NO_OFFSET:
                del self.entries[entry.producer_id]

    def path(self, offset: int) -> str:
        return f"{self.directory}/{offset:020}{SNAPSHOT}"

    @property
    def snapshots(self) -> list[int]:
        """The offsets of the snapshots that exist, ascending."""
        return sorted(self._snapshots)

    def take_snapshot(self) -> None:
        """Write a snapshot at `end_offset` unless there is nothing new.

        It is not synced: a crash can do without it, and its checksum tells if it was torn.
        """
        offset = self.end_offset
        # records may be gone up to the very end, and their producers still be known
        if offset > self._snapshot_offset or (self.entries and offset not in self._snapshots):
            self._files.write_whole(self.path(offset), encode_snapshot(self.entries.values()), sync=False)
            self._snapshots.add(offset)
            self._snapshot_offset = self._unsynced = offset

    def sync(self) -> None:
        """Make the last snapshot survive a power failure."""
        if self._unsynced is not None:
            self._files.sync(self.path(self._unsynced))
            self._unsynced = None

    def forget_snapshot(self, offset: int) -> str | None:
        """Stop using the snapshot at *offset*; returns its path, for the caller to remove."""
        if offset not in self._snapshots:
            return None
        self._snapshots.remove(offset)
        return self.path(offset)

    def remove_stray_snapshots(self, segments: Iterable[int]) -> None:
        """Keep the snapshots of these segments, and the newest one if it is above them all (a clean shutdown's)."""
        bases = set(segments)
        keep = bases & self._snapshots
        if self._snapshots and bases and max(self._snapshots) > max(bases):
            keep.add(max(self._snapshots))
        self._files.unlink(self.path(offset) for offset in self._snapshots - keep)
        self._snapshots = keep

    def reload(self, log_start_offset: int, end_offset: int, now_ms: int) -> None:
        """Go back to the newest snapshot at or below *end_offset*; replay the batches from `self.end_offset` next.

        Snapshots out of the log's range are removed.  A damaged one is removed too, the one before it is used.
        """
        for offset in [at for at in self._snapshots if at > end_offset or at < log_start_offset]:
            self._remove(offset)
        self._clear()
        self._now_ms = now_ms
        self._snapshot_offset = self.end_offset = log_start_offset
        while self._snapshots:
            offset = max(self._snapshots)
            try:
                entries = decode_snapshot(self._files.read(self.path(offset)) or b"", self.path(offset))
            except CorruptFile as error:
                _log.warning("%s; the state of its producers is rebuilt from the log", error)
                self._remove(offset)
                continue
            for entry in entries:
                # a producer with old timestamps may be at work still: it stays for as long as a new one
                old = now_ms - entry.last_timestamp >= self._expiration_ms
                entry.seen_ms = now_ms if old else min(now_ms, entry.last_timestamp)
            self.load(entries)
            self._snapshot_offset = self.end_offset = offset
            return

    def load(self, entries: Iterable[ProducerEntry]) -> None:
        """Take over *entries* as they are."""
        for entry in entries:
            self.entries[entry.producer_id] = entry
        started = sorted(
            (entry.current_txn_first_offset, entry.producer_id)
            for entry in self.entries.values()
            if entry.current_txn_first_offset != NO_OFFSET
        )
        self._open = dict(started)
        self.unstable_is_stale = True

    def inherit(self, other: ProducerState) -> None:
        """Take over what *other* knows of the same records, and of producers whose records are gone."""
        self.entries, self._open = other.entries, other._open
        self._unreplicated, self._verifications = other._unreplicated, other._verifications
        self._high_watermark, self.unstable_is_stale = other._high_watermark, True

    def replay(self, batch: RecordBatch) -> AbortedTransaction | None:
        """Take a batch that is in the log into account; returns an entry for the transaction index if it aborts."""
        done = None
        if batch.producer_id >= 0:
            done = self.remember(batch, batch.base_offset, batch.last_offset, self._now_ms)
        self.end_offset = batch.last_offset + 1
        return self.complete(done) if done else None

    def log_start_moved(self, log_start_offset: int) -> None:
        """Records below *log_start_offset* are gone; producers keep their state until they expire."""
        self._unreplicated = {first: last for first, last in self._unreplicated.items() if last >= log_start_offset}
        self.unstable_is_stale = True
        self.end_offset = max(self.end_offset, log_start_offset)
        self._snapshot_offset = max(self._snapshots, default=log_start_offset)

    def restart_at(self, offset: int) -> None:
        """Forget everything and remove all snapshots."""
        for at in list(self._snapshots):
            self._remove(at)
        self._clear()
        self._snapshot_offset = 0
        self.end_offset = offset

    def _remove(self, offset: int) -> None:
        self._snapshots.discard(offset)
        self._files.unlink([self.path(offset)])

    def _clear(self) -> None:
        self.entries.clear()
        self._open.clear()
        self._unreplicated.clear()
        self.unstable_is_stale = True
        self._verifications.clear()
