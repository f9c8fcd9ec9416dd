"""DelayedFileDeletion: renamed files whose content is deleted after `file.delete.delay.ms`.

A reader with a slice keeps the file's content by its descriptor; the delay is there for Kafka's tools, and for an
operator to undo a deletion.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.storage.files import Files


class DelayedFileDeletion:
    """The files and directories that wait for their deletion, each until its own time."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._lock = threading.Lock()  # files are removed in a thread, while logs go on deleting
        self._waiting: list[tuple[int, str, bool]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add_files(self, paths: Iterable[str], due_ms: int) -> None:
        with self._lock:
            self._waiting.extend((due_ms, path, False) for path in paths)

    def add_directory(self, path: str, due_ms: int) -> None:
        with self._lock:
            self._waiting.append((due_ms, path, True))

    def delete_due(self, now_ms: int) -> int:
        """Remove files and directories that are due, and return how many; the next start tries failed ones again."""
        with self._lock:
            due = [item for item in self._waiting if item[0] <= now_ms]
            self._waiting = [item for item in self._waiting if item[0] > now_ms]
        for _, path, is_directory in due:
            if is_directory:
                self._files.remove_directory(path)
            else:
                self._files.unlink([path])
        return len(due)
