"""LogDir: one log directory, its lock, clean-shutdown marker, checkpoint files and the names of its directories."""

from __future__ import annotations

import logging
import os
import re
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.model import TopicPartition
from wirebroker.storage import checkpoints
from wirebroker.storage.errors import CorruptFileError, StorageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from wirebroker.storage.checkpoints import PartitionCheckpoints
    from wirebroker.storage.files import File, Files
    from wirebroker.storage.log import Log

CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
ACCEPTED_EMPTY = ".wirebroker-accepted-empty"
"""Left by `wirebroker log repair --accept-empty` in a directory that has taken the place of one with logs."""
LOCK = ".lock"
_DELETE, _STRAY, _FUTURE = "-delete", "-stray", "-future"
_LONGEST_NAME = 255
_PARTITION = re.compile(r"(.+)-(\d+)")
_SET_ASIDE = re.compile(r"(.+)-(\d+)\.(\S+)(-delete|-stray|-future)")
_NOT_OURS = frozenset({"__cluster_metadata-0", "remote-log-index-cache"})  # a KRaft controller's and tiered storage's

logger = logging.getLogger(__name__)


class LogDirContents(NamedTuple):
    """The directories of partitions in a log directory."""

    partitions: dict[TopicPartition, str]
    """Partition -> directory name."""
    futures: dict[TopicPartition, str]
    """Partition -> directory name of its future log."""
    pending_deletion: dict[str, TopicPartition]
    """Name of a `-delete` directory -> the partition that it held."""


class PartitionDir(NamedTuple):
    """The directory of a partition as found at start, before its log is opened."""

    log_dir: LogDir
    at: TopicPartition
    name: str
    """Of the directory; another than the partition's for a future log."""
    checkpoints: PartitionCheckpoints


