"""Verify a loaded segment's `.txnindex` and `.index` against its `.log` before the first read_committed fetch.

Such a fetch lists the aborted transactions that its records may be part of: the transaction index knows them, and the
offset index up to which offset to look for them.  Both have no checksums, and a file that was cut between two entries,
or that is of some time before, looks like any other; so the batch headers of the segment are read once.  Where a
transaction began in an earlier segment only the producer snapshot of this segment knows; without one, the transaction
index is believed.  Entries that a wrong transaction index lacks are taken from the log; a wrong offset index is
disabled.

Costs one pass over the headers of a segment, once, in logs with aborted transactions: 0.2 s for a gigabyte of 16 kB
batches, and half a minute if they are of 100 bytes.
"""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.control import read_marker
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import HEADER_SIZE, RecordBatch
from wirebroker.storage.batch_headers import headers
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.producer_snapshots import decode_snapshot
from wirebroker.storage.producer_state_entry import NO_OFFSET
from wirebroker.storage.transaction_index import AbortedTransaction

if TYPE_CHECKING:
    from wirebroker.storage.files import Files
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.transaction_index import TransactionIndex

logger = logging.getLogger(__name__)

_MAX_POSITION: Final = (1 << 31) - 1
_UNKNOWN_STABLE: Final = -1
"""A last stable offset below any that a reader compares it with, so that later segments are searched, too."""


class EarlierTransaction(NamedTuple):
    """A transaction that was aborted in a segment, and began in an earlier one."""

    producer_id: int
    first_offset: int
    """NO_OFFSET if nothing tells."""


class ScanResult(NamedTuple):
    """The transactions that were aborted in a segment, by its log."""

    aborted: list[AbortedTransaction]
    """Those that began in the segment."""
    earlier: dict[int, EarlierTransaction]
    """The others, by the offset of their marker."""
    is_complete: bool
    """The scan came to the end; False if there is no batch somewhere."""
    is_offset_index_right: bool


class TransactionScan:
    """One scan of the batches that a segment had when it was loaded; a SegmentScan that ScanRequired can ask for."""

    def __init__(self, segment: LogSegment, loaded_bytes: int, files: Files) -> None:
        """Take from *segment* what the scan needs; the segment may be appended to while it runs.  Raises OSError."""
        self._file = segment.log_file.open()
        self._end = loaded_bytes
        self._open_before = _open_at_start(segment, files)
        self._index = _OffsetIndexCheck(segment)
        # of a segment that is appended to, the index may know a batch whose size is not counted yet
        self._max_position = _MAX_POSITION if segment.writable else segment.size_bytes
        self._result: ScanResult | None = None
        self._error: OSError | None = None
        self._running = Lock()

    def run(self) -> None:
        """Scan, unless that is done already; in any thread."""
        with self._running:
            if self.is_done:
                return
            try:
                self._result = self._scan()
            except OSError as error:
                self._error = error

    @property
    def is_done(self) -> bool:
        """Whether `result` may be called."""
        return self._result is not None or self._error is not None

    def result(self) -> ScanResult:
        """Return what the scan has found.  Raises the OSError that it has met."""
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def _scan(self) -> ScanResult:
        file, index = self._file, self._index
        transactions = _TransactionReplay(self._open_before)
        end = 0
        try:
            for header in headers(file, 0, self._end):
                end = header.position + header.size_bytes
                index.add(header.position, header.last_offset)
                if header.has_producer:
                    # the whole header first: of most batches the records need not be read
                    batch = RecordBatch(file.pread(HEADER_SIZE, header.position))
                    if batch.is_control:
                        batch = RecordBatch.parse(file.pread(header.size_bytes, header.position))
                    transactions.add(batch)
        except (CorruptFileError, RecordError):
            end = -1  # a read that comes to that place is answered with an error
        is_complete = end == self._end
        is_right = not index.is_wrong and (not is_complete or index.rest_is_between(self._end, self._max_position))
        return ScanResult(transactions.aborted, transactions.earlier, is_complete, is_right)


