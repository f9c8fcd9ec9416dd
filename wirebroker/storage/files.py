"""Files: the operations of the file system that storage uses.  Tests replace it by a disk that loses, tears and fails.

A `File` keeps its descriptor for as long as an object refers to it, so bytes can still be sent from a segment that was
deleted meanwhile.  A `LazyFile` is a name that is opened on first use and may be closed again at any time: thousands of
segments then need only as many descriptors as are in use.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

MANY_FILES: Final = 16
"""Files are synced one by one up to this number; more of them are written back together first (`Files.write_back`)."""
_KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE
_RENAMES = 8  # of one file, while one call tries to use it


class File:
    """One open file.  Every method may raise OSError."""

    __slots__ = ("__weakref__", "fd", "path")

    def __init__(self, path: str, fd: int) -> None:
        self.path = path
        self.fd = fd

    def pread(self, size_bytes: int, position: int) -> bytes:
        """Return up to *size_bytes* bytes from *position* on; fewer only at the end of the file."""
        data = os.pread(self.fd, size_bytes, position)
        if len(data) < size_bytes and data:
            # the end of the file, or one call's limit (2 GiB on Linux): asking again tells
            rest = self.pread(size_bytes - len(data), position + len(data))
            return data + rest if rest else data
        return data

    def pwrite(self, data: bytes | bytearray | memoryview, position: int) -> None:
        """Write all of *data* at *position*.  After an OSError any prefix of it may have been written."""
        written = os.pwrite(self.fd, data, position)
        if written != len(data):
            with memoryview(data) as view:
                self.pwrite(view[written:], position + written)

    def size_bytes(self) -> int:
        return os.fstat(self.fd).st_size

    def truncate(self, size_bytes: int) -> None:
        """Set the size of the file: cut it, or grow it with a hole that reads as zeros."""
        os.ftruncate(self.fd, size_bytes)

    def reserve(self, size_bytes: int, position: int = 0) -> bool:
        """Have the file system set space aside for *size_bytes* from *position* on; return False if it does not.

        The file's size stays.  `truncate` gives back what was not used.
        """
        import ctypes  # takes 10 ms and 1 MB, which appends as a rule are not worth

        try:
            fallocate = ctypes.CDLL(None, use_errno=True).fallocate
        except AttributeError:  # Linux has it
            return False
        fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
        return bool(fallocate(self.fd, _KEEP_SIZE, position, size_bytes) == 0)

    def sync(self) -> None:
        """Return when data and size are on the disk."""
        os.fdatasync(self.fd)

    def set_modified_ms(self, modified_ms: int) -> None:
        """Have the file look as if it had been written to last at *modified_ms*."""
        os.utime(self.fd, ns=(modified_ms * 1_000_000,) * 2)

    def close(self) -> None:
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        self.close()


class LazyFile:
    """A path that is opened when needed; see `Files.lazy`."""

    __slots__ = ("files", "next_path", "opened", "path")

    def __init__(self, files: Files, path: str) -> None:
        self.files = files
        self.path = path
        self.next_path: str | None = None
        """The file's new path during a rename, else None: other threads may open the file meanwhile."""
        self.opened: File | None = None
        """The open file, for hot paths: `lazy.opened or lazy.open()`."""

    def open(self) -> File:
        """Return the file.  Raises FileNotFoundError if it is not there: a deleted segment must not come back empty."""
        return self.opened or self.files.open_lazy(self, create=False)

    def create(self) -> File:
        """Return the file, a new one if it is not there."""
        return self.opened or self.files.open_lazy(self, create=True)

    def modified_ms(self) -> int:
        """Return when the file was last written to, in milliseconds since 1970."""
        return self.files.at_its_path(self, self.files.modified_ms)

    def prepare_move(self, path: str | None) -> None:
        """Expect the file to be renamed to *path*; None: it keeps its name after all."""
        self.next_path = path

    def update_path(self, path: str) -> None:
        """Use *path*, the new name of the file."""
        self.close()
        self.path = path
        self.next_path = None

    def close(self) -> None:
        """Forget the descriptor; it is closed when no slice refers to it any more."""
        if self.opened is not None:
            self.opened = None
            self.files.forget_lazy(self)


