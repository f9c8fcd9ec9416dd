"""Do a segment's `.txnindex` and `.index`, found at start, tell all that readers of committed records must leave out?

What was aborted is known by the first of them alone, and up to which offset to look there by the second.  They have no
checksums, and one that was cut between two entries, or is of some time before, looks like any other; so the segment's
batch headers are walked once, before the first such reader relies on them.  Of transactions that began in an earlier
segment only the snapshot of producers knows; if there is none, the index is believed.  If a `.txnindex` is wrong, what
the log says is used instead; an `.index` that is wrong is given up.

Costs one pass over the headers of a segment, once, in logs with aborted transactions: 0.2 s for a gigabyte of 16 kB
batches, and half a minute if they are of 100 bytes.  So a long one is not walked by the call that needs it: that raises
LongWalk, and may be called again when somebody has run it in a thread.
"""

from __future__ import annotations

import logging
from struct import Struct
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.control import read_marker
from wirebroker.record.faults import RecordError
from wirebroker.record.record_batch import HEADER_SIZE, RecordBatch
from wirebroker.storage.batch_headers import headers
from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.producer_entry import NO_OFFSET, decode_snapshot
from wirebroker.storage.transaction_index import AbortedTransaction

if TYPE_CHECKING:
    from wirebroker.storage.files import File, Files
    from wirebroker.storage.segment import Segment

logger = logging.getLogger(__name__)

_ATTRIBUTES_AT, _PRODUCER_AT = 21, 43
_TRANSACTIONAL, _CONTROL = 0x10, 0x20
_short, _long = Struct(">h").unpack_from, Struct(">q").unpack_from
LARGEST_POSITION = (1 << 31) - 1
LONG_WALK_BYTES = 1 << 20
"""Beyond it a walk is left to a thread: with batches of 100 bytes this takes 30 ms."""
_UNKNOWN_STABLE = -1
"""Smaller than what any reader compares it with, so that later segments are asked, too."""


class _Told(NamedTuple):
    """What a segment's log says of the transactions that were aborted in it."""

    aborted: list[AbortedTransaction]
    """Those that began in it."""
    before: dict[int, tuple[int, int]]
    """The others: offset of the marker -> producer, and where it began; NO_OFFSET if nobody knows."""
    is_whole: bool
    """The walk came to the end."""


class LongWalk(Exception):
    """The answer needs a walk that takes long: `run` it, in any thread, and ask again."""

    def __init__(self, walk: AbortedWalk) -> None:
        super().__init__(f"{walk.path}: not walked yet")
        self.run = walk.run


class AbortedWalk:
    """One walk over the batches that a segment had at start; what it needs of the segment is taken when it is made."""

    def __init__(self, segment: Segment, files: Files) -> None:
        self.path = segment.log_file.path
        self.index_is_right = False
        """The offset index agrees with the log."""
        self._file = segment.log_file.open()
        self._end = segment.proof.end
        self._open_before = _open_at_start(segment, files)
        self._expected = _Expected(segment)
        # of a segment that is appended to, the index may know a batch whose size is not counted yet
        self._size_bytes = LARGEST_POSITION if segment.writable else segment.size_bytes
        self._told: _Told | None = None
        self._fault: OSError | None = None
        self._turn = Lock()

    def run(self) -> None:
        """Walk, unless that is done already."""
        with self._turn:
            if not self.is_done:
                try:
                    told = _what_the_log_says(self._file, self._end, self._open_before, self._expected)
                except OSError as fault:
                    self._fault = fault
                    return
                expected = self._expected
                wrong = expected.are_wrong or (told.is_whole and not expected.ends(self._end, self._size_bytes))
                self.index_is_right = not wrong
                self._told = told

    @property
    def is_done(self) -> bool:
        """`result` may be asked for."""
        return self._told is not None or self._fault is not None

    def result(self) -> _Told:
        """What the log says.  Raises OSError."""
        if self._fault is not None:
            raise self._fault
        assert self._told is not None
        return self._told


def look_at_aborted(segment: Segment, walk: AbortedWalk, *, compacts: bool) -> None:
    """Compare the indexes with the log, and have the `.txnindex` say what the log says if they disagree.

    Raises:
        CorruptFile: they disagree, and the log does not tell where all of the transactions began.
        OSError: a file cannot be read.
    """
    index = segment.transaction_index
    told = walk.result()
    if not walk.index_is_right:
        segment.give_up_index()
    else:
        segment.proof.index_bounds = told.is_whole
    try:
        entries = {entry.last_offset: entry for entry in index.entries()}
        wrong = _first_difference(told, entries, compacts=compacts)
    except CorruptFile as fault:
        entries, wrong = {}, str(fault)
    if wrong is None:
        return
    logger.error("%s: %s; what the log says is used; `wirebroker log repair` makes a new one", index.path, wrong)
    found = told.aborted
    for offset, (producer_id, first_offset) in told.before.items():
        entry = entries.get(offset)
        if entry is not None and entry.producer_id == producer_id:
            found.append(entry)
        elif first_offset != NO_OFFSET:
            found.append(AbortedTransaction(producer_id, first_offset, offset, _UNKNOWN_STABLE))
        else:
            raise CorruptFile(f"{index.path}: {wrong}, and the log does not tell all that should be in it")
    index.replace(sorted(found, key=lambda each: each.last_offset))


