"""`wirebroker log verify`: check a log directory with all partitions in it, or one partition's directory on its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wirebroker.model import TopicPartition
from wirebroker.storage import checkpoints
from wirebroker.storage.checkpoints import PartitionCheckpoints
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.integrity.verify_partition import PartitionVerification
from wirebroker.storage.integrity.verify_report import Finding, Remedy, VerificationReport
from wirebroker.storage.log_dir import CLEAN_SHUTDOWN, LOCK
from wirebroker.storage.partition_metadata import FILE_NAME as PARTITION_METADATA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wirebroker.storage.files import Files

_PARTITION: Final = re.compile(r"(.+)-(\d+)")
_FUTURE_LOG: Final = re.compile(r"(.+-\d+)\.\S+-future")
_LOG_FILE: Final = re.compile(r"\d{20}\.log")
CHECKPOINTS: Final = (
    checkpoints.RECOVERY_POINTS,
    checkpoints.HIGH_WATERMARKS,
    checkpoints.LOG_STARTS,
    checkpoints.CLEANER_OFFSETS,
)


def is_partition(directory: Path) -> bool:
    """Return whether *directory* is that of one partition; else it is a log directory."""
    return any(_LOG_FILE.fullmatch(path.name) for path in directory.iterdir())


def partitions_in(directory: Path) -> list[Path]:
    """Return the partition directories to check: *directory* itself, if it is one, or those in it."""
    if is_partition(directory):
        return [directory]
    return sorted(path for path in directory.iterdir() if path.is_dir() and _PARTITION.fullmatch(path.name))


def size_of(directory: Path) -> int:
    """Return the number of bytes that `verify_log_dir` will read."""
    return sum(path.stat().st_size for each in partitions_in(directory) for path in each.glob("*.log"))


def in_use(directory: Path, files: Files) -> bool:
    """Return whether a broker holds the lock of *directory*, or of the log directory that it is in."""
    root = directory.parent if is_partition(directory) else directory
    path = str(root / LOCK)
    if not files.exists(path):
        return False
    lock = files.lock(path)
    if lock is None:
        return True
    lock.close()
    return False


def verify_log_dir(
    directory: Path, files: Files, report: VerificationReport, advance: Callable[[int], None] = lambda _: None
) -> dict[TopicPartition, int]:
    """Check everything in *directory*, and return where each log ends.

    Args:
        directory: A log directory or a partition's directory; if a broker uses it, what it writes meanwhile may look
            damaged.
        files: How to read.
        report: Where findings are added.
        advance: Called with the number of bytes that were read.

    Raises OSError.
    """
    is_alone = is_partition(directory)
    root = directory.parent if is_alone else directory
    clean = files.exists(str(root / CLEAN_SHUTDOWN))
    recovery_points = _recovery_points(root, files)
    ends: dict[TopicPartition, int] = {}
    topic_ids: dict[str, dict[bytes, list[Path]]] = {}
    preallocated: list[int] = []
    for path in partitions_in(directory):
        match = _PARTITION.fullmatch(path.name)
        at = None if match is None else TopicPartition(match[1], int(match[2]))
        recovery_point = 0 if at is None else recovery_points.get(at, 0)
        partition = PartitionVerification(path, files, report, PartitionCheckpoints(clean, recovery_point), advance)
        partition.run()
        if partition.preallocated_indexes:
            preallocated.append(partition.preallocated_indexes)
        if at is not None:
            ends[at] = partition.end_offset
            if partition.topic_id is not None:
                topic_ids.setdefault(at.topic, {}).setdefault(partition.topic_id, []).append(path)
    if preallocated:
        report.add(_preallocated_finding(directory, preallocated))
    _check_topic_ids(topic_ids, report)
    if not is_alone:
        moving = {match[1] for path in directory.iterdir() if (match := _FUTURE_LOG.fullmatch(path.name))}
        for name in CHECKPOINTS:
            _check_offsets(f"{directory}/{name}", ends, moving, files, report)
    return ends


def _preallocated_finding(directory: Path, counts: list[int]) -> Finding:
    what = (
        f"{sum(counts)} indexes of {len(counts)} partitions are preallocated: a broker uses them or was killed; the"
        " next start rebuilds them"
    )
    return Finding(str(directory), what, remedy=Remedy.AT_START, is_damage=False)


def _check_topic_ids(topic_ids: dict[str, dict[bytes, list[Path]]], report: VerificationReport) -> None:
    for topic, by_id in topic_ids.items():
        if len(by_id) > 1:
            path = min(by_id.values(), key=len)[0] / PARTITION_METADATA
            report.add(Finding(str(path), f"it has another topic id than other partitions of {topic}"))


def _recovery_points(root: Path, files: Files) -> dict[TopicPartition, int]:
    try:
        return checkpoints.read_offsets(files, f"{root}/{checkpoints.RECOVERY_POINTS}")
    except CorruptFileError:
        return {}  # `_check_offsets` reports it


def _check_offsets(
    path: str, ends: dict[TopicPartition, int], moving: set[str], files: Files, report: VerificationReport
) -> None:
    """Compare the checkpoint file at *path* with the *ends* of the logs; *moving* partitions have a future log only."""
    if not files.exists(path):
        return
    report.other_files += 1
    try:
        offsets = checkpoints.read_offsets(files, path)
    except CorruptFileError as error:
        report.add(Finding(path, str(error).removeprefix(f"{path}: "), remedy=Remedy.REMOVE))
        return
    for at, offset in offsets.items():
        if at not in ends:
            if at.topic == "__cluster_metadata" or str(at) in moving:
                continue
            if offset > 0:
                what = f"{at} is at offset {offset} in it, and has no directory"
                report.add(Finding(path, what, remedy=Remedy.DROP_LINE, partition=at))
            else:
                report.add(Finding(path, f"{at} is in it, and has no directory", is_damage=False))
        elif not 0 <= offset <= ends[at]:
            what = f"{at} is at offset {offset} in it, and its log ends at {ends[at]}"
            report.add(Finding(path, what, remedy=Remedy.CORRECT_OFFSETS))
