"""LogLoader: opens a partition's directory as a `Log`; after an unclean shutdown it recovers and cuts a torn tail.

Recovery reads the segments from the recovery point on (everything below it is on the disk) and keeps the longest valid
prefix.  It must not make records disappear that were there: bytes are cut only where a crash explains them.  In every
other case the `.log` files are left untouched, and `UnrecoverableLogError` says which bytes are damaged.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.record.errors import RecordError
from wirebroker.storage.errors import CorruptFileError, DamagedLogError, UnrecoverableLogError
from wirebroker.storage.integrity.swap_files import recover_swap_files
from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
from wirebroker.storage.load_progress import LoadProgress
from wirebroker.storage.local_log import LocalLog
from wirebroker.storage.log import Log
from wirebroker.storage.log_segment import INDEX, LOG, TIME_INDEX, LogSegment, offset_from_file_name
from wirebroker.storage.producer_replay import rebuild_producers
from wirebroker.storage.producer_snapshots import SNAPSHOT
from wirebroker.storage.producer_state_manager import ProducerStateManager

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.checkpoints import PartitionCheckpoints
    from wirebroker.storage.integrity.batch_reader import InvalidBatch
    from wirebroker.storage.integrity.recovery import RecoveryResult
    from wirebroker.storage.local_log import LogContext

logger = logging.getLogger(__name__)


class LogLoader:
    """Opens the logs of one broker."""

    def __init__(self, context: LogContext) -> None:
        self.context = context

    def load(
        self,
        directory: Path,
        at: TopicPartition,
        config: LogConfig,
        checkpoints: PartitionCheckpoints,
        progress: LoadProgress | None = None,
        *,
        truncates_damage: bool = False,
    ) -> Log:
        """Open the log in *directory*, which exists; an empty directory becomes an empty log.

        With *truncates_damage* a log that is damaged in its middle ends there, and the valid batches behind the damage
        are deleted: only for a replica that fetches them again.

        Raises:
            UnrecoverableLogError: what is there cannot be explained by a crash; the `.log` files were not changed.  It
                is a DamagedLogError if *truncates_damage* would make a log of it.
            LoadingStopped: by *progress*; the next load recovers the log again.
            OSError: the disk failed.
        """
        load = _Load(self.context, str(directory), str(at), config, checkpoints, progress or LoadProgress())
        load.truncates_damage = truncates_damage
        try:
            load.run()
        except CorruptFileError as error:  # which names its file
            path, _, what = str(error).partition(": ")
            raise UnrecoverableLogError(path, None, what) from error
        except RecordError as error:
            raise UnrecoverableLogError(str(directory), None, str(error)) from error
        return Log(
            LocalLog(at, directory, load.segments, load.recovery_point, self.context),
            config,
            load.producer_state_manager,
            load.epochs,
            load.log_start_offset,
            load.log_end_offset,
        )


class _Load:
    """The steps of one load."""

    def __init__(
        self,
        context: LogContext,
        directory: str,
        name: str,
        config: LogConfig,
        checkpoints: PartitionCheckpoints,
        progress: LoadProgress,
    ) -> None:
        self._directory = directory
        self._config = config
        self._checkpoints = checkpoints
        self._files = files = context.files
        self._now_ms = context.clock()
        self._progress = progress
        self.truncates_damage = False
        names = {name for name, is_directory in files.list(directory) if not is_directory}
        self._names = names = recover_swap_files(files, directory, names)
        self.epochs = LeaderEpochCache(files, directory)
        snapshots = [offset_from_file_name(each) for each in names if each.endswith(SNAPSHOT)]
        self.producer_state_manager = ProducerStateManager(
            files, directory, snapshots, expiration_ms=context.producer_id_expiration_ms, name=name
        )
        self.segments = [
            LogSegment.load(files, directory, offset_from_file_name(each), config, self._now_ms, names)
            for each in sorted(names)
            if each.endswith(LOG)
        ]
        self.log_start_offset = checkpoints.log_start_offset
        self.log_end_offset = checkpoints.log_start_offset
        self.recovery_point = checkpoints.recovery_point

    def run(self) -> None:
        """Load or recover the segments, and bring epochs and producers up to the end of the log."""
        first = self._first_unrecovered_segment()
        recovered = first < len(self.segments)
        if recovered:
            self._recover(first)
        if self.log_end_offset < self._checkpoints.recovery_point:
            self._raise_lost_tail()
        if self.segments and self.log_end_offset < self.log_start_offset:
            self._drop_all()
        if not self.segments:
            self.segments.append(
                LogSegment.create(self._files, self._directory, self.log_start_offset, self._config, self._now_ms)
            )
            self.log_end_offset = self.log_start_offset
        if self.log_start_offset > self.segments[0].base_offset:
            logger.debug(
                "%s begins at offset %d, where records were deleted up to; its files at offset %d",
                *(self._directory, self.log_start_offset, self.segments[0].base_offset),
            )
        self.log_start_offset = max(self.log_start_offset, self.segments[0].base_offset)
        self.recovery_point = (
            self.log_end_offset if self._checkpoints.clean else min(self.recovery_point, self.log_end_offset)
        )
        # an epoch that begins at the end was announced by a leader that has not written yet: it may stay
        self.epochs.truncate_from_end(self.log_end_offset + 1)
        self.epochs.truncate_from_start(self.log_start_offset)
        if recovered:
            self.producer_state_manager.take_snapshot()
        else:
            self._load_producers()
        self._verify_lazily(self.segments[:first])
        for segment in self.segments:
            segment.close()

    def _verify_lazily(self, segments: Sequence[LogSegment]) -> None:
        """Have *segments*, the first ones of the log, verified before they are served: they were not read."""
        for at, segment in enumerate(segments):
            if segment is not self.segments[-1]:
                end_offset: int | None = self.segments[at + 1].base_offset
            else:
                # the recovery point is the end of a log that was closed, unless its checkpoint is an old one
                is_end = self._checkpoints.clean and self._checkpoints.recovery_point == self.log_end_offset
                end_offset = self.log_end_offset if is_end else None
            if segment.size_bytes:
                from wirebroker.storage.integrity.lazy_verification import LazyVerification  # not for a new log

                segment.verification = LazyVerification(segment.size_bytes, end_offset, self._files)

    def _first_unrecovered_segment(self) -> int:
        """Return the index of the first segment that has to be recovered; the number of segments if none has."""
        segments = self.segments
        try:
            self.epochs.load()
        except CorruptFileError as error:
            logger.warning("%s; the epochs are read from the log", error)
            return 0
        first = len(segments)
        if not self._checkpoints.clean:
            while first and (first == len(segments) or segments[first].base_offset > self._checkpoints.recovery_point):
                first -= 1
        elif segments:
            try:
                self.log_end_offset = segments[-1].next_offset()
            except (CorruptFileError, FileNotFoundError) as error:
                logger.warning("%s; the segment is checked", error)
                first -= 1
        for at, segment in enumerate(segments[:first]):
            if not {f"{segment.base_offset:020}{suffix}" for suffix in (INDEX, TIME_INDEX)} <= self._names:
                logger.error("%s: an index file is missing; it is made from the log", segment.log_file.path)
                return at
        return first

    # -- recovery

    def _recover(self, first: int) -> None:
        # 2 ms and 0.1 MB that a broker saves which was stopped cleanly
        from wirebroker.storage.integrity.recovery import recover_segment
        from wirebroker.storage.integrity.segment_check import belongs_to_other_log

        segments = self.segments
        start = segments[first].base_offset
        logger.debug("%s: checking %d segments from offset %d on", self._directory, len(segments) - first, start)
        for offset in self.producer_state_manager.snapshots.offsets:
            if offset > start:  # the batches below it are to be recovered
                snapshot = self.producer_state_manager.snapshots.remove(offset)
                if snapshot is not None:
                    self._files.unlink([snapshot])
        self._rebuild_producers(segments[:first], start)
        next_offset = start
        for at in range(first, len(segments)):
            segment = segments[at]
            if segment.base_offset > next_offset and not self._continues_after_gap(at, next_offset):
                self._remove_from(at)
                break
            following = segments[at + 1].base_offset if at + 1 < len(segments) else None
            if belongs_to_other_log(segment, following, compacts=self._config.compacts):
                raise UnrecoverableLogError(
                    segment.log_file.path, 0, "the batches are those of another log or of another segment"
                )
            if following is not None and self._config.compacts:
                _log_missing_records(segment)
            if at > first:
                self.producer_state_manager.end_offset = segment.base_offset
                self.producer_state_manager.take_snapshot()
            result = recover_segment(
                segment, self._config, self.epochs, self.producer_state_manager, next_offset, self._progress.check
            )
            next_offset = result.next_offset
            if result.invalid is not None:
                self._truncate_torn_tail(at, result, result.invalid)
                break
            segment.on_become_inactive()
        self.log_end_offset = self.producer_state_manager.end_offset = next_offset

    def _continues_after_gap(self, at: int, next_offset: int) -> bool:
        """Return whether the log goes on in the segment at index *at*, before which offsets are missing."""
        segment = self.segments[at]
        if self._config.compacts:
            return True  # the last records of what was cleaned may be gone; offsets are not given a second time
        nothing_behind = not any(later.size_bytes for later in self.segments[at:])
        if nothing_behind and segment.base_offset > self._checkpoints.recovery_point:
            logger.debug(
                "%s: the records from offset %d on, which were not flushed, are lost; the log ends there",
                *(self._directory, next_offset),
            )
            self._progress.add_truncated(self._directory, next_offset)
            return False
        logger.error(
            "%s: offsets %d to %d are missing; the log is served without them",
            *(self._directory, next_offset, segment.base_offset - 1),
        )
        return True

    def _truncate_torn_tail(self, at: int, result: RecoveryResult, invalid: InvalidBatch) -> None:
        """Cut the segment at index *at* where it ceases to be valid, if that is what a crash leaves, or is allowed.

        Raises UnrecoverableLogError.
        """
        segment = self.segments[at]
        path = segment.log_file.path
        lost = segment.size_bytes - result.valid_end
        if invalid.has_valid_checksum:
            raise UnrecoverableLogError(path, result.valid_end, f"{invalid.text}; its checksum is right")
        damage = self._damage_of(at, result, invalid)
        if damage is not None and not self.truncates_damage:
            raise DamagedLogError(path, result.valid_end, damage, result.next_offset)
        self._remove_from(at + 1)
        if damage is not None:
            self._files.sync_directory(self._directory)  # a segment that came back would follow a gap
        self._progress.add_truncated(self._directory, result.next_offset)
        logger.debug(
            "%s at position %d: %s; the %d bytes from there on are what a write that a crash interrupted has left, and "
            "are cut off (the log now ends at offset %d)",
            *(path, result.valid_end, invalid.text, lost, result.next_offset),
        )
        segment.log_file.open().truncate(result.valid_end)
        segment.size_bytes = result.valid_end
        segment.on_become_inactive()

    def _damage_of(self, at: int, result: RecoveryResult, invalid: InvalidBatch) -> str | None:
        """Return what is damaged in the segment at index *at*, None if it has a torn tail."""
        where = self._find_valid_batch(at, result)
        if where is not None:
            return f"{invalid.text}; a valid batch is {where}"
        if result.next_offset < self._checkpoints.recovery_point:
            return f"{invalid.text}, below the recovery point {self._checkpoints.recovery_point}"
        return None

    def _find_valid_batch(self, at: int, result: RecoveryResult) -> str | None:
        """Return where a valid batch is behind the place at which the segment at index *at* ceases to be valid."""
        from wirebroker.storage.integrity.batch_reader import BatchReader

        position = result.valid_end + 1
        for segment in self.segments[at:]:
            found = BatchReader.of_segment(segment, result.next_offset, self._progress.check).find_valid(position)
            if found is not None:
                return f"at byte {found[0]}" if position else f"in {segment.base_offset:020}{LOG}"
            position = 0
        return None

    def _remove_from(self, at: int) -> None:
        for segment in reversed(self.segments[at:]):
            self._files.unlink(segment.paths())
            segment.close()
        del self.segments[at:]

    def _raise_lost_tail(self) -> None:
        path = self.segments[-1].log_file.path if self.segments else self._directory
        raise UnrecoverableLogError(
            path,
            None,
            f"the log ends at offset {self.log_end_offset}, below the recovery point"
            f" {self._checkpoints.recovery_point}: records that were flushed are gone",
        )

    def _drop_all(self) -> None:
        """All that is left was deleted already (DeleteRecords), and the records after it were lost in a crash."""
        logger.debug(
            "%s: the log ends at offset %d, below its start %d; it begins anew there",
            *(self._directory, self.log_end_offset, self.log_start_offset),
        )
        self._progress.add_truncated(self._directory, self.log_start_offset)
        self._remove_from(0)
        self.epochs.clear()
        self.producer_state_manager.truncate_fully_and_start_at(self.log_start_offset)

    def _rebuild_producers(self, segments: Sequence[LogSegment], end_offset: int) -> None:
        rebuild_producers(
            self.producer_state_manager, segments, self.log_start_offset, end_offset, self._now_ms, self._progress.check
        )

    def _load_producers(self) -> None:
        self.producer_state_manager.snapshots.remove_stray(segment.base_offset for segment in self.segments)
        if self.producer_state_manager.snapshots.offsets:
            self._rebuild_producers(self.segments, self.log_end_offset)
        else:  # a clean shutdown always leaves one when there is something to tell
            self.producer_state_manager.truncate_fully_and_start_at(self.log_end_offset)


def _log_missing_records(segment: LogSegment) -> None:
    """Log that a closed segment of a compacted log is shorter than it was; gaps between offsets tell nothing there.

    Its offset index, which recovery is about to write anew, is the only evidence.  Raises OSError.
    """
    index = segment.offset_index
    try:
        index.sanity_check()
        last_offset = index.last_offset
        is_missing = index.count and index.lookup(last_offset) >= segment.size_bytes
    except (CorruptFileError, FileNotFoundError):
        return
    if is_missing:
        logger.error(
            "%s ends before offset %d, which its index knows; the log is served without the records that are missing",
            *(segment.log_file.path, last_offset),
        )