class Files:
    """The operating system's files.  Paths are strings; every method may raise OSError."""

    def __init__(self, keep_open: int | None = None) -> None:
        """Keep at most *keep_open* lazy files open (a third of the process's limit unless told)."""
        if keep_open is None:
            keep_open = max(64, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 3)
        self._keep_open = keep_open
        self._open_lazies: deque[LazyFile] = deque()

    def open(self, path: str, *, create: bool = True) -> File:
        """Open a file for reading and writing; create it if it is not there, unless *create* is false."""
        return File(path, os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o644))

    def lock(self, path: str) -> File | None:
        """Open *path* and lock it until the file is closed; return None if another process or object has it."""
        file = self.open(path)
        try:
            fcntl.flock(file.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # among ourselves, within one process too
            fcntl.lockf(file.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # what a Java broker looks at
        except BlockingIOError:
            file.close()
            return None
        return file

    def lazy(self, path: str) -> LazyFile:
        return LazyFile(self, path)

    def open_lazy(self, lazy: LazyFile, *, create: bool) -> File:
        # first in, first out: a wrong guess costs one open, and appends pay no bookkeeping
        self._drop_lazies(self._keep_open - 1)
        open_it = partial(self.open, create=create)
        try:
            opened = self.at_its_path(lazy, open_it)
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE) or not self._open_lazies:
                raise
            # other code has used up the descriptors: that is no fault of the disk
            self._drop_lazies(0)
            opened = self.at_its_path(lazy, open_it)
        lazy.opened = opened
        self._open_lazies.append(lazy)
        return opened

    def at_its_path(self, lazy: LazyFile, use: Callable[[str], T]) -> T:
        """Return *use* of the file's path, also while another thread renames the file or its directory."""
        path = lazy.path
        for _ in range(_RENAMES):
            try:
                found = use(path)
            except FileNotFoundError:
                used, path = path, lazy.next_path or lazy.path
                if path == used:
                    raise
                continue
            if path in (lazy.path, lazy.next_path):
                return found
            path = lazy.path  # its old name may be another file's by now
        return use(lazy.path)

    def _drop_lazies(self, keep: int) -> None:
        try:
            while len(self._open_lazies) > keep:
                self._open_lazies.popleft().opened = None
        except IndexError:
            pass  # another thread has dropped the last one

    def forget_lazy(self, lazy: LazyFile) -> None:
        try:
            self._open_lazies.remove(lazy)
        except (ValueError, IndexError):
            pass  # it was the oldest and has been dropped already, or another thread opens files

    def read(self, path: str) -> bytes | None:
        """Return the content of a small file, None if there is none."""
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            chunks = []
            while chunk := os.read(fd, 1 << 20):
                chunks.append(chunk)
            return b"".join(chunks)
        finally:
            os.close(fd)

    def write_whole(self, path: str, data: bytes, *, sync: bool = True) -> None:
        """Put *data* in place of the file: readers and crashes see the old or the new one, never a part.

        Without *sync* a power failure may leave an empty file, which suits content that can be found out again.
        """
        beside = path + ".tmp"
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            if sync:
                os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(beside, path)
        if sync:
            self.sync_directory(os.path.dirname(path))

    def list(self, directory: str) -> list[tuple[str, bool]]:
        """Return (name, is a directory) of everything in *directory*, in no order."""
        with os.scandir(directory) as entries:
            return [(entry.name, entry.is_dir()) for entry in entries]

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def size_bytes(self, path: str) -> int:
        return os.stat(path).st_size

    def modified_ms(self, path: str) -> int:
        return os.stat(path).st_mtime_ns // 1_000_000

    def identity(self, path: str) -> tuple[int, int] | None:
        """Return (file system, inode) of the file at *path*, None if there is none."""
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_dev, found.st_ino

    def make_directory(self, path: str) -> None:
        """Create a directory with its parents; one that exists is fine.

        Raises:
            NotADirectoryError: a file is in the way; its text says which.
        """
        try:
            os.makedirs(path, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            at = path
            while not os.path.lexists(at):
                at = os.path.dirname(at)
            kind = "a file, not a directory" if os.path.exists(at) else "a symbolic link to nothing"
            raise NotADirectoryError(errno.ENOTDIR, f"{at} is {kind}", path) from None

    def rename(self, old: str, new: str) -> None:
        os.rename(old, new)

    def unlink(self, paths: Iterable[str]) -> None:
        """Remove files; those that are gone already are fine."""
        for path in paths:
            try:
                os.unlink(path)
            except FileNotFoundError:
                pass

    def remove_directory(self, path: str) -> None:
        """Remove a directory and all that is in it; a missing one is fine."""
        import shutil

        try:
            shutil.rmtree(path)
        except FileNotFoundError:
            pass

    def sync(self, path: str) -> None:
        """Make the content of the file at *path* survive a power failure; a missing file is fine."""
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def write_back(self) -> None:
        """Have the file systems write back everything at once.  It promises nothing, but later syncs are quick then.

        A thousand files one after the other wait for a thousand commits of the file system's journal.
        """
        os.sync()

    def sync_directory(self, path: str) -> None:
        """Make creations, renames and removals in it survive a power failure."""
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
