"""FutureLogs: copies of logs that move to another log directory of the same broker (KIP-113).

    /one/t-0                      the current log, appended to all the while
    /two/t-0.<32 hex>-future      its future log; a start finds it and goes on with it
    then, with the future log complete and nothing appended in between:
    /one/t-0.<32 hex>-delete      first,
    /two/t-0                      second.  A start that finds only the first half done does the second.

(Kafka renames in the other order, and refuses to start when a crash comes in between.)  The Log stays the same object:
its files are replaced by those of the future log.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wirebroker.config.keys import FOREVER
from wirebroker.storage.checkpoints import PartitionCheckpoints
from wirebroker.storage.errors import (
    CorruptFileError,
    LogDeletedError,
    TopicNameTooLongError,
    UnrecoverableLogError,
)
from wirebroker.storage.log_dir import log_delete_dir_name, log_future_dir_name
from wirebroker.storage.log_truncation import truncate_fully_and_start_at, truncate_to
from wirebroker.storage.partition_metadata import read_topic_id, write_topic_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.log import Log
    from wirebroker.storage.log_dir import LogDir, PartitionDir
    from wirebroker.storage.log_dirs import LogDirs
    from wirebroker.storage.log_loader import LogLoader
    from wirebroker.storage.log_table import LogTable

logger = logging.getLogger(__name__)

LAST_BYTES: Final = 256 * 1024
"""With less than this to copy, appends to the current log may wait until the rest is copied."""
_PIECE_BYTES: Final = 1024 * 1024
"""The most bytes of the rest of a log that are in memory at a time."""


class FutureLogs:
    """Makes, fills and removes the future logs of a LogManager; they are in `LogDir.future_logs`.

    Imported with the first of them, as most brokers have none: 34 kB.
    One task at a time may work on a future log; see `Log` for the current ones.
    """

    def __init__(self, log_dirs: LogDirs, table: LogTable, log_loader: LogLoader) -> None:
        self._log_dirs = log_dirs
        self._table = table
        self._log_loader = log_loader
        self._files = log_loader.context.files
        self._clock = log_loader.context.clock
        self._delayed_deletion = log_loader.context.delayed_deletion

    # -- creating and deleting

    def get_or_create(self, log: Log, directory: Path) -> Log:
        """Return the future log of *log* in *directory*: the one that is there, or a new and empty one.

        Raises:
            TopicNameTooLongError: the name is too long for a directory's.
            StorageError: the disk failed.
        """
        at, log_dir = log.topic_partition, self._log_dirs[directory]
        future = log_dir.future_logs.get(at)
        if future is not None:
            return future
        name = log_future_dir_name(at)
        if name is None:
            raise TopicNameTooLongError("The topic name is too long.")
        topic_id = self._table.topic_ids.get(at)
        try:
            self._files.make_directory(log_dir.file(name))
            if topic_id is not None:
                write_topic_id(self._files, log_dir.file(name), topic_id)
            # its own flush.messages would have every step of the copying wait for the disk
            config = log.config._replace(flush_messages=FOREVER)
            future = self._log_loader.load(directory / name, at, config, PartitionCheckpoints(clean=True))
        except (OSError, UnrecoverableLogError) as error:
            raise self._log_dirs.take_offline(log_dir, error) from error
        log_dir.future_logs[at] = future
        logger.info("%s: moves from %s to %s", at, log.directory.parent, directory)
        return future

    def delete(self, at: TopicPartition) -> None:
        """Delete the future log of a partition, if there is one.  Raises StorageError."""
        for log_dir in self._log_dirs:
            future = log_dir.future_logs.pop(at, None)
            if future is not None and log_dir.failure is None:
                self._delete_directory(log_dir, future.directory.name, at)
                future.local_log.fail(LogDeletedError(f"{at} does not move any more"))

    def _delete_directory(self, log_dir: LogDir, name: str, at: TopicPartition) -> None:
        renamed = log_dir.file(log_delete_dir_name(at))
        try:
            self._files.rename(log_dir.file(name), renamed)
        except OSError as error:
            raise self._log_dirs.take_offline(log_dir, error) from error
        self._delayed_deletion.add_directory(renamed, self._clock())

    # -- copying

    def align(self, log: Log, future: Log) -> None:
        """Have the future log begin and end within *log*, with no records that it does not have.

        Raises StorageError.
        """
        if future.log_end_offset > log.log_end_offset:
            truncate_to(future, log.log_end_offset)
        _truncate_diverging(log, future)
        start = log.log_start_offset
        if future.log_end_offset < start or (not future.size_bytes and future.log_end_offset != start):
            truncate_fully_and_start_at(future, start)
        elif future.log_start_offset < start:
            future.delete_records(start)

    def maybe_replace_current(self, log: Log, future: Log, last_bytes: int = LAST_BYTES) -> bool:
        """Copy the rest of *log* and replace its files by those of *future*; False if the rest is *last_bytes* or more.

        Nothing may be appended to *log* while this runs.

        Raises:
            LogError: the log is out of service, or a disk failed; the log is where it was.
        """
        if log.failure is not None:
            raise log.failure
        self.align(log, future)
        left_bytes = last_bytes
        while future.log_end_offset < log.log_end_offset:
            piece = log.read(future.log_end_offset, min(left_bytes, _PIECE_BYTES), log.log_end_offset, True)
            if piece.size_bytes >= left_bytes:
                return False
            left_bytes -= piece.size_bytes
            future.append_as_follower(memoryview(bytearray(piece.tobytes())))
        for epoch, start in log.leader_epoch_cache.entries[-1:]:
            if start == log.log_end_offset:  # its leader has not written yet
                future.assign_leader_epoch(epoch)
        if future.recovery_point < log.recovery_point:
            future.flush()  # what was on one disk must be on the other
        self._replace_current(log, future)
        return True

    def _replace_current(self, log: Log, future: Log) -> None:
        at = log.topic_partition
        old, new = self._log_dirs.dir_of(log), self._log_dirs.dir_of(future)
        renamed = old.file(log_delete_dir_name(at))
        place = new.path / str(at)
        try:
            new.checkpoint()  # what it has of the future log is true of the current one in a moment
        except OSError as error:
            raise self._log_dirs.take_offline(new, error) from error
        with log.local_log.changing_names():
            self._rename_both(log, future, Path(renamed), place)
            future.update_directory(place)
            _replace_files(log, future)
        new.logs[at] = log  # first: a checkpoint that another thread writes meanwhile must not lack it
        del old.logs[at], new.future_logs[at]
        cleaner_offset = old.cleaner_offsets.get(at)
        self._delayed_deletion.add_directory(renamed, self._clock() + log.config.file_delete_delay_ms)
        if cleaner_offset is not None:
            self._log_dirs.checkpoint_cleaner_offset(log, cleaner_offset)
        try:
            old.checkpoint()
            old.checkpoint_cleaner_offset(at, None)
        except OSError as error:
            self._log_dirs.take_offline(old, error)  # which does not concern this log any more
        logger.info("%s: has moved from %s to %s", at, old, new)

    def _rename_both(self, log: Log, future: Log, renamed: Path, place: Path) -> None:
        old, new = self._log_dirs.dir_of(log), self._log_dirs.dir_of(future)
        log.local_log.prepare_move(renamed)
        future.local_log.prepare_move(place)
        try:
            self._files.rename(str(log.directory), str(renamed))
            self._files.sync_directory(str(old.path))
        except OSError as error:
            log.local_log.prepare_move(None)
            raise self._log_dirs.take_offline(old, error) from error
        try:
            self._files.rename(str(future.directory), str(place))
            self._files.sync_directory(str(new.path))
        except OSError as error:
            self._rename_back(old, str(renamed), log)
            raise self._log_dirs.take_offline(new, error) from error
        self._delayed_deletion.directory_renamed(str(future.directory), str(place))

    def _rename_back(self, log_dir: LogDir, renamed: str, log: Log) -> None:
        try:
            self._files.rename(renamed, str(log.directory))
        except OSError as error:
            self._log_dirs.take_offline(log_dir, error)
        log.local_log.prepare_move(None)

    # -- at start

    def promote(
        self, found: Sequence[PartitionDir], pending_deletion: Collection[tuple[LogDir, TopicPartition]]
    ) -> list[PartitionDir]:
        """Finish the moves whose current log was renamed already; return those directories, which are current now.

        Args:
            found: The directories of future logs.
            pending_deletion: The partitions with a `-delete` directory; all log directories must have been scanned.
        """
        promoted = []
        for each in found:
            log_dir, at = each.log_dir, each.at
            if at in self._table.logs or at in log_dir.refused:
                continue
            if not any(name == at and other is not log_dir for other, name in pending_deletion):
                logger.warning(
                    "%s: a future log without its current log is ignored; remove it when it is not needed",
                    log_dir.file(each.name),
                )
                continue
            logger.warning("%s: a crash interrupted its move to %s, which is finished now", at, log_dir)
            try:
                self._files.rename(log_dir.file(each.name), log_dir.file(str(at)))
                self._files.sync_directory(str(log_dir.path))
            except OSError as error:
                self._log_dirs.take_offline(log_dir, error)
                continue
            promoted.append(each._replace(name=str(at)))
        return promoted

    def resume(self, found: Sequence[PartitionDir], config_of: Callable[[str], LogConfig]) -> None:
        """Open the future logs in the directories *found*; one that cannot be recovered is created anew.

        One that belongs to another topic than the current log, or that is not needed, is deleted.
        """
        for log_dir, at, name, checkpoints in found:
            log = self._table.logs.get(at)
            if log is None or log.failure is not None or log_dir.failure is not None or log_dir.logs.get(at) is log:
                continue
            try:
                topic_id = read_topic_id(self._files, log_dir.file(name))
                if topic_id != self._table.topic_ids.get(at) or self._log_dirs.future_log(at) is not None:
                    self._delete_directory(log_dir, name, at)
                    continue
                config = config_of(at.topic)._replace(flush_messages=FOREVER)
                future = self._log_loader.load(log_dir.path / name, at, config, checkpoints)
                log_dir.future_logs[at] = future
                self.align(log, future)
                logger.info("%s: its move goes on to %s at offset %d", at, log_dir, future.log_end_offset)
            except (UnrecoverableLogError, CorruptFileError) as error:
                logger.warning("%s: %s; the copy is made anew", at, error)
                log_dir.future_logs.pop(at, None)
                self._delete_directory(log_dir, name, at)
                self.get_or_create(log, log_dir.path)
            except OSError as error:
                self._log_dirs.take_offline(log_dir, error)


def _truncate_diverging(log: Log, future: Log) -> None:
    """Drop the records of *future* that *log* has lost since they were copied, by their leader epochs.

    A follower may be truncated, and have fetched more than that since.
    """
    while future.leader_epoch_cache.entries and log.leader_epoch_cache.entries:
        epoch, start_offset = future.leader_epoch_cache.entries[-1]
        found, end_offset = log.end_offset_for_epoch(epoch)
        if found == epoch:
            if end_offset < future.log_end_offset:
                truncate_to(future, end_offset)
            return
        truncate_to(future, start_offset if found < 0 else min(end_offset, start_offset))


def _replace_files(log: Log, future: Log) -> None:
    """Have *log* go on with the files of *future*, which holds the same records; in `LocalLog.changing_names`."""
    future.producer_state_manager.inherit(log.producer_state_manager)
    log.producer_state_manager, log.leader_epoch_cache = future.producer_state_manager, future.leader_epoch_cache
    appended_bytes = log.appended_bytes
    replaced = log.local_log.replace_files(future.local_log)
    log.rolled_bytes += appended_bytes - log.appended_bytes  # the copy may have rolled elsewhere
    log.publish()
    for segment in replaced:
        segment.close()
