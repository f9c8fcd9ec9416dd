"""Check all files of one partition against each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wirebroker.config.log import LogConfig
from wirebroker.record.control import read_marker
from wirebroker.record.faults import RecordError
from wirebroker.storage.checkpoints import parse_lines
from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.leader_epochs import FILE_NAME as EPOCHS
from wirebroker.storage.leader_epochs import LeaderEpochs
from wirebroker.storage.partition_metadata import read_topic_id
from wirebroker.storage.producer_entry import decode_snapshot
from wirebroker.storage.producer_state import ProducerState
from wirebroker.storage.segment import LOG, TRANSACTION_INDEX, Segment
from wirebroker.storage.verify.findings import Checked, Finding, Remedy
from wirebroker.storage.verify.indexes import check_indexes, check_transactions
from wirebroker.storage.verify.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wirebroker.record.record_batch import RecordBatch
    from wirebroker.storage.files import Files
    from wirebroker.storage.producer_entry import ProducerEntry
    from wirebroker.storage.transaction_index import AbortedTransaction
    from wirebroker.storage.verify.walk import BadPlace

_NAMED = re.compile(r"(\d{20})(\.log|\.index|\.timeindex|\.txnindex|\.snapshot)")
_SNAPSHOT_OF_KRAFT = re.compile(r"\d{20}-\d{10}\.checkpoint")
_PASSING = re.compile(r".*\.(deleted|cleaned|swap|tmp|part|staged)")
_KNOWN = frozenset({EPOCHS, "partition.metadata", "quorum-state"})
_FOR_EVER = 1 << 62


class PartitionCheck:
    """One pass over a partition's directory; `run` does it."""

    def __init__(
        self,
        directory: Path,
        files: Files,
        checked: Checked,
        advance: Callable[[int], None],
        *,
        clean: bool,
        ended_at: int | None = None,
        recovery_point: int = 0,
    ) -> None:
        """Prepare to check the partition in *directory*.

        Args:
            directory: Where its files are.
            files: How to read.
            checked: Where findings go.
            advance: Is told the bytes that were read.
            clean: Was the broker's last stop clean?  If not, the last segment's end and indexes may be unfinished.
            ended_at: Where the log ended when the broker was stopped cleanly, as far as is known.
            recovery_point: After a stop that was not clean, where the next start begins to read the log.
        """
        self.directory = directory
        self.end_offset = 0
        """Where the log ends; known after `run`."""
        self.topic_id: bytes | None = None
        self._files = files
        self._checked = checked
        self._advance = advance
        self._clean = clean
        self._ended_at = ended_at
        self._recovery_point = recovery_point
        self._producers = ProducerState(files, str(directory), [], expiration_ms=_FOR_EVER, name=directory.name)
        self._epochs = LeaderEpochs(files, str(directory))
        self._epochs_fit = False
        self._aborted: list[AbortedTransaction] = []
        self._abort_markers: dict[int, int] = {}
        self._snapshots: dict[int, list[ProducerEntry]] = {}
        self._first_offset = 0
        self._has_gaps = False

    def run(self) -> None:
        """Check everything.  Raises OSError."""
        names = sorted(name for name, is_directory in self._files.list(str(self.directory)) if not is_directory)
        bases = [int(match[1]) for match in map(_NAMED.fullmatch, names) if match is not None and match[2] == LOG]
        self._checked.partitions += 1
        self._look_at_names(names, set(bases))
        self._load_epochs(EPOCHS in names)
        self._load_snapshots(names)
        segments = [self._open(base, names) for base in bases]
        due = self._first_offset = bases[0] if bases else 0
        for at, segment in enumerate(segments):
            following = segments[at + 1].base_offset if at + 1 < len(segments) else None
            due = self._check_segment(segment, due, following)
            segment.close()
        for offset in sorted(self._snapshots):
            self._compare_snapshot(offset)
        self.end_offset = due

    # -- small files

    def _look_at_names(self, names: list[str], bases: set[int]) -> None:
        for name in names:
            match = _NAMED.fullmatch(name)
            if match is not None:
                if match[2] not in (LOG, ".snapshot") and int(match[1]) not in bases:
                    what = f"there is no {match[1]}{LOG} that it belongs to"
                    self._add(name, what, remedy=Remedy.REMOVE)
            elif _PASSING.fullmatch(name):
                self._add(name, "left by something unfinished", remedy=Remedy.AT_START, is_damage=False)
            elif name not in _KNOWN and not _SNAPSHOT_OF_KRAFT.fullmatch(name):
                self._add(name, "no file of a partition", is_damage=False)
            self._checked.other_files += match is None or match[2] == ".snapshot"
        if "partition.metadata" in names:
            try:
                self.topic_id = read_topic_id(self._files, str(self.directory))
            except CorruptFile as fault:
                self._add("partition.metadata", _without_path(fault))

    def _load_epochs(self, exists: bool) -> None:
        try:
            self._epochs.load()
            self._epochs_fit = exists
            path = f"{self.directory}/{EPOCHS}"
            lines = [tuple(map(int, words)) for words in parse_lines(self._files.read(path) or b"", path)]
            if lines != self._epochs.entries:
                raise CorruptFile("its entries do not ascend")
        except CorruptFile as fault:
            self._epochs_fit = False
            self._add(EPOCHS, _without_path(fault), remedy=Remedy.REBUILD_EPOCHS)

    def _load_snapshots(self, names: list[str]) -> None:
        for name in names:
            match = _NAMED.fullmatch(name)
            if match is None or match[2] != ".snapshot":
                continue
            path = f"{self.directory}/{name}"
            try:
                self._snapshots[int(match[1])] = decode_snapshot(self._files.read(path) or b"", path)
            except CorruptFile as fault:
                self._add(name, _without_path(fault), remedy=Remedy.REMOVE)

    # -- segments

    def _open(self, base_offset: int, names: list[str]) -> Segment:
        path = f"{self.directory}/{base_offset:020}"
        return Segment(
            self._files,
            str(self.directory),
            base_offset,
            _CONFIG,
            0,
            size_bytes=self._files.size_bytes(path + LOG),
            has_transactions=f"{base_offset:020}{TRANSACTION_INDEX}" in names,
        )

    def _check_segment(self, segment: Segment, due: int, following: int | None) -> int:
        """Check one; returns the offset that is due behind it."""
        is_last = following is None
        self._aborted.clear()
        self._abort_markers.clear()
        path = segment.log_file.path
        if due > segment.base_offset:
            self._add(path, f"it begins with offset {segment.base_offset}, and the one before it reaches {due - 1}")
        walked = walk(segment, max(due, segment.base_offset), following, self._ended_at, self._visit, self._advance)
        self._checked.segments += 1
        self._checked.batches += len(walked.positions)
        self._checked.size_bytes += segment.size_bytes
        self._has_gaps = self._has_gaps or walked.has_gaps or bool(walked.bad)
        for bad in walked.bad:
            self._report_bad(path, bad, following)
        end = walked.end_offset
        if following is not None and end < following and not walked.bad:
            self._has_gaps = True  # compaction takes the last records of a segment, too
        may_be_open = is_last and not self._clean
        if not (walked.bad and may_be_open):
            for finding in check_indexes(segment, walked, self._files, may_be_open=may_be_open):
                self._checked.add(finding)
        for finding in check_transactions(
            segment,
            walked,
            self._aborted,
            self._abort_markers,
            self._files,
            has_gaps=self._has_gaps or self._first_offset > 0,
            may_be_open=may_be_open,
        ):
            self._checked.add(finding)
        return end

    def _report_bad(self, path: str, bad: BadPlace, following: int | None) -> None:
        lost_to = bad.offset_behind if bad.offset_behind is not None else following
        torn = (
            bad.offset_behind is None
            and following is None
            and not self._clean
            and bad.next_offset >= self._recovery_point  # a start refuses what lies below it
        )
        if torn:
            what = f"{bad.why}: what a write that was interrupted has left, the next start cuts it off"
            self._add(path, what, position=bad.start, end=bad.end, remedy=Remedy.AT_START, is_damage=False)
            return
        offsets = None if lost_to is None else (bad.next_offset, lost_to)
        self._add(path, bad.why, position=bad.start, end=bad.end, remedy=Remedy.EXCISE, offsets=offsets)

    def _visit(self, batch: RecordBatch) -> None:
        if batch.magic < 2:
            return
        for offset in [at for at in self._snapshots if at <= batch.base_offset]:
            self._compare_snapshot(offset)
        self._compare_epoch(batch)
        if batch.producer_id < 0:
            return
        try:
            if batch.is_control:
                marker = read_marker(batch)
                if marker is not None and not marker.committed:
                    self._abort_markers[batch.last_offset] = batch.producer_id
            aborted = self._producers.replay(batch)
        except RecordError:
            return
        if aborted is not None:
            self._aborted.append(aborted)

    def _compare_epoch(self, batch: RecordBatch) -> None:
        epoch = batch.partition_leader_epoch
        if not self._epochs_fit or epoch < 0:
            return
        known = self._epochs.epoch_for_offset(batch.base_offset)
        if known != epoch and not (known < 0 and self._epochs.entries):
            self._epochs_fit = False
            if not self._clean and batch.base_offset >= self._recovery_point and epoch > self._epochs.latest:
                what = f"leader epoch {epoch} is not in it yet; the next start adds it from the log"
                self._add(EPOCHS, what, remedy=Remedy.AT_START, is_damage=False)
                return
            what = f"it has leader epoch {known} for offset {batch.base_offset}, and the log has {epoch}"
            self._add(EPOCHS, what, remedy=Remedy.REBUILD_EPOCHS)

    def _compare_snapshot(self, offset: int) -> None:
        """Compare the snapshot at *offset* with the producers as the log has shown them up to there."""
        for entry in self._snapshots.pop(offset):
            seen = self._producers.entries.get(entry.producer_id)
            last = entry.batches[-1] if entry.batches else None
            if last is None or last.last_offset < self._first_offset or self._has_gaps:
                continue
            there = seen.batches[-1] if seen is not None and seen.batches else None
            if there is None or (there.last_offset, there.last_sequence) != (last.last_offset, last.last_sequence):
                seen_text = f"{there.last_sequence} at {there.last_offset}" if there is not None else "nothing"
                what = (
                    f"producer {entry.producer_id} has sequence {last.last_sequence} at {last.last_offset} in it,"
                    f" and {seen_text} in the log"
                )
                self._add(f"{offset:020}.snapshot", what, remedy=Remedy.REMOVE)
                return

    def _add(self, name: str, what: str, **rest: object) -> None:
        path = name if "/" in name else f"{self.directory}/{name}"
        self._checked.add(Finding(path, what, **rest))  # type: ignore[arg-type]


_CONFIG = LogConfig()


def _without_path(fault: Exception) -> str:
    return re.sub(r"^\S+: ", "", str(fault))
