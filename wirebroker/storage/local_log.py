"""LocalLog: the files of one log, their failure, and the offset up to which they are flushed (Kafka: LocalLog).

`Log` adds the offsets, producers and leader epochs of the records.  Methods raise OSError where they touch files;
`Log` calls them in `operation`, which turns an error into the failure of the log.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.storage.errors import (
    CorruptFileError,
    CorruptLogError,
    LogDeletedError,
    StorageError,
    UnwritableLogError,
)
from wirebroker.storage.log_segment import DELETED
from wirebroker.storage.log_segments import LogSegments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.delayed_deletion import DelayedFileDeletion
    from wirebroker.storage.errors import LogError
    from wirebroker.storage.files import Files
    from wirebroker.storage.flush_stats import FlushStats
    from wirebroker.storage.log_segment import LogSegment
    from wirebroker.storage.log_view import LogView
    from wirebroker.storage.producer_snapshots import ProducerSnapshots

logger = logging.getLogger(__name__)

RESERVED_BYTES: Final = 32 << 20
"""The space that `LocalLog.reserve_ahead` reserves at once."""


class LogContext(NamedTuple):
    """The collaborators and settings that all logs of a LogManager share."""

    files: Files
    clock: Callable[[], int]
    """Milliseconds since 1970."""
    delayed_deletion: DelayedFileDeletion
    producer_id_expiration_ms: int
    flushes: FlushStats


class LocalLog:
    """The segments of one log in their directory.  One thread at a time may change them; `flush` may run beside it."""

    def __init__(
        self,
        topic_partition: TopicPartition,
        directory: Path,
        segments: Sequence[LogSegment],
        recovery_point: int,
        context: LogContext,
    ) -> None:
        self.topic_partition = topic_partition
        self.directory = directory
        self.context = context
        self.segments = LogSegments(context.files, segments)
        self._reserved: tuple[LogSegment, int] | None = None
        """The segment in which `reserve_ahead` has reserved space, and the position up to which it has done so."""
        self.recovery_point = recovery_point
        """Every record below this offset is on the disk, not only in the page cache."""
        self.last_flush_ms = context.clock()
        self.failure: LogError | None = None
        """Why the log is out of service, None while it serves."""
        self.name_lock = Lock()
        """Held, by threads only, while something is written by the directory's name, and while that changes."""
        self.truncations = 0
        """The number of truncations so far: a flush that began before one must not move the recovery point, and what
        compaction has made of segments that it read before must not replace them."""

    def __str__(self) -> str:
        return f"{self.topic_partition} in {self.directory.parent}"

    # -- failing

    def fail(self, failure: LogError) -> None:
        """Put the log out of service with *failure*; the first failure stays, unless it is a deletion."""
        if self.failure is None or isinstance(self.failure, LogDeletedError):
            self.failure = failure
            self.segments.close()

    def fail_from(self, error: Exception) -> LogError:
        """Put the log out of service after *error*; return the exception that the failed operation has to raise."""
        if isinstance(self.failure, LogDeletedError):
            return self.failure  # the broker has renamed or removed the files itself: the disk is well
        failure: LogError
        if isinstance(error, OSError):
            failure = StorageError(f"{self}: {error}")
        else:
            failure = UnwritableLogError(f"{self}: {error}")
        failure.__cause__ = error
        logger.error("topic=%s partition=%d: out of service: %s", *self.topic_partition, error)
        self.fail(failure)
        return failure

    def corrupt(self, error: Exception) -> CorruptLogError:
        """Return the exception of a read that has met corrupt bytes; the log stays in service."""
        logger.error("topic=%s partition=%d: corrupt: %s", *self.topic_partition, error)
        return CorruptLogError(f"{self}: {error}")

    @contextmanager
    def operation(self) -> Iterator[None]:
        """Run a change of the log, which an error puts out of service; refuse it if the log is out of service.

        Raises:
            LogError: `failure`, as it was before or is now.
        """
        if self.failure is not None:
            raise self.failure
        try:
            yield
        except (OSError, CorruptFileError) as error:
            raise self.fail_from(error) from error

    # -- segments

    def close_active(self, config: LogConfig) -> None:
        """Finish the files of the active segment: no appends follow."""
        self.segments.active.on_become_inactive()
        self.return_space(config)

    def reserve_space(self, config: LogConfig) -> None:
        """With `preallocate`, reserve the space of the active segment on the disk, so that appends allocate none.

        Unlike with Kafka, the file keeps its true size, so that a crash leaves no zeros in it.
        """
        if config.preallocate and not self.segments.active.log_file.open().reserve(config.segment_bytes):
            logger.info(
                "topic=%s partition=%d: the active segment is not preallocated, as there is no room or support",
                *self.topic_partition,
            )

    def reserve_ahead(self, config: LogConfig, end: int, expected_bytes: int) -> None:
        """Reserve space for the next appends, if so many bytes will follow that all of it will be used.

        To give out the blocks of RESERVED_BYTES at once takes the file system less time than with every append.  The
        file's size stays.  A broker that is killed leaves the space reserved, for the bytes that it has not fetched.

        Args:
            config: The log's configuration.
            end: The position in the active segment at which the next append ends.
            expected_bytes: The size of all appends that follow, from the segment's end on.
        """
        active = self.segments.active
        position = active.size_bytes
        if self._reserved is not None and self._reserved[0] is active and end <= self._reserved[1]:
            return
        count = min(RESERVED_BYTES, config.segment_bytes - position)
        if config.preallocate or expected_bytes < RESERVED_BYTES or end > position + count:
            return
        is_reserved = active.log_file.open().reserve(count, position)
        # a file system without room or support is not asked again before the next segment
        self._reserved = active, position + count if is_reserved else config.segment_bytes

    def return_space(self, config: LogConfig) -> None:
        """Give back the space that was reserved in the active segment and no append has used."""
        if config.preallocate or (self._reserved is not None and self._reserved[0] is self.segments.active):
            self.discard_partial_append()
            self._reserved = None

    def discard_partial_append(self) -> None:
        """Cut off what is in the file behind the end of the active segment."""
        active = self.segments.active
        active.log_file.open().truncate(active.size_bytes)

    def delete_segments(self, segments: Iterable[LogSegment], snapshots: ProducerSnapshots, due_ms: int) -> None:
        """Rename the files of *segments*, which are not the log's any more, and have them removed at *due_ms*.

        The producer snapshots at their base offsets go with them.
        """
        for segment in segments:
            self.context.delayed_deletion.add_files(segment.mark_deleted(), due_ms)
            self.delete_snapshot(snapshots, segment.base_offset, due_ms)

    def delete_snapshot(self, snapshots: ProducerSnapshots, offset: int, due_ms: int) -> None:
        """Rename the producer snapshot at *offset*, if there is one, and have it removed at *due_ms*."""
        path = snapshots.remove(offset)
        if path is not None:
            self.context.files.rename(path, path + DELETED)
            self.context.delayed_deletion.add_files([path + DELETED], due_ms)

    def sync_directory(self) -> None:
        """Make the names of the files survive a power failure."""
        self.context.files.sync_directory(str(self.directory))

    # -- flushing

    @property
    def has_unflushed_segments(self) -> bool:
        """Whether segments were rolled that were not flushed since."""
        segments = self.segments
        return len(segments.values) > 1 and self.recovery_point < segments.active.base_offset

    def flush(self, take_view: Callable[[], LogView], *, rolled_only: bool, sync_others: Callable[[], None]) -> None:
        """Make records survive a power failure, and raise the recovery point to the end of them.

        May run beside appends, rolls and truncations.

        Args:
            take_view: Returns the newest view of the log, which says what there is to flush.
            rolled_only: Flush the segments that no record is appended to any more, not the active one.
            sync_others: Syncs further files of the directory; called while the directory cannot be renamed.
        """
        began = perf_counter()
        truncations = self.truncations  # before the view: a truncation of what the view has must be noticed
        view = take_view()
        end_offset = view.active.base_offset if rolled_only else view.log_end_offset
        if end_offset <= self.recovery_point:
            return
        segments = view.segments_between(self.recovery_point, end_offset)
        new_names = [segment for segment in segments if self._sync(segment)]
        with self.name_lock:
            if self.failure is not None:
                raise self.failure
            if truncations != self.truncations:
                return
            sync_others()
            if new_names or segments[-1].base_offset >= self.recovery_point:
                self.sync_directory()  # new files' names
                if segments[0] is self.segments.values[0]:
                    self.context.files.sync_directory(str(self.directory.parent))  # maybe this directory's
            if self.segments.active is not view.active:  # it was rolled meanwhile: its indexes are new
                end_offset = view.active.base_offset
            self.recovery_point = max(self.recovery_point, end_offset)
            self.last_flush_ms = self.context.clock()
        self.context.flushes.record(perf_counter() - began)

    def _sync(self, segment: LogSegment) -> bool:
        try:
            return segment.sync()
        except FileNotFoundError:
            if segment in self.segments.values:  # or retention or a move to another directory was quicker
                raise
            return False

    def begin_truncation(self) -> None:
        """Keep flushes that run now from moving the recovery point: their records may not be the log's any more."""
        with self.name_lock:
            self.truncations += 1

    def lower_recovery_point(self, offset: int) -> None:
        """Lower the recovery point to *offset*, if it is above."""
        self.recovery_point = min(self.recovery_point, offset)

    # -- the directory's name

    @contextmanager
    def writing_by_name(self) -> Iterator[None]:
        """Write files by the directory's name in a thread: it is not renamed meanwhile.  Raises LogError."""
        with self.operation(), self.name_lock:
            if self.failure is not None:
                raise self.failure
            yield

    @contextmanager
    def changing_names(self) -> Iterator[None]:
        """Rename the directory inside this context, in a thread: it waits for writes by the directory's name."""
        with self.name_lock:
            self.truncations += 1
            yield

    def mark_deleted(self) -> None:
        """Have every later operation raise LogDeletedError: the files are about to be renamed or removed."""
        with self.name_lock:
            if self.failure is None:
                self.failure = LogDeletedError(f"{self} was deleted")

    def prepare_move(self, directory: Path | None) -> None:
        """Expect the directory to be renamed to *directory*; None: it keeps its name after all."""
        self.segments.prepare_move(None if directory is None else str(directory))

    def update_directory(self, directory: Path) -> None:
        """Use the files in *directory*, which their directory was renamed to."""
        self.directory = directory
        self.segments.update_directory(str(directory))

    def replace_files(self, other: LocalLog) -> Iterable[LogSegment]:
        """Use the files of *other*, which holds the same records; return the segments that they replace."""
        replaced = self.segments.values
        self.directory, self.segments = other.directory, other.segments
        self.recovery_point, self.last_flush_ms = other.recovery_point, other.last_flush_ms
        return replaced