class LogDir:
    """A directory from `log.dirs`.  Methods may raise OSError."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self._files = files
        self._lock: File | None = None
        self._identity: tuple[int, int] | None = None
        self.failure: StorageError | None = None
        """Why the directory is offline, None while it serves."""
        self.logs: dict[TopicPartition, Log] = {}
        self.future_logs: dict[TopicPartition, Log] = {}
        """Logs that are copied here from another directory (KIP-113)."""
        self.refused: set[TopicPartition] = set()
        """Partitions in it that were not loaded; what the checkpoints say of them is kept."""
        self._kept_high_watermarks: dict[TopicPartition, int] = {}
        """The lines of refused partitions in the checkpoint of high watermarks."""
        self.recovery_points: dict[TopicPartition, int] = {}
        self.log_starts: dict[TopicPartition, int] = {}
        self.cleaner_offsets: dict[TopicPartition, int] = {}
        """The offset at which the next round of compaction begins, of each log that was compacted."""
        self._checkpointing = RLock()
        """Held, by threads only, while a checkpoint is written: one that began later must not be replaced by it."""

    def file(self, name: str) -> str:
        return f"{self.path}/{name}"

    # -- one broker at a time

    def lock(self) -> None:
        """Lock the directory for this process.  Raises StorageError if another process has it."""
        self._lock = self._files.lock(self.file(LOCK))
        if self._lock is None:
            raise StorageError(f"{self.path} is in use by another broker ({self.file(LOCK)} is locked)")
        self._identity = self._files.identity(str(self.path))

    @property
    def is_locked(self) -> bool:
        """Whether this process has locked the directory."""
        return self._lock is not None

    def is_in_place(self) -> bool:
        """Whether the directory that was locked is still the one at its path."""
        return self._identity is None or self._files.identity(str(self.path)) == self._identity

    def unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # -- how the last run ended

    def take_clean_marker(self) -> bool:
        """Return whether the last shutdown was clean, and remove the marker: a crash from now on leaves none."""
        path = self.file(CLEAN_SHUTDOWN)
        if not self._files.exists(path):
            return False
        self._files.unlink([path])
        self._files.sync_directory(str(self.path))
        return True

    def write_clean_marker(self, broker_epoch: int) -> None:
        """Write the marker of a clean shutdown: the next start may skip recovery (KIP-966 reads the epoch)."""
        content = f'{{"version":0,"brokerEpoch":{broker_epoch}}}'
        self._files.write_whole(self.file(CLEAN_SHUTDOWN), content.encode())

    @property
    def is_accepted_empty(self) -> bool:
        """True if the operator has accepted that the logs that were in the directory are lost."""
        return self._files.exists(self.file(ACCEPTED_EMPTY))

    # -- checkpoints

    def read_checkpoints(self) -> None:
        """Load `recovery_points`, `log_starts` and `cleaner_offsets`.

        A corrupt file counts as empty: then more is recovered, or compacted again.
        """
        self.recovery_points = self._read(checkpoints.RECOVERY_POINTS)
        self.log_starts = self._read(checkpoints.LOG_STARTS)
        self.cleaner_offsets = self._read(checkpoints.CLEANER_OFFSETS)
        path = self.file(checkpoints.CLEANER_OFFSETS)
        if not self._files.exists(path):
            self._files.write_whole(path, b"", sync=False)  # as Apache Kafka does at its first start

    def _read(self, name: str) -> dict[TopicPartition, int]:
        try:
            return checkpoints.read_offsets(self._files, self.file(name))
        except CorruptFileError as error:
            logger.warning("%s; it is taken as empty", error)
            return {}

    def checkpoint(self) -> None:
        """Write how far each log is flushed, where a recovery would begin, and the log start offsets."""
        with self._checkpointing:
            offsets = {at: log.recovery_point for at, log in self._all_logs().items()}
            self.recovery_points = self._with_refused(offsets, self.recovery_points)
            checkpoints.write_offsets(self._files, self.file(checkpoints.RECOVERY_POINTS), self.recovery_points)
            self.checkpoint_log_starts()

    def lower_recovery_point(self, at: TopicPartition, offset: int) -> None:
        """Lower the recovery point of a refused partition to *offset* on the disk, if it is above."""
        if self.recovery_points.get(at, 0) > offset:
            with self._checkpointing:
                self.recovery_points = {**self.recovery_points, at: offset}
                self.checkpoint()

    def checkpoint_log_starts(self) -> None:
        """Write the log start offsets that the names of the files do not show."""
        with self._checkpointing:
            views = [(at, log.view) for at, log in self._all_logs().items()]
            starts = {
                at: view.log_start_offset for at, view in views if view.log_start_offset > view.segments[0].base_offset
            }
            starts = self._with_refused(starts, self.log_starts)
            path = self.file(checkpoints.LOG_STARTS)
            if starts != self.log_starts or not self._files.exists(path):
                checkpoints.write_offsets(self._files, path, starts)
                self.log_starts = starts

    def _all_logs(self) -> dict[TopicPartition, Log]:
        """Return the current and the future logs, while other threads add and remove some.

        `dict` copies in one step.  `list` of the items does not: each makes a tuple, which may begin a garbage
        collection, and the functions in gc.callbacks let other threads run.  The future logs come first: one that takes
        the place of its current log is among these before it leaves those.
        """
        futures = dict(self.future_logs)
        return futures | dict(self.logs)

    def keep_lines(self, lost: Collection[TopicPartition]) -> None:
        """Refuse the partitions *lost*, and keep what the checkpoints say of them: it proves the loss."""
        self.refused.update(lost)
        self._kept_high_watermarks |= {at: offset for at, offset in self.high_watermarks().items() if at in lost}

    def forget_deleted(self) -> None:
        """Take the lines of partitions that are not in the directory any more out of the checkpoints."""
        with self._checkpointing:
            inside = {*self.logs, *self.future_logs, *self.refused}
            if not inside >= self.recovery_points.keys() | self.log_starts.keys():
                self.checkpoint()
            if not inside >= self.cleaner_offsets.keys():
                for at in self.cleaner_offsets.keys() - inside:
                    self.checkpoint_cleaner_offset(at, None)
            marks = self.high_watermarks()
            if not inside >= marks.keys():
                self.checkpoint_high_watermarks(marks)

    def checkpoint_high_watermarks(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Write those of *offsets* that belong to logs in the directory; other logs in it keep their lines.

        A member of a cluster serves no partition before its controller has named it.
        """
        with self._checkpointing:
            inside = {at: offset for at, offset in offsets.items() if at in self.logs}
            if len(inside) < len(self.logs):
                inside = {at: offset for at, offset in self.high_watermarks().items() if at in self.logs} | inside
            inside = self._with_refused(inside, self._kept_high_watermarks)
            checkpoints.write_offsets(self._files, self.file(checkpoints.HIGH_WATERMARKS), inside)

    def checkpoint_cleaner_offset(self, at: TopicPartition, offset: int | None) -> None:
        """Note where the next round of compaction of a log begins; None: it has no log to compact in here any more."""
        with self._checkpointing:
            offsets = {each: known for each, known in self.cleaner_offsets.items() if each != at}
            if offset is not None:
                offsets[at] = offset
            if offsets != self.cleaner_offsets:
                checkpoints.write_offsets(self._files, self.file(checkpoints.CLEANER_OFFSETS), offsets)
                self.cleaner_offsets = offsets

    def high_watermarks(self) -> dict[TopicPartition, int]:
        """Return the high watermarks in the checkpoint file."""
        return self._read(checkpoints.HIGH_WATERMARKS)

    def _with_refused(
        self, offsets: Mapping[TopicPartition, int], known: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int]:
        return dict(offsets) | {at: offset for at, offset in known.items() if at in self.refused}

    # -- names

    def partitions(self) -> LogDirContents:
        """Return the directories of partitions; others are logged, and left alone."""
        found: dict[TopicPartition, str] = {}
        futures: dict[TopicPartition, str] = {}
        pending_deletion: dict[str, TopicPartition] = {}
        for name, is_directory in self._files.list(str(self.path)):
            if not is_directory or name in _NOT_OURS:
                continue
            aside = _SET_ASIDE.fullmatch(name)
            if aside is not None:
                at = TopicPartition(aside[1], int(aside[2]))
                if aside[4] == _DELETE:
                    pending_deletion[name] = at
                elif aside[4] == _FUTURE:
                    futures[at] = name
                else:
                    logger.warning("%s is not served; remove it when it is not needed", self.file(name))
                continue
            match = _PARTITION.fullmatch(name)
            if match is None:
                logger.warning("%s is no partition's directory", self.file(name))
                continue
            found[TopicPartition(match[1], int(match[2]))] = name
        return LogDirContents(found, futures, pending_deletion)

    def __str__(self) -> str:
        return str(self.path)


def log_future_dir_name(at: TopicPartition) -> str | None:
    """Return a directory name for the future log of a partition, which takes the place of the log when it is complete.

    None if the name would have to be shortened: the topic is known by it.
    """
    name = _dir_name(at, _FUTURE)
    return name if name.startswith(f"{at}.") else None


def log_delete_dir_name(at: TopicPartition) -> str:
    """Return a directory name for a log that is to be deleted."""
    return _dir_name(at, _DELETE)


def log_stray_dir_name(at: TopicPartition) -> str:
    """Return a directory name for a log whose topic does not exist any more."""
    return _dir_name(at, _STRAY)


def _dir_name(at: TopicPartition, suffix: str) -> str:
    end = f"-{at.partition}.{os.urandom(16).hex()}{suffix}"
    return at.topic[: _LONGEST_NAME - len(end)] + end
