"""What was on the disk when the broker started is checked before it is served for the first time.

After a clean shutdown a start reads only the end of each log, and disks forget: without this a flipped bit would be
sent to consumers, of whom some look at checksums and some do not.  So every segment that was found at start remembers
which of its bytes were read and found good since; what this process appended needs no proof.  A batch must have its
checksum right and go on where the one before it ended.  Offsets lie outside of the checksum: a batch that leaves a gap
must be followed by one that agrees (compaction leaves such gaps; a flipped bit does not).

Costs one pass over the data, once (about 1 ms for a megabyte in the page cache).
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from wirebroker.record.faults import IncompleteBatch, RecordError
from wirebroker.record.legacy import parse_any
from wirebroker.record.record_batch import HEADER_SIZE, LOG_OVERHEAD
from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.recovery import Window

if TYPE_CHECKING:
    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.aborted_look import AbortedWalk
    from wirebroker.storage.batch_headers import BatchHeader
    from wirebroker.storage.files import File

_MOST_RANGES = 32
_START = Struct(">qi")
_SMALLEST = 26


class Proof:
    """Which parts of one segment's file were checked."""

    __slots__ = (
        "_base_offset",
        "_ranges",
        "aborted_walk",
        "aborted_were_looked_at",
        "end",
        "following",
        "index_bounds",
        "verdict",
        "was_looked_at",
    )

    def __init__(self, base_offset: int, end: int) -> None:
        self.end = end
        """Everything from this position on was written by this process."""
        self.following: int | None = None
        """Where the next segment begins, or where the log ended when it was closed; None if that is not known."""
        self.was_looked_at = False
        self.aborted_were_looked_at = False
        self.aborted_walk: AbortedWalk | None = None
        """The walk that tells (`aborted_look.py`), until what it told was used."""
        self.index_bounds = False
        """The offset index was found to be right, so that it may say up to which offset a piece reaches."""
        self.verdict: str | None = None
        """Why nothing in the file is served, as a look at it has shown."""
        self._base_offset = base_offset
        self._ranges: list[tuple[int, int, int]] = []  # from, to (positions), the next offset there

    def prove(self, file: File, start: int, first: BatchHeader, offset: int, end: int) -> int:
        """Check the batches from *first* up to position *end*; returns how far they may be served.

        Args:
            file: The segment's.
            start: A batch begins there, some way before *first*: offsets are compared from there on.
            first: The first batch to be served.
            offset: What the reader asked for.
            end: Where the piece to be served ends, maybe in the middle of a batch.

        Raises:
            CorruptFile: the first batch is not good, or one before it may hold *offset*.
            OSError: the file cannot be read.
        """
        position = first.position
        known = next((each for each in self._ranges if each[0] <= position <= each[1]), None)
        limit = min(end, self.end)
        if known is not None and known[1] >= limit:
            return end
        at, _, fault = self._walk(file, (start, start, None) if known is None else known, limit)
        if fault is not None and at < position and first.base_offset <= offset:
            # what is wrong is before it, and does not hold what was asked for
            at, _, fault = self._walk(file, (position, position, None), limit)
        if fault is None:
            return end
        if at <= position:
            raise CorruptFile(f"{file.path} at position {at}: {fault}")
        return at

    def prove_all(self, file: File) -> tuple[int, int | None, str | None]:
        """Check everything: (the position up to which it is good, the next offset there, what is wrong there)."""
        return self._walk(file, (0, 0, None), self.end)

    def _walk(self, file: File, done: tuple[int, int, int | None], limit: int) -> tuple[int, int | None, str | None]:
        """Check on from where *done* ends: (where it ended, the next offset, why it could not go on)."""
        low, at, expected = done
        window = Window(file, min(self.end, limit + HEADER_SIZE))
        fault = None
        try:
            while at < limit:
                batch = _batch_at(window, at, limit)
                if batch is None:
                    break
                fault = self._what_is_wrong(window, at, batch, expected)
                if fault is not None:
                    break
                expected = batch.last_offset + 1
                at += batch.size_bytes
        except RecordError as error:
            fault = str(error)
        if expected is not None:
            self._remember((low, at, expected))
        return at, expected, fault

    def _what_is_wrong(self, window: Window, at: int, batch: AnyBatch, expected: int | None) -> str | None:
        if not batch.is_valid():
            return "the checksum does not fit"
        first = batch.base_offset if batch.magic == 2 else batch.last_offset  # a wrapper's first one is inside
        if first == expected:
            return None
        if first < (self._base_offset if expected is None else expected):
            return f"offset {first} where {expected} should follow"
        behind = at + batch.size_bytes
        if behind + LOG_OVERHEAD <= window.end:
            (following,) = _START.unpack_from(window.data, window.find(behind, LOG_OVERHEAD))[:1]
            if following <= batch.last_offset:
                return f"offset {first}, and the batch behind it begins with {following}"
        return None

    def _remember(self, found: tuple[int, int, int]) -> None:
        # ranges that a walk began in or has passed have nothing more to say
        self._ranges = [each for each in self._ranges if not found[0] <= each[0] <= each[1] <= found[1]]
        self._ranges.append(found)
        del self._ranges[:-_MOST_RANGES]


def _batch_at(window: Window, at: int, limit: int) -> AnyBatch | None:
    """The whole batch at *at*, None if *limit* cuts it off.  Raises RecordError if no batch can be there."""
    if at + _SMALLEST > limit:
        return None
    place = window.find(at, _SMALLEST)
    size = _START.unpack_from(window.data, place)[1] + LOG_OVERHEAD
    if size < _SMALLEST:
        raise RecordError(f"no batch begins here (length {size - LOG_OVERHEAD})")
    if at + size > limit:
        return None
    try:
        return parse_any(window.data, window.find(at, size))
    except IncompleteBatch as cut:
        raise RecordError(str(cut)) from cut
