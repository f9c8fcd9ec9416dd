"""LogManager: the log directories of a broker and the logs in them.

It opens what is there at start, makes and deletes partitions, and does what has to be done from time to time when it is
told the time: retention, flushing, checkpoints, removal of deleted files.  A directory whose disk fails goes offline
with all its logs, and the others serve on.  A partition whose files are damaged is refused, and the others load.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wirebroker.clock import now_ms as wall_clock
from wirebroker.model import TopicPartition
from wirebroker.storage.epoch_saving import save_leader_epochs
from wirebroker.storage.faults import DamagedError, LogDamaged, StorageError, explain, is_disk_full
from wirebroker.storage.files import Files
from wirebroker.storage.log_dir import LogDir, name_of_stray, name_to_delete
from wirebroker.storage.log_dirs_loader import LogDirsLoader
from wirebroker.storage.log_loader import Known, load_log
from wirebroker.storage.log_moves import LogMoves
from wirebroker.storage.missing_logs import find_replaced_dirs
from wirebroker.storage.partition_metadata import write_topic_id
from wirebroker.storage.producer_state import DEFAULT_EXPIRATION_MS
from wirebroker.storage.trash import Trash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.protocol.faults import ApiError
    from wirebroker.storage.load_progress import LoadProgress
    from wirebroker.storage.log import Log

logger = logging.getLogger(__name__)

_MANY = 16  # logs to sync one by one; more are written back together first


class LogManager:
    """All logs of this broker.

    One task at a time, except for `run_deletes` and `checkpoint_...`, which may run in another thread.
    """

    def __init__(
        self,
        dirs: Sequence[Path],
        defaults: LogConfig,
        *,
        files: Files | None = None,
        clock: Callable[[], int] = wall_clock,
        producer_id_expiration_ms: int = DEFAULT_EXPIRATION_MS,
        on_dir_offline: Callable[[Path, StorageError], None] | None = None,
        recovery_threads: int = 0,
    ) -> None:
        """Nothing is touched yet; see `load`.

        Args:
            on_dir_offline: is told once per directory that fails, in the thread that has seen it.
            recovery_threads: check so many logs of each directory at a time after a stop that was not clean; with 0
                one log of all, in the thread that calls `load`.  Threads overlap waits for the disk (with reads of
                4 ms, 1, 2 and 4 of them recover four logs in 1.86, 1.10 and 0.64 s), but not the checks.
        """
        self.dirs = list(dirs)
        self.defaults = defaults
        self.on_dir_offline = on_dir_offline
        self._files = Files() if files is None else files
        self._clock = clock
        self._expiration_ms = producer_id_expiration_ms
        self._trash = Trash(self._files)
        self._dirs = {path: LogDir(path, self._files) for path in self.dirs}
        self._logs: dict[TopicPartition, Log] = {}
        self._topic_ids: dict[TopicPartition, bytes | None] = {}
        self._refused: dict[TopicPartition, StorageError] = {}
        self._recovery_threads = recovery_threads
        self._preferred: dict[TopicPartition, LogDir] = {}
        self.was_clean = True
        """Whether every directory that holds logs was shut down cleanly last time; known after `load`."""

    @property
    def moves(self) -> LogMoves:
        """Logs on their way from one directory to another."""
        return LogMoves(
            files=self._files,
            clock=self._clock,
            trash=self._trash,
            dirs=self._dirs,
            logs=self._logs,
            open_log=self._open_in,
            dir_failed=self._dir_failed,
        )

    # -- start and end

    def lock(self) -> None:
        """Make the directories if need be, and keep other brokers out of them; `load` does it, too.

        Raises:
            StorageError: another process uses a directory, or none can be used.
        """
        failed: list[tuple[LogDir, OSError]] = []
        for log_dir in self._online():
            if log_dir.is_locked:
                continue
            try:
                self._files.make_directory(str(log_dir.path))
                log_dir.lock()
            except OSError as error:
                failed.append((log_dir, error))
        if len(failed) == len(self._online()):  # there will be no broker to tell the log anything
            why = [f"cannot use {log_dir}: {fault.strerror or fault}" for log_dir, fault in failed]
            raise StorageError("; ".join(why or [str(log_dir.failure) for log_dir in self._dirs.values()]))
        for log_dir, fault in failed:
            self._dir_failed(log_dir, fault)

    def refuse_replaced_dirs(self, unmarked: Sequence[Path], expected: Iterable[TopicPartition]) -> None:
        """Take directories offline that are empty although partitions are missing: each may be the wrong disk.

        Args:
            unmarked: directories that do not say which broker they belong to, while others do.
            expected: the partitions that should be in one of the directories.

        Raises:
            OSError: a directory cannot be read.
        """
        for log_dir, why in find_replaced_dirs(self._online(), unmarked, expected):
            self._dir_failed(log_dir, StorageError(why))

    def load(
        self,
        config_of: Callable[[str], LogConfig | None] = lambda _: None,
        *,
        expected: Iterable[TopicPartition] = (),
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Lock the directories and open every log in them; *config_of* knows topics with their own settings.

        A directory that cannot be read is offline afterwards, a partition that cannot be trusted is refused; both are
        logged.

        Args:
            expected: the partitions that should be there; one whose directory is lost is refused.
            should_stop: asked before each log and between the pieces of one, in the thread that loads it; True ends
                the loading.

        Raises:
            StorageError: another process uses a directory, one partition is in two of them, or all are offline.
            LoadingStopped: *should_stop* said so.  Nothing may follow but `unlock`: `close` would write checkpoints
                that lack the logs that were not loaded.
        """
        self.lock()
        loader = LogDirsLoader(
            files=self._files,
            clock=self._clock,
            trash=self._trash,
            dirs=list(self._dirs.values()),
            logs=self._logs,
            topic_ids=self._topic_ids,
            refused=self._refused,
            moves=self.moves,
            open_log=self._open_in,
            dir_failed=self._dir_failed,
            recovery_threads=self._recovery_threads,
            should_stop=should_stop,
        )
        self.was_clean = loader.load(lambda topic: config_of(topic) or self.defaults, expected)
        if not self._online():
            raise StorageError("no log directory can be used: " + ", ".join(map(str, self.dirs)))

    def close(self, broker_epoch: int = -1, *, skip_flush: Callable[[], bool] = lambda: False) -> bool:
        """Flush and close everything and leave the marker that makes the next start quick.

        A directory with a partition that was refused or is out of service gets no marker, so that it is looked at.

        Args:
            skip_flush: asked before each log; once it says True the logs that are left are not flushed, and their
                directories get no marker.

        Returns:
            False if logs were not flushed.
        """
        flushed = True
        for log_dir in self._online():
            with self._guarding(log_dir):
                serving = [log for log in (*log_dir.logs.values(), *log_dir.futures.values()) if log.failure is None]
                if sum(log.finish() for log in serving) > _MANY and not skip_flush():
                    self._files.write_back()
                if not _close_all(serving, skip_flush):
                    flushed = False
                    continue
                log_dir.checkpoint()
                if not log_dir.refused and all(log.failure is None for log in log_dir.logs.values()):
                    log_dir.write_clean_marker(broker_epoch)
        self.unlock()
        return flushed

    def unlock(self) -> None:
        """Let other processes use the directories; what is in them stays as it is."""
        for log_dir in self._dirs.values():
            log_dir.unlock()

    # -- partitions

    def get(self, topic: str, partition: int) -> Log | None:
        """The log, None if there is none.

        Raises:
            StorageError: it was refused, or its directory is offline.
            DamagedError: it is out of service.
        """
        at = TopicPartition(topic, partition)
        refusal = self._refused.get(at)
        if refusal is not None:
            raise refusal
        log = self._logs.get(at)
        if log is not None and log.failure is not None:
            raise log.failure
        return log

    def find(self, topic: str, partition: int, topic_id: bytes) -> Log | None:
        """The log if it is there and known to be that topic's: then nothing has to be done on the disk.

        Raises StorageError, DamagedError, as `get`.
        """
        log = self.get(topic, partition)
        return log if self._topic_ids.get(TopicPartition(topic, partition)) == topic_id else None

    def get_or_create(
        self,
        topic: str,
        partition: int,
        topic_id: bytes | None = None,
        config: LogConfig | None = None,
        *,
        is_new: bool = False,
    ) -> Log:
        """The log; an empty one is made in the directory with the fewest if there is none.

        A directory left by another topic of that name (another *topic_id*) is set aside as `...-stray`, with a warning.

        Args:
            is_new: the partition cannot be in a directory that is offline now, because it was never made.

        Raises:
            StorageError: the disk failed, or the log was refused, or may be in a directory that is offline.
        """
        at = TopicPartition(topic, partition)
        log = self.get(topic, partition)
        if log is not None:
            log.config = config or log.config
            known = self._topic_ids.get(at)
            if known is None or topic_id is None or known == topic_id:
                if known is None and topic_id is not None:
                    self._set_topic_id(log, at, topic_id)
                return log
            self._set_aside(log, at)
        online = self._online()
        if not online or (len(online) < len(self._dirs) and not is_new):
            raise StorageError(f"{at} may be in a log directory that is offline")
        log_dir = self._preferred.pop(at, min(online, key=lambda each: len(each.logs)))
        if log_dir.failure is not None:
            log_dir = online[0]
        try:
            if at in log_dir.recovery_points or at in log_dir.log_starts:
                log_dir.checkpoint()  # what is known of a deleted log of that name would refuse the new one
            directory = log_dir.file(str(at))
            self._files.make_directory(directory)
            if topic_id is not None:
                write_topic_id(self._files, directory, topic_id)
            log = self._open(log_dir, at, config or self.defaults, Known(clean=True))
            log.reserve_space()
        except (OSError, LogDamaged) as error:
            if is_new and is_disk_full(error):
                self._discard_unfinished(log_dir, at)
                raise StorageError(f"there is no room in {log_dir.path} to create {at}") from error
            raise self._dir_failed(log_dir, error) from error
        self._topic_ids[at] = topic_id
        return log

    def _discard_unfinished(self, log_dir: LogDir, at: TopicPartition) -> None:
        """Remove what creating a log has left for which there was no room; the directory serves its other logs on."""
        self._logs.pop(at, None)
        log_dir.logs.pop(at, None)
        try:
            self._files.remove_directory(log_dir.file(str(at)))
        except OSError as error:
            raise self._dir_failed(log_dir, error) from error

    def _open(self, log_dir: LogDir, at: TopicPartition, config: LogConfig, known: Known) -> Log:
        log = self._logs[at] = log_dir.logs[at] = self._open_in(log_dir.path / str(at), at, config, known)
        return log

    def _open_in(
        self,
        directory: Path,
        at: TopicPartition,
        config: LogConfig,
        known: Known,
        progress: LoadProgress | None = None,
    ) -> Log:
        return load_log(
            at.topic,
            at.partition,
            directory,
            config,
            known,
            files=self._files,
            clock=self._clock,
            trash=self._trash,
            expiration_ms=self._expiration_ms,
            progress=progress,
        )

    def _set_topic_id(self, log: Log, at: TopicPartition, topic_id: bytes) -> None:
        try:
            write_topic_id(self._files, str(log.directory), topic_id)
        except OSError as error:
            raise self._dir_failed(self._dir_of(log), error) from error
        self._topic_ids[at] = topic_id

    def _set_aside(self, log: Log, at: TopicPartition) -> None:
        stray = log.directory.parent / name_of_stray(at.topic, at.partition)
        logger.warning("%s belongs to another topic of that name and becomes %s", log.directory, stray)
        self._rename(log, at, stray)

    def _rename(self, log: Log, at: TopicPartition, directory: Path) -> None:
        log.mark_deleted()
        log.will_move(directory)
        try:
            self._files.rename(str(log.directory), str(directory))
        except OSError as error:
            raise self._dir_failed(self._dirs[directory.parent], error) from error
        log.moved(directory)
        del self._logs[at]
        del self._dirs[directory.parent].logs[at]
        self._topic_ids.pop(at, None)

    def delete(self, topic: str, partition: int) -> None:
        """Take the log out of service and its directory out of sight; the files go after file.delete.delay.ms.

        A refused partition is deleted just the same.  Raises StorageError.
        """
        at = TopicPartition(topic, partition)
        self.moves.drop(at)
        if at in self._refused:
            self._delete_refused(at)
            return
        log = self._logs.get(at)
        if log is not None:
            if isinstance(log.failure, StorageError):
                raise log.failure
            doomed = log.directory.parent / name_to_delete(topic, partition)
            self._rename(log, at, doomed)
            self._trash.add_directory(str(doomed), self._clock() + log.config.file_delete_delay_ms)

    def _delete_refused(self, at: TopicPartition) -> None:
        for log_dir in self._online():
            if at in log_dir.refused:
                log_dir.refused.discard(at)
                if not self._files.exists(log_dir.file(str(at))):
                    continue  # it was refused because its directory is missing
                doomed = log_dir.file(name_to_delete(at.topic, at.partition))
                try:
                    self._files.rename(log_dir.file(str(at)), doomed)
                except OSError as error:
                    raise self._dir_failed(log_dir, error) from error
                self._trash.add_directory(doomed, self._clock() + self.defaults.file_delete_delay_ms)
        del self._refused[at]

    def prefer(self, topic: str, partition: int, directory: Path) -> None:
        """When the log is made, make it in *directory*."""
        self._preferred[TopicPartition(topic, partition)] = self._dirs[directory]

    def begin_move(self, log: Log, directory: Path) -> Log:
        """The copy of *log* in *directory*, a new one if need be; see `LogMoves.begin`."""
        at = TopicPartition(log.topic, log.partition)
        return self.moves.begin(log, at, directory, self._topic_ids.get(at))

    def logs(self) -> list[Log]:
        """Every log in service."""
        return [log for log in list(self._logs.values()) if log.failure is None]

    def refused(self) -> Mapping[TopicPartition, StorageError]:
        """The partitions that were not loaded, and why."""
        return self._refused

    def newest_epoch(self, topic: str, partition: int) -> int:
        """The newest leader epoch that the log knows, -1 if it knows none or is not there."""
        log = self._logs.get(TopicPartition(topic, partition))
        return -1 if log is None else log.leader_epochs.latest

    def topic_id(self, topic: str, partition: int) -> bytes | None:
        """The id of the topic that the log belongs to, None if it is not known."""
        return self._topic_ids.get(TopicPartition(topic, partition))

    def truncate_to(self, log: Log, offset: int) -> bool:
        """`Log.truncate_to`, with the checkpoints lowered on disk first: a crash between would look like a loss."""
        offset = log.start_of_batch(offset)
        if offset < log.recovery_point or offset < log.log_start_offset:
            log.will_truncate_to(offset)
            with self._guarding(self._dir_of(log)):
                self._dir_of(log).checkpoint()
        return log.truncate_to(offset)

    # -- from time to time

    def run_deletes(self, now_ms: int) -> int:
        """Remove the files whose time has come; returns how many."""
        try:
            return self._trash.empty(now_ms)
        except OSError:
            logger.exception("deleted files could not be removed")
            return 0

    def save_leader_epochs(self) -> list[tuple[Log, ApiError]]:
        """Save the leader epochs that logs have not saved; returns the logs that failed.  May take long."""
        unsaved = [log for log in self.logs() if log.leader_epochs.has_unsaved_changes]
        return save_leader_epochs(unsaved, self._files.write_back) if unsaved else []

    def checkpoint_recovery_points(self) -> None:
        """Note how far each log is flushed: where recovery would begin."""
        for log_dir in self._online():
            with self._checkpointing(log_dir):
                log_dir.checkpoint()

    def checkpoint_log_starts(self) -> None:
        """Note log start offsets that the files do not show."""
        for log_dir in self._online():
            with self._checkpointing(log_dir):
                log_dir.checkpoint_log_starts()

    def forget_deleted(self) -> None:
        """Take lines of deleted partitions out of the checkpoint files.

        A line without a directory proves a loss to the next start, also if a topic of that name is made again.
        """
        for log_dir in self._online():
            with self._guarding(log_dir):
                log_dir.forget_deleted()

    def checkpoint_high_watermarks(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Note the high watermarks, each in its log's directory."""
        for log_dir in self._online():
            with self._checkpointing(log_dir):
                log_dir.checkpoint_high_watermarks(offsets)

    def read_high_watermarks(self) -> dict[TopicPartition, int]:
        """What `checkpoint_high_watermarks` has noted."""
        found: dict[TopicPartition, int] = {}
        for log_dir in self._online():
            found |= log_dir.high_watermarks()
        return found

    # -- directories that fail

    def mark_offline(self, directory: Path, fault: Exception) -> None:
        """Something failed in *directory*: put everything in it out of service."""
        self._dir_failed(self._dirs[directory], fault)

    def failures(self) -> dict[Path, str]:
        """The directories that are offline, and why, in words for an operator."""
        return {path: explain(log_dir.failure) for path, log_dir in self._dirs.items() if log_dir.failure is not None}

    def check_directories(self) -> None:
        """Take directories offline that were renamed, removed or replaced: what is written would not be found again."""
        for log_dir in self._online():
            with self._guarding(log_dir):
                if not log_dir.is_in_place():
                    raise StorageError(
                        f"{log_dir} was renamed, removed or replaced while the broker was using it; put it back, then "
                        f"start the broker again"
                    )

    def is_dir_offline(self, directory: Path) -> bool:
        return self._dirs[directory].failure is not None

    def _dir_failed(self, log_dir: LogDir, error: Exception) -> StorageError:
        if log_dir.failure is None:
            failure = error if isinstance(error, StorageError) else StorageError(f"{log_dir} is offline: {error}")
            if failure is not error:
                failure.__cause__ = error
            log_dir.failure = failure
            logger.error("%s is offline: %s; its partitions are not served", log_dir, error)
            for log in (*log_dir.logs.values(), *log_dir.futures.values()):
                log.fail(failure)
            if self.on_dir_offline is not None:
                self.on_dir_offline(log_dir.path, failure)
        return log_dir.failure

    def _online(self) -> list[LogDir]:
        return [log_dir for log_dir in self._dirs.values() if log_dir.failure is None]

    @contextmanager
    def _guarding(self, log_dir: LogDir) -> Iterator[None]:
        """What fails in a directory takes it offline, and work goes on with the others."""
        try:
            yield
        except (OSError, StorageError) as error:
            self._dir_failed(log_dir, error)
        except DamagedError:
            pass  # it concerns one log, which has said so

    @contextmanager
    def _checkpointing(self, log_dir: LogDir) -> Iterator[None]:
        """As `_guarding`; but a checkpoint for which there is no room may be old, and will be written again soon."""
        with self._guarding(log_dir):
            try:
                yield
            except OSError as error:
                if not is_disk_full(error):
                    raise
                logger.warning("log_dir=%s: a checkpoint is not written, it is tried again: %s", log_dir.path, error)

    def _dir_of(self, log: Log) -> LogDir:
        return self._dirs[log.directory.parent]


def _close_all(logs: Sequence[Log], skip_flush: Callable[[], bool]) -> bool:
    """Flush and close *logs* until *skip_flush*; False if some are left."""
    for log in logs:
        if skip_flush():
            return False
        log.close()
    return True
