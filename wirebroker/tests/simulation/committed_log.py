"""CommittedLog: the records of one partition below the highest high watermark that any leader has had."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.control import parse_marker
from wirebroker.record.record_batch import RecordBatch, batches
from wirebroker.tests.simulation.trace import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wirebroker.storage.log import Log
    from wirebroker.tests.simulation.transactions import TransactionOutcomes

_READ_BYTES = 1 << 20


class PartitionKey(NamedTuple):
    """One partition of one topic: a topic that is created again under its name has another id."""

    topic: str
    topic_id: bytes
    number: int

    @property
    def incarnation(self) -> tuple[str, bytes]:
        """The topic; below inter-broker protocol 2.8 its id is zero, and the simulation uses a name once."""
        return self.topic, self.topic_id

    def __str__(self) -> str:
        return f"{self.topic}-{self.number}"


class CommittedLog:
    """The batches that may never be lost, reordered or written again."""

    def __init__(self, key: PartitionKey, transactions: TransactionOutcomes) -> None:
        """Tell *transactions* of the markers."""
        self.key, self._transactions = key, transactions
        self.end = 0
        """The offset behind the last committed record."""
        self._starts: list[int] = []
        self._batches: list[bytes] = []
        self._undecided: dict[int, dict[int, bytes]] = {}
        """Producer id -> the records of its transaction that has not ended here."""
        self._aborted: set[int] = set()
        """The offsets of records of aborted transactions."""
        self._next_numbers: dict[bytes, int] = {}
        """Producer -> the number of its next record."""

    def extend(self, log: Log, high_watermark: int, where: str) -> None:
        """Add what *log* has up to *high_watermark*, which its leader says is committed."""
        for batch in _read(log, self.end, high_watermark):
            if batch.base_offset != self.end:
                raise Violation(f"{where}: the log goes on at {batch.base_offset} behind offset {self.end}")
            self._starts.append(batch.base_offset)
            self._batches.append(bytes(batch.buffer))
            self.end = batch.next_offset
            if not self.key.topic.startswith("__"):
                self._check_numbers(batch, where)
                self._follow_transactions(batch)
        if self.end < high_watermark:
            raise Violation(f"{where}: high watermark {high_watermark}, but the log has records up to {self.end} only")

    def _check_numbers(self, batch: RecordBatch, where: str) -> None:
        """Check that each producer's records are there once, in order and without a gap: they are numbered."""
        if batch.is_control:
            return
        for record in batch.records():
            producer, _, number = (record.value or b"").rpartition(b" ")
            if not producer.endswith(self.key.topic_id.hex()[:8].encode()):
                continue  # sent to a deleted topic of this name, by a request that was under way for long
            expected = self._next_numbers.get(producer, 0)
            if int(number) != expected:
                raise Violation(
                    f"{where}: offset {record.offset} is record {int(number)} of {producer.decode()}, expected"
                    f" {expected}: a record was {'written twice' if int(number) < expected else 'lost'}"
                )
            self._next_numbers[producer] = expected + 1

    def _follow_transactions(self, batch: RecordBatch) -> None:
        records = list(batch.records())
        if not batch.is_transactional:
            return
        if not batch.is_control:
            self._undecided.setdefault(batch.producer_id, {}).update(
                {each.offset: each.value or b"" for each in records}
            )
            return
        marker, ended = parse_marker(records[0]), self._undecided.pop(batch.producer_id, {})
        if marker is not None:
            if not marker.committed:
                self._aborted |= ended.keys()
            self._transactions.marker_written(self.key, list(ended.values()), is_commit=marker.committed)

    def visible(self, start: int, end: int) -> dict[int, bytes]:
        """Return what read_committed consumers see from *start* to *end*.  Raises Violation if that is undecided."""
        for producer_id, records in self._undecided.items():
            if min(records) < end:
                raise Violation(
                    f"{self.key}: offset {end - 1} was read, but producer {producer_id} is in a transaction"
                    f" since offset {min(records)}"
                )
        found: dict[int, bytes] = {}
        at = max(bisect_right(self._starts, start) - 1, 0)
        while at < len(self._starts) and self._starts[at] < end:
            batch = RecordBatch.parse(self._batches[at])
            if not batch.is_control:
                found |= {each.offset: each.value or b"" for each in batch.records()}
            at += 1
        return {each: value for each, value in found.items() if start <= each < end and each not in self._aborted}

    def check_prefix(self, log: Log, where: str, end: int | None = None) -> None:
        """Check that *log* has all committed records (those below *end*, if given), byte by byte."""
        end = self.end if end is None else min(end, self.end)
        if log.log_end_offset < end:
            raise Violation(f"{where}: the log ends at {log.log_end_offset}, but records up to {end} are committed")
        for batch in _read(log, log.log_start_offset, end):
            expected = self._batch_at(batch.base_offset)
            if expected != bytes(batch.buffer):
                raise Violation(
                    f"{where}: the batch at offset {batch.base_offset} (leader epoch {batch.partition_leader_epoch})"
                    f" is not the committed one (leader epoch {RecordBatch.parse(expected).partition_leader_epoch})"
                )

    def values(self, offset: int) -> dict[int, bytes]:
        """Return offset -> value of the records in the committed batch that holds *offset*."""
        return {each.offset: each.value or b"" for each in RecordBatch.parse(self._batch_at(offset)).records()}

    def _batch_at(self, offset: int) -> bytes:
        return self._batches[bisect_right(self._starts, offset) - 1]


def _read(log: Log, start: int, end: int) -> Iterator[RecordBatch]:
    """Yield the batches of *log* from *start* to *end*."""
    while start < end:
        found = list(batches(log.read(start, _READ_BYTES, end, True).tobytes()))
        if not found:
            return
        yield from found
        start = found[-1].next_offset
