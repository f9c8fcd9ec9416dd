"""Journal files that fail on demand, and small images to start from."""

from __future__ import annotations

import errno

from wirebroker.metadata.image import PartitionImage
from wirebroker.storage.files import File, Files

NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


class FaultyFile(File):
    """One of FaultyFiles' files."""

    def __init__(self, path: str, fd: int, files: FaultyFiles) -> None:
        super().__init__(path, fd)
        self.files = files

    def pwrite(self, data: bytes | bytearray | memoryview, position: int) -> None:
        self.files.note("write")
        room = self.files.room_bytes
        if room is not None and room < len(data):
            super().pwrite(data[:room], position)
            raise NO_SPACE
        super().pwrite(data, position)

    def sync(self) -> None:
        self.files.note("sync")

    def truncate(self, size_bytes: int) -> None:
        self.files.note("truncate")
        super().truncate(size_bytes)


class FaultyFiles(Files):
    """Real files; verbs named in *fail* raise ENOSPC, and a write of more than *room_bytes* breaks off there."""

    def __init__(self) -> None:
        super().__init__()
        self.fail: set[str] = set()
        self.room_bytes: int | None = None
        self.log: list[str] = []

    def open(self, path: str, *, create: bool = True) -> File:
        file = super().open(path, create=create)
        fd, file.fd = file.fd, -1
        return FaultyFile(path, fd, self)

    def rename(self, old: str, new: str) -> None:
        self.note("rename")
        super().rename(old, new)

    def sync_directory(self, path: str) -> None:
        self.note("sync_directory")

    def note(self, verb: str) -> None:
        self.log.append(verb)
        if verb in self.fail:
            raise NO_SPACE


def partitions(count: int, broker: int = 0) -> tuple[PartitionImage, ...]:
    """*count* fresh partitions on one broker."""
    return (PartitionImage(broker, 0, (broker,), (broker,)),) * count


def topic_id(number: int) -> bytes:
    """A topic id that is easy to read in a failure."""
    return number.to_bytes(16, "big")
