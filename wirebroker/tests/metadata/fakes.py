"""Journal files that fail on demand, and small images to start from."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from wirebroker.metadata.image import PartitionImage
from wirebroker.metadata.journal import Files

if TYPE_CHECKING:
    from pathlib import Path


class FaultyFiles(Files):
    """Real files; the verbs named in *fail* raise ENOSPC, writes after *write_limit* bytes come out short."""

    def __init__(self) -> None:
        self.fail: set[str] = set()
        self.write_limit: int | None = None
        self.log: list[str] = []

    def write(self, fd: int, data: bytes) -> int:
        self._do("write")
        if self.write_limit is not None:
            if self.write_limit == 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            data = data[: self.write_limit]
            self.write_limit -= len(data)
        return super().write(fd, data)

    def fsync(self, fd: int) -> None:
        self._do("fsync")

    def truncate(self, fd: int, size: int) -> None:
        self._do("truncate")
        super().truncate(fd, size)

    def rename(self, source: Path, target: Path) -> None:
        self._do("rename")
        super().rename(source, target)

    def fsync_directory(self, path: Path) -> None:
        self._do("fsync_directory")

    def _do(self, verb: str) -> None:
        self.log.append(verb)
        if verb in self.fail:
            raise OSError(errno.ENOSPC, "No space left on device")


def partitions(count: int, broker: int = 0) -> tuple[PartitionImage, ...]:
    """*count* fresh partitions on one broker."""
    return (PartitionImage(broker, 0, (broker,), (broker,)),) * count


def topic_id(number: int) -> bytes:
    """A topic id that is easy to read in a failure."""
    return number.to_bytes(16, "big")
