"""LogManager: the logs of a broker in its log directories.

It opens the logs at start, creates and deletes those of partitions, and deletes renamed files when their time has come.
A partition whose files cannot be recovered is refused, and the others load.
"""

from __future__ import annotations

import logging
from functools import cached_property
from typing import TYPE_CHECKING

from wirebroker.clock import now_ms as wall_clock
from wirebroker.config.keys import FOREVER
from wirebroker.model import TopicPartition
from wirebroker.storage.checkpoints import PartitionCheckpoints
from wirebroker.storage.delayed_deletion import DelayedFileDeletion
from wirebroker.storage.epoch_saving import save_leader_epochs
from wirebroker.storage.errors import LogError, StorageError, UnrecoverableLogError, is_disk_full
from wirebroker.storage.files import MANY_FILES, Files
from wirebroker.storage.flush_stats import FlushStats
from wirebroker.storage.local_log import LogContext
from wirebroker.storage.log_dir import log_delete_dir_name, log_stray_dir_name
from wirebroker.storage.log_dirs import LogDirs
from wirebroker.storage.log_dirs_loader import LogDirsLoader
from wirebroker.storage.log_loader import LogLoader
from wirebroker.storage.log_table import LogTable
from wirebroker.storage.partition_metadata import write_topic_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.errors import DamagedLogError
    from wirebroker.storage.future_logs import FutureLogs
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_dir import LogDir

logger = logging.getLogger(__name__)


