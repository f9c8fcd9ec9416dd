"""Open a partition's directory as a `Log`: take it as it is after a clean shutdown, recover it after any other stop.

Recovery reads the segments from the recovery point on (everything below it is known to be on the disk) and keeps the
longest valid prefix.  What it must not do is make records disappear that were there: bytes are cut only where a crash
explains them.  In every other case the `.log` files are left untouched and `LogDamaged` says what a person can do.
"""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.record.faults import RecordError
from wirebroker.storage.faults import CorruptFile, LogDamaged
from wirebroker.storage.first_look import is_foreign
from wirebroker.storage.interrupted import offset_of, tidy
from wirebroker.storage.leader_epochs import LeaderEpochs
from wirebroker.storage.load_progress import LoadProgress
from wirebroker.storage.log import Log
from wirebroker.storage.producer_replay import rebuild_producers
from wirebroker.storage.producer_state import SNAPSHOT, ProducerState
from wirebroker.storage.recovery import Fault, Trusted, scan, valid_batch_behind
from wirebroker.storage.segment import INDEX, LOG, TIME_INDEX, TRANSACTION_INDEX, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.storage.files import Files
    from wirebroker.storage.trash import Trash

logger = logging.getLogger(__name__)


class Known(NamedTuple):
    """What the log directory's checkpoints say of one partition."""

    clean: bool = False
    """Was the last shutdown clean?"""
    recovery_point: int = 0
    log_start_offset: int = 0


def load_log(
    topic: str,
    partition: int,
    directory: Path,
    config: LogConfig,
    known: Known,
    *,
    files: Files,
    clock: Callable[[], int],
    trash: Trash,
    expiration_ms: int,
    progress: LoadProgress | None = None,
) -> Log:
    """Open the log in *directory*, which exists; an empty directory becomes an empty log.

    Raises:
        LogDamaged: what is there cannot be explained by a crash; the `.log` files were not changed.
        LoadingStopped: by *progress*; the next load recovers the log again.
        OSError: the disk failed.
    """
    name = f"{topic}-{partition}"
    loader = _Loader(str(directory), config, known, files, clock(), name, expiration_ms, progress or LoadProgress())
    try:
        loader.load()
    except CorruptFile as error:  # which names its file
        path, _, what = str(error).partition(": ")
        raise LogDamaged(path, None, what) from error
    except RecordError as error:
        raise LogDamaged(str(directory), None, str(error)) from error
    return Log(
        topic,
        partition,
        directory,
        config,
        files=files,
        clock=clock,
        trash=trash,
        segments=loader.segments,
        log_start_offset=loader.log_start_offset,
        log_end_offset=loader.log_end_offset,
        recovery_point=loader.recovery_point,
        leader_epochs=loader.epochs,
        producers=loader.producers,
    )


