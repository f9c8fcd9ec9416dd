"""SimulatedDisk: the files of one broker in memory, which survive kill -9 whole and a loss of power in part.

A log directory may fail altogether, and come back with its files or be replaced by an empty one; one access to it may
fail; and it may be full.  A loss of power leaves what was synced.  Of the changes of a file since then the first
ones remain, the last of them torn; of the changes of names those of the last seconds may be lost, as file systems
write their journals back every now and then.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import trio

from wirebroker.tests.storage.fakes.disk import Change, FakeDisk, Inode, resize, write

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

_JOURNAL_S: Final = 5.0
"""How long a change of names may be in memory only; ext4 writes its journal back that often."""
_GROWTH: Final = ("pwrite", "create", "make_directory")


class _Names(NamedTuple):
    """All names at one time."""

    at_s: float
    files: dict[str, Inode]
    directories: set[str]


class SimulatedDisk(FakeDisk):
    """A FakeDisk that serves one process after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.on_crash: Callable[[], None] = lambda: None
        """Called when the process dies in the middle of the change `crash_at`."""
        self.on_failure: Callable[[], None] = lambda: None
        """Called before an access fails."""
        self.failed_dirs: set[str] = set()
        """Log directories whose every access fails."""
        self.full_dirs: set[str] = set()
        """Log directories without room for new files and bytes."""
        self.next_failure: tuple[str, str] | None = None
        """(verb, log directory) of an access that fails, once."""
        self._is_observed = False
        self.is_used = False
        """Whether a process has used it and ended."""
        self.has_lost_power = False
        """Whether the next process finds only what a loss of power has left."""
        self._unsynced: dict[Inode, list[Change]] = {}
        self._names: list[_Names] = []
        """The names that are on the disk for certain, and those after each later change."""

    @property
    def is_stopped(self) -> bool:
        """Whether the process of this disk was killed, in the middle of a change perhaps."""
        return self._stopped

    def stop(self) -> None:
        self.on_crash()
        super().stop()

    def kill_process(self) -> None:
        """Let the process that uses the disk change nothing any more."""
        self._stopped = True

    # -- the next process

    def for_next_process(self, generator: random.Random, is_needed: Callable[[str], bool]) -> SimulatedDisk:
        """Return the disk that a process finds that starts now.

        Nothing is lost of paths for which *is_needed* is true: what the cluster needs of this broker alone may not be
        lost with it, and it is as likely as any other outcome that the system had written just that back.
        """
        disk = self._after_power_loss(generator, is_needed) if self.has_lost_power else self._unchanged()
        for directory in sorted(self.failed_dirs):
            inside = [path for path in disk.names if _is_in(path, directory)]
            if generator.random() < 0.5 and not any(is_needed(each) for each in inside):
                disk._replace_directory(directory)
        self.names, self._unsynced, self._names = {}, {}, []
        return disk

    def _unchanged(self) -> SimulatedDisk:
        """Return the same files for another process: their unsynced changes are in the page cache still."""
        disk = SimulatedDisk()
        disk.directories, disk._durable, disk._unsynced = self.directories, self._durable, self._unsynced
        disk._names = self._names
        for path, inode in self.names.items():
            if not inode.locked:
                disk.names[path] = inode
            else:  # the lock of a process that was killed ends with it
                disk._put(path, bytes(inode.data), inode.modified_ms)
        return disk

    def _after_power_loss(self, generator: random.Random, is_needed: Callable[[str], bool]) -> SimulatedDisk:
        found = generator.choice(self._names)
        names = {path: inode for path, inode in found.files.items() if not is_needed(path)}
        names |= {path: inode for path, inode in self.names.items() if is_needed(path)}
        disk = SimulatedDisk()
        disk.directories = {each for each in found.directories if not is_needed(each)}
        disk.directories |= {each for each in self.directories if is_needed(each)}
        for path, inode in names.items():
            data = inode.data if is_needed(path) else self._remainder(inode, generator)
            disk._put(path, bytes(data), inode.modified_ms)
            while (path := os.path.dirname(path)) != "/":
                disk.directories.add(path)
        disk._names = [_Names(trio.current_time(), dict(disk.names), set(disk.directories))]
        return disk

    def _remainder(self, inode: Inode, generator: random.Random) -> bytearray:
        """Return what a loss of power leaves of a file."""
        data = bytearray(self._durable.get(inode, b""))
        changes = self._unsynced.get(inode, [])
        kept = generator.randint(0, len(changes))
        for number, change in enumerate(changes[:kept], 1):
            if change.data is None:
                resize(data, change.position)
                continue
            piece = change.data
            if number == kept:
                piece = piece[: generator.randint(0, len(piece))]
            write(data, piece, change.position)
        return data

    def _replace_directory(self, directory: str) -> None:
        self.names = {path: inode for path, inode in self.names.items() if not _is_in(path, directory)}
        self.directories = {each for each in self.directories if each == directory or not _is_in(each, directory)}
        self._names = [_Names(trio.current_time(), dict(self.names), set(self.directories))]

    # -- accesses

    @contextmanager
    def without_faults(self) -> Iterator[None]:
        """Let accesses succeed: those of an observer, who neither meets the faults of the disk nor uses them up."""
        self._is_observed = True
        try:
            yield
        finally:
            self._is_observed = False

    def look(self, verb: str, path: str) -> None:
        super().look(verb, path)
        if self._is_observed:
            return
        number = 0
        if any(_is_in(path, each) for each in self.failed_dirs):
            number = errno.EIO
        elif self.next_failure is not None and verb == self.next_failure[0] and _is_in(path, self.next_failure[1]):
            number, self.next_failure = errno.EIO, None
        elif verb in _GROWTH and any(_is_in(path, each) for each in self.full_dirs):
            number = errno.ENOSPC
        if number:
            self.on_failure()
            raise OSError(number, os.strerror(number), path)

    def make_directory(self, path: str) -> None:
        super().make_directory(path)
        self._renamed()

    def sync_directory(self, path: str) -> None:
        super().sync_directory(path)
        del self._names[:-1]

    def note(self, inode: Inode, position: int, data: bytes | None) -> None:
        self._unsynced.setdefault(inode, []).append(Change(inode, position, data, None))

    def synced(self, inode: Inode) -> None:
        self._durable[inode] = bytes(inode.data)
        self._unsynced.pop(inode, None)

    def _renamed(self) -> None:
        now = trio.current_time()
        self._names.append(_Names(now, dict(self.names), set(self.directories)))
        while len(self._names) > 1 and self._names[1].at_s < now - _JOURNAL_S:
            del self._names[0]


def _is_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(f"{directory}/")
