"""FakeDisk: `Files` in memory that can crash at any write, lose what was not synced, tear, fill up and fail."""

from __future__ import annotations

import errno
import os
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from wirebroker.storage.files import File, Files

if TYPE_CHECKING:
    from collections.abc import Callable


class Crash(BaseException):
    """The machine stops here.  Not an Exception: nobody may handle it."""


class Inode:
    """A file's content, apart from its names."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.modified_ms = 0
        self.locked = False


class Change(NamedTuple):
    """Something that a power failure may undo, in the order it happened."""

    inode: Inode | None
    """The file whose content it is, None for a change of names."""
    position: int
    data: bytes | None
    """The bytes written, None for a change of size to *position*."""
    names: dict[str, Inode] | None
    """All names after the change."""


Verb = TypeVar("Verb", bound="Callable[..., Any]")


def alone(verb: Verb) -> Verb:
    """A change that other threads see whole or not at all, as a kernel's are."""

    @wraps(verb)
    def turn(self: FakeDisk | FakeFile, *args: object, **named: object) -> object:
        with self.turn:
            return verb(self, *args, **named)

    return cast("Verb", turn)


class FakeDisk(Files):
    """A disk and the one process that uses it."""

    def __init__(self) -> None:
        super().__init__(keep_open=8)
        self.turn = threading.RLock()
        self.names: dict[str, Inode] = {}
        self.directories: set[str] = set()
        self.steps = 0
        """How many times something was changed."""
        self.syncs: list[str] = []
        """The files and directories that were synced, in order."""
        self.crash_at = 0
        """The step at which the machine stops, half-way through it; 0 is never."""
        self.capacity_bytes: int | None = None
        self.reserved: dict[str, int] = {}
        """The position up to which space was set aside: path -> bytes."""
        self.fail_next: dict[str, int] = {}
        """verb ("pwrite", "sync", "pread", "rename", ...) -> errno that it fails with, once."""
        self.broken: dict[str, int] = {}
        """The same for every time."""
        self._durable: dict[Inode, bytes] = {}
        self._durable_names: dict[str, Inode] = {}
        self._changes: list[Change] = []
        self._moved_directories: set[str] = set()
        """New names of directories that a power failure may undo."""
        self._stopped = False

    # -- what the tests do

    def restarted(self) -> FakeDisk:
        """The disk after a kill -9: the kernel has all that was written."""
        disk = FakeDisk()
        for path, inode in self.names.items():
            disk._put(path, bytes(inode.data), inode.modified_ms)
        disk.directories = set(self.directories)
        return disk

    def after_power_failure(self, kept: int) -> FakeDisk:
        """The disk with what was synced and the first *kept* of the changes since, the last one torn in half."""
        content = {inode: bytearray(data) for inode, data in self._durable.items()}
        names = dict(self._durable_names)
        for number, change in enumerate(self._changes[:kept], 1):
            if change.names is not None:
                names = change.names
            elif change.inode is not None:
                data = content.setdefault(change.inode, bytearray())
                if change.data is None:
                    resize(data, change.position)
                else:
                    write(
                        data, change.data[: len(change.data) // 2] if number == kept else change.data, change.position
                    )
        disk = FakeDisk()
        for path, inode in names.items():
            disk._put(path, bytes(content.get(inode, b"")), inode.modified_ms)
        disk.directories = {path for path in self.directories if path not in self._moved_directories}
        for path in names:  # a directory that was renamed has the name that its files have
            while (path := os.path.dirname(path)) != "/":
                disk.directories.add(path)
        return disk

    @property
    def unsynced(self) -> int:
        """How many changes a power failure could undo."""
        return len(self._changes)

    def content(self, path: str) -> bytes:
        return bytes(self.names[path].data)

    def overwrite(self, path: str, data: bytes) -> None:
        """Damage a file behind everybody's back."""
        self.names[path].data[:] = data

    # -- machinery

    def _put(self, path: str, data: bytes, modified_ms: int) -> None:
        inode = Inode()
        inode.data[:] = data
        inode.modified_ms = modified_ms
        self.names[path] = self._durable_names[path] = inode
        self._durable[inode] = data

    def look(self, verb: str, path: str) -> None:
        """Every access comes by here."""
        if self._stopped:
            raise Crash
        code = self.fail_next.pop(verb, None) or self.broken.get(verb)
        if code is not None:
            raise OSError(code, os.strerror(code), path)

    def step(self, verb: str, path: str) -> bool:
        """Every change comes by here; True if the machine stops half-way through it."""
        self.look(verb, path)
        self.steps += 1
        return self.steps == self.crash_at

    def stop(self) -> None:
        self._stopped = True
        raise Crash

    def note(self, inode: Inode, position: int, data: bytes | None) -> None:
        self._changes.append(Change(inode, position, data, None))

    def synced(self, inode: Inode) -> None:
        self._durable[inode] = bytes(inode.data)
        self._changes = [change for change in self._changes if change.inode is not inode]

    def _renamed(self) -> None:
        self._changes.append(Change(None, 0, None, dict(self.names)))

    def used_bytes(self) -> int:
        return sum(len(inode.data) for inode in self.names.values())

    # -- the verbs

    @alone
    def open(self, path: str, *, create: bool = True) -> File:
        self.look("open", path)
        inode = self.names.get(path)
        if inode is None:
            if not create:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            if self.step("create", path):
                self.stop()
            if os.path.dirname(path) not in self.directories:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            inode = self.names[path] = Inode()
            self._renamed()
        return FakeFile(self, path, inode)

    def lock(self, path: str) -> File | None:
        file = self.open(path)
        assert isinstance(file, FakeFile)
        if file.inode.locked:
            return None
        file.inode.locked = file.holds_lock = True
        return file

    @alone
    def read(self, path: str) -> bytes | None:
        self.look("read", path)
        inode = self.names.get(path)
        return None if inode is None else bytes(inode.data)

    def write_whole(self, path: str, data: bytes, *, sync: bool = True) -> None:
        beside = path + ".tmp"
        file = self.open(beside)
        file.truncate(0)
        file.pwrite(data, 0)
        if sync:
            file.sync()
        self.rename(beside, path)
        if sync:
            self.sync_directory(os.path.dirname(path))

    @alone
    def list(self, directory: str) -> list[tuple[str, bool]]:
        self.look("list", directory)
        if directory not in self.directories:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), directory)
        inside = [(path, False) for path in self.names] + [(path, True) for path in self.directories]
        return sorted((os.path.basename(path), is_dir) for path, is_dir in inside if os.path.dirname(path) == directory)

    def exists(self, path: str) -> bool:
        return path in self.names or path in self.directories

    def size_bytes(self, path: str) -> int:
        self.look("stat", path)
        if path not in self.names:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return len(self.names[path].data)

    def identity(self, path: str) -> tuple[int, int] | None:
        return (0, 0) if self.exists(path) else None

    def modified_ms(self, path: str) -> int:
        if path not in self.names:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return self.names[path].modified_ms

    @alone
    def make_directory(self, path: str) -> None:
        if self.step("make_directory", path):
            self.stop()
        while path not in ("/", ""):
            self.directories.add(path)
            path = os.path.dirname(path)

    @alone
    def rename(self, old: str, new: str) -> None:
        if self.step("rename", old):
            self.stop()
        if old in self.directories:
            self.directories = {_moved(path, old, new) for path in self.directories}
            self._moved_directories.add(new)
        elif old not in self.names:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), old)
        self.names = {_moved(path, old, new): inode for path, inode in self.names.items() if path != new}
        self._renamed()

    @alone
    def unlink(self, paths: object) -> None:
        for path in paths:  # type: ignore[attr-defined]
            if path in self.names:
                if self.step("unlink", path):
                    self.stop()
                del self.names[path]
                self._renamed()

    @alone
    def remove_directory(self, path: str) -> None:
        if self.step("remove_directory", path):
            self.stop()
        self.names = {name: inode for name, inode in self.names.items() if not name.startswith(path + "/")}
        self.directories = {name for name in self.directories if name != path and not name.startswith(path + "/")}
        self._renamed()

    @alone
    def sync(self, path: str) -> None:
        if path in self.names:
            FakeFile(self, path, self.names[path]).sync()

    def write_back(self) -> None:
        """A real disk may write anything at any time; this one waits for the syncs."""

    @alone
    def sync_directory(self, path: str) -> None:
        if self.step("sync_directory", path):
            self.stop()
        self.syncs.append(path)
        # a journal: every change of names up to here is on the disk
        self._durable_names = dict(self.names)
        self._moved_directories.clear()
        self._changes = [change for change in self._changes if change.names is None]


