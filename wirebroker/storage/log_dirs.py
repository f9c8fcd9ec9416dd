"""LogDirs: the log directories of a broker, which of them are online, and their checkpoints.

A directory whose disk fails goes offline with all its logs, and the others serve on.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wirebroker.storage.errors import CorruptLogError, StorageError, explain, is_disk_full
from wirebroker.storage.log_dir import LogDir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wirebroker.model import TopicPartition
    from wirebroker.storage.files import Files
    from wirebroker.storage.log import Log

logger = logging.getLogger(__name__)


class LogDirs:
    """The directories of `log.dirs`.  The methods `checkpoint_...` and `check_in_place` may run in another thread."""

    def __init__(self, paths: Sequence[Path], files: Files) -> None:
        """Nothing is touched yet; see `lock`."""
        self._files = files
        self._dirs = {path: LogDir(path, files) for path in paths}
        self.on_offline: Callable[[Path, StorageError], None] | None = None
        """Called once for each directory that fails, in the thread that has seen the failure."""
        self.needs_all = False
        """Whether this broker cannot serve on when one of several directories has failed."""

    @property
    def paths(self) -> list[Path]:
        """All directories, in the order of `log.dirs`."""
        return list(self._dirs)

    @property
    def online(self) -> list[LogDir]:
        """The directories that serve."""
        return [log_dir for log_dir in self._dirs.values() if log_dir.failure is None]

    @property
    def can_serve(self) -> bool:
        """Whether the directories that have not failed are enough for this broker."""
        return len(self.online) == len(self) if self.needs_all else bool(self.online)

    def __len__(self) -> int:
        return len(self._dirs)

    def __iter__(self) -> Iterator[LogDir]:
        return iter(self._dirs.values())

    def __getitem__(self, path: Path) -> LogDir:
        return self._dirs[path]

    def dir_of(self, log: Log) -> LogDir:
        """Return the directory that *log* is in."""
        return self._dirs[log.directory.parent]

    # -- one broker at a time

    def lock(self) -> None:
        """Make the directories if need be, and keep other brokers out of them; those that are locked stay so.

        Raises:
            StorageError: another process uses a directory, or none can be used.
        """
        failed: list[tuple[LogDir, OSError]] = []
        for log_dir in self.online:
            if log_dir.is_locked:
                continue
            try:
                self._files.make_directory(str(log_dir.path))
                log_dir.lock()
            except OSError as error:
                failed.append((log_dir, error))
        if len(failed) == len(self.online):  # there will be no broker to tell the log anything
            reasons = [f"cannot use {log_dir}: {error.strerror or error}" for log_dir, error in failed]
            raise StorageError("; ".join(reasons or [str(log_dir.failure) for log_dir in self]))
        for log_dir, reason in failed:
            self.take_offline(log_dir, reason)

    def unlock(self) -> None:
        """Let other processes use the directories; what is in them stays as it is."""
        for log_dir in self:
            log_dir.unlock()

    # -- directories that fail

    def take_offline(self, log_dir: LogDir, error: Exception) -> StorageError:
        """Put a directory, and every log in it, out of service after *error*; return why it is offline."""
        if log_dir.failure is None:
            failure = error if isinstance(error, StorageError) else StorageError(f"{log_dir} is offline: {error}")
            if failure is not error:
                failure.__cause__ = error
            log_dir.failure = failure
            logger.error("%s is offline: %s; its partitions are not served", log_dir, error)
            for log in (*log_dir.logs.values(), *log_dir.future_logs.values()):
                log.local_log.fail(failure)
            if self.on_offline is not None:
                self.on_offline(log_dir.path, failure)
        return log_dir.failure

    def mark_offline(self, path: Path, error: Exception) -> None:
        """Put the directory at *path*, and every log in it, out of service after *error*."""
        self.take_offline(self._dirs[path], error)

    def is_offline(self, path: Path) -> bool:
        """Whether the directory at *path* is out of service."""
        return self._dirs[path].failure is not None

    def failures(self) -> dict[Path, str]:
        """Return the directories that are offline, and why, in words for an operator."""
        return {path: explain(log_dir.failure) for path, log_dir in self._dirs.items() if log_dir.failure is not None}

    @contextmanager
    def guarding(self, log_dir: LogDir) -> Iterator[None]:
        """Take *log_dir* offline if the work on it fails; work goes on with the other directories."""
        try:
            yield
        except (OSError, StorageError) as error:
            self.take_offline(log_dir, error)
        except CorruptLogError:
            pass  # concerns one log, which has logged it

    def check_in_place(self) -> None:
        """Take directories offline that were renamed, removed or replaced: what is written would not be found again."""
        for log_dir in self.online:
            with self.guarding(log_dir):
                if not log_dir.is_in_place():
                    raise StorageError(
                        f"{log_dir} was renamed, removed or replaced while the broker was using it; put it back, then "
                        f"start the broker again"
                    )

    def refuse_replaced(self, unmarked: Sequence[Path], expected: Iterable[TopicPartition]) -> None:
        """Take directories offline that are empty although partitions are missing: each may be the wrong disk.

        Args:
            unmarked: Directories that do not say which broker they belong to, while others do.
            expected: The partitions that should be in one of the directories.

        Raises:
            OSError: a directory cannot be read.
        """
        if not unmarked:
            return
        from wirebroker.storage.missing_logs import find_replaced_dirs

        for log_dir, reason in find_replaced_dirs(self.online, unmarked, expected):
            self.take_offline(log_dir, StorageError(reason))

    # -- future logs

    def future_log(self, at: TopicPartition) -> Log | None:
        """Return the future log of a partition, None if there is none in a directory that is online."""
        for log_dir in self.online:
            future = log_dir.future_logs.get(at)
            if future is not None:
                return future
        return None

    def future_logs(self) -> dict[TopicPartition, Log]:
        """Return every future log in a directory that is online."""
        return {at: future for log_dir in self.online for at, future in dict(log_dir.future_logs).items()}

    # -- checkpoints

    def checkpoint_recovery_points(self) -> None:
        """Write how far each log is flushed, where a recovery would begin."""
        self._checkpoint(LogDir.checkpoint)

    def checkpoint_log_starts(self) -> None:
        """Write the log start offsets that the names of the files do not show."""
        self._checkpoint(LogDir.checkpoint_log_starts)

    def checkpoint_high_watermarks(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write the high watermarks, each in its log's directory."""
        self._checkpoint(lambda log_dir: log_dir.checkpoint_high_watermarks(offsets))

    def high_watermarks(self) -> dict[TopicPartition, int]:
        """Return the high watermarks in the checkpoint files of all directories that are online."""
        return {at: offset for each in self.online for at, offset in each.high_watermarks().items()}

    def cleaner_offset(self, log: Log) -> int | None:
        """Return where the next round of compaction of *log* begins, None if the log was never compacted."""
        return self.dir_of(log).cleaner_offsets.get(log.topic_partition)

    def checkpoint_cleaner_offset(self, log: Log, offset: int) -> None:
        """Note that *log* is compacted below *offset*."""
        self._write_checkpoint(
            self.dir_of(log), lambda log_dir: log_dir.checkpoint_cleaner_offset(log.topic_partition, offset)
        )

    def _checkpoint(self, write: Callable[[LogDir], None]) -> None:
        for log_dir in self.online:
            try:
                self._write_checkpoint(log_dir, write)
            except Exception:
                logger.exception("log_dir=%s: a checkpoint is not written, it is tried again", log_dir.path)

    def _write_checkpoint(self, log_dir: LogDir, write: Callable[[LogDir], None]) -> None:
        with self.guarding(log_dir):
            try:
                write(log_dir)
            except OSError as error:
                if not is_disk_full(error):
                    raise
                # the checkpoint that is there is older, and will be written again soon
                logger.warning("log_dir=%s: a checkpoint is not written, it is tried again: %s", log_dir.path, error)

    def remove_deleted_partitions(self) -> None:
        """Take lines of deleted partitions out of the checkpoint files.

        A line without a directory proves a loss to the next start, also if a topic of that name is made again.
        """
        for log_dir in self.online:
            with self.guarding(log_dir):
                log_dir.forget_deleted()
