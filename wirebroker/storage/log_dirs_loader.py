"""LogDirsLoader: opens every log in the log directories when the broker starts.

A directory that cannot be read goes offline, a partition whose files cannot be trusted is refused, and the others load.
"""

from __future__ import annotations

import logging
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from wirebroker.storage.errors import CorruptFileError, StorageError, UnrecoverableLogError
from wirebroker.storage.load_progress import LoadProgress, summary_of
from wirebroker.storage.log_dir_scan import LogDirScan, check_duplicate_partitions, scan_log_dir
from wirebroker.storage.partition_metadata import read_topic_id, read_topic_id_after_crash
from wirebroker.storage.threads import run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.future_logs import FutureLogs
    from wirebroker.storage.log_dir import LogDir, PartitionDir
    from wirebroker.storage.log_dirs import LogDirs
    from wirebroker.storage.log_loader import LogLoader
    from wirebroker.storage.log_table import LogTable

logger = logging.getLogger(__name__)


class LogDirsLoader:
    """One load of all log directories; fills the tables of the LogManager that it works for."""

    def __init__(
        self,
        log_dirs: LogDirs,
        table: LogTable,
        log_loader: LogLoader,
        recovery_threads: int,
        should_stop: Callable[[], bool],
    ) -> None:
        """Nothing is read yet; see `load`.

        Args:
            log_dirs: The directories; those that cannot be read are taken offline.
            table: Each opened log is added with its topic id, and each partition that cannot be recovered as refused.
            log_loader: Opens the logs.
            recovery_threads: See LogManager.
            should_stop: See LogManager.load.
        """
        self._log_dirs = log_dirs
        self._table = table
        self._log_loader = log_loader
        self._recovery_threads = recovery_threads
        self._should_stop = should_stop
        self._progress = LoadProgress()

    def load(self, config_of: Callable[[str], LogConfig], expected: Iterable[TopicPartition]) -> bool:
        """Open every log in the directories, which are locked; return False if one was not shut down cleanly.

        Partitions of *expected* whose directory is lost are refused.

        Raises:
            StorageError: one partition is in two directories.
            LoadingStopped: `should_stop` said so.
        """
        scans: dict[LogDir, LogDirScan] = {}
        for log_dir in self._log_dirs.online:
            try:
                scans[log_dir] = scan_log_dir(log_dir)
            except OSError as error:
                self._log_dirs.take_offline(log_dir, error)
        self._progress = LoadProgress(sum(len(scan.logs) for scan in scans.values()), self._should_stop)
        check_duplicate_partitions(log for scan in scans.values() for log in scan.logs)
        self._load_all(scans, config_of)
        future_logs = [each for scan in scans.values() for each in scan.future_logs]
        moves = self._future_logs() if future_logs else None
        if len(self._log_dirs.online) == len(self._log_dirs):  # else a missing log may be in one that is offline
            if moves is not None:
                pending = [(log_dir, at) for log_dir, scan in scans.items() for at in scan.pending_deletion.values()]
                for promoted in moves.promote(future_logs, pending):
                    self._load_partition(promoted, config_of)
            self._refuse_lost(expected)
        if moves is not None:
            moves.resume(future_logs, config_of)
        context = self._log_loader.context
        for log_dir, scan in scans.items():
            for name in scan.pending_deletion:
                context.delayed_deletion.add_directory(log_dir.file(name), context.clock())
        return all(scan.clean for scan in scans.values())

    def _future_logs(self) -> FutureLogs:
        from wirebroker.storage.future_logs import FutureLogs  # most brokers move no log

        return FutureLogs(self._log_dirs, self._table, self._log_loader)

    def _refuse_lost(self, expected: Iterable[TopicPartition]) -> None:
        """Refuse the partitions of *expected* that had records and are in no directory."""
        present = self._table.logs.keys() | self._table.refused.keys()
        missing = [at for at in expected if at not in present]
        if not missing:
            return
        from wirebroker.storage.missing_logs import refuse_lost_partitions

        self._table.refused |= refuse_lost_partitions(missing, list(self._log_dirs))

    def _load_all(self, scans: Mapping[LogDir, LogDirScan], config_of: Callable[[str], LogConfig]) -> None:
        work: list[Callable[[], None]] = []
        for log_dir, scan in scans.items():
            queue = deque(scan.logs)
            load_some = partial(self._load_some, log_dir, queue, config_of)
            if self._recovery_threads and not scan.clean:
                work += [load_some] * min(self._recovery_threads, len(scan.logs))
            else:
                load_some()
        run_all(work)
        for log_dir, scan in scans.items():
            self._log_summary(log_dir, scan)

    def _log_summary(self, log_dir: LogDir, scan: LogDirScan) -> None:
        """Log one line for *log_dir*, however many logs are in it."""
        took_s = self._progress.elapsed_s
        if scan.clean:
            logger.info("%s: %d logs loaded in %.2f s", log_dir, len(scan.logs), took_s)
            return
        truncated = [each for each in self._progress.truncated if each.directory.parent == log_dir.path]
        refused = f", {len(log_dir.refused)} not served" if log_dir.refused else ""
        logger.log(
            logging.WARNING if truncated else logging.INFO,
            "%s: %d logs recovered after an unclean shutdown in %.2f s, %s%s",
            *(log_dir, len(scan.logs), took_s, summary_of(truncated), refused),
        )

    def _load_some(self, log_dir: LogDir, queue: deque[PartitionDir], config_of: Callable[[str], LogConfig]) -> None:
        """Load the logs in *queue*; several threads may take from it."""
        while log_dir.failure is None:
            try:
                partition_dir = queue.popleft()
            except IndexError:
                return
            self._progress.begin(log_dir.file(partition_dir.name))
            try:
                self._load_partition(partition_dir, config_of)
            except OSError as error:
                self._log_dirs.take_offline(log_dir, error)
            self._progress.finish()

    def _load_partition(self, partition_dir: PartitionDir, config_of: Callable[[str], LogConfig]) -> None:
        log_dir, at, name, checkpoints = partition_dir
        try:
            log = self._log_loader.load(log_dir.path / str(at), at, config_of(at.topic), checkpoints, self._progress)
            self._table.add(log_dir, log, self._read_topic_id(log_dir.file(name), clean=checkpoints.clean))
        except (UnrecoverableLogError, CorruptFileError) as error:
            self._refuse(log_dir, at, error)

    def _read_topic_id(self, directory: str, *, clean: bool) -> bytes | None:
        read = read_topic_id if clean else read_topic_id_after_crash
        return read(self._log_loader.context.files, directory)

    def _refuse(self, log_dir: LogDir, at: TopicPartition, error: Exception) -> None:
        what = str(error).replace(f"{log_dir}/{at}/", "")
        logger.error(
            "topic=%s partition=%d: not served: %s; run `wirebroker log repair %s`",
            *(at.topic, at.partition, what, log_dir),
        )
        log_dir.refused.add(at)
        refusal = StorageError(f"{at} was refused: {error}")
        refusal.__cause__ = error
        self._table.refused[at] = refusal
