"""`wirebroker log repair`: repair what `verify_log_dir` has found, and keep what is taken away in a directory beside.

    actions = plan(report.findings)         # what would be done, in words
    Repair(files, root, side).execute(...)  # does it

Damaged bytes are cut out of a log, and the valid batches before and behind them stay, with a gap in the offsets as
compaction leaves them.  Indexes are rebuilt from the log; producer snapshots behind a cut are removed, for a start
rebuilds them; offsets in checkpoint files are lowered to where the logs end.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from wirebroker.config.topic import default_log_config
from wirebroker.storage import checkpoints
from wirebroker.storage.integrity.recovery import recover_segment, replay_segment
from wirebroker.storage.integrity.verify_report import Finding, Remedy
from wirebroker.storage.leader_epoch_cache import LeaderEpochCache
from wirebroker.storage.log_dir import CLEAN_SHUTDOWN
from wirebroker.storage.log_segment import INDEX, LOG, TIME_INDEX, TRANSACTION_INDEX, LogSegment, offset_from_file_name
from wirebroker.storage.producer_snapshots import SNAPSHOT
from wirebroker.storage.producer_state_manager import ProducerStateManager

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.model import TopicPartition
    from wirebroker.storage.files import Files

_CONFIG: Final = default_log_config()
_COPY_BYTES: Final = 1 << 20
_NEVER_MS: Final = 1 << 62


class RepairAction(NamedTuple):
    """One repair of one file."""

    path: str
    text: str
    """The repair and the reason for it, for an operator."""
    finding: Finding


def plan(findings: Sequence[Finding]) -> list[RepairAction]:
    """Return what a repair would do about *findings*, in their order; nothing is done about some."""
    return [RepairAction(each.path, text, each) for each in findings if (text := _text_of(each)) is not None]


def _text_of(finding: Finding) -> str | None:
    what, offsets = finding.what, finding.offsets
    match finding.remedy:
        case Remedy.CUT:
            lost = f"; offsets {offsets[0]} to {offsets[1] - 1} are lost" if offsets and offsets[0] < offsets[1] else ""
            return f"cut out bytes {finding.position} to {finding.end} ({what}){lost}"
        case Remedy.REBUILD_INDEXES:
            return f"rebuild it from the log ({what})"
        case Remedy.REMOVE:
            return f"remove it ({what})"
        case Remedy.FORGET_TOPIC_ID:
            return f"remove it: the directory is then that of the topic which has its name now ({what})"
        case Remedy.REBUILD_EPOCHS:
            return f"rebuild it from the leader epochs in the log ({what})"
        case Remedy.CORRECT_OFFSETS:
            return f"lower the offset to the end of the log ({what})"
        case Remedy.DROP_LINE:
            return f"remove the line of {finding.partition}, which then begins empty ({what})"
        case _:
            return None


class Repair:
    """Does what was planned.  Methods may raise OSError."""

    def __init__(self, files: Files, root: Path, side: Path) -> None:
        """*root* is the log directory; what is taken away from it goes to the same place below *side*."""
        self._files = files
        self._root = root
        self._side = side

    def execute(self, actions: Sequence[RepairAction], ends: Mapping[TopicPartition, int]) -> None:
        """Do all *actions*.  *ends* are the ends of the logs as `verify_log_dir` has returned them."""
        by_directory: dict[Path, list[Finding]] = {}
        for action in actions:
            by_directory.setdefault(Path(action.path).parent, []).append(action.finding)
        for directory, findings in by_directory.items():
            if directory == self._root:
                self._correct_checkpoints(findings, ends)
            else:
                self._repair_partition(directory, findings)

    def remove_clean_shutdown_marker(self) -> None:
        """Have the next start recover what is behind the recovery points, as it does after a crash."""
        marker = self._root / CLEAN_SHUTDOWN
        if marker.exists():
            self._put_aside(marker)

    def _repair_partition(self, directory: Path, findings: Sequence[Finding]) -> None:
        cuts: dict[int, list[Finding]] = {}
        rebuilt: set[int] = set()
        for each in findings:
            path = Path(each.path)
            if each.remedy is Remedy.CUT:
                cuts.setdefault(offset_from_file_name(path.name), []).append(each)
            elif each.remedy is Remedy.REBUILD_INDEXES:
                rebuilt.add(offset_from_file_name(path.name))
            elif each.remedy in (Remedy.REMOVE, Remedy.FORGET_TOPIC_ID, Remedy.REBUILD_EPOCHS):
                self._put_aside(path)
        for base, ranges in cuts.items():
            self._cut(directory / f"{base:020}{LOG}", ranges)
            rebuilt.add(base)
        if cuts:
            for snapshot in directory.glob(f"*{SNAPSHOT}"):
                if offset_from_file_name(snapshot.name) > min(cuts):
                    self._put_aside(snapshot)
        if rebuilt or any(each.remedy is Remedy.REBUILD_EPOCHS for each in findings):
            self._rebuild(directory, rebuilt)

    def _cut(self, path: Path, ranges: Sequence[Finding]) -> None:
        """Write the log file again without the damaged *ranges*."""
        aside = self._put_aside(path)
        beside = Path(f"{path}.tmp")
        with aside.open("rb") as damaged, beside.open("wb") as repaired:
            at = 0
            for each in sorted(ranges, key=lambda finding: finding.position or 0):
                assert each.position is not None
                assert each.end is not None
                _copy(damaged, repaired, at, each.position)
                at = each.end
            _copy(damaged, repaired, at, aside.stat().st_size)
            repaired.flush()
            os.fsync(repaired.fileno())
        self._files.rename(str(beside), str(path))

    def _rebuild(self, directory: Path, rebuilt: set[int]) -> None:
        """Read the whole log; rebuild the indexes of the *rebuilt* segments, and add missing leader epochs."""
        epochs = LeaderEpochCache(self._files, str(directory))
        epochs.load()
        producers = ProducerStateManager(self._files, str(directory), [], expiration_ms=_NEVER_MS, name=directory.name)
        next_offset = 0
        for path in sorted(directory.glob(f"*{LOG}")):
            base = offset_from_file_name(path.name)
            names = os.listdir(directory)
            segment = LogSegment.load(self._files, str(directory), base, _CONFIG, 0, names)
            if base in rebuilt:
                for suffix in (INDEX, TIME_INDEX, TRANSACTION_INDEX):
                    index = directory / f"{base:020}{suffix}"
                    if index.exists():
                        self._put_aside(index)
                segment = LogSegment.load(self._files, str(directory), base, _CONFIG, 0, ())
                next_offset = recover_segment(segment, _CONFIG, epochs, producers, next_offset).next_offset
                segment.on_become_inactive()
                segment.sync()
            else:
                next_offset = replay_segment(segment, epochs, producers, next_offset)
            segment.close()
        epochs.sync()

    def _correct_checkpoints(self, findings: Sequence[Finding], ends: Mapping[TopicPartition, int]) -> None:
        for path in {each.path for each in findings}:
            remedies = {each.remedy for each in findings if each.path == path}
            aside = self._put_aside(Path(path))
            if Remedy.REMOVE in remedies:
                continue
            offsets = checkpoints.read_offsets(self._files, str(aside))
            dropped = {each.partition for each in findings if each.path == path}
            right = {
                at: max(0, min(offset, ends.get(at, offset))) for at, offset in offsets.items() if at not in dropped
            }
            checkpoints.write_offsets(self._files, path, right)

    def _put_aside(self, path: Path) -> Path:
        """Move a file to its place below the side directory, which may be on another disk, and return that place."""
        target = self._side / path.relative_to(self._root)
        target.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as source, target.open("wb") as copy:
            _copy(source, copy, 0, path.stat().st_size)
            copy.flush()
            os.fsync(copy.fileno())
        path.unlink()
        return target


def _copy(source: BinaryIO, target: BinaryIO, start: int, end: int) -> None:
    source.seek(start)
    while start < end:
        data = source.read(min(_COPY_BYTES, end - start))
        if not data:
            return
        target.write(data)
        start += len(data)
