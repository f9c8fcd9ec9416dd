"""Mend what `directory.verify` has found, and keep everything that is taken away in a directory beside.

    actions = plan(checked.findings)        what would be done, in words
    Repair(files, root, side).execute(...)  does it

Damaged bytes are cut out of a log, and what is good before and behind them stays, with a gap in the offsets (as
compaction leaves them).  Indexes are made anew from the log; snapshots of producers behind a cut are dropped, a start
finds them out again; offsets in checkpoint files are brought down to where the logs end.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from wirebroker.config.log import LogConfig
from wirebroker.storage import checkpoints
from wirebroker.storage.interrupted import offset_of
from wirebroker.storage.leader_epochs import LeaderEpochs
from wirebroker.storage.log_dir import CLEAN_SHUTDOWN
from wirebroker.storage.producer_state import SNAPSHOT, ProducerState
from wirebroker.storage.recovery import Fault, Window, read_valid, scan
from wirebroker.storage.segment import INDEX, LOG, TIME_INDEX, TRANSACTION_INDEX, Segment
from wirebroker.storage.verify.findings import Finding, Remedy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.model import TopicPartition
    from wirebroker.storage.files import Files

_CONFIG = LogConfig()
_PIECE = 1 << 20
_FOR_EVER = 1 << 62


class Action(NamedTuple):
    """One thing to do, for people to read."""

    path: str
    text: str
    finding: Finding


def plan(findings: Sequence[Finding]) -> list[Action]:
    """What would be done about *findings*, in their order."""
    actions = []
    for each in findings:
        if each.remedy is Remedy.EXCISE:
            assert each.position is not None
            assert each.end is not None
            lost = ""
            if each.offsets is not None and each.offsets[0] < each.offsets[1]:
                lost = f"; offsets {each.offsets[0]} to {each.offsets[1] - 1} go"
            text = f"cut out bytes {each.position} to {each.end} ({each.what}){lost}"
        elif each.remedy is Remedy.REBUILD_INDEXES:
            text = f"make it anew from the log ({each.what})"
        elif each.remedy is Remedy.REMOVE:
            text = f"take it away ({each.what})"
        elif each.remedy is Remedy.REBUILD_EPOCHS:
            text = f"make it anew from the epochs in the log ({each.what})"
        elif each.remedy is Remedy.CORRECT_OFFSETS:
            text = f"bring it down to the end of the log ({each.what})"
        elif each.remedy is Remedy.DROP_LINE:
            text = f"take the line of {each.partition} out, which then begins empty ({each.what})"
        else:
            continue
        actions.append(Action(each.path, text, each))
    return actions


class Repair:
    """Does what was planned.  Methods may raise OSError."""

    def __init__(self, files: Files, root: Path, side: Path) -> None:
        """*root* is the log directory; what is taken away from it goes to the same place below *side*."""
        self._files = files
        self._root = root
        self._side = side
        self.kept: list[Path] = []
        """What was put aside, under its new name."""

    def execute(self, actions: Sequence[Action], ends: Mapping[TopicPartition, int]) -> None:
        """Do it all.  *ends* are the ends of the logs as they will be."""
        by_directory: dict[Path, list[Finding]] = {}
        for action in actions:
            by_directory.setdefault(Path(action.path).parent, []).append(action.finding)
        for directory, findings in by_directory.items():
            if directory == self._root:
                self._correct_checkpoints(findings, ends)
            else:
                self._mend_partition(directory, findings)

    def forget_clean_stop(self) -> None:
        """Let the next start read what is behind the recovery points, as it does after a crash."""
        marker = self._root / CLEAN_SHUTDOWN
        if marker.exists():
            self._put_aside(marker)

    def _mend_partition(self, directory: Path, findings: Sequence[Finding]) -> None:
        cuts: dict[int, list[Finding]] = {}
        anew: set[int] = set()
        for each in findings:
            path = Path(each.path)
            if each.remedy is Remedy.EXCISE:
                cuts.setdefault(offset_of(path.name), []).append(each)
            elif each.remedy is Remedy.REBUILD_INDEXES:
                anew.add(offset_of(path.name))
            elif each.remedy in (Remedy.REMOVE, Remedy.REBUILD_EPOCHS):
                self._put_aside(path)
        for base, places in cuts.items():
            self._cut(directory / f"{base:020}{LOG}", places)
            anew.add(base)
        if cuts:
            for snapshot in directory.glob(f"*{SNAPSHOT}"):
                if offset_of(snapshot.name) > min(cuts):
                    self._put_aside(snapshot)
        epochs_go = any(each.remedy is Remedy.REBUILD_EPOCHS for each in findings)
        if anew or epochs_go:
            self._read_again(directory, anew)

    def _cut(self, path: Path, places: Sequence[Finding]) -> None:
        """Write the log again without the damaged places."""
        aside = self._put_aside(path)
        beside = Path(f"{path}.tmp")
        with aside.open("rb") as damaged, beside.open("wb") as mended:
            at = 0
            for each in sorted(places, key=lambda place: place.position or 0):
                assert each.position is not None
                assert each.end is not None
                _copy(damaged, mended, at, each.position)
                at = each.end
            _copy(damaged, mended, at, aside.stat().st_size)
            mended.flush()
            os.fsync(mended.fileno())
        self._files.rename(str(beside), str(path))

    def _read_again(self, directory: Path, anew: set[int]) -> None:
        """Go through the whole log; make the indexes of the segments in *anew*, and what is missing of the epochs."""
        epochs = LeaderEpochs(self._files, str(directory))
        epochs.load()
        producers = ProducerState(self._files, str(directory), [], expiration_ms=_FOR_EVER, name=directory.name)
        next_offset = 0
        for path in sorted(directory.glob(f"*{LOG}")):
            base = offset_of(path.name)
            segment = self._open(directory, base)
            if base in anew:
                for suffix in (INDEX, TIME_INDEX, TRANSACTION_INDEX):
                    index = directory / f"{base:020}{suffix}"
                    if index.exists():
                        self._put_aside(index)
                segment = self._open(directory, base)
                next_offset = scan(segment, _CONFIG, epochs, producers, next_offset).next_offset
                segment.finish()
                segment.sync()
            else:
                next_offset = _replay(segment, epochs, producers, next_offset)
            segment.close()
        epochs.sync()

    def _open(self, directory: Path, base: int) -> Segment:
        path = f"{directory}/{base:020}"
        exists = self._files.exists(path + TRANSACTION_INDEX)
        size = self._files.size_bytes(path + LOG)
        return Segment(self._files, str(directory), base, _CONFIG, 0, size_bytes=size, has_transactions=exists)

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
        """Move a file to its place in the side directory, maybe on another disk."""
        target = self._side / path.relative_to(self._root)
        target.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as source, target.open("wb") as copy:
            _copy(source, copy, 0, path.stat().st_size)
            copy.flush()
            os.fsync(copy.fileno())
        path.unlink()
        self.kept.append(target)
        return target


def _copy(source: BinaryIO, target: BinaryIO, start: int, end: int) -> None:
    source.seek(start)
    while start < end:
        piece = source.read(min(_PIECE, end - start))
        if not piece:
            return
        target.write(piece)
        start += len(piece)


def _replay(segment: Segment, epochs: LeaderEpochs, producers: ProducerState, next_offset: int) -> int:
    """Take a segment that stays as it is into account."""
    window = Window(segment.log_file.open(), segment.size_bytes)
    position = 0
    while position < window.end:
        batch = read_valid(window, position, next_offset, segment.base_offset)
        if isinstance(batch, Fault):
            break
        if batch.magic >= 2:
            if batch.partition_leader_epoch > epochs.latest:
                epochs.assign(batch.partition_leader_epoch, batch.base_offset)
            producers.replay(batch)
        next_offset = batch.last_offset + 1
        position += batch.size_bytes
    return next_offset