class LogManager:
    """All logs of this broker.

    One task at a time, except for `delete_due_files` and `save_leader_epochs`, which may run in another thread.
    """

    def __init__(
        self,
        dirs: Sequence[Path],
        defaults: LogConfig,
        *,
        files: Files | None = None,
        clock: Callable[[], int] = wall_clock,
        producer_id_expiration_ms: int = FOREVER,
        recovery_threads: int = 0,
    ) -> None:
        """Nothing is touched yet; see `load`.

        Args:
            dirs: The log directories.
            defaults: The configuration of topics without settings of their own.
            files: How to reach the disk.
            clock: Returns milliseconds since 1970.
            producer_id_expiration_ms: ``producer.id.expiration.ms``.
            recovery_threads: check so many logs of each directory at a time after a stop that was not clean; with 0
                one log of all, in the thread that calls `load`.  Threads overlap waits for the disk (with reads of
                4 ms, 1, 2 and 4 of them recover four logs in 1.86, 1.10 and 0.64 s), but not the checks.
        """
        self.defaults = defaults
        self._files = files = Files() if files is None else files
        self._clock = clock
        self._delayed_deletion = DelayedFileDeletion(files)
        self.log_dirs = LogDirs(dirs, files)
        self._table = LogTable()
        self.flushes = FlushStats()
        context = LogContext(files, clock, self._delayed_deletion, producer_id_expiration_ms, self.flushes)
        self._log_loader = LogLoader(context)
        self._recovery_threads = recovery_threads
        self._preferred_log_dirs: dict[TopicPartition, LogDir] = {}
        self.was_clean = True
        """Whether every directory that holds logs was shut down cleanly last time; known after `load`."""

    @cached_property
    def future_logs(self) -> FutureLogs:
        """Makes and fills the copies of logs that move to another log directory."""
        from wirebroker.storage.future_logs import FutureLogs

        return FutureLogs(self.log_dirs, self._table, self._log_loader)

    def configure(self, defaults: LogConfig, producer_id_expiration_ms: int, recovery_threads: int) -> None:
        """Replace the settings given to the constructor; logs that are open keep theirs until `reconfigure`."""
        self.defaults = defaults
        self._log_loader.context = self._log_loader.context._replace(
            producer_id_expiration_ms=producer_id_expiration_ms
        )
        self._recovery_threads = recovery_threads

    # -- start and end

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
            LoadingStopped: *should_stop* said so.  Nothing may follow but `LogDirs.unlock`: `close` would write
                checkpoints that lack the logs that were not loaded.
        """
        log_dirs = self.log_dirs
        log_dirs.lock()
        loader = LogDirsLoader(log_dirs, self._table, self._log_loader, self._recovery_threads, should_stop)
        self.was_clean = loader.load(lambda topic: config_of(topic) or self.defaults, expected)
        if not log_dirs.online:
            raise StorageError("no log directory can be used: " + ", ".join(map(str, log_dirs.paths)))

    def close(self, broker_epoch: int = -1, *, skip_flush: Callable[[], bool] = lambda: False) -> bool:
        """Flush and close all logs, and write the markers of a clean shutdown.

        A directory with a partition that was refused or is out of service gets no marker, so that it is looked at.

        Args:
            skip_flush: asked before each log; once it says True the logs that are left are not flushed, and their
                directories get no marker.

        Returns:
            False if logs were not flushed.
        """
        flushed = True
        for log_dir in self.log_dirs.online:
            with self.log_dirs.guarding(log_dir):
                logs = (*log_dir.logs.values(), *log_dir.future_logs.values())
                serving = [log for log in logs if log.failure is None]
                if sum(log.prepare_close() for log in serving) > MANY_FILES and not skip_flush():
                    self._files.write_back()
                if not _close_all(serving, skip_flush):
                    flushed = False
                    continue
                log_dir.checkpoint()
                if not log_dir.refused and all(log.failure is None for log in log_dir.logs.values()):
                    log_dir.write_clean_marker(broker_epoch)
        self.log_dirs.unlock()
        return flushed

    # -- partitions

    def get(self, topic: str, partition: int) -> Log | None:
        """Return the log of a partition, None if there is none.

        Raises:
            StorageError: it was refused, or its directory is offline.
            CorruptLogError: it is out of service.
        """
        at = TopicPartition(topic, partition)
        refusal = self._table.refused.get(at)
        if refusal is not None:
            raise refusal
        log = self._table.logs.get(at)
        if log is not None and log.failure is not None:
            raise log.failure
        return log

    def find(self, topic: str, partition: int, topic_id: bytes) -> Log | None:
        """Return the log if it is known to be the one of that topic: then nothing has to be done on the disk.

        Raises StorageError, CorruptLogError, as `get`.
        """
        log = self.get(topic, partition)
        return log if self._table.topic_ids.get(TopicPartition(topic, partition)) == topic_id else None

    def get_or_create(
        self,
        topic: str,
        partition: int,
        topic_id: bytes | None = None,
        config: LogConfig | None = None,
        *,
        is_new: bool = False,
    ) -> Log:
        """Return the log of a partition; an empty one is created in the directory with the fewest if there is none.

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
            known = self._table.topic_ids.get(at)
            if known is None or topic_id is None or known == topic_id:
                if known is None and topic_id is not None:
                    self._set_topic_id(log, at, topic_id)
                return log
            self._rename_stray(log)
        return self._create(at, topic_id, config or self.defaults, is_new=is_new)

    def truncate_to_damage(self, topic: str, partition: int, config: LogConfig) -> DamagedLogError | None:
        """Open a log that was refused for damage in its middle, up to the damage; the batches behind it are deleted.

        Only for a replica that is not in the ISR and fetches them from its leader again.

        Returns:
            The damage; None, with nothing changed, if the partition was not refused for that.

        Raises:
            StorageError: the disk failed, or the log cannot be loaded all the same.
        """
        from wirebroker.storage.damaged_logs import truncate_to_damage

        at = TopicPartition(topic, partition)
        return truncate_to_damage(self.log_dirs, self._table, self._log_loader, at, config)

    def _create(self, at: TopicPartition, topic_id: bytes | None, config: LogConfig, *, is_new: bool) -> Log:
        online = self.log_dirs.online
        if not online or (len(online) < len(self.log_dirs) and not is_new):
            raise StorageError(f"{at} may be in a log directory that is offline")
        log_dir = self._preferred_log_dirs.pop(at, min(online, key=lambda each: len(each.logs)))
        if log_dir.failure is not None:
            log_dir = online[0]
        try:
            if at in log_dir.recovery_points or at in log_dir.log_starts:
                log_dir.checkpoint()  # what is known of a deleted log of that name would refuse the new one
            directory = log_dir.file(str(at))
            self._files.make_directory(directory)
            if topic_id is not None:
                write_topic_id(self._files, directory, topic_id)
            log = self._log_loader.load(log_dir.path / str(at), at, config, PartitionCheckpoints(clean=True))
            self._table.add(log_dir, log, topic_id)
            log.local_log.reserve_space(config)
        except (OSError, UnrecoverableLogError) as error:
            if is_new and is_disk_full(error):
                self._discard_unfinished(log_dir, at)
                raise StorageError(f"there is no room in {log_dir.path} to create {at}") from error
            raise self.log_dirs.take_offline(log_dir, error) from error
        return log

    def _discard_unfinished(self, log_dir: LogDir, at: TopicPartition) -> None:
        """Remove the files of a log for whose creation there was no room; the directory serves its other logs on."""
        self._table.remove(log_dir, at)
        try:
            self._files.remove_directory(log_dir.file(str(at)))
        except OSError as error:
            raise self.log_dirs.take_offline(log_dir, error) from error

    def _set_topic_id(self, log: Log, at: TopicPartition, topic_id: bytes) -> None:
        try:
            write_topic_id(self._files, str(log.directory), topic_id)
        except OSError as error:
            raise self.log_dirs.take_offline(self.log_dirs.dir_of(log), error) from error
        self._table.topic_ids[at] = topic_id

    def _rename_stray(self, log: Log) -> None:
        stray = log.directory.parent / log_stray_dir_name(log.topic_partition)
        logger.warning("%s belongs to another topic of that name and becomes %s", log.directory, stray)
        self._rename(log, stray)

    def _rename(self, log: Log, directory: Path) -> None:
        """Take *log* out of service and rename its directory."""
        log_dir = self.log_dirs.dir_of(log)
        log.local_log.mark_deleted()
        log.local_log.prepare_move(directory)
        try:
            self._files.rename(str(log.directory), str(directory))
        except OSError as error:
            raise self.log_dirs.take_offline(log_dir, error) from error
        log.update_directory(directory)
        self._table.remove(log_dir, log.topic_partition)

    def delete(self, topic: str, partition: int) -> None:
        """Take the log out of service and its directory out of sight; the files go after file.delete.delay.ms.

        A refused partition is deleted just the same.  Raises StorageError.
        """
        at = TopicPartition(topic, partition)
        if any(at in each.future_logs for each in self.log_dirs):
            self.future_logs.delete(at)
        if at in self._table.refused:
            self._delete_refused(at)
            return
        log = self._table.logs.get(at)
        if log is not None:
            if isinstance(log.failure, StorageError):
                raise log.failure
            renamed = log.directory.parent / log_delete_dir_name(at)
            self._rename(log, renamed)
            self._delayed_deletion.add_directory(str(renamed), self._clock() + log.config.file_delete_delay_ms)

    def _delete_refused(self, at: TopicPartition) -> None:
        for log_dir in self.log_dirs.online:
            if at in log_dir.refused:
                log_dir.refused.discard(at)
                if not self._files.exists(log_dir.file(str(at))):
                    continue  # it was refused because its directory is missing
                renamed = log_dir.file(log_delete_dir_name(at))
                try:
                    self._files.rename(log_dir.file(str(at)), renamed)
                except OSError as error:
                    raise self.log_dirs.take_offline(log_dir, error) from error
                self._delayed_deletion.add_directory(renamed, self._clock() + self.defaults.file_delete_delay_ms)
        del self._table.refused[at]

    def set_preferred_log_dir(self, topic: str, partition: int, directory: Path) -> None:
        """Have the log created in *directory*, when it is created."""
        self._preferred_log_dirs[TopicPartition(topic, partition)] = self.log_dirs[directory]

    def logs(self) -> list[Log]:
        """Return every log in service."""
        return [log for log in list(self._table.logs.values()) if log.failure is None]

    def refused(self) -> Mapping[TopicPartition, StorageError]:
        """Return the partitions that were not loaded, and why."""
        return self._table.refused

    def newest_epoch(self, topic: str, partition: int) -> int:
        """Return the newest leader epoch in the log, -1 if there is none or no log."""
        log = self._table.logs.get(TopicPartition(topic, partition))
        return -1 if log is None else log.leader_epoch_cache.latest_epoch

    def topic_id(self, topic: str, partition: int) -> bytes | None:
        """Return the id of the topic that the log belongs to, None if it is not known."""
        return self._table.topic_ids.get(TopicPartition(topic, partition))

    def truncate_to(self, log: Log, offset: int) -> bool:
        """Truncate *log* (see `log_truncation`).

        Its checkpoints are lowered on disk first: a crash between the two would look like a loss.
        """
        from wirebroker.storage.log_truncation import prepare_truncation, start_of_batch, truncate_to

        offset = start_of_batch(log, offset)
        if offset < (self.log_dirs.cleaner_offset(log) or 0):
            self.log_dirs.checkpoint_cleaner_offset(log, offset)
        if offset < log.recovery_point or offset < log.log_start_offset:
            prepare_truncation(log, offset)
            log_dir = self.log_dirs.dir_of(log)
            with self.log_dirs.guarding(log_dir):
                log_dir.checkpoint()
        return truncate_to(log, offset)

    def prepare_truncations(self, cuts: Iterable[tuple[Log, int]]) -> None:
        """Lower the recovery points of logs to the offsets that `truncate_to` will be called with, all on disk at once.

        Otherwise each truncation would write the checkpoint of its whole directory.  A log that fails is left to its
        own truncation, which fails, too.  Raises StorageError.
        """
        from wirebroker.storage.log_truncation import prepare_truncation, start_of_batch

        lowered: dict[LogDir, None] = {}
        for log, offset in cuts:
            try:
                start = start_of_batch(log, offset) if offset < log.log_end_offset else offset
            except LogError:
                continue
            if log.log_start_offset <= start < log.recovery_point:
                prepare_truncation(log, start)
                lowered[self.log_dirs.dir_of(log)] = None
        for log_dir in lowered:
            with self.log_dirs.guarding(log_dir):
                log_dir.checkpoint()

    # -- periodic work

    def delete_due_files(self, now_ms: int) -> int:
        """Remove the deleted files whose delay is over at *now_ms*; return how many.

        A log directory in which that fails goes offline, as in Apache Kafka, and no more is removed from it.
        """
        removed = 0
        for pending in self._delayed_deletion.take_due(now_ms):
            log_dir = self.log_dirs[pending.log_dir]
            if log_dir.failure is None:
                with self.log_dirs.guarding(log_dir):
                    self._delayed_deletion.remove(pending)
                    removed += 1
        return removed

    def save_leader_epochs(self) -> list[tuple[Log, LogError]]:
        """Save the leader epochs that logs have not saved; return the logs that failed.  May take long."""
        unsaved = [log for log in self.logs() if log.leader_epoch_cache.has_unsaved_changes]
        return save_leader_epochs(unsaved, self._files.write_back) if unsaved else []


def _close_all(logs: Sequence[Log], skip_flush: Callable[[], bool]) -> bool:
    """Flush and close *logs* until *skip_flush*; False if some are left."""
    for log in logs:
        if skip_flush():
            return False
        log.close()
    return True
