"""One log directory: its lock, its clean-shutdown marker, its checkpoint files, and the names of what is in it."""

from __future__ import annotations

import logging
import os
import re
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.model import TopicPartition
from wirebroker.storage import checkpoints
from wirebroker.storage.faults import CorruptFile, StorageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

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


class Contents(NamedTuple):
    """What directories there are in a log directory."""

    partitions: dict[TopicPartition, str]
    """Partition -> directory name."""
    futures: dict[TopicPartition, str]
    """The same, of copies that were not complete."""
    doomed: dict[str, TopicPartition]
    """Name of a directory that waits for its deletion -> what it was."""


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
        self.futures: dict[TopicPartition, Log] = {}
        """Copies of logs that move here from another directory (KIP-113)."""
        self.refused: set[TopicPartition] = set()
        """Partitions in it that were not loaded; what the checkpoints say of them is kept."""
        self._kept_high_watermarks: dict[TopicPartition, int] = {}
        """Lines of refused partitions."""
        self.recovery_points: dict[TopicPartition, int] = {}
        self.log_starts: dict[TopicPartition, int] = {}
        self._checkpointing = RLock()
        """Held, by threads only, while a checkpoint is written: one that began later must not be replaced by it."""

    def file(self, name: str) -> str:
        return f"{self.path}/{name}"

    # -- one broker at a time

    def lock(self) -> None:
        """Take the directory for this process.  Raises StorageError if another one has it."""
        self._lock = self._files.lock(self.file(LOCK))
        if self._lock is None:
            raise StorageError(f"{self.path} is in use by another broker ({self.file(LOCK)} is locked)")
        self._identity = self._files.identity(str(self.path))

    @property
    def is_locked(self) -> bool:
        """Whether we hold the directory."""
        return self._lock is not None

    def is_in_place(self) -> bool:
        """Is the directory that was locked still the one at its path?"""
        return self._identity is None or self._files.identity(str(self.path)) == self._identity

    def unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # -- how the last run ended

    def take_clean_marker(self) -> bool:
        """Was the last shutdown clean?  The marker is removed, so that a crash from now on counts as one."""
        path = self.file(CLEAN_SHUTDOWN)
        if not self._files.exists(path):
            return False
        self._files.unlink([path])
        self._files.sync_directory(str(self.path))
        return True

    def write_clean_marker(self, broker_epoch: int) -> None:
        """Everything is flushed and closed: the next start may skip recovery (KIP-966 reads the epoch)."""
        content = f'{{"version":0,"brokerEpoch":{broker_epoch}}}'
        self._files.write_whole(self.file(CLEAN_SHUTDOWN), content.encode())

    @property
    def is_accepted_empty(self) -> bool:
        """True if the operator has accepted that the logs that were in the directory are lost."""
        return self._files.exists(self.file(ACCEPTED_EMPTY))

    # -- checkpoints

    def read_checkpoints(self) -> None:
        """Load `recovery_points` and `log_starts`; a file that makes no sense counts as empty: more is checked then."""
        self.recovery_points = self._read(checkpoints.RECOVERY_POINTS)
        self.log_starts = self._read(checkpoints.LOG_STARTS)

    def _read(self, name: str) -> dict[TopicPartition, int]:
        try:
            return checkpoints.read_offsets(self._files, self.file(name))
        except CorruptFile as error:
            logger.warning("%s; it is taken as empty", error)
            return {}

    def checkpoint(self) -> None:
        """Note how far each log is flushed, where recovery would begin, and where it starts."""
        with self._checkpointing:
            offsets = {at: log.recovery_point for at, log in self._all_logs()}
            self.recovery_points = self._with_refused(offsets, self.recovery_points)
            checkpoints.write_offsets(self._files, self.file(checkpoints.RECOVERY_POINTS), self.recovery_points)
            self.checkpoint_log_starts()

    def checkpoint_log_starts(self) -> None:
        """Note the log start offsets that the names of the files do not show."""
        with self._checkpointing:
            views = [(at, log.view) for at, log in self._all_logs()]
            starts = {
                at: view.log_start_offset for at, view in views if view.log_start_offset > view.segments[0].base_offset
            }
            starts = self._with_refused(starts, self.log_starts)
            path = self.file(checkpoints.LOG_STARTS)
            if starts != self.log_starts or not self._files.exists(path):
                checkpoints.write_offsets(self._files, path, starts)
                self.log_starts = starts

    def _all_logs(self) -> list[tuple[TopicPartition, Log]]:
        """A partition has its log or a copy of it in here, never both."""
        return [*list(self.logs.items()), *list(self.futures.items())]

    def keep_lines(self, lost: Collection[TopicPartition]) -> None:
        """Refuse the partitions *lost*, and keep what the checkpoints say of them: it proves the loss."""
        self.refused.update(lost)
        self._kept_high_watermarks |= {at: offset for at, offset in self.high_watermarks().items() if at in lost}

    def forget_deleted(self) -> None:
        """Take lines of partitions that are not in here any more out of the checkpoints, if there are any."""
        with self._checkpointing:
            inside = {*self.logs, *self.futures, *self.refused}
            if not inside >= self.recovery_points.keys() | self.log_starts.keys():
                self.checkpoint()
            marks = self.high_watermarks()
            if not inside >= marks.keys():
                self.checkpoint_high_watermarks(marks)

    def checkpoint_high_watermarks(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Note those of *offsets* that belong to logs in here."""
        with self._checkpointing:
            inside = {at: offset for at, offset in offsets.items() if at in self.logs}
            inside = self._with_refused(inside, self._kept_high_watermarks)
            checkpoints.write_offsets(self._files, self.file(checkpoints.HIGH_WATERMARKS), inside)

    def high_watermarks(self) -> dict[TopicPartition, int]:
        """What `checkpoint_high_watermarks` has noted."""
        return self._read(checkpoints.HIGH_WATERMARKS)

    def _with_refused(
        self, offsets: Mapping[TopicPartition, int], known: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int]:
        return dict(offsets) | {at: offset for at, offset in known.items() if at in self.refused}

    # -- names

    def partitions(self) -> Contents:
        """The directories of partitions in here."""
        found: dict[TopicPartition, str] = {}
        futures: dict[TopicPartition, str] = {}
        doomed: dict[str, TopicPartition] = {}
        for name, is_directory in self._files.list(str(self.path)):
            if not is_directory or name in _NOT_OURS:
                continue
            aside = _SET_ASIDE.fullmatch(name)
            if aside is not None:
                at = TopicPartition(aside[1], int(aside[2]))
                if aside[4] == _DELETE:
                    doomed[name] = at
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
        return Contents(found, futures, doomed)

    def __str__(self) -> str:
        return str(self.path)


def future_name(topic: str, partition: int) -> str | None:
    """A directory name that says: a copy, which takes the place of the log when it is complete.

    None if it would have to be shortened, because the topic is known by it.
    """
    name = _set_aside(topic, partition, _FUTURE)
    return name if name.startswith(f"{topic}-{partition}.") else None


def name_to_delete(topic: str, partition: int) -> str:
    """A directory name that says: to be deleted."""
    return _set_aside(topic, partition, _DELETE)


def name_of_stray(topic: str, partition: int) -> str:
    """A directory name that says: belongs to a topic that does not exist any more."""
    return _set_aside(topic, partition, _STRAY)


def _set_aside(topic: str, partition: int, suffix: str) -> str:
    end = f"-{partition}.{os.urandom(16).hex()}{suffix}"
    return topic[: _LONGEST_NAME - len(end)] + end
