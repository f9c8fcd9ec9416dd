"""A log of random batches on a fake disk: formats, codecs, producers, transactions, tombstones, gaps and rolls."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Final

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.control import build_marker
from wirebroker.record.message_set import MessageSet
from wirebroker.record.record_batch import NO_PRODUCER, TRANSACTIONAL, BatchProducer, Record, RecordBatch, stamp
from wirebroker.record.validate import AppendRules
from wirebroker.record.validate_legacy import check_message_set
from wirebroker.storage.producer_state_manager import AppendOrigin
from wirebroker.tests.record.legacy_message_sets import OLD_CODECS, message_set
from wirebroker.tests.storage.cleaner.compacted_log import CompactedLog
from wirebroker.tests.storage.fakes.disk import FakeDisk

if TYPE_CHECKING:
    from collections.abc import Sequence

SETTINGS: Final = {
    "cleanup.policy": "compact",
    "index.interval.bytes": "200",
    "delete.retention.ms": "60000",
    "file.delete.delay.ms": "3600000",  # longer than a test reads what Apache Kafka has left
}
GAPS: Final = (1, 7, 1000, 2**31 - 1000, 2**32)
"""Missing offsets ahead of a batch, some of them too many for the indexes of one segment."""


class RandomLog(CompactedLog):
    """Random batches from a seed; the time begins at the present one, as Apache Kafka's producers expire by it."""

    def __init__(self, seed: int, most_gap: int | None = None, formats: Sequence[int] = (0, 1, 2)) -> None:
        self.random = chance = random.Random(seed)
        self.gaps = [gap for gap in GAPS if most_gap is None or gap <= most_gap]
        self.settings = {
            **SETTINGS,
            "segment.bytes": str(chance.choice([700, 1500, 4000, 20_000])),
            "segment.index.bytes": str(chance.choice([240, 4096])),
            "min.compaction.lag.ms": str(chance.choice([0, 0, 0, 5000])),
        }
        super().__init__(
            FakeDisk(),
            segment_bytes=int(self.settings["segment.bytes"]),
            segment_index_bytes=int(self.settings["segment.index.bytes"]),
            index_interval_bytes=200,
            delete_retention_ms=60_000,
            min_compaction_lag_ms=int(self.settings["min.compaction.lag.ms"]),
        )
        self.clock.now_ms = int(time.time() * 1000) - 600_000
        self.leader_epoch = 0
        self.epochs = dict.fromkeys(range(10), 0)
        self.transactions: set[int] = set()
        self.codecs = chance.choice([[Codec.NONE], [Codec.NONE], [*Codec]])
        mixed = [each for each in [2, 2, 2, 1, 0] if each in formats]
        self.formats = chance.choice([[2], [2], mixed])
        self.keys = [b"k%d" % number for number in range(chance.choice([3, 12, 60]))] + [b""]
        self.keyless = chance.random() < 0.3
        self.append_time = chance.random() < 0.2

    def write(self, steps: int) -> None:
        """Append *steps* batches or markers, or do what else is done to logs."""
        chance = self.random
        for _ in range(steps):
            self.clock.now_ms += chance.choice([0, 1, 100, 1000])
            number = chance.random()
            if number < 0.30:
                self._plain()
            elif number < 0.50:
                self._idempotent()
            elif number < 0.72:
                self._transactional()
            elif number < 0.84:
                self._end_one()
            elif number < 0.88:
                self.log.roll()
            elif number < 0.90:
                self.leader_epoch += 1
                self.log.assign_leader_epoch(self.leader_epoch)
            elif number < 0.92:
                self._gap()

    def write_one_round(self) -> None:
        """Write what may be cleaned next: some batches, perhaps with open transactions, and old segments deleted."""
        chance, log = self.random, self.log
        self.write(chance.choice([5, 30, 80]))
        if chance.random() < 0.5:
            self.end_all()
        if chance.random() < 0.7:
            log.roll()
        stable = log.view.last_stable_offset(log.log_end_offset)
        starts = [each.base_offset for each in log.segments if log.log_start_offset < each.base_offset <= stable]
        if starts and chance.random() < 0.2:
            self.delete_records(chance.choice(starts))  # whole segments: below the log start Apache Kafka keeps more
        self.clock.now_ms += chance.choice([0, 1000, 70_000])
        self.manager.delete_due_files(self.clock.now_ms)
        for segment in log.segments[:-1]:
            if not segment.modified_ms():  # the fake disk has no clock
                segment.log_file.open().set_modified_ms(self.clock.now_ms - chance.choice([0, 1000]))

    def end_all(self) -> None:
        """End every open transaction."""
        for producer in sorted(self.transactions):
            self._end(producer)

    # -- batches

    def _records(self) -> list[Record]:
        chance, now_ms = self.random, self.clock.now_ms
        made = []
        for number in range(chance.choice([1, 1, 2, 5, 12])):
            key = chance.choice(self.keys)
            value = None if chance.random() < 0.2 else bytes(chance.choice([0, 1, 30, 30, 200]))
            headers = [(b"h", b"1"), (b"none", None)] if chance.random() < 0.1 else []
            timestamp = now_ms - chance.choice([0, 0, 5, 4000, 100_000])
            is_keyless = self.keyless and chance.random() < 0.1
            made.append(Record(number, timestamp, None if is_keyless else key, value, headers))
        return made

    def _build(self, records: list[Record], producer: BatchProducer = NO_PRODUCER, attributes: int = 0) -> RecordBatch:
        data = build_batch(
            records,
            compression=Compression(self.random.choice(self.codecs)),
            producer=producer,
            attributes=attributes,
            append_time_ms=self.clock.now_ms if self.append_time else None,
        )
        return RecordBatch.parse(bytearray(data))

    def _write(self, batch: RecordBatch, origin: AppendOrigin = AppendOrigin.CLIENT) -> None:
        if batch.size_bytes <= self.config.segment_bytes:
            self.log.append_as_leader(batch, self.leader_epoch, self.clock.now_ms, origin=origin)

    def _plain(self) -> None:
        magic = self.random.choice(self.formats)
        if magic == 2:
            self._write(self._build(self._records()))
            return
        records = self._records()
        data = message_set(
            magic,
            self.random.choice(OLD_CODECS),
            [(each.key, each.value) for each in records],
            now_ms=self.clock.now_ms,
            timestamps=[each.timestamp for each in records],
        )
        rules = AppendRules(magic=magic, log_append_time=bool(magic) and self.append_time)
        checked = check_message_set(memoryview(bytearray(data)), rules, self.clock.now_ms)
        assert isinstance(checked, MessageSet)
        if len(data) < self.config.segment_bytes // 2:
            self.log.append_messages(checked, self.clock.now_ms)

    def _sequenced(self, producer: int, attributes: int = 0) -> RecordBatch:
        records = self._records()
        sequence = self.sequences.get(producer, 0)
        batch = self._build(records, BatchProducer(producer, self.epochs[producer], sequence), attributes)
        if batch.size_bytes <= self.config.segment_bytes:
            self.sequences[producer] = sequence + len(records)
        return batch

    def _idempotent(self) -> None:
        producer = self.random.choice([0, 1, 2])
        if self.random.random() < 0.1:
            self._bump(producer)
        self._write(self._sequenced(producer))

    def _bump(self, producer: int) -> None:
        self.epochs[producer] += 1
        self.sequences[producer] = 0

    def _transactional(self) -> None:
        producer = self.random.choice([5, 6, 7, 8])
        batch = self._sequenced(producer, TRANSACTIONAL)
        if batch.size_bytes <= self.config.segment_bytes:
            self._write(batch)
            self.transactions.add(producer)

    def _end_one(self) -> None:
        if self.transactions:
            self._end(self.random.choice(sorted(self.transactions)))
        elif self.random.random() < 0.2:
            self._end(self.random.choice([5, 6, 7, 8, 9]))  # of a transaction without records here

    def _end(self, producer: int) -> None:
        data = build_marker(
            committed=self.random.random() < 0.6,
            producer_id=producer,
            producer_epoch=self.epochs[producer],
            coordinator_epoch=0,
            timestamp=self.clock.now_ms,
        )
        self._write(RecordBatch.parse(bytearray(data)), AppendOrigin.COORDINATOR)
        self.transactions.discard(producer)
        if self.random.random() < 0.2:
            self._bump(producer)

    def _gap(self) -> None:
        """A batch as a follower appends it, behind records that compaction has taken on the leader."""
        batch = self._build(self._records())
        gap = self.random.choice(self.gaps)
        stamp(batch, self.log.log_end_offset + gap, self.leader_epoch)
        if batch.size_bytes <= self.config.segment_bytes:
            self.log.append_as_follower(memoryview(bytearray(batch.buffer)))