def _first_difference(told: _Told, entries: dict[int, AbortedTransaction], *, compacts: bool) -> str | None:
    known = [(each.last_offset, each.producer_id) for each in told.aborted]
    known += [(offset, producer_id) for offset, (producer_id, first) in told.before.items() if first != NO_OFFSET]
    for offset, producer_id in known:
        entry = entries.get(offset)
        if entry is None or entry.producer_id != producer_id:
            return f"it does not know that a transaction of producer {producer_id} was aborted at {offset}"
    for each in told.aborted:
        first = entries[each.last_offset].first_offset
        # a cleaner may have removed the first records
        if first > each.first_offset or (first < each.first_offset and not compacts):
            return f"it says that the transaction which was aborted at {each.last_offset} began at {first}"
    return None


def _open_at_start(segment: Segment, files: Files) -> dict[int, int] | None:
    """Producer -> where the transaction began that it had open when the segment began; None if nobody knows."""
    if not segment.base_offset:
        return {}
    path = f"{segment.transaction_index.path[: -len('.txnindex')]}.snapshot"
    data = files.read(path)
    try:
        entries = None if data is None else decode_snapshot(data, path)
    except CorruptFile:
        entries = None
    if entries is None:
        return None
    return {
        each.producer_id: each.current_txn_first_offset
        for each in entries
        if each.current_txn_first_offset != NO_OFFSET
    }


class _Expected:
    """The entries of the offset index, held against the batches as they come by."""

    def __init__(self, segment: Segment) -> None:
        index = segment.offset_index
        self._base_offset = index.base_offset
        self._entries = index.ENTRY.iter_unpack(index.bytes_at(0, index.count * index.ENTRY.size))
        self._next = next(self._entries, None)
        self.are_wrong = False

    def meet(self, position: int, last_offset: int) -> None:
        """The next batch.  An entry for several that came together has the last one's offset."""
        if self._next is not None and self._next[1] <= position:
            relative, at = self._next
            if at < position or self._base_offset + relative < last_offset:
                self.are_wrong = True
            self._next = next(self._entries, None)

    def ends(self, low: int, high: int) -> bool:
        """Are all that are left, if any, for batches between these positions, in order?"""
        while self._next is not None:
            _, at = self._next
            if not low <= at < high:
                return False
            low = at + 1
            self._next = next(self._entries, None)
        return True


def _what_the_log_says(file: File, stop: int, open_before: dict[int, int] | None, expected: _Expected) -> _Told:
    """Walk the headers of what was there at start; a place where no batch can be ends the walk."""
    before = dict(open_before or {})
    began: dict[int, int] = {}
    decided: set[int] = set()  # producers whose first marker was seen: what they begin later is seen, too
    aborted: list[AbortedTransaction] = []
    told_before: dict[int, tuple[int, int]] = {}
    end = 0
    try:
        for header in headers(file, 0, stop):
            end = header.position + header.size_bytes
            expected.meet(header.position, header.last_offset)
            if not header.has_producer:
                continue
            start = file.pread(HEADER_SIZE, header.position)
            attributes, producer_id = _short(start, _ATTRIBUTES_AT)[0], _long(start, _PRODUCER_AT)[0]
            if attributes & _CONTROL:
                marker = read_marker(RecordBatch.parse(file.pread(header.size_bytes, header.position)))
                if marker is None:
                    continue
                first, earlier = began.pop(producer_id, None), before.pop(producer_id, NO_OFFSET)
                is_told = producer_id in decided or open_before is not None
                decided.add(producer_id)
                if marker.committed:
                    continue
                if earlier != NO_OFFSET or not is_told:
                    told_before[header.last_offset] = producer_id, earlier
                elif first is not None:
                    aborted.append(AbortedTransaction(producer_id, first, header.last_offset, _UNKNOWN_STABLE))
            elif attributes & _TRANSACTIONAL:
                began.setdefault(producer_id, header.base_offset)
    except (CorruptFile, RecordError):
        end = -1  # readers who come there are told
    return _Told(aborted, told_before, end == stop)
