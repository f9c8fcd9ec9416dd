"""What goes wrong in storage: the disk, or what is found on it."""

from __future__ import annotations

import errno
from typing import Final

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

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


class StorageError(ApiError):
    """The partition's directory cannot be used; answered with KAFKA_STORAGE_ERROR.

    The OSError behind it, if there is one, is its `__cause__`.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(ErrorCode.KAFKA_STORAGE_ERROR, detail)

    def __str__(self) -> str:
        return str(self.detail)


class DiskFullError(ApiError):
    """The disk has no room for what was to be written, and nothing of it was; answered with KAFKA_STORAGE_ERROR.

    The log and its directory stay in service.  The OSError behind it is its `__cause__`.
    """

    def __init__(self, detail: str) -> None:
        super().__init__(ErrorCode.KAFKA_STORAGE_ERROR, detail)

    def __str__(self) -> str:
        return str(self.detail)


def is_disk_full(error: Exception) -> bool:
    """Whether a write failed for want of room, on the disk or in its owner's quota."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


class DamagedError(ApiError):
    """Bytes of one log make no sense; the disk and the other logs in its directory are as good as before.

    A read is answered with CORRUPT_MESSAGE, and others may succeed.  A log that cannot be written to on account of it
    is out of service: KAFKA_STORAGE_ERROR.
    """

    def __str__(self) -> str:
        return str(self.detail)


class LoadingStopped(Exception):
    """Loading logs ended early because it was asked to; the next start loads them all again."""


class DeletedError(ApiError):
    """The log was deleted, or set aside, while somebody still used it; answered with UNKNOWN_TOPIC_OR_PARTITION."""

    def __init__(self, detail: str) -> None:
        super().__init__(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, detail)

    def __str__(self) -> str:
        return str(self.detail)


class MustWait(Exception):
    """The work needs more than a write to the page cache, and its caller may not wait; nothing was changed."""


class LogDamaged(Exception):
    """A file holds bytes that no crash can explain; nothing was changed, the operator has to decide."""

    def __init__(self, path: str, position: int | None, what: str) -> None:
        super().__init__(f"{path}: {what}" if position is None else f"{path} at byte {position}: {what}")
        self.path = path
        self.position = position


class CorruptFile(ValueError):
    """A small file (checkpoint, snapshot, index, metadata) does not follow its format."""
