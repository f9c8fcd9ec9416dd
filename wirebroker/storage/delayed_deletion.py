"""DelayedFileDeletion: renamed files whose content is deleted after `file.delete.delay.ms`.

A reader with a slice keeps the file's content by its descriptor; the delay is there for Kafka's tools, and for an
operator to undo a deletion.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.storage.files import Files


class PendingDeletion(NamedTuple):
    """A file of a log, or the directory of one, and when it is deleted."""

    due_ms: int
    path: str
    is_directory: bool

    @property
    def log_dir(self) -> Path:
        """The log directory (`log.dirs`) that it is in."""
        parent = Path(self.path).parent
        return parent if self.is_directory else parent.parent


class DelayedFileDeletion:
    """The files and directories that wait for their deletion, each until its own time."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._lock = threading.Lock()  # files are removed in a thread, while logs go on deleting
        self._waiting: list[PendingDeletion] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add_files(self, paths: Iterable[str], due_ms: int) -> None:
        with self._lock:
            self._waiting.extend(PendingDeletion(due_ms, path, is_directory=False) for path in paths)

    def add_directory(self, path: str, due_ms: int) -> None:
        with self._lock:
            self._waiting.append(PendingDeletion(due_ms, path, is_directory=True))

    def directory_renamed(self, before: str, after: str) -> None:
        """Delete the files that wait in the directory *before* from *after*, which is its name now."""
        prefix = f"{before}/"
        with self._lock:
            self._waiting = [
                pending._replace(path=f"{after}/{pending.path.removeprefix(prefix)}")
                if pending.path.startswith(prefix)
                else pending
                for pending in self._waiting
            ]

    def take_due(self, now_ms: int) -> list[PendingDeletion]:
        """Return what is due, which does not wait here any more; `remove` it."""
        with self._lock:
            due = [pending for pending in self._waiting if pending.due_ms <= now_ms]
            self._waiting = [pending for pending in self._waiting if pending.due_ms > now_ms]
        return due

    def remove(self, pending: PendingDeletion) -> None:
        """Remove a file, or a directory with all that is in it; the next start tries again.  Raises OSError."""
        if pending.is_directory:
            self._files.remove_directory(pending.path)
        else:
            self._files.unlink([pending.path])