class _Loader:
    """The steps of one load."""

    def __init__(
        self,
        directory: str,
        config: LogConfig,
        known: Known,
        files: Files,
        now_ms: int,
        name: str,
        expiration_ms: int,
        progress: LoadProgress,
    ) -> None:
        self._directory = directory
        self._config = config
        self._known = known
        self._files = files
        self._now_ms = now_ms
        self._progress = progress
        names = {name for name, is_directory in files.list(directory) if not is_directory}
        self._names = tidy(files, directory, names)
        self.epochs = LeaderEpochs(files, directory)
        snapshots = [offset_of(name) for name in self._names if name.endswith(SNAPSHOT)]
        self.producers = ProducerState(files, directory, snapshots, expiration_ms=expiration_ms, name=name)
        self.segments = [self._open(offset_of(name)) for name in sorted(self._names) if name.endswith(LOG)]
        self.log_start_offset = known.log_start_offset
        self.log_end_offset = known.log_start_offset
        self.recovery_point = known.recovery_point

    def load(self) -> None:
        first = self._first_unsure()
        recovered = first < len(self.segments)
        if recovered:
            self._recover(first)
        if self.log_end_offset < self._known.recovery_point:
            self._refuse_loss()
        if self.segments and self.log_end_offset < self.log_start_offset:
            self._drop_all()
        if not self.segments:
            self.segments.append(
                Segment.create(self._files, self._directory, self.log_start_offset, self._config, self._now_ms)
            )
            self.log_end_offset = self.log_start_offset
        if self.log_start_offset > self.segments[0].base_offset:
            logger.debug(
                "%s begins at offset %d, where records were deleted up to; its files at offset %d",
                *(self._directory, self.log_start_offset, self.segments[0].base_offset),
            )
        self.log_start_offset = max(self.log_start_offset, self.segments[0].base_offset)
        self.recovery_point = (
            self.log_end_offset if self._known.clean else min(self.recovery_point, self.log_end_offset)
        )
        # an epoch that begins at the end was announced by a leader that has not written yet: it may stay
        self.epochs.truncate_from_end(self.log_end_offset + 1)
        self.epochs.truncate_from_start(self.log_start_offset)
        if recovered:
            self.producers.take_snapshot()
        else:
            self._load_producers()
        for segment, following in pairwise(self.segments):
            segment.proof.following = following.base_offset
        if self._known.clean and self._known.recovery_point:
            self.segments[-1].proof.following = self._known.recovery_point
        for segment in self.segments:
            segment.close()

    # -- files

    def _open(self, base_offset: int) -> Segment:
        path = f"{self._directory}/{base_offset:020}"
        return Segment(
            self._files,
            self._directory,
            base_offset,
            self._config,
            self._now_ms,
            size_bytes=self._files.size_bytes(path + LOG),
            has_transactions=f"{base_offset:020}{TRANSACTION_INDEX}" in self._names,
        )

    def _first_unsure(self) -> int:
        """The first segment that has to be read; the number of segments if none has."""
        segments = self.segments
        try:
            self.epochs.load()
        except CorruptFile as error:
            logger.warning("%s; the epochs are read from the log", error)
            return 0
        unsure = len(segments)
        if not self._known.clean:
            while unsure and (unsure == len(segments) or segments[unsure].base_offset > self._known.recovery_point):
                unsure -= 1
        elif segments:
            try:
                self.log_end_offset = segments[-1].next_offset()
            except (CorruptFile, FileNotFoundError) as error:
                logger.warning("%s; the segment is checked", error)
                unsure -= 1
        for at, segment in enumerate(segments[:unsure]):
            if not {f"{segment.base_offset:020}{suffix}" for suffix in (INDEX, TIME_INDEX)} <= self._names:
                logger.error("%s: an index file is missing; it is made from the log", segment.log_file.path)
                return at
        return unsure

    # -- recovery

    def _recover(self, first: int) -> None:
        segments = self.segments
        start = segments[first].base_offset
        logger.debug("%s: checking %d segments from offset %d on", self._directory, len(segments) - first, start)
        for offset in self.producers.snapshots:
            if offset > start:  # written after what is now in doubt
                snapshot = self.producers.forget_snapshot(offset)
                if snapshot is not None:
                    self._files.unlink([snapshot])
        self._rebuild_producers(segments[:first], start)
        next_offset = start
        for at in range(first, len(segments)):
            segment = segments[at]
            if segment.base_offset > next_offset and not self._bridges(at, next_offset):
                self._remove_from(at)
                break
            following = segments[at + 1].base_offset if at + 1 < len(segments) else None
            if is_foreign(segment, following, compacts=self._config.compacts):
                raise LogDamaged(segment.log_file.path, 0, "the batches are those of another log or of another segment")
            if at > first:
                self.producers.end_offset = segment.base_offset
                self.producers.take_snapshot()
            trusted = scan(segment, self._config, self.epochs, self.producers, next_offset, self._progress.check)
            next_offset = trusted.next_offset
            if trusted.fault is not None:
                self._cut(at, trusted, trusted.fault)
                break
            segment.finish()
        self.log_end_offset = self.producers.end_offset = next_offset

    def _bridges(self, at: int, next_offset: int) -> bool:
        """Offsets are missing before the segment at index *at*: does the log go on there all the same?"""
        segment = self.segments[at]
        nothing_behind = not any(later.size_bytes for later in self.segments[at:])
        if nothing_behind and segment.base_offset > self._known.recovery_point:
            logger.debug(
                "%s: the records from offset %d on, which were not flushed, have not survived; the log ends there",
                *(self._directory, next_offset),
            )
            self._progress.add_truncated(self._directory, next_offset)
            return False
        if not self._config.compacts:
            logger.error(
                "%s: offsets %d to %d are missing; the log is served without them",
                *(self._directory, next_offset, segment.base_offset - 1),
            )
        return True

    def _cut(self, at: int, trusted: Trusted, fault: Fault) -> None:
        """The segment at index *at* is valid up to a point: cut there if that is what a crash leaves."""
        segment = self.segments[at]
        path = segment.log_file.path
        lost = segment.size_bytes - trusted.end
        if fault.is_whole:
            raise LogDamaged(path, trusted.end, f"{fault.text}; its checksum is right")
        check = self._progress.check
        behind = valid_batch_behind(segment, trusted.end + 1, trusted.next_offset, check)
        where = "" if behind is None else f"at byte {behind}"
        for later in self.segments[at + 1 :]:
            if not where and valid_batch_behind(later, 0, trusted.next_offset, check) is not None:
                where = f"in {later.base_offset:020}{LOG}"
        if where:
            raise LogDamaged(path, trusted.end, f"{fault.text}; a valid batch is {where}")
        if trusted.next_offset < self._known.recovery_point:
            raise LogDamaged(path, trusted.end, f"{fault.text}, below the recovery point {self._known.recovery_point}")
        self._progress.add_truncated(self._directory, trusted.next_offset)
        logger.debug(
            "%s at position %d: %s; the %d bytes from there on are what a write that a crash interrupted has left, and "
            "are cut off (the log now ends at offset %d)",
            *(path, trusted.end, fault.text, lost, trusted.next_offset),
        )
        segment.log_file.open().truncate(trusted.end)
        segment.size_bytes = trusted.end
        segment.finish()
        self._remove_from(at + 1)

    def _remove_from(self, at: int) -> None:
        for segment in self.segments[at:]:
            self._files.unlink(segment.paths())
            segment.close()
        del self.segments[at:]

    def _refuse_loss(self) -> None:
        path = self.segments[-1].log_file.path if self.segments else self._directory
        raise LogDamaged(
            path,
            None,
            f"the log ends at offset {self.log_end_offset}, below the recovery point {self._known.recovery_point}:"
            " records that were flushed are gone",
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
        self.producers.restart_at(self.log_start_offset)

    def _rebuild_producers(self, segments: Sequence[Segment], end_offset: int) -> None:
        rebuild_producers(
            self.producers, segments, self.log_start_offset, end_offset, self._now_ms, self._progress.check
        )

    def _load_producers(self) -> None:
        self.producers.remove_stray_snapshots(segment.base_offset for segment in self.segments)
        if self.producers.snapshots:
            self._rebuild_producers(self.segments, self.log_end_offset)
        else:  # a clean shutdown always leaves one when there is something to tell
            self.producers.restart_at(self.log_end_offset)