class FakeFile(File):
    """An open file of a FakeDisk; the inode lives on when its name is gone."""

    __slots__ = ("disk", "holds_lock", "inode", "turn")

    def __init__(self, disk: FakeDisk, path: str, inode: Inode) -> None:
        super().__init__(path, -1)
        self.disk = disk
        self.turn = disk.turn
        self.inode = inode
        self.holds_lock = False

    @alone
    def pread(self, size_bytes: int, position: int) -> bytes:
        self.disk.look("pread", self.path)
        return bytes(self.inode.data[position : position + size_bytes])

    @alone
    def pwrite(self, data: bytes | bytearray | memoryview, position: int) -> None:
        disk, inode = self.disk, self.inode
        try:
            crash = disk.step("pwrite", self.path)
        except OSError:
            write(inode.data, bytes(data[: len(data) // 2]), position)  # a failed write may have begun
            raise
        if disk.capacity_bytes is not None:
            grows = max(position + len(data) - len(inode.data), 0)
            if disk.used_bytes() + grows > disk.capacity_bytes:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self.path)
        if crash:
            data = data[: len(data) // 2]
        write(inode.data, bytes(data), position)
        disk.note(inode, position, bytes(data))
        if crash:
            disk.stop()

    def size_bytes(self) -> int:
        return len(self.inode.data)

    @alone
    def truncate(self, size_bytes: int) -> None:
        self.disk.reserved.pop(self.path, None)
        if self.disk.step("truncate", self.path):
            self.disk.stop()
        resize(self.inode.data, size_bytes)
        self.disk.note(self.inode, size_bytes, None)

    def set_modified_ms(self, modified_ms: int) -> None:
        self.inode.modified_ms = modified_ms

    def reserve(self, size_bytes: int, position: int = 0) -> bool:
        self.disk.look("reserve", self.path)
        self.disk.reserved[self.path] = position + size_bytes
        return True

    @alone
    def sync(self) -> None:
        if self.disk.step("sync", self.path):
            self.disk.stop()
        self.disk.syncs.append(self.path)
        self.disk.synced(self.inode)

    def close(self) -> None:
        if self.holds_lock:
            self.inode.locked = self.holds_lock = False

    def __del__(self) -> None:
        self.close()


def write(data: bytearray, piece: bytes, position: int) -> None:
    """Put *piece* into *data* at *position*, behind zeros if it is beyond the end."""
    if position > len(data):
        data.extend(bytes(position - len(data)))
    data[position : position + len(piece)] = piece


def resize(data: bytearray, size_bytes: int) -> None:
    """Cut *data*, or append zeros."""
    if size_bytes < len(data):
        del data[size_bytes:]
    else:
        data.extend(bytes(size_bytes - len(data)))


def _moved(path: str, old: str, new: str) -> str:
    if path == old:
        return new
    return new + path[len(old) :] if path.startswith(old + "/") else path