class _TransactionReplay:
    """Finds the aborted transactions in the batches of one segment."""

    def __init__(self, open_before: dict[int, int] | None) -> None:
        """*open_before*: see `_open_at_start`."""
        self.aborted: list[AbortedTransaction] = []
        self.earlier: dict[int, EarlierTransaction] = {}
        self._has_snapshot = open_before is not None
        self._open_before = dict(open_before or {})
        self._open: dict[int, int] = {}
        """Producer id -> first offset of its transaction."""
        self._decided: set[int] = set()
        """Producers with a marker in the segment: where they began a transaction after it is known."""

    def add(self, batch: RecordBatch) -> None:
        """Take the next batch with a producer id; of a control batch all bytes.  Raises RecordError."""
        producer_id = batch.producer_id
        if not batch.is_control:
            if batch.is_transactional:
                self._open.setdefault(producer_id, batch.base_offset)
            return
        marker = read_marker(batch)
        if marker is None:
            return
        first, before = self._open.pop(producer_id, None), self._open_before.pop(producer_id, NO_OFFSET)
        is_start_known = producer_id in self._decided or self._has_snapshot
        self._decided.add(producer_id)
        if marker.committed:
            return
        if before != NO_OFFSET or not is_start_known:
            self.earlier[batch.last_offset] = EarlierTransaction(producer_id, before)
        elif first is not None:
            self.aborted.append(AbortedTransaction(producer_id, first, batch.last_offset, _UNKNOWN_STABLE))


class _OffsetIndexCheck:
    """Compares the entries of an offset index with the batches as they are read."""

    def __init__(self, segment: LogSegment) -> None:
        index = segment.offset_index
        self._base_offset = index.base_offset
        self._entries = index.ENTRY.iter_unpack(index.bytes_at(0, index.count * index.ENTRY.size))
        self._next = next(self._entries, None)
        self.is_wrong = False

    def add(self, position: int, last_offset: int) -> None:
        """Take the next batch.  An entry for several batches that were appended together has the last one's offset."""
        if self._next is not None and self._next[1] <= position:
            relative, at = self._next
            if at < position or self._base_offset + relative < last_offset:
                self.is_wrong = True
            self._next = next(self._entries, None)

    def rest_is_between(self, low: int, high: int) -> bool:
        """Return whether all entries that are left are for ascending positions from *low* up to (not with) *high*."""
        while self._next is not None:
            _, at = self._next
            if not low <= at < high:
                return False
            low = at + 1
            self._next = next(self._entries, None)
        return True


def correct_transaction_index(index: TransactionIndex, result: ScanResult, *, compacts: bool) -> None:
    """Compare *index* with the log, and have it answer what the log says if they disagree; its file is not changed.

    *compacts*: a cleaner may have removed the first records of a transaction.

    Raises:
        CorruptFileError: they disagree, and the log does not tell where all of the transactions began.
        OSError: the index cannot be read.
    """
    try:
        entries = {entry.last_offset: entry for entry in index.entries()}
        difference = _first_difference(result, entries, compacts=compacts)
    except CorruptFileError as error:
        entries, difference = {}, str(error)
    if difference is None:
        return
    logger.error("%s: %s; the log is used instead; `wirebroker log repair` makes a new index", index.path, difference)
    right = result.aborted
    for offset, (producer_id, first_offset) in result.earlier.items():
        entry = entries.get(offset)
        if entry is not None and entry.producer_id == producer_id:
            right.append(entry)
        elif first_offset != NO_OFFSET:
            right.append(AbortedTransaction(producer_id, first_offset, offset, _UNKNOWN_STABLE))
        else:
            raise CorruptFileError(f"{index.path}: {difference}, and the log does not tell all that should be in it")
    index.replace(sorted(right, key=lambda each: each.last_offset))


def _first_difference(result: ScanResult, entries: dict[int, AbortedTransaction], *, compacts: bool) -> str | None:
    expected = [(each.last_offset, each.producer_id) for each in result.aborted]
    expected += [
        (offset, each.producer_id) for offset, each in result.earlier.items() if each.first_offset != NO_OFFSET
    ]
    for offset, producer_id in expected:
        entry = entries.get(offset)
        if entry is None or entry.producer_id != producer_id:
            return f"the transaction of producer {producer_id} that was aborted at offset {offset} is missing"
    for each in result.aborted:
        first = entries[each.last_offset].first_offset
        # a cleaner may have removed the first records
        if first > each.first_offset or (first < each.first_offset and not compacts):
            return (
                f"the transaction that was aborted at offset {each.last_offset} began at {each.first_offset} in the log"
                f" and at {first} in the index"
            )
    return None


def _open_at_start(segment: LogSegment, files: Files) -> dict[int, int] | None:
    """Return the transactions that were open when the segment began: producer id -> first offset; None if unknown."""
    if not segment.base_offset:
        return {}
    path = f"{segment.transaction_index.path[: -len('.txnindex')]}.snapshot"
    data = files.read(path)
    try:
        entries = None if data is None else decode_snapshot(data, path)
    except CorruptFileError:
        entries = None
    if entries is None:
        return None
    return {
        each.producer_id: each.current_txn_first_offset
        for each in entries
        if each.current_txn_first_offset != NO_OFFSET
    }
