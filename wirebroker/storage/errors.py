"""Exceptions of the storage room: a disk that fails, files that are corrupt, operations that a log refuses.

None of them knows an error code of the wire: `replication/errors.py` has the table.
"""

from __future__ import annotations

import errno
from typing import Final, Protocol

_REMEDIES: Final = {
    errno.ENOSPC: "no space left on its file system; free some space, then start the broker again",
    errno.EDQUOT: "the disk quota is used up; free some space or raise the quota, then start the broker again",
    errno.EROFS: "its file system is read-only; mount it for writing, then start the broker again",
}


def explain(error: BaseException | None) -> str:
    """Why a log directory failed, for an operator: one line that names what to do if that is known."""
    first = error
    while error is not None:
        if isinstance(error, OSError):
            return _REMEDIES.get(error.errno or 0) or str(error)
        error = error.__cause__
    return str(first)


def is_disk_full(error: Exception) -> bool:
    """Whether a write failed for want of room, on the disk or in its owner's quota."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


class LogError(Exception):
    """An operation on a log failed; raised as one of the classes below."""


class StorageError(LogError):
    """The log directory cannot be used, and none of its logs.

    The OSError behind it, if there is one, is its `__cause__`.
    """


class DiskFullError(LogError):
    """The disk has no room for what was to be written, and nothing of it was.

    The log and its directory stay in service.  The OSError behind it is its `__cause__`.
    """


class CorruptLogError(LogError):
    """Bytes of one log make no sense; the disk and the other logs in its directory are as good as before.

    Other reads of the log may succeed.
    """


class UnwritableLogError(CorruptLogError):
    """A write met corrupt bytes and put the log out of service."""


class LogDeletedError(LogError):
    """The log was deleted, or renamed as stray, while it was in use."""


class OffsetOutOfRangeError(LogError):
    """The offset is below the log start offset, or beyond the log end offset."""


class RecordBatchTooLargeError(LogError):
    """The batch is larger than a segment may be (``segment.bytes``)."""


class TopicNameTooLongError(LogError):
    """The topic's name leaves no room for the suffix of a future log's directory."""


class InvalidProducerEpochError(LogError):
    """The batch carries an older epoch than the producer has."""


class OutOfOrderSequenceError(LogError):
    """The batch's first sequence number does not follow the producer's last one."""


class InvalidTxnStateError(LogError):
    """The producer's transaction does not admit the batch: it is over, was not verified, or is still open."""


class TransactionCoordinatorFencedError(LogError):
    """A transaction marker comes from a coordinator with an older epoch than the last marker's."""


class LoadingStopped(Exception):
    """Loading logs ended early because it was asked to; the next start loads them all again."""


class WouldBlock(Exception):
    """The operation needs more than a write to the page cache, and its caller may not wait; nothing was changed."""


class SegmentScan(Protocol):
    """A pass over one segment's files that may take seconds."""

    def run(self) -> None:
        """Scan, unless that is done already; in any thread, beside readers and the writer of the log."""


class ScanRequired(Exception):
    """The call needs a scan of a segment first: run `scan`, in any thread, then call again."""

    def __init__(self, scan: SegmentScan) -> None:
        super().__init__("a segment has to be scanned first")
        self.scan = scan


class SegmentReplaced(Exception):
    """The log has no longer the segment that records were read from: read them again.

    Compaction has put another one into its place, or retention or a truncation has removed it.
    """


class UnrecoverableLogError(Exception):
    """A file holds bytes that no crash can explain; nothing was changed, the operator has to decide."""

    def __init__(self, path: str, position: int | None, what: str) -> None:
        super().__init__(f"{path}: {what}" if position is None else f"{path} at byte {position}: {what}")
        self.path = path
        self.position = position


class DamagedLogError(UnrecoverableLogError):
    """A log is damaged in its middle, and valid up to *offset*: a replica that can fetch the rest may end there."""

    def __init__(self, path: str, position: int, what: str, offset: int) -> None:
        super().__init__(path, position, what)
        self.offset = offset


class CorruptFileError(ValueError):
    """A small file (checkpoint, snapshot, index, metadata) does not follow its format."""
