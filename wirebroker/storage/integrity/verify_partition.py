"""PartitionVerification: check all files of one partition against each other."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from wirebroker.config.topic import default_log_config
from wirebroker.record.control import read_marker
from wirebroker.record.errors import RecordError
from wirebroker.record.record_batch import RecordBatch
from wirebroker.storage.checkpoints import parse_lines
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.integrity.verify_indexes import Aborts, check_indexes, check_transaction_index
from wirebroker.storage.integrity.verify_report import Finding, Remedy, VerificationReport
from wirebroker.storage.integrity.verify_segment import scan_segment
from wirebroker.storage.leader_epoch_cache import FILE_NAME as EPOCHS
from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
from wirebroker.storage.log_segment import LOG, LogSegment
from wirebroker.storage.partition_metadata import FILE_NAME as PARTITION_METADATA
from wirebroker.storage.partition_metadata import read_topic_id
from wirebroker.storage.producer_snapshots import SNAPSHOT, decode_snapshot
from wirebroker.storage.producer_state_manager import ProducerStateManager

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wirebroker.record.legacy import AnyBatch
    from wirebroker.storage.checkpoints import PartitionCheckpoints
    from wirebroker.storage.files import Files
    from wirebroker.storage.integrity.verify_segment import DamagedRange
    from wirebroker.storage.producer_state_entry import ProducerStateEntry

_OF_SEGMENT: Final = re.compile(r"(\d{20})(\.log|\.index|\.timeindex|\.txnindex|\.snapshot)")
_KRAFT_SNAPSHOT: Final = re.compile(r"\d{20}-\d{10}\.checkpoint")
_TEMPORARY: Final = re.compile(r".*\.(deleted|cleaned|swap|tmp|part|staged)")
_OTHER_NAMES: Final = frozenset({EPOCHS, PARTITION_METADATA, "quorum-state"})
_NEVER_MS: Final = 1 << 62
_CONFIG: Final = default_log_config()


class PartitionVerification:
    """One pass over a partition's directory; `run` does it."""

    def __init__(
        self,
        directory: Path,
        files: Files,
        report: VerificationReport,
        checkpoints: PartitionCheckpoints,
        advance: Callable[[int], None],
    ) -> None:
        """Prepare to check the partition in *directory*.

        Args:
            directory: Where the files are.
            files: How to read them.
            report: Where findings are added.
            checkpoints: Those of the log directory.  After an unclean shutdown the end and the
                indexes of the last segment may be unfinished, and the next start reads from the recovery point on.
            advance: Called with the number of bytes that were read.
        """
        self.directory = directory
        self.end_offset = 0
        """Where the log ends; known after `run`."""
        self.topic_id: bytes | None = None
        """The id in `partition.metadata`; known after `run`."""
        self.preallocated_indexes = 0
        """Indexes of the last segment that have their full size; known after `run`."""
        self._files = files
        self._report = report
        self._checkpoints = checkpoints
        self._advance = advance
        self._producers = ProducerStateManager(files, str(directory), [], expiration_ms=_NEVER_MS, name=directory.name)
        self._epochs = LeaderEpochCache(files, str(directory))
        self._are_epochs_right = False
        """The file exists, and nothing was found to be wrong in it yet."""
        self._largest_epoch = -1
        """The largest leader epoch of the batches so far."""
        self._do_epochs_ascend = True
        self._aborts = Aborts()
        self._snapshots: dict[int, list[ProducerStateEntry]] = {}
        """Offset -> what the producer snapshot says; those that the scan has not reached yet."""
        self._first_offset = self._next_offset = 0
        """The first offset of the log, and the one that should follow the batches so far."""
        self._has_gaps = False
        """Offsets are missing between or behind the batches so far, as compaction leaves them."""

    def run(self) -> None:
        """Check everything.  Raises OSError."""
        names = sorted(name for name, is_directory in self._files.list(str(self.directory)) if not is_directory)
        bases = [int(match[1]) for match in map(_OF_SEGMENT.fullmatch, names) if match is not None and match[2] == LOG]
        self._report.partitions += 1
        self._check_names(names, set(bases))
        self._load_topic_id(names)
        self._load_epochs(names)
        self._load_snapshots(names)
        directory = str(self.directory)
        segments = [LogSegment.load(self._files, directory, base, _CONFIG, 0, names) for base in bases]
        next_offset = self._first_offset = self._next_offset = bases[0] if bases else 0
        for at, segment in enumerate(segments):
            next_base_offset = segments[at + 1].base_offset if at + 1 < len(segments) else None
            next_offset = self._check_segment(segment, next_offset, next_base_offset)
            segment.close()
        for offset in sorted(self._snapshots):
            self._check_snapshot(offset)
        self.end_offset = next_offset

    # -- small files

    def _check_names(self, names: list[str], bases: set[int]) -> None:
        for name in names:
            match = _OF_SEGMENT.fullmatch(name)
            if match is not None:
                if match[2] not in (LOG, SNAPSHOT) and int(match[1]) not in bases:
                    self._add(name, f"there is no {match[1]}{LOG} that it belongs to", remedy=Remedy.REMOVE)
            elif _TEMPORARY.fullmatch(name):
                self._add(name, "left by an operation that was interrupted", remedy=Remedy.AT_START, is_damage=False)
            elif name not in _OTHER_NAMES and not _KRAFT_SNAPSHOT.fullmatch(name):
                self._add(name, "not a file of a partition", is_damage=False)
            self._report.other_files += match is None or match[2] == SNAPSHOT

    def _load_topic_id(self, names: list[str]) -> None:
        if PARTITION_METADATA in names:
            try:
                self.topic_id = read_topic_id(self._files, str(self.directory))
            except CorruptFileError as error:
                self._add(PARTITION_METADATA, _without_path(error), remedy=Remedy.FORGET_TOPIC_ID)

    def _load_epochs(self, names: list[str]) -> None:
        try:
            self._epochs.load()
            self._are_epochs_right = EPOCHS in names
            path = f"{self.directory}/{EPOCHS}"
            lines = [tuple(map(int, words)) for words in parse_lines(self._files.read(path) or b"", path)]
            if lines != self._epochs.entries:
                raise CorruptFileError("its entries do not ascend")
        except CorruptFileError as error:
            self._are_epochs_right = False
            self._add(EPOCHS, _without_path(error), remedy=Remedy.REBUILD_EPOCHS)

    def _load_snapshots(self, names: list[str]) -> None:
        for name in names:
            match = _OF_SEGMENT.fullmatch(name)
            if match is None or match[2] != SNAPSHOT:
                continue
            path = f"{self.directory}/{name}"
            try:
                self._snapshots[int(match[1])] = decode_snapshot(self._files.read(path) or b"", path)
            except CorruptFileError as error:
                self._add(name, _without_path(error), remedy=Remedy.REMOVE)

    # -- segments

    def _check_segment(self, segment: LogSegment, next_offset: int, next_base_offset: int | None) -> int:
        """Check one segment, and return the offset that should follow it."""
        path = segment.log_file.path
        if next_offset > segment.base_offset:
            what = f"it begins with offset {segment.base_offset}, and the segment before it reaches {next_offset - 1}"
            self._add(path, what)
        self._aborts = Aborts()
        log_end_offset = (self._checkpoints.clean and self._checkpoints.recovery_point) or None
        contents = scan_segment(
            segment, next_offset, next_base_offset, log_end_offset, partial(self._check_batch, path), self._advance
        )
        self._report.segments += 1
        self._report.batches += len(contents.positions)
        self._report.size_bytes += segment.size_bytes
        self._has_gaps = self._has_gaps or bool(contents.damaged)
        for damaged in contents.damaged:
            self._add_damaged_range(path, damaged, next_base_offset)
        if next_base_offset is not None and contents.end_offset < next_base_offset and not contents.damaged:
            self._has_gaps = True  # compaction takes the last records of a segment, too
        may_be_open = next_base_offset is None and not self._checkpoints.clean
        findings = []
        if not (contents.damaged and may_be_open):
            checked = check_indexes(segment, contents, self._files, may_be_open=may_be_open)
            findings += checked.findings
            self.preallocated_indexes += checked.preallocated
        is_log_complete = not self._has_gaps and self._first_offset == 0
        finding = check_transaction_index(
            segment, contents, self._aborts, self._files, is_log_complete=is_log_complete, may_be_open=may_be_open
        )
        for each in findings if finding is None else [*findings, finding]:
            self._report.add(each)
        return contents.end_offset

    def _add_damaged_range(self, path: str, damaged: DamagedRange, next_base_offset: int | None) -> None:
        resumes_at = damaged.resumes_at if damaged.resumes_at is not None else next_base_offset
        is_torn = (
            resumes_at is None
            and not self._checkpoints.clean
            and damaged.next_offset >= self._checkpoints.recovery_point  # a start refuses what lies below it
        )
        if is_torn:
            what = f"{damaged.reason}: left by a write that was interrupted; the next start cuts it off"
            self._add(path, what, position=damaged.start, end=damaged.end, remedy=Remedy.AT_START, is_damage=False)
            return
        offsets = None if resumes_at is None else (damaged.next_offset, resumes_at)
        self._add(path, damaged.reason, position=damaged.start, end=damaged.end, remedy=Remedy.CUT, offsets=offsets)

    def _check_batch(self, path: str, batch: AnyBatch) -> None:
        """Compare the next valid batch with the leader epochs and the producer snapshots, and replay it."""
        expected, self._next_offset = self._next_offset, batch.last_offset + 1
        if not isinstance(batch, RecordBatch):
            return
        self._has_gaps = self._has_gaps or batch.base_offset > expected
        for offset in [at for at in self._snapshots if at <= batch.base_offset]:
            self._check_snapshot(offset)
        self._check_epoch(path, batch)
        if batch.producer_id < 0:
            return
        try:
            if batch.is_control:
                marker = read_marker(batch)
                if marker is not None and not marker.committed:
                    self._aborts.markers[batch.last_offset] = batch.producer_id
            aborted = self._producers.replay(batch)
        except RecordError:
            return
        if aborted is not None:
            self._aborts.transactions.append(aborted)

    def _check_epoch(self, path: str, batch: RecordBatch) -> None:
        epoch = batch.partition_leader_epoch
        if epoch < 0:
            return
        if epoch < self._largest_epoch:
            if self._do_epochs_ascend:
                self._do_epochs_ascend = False
                what = (
                    f"offset {batch.base_offset} has leader epoch {epoch}, and batches before it {self._largest_epoch}:"
                    " a segment of another log, or a log that another cluster has continued"
                )
                self._add(path, what, is_damage=False)
            return
        self._largest_epoch = epoch
        if not self._are_epochs_right:
            return
        known = self._epochs.epoch_for_offset(batch.base_offset)
        if known == epoch or (known < 0 and self._epochs.entries):
            return
        self._are_epochs_right = False
        is_reread = not self._checkpoints.clean and batch.base_offset >= self._checkpoints.recovery_point
        if is_reread and epoch > self._epochs.latest_epoch:
            what = f"leader epoch {epoch} is missing; the next start adds it from the log"
            self._add(EPOCHS, what, remedy=Remedy.AT_START, is_damage=False)
        else:
            what = f"offset {batch.base_offset} has leader epoch {known} in it and {epoch} in the log"
            self._add(EPOCHS, what, remedy=Remedy.REBUILD_EPOCHS)

    def _check_snapshot(self, offset: int) -> None:
        """Compare the snapshot at *offset* with the producers as replayed up to there."""
        for entry in self._snapshots.pop(offset):
            expected = entry.batches[-1] if entry.batches else None
            if expected is None or expected.last_offset < self._first_offset or self._has_gaps:
                continue
            replayed = self._producers.entries.get(entry.producer_id)
            last = replayed.batches[-1] if replayed is not None and replayed.batches else None
            if last is None or (last.last_offset, last.last_sequence) != (expected.last_offset, expected.last_sequence):
                in_log = "nothing" if last is None else f"sequence {last.last_sequence} at offset {last.last_offset}"
                what = (
                    f"producer {entry.producer_id} has sequence {expected.last_sequence} at offset"
                    f" {expected.last_offset} in it, and {in_log} in the log"
                )
                self._add(f"{offset:020}{SNAPSHOT}", what, remedy=Remedy.REMOVE)
                return

    def _add(self, name: str, what: str, **fields: Any) -> None:
        """Report a finding about a file, by its name or path; *fields* are further ones of Finding."""
        path = name if "/" in name else f"{self.directory}/{name}"
        self._report.add(Finding(path, what, **fields))


def _without_path(error: Exception) -> str:
    return re.sub(r"^\S+: ", "", str(error))
