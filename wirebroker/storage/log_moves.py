"""Moves of logs between the directories of one broker (KIP-113): the copy grows beside the log, then takes its place.

    /one/t-0                      the log, appended to all the while
    /two/t-0.<32 hex>-future      its copy; a start finds it and goes on with it
    then, with the copy complete and nothing appended in between:
    /one/t-0.<32 hex>-delete      first,
    /two/t-0                      second.  A start that finds only the first half done does the second.

(Kafka renames in the other order, and refuses to start when a crash comes in between.)  The Log stays the same object:
it takes over the copy's files.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.log import FOREVER
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.storage.faults import CorruptFile, LogDamaged, StorageError
from wirebroker.storage.log_dir import future_name, name_to_delete
from wirebroker.storage.log_loader import Known
from wirebroker.storage.partition_metadata import read_topic_id, write_topic_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.files import Files
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_dir import LogDir
    from wirebroker.storage.trash import Trash

logger = logging.getLogger(__name__)

LAST_BYTES = 256 * 1024
"""With less than this to copy the log may wait for its copy."""


class Found(NamedTuple):
    """A copy that a start has found, before it is opened."""

    log_dir: LogDir
    at: TopicPartition
    name: str
    known: Known


class LogMoves:
    """The work on a LogManager's copies, which are in its `LogDir.futures`.

    One task at a time may work on a copy; see `Log` for the logs.
    """

    def __init__(
        self,
        *,
        files: Files,
        clock: Callable[[], int],
        trash: Trash,
        dirs: Mapping[Path, LogDir],
        logs: Mapping[TopicPartition, Log],
        open_log: Callable[[Path, TopicPartition, LogConfig, Known], Log],
        dir_failed: Callable[[LogDir, Exception], StorageError],
    ) -> None:
        self._files = files
        self._clock = clock
        self._trash = trash
        self._dirs = dirs
        self._logs = logs
        self._open_log = open_log
        self._dir_failed = dir_failed

    # -- what there is

    def get(self, at: TopicPartition) -> Log | None:
        """The copy that grows, None if there is none."""
        for log_dir in self._dirs.values():
            if log_dir.failure is None and at in log_dir.futures:
                return log_dir.futures[at]
        return None

    def all(self) -> dict[TopicPartition, Log]:
        """Every copy in a directory that works."""
        return {
            at: future
            for log_dir in self._dirs.values()
            if log_dir.failure is None
            for at, future in log_dir.futures.items()
        }

    # -- making one, and giving it up

    def begin(self, log: Log, at: TopicPartition, directory: Path, topic_id: bytes | None) -> Log:
        """The copy of *log* in *directory*: the one that is there, or a new and empty one.

        Raises:
            ApiError: INVALID_TOPIC_EXCEPTION: the name is too long for a directory's.
            StorageError: the disk failed.
        """
        log_dir = self._dirs[directory]
        future = log_dir.futures.get(at)
        if future is not None:
            return future
        name = future_name(at.topic, at.partition)
        if name is None:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, "The topic name is too long.")
        try:
            self._files.make_directory(log_dir.file(name))
            if topic_id is not None:
                write_topic_id(self._files, log_dir.file(name), topic_id)
            # its own flush.messages would have every step of the copying wait for the disk
            config = replace(log.config, flush_messages=FOREVER)
            future = self._open_log(directory / name, at, config, Known(clean=True))
        except (OSError, LogDamaged) as error:
            raise self._dir_failed(log_dir, error) from error
        log_dir.futures[at] = future
        logger.info("%s: moves from %s to %s", at, log.directory.parent, directory)
        return future

    def drop(self, at: TopicPartition) -> None:
        """Give a copy up, if there is one.  Raises StorageError."""
        for log_dir in self._dirs.values():
            future = log_dir.futures.pop(at, None)
            if future is not None and log_dir.failure is None:
                self._remove(log_dir, future.directory.name, at)
                future.fail(ApiError(ErrorCode.KAFKA_STORAGE_ERROR, f"{at} does not move any more"))

    def _remove(self, log_dir: LogDir, name: str, at: TopicPartition) -> None:
        doomed = log_dir.file(name_to_delete(at.topic, at.partition))
        try:
            self._files.rename(log_dir.file(name), doomed)
        except OSError as error:
            raise self._dir_failed(log_dir, error) from error
        self._trash.add_directory(doomed, self._clock())

    # -- copying

    def catch_up_start(self, log: Log, future: Log) -> None:
        """Have the copy begin and end within *log*.  Raises StorageError."""
        if future.log_end_offset > log.log_end_offset:
            future.truncate_to(log.log_end_offset)
        start = log.log_start_offset
        if future.log_end_offset < start or (not future.size_bytes and future.log_end_offset != start):
            future.truncate_fully_and_start_at(start)
        elif future.log_start_offset < start:
            future.delete_records(start)

    def finish(self, log: Log, at: TopicPartition, future: Log) -> bool:
        """Copy the rest and have the copy take the log's place; False if the rest is too much to wait for.

        Nothing may be appended to *log* while this runs.

        Raises:
            StorageError: a disk failed; the log is where it was.
        """
        self.catch_up_start(log, future)
        left = LAST_BYTES
        while future.log_end_offset < log.log_end_offset:
            piece = log.read(future.log_end_offset, left, log.log_end_offset, True)
            if piece.size_bytes >= left:
                return False
            left -= piece.size_bytes
            future.append_as_follower(memoryview(bytearray(piece.tobytes())))
        for epoch, start in log.leader_epochs.entries[-1:]:
            if start == log.log_end_offset:  # its leader has not written yet
                future.assign_leader_epoch(epoch)
        if future.recovery_point < log.recovery_point:
            future.flush()  # what was on one disk must be on the other
        self._swap(log, at, future)
        return True

    def _swap(self, log: Log, at: TopicPartition, future: Log) -> None:
        old, new = self._dirs[log.directory.parent], self._dirs[future.directory.parent]
        doomed = old.file(name_to_delete(at.topic, at.partition))
        place = new.path / str(at)
        try:
            new.checkpoint()  # what it knows of the copy is true of the log in a moment
        except OSError as error:
            raise self._dir_failed(new, error) from error
        with log.changing_names():
            self._rename_both(log, future, Path(doomed), place)
            future.moved(place)
            log.take_over(future)
        del old.logs[at], new.futures[at]
        new.logs[at] = log
        self._trash.add_directory(doomed, self._clock() + log.config.file_delete_delay_ms)
        try:
            old.checkpoint()
        except OSError as error:
            self._dir_failed(old, error)  # which is no concern of this log any more
        logger.info("%s: has moved from %s to %s", at, old, new)

    def _rename_both(self, log: Log, future: Log, doomed: Path, place: Path) -> None:
        old, new = self._dirs[log.directory.parent], self._dirs[future.directory.parent]
        log.will_move(doomed)
        future.will_move(place)
        try:
            self._files.rename(str(log.directory), str(doomed))
            self._files.sync_directory(str(old.path))
        except OSError as error:
            log.will_move(None)
            raise self._dir_failed(old, error) from error
        try:
            self._files.rename(str(future.directory), str(place))
            self._files.sync_directory(str(new.path))
        except OSError as error:
            self._put_back(old, str(doomed), log)
            raise self._dir_failed(new, error) from error

    def _put_back(self, log_dir: LogDir, doomed: str, log: Log) -> None:
        try:
            self._files.rename(doomed, str(log.directory))
        except OSError as error:
            self._dir_failed(log_dir, error)
        log.will_move(None)

    # -- what a start finds

    def promote(self, found: Sequence[Found], doomed: Collection[tuple[LogDir, TopicPartition]]) -> list[Found]:
        """Finish the moves whose log was set aside already, and return those copies, which are the logs now.

        *doomed* are the partitions with a directory that waits for its deletion: all directories must have been seen.
        """
        promoted = []
        for each in found:
            log_dir, at = each.log_dir, each.at
            if at in self._logs or at in log_dir.refused:
                continue
            if not any(name == at and other is not log_dir for other, name in doomed):
                logger.warning("%s: a copy without its log; remove it when it is not needed", log_dir.file(each.name))
                continue
            logger.warning("%s: a crash interrupted its move to %s, which is finished now", at, log_dir)
            try:
                self._files.rename(log_dir.file(each.name), log_dir.file(str(at)))
                self._files.sync_directory(str(log_dir.path))
            except OSError as error:
                self._dir_failed(log_dir, error)
                continue
            promoted.append(each._replace(name=str(at)))
        return promoted

    def reopen(self, found: Sequence[Found], config_of: Callable[[str], LogConfig]) -> None:
        """Open the copies; one that cannot be trusted, or is not needed, is made anew or removed."""
        for log_dir, at, name, known in found:
            log = self._logs.get(at)
            if log is None or log.failure is not None or log_dir.failure is not None or log_dir.logs.get(at) is log:
                continue
            own: bytes | None = None
            try:
                topic_id = read_topic_id(self._files, log_dir.file(name))
                own = read_topic_id(self._files, str(log.directory))
                if topic_id != own or self.get(at) is not None:
                    self._remove(log_dir, name, at)
                    continue
                config = replace(config_of(at.topic), flush_messages=FOREVER)
                log_dir.futures[at] = future = self._open_log(log_dir.path / name, at, config, known)
                self.catch_up_start(log, future)
                logger.info("%s: its move goes on to %s at offset %d", at, log_dir, future.log_end_offset)
            except (LogDamaged, CorruptFile) as error:
                logger.warning("%s: %s; the copy is made anew", at, error)
                log_dir.futures.pop(at, None)
                self._remove(log_dir, name, at)
                self.begin(log, at, log_dir.path, own)
            except OSError as error:
                self._dir_failed(log_dir, error)
