"""LogDirsLoader: opens every log in the log directories when the broker starts.

A directory that cannot be read goes offline, a partition whose files cannot be trusted is refused, and the others load.
"""

from __future__ import annotations

import logging
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from wirebroker.storage.faults import CorruptFile, LogDamaged, StorageError
from wirebroker.storage.load_progress import LoadProgress, summary_of
from wirebroker.storage.missing_logs import refuse_lost_partitions
from wirebroker.storage.partition_metadata import read_topic_id
from wirebroker.storage.survey import Survey, refuse_doubles, survey
from wirebroker.storage.threads import run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.files import Files
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_dir import LogDir
    from wirebroker.storage.log_loader import Known
    from wirebroker.storage.log_moves import Found, LogMoves
    from wirebroker.storage.trash import Trash

logger = logging.getLogger(__name__)


class LogDirsLoader:
    """One load of all log directories; fills the tables of the LogManager that it works for."""

    def __init__(
        self,
        *,
        files: Files,
        clock: Callable[[], int],
        trash: Trash,
        dirs: Sequence[LogDir],
        logs: dict[TopicPartition, Log],
        topic_ids: dict[TopicPartition, bytes | None],
        refused: dict[TopicPartition, StorageError],
        moves: LogMoves,
        open_log: Callable[[Path, TopicPartition, LogConfig, Known, LoadProgress], Log],
        dir_failed: Callable[[LogDir, Exception], StorageError],
        recovery_threads: int,
        should_stop: Callable[[], bool],
    ) -> None:
        """Nothing is read yet; see `load`.

        Args:
            logs: each opened log is added.
            topic_ids: the id from each opened log's `partition.metadata` is added.
            refused: each partition whose files cannot be trusted is added, with the reason.
            open_log: opens the log in a directory.
            dir_failed: takes a directory out of service.
            recovery_threads: see LogManager.
            should_stop: see LogManager.load.
        """
        self._files = files
        self._clock = clock
        self._trash = trash
        self._dirs = dirs
        self._logs = logs
        self._topic_ids = topic_ids
        self._refused = refused
        self._moves = moves
        self._open_log = open_log
        self._dir_failed = dir_failed
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
        found: dict[LogDir, Survey] = {}
        for log_dir in self._online():
            try:
                found[log_dir] = survey(log_dir)
            except OSError as error:
                self._dir_failed(log_dir, error)
        was_clean = all(each.clean for each in found.values())
        self._progress = LoadProgress(sum(len(each.logs) for each in found.values()), self._should_stop)
        refuse_doubles(log for each in found.values() for log in each.logs)
        self._load_all(found, config_of)
        copies = [copy for each in found.values() for copy in each.copies]
        doomed = [(log_dir, at) for log_dir, each in found.items() for at in each.doomed.values()]
        if len(self._online()) == len(self._dirs):  # or the log may be where we cannot look
            for promoted in self._moves.promote(copies, doomed):
                self._load_partition(*promoted, config_of(promoted.at.topic))
            present = self._logs.keys() | self._refused.keys()
            self._refused |= refuse_lost_partitions(expected, present, self._dirs)
        self._moves.reopen(copies, config_of)
        for log_dir, each in found.items():
            for name in each.doomed:
                self._trash.add_directory(log_dir.file(name), self._clock())
        return was_clean

    def _online(self) -> list[LogDir]:
        return [log_dir for log_dir in self._dirs if log_dir.failure is None]

    def _load_all(self, found: Mapping[LogDir, Survey], config_of: Callable[[str], LogConfig]) -> None:
        work: list[Callable[[], None]] = []
        for log_dir, each in found.items():
            queue = deque(each.logs)
            load_some = partial(self._load_some, log_dir, queue, config_of)
            if self._recovery_threads and not each.clean:
                work += [load_some] * min(self._recovery_threads, len(each.logs))
            else:
                load_some()
        run_all(work)
        for log_dir, each in found.items():
            self._log_summary(log_dir, each)

    def _log_summary(self, log_dir: LogDir, found: Survey) -> None:
        """Log one line for *log_dir*, whatever the number of logs in it."""
        took_s = self._progress.elapsed_s
        if found.clean:
            logger.info("%s: %d logs loaded in %.2f s", log_dir, len(found.logs), took_s)
            return
        truncated = [each for each in self._progress.truncated if each.directory.parent == log_dir.path]
        refused = f", {len(log_dir.refused)} not served" if log_dir.refused else ""
        logger.log(
            logging.WARNING if truncated else logging.INFO,
            "%s: %d logs recovered after an unclean shutdown in %.2f s, %s%s",
            *(log_dir, len(found.logs), took_s, summary_of(truncated), refused),
        )

    def _load_some(self, log_dir: LogDir, queue: deque[Found], config_of: Callable[[str], LogConfig]) -> None:
        """Load what is in *queue*, beside other threads that do the same."""
        while log_dir.failure is None:
            try:
                each = queue.popleft()
            except IndexError:
                return
            self._progress.begin(log_dir.file(each.name))
            try:
                self._load_partition(*each, config_of(each.at.topic))
            except OSError as error:
                self._dir_failed(log_dir, error)
            self._progress.finish()

    def _load_partition(self, log_dir: LogDir, at: TopicPartition, name: str, known: Known, config: LogConfig) -> None:
        try:
            self._logs[at] = log_dir.logs[at] = self._open_log(
                log_dir.path / str(at), at, config, known, self._progress
            )
            self._topic_ids[at] = self._read_topic_id(log_dir.file(name), clean=known.clean)
        except (LogDamaged, CorruptFile) as error:
            self._refuse(log_dir, at, error)

    def _read_topic_id(self, directory: str, *, clean: bool) -> bytes | None:
        try:
            return read_topic_id(self._files, directory)
        except CorruptFile as error:
            if clean:
                raise
            logger.warning("%s; it is written anew", error)  # a partition was being made when the power failed
            return None

    def _refuse(self, log_dir: LogDir, at: TopicPartition, error: Exception) -> None:
        what = str(error).replace(f"{log_dir}/{at}/", "")
        logger.error(
            "topic=%s partition=%d: not served: %s; run `wirebroker log repair %s`",
            *(at.topic, at.partition, what, log_dir),
        )
        log_dir.refused.add(at)
        refusal = StorageError(f"{at} was refused: {error}")
        refusal.__cause__ = error
        self._logs.pop(at, None)
        log_dir.logs.pop(at, None)
        self._refused[at] = refusal
